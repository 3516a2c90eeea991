"""Copies of a site: what changes of pages, paths and titles, what is lost and new, and what of it a
crawl has seen.

Invariant: a copy's unchanged pages have the content of the original; files but images and
fonts change like pages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from training.generators.author_b.world import Page, Site, World
from training.generators.common import HTML


@dataclass(frozen=True)
class Edits:
    """What sets a copy apart. Shares are means; each crawl raises them to a power of its own."""

    changed: float = 0.1  # of pages whose bytes differ, volatile ones rather than others
    lost: float = 0.0
    new: float = 0.0
    prefix: str = ""
    path: Callable[[str], str] | None = (
        None  # what becomes of the paths of all pages but the home page
    )
    title: str | None = None  # the copy's own name in its titles
    dynamic: float = 0.0  # of pages whose bytes differ at every fetch
    cover: float | None = None  # of pages crawled
    order: str = "random"  # in which they are crawled: random, or breadth-first


def copy(
    world: World,
    site: Site,
    host: str,
    edits: Edits,
    group: int | None = None,
    ip: str | None = None,
) -> Site | None:
    """Put a copy of a site into the crawl, at the original's address unless another is given; None
    where the host is taken.
    """
    if host in world.sites:
        return None
    r, number = world.random, world.number()
    twin = Site(host, ip or site.ip, site.name, site.cms, site.number)
    twin.scheme = site.scheme if r.random() < 0.7 else "https"
    mean = sum(page.volatility for page in site.pages.values()) / max(1, len(site.pages))
    scale, lost = (
        world.power("changed", edits.changed) / (mean + 1e-9),
        world.power("lost", edits.lost),
    )
    for path, page in site.pages.items():
        if page.depth and r.random() < lost:
            continue
        where = edits.path(path) if edits.path and page.depth else path
        chance = max(min(1.0, page.volatility * scale), edits.dynamic if page.mime == HTML else 0.0)
        if r.random() < chance and not page.mime.startswith(("image", "font")):
            page = _changed(world, page, number)
        if edits.title and page.title:
            page = page._replace(title=page.title.replace(site.name, edits.title))
        twin.add(edits.prefix + where, page)
    for _ in range(int(world.power("new", edits.new) * len(site.pages))):
        slug = world.slug()
        twin.add(
            f"{edits.prefix}/{r.choice(['news/', '', '2020/01/'])}{slug}",
            Page(f"{number}new{slug}", f"{slug} - {site.name}", 9000),
        )
    if edits.cover is not None:
        crop(world, twin, edits.cover, edits.order)
    return world.put(twin, group)


def _changed(world: World, page: Page, number: int) -> Page:
    """The page with other bytes and mostly nearly its length."""
    r = world.random
    length = page.length and max(
        1, int(page.length * (1 + r.gauss(0, 0.01 if r.random() < 0.7 else 0.15)))
    )
    return page._replace(content=f"{page.content}|{number}", length=length)


def crop(world: World, site: Site, share: float, order: str = "random") -> None:
    """Leave what a crawl of that share has seen, at least the home page."""
    kept = max(1, round(len(site.pages) * world.power("cover", share)))

    def place(item: tuple[str, Page]) -> tuple[float, float]:
        path, page = item
        if order == "random":
            return min(page.depth, 1), world.random.random()
        return page.depth, fraction(path) + world.random.random() * 0.3

    site.pages = dict(sorted(site.pages.items(), key=place)[:kept])


def make_dynamic(world: World, site: Site, share: float) -> None:
    """Give that share of a site's pages bytes that no other fetch has."""
    number = world.number()
    for path, page in site.pages.items():
        if page.mime == HTML and world.random.random() < share:
            site.pages[path] = page._replace(content=f"{page.content}|d{number}")


def renamed(world: World, share: float) -> Callable[[str], str]:
    """Gives that share of paths a new one of the same file type."""

    def rename(path: str) -> str:
        if world.random.random() >= share:
            return path
        return f"/{world.slug(2)}" + (f".{path.rsplit('.', 1)[1]}" if "." in path[-6:] else "/")

    return rename


def with_ending(old: str, new: str) -> Callable[[str], str]:
    """Gives paths of one ending another."""
    return lambda path: path.removesuffix(old) + new if path.endswith(old) else path


def fraction(text: str) -> float:
    """A number in [0, 1) that is the same for equal texts."""
    return int(hashlib.md5(text.encode()).hexdigest()[:8], 16) / 2**32
