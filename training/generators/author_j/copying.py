"""Takes the pages of one host and makes those of its copy."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from training.generators.author_j.draw import Draw, Range
from training.generators.author_j.mixture import Weights
from training.generators.author_j.model import Host, Page, World
from training.generators.author_j.naming import Naming
from training.generators.author_j.renaming import renamer
from training.generators.author_j.sites import pages_of
from training.generators.author_j.words import site_name


@dataclass(frozen=True, slots=True)
class Copying:
    """How a copy of some cause differs from its original; ranges are drawn anew for each."""

    naming: Naming
    many: tuple[int, int, float] = (1, 1, 0.0)
    """Fewest and most copies, and the chance of one more."""
    same: Range = (0.8, 1.0)
    """The share of pages of which the content is just the same."""
    kept: Range = (1.0, 1.0)
    """The share of pages it has."""
    keep: Weights = field(default_factory=lambda: {"random": 1.0})
    """Which pages those are: random, the front ones, the older ones, or a folder."""
    names: Weights = field(default_factory=lambda: {"none": 1.0})
    """How paths are renamed."""
    retitle: float = 0.0
    """The chance that the site's name in titles is another."""
    own: Range = (0.0, 0.0)
    """Pages of its own, as a share of the copied ones."""
    lag: Range = (0.0, 0.0)
    reach: Range = (0.3, 1.0)
    same_address: float = 0.5
    redirect: float = 0.0
    """The chance that one of the two is only a redirect."""
    outward: float = 0.0
    """The chance that its links lead to the original."""
    after: float = 0.0
    """The chance that one follows the other in time."""
    kinds: tuple[str, ...] = ()
    least: int = 3
    other_engine: float = 0.0
    """The chance that each content of it changes as the engine does."""


def _kept(draw: Draw, pages: list[Page], copying: Copying) -> list[Page]:
    """The pages that the copy has."""
    share = draw.within(copying.kept)
    count = max(int(len(pages) * share + 0.5), min(2, len(pages)))
    if count >= len(pages):
        return pages
    way = draw.weighted(copying.keep)
    if way == "front":
        return pages[:count]
    if way == "older":
        return sorted(sorted(pages, key=lambda page: page.born)[:count], key=lambda p: p.order)
    if way == "folder":
        start = draw.below(len(pages) - count + 1)
        folder = draw.pick(pages).path[1:].partition("/")[0]
        inside = [page for page in pages if page.path[1:].startswith(f"{folder}/")]
        return inside if len(inside) > 2 else pages[start : start + count]
    return sorted(draw.some(pages, count), key=lambda page: page.order)


def copied(world: World, host: Host, copying: Copying, site: str) -> list[Page]:
    """The pages of a copy that is called so in titles."""
    draw = world.draw
    pages = _kept(draw, host.pages, copying)
    rename = renamer(draw, draw.weighted(copying.names), host.tongue.words)
    same = 0.0 if draw.chance(copying.other_engine) else draw.within(copying.same)
    mark = world.number()
    kept_bodies: dict[str, bool] = {}
    paths = {page.path: rename(page) for page in pages}
    made: dict[str, Page] = {}
    for page in pages:
        path = paths[page.path]
        title = page.title.replace(host.title, site) if site != host.title else page.title
        text = page.mime == "text/html"
        rate = same if text else (same + 2) / 3
        keeps = kept_bodies.setdefault(page.body, draw.chance(rate)) and title == page.title
        links = tuple(paths.get(link, link) for link in page.links)
        body = page.body if keeps else f"{page.body}~{mark}"
        made.setdefault(path, replace(page, path=path, title=title, body=body, links=links))
    return list(made.values())


def copy_of(world: World, host: Host, copying: Copying, name: str, group: int, cause: str) -> Host:
    """A new host with a copy of the host's pages; it is in the world then."""
    draw = world.draw
    site = site_name(draw, host.tongue) if draw.chance(copying.retitle) else host.title
    pages = copied(world, host, copying, site)
    count = int(len(pages) * draw.within(copying.own))
    if count:
        kind = host.kind if draw.chance(0.7) else "static"
        pages = _mingled(draw, pages, pages_of(world, host.tongue, kind, count + 1, site))
    addresses = host.addresses
    if not draw.chance(copying.same_address):
        near = draw.chance(0.15)
        addresses = world.addresses.near(addresses) if near else world.addresses.of_host()
    copy = Host(name, host.kind, host.tongue, site, pages, addresses, group, cause)
    copy.scheme = host.scheme if draw.chance(0.8) else draw.pick(("http", "https"))
    copy.lag = draw.within(copying.lag)
    copy.reach = draw.within(copying.reach)
    if draw.chance(copying.outward):
        copy.outward = f"{host.scheme}://{host.name}"
    if draw.chance(copying.after):
        change = draw.within((0.15, 0.85))
        host.alive = (0.0, min(change + draw.within((0.0, 0.3)), 1.0))
        copy.alive = (change, 1.0)
    if draw.chance(copying.redirect):
        one, other = (copy, host) if draw.chance(0.5) else (host, copy)
        if not one.redirects and not other.redirects:
            one.redirects = other.name
    return world.add(copy)


def _mingled(draw: Draw, pages: list[Page], more: list[Page]) -> list[Page]:
    """The pages with others of the same host between them."""
    taken = {page.path for page in pages}
    size = max(len(pages), 1)
    fresh = [replace(p, order=draw.unit() * size) for p in more if p.path not in taken]
    return sorted(pages + fresh, key=lambda page: page.order)
