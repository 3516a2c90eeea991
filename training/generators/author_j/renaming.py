"""How the paths of a copy differ from the original's."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from training.generators.author_j.draw import Draw
from training.generators.author_j.model import Page
from training.generators.author_j.words import slug

Renamer = Callable[[Page], str]


def _saved(page: Page) -> str:
    """The name of a file that a site saver writes."""
    path, _, query = page.path.partition("?")
    if query:
        stem = path.rpartition(".")[0] or path.rstrip("/") + "/index"
        return f"{stem}{hashlib.md5(query.encode()).hexdigest()[:4]}.html"
    return path + "index.html" if path.endswith("/") and path != "/" else path


def _flat(page: Page) -> str:
    """Dynamic paths written as those of files."""
    if page.path == "/" or "?" not in page.path:
        return page.path
    words = re.findall(r"[A-Za-z0-9]+", page.path.replace(".php", ""))
    return "/" + "-".join(words) + ".html"


def _by_title(page: Page) -> str:
    """A path made of the title, as a new engine makes it."""
    if page.path == "/" or not page.title:
        return page.path
    return "/" + re.sub(r"[^a-z0-9]+", "-", slug(page.title)).strip("-")


def _other_ending(draw: Draw) -> Renamer:
    old = draw.pick((".html", ".htm", ".php", ".asp", ".aspx", "/"))
    new = draw.pick((".html", ".php", ".htm", "/", ""))

    def rename(page: Page) -> str:
        if len(page.path) > 1 and page.path.endswith(old):
            return page.path[: -len(old)] + new
        return page.path

    return rename


def _numbered(draw: Draw) -> Renamer:
    start, style = draw.between(1, 5000), draw.pick(("/node/{}", "/?p={}", "/a/{}.html", "/{}"))
    given: dict[str, int] = {}

    def rename(page: Page) -> str:
        if page.path == "/":
            return page.path
        return style.format(given.setdefault(page.path, start + 3 * len(given)))

    return rename


def _hashed(draw: Draw) -> Renamer:
    salt = draw.hexes(4)

    def rename(page: Page) -> str:
        if page.path == "/":
            return page.path
        return "/p/" + hashlib.md5((salt + page.path).encode()).hexdigest()[:10]

    return rename


def _prefixed(draw: Draw, words: tuple[str, ...]) -> Renamer:
    start = draw.pick((*words[:20], "site", "web", "old", "home", "en", "mirror", "~www", "v2"))
    return lambda page: f"/{start}{page.path}"


def _shorter(page: Page) -> str:
    """Without the first folder."""
    first, _, rest = page.path[1:].partition("/")
    return f"/{rest}" if rest and "?" not in first else page.path


def _with_query(draw: Draw) -> Renamer:
    extra = draw.pick(("lang=en", "view=full", "theme=2", "site=1", "from=m"))
    return lambda page: f"{page.path}{'&' if '?' in page.path else '?'}{extra}"


def renamer(draw: Draw, style: str, words: tuple[str, ...]) -> Renamer:
    """The function that gives a page's new path."""
    if style == "prefix":
        return _prefixed(draw, words)
    if style == "ending":
        return _other_ending(draw)
    if style == "number":
        return _numbered(draw)
    if style == "hash":
        return _hashed(draw)
    if style == "query":
        return _with_query(draw)
    if style == "lower":
        return lambda page: page.path.lower().replace("_", "-")
    plain = {"saved": _saved, "flat": _flat, "title": _by_title, "shorter": _shorter}
    return plain.get(style, lambda page: page.path)
