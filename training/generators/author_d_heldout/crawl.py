"""What a crawl gets of a world: which pages, at which URLs, and what is known of each.

Invariant: a crawl has at least three pages of a site that has them, at most PAGES or
PAGES_OF_ALL_TYPES pages in all before session numbers, and whatever has equal bytes has equal
length, type, title and links.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from training.generators.author_d_heldout.world import Page, Site, World
from training.generators.common import HTML

PAGES, PAGES_OF_ALL_TYPES = 56_000, 95_000
SCHEMA = {
    "url": pl.String,
    "ip": pl.String,
    "fingerprint": pl.String,
    "length": pl.Int64,
    "mime": pl.String,
    "title": pl.String,
    "links": pl.String,
    "status": pl.Int64,
}
ALWAYS = ("url", "fingerprint", "status")


@dataclass
class Seen:
    """What was crawled of a host."""

    paths: dict[int, str]  # by the page's number
    fingerprints: set[str] = field(default_factory=set)
    of_pages: set[str] = field(default_factory=set)  # fingerprints of HTML pages


class Content(NamedTuple):
    """What goes with bytes, wherever they stand; a link is a URL, or a page's number and path."""

    length: int
    mime: str
    title: str | None
    links: list[str | tuple[int, str]] | None


def crawl(world: World) -> tuple[pl.DataFrame, dict[str, Seen]]:
    """The crawl's rows, and what was seen of every host."""
    rows: list[tuple] = []
    contents: dict[str, Content] = {}
    seen = {
        site.host: _crawl_site(world, site, places, rows, contents)
        for site, places in zip(world.sites, _places(world), strict=True)
    }
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row").unique(
        "url", keep="first", maintain_order=True
    )
    return frame.select(name for name in SCHEMA if name in ALWAYS or name in world.columns), seen


def _places(world: World) -> list[list[int]]:
    """The places of the pages that are crawled, per site; of large sites fewer, so that the crawl
    is not too large.
    """
    picked = []
    for site in world.sites:
        n = len(site.pages)
        picked.append(_in_order(world, n)[: max(min(n, 3), round(site.cover * n))])
    budget = PAGES_OF_ALL_TYPES if world.all_types else PAGES
    most = max(
        1,
        bisect_right(
            range(1, 100_001),
            budget,
            key=lambda limit: sum(min(len(places), limit) for places in picked),
        ),
    )
    return [sorted(places[:most]) for places in picked]


def _in_order(world: World, n: int) -> list[int]:
    """The places of n pages as a crawler comes to them: the home page first nearly always, the
    others more or less in order.
    """
    r = world.random

    def when(k: int) -> float:
        return (
            world.order * k / n + r.random() - (5 if k == 0 and n > 1 and r.random() < 0.93 else 0)
        )

    return sorted(range(n), key=when)


def _crawl_site(
    world: World, site: Site, places: list[int], rows: list[tuple], contents: dict[str, Content]
) -> Seen:
    """Add the rows of a site."""
    r, base, target = world.random, f"{site.scheme}://{site.host}", site.target or site
    paths = {page.number: page.path for page in target.pages}
    first = tuple(page.number for page in site.pages if page.mime == HTML)[:7]
    ip = None if r.random() < 0.06 else site.ip
    pages = [site.pages[place] for place in places]
    seen = Seen({page.number: page.path for page in pages})
    for page in pages:
        fingerprint = hashlib.sha1(page.key.encode()).hexdigest()
        seen.fingerprints.add(fingerprint)
        urls = [base + page.path]
        if page.mime == HTML:
            seen.of_pages.add(fingerprint)
            if site.sessions and r.random() < site.sessions:
                mark = "&" if "?" in page.path else "?"
                urls.append(f"{base}{page.path}{mark}sid={r.getrandbits(64):016x}")
        if fingerprint not in contents:
            contents[fingerprint] = _content(site, page, page.links or first + site.footer, paths)
        content = contents[fingerprint]
        links = (
            None
            if content.links is None
            else _urls(content.links, f"{target.scheme}://{target.host}", paths)
        )
        rows += [
            (url, ip, fingerprint, content.length, content.mime, content.title, links, 200)
            for url in urls
        ]
    return seen


def _content(
    site: Site, page: Page, links: tuple[int | str, ...], paths: dict[int, str]
) -> Content:
    """What goes with the bytes of a page; files have no title and no links."""
    if page.mime != HTML:
        return Content(page.length, page.mime, None, None)
    title = page.title and site.title.replace("{t}", page.title).replace("{n}", site.name)
    if page.title is not None and page.number * 7919 % 100 < 2:
        title = "Untitled Document"
    known = [
        link if isinstance(link, str) else (link, paths[link])
        for link in links
        if isinstance(link, str) or link in paths
    ]
    return Content(page.length, page.mime, title, known)


def _urls(links: list[str | tuple[int, str]], base: str, paths: dict[int, str]) -> str:
    """Links as a JSON array; those to pages that this site lacks go where they are on the site that
    had the bytes first.
    """
    return json.dumps(
        list(
            dict.fromkeys(
                link if isinstance(link, str) else base + paths.get(link[0], link[1])
                for link in links
            )
        )
    )
