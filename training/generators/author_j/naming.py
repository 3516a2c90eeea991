"""What the copy of a host is called, by the reason for which it is there."""

from __future__ import annotations

from collections.abc import Callable

from training.generators.author_j import names
from training.generators.author_j.model import Host, World
from training.generators.author_j.words import slug

STAGES = ("staging", "dev", "test", "beta", "preview", "new", "stage", "uat", "relaunch")
OLD = ("old", "archive", "archiv", "alt", "backup", "legacy", "www-old", "classic")


def _joined(*pieces: str) -> str:
    return ".".join(piece for piece in pieces if piece)


def _parts(world: World, host: Host) -> tuple[str, str, str]:
    """Subdomains, label and ending; what a platform or campus gives is a label."""
    first, _, rest = host.name.removeprefix("www.").partition(".")
    if rest in world.platforms or rest in world.campuses:
        return "", first, rest
    return names.parts(host.name)


def www(world: World, host: Host) -> str:
    """The host with or without www."""
    name = host.name
    return name.removeprefix("www.") if name.startswith("www.") else f"www.{name}"


def suffix(world: World, host: Host) -> str:
    """The same name under another ending."""
    start = "www." if world.draw.chance(0.6) else ""
    sub, label, _ = _parts(world, host)
    return start + _joined(sub, label, world.draw.pick(names.GENERIC))


def country(world: World, host: Host) -> str:
    """The same name in another country."""
    _, label, _ = _parts(world, host)
    style = world.draw.below(4)
    land = world.draw.pick(names.COUNTRIES)
    if style == 0:
        return f"{land[-2:]}.{label}.com"
    if style == 1:
        return f"www.{label}-{land[-2:]}.com"
    return f"{'www.' if style == 2 else ''}{label}.{land}"


def alias(world: World, host: Host) -> str:
    """Another spelling of the name, or a name of what it sells."""
    draw = world.draw
    _, label, ending = _parts(world, host)
    if draw.chance(0.55):
        return f"{'www.' if draw.chance(0.5) else ''}{names.dashed(draw, label)}.{ending}"
    words = [draw.pick(host.tongue.words) for _ in range(2)]
    return f"{'www.' if draw.chance(0.5) else ''}{'-'.join(words)}.{ending}"


def moved(world: World, host: Host) -> str:
    """A new name, seldom one that reminds of the old one."""
    draw = world.draw
    sub, label, ending = _parts(world, host)
    if draw.chance(0.2):
        return f"www.{label[:4]}{draw.pick(host.tongue.words)}.{ending}"
    if draw.chance(0.15):
        return f"www.{slug(host.title, '')}.{draw.pick(names.GENERIC)}"
    if sub and draw.chance(0.5):
        return f"{sub}.{names.label(draw, host.tongue)}.{ending}"
    return names.own(draw, host.tongue)


def mirror(world: World, host: Host) -> str:
    """A machine of someone who helps."""
    draw = world.draw
    _, label, _ = _parts(world, host)
    helper = draw.pick(world.campuses)
    start = draw.pick(
        (f"{label}.mirror", "mirror", "mirrors", "ftp", f"{label}", "ftp2", "sunsite")
    )
    return f"{start}.{helper}" if draw.chance(0.75) else names.own(draw, host.tongue)


def numbered(world: World, host: Host) -> str:
    """One more machine for the same site."""
    draw = world.draw
    sub, label, ending = _parts(world, host)
    start = draw.pick(("www2", "www1", "www3", "web", "web2", "s1", "node4", "lb", "ww2", "srv01"))
    return _joined(start, sub if draw.chance(0.7) else "", label, ending)


def staging(world: World, host: Host) -> str:
    """Where the agency tries things out."""
    draw = world.draw
    sub, label, ending = _parts(world, host)
    if draw.chance(0.55):
        return _joined(draw.pick(STAGES), sub, label, ending)
    if draw.chance(0.5):
        return f"{label}.{draw.pick(STAGES)}.{draw.skewed(world.platforms)}"
    return f"{draw.letters(5)}-{draw.below(9999)}.{draw.skewed(world.platforms)}"


def mobile(world: World, host: Host) -> str:
    """The host for telephones."""
    _, label, ending = _parts(world, host)
    return f"{world.draw.pick(('m', 'mobile', 'amp', 'touch', 'wap'))}.{label}.{ending}"


def platform(world: World, host: Host) -> str:
    """The host's first home at a platform, or its own domain."""
    draw = world.draw
    _, label, ending = _parts(world, host)
    if ending in world.platforms:
        own = label if draw.chance(0.5) else names.label(draw, host.tongue)
        return f"www.{own}.{draw.skewed(host.tongue.suffixes)}"
    start = label if draw.chance(0.6) else names.label(draw, host.tongue)
    return f"{start}.{draw.skewed(world.platforms)}"


def wildcard(world: World, host: Host) -> str:
    """A name before the domain that nobody set up."""
    draw = world.draw
    _, label, ending = _parts(world, host)
    start = draw.pick((*names.PARTS, "mail", "cpanel", "webmail", "ww", "wwww", draw.letters(4)))
    return f"{start}.{label}.{ending}"


def clone(world: World, host: Host) -> str:
    """The name of a cheat."""
    draw = world.draw
    _, label, _ = _parts(world, host)
    if draw.chance(0.4):
        return names.throwaway(draw, host.tongue)
    return names.bait(draw, label, world.platforms)


def dump(world: World, host: Host) -> str:
    """Someone who keeps a saved copy."""
    draw = world.draw
    _, label, _ = _parts(world, host)
    if draw.chance(0.3):
        return f"{label}.{draw.skewed(world.platforms)}"
    return names.own(draw, host.tongue)


def backup(world: World, host: Host) -> str:
    """The old machine that still runs."""
    sub, label, ending = _parts(world, host)
    return _joined(world.draw.pick(OLD), sub, label, ending)


def bare_address(world: World, host: Host) -> str:
    """The address itself."""
    return host.addresses[0]


def edge(world: World, host: Host) -> str:
    """A name at a content network."""
    draw = world.draw
    _, label, ending = _parts(world, host)
    if draw.chance(0.4):
        return f"{draw.pick(('cdn', 'static', 'origin', 'edge'))}.{label}.{ending}"
    return f"{draw.letters(1)}{draw.hexes(12)}.{draw.pick(('cloudedge.net', 'fastnode.net'))}"


def edition(world: World, host: Host) -> str:
    """A year in the name."""
    draw = world.draw
    _, label, ending = _parts(world, host)
    year = draw.between(2003, 2023)
    return draw.pick((f"{year}.{label}.{ending}", f"www.{label}{year}.{ending}"))


def section(world: World, host: Host) -> str:
    """A part of the site under a name of its own."""
    _, label, ending = _parts(world, host)
    return f"{world.draw.pick(host.tongue.words)}.{label}.{ending}"


def unrelated(world: World, host: Host) -> str:
    """Any name."""
    return names.own(world.draw, host.tongue)


def throwaway(world: World, host: Host) -> str:
    """One of a dozen names bought at once."""
    if world.draw.chance(0.15):
        return names.tenant(world.draw, host.tongue, world.platforms)
    return names.throwaway(world.draw, host.tongue)


Naming = Callable[[World, Host], str]
