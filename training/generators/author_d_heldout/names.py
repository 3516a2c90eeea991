"""Hosts that resemble another: with www or without, below another ending, a subdomain, a typing
error.

Invariant: a name depends on the other host and draws alone; whether it is taken is the
world's to tell.
"""

from __future__ import annotations

from collections.abc import Callable

from training.generators.author_d_heldout.words import COUNTRY_ENDINGS, GENERIC_ENDINGS, TWO_LABELS
from training.generators.author_d_heldout.world import World
from training.generators.common import stripped

SUBDOMAINS = (
    "mirror",
    "www2",
    "www1",
    "old",
    "new",
    "en",
    "m",
    "web",
    "secure",
    "origin",
    "cdn",
    "us",
    "ftp",
    "home",
)
STAGES = ("dev", "test", "staging", "beta", "stage", "preview", "demo", "new", "www-test", "uat")


def label(host: str) -> str:
    """The part of a host before its ending."""
    return _cut(host)[1]


def first_label(host: str) -> str:
    """The first part of a host but www."""
    return stripped(host).split(".")[0]


def other_name(world: World, host: str, way: str | None) -> str | None:
    """A host like that one in a way of WAYS; none if any host will do."""
    return WAYS[way](world, host) if way else None


def _cut(host: str) -> tuple[str, str]:
    """The subdomains of a host with their dots, and the label before its ending."""
    parts = host.split(".")
    labels = 2 if ".".join(parts[-2:]) in TWO_LABELS and len(parts) > 2 else 1
    return "".join(f"{part}." for part in parts[: -labels - 1]), parts[-labels - 1]


def _www(world: World, host: str) -> str:
    return stripped(host) if host.startswith("www.") else f"www.{host}"


def _ending(world: World, host: str) -> str:
    ending = world.random.choice(GENERIC_ENDINGS + COUNTRY_ENDINGS)
    subdomains, name = _cut(stripped(host))
    www = "www." if host.startswith("www.") or world.random.random() < 0.2 else ""
    return f"{www}{subdomains}{name}.{ending}"


def _subdomain(world: World, host: str) -> str:
    return f"{world.random.choice(SUBDOMAINS)}.{stripped(host)}"


def _stage(world: World, host: str) -> str:
    stage = world.random.choice(STAGES)
    return (
        f"{stage}.{stripped(host) if world.random.random() < 0.7 else world.word() + 'agency.com'}"
    )


def _typing_error(world: World, host: str) -> str:
    name = label(stripped(host))
    k = world.random.randint(1, len(name) - 1)
    doubled, dropped, zero = (
        name[:k] + name[k] + name[k:],
        name[:k] + name[k + 1 :],
        name.replace("o", "0", 1) + "x",
    )
    wrong = world.random.choice(
        (doubled, dropped, f"{name}-login", f"secure-{name}", f"{name}s", f"{name}-online", zero)
    )
    return f"{wrong}.{world.random.choice(GENERIC_ENDINGS)}"


def _hyphen(world: World, host: str) -> str:
    name, _, rest = stripped(host).partition(".")
    return f"www.{name.replace('-', '')}-{world.word()}.{rest}"


WAYS: dict[str, Callable[[World, str], str]] = {
    "www": _www,
    "ending": _ending,
    "subdomain": _subdomain,
    "stage": _stage,
    "typing error": _typing_error,
    "hyphen": _hyphen,
}
"""Ways in which hosts are alike, by name."""
