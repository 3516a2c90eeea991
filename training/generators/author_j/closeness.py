"""Sites that are close to another without being its copy, or of which one could say either."""

from __future__ import annotations

from dataclasses import replace

from training.generators.author_j import naming
from training.generators.author_j.copying import Copying, copy_of
from training.generators.author_j.model import Host, Page, World
from training.generators.author_j.settling import new_host, put
from training.generators.author_j.words import TONGUES, title

NEAR, UNCLEAR = "near-replica", "unclear"
_OLDER = {"older": 1.0}

CLOSE: dict[str, tuple[str, Copying]] = {
    "edition": (
        NEAR,
        Copying(naming.edition, (1, 5, 0.5), (0.05, 0.4), (0.4, 0.9), own=(0.3, 1.0), least=4),
    ),
    "fork": (
        NEAR,
        Copying(
            *(naming.unrelated, (1, 2, 0.2), (0.2, 0.7), (0.3, 0.7), _OLDER),
            own=(0.4, 1.2),
            retitle=0.8,
            same_address=0.1,
            kinds=("wiki", "forum", "manual", "listing", "blog"),
            least=10,
        ),
    ),
    "years": (
        NEAR,
        Copying(
            *(naming.backup, (1, 1, 0.0), (0.03, 0.3), (0.2, 0.6), _OLDER),
            names={"none": 2.0, "ending": 1.0, "prefix": 1.0},
            own=(0.4, 1.5),
            lag=(0.5, 1.0),
            least=8,
        ),
    ),
    "kit-version": (
        NEAR,
        Copying(naming.clone, (1, 3, 0.4), (0.1, 0.5), own=(0.2, 0.6), same_address=0.1, least=3),
    ),
    "subsite": (
        UNCLEAR,
        Copying(
            *(naming.section, (1, 2, 0.2), (0.5, 1.0), (0.1, 0.4), {"folder": 1.0}),
            own=(0.1, 0.6),
            least=12,
        ),
    ),
    "part": (
        UNCLEAR,
        Copying(
            *(naming.unrelated, (1, 2, 0.2), (0.5, 1.0), (0.04, 0.2)),
            own=(1.0, 4.0),
            retitle=1.0,
            same_address=0.05,
            least=20,
        ),
    ),
    "brand": (
        UNCLEAR,
        Copying(
            *(naming.unrelated, (1, 5, 0.4), (0.05, 0.4), (0.7, 1.0)),
            own=(0.0, 0.2),
            retitle=1.0,
            kinds=("shop", "listing", "news", "card"),
        ),
    ),
    "region": (
        UNCLEAR,
        Copying(
            *(naming.section, (1, 5, 0.5), (0.6, 1.0), (0.3, 0.6)),
            own=(0.5, 1.2),
            same_address=0.8,
            least=10,
        ),
    ),
    "lite": (
        UNCLEAR,
        Copying(
            naming.mobile, same=(0.0, 0.05), kept=(0.2, 0.6), names={"query": 1.0, "hash": 1.0}
        ),
    ),
    "translation": (
        UNCLEAR,
        Copying(naming.country, (1, 4, 0.4), (0.0, 0.04), (0.5, 1.0), same_address=0.8),
    ),
}
"""Of each cause: the label, and how such a site is made of another one."""


def add_close(world: World, cause: str) -> None:
    """Make one site or a few that are close to one that is there."""
    if cause in ("merged", "portfolio", "kit-inside"):
        {"merged": _merged, "portfolio": _portfolio, "kit-inside": _kit_inside}[cause](world)
        return
    label, copying = CLOSE[cause]
    if cause == "kit-version":
        host = _of_cause(world, "kit")
    else:
        host = world.chosen(copying.kinds, copying.least)
    if host is None:
        return
    groups = [host.group]
    few, most, again = copying.many
    for _ in range(few + world.draw.repeats(again, most - few)):
        name = world.free_name(lambda: copying.naming(world, host))
        if name is None:
            continue
        group = world.number()
        made = copy_of(world, host, copying, name, group, cause)
        if cause == "translation":
            _translate(world, made)
        for other in groups:
            world.tie(other, group, label, cause)
        groups.append(group)


def _of_cause(world: World, cause: str) -> Host | None:
    hosts = [host for host in world.hosts if host.cause == cause and len(host.pages) > 2]
    return world.draw.pick(hosts) if hosts else None


def _translate(world: World, host: Host) -> None:
    """Give the pages titles of another language."""
    draw = world.draw
    host.tongue = TONGUES[draw.pick([code for code in TONGUES if code != host.tongue.code])]
    mark = world.number()

    def other(page: Page) -> Page:
        if page.mime != "text/html" or not page.title or page.title == host.title:
            return page
        text = title(draw, host.tongue)
        return replace(page, title=text, body=f"{page.body}~{mark}")

    host.pages = [other(page) for page in host.pages]


def _merged(world: World) -> None:
    """A site that lives on in a folder of a bigger one."""
    draw = world.draw
    big, small = world.chosen(least=15), world.chosen(least=5)
    if big is None or small is None or big.group == small.group:
        return
    folder = draw.pick(small.tongue.words)
    count = max(int(len(small.pages) * draw.within((0.3, 1.0))), 2)
    pages = [replace(p, path=f"/{folder}{p.path}") for p in draw.some(small.pages, count)]
    put(world, big, pages)
    world.tie(big.group, small.group, UNCLEAR, "merged")


def _portfolio(world: World) -> None:
    """Names of one seller that all show his offer."""
    draw = world.draw
    key, group = f"sale{world.number()}", world.number()
    world.loose[group] = "portfolio"
    address = (world.addresses.single(),)
    each = draw.chance(0.3)
    for place in range(draw.heavy(9, 0.8, 60, 3)):
        body = f"{key}.{place}" if each else key
        page = Page("/", "Domain for sale", body, 5200, "text/html")
        pages = [page]
        if draw.chance(0.3):
            pages.append(replace(page, path="/offer", title="Make an offer", body=f"{key}.offer"))
        host = new_host(world, "card", "own", pages)
        if host is not None:
            del world.groups[host.group]
            host.group, host.addresses = group, address
            world.groups.setdefault(group, []).append(host)


def _kit_inside(world: World) -> None:
    """Honest sites that were broken into and hold a cheat's kit in a folder."""
    draw = world.draw
    kit = _of_cause(world, "kit")
    groups = [kit.group] if kit else []
    for _ in range(draw.between(1, 8) if kit else 0):
        host = world.chosen(("blog", "cms", "static", "card"), 3)
        if host is None or host.cause:
            continue
        folder = draw.pick(("wp-includes/css", "images/.x", "wp-content/a", "tmp", draw.hexes(6)))
        put(world, host, [replace(p, path=f"/{folder}{p.path}") for p in kit.pages])
        if draw.chance(0.7):
            host.pages = [page for page in host.pages if folder in page.path]
        for other in groups:
            world.tie(other, host.group, UNCLEAR, "kit-inside")
        groups.append(host.group)
