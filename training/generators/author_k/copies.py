"""How a copy of a site comes to differ from it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from training.generators.author_k.dice import Dice
from training.generators.author_k.names import HEX
from training.generators.author_k.sites import HTML, Builder, Page, Site


class Change(NamedTuple):
    """What happens to a copy at most; how much is drawn for each copy."""

    edited: float = 0.0
    """Share of pages whose content differs."""
    missing: float = 0.0
    added: float = 0.0
    moved: float = 0.0
    """Chance that the paths are renamed."""
    frozen: float = 0.0
    """Chance that the copy is of an earlier day."""
    same_address: float = 0.5
    """Chance that the host has the same internet address."""
    leaking: float = 0.0
    """Chance that its links still lead to the original host."""


CHANGES: dict[str, Change] = {
    "www_bare": Change(edited=0.03, same_address=0.9),
    "secure_name": Change(edited=0.05, missing=0.15, same_address=0.8),
    "country": Change(edited=0.15, missing=0.1, same_address=0.8),
    "second_domain": Change(edited=0.05, same_address=0.85),
    "old_domain": Change(edited=0.4, missing=0.3, added=0.3, moved=0.15, frozen=0.5),
    "typo": Change(edited=0.03, missing=0.05, same_address=0.85),
    "ip": Change(edited=0.05, missing=0.2, same_address=0.0),
    "staging": Change(edited=0.5, missing=0.2, added=0.2, frozen=0.4, same_address=0.4),
    "cdn": Change(edited=0.1, missing=0.1, same_address=0.0),
    "proxy": Change(edited=0.3, missing=0.5, same_address=0.0),
    "mirror": Change(edited=0.1, missing=0.25, moved=0.4, frozen=0.4, same_address=0.0),
    "white_label": Change(edited=0.6, missing=0.2, added=0.1, same_address=0.7, leaking=0.1),
    "scrape": Change(0.6, 0.5, 0.3, moved=0.45, frozen=0.6, same_address=0.0, leaking=0.5),
    "expired": Change(0.4, 0.5, 0.4, moved=0.2, frozen=1.0, same_address=0.0, leaking=0.1),
    "kit": Change(edited=0.3, missing=0.2, added=0.15, moved=0.2, same_address=0.1),
    "farm": Change(edited=0.2, missing=0.15, added=0.15, moved=0.1, same_address=0.4),
    "onion": Change(edited=0.25, missing=0.15, added=0.05, frozen=0.2, same_address=0.0),
    "server_name": Change(edited=0.08, missing=0.05, same_address=0.95),
    "renamed_blog": Change(edited=0.15, missing=0.1, added=0.3, frozen=0.4, same_address=0.9),
    "version": Change(edited=0.7, missing=0.15, added=0.2, moved=0.1),
    "fork": Change(edited=0.75, missing=0.3, added=0.3, same_address=0.0),
    "edition": Change(edited=0.65, missing=0.3, added=0.3, same_address=0.7),
    "region": Change(edited=0.9, missing=0.4, added=0.3, same_address=0.7),
}
"""By the cause of the copy."""


def copied(builder: Builder, site: Site, change: Change) -> Site:
    """A copy of the site with the changes that such a copy has."""
    dice = builder.dice
    edited = change.edited * dice.unit()
    missing = change.missing * dice.unit()
    kept = _kept(dice, site.pages, missing)
    rename = _renamer(builder) if dice.chance(change.moved) else _same
    front = site.pages[0]
    pages, have = [], set()
    for page in kept:
        path = page.path if page is front and dice.chance(0.7) else rename(page.path)
        if path in have:
            continue
        have.add(path)
        page = page._replace(path=path, links=tuple(map(rename, page.links)))
        if page.mime == HTML and dice.chance(edited):
            length = max(100, page.length + dice.whole(-400, 900))
            page = page._replace(key=builder.key(), length=length)
        pages.append(page)
    copy = replace(site, pages=pages)
    if change.added and dice.chance(0.5):
        count = int(len(pages) * change.added * dice.unit())
        builder.extend(copy, count, dice.pick(("flat_blog", "static", "office")))
    return copy


def leaking(site: Site, host: str) -> Site:
    """The site with links that still lead to the original host."""
    root = f"https://{host}"
    pages = [
        page._replace(links=tuple(x if "://" in x else root + x for x in page.links))
        for page in site.pages
    ]
    return replace(site, pages=pages)


def relabelled(builder: Builder, site: Site, share: float) -> Site:
    """The site under another brand: pages that name it differ, and that share of the others."""
    brand = builder.names.brand().replace("-", " ").title()
    pages = []
    for page in site.pages:
        title = page.title.replace(site.name, brand) if site.name else page.title
        if page.mime == HTML and (title != page.title or builder.dice.chance(share)):
            length = page.length + 7 * (len(brand) - len(site.name))
            page = page._replace(title=title, key=builder.key(), length=max(100, length))
        pages.append(page)
    return replace(site, name=brand, pages=pages)


def placed(pages: list[Page], folder: str) -> list[Page]:
    """The pages as they are in a folder of another host."""
    return [page._replace(path=folder + page.path, links=()) for page in pages]


def _kept(dice: Dice, pages: list[Page], missing: float) -> list[Page]:
    form = dice.unit()
    if form < 0.4:
        return [page for at, page in enumerate(pages) if not at or not dice.chance(missing)]
    if form < 0.7:
        return pages[: max(1, round(len(pages) * (1 - missing)))]
    folders = {page.path.split("/")[1].split("?")[0] for page in pages}
    gone = {folder for folder in sorted(folders) if folder and dice.chance(missing)}
    return [p for at, p in enumerate(pages) if not at or p.path.split("/")[1] not in gone]


def _renamer(builder: Builder) -> Callable[[str], str]:
    dice = builder.dice
    form = dice.unit()
    if form < 0.35:
        folder = "/" + dice.pick(
            (builder.names.word(), dice.letters(HEX, 8), "site", "~web", "pub")
        )
        return lambda path: path if "://" in path else folder + path
    if form < 0.7:
        return _saved
    if form < 0.85:
        return lambda path: path if "://" in path else path.lower().replace("_", "-")
    salt = dice.letters(HEX, 6)
    return lambda path: path if "://" in path else f"/{zlib.crc32((salt + path).encode()):08x}.html"


def _same(path: str) -> str:
    return path


def _saved(path: str) -> str:
    """The path as a program that saves sites to disk writes it."""
    if "://" in path:
        return path
    if path.endswith("/"):
        return path + "index.html"
    name = re.sub(r"\.(php|aspx|htm)\b", "", path)
    name = re.sub(r"[?=&]+", "_", name)
    return name if name.endswith(".html") else name + ".html"
