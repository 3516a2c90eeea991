"""Copies of a site: whose pages are old, lost, new, differ in bytes, or stand at other addresses;
and originals to be copied.

Invariant: a page and its copies have the same number, and the same key where their bytes are
equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from training.generators.author_d_heldout import sites
from training.generators.author_d_heldout.words import titled
from training.generators.author_d_heldout.world import HTML, Page, Site, World, distinct


@dataclass(frozen=True)
class Edits:
    """What sets a copy apart from its original."""

    prefix: str = ""
    stale: float = 0.0  # share of pages as they once were
    lost: float = 0.0
    new: float = 0.0
    dynamic: float | None = None  # how far pages differ that readily do; drawn if None
    form: str | None = None  # a name in FORMS: how its addresses are written
    name: str | None = None  # its own name
    absolute: float = 0.0  # share of pages whose bytes hold the site's address
    reworded: float = 0.0  # share of pages whose text was changed
    same_address: float | None = (
        None  # how likely it is at the address of the original; the world's usual if None
    )
    links_back: bool | None = None  # whether its links lead to the original; drawn if None
    cover: float | None = None  # share of its pages that is crawled; drawn if None


def original(world: World, least: int = 3, factor: float = 1.5, kind: str | None = None) -> Site:
    """A site to be copied: a new one or, often, one that already stands in the web and is in no
    group.
    """
    if world.random.random() < world.reuse and world.sites:
        taken = {
            host
            for hosts in (*world.unclear, *(group.hosts for group in world.groups))
            for host in hosts
        }
        for _ in range(12):
            site = world.random.choice(world.sites)
            usable = (
                site.host not in taken
                and site.kind not in ("parked", "default")
                and len(site.pages) >= max(least, 3)
            )
            if usable and kind in (None, site.kind):
                return site
    return sites.make(world, kind, least=least, factor=factor)


def copy(world: World, site: Site, host: str | None, edits: Edits) -> Site:
    """Put a copy of a site into the world."""
    r = world.random
    dynamic = r.random() ** 2 if edits.dynamic is None else edits.dynamic
    host = world.host(host)
    world.skip()
    pages = []
    for page in site.pages:
        if r.random() < edits.lost and page.path != "/":
            continue
        page = page.clone()
        _change(world, page, edits, dynamic, (site.host, host))
        if edits.form and page.mime == HTML:
            page.path = FORMS[edits.form](page)
        page.path = edits.prefix + page.path
        pages.append(page)
    _add_pages(world, pages, edits, len(site.pages))
    pages = distinct(pages) or [world.page("/", "Index")]
    links_back = r.random() < 0.2 if edits.links_back is None else edits.links_back
    twin = Site(
        host,
        edits.name or site.name,
        site.title,
        site.kind,
        pages,
        site.footer,
        site.sessions,
        target=site if links_back else None,
        ip=world.ip_near(site.ip, edits.same_address),
        scheme=site.scheme if r.random() < 0.7 else "https" if r.random() < world.https else "http",
        cover=edits.cover or r.uniform(*world.settings.cover),
    )
    world.sites.append(twin)
    return twin


def _change(world: World, page: Page, edits: Edits, dynamic: float, hosts: tuple[str, str]) -> None:
    """Give the copy of a page other bytes, if it has others."""
    r, (old, new), html = world.random, hosts, page.mime == HTML
    if r.random() < (edits.stale if html else edits.stale * 0.4):
        page.change(f"~{new}", max(60, int(page.length * r.uniform(0.85, 1.12))))
        if r.random() < 0.08 and page.title:
            page.title = world.title(2, 4)
    elif html and (r.random() < edits.absolute or r.random() < page.dynamic * dynamic):
        page.change(
            f"@{new}",
            max(
                60,
                page.length
                + r.choice((0, 0, 1, -1, 3, 12, -8))
                + (len(new) - len(old)) * r.randint(0, 9),
            ),
        )
    if html and r.random() < edits.reworded:
        page.change(f"#{new}", int(page.length * r.uniform(0.97, 1.03)))


def _add_pages(world: World, pages: list[Page], edits: Edits, size: int) -> None:
    """Pages that the original lacks, and a home page above a prefix."""
    r = world.random
    for _ in range(int(edits.new * size + r.random() * (edits.new > 0))):
        slug = world.slug(2, 4)
        place = r.randint(0, len(pages))
        pages.insert(
            place,
            world.page(
                f"{edits.prefix}/{slug}{'/' if r.random() < 0.5 else '.html'}", titled(slug)
            ),
        )
    if edits.prefix and r.random() < 0.4:
        pages.insert(0, world.page("/", world.title(1, 3)))


def _is_file(path: str) -> bool:
    return "." in path.rsplit("/", 1)[1] or "?" in path


def _without_ending(page: Page) -> str:
    return re.sub(r"\.(html|php|htm)$", "", page.path)


def _html(page: Page) -> str:
    return page.path if _is_file(page.path) or page.path == "/" else page.path.rstrip("/") + ".html"


def _slash(page: Page) -> str:
    return page.path if page.path.endswith("/") or _is_file(page.path) else f"{page.path}/"


def _index(page: Page) -> str:
    return f"{page.path}index.html" if page.path.endswith("/") else page.path


def _saved(page: Page) -> str:
    """As a program names files that saves a site to a disk."""
    path = _index(page).replace("?", "%3F").replace("&", "%26")
    return path if path.endswith(".html") else f"{path}.html"


def _query(page: Page) -> str:
    name = re.sub(r"[/?=]", "_", page.path.strip("/")).rsplit(".", 1)[0]
    return page.path if page.path == "/" else f"/index.php?page={name}"


def _number(page: Page) -> str:
    return page.path if page.path == "/" else f"/page/{1000 + page.number % 100000}"


def _php(page: Page) -> str:
    return re.sub(r"\.(html|htm|asp|aspx)$", ".php", page.path)


def _lower(page: Page) -> str:
    return page.path.lower()


def _language(page: Page) -> str:
    return f"/en{page.path}"


FORMS: dict[str, Callable[[Page], str]] = {
    "without ending": _without_ending,
    "html": _html,
    "slash": _slash,
    "index": _index,
    "saved": _saved,
    "query": _query,
    "number": _number,
    "php": _php,
    "lower": _lower,
    "language": _language,
}
"""Other ways to write the addresses of the same pages, by name."""
