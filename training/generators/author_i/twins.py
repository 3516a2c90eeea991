"""Hosts by which one owner shows one site: names, servers, tests, addresses."""

from __future__ import annotations

from training.generators.author_i.model import Host
from training.generators.author_i.names import COUNTRIES, below, cut
from training.generators.author_i.world import World


def _near(world: World, of: Host, same: float = 0.8) -> str:
    """The address of the other host, mostly."""
    dice = world.rng.random()
    return of.ip if dice < same else world.network.beside(of.ip) if dice < 0.95 else ""


def _signs(world: World, host: Host, share: float) -> None:
    """Let the program write the name that it was asked by, in a share of cases."""
    if world.rng.chance(share):
        host.stamp = host.name


def www(world: World, of: Host) -> None:
    """With www. and without."""
    other = of.name.removeprefix("www.")
    other = other if other != of.name else f"www.{of.name}"
    if other not in world.names.taken:
        host = world.view(of, world.names.free(other), "www", _near(world, of, 0.95))
        _signs(world, host, 0.25)


def alias(world: World, of: Host) -> None:
    """Another domain for the same server; some owners have many."""
    for _ in range(1 + world.rng.rank(5)):
        name = world.names.other_domain(of.name)
        host = world.view(of, name, "alias", _near(world, of, 0.85))
        _signs(world, host, 0.5)


def farm(world: World, of: Host) -> None:
    """www1 to wwwN, which share the load."""
    rng = world.rng
    lead = rng.choice(("www", "web", "srv", "node", "w"))
    behind = rng.uniform(0, 0.3) if rng.chance(0.3) else 0.0
    for number in range(1, rng.count(2, 12) + 1):
        name = world.names.free(below(of.name, f"{lead}{number}"))
        host = world.view(of, name, "farm", world.network.beside(of.ip))
        host.lag += behind * rng.random()
        _signs(world, host, 0.2)


def wildcard(world: World, of: Host) -> None:
    """Any name below the domain shows the site."""
    rng = world.rng
    for _ in range(rng.count(1, 9)):
        label = rng.choice(("mail", "ftp", "webmail", "shop", "old", "blog", world.names.word()))
        host = world.view(of, world.names.free(below(of.name, label)), "wildcard", of.ip)
        _signs(world, host, 0.3)


def cdn(world: World, of: Host) -> None:
    """A host of a delivery network which passes all on."""
    rng, code = world.rng, world.names.code(13)
    name = rng.choice((f"d{code}.cdnfront.net", f"{code}.edge-cache.com", below(of.name, "cdn")))
    host = world.view(of, world.names.free(name), "cdn", rng.choice(world.network.cdn))
    host.lag += rng.choice((0.0, 0.02, 0.5))


def staging(world: World, of: Host) -> None:
    """Where the next state of the site is tried, or was, long ago."""
    rng = world.rng
    label = rng.choice(("dev", "test", "staging", "beta", "new", "preview", "demo"))
    name = world.names.free(below(of.name, label))
    host = world.view(of, name, "staging", _near(world, of, 0.5), rng.uniform(0.4, 1))
    host.lag = of.lag + (rng.spread(0.2, 20) if rng.chance(0.6) else -rng.uniform(0, 1))
    _signs(world, host, 0.6)


def address(world: World, of: Host) -> None:
    """The site at the address of its server."""
    own = ":" in of.ip or of.ip in world.names.taken
    name = world.network.numeric() if own else of.ip
    if name not in world.names.taken:
        world.names.taken.add(name)
        host = world.view(of, name, "address", name)
        host.schemes = ("http",)
        _signs(world, host, 0.4)


def redirecting(world: World, of: Host) -> None:
    """A name that only sends visitors on. It has no content of its own: unclear."""
    name = world.names.other_domain(of.name)
    host = world.view(of, name, "redirecting", _near(world, of))
    host.redirect = of.name
    host.weak = True


def files(world: World, of: Host) -> None:
    """A host for the pictures and scripts alone: unclear."""
    pages = [page for page in of.pages if page.mime not in ("text/html", "text/plain")]
    if len(pages) > 2:
        label = world.rng.choice(("static", "assets", "img", "media"))
        host = world.view(of, world.names.free(below(of.name, label)), "files", _near(world, of))
        host.pages = pages
        host.weak = True


def mobile(world: World, of: Host) -> None:
    """The site for telephones: its texts in other pages, its pictures. A reader may argue."""
    host = world.view(of, world.names.free(below(of.name, "m")), "mobile", _near(world, of))
    host.wrapped = host.name
    host.weak = True


def countries(world: World, of: Host) -> None:
    """The same texts below domains of many countries."""
    rng = world.rng
    label = cut(of.name)[0]
    local = rng.random() < 0.5
    for tld in rng.sample(COUNTRIES, rng.count(2, 16)):
        lead = "www." if of.name.startswith("www.") else ""
        name = world.names.free(f"{lead}{label}.{tld}")
        host = world.view(of, name, "countries", _near(world, of, 0.7), rng.uniform(0.7, 1))
        _signs(world, host, float(local))
        host.wrapped = name if local and rng.chance(0.3) else of.wrapped


def franchise(world: World, of: Host) -> None:
    """One site under several names, each with its own brand in the pages."""
    rng = world.rng
    written = rng.chance(0.6)
    for _ in range(rng.count(1, 10)):
        brand = world.names.brand()
        host = world.view(of, world.names.host(brand), "franchise", _near(world, of, 0.6))
        host.brand = brand
        host.stamp = host.name
        host.wrapped = brand if written else ""
        host.pages = host.pages[: max(3, round(len(host.pages) * rng.uniform(0.7, 1)))]


TWINS = {
    "www": www,
    "alias": alias,
    "farm": farm,
    "wildcard": wildcard,
    "cdn": cdn,
    "staging": staging,
    "address": address,
    "redirecting": redirecting,
    "files": files,
    "mobile": mobile,
    "countries": countries,
    "franchise": franchise,
}
