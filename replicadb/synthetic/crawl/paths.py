"""Paths of pages, in the many ways that sites write them, and the other URLs of the same page.

Invariant: a path is a function of (path space, page number); the space decides its sections,
the section its style. So copies have the same paths whichever host is drawn first.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from replicadb.synthetic.crawl.draws import Hashes, mix, pick, unit, within
from replicadb.synthetic.crawl.profiles import Profile
from replicadb.synthetic.crawl.sites import ASSETS, COMMON, NUMBERED, OWN, PICTURE, TEMPLATE

USUAL = [
    "robots.txt", "hello-world", "privacy-policy", "sitemap.html", "about", "contact",
    "wp-content/style.html", "category/uncategorized", "feed", "sample-page", "login", "terms",
]  # fmt: skip
"""Paths that the first pages of every template have; only these are names a reader knows."""

PAGE_ENDINGS = [".html", ".htm", ".php", ".aspx", ".asp", ""]
FILE_TYPES = [
    ("js", "text/javascript", 30, 0),
    ("css", "text/css", 12, 0),
    ("svg", "image/svg+xml", 16, 5),
    ("png", "image/png", 14, 45),
    ("jpg", "image/jpeg", 5, 35),
    ("woff2", "font/woff2", 6, 0),
    ("woff", "font/woff", 4, 0),
    ("ttf", "font/ttf", 3, 0),
    ("json", "application/json", 4, 0),
    ("ico", "image/vnd.microsoft.icon", 2, 0),
    ("xml", "application/xml", 2, 0),
    ("gif", "image/gif", 2, 6),
    ("webp", "image/webp", 0, 6),
    ("pdf", "application/pdf", 0, 3),
]
"""Ending, media type, and how often among a theme's files and a site's own pictures, per cent."""

_THEME_TYPES = np.repeat(np.arange(len(FILE_TYPES)), [share for _, _, share, _ in FILE_TYPES])
_OWN_TYPES = np.repeat(np.arange(len(FILE_TYPES)), [share for _, _, _, share in FILE_TYPES])


def file_types(space: np.ndarray, page: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """Index into FILE_TYPES of files that are no pages; (n,) int64."""
    at = pick(mix(space, page, 116), 100)
    return np.where(kind == PICTURE, _OWN_TYPES[at], _THEME_TYPES[at])


def sections_of(space: np.ndarray) -> np.ndarray:
    """How many top-level sections a path space has, 2 to 9; (n,) int64."""
    return 2 + pick(mix(space, 101), 8)


def page_paths(
    space: np.ndarray,
    page: np.ndarray,
    kind: np.ndarray,
    added: np.ndarray,
    host: np.ndarray,
    vocabulary: pl.Series,
) -> pl.Series:
    """Paths of pages.

    Args:
        space: (n,) uint64, path space.
        page: (n,) int64, page number; 0 is the home page, 1 ... sections are the sections' own
            pages.
        kind: (n,) int8, kind of part.
        added: (n,) bool, pages whose path only this host has.
        host: (n,) int, used for those.

    Returns:
        String (n,), each with its leading slash.
    """
    n_words = len(vocabulary)
    sections = sections_of(space)
    space = np.where(added, mix(space, host), space)
    unique = mix(space, page)
    section = np.where(kind == OWN, (unit(mix(unique, 102)) ** 1.7 * sections).astype(np.int64), 0)
    is_section = (kind == OWN) & (page >= 1) & (page <= sections) & ~added
    section = np.where(is_section, page - 1, section)
    branch = mix(space, section, 103)
    style = pick(mix(branch, 104), 7)
    style = np.where(is_section, 10, np.where(page == 0, 11, style))
    style = np.where(kind == NUMBERED, 12, style)
    half = len(USUAL) // 2
    style = np.where(np.isin(kind, [COMMON, TEMPLATE]) & (page <= half), 13, style)
    is_file = np.isin(kind, ASSETS)
    style = np.where(is_file, np.where(unit(mix(space, 117)) < 0.5, 14, 15), style)

    def choose(salt: int, base: Hashes = unique) -> pl.Series:
        return vocabulary.gather(pick(mix(base, salt), n_words))

    endings, usual = pl.Series([ending for ending, *_ in FILE_TYPES]), pl.Series(USUAL)
    frame = pl.DataFrame(
        {
            "style": style,
            "s": choose(105, branch),
            "p": choose(106, branch),
            "a": choose(107),
            "b": choose(108),
            "c": choose(109),
            "q": choose(110, mix(branch, 0)),
            "n": page * 3 + pick(mix(branch, 111), 90_000),
            "k": pick(mix(unique, 112), 40),
            "y": 2003 + pick(mix(unique, 113), 11),
            "m": 1 + pick(mix(unique, 114), 12),
            "e": pl.Series(PAGE_ENDINGS).gather(pick(mix(branch, 115), 6)),
            "f": endings.gather(np.where(is_file, file_types(space, page, kind), 0)),
            "u": usual.gather((page - 1 + np.where(kind == TEMPLATE, half, 0)) % len(USUAL)),
        }
    )
    return frame.select(_path_of_style()).to_series()


def _path_of_style() -> pl.Expr:
    """The path from its style and its draws (the columns of :func:`page_paths`)."""

    def text(*items: str | pl.Expr) -> pl.Expr:
        return pl.concat_str(
            *(item if isinstance(item, pl.Expr) else pl.lit(item) for item in items)
        )

    def in_style(number: int, path: pl.Expr) -> pl.Expr:
        return pl.when(pl.col("style") == number).then(path)

    s, p, a, b, c, q, n, k, y, m, e, f, u = (
        pl.col(x).cast(pl.String) for x in "s p a b c q n k y m e f u".split()
    )
    return pl.coalesce(
        in_style(0, text("/", s, "/", a, "-", b, "-", c)),
        in_style(1, text("/", s, "/", n, e)),
        in_style(2, text("/", s, "/", y, "/", m.str.zfill(2), "/", a, "-", b, "-", c)),
        in_style(3, text("/", s, "/", p, pl.lit(".php?"), q, "=", n, "&", p, "=", k)),
        in_style(4, text("/", s, "/", a, "_", b, "_", k, e)),
        in_style(5, text("/", s, "/", a, "/", b, "/", c, ".html")),
        in_style(6, text("/", a, "-", b, "-", c)),
        in_style(10, text("/", s, "/")),
        in_style(11, pl.lit("/")),
        in_style(12, text("/?", q, "=", n)),
        in_style(13, text("/", u)),
        in_style(14, text("/", s, "/", a, "-", b, ".", f)),
        in_style(15, text("/", s, "/", p, "/", a, "-", b, ".", f)),
    )


def urls_of_a_page(profile: Profile) -> float:
    """About how many URLs :func:`vary` gives a page, itself included."""
    copies = (
        (profile.most_varied - 1) / np.log(profile.most_varied) if profile.most_varied > 1 else 1.0
    )
    return round(1 + profile.varied * profile.varied_pages * (copies + min(copies, 3.2) + 2) / 6, 6)


VARIED = ("session", "tracking", "print", "slash", "index", "order")
"""Ways in which a page comes under other URLs."""


def vary(
    path: pl.Series,
    host: np.ndarray,
    site_of: np.ndarray,
    page: np.ndarray,
    vocabulary: pl.Series,
    tag: np.uint64,
    profile: Profile,
) -> tuple[np.ndarray, pl.Series, np.ndarray]:
    """Other URLs of pages already in the crawl: sessions, tracking, print, slashes, index pages,
    parameter order.

    Each site has one kind of them, if any; a page has one, but for sessions and tracking up to
    ``most_varied``.

    Returns:
        Indices of the rows repeated, (m,) int64, their other paths, String (m,), and the way, (m,)
        int64, in VARIED.
    """
    site = mix(tag, 121, site_of[host])
    which = np.flatnonzero(
        (unit(site) < profile.varied)
        & (unit(mix(tag, 122, host, page, np.arange(len(host)))) < profile.varied_pages)
    )
    copy = np.zeros(len(which), np.int64)
    if profile.most_varied > 1:
        count = (profile.most_varied ** unit(mix(tag, 127, host[which], which))).astype(np.int64)
        which, copy = np.repeat(which, count), within(count)
    base = site[which]
    h = (
        mix(tag, 123, host[which], which)
        if profile.most_varied == 1
        else mix(tag, 123, host[which], which, copy)
    )
    name = vocabulary.gather(pick(mix(base, 124), len(vocabulary)))
    frame = pl.DataFrame(
        {
            "path": path.gather(which),
            "kind": pick(mix(base, 125), 6),
            "name": name,
            "sid": pl.Series(pick(h, 2**40)).cast(pl.String),
            "few": pl.Series(pick(h, 5)).cast(pl.String),
            "ext": pl.Series([".html", ".htm", ".php"]).gather(pick(mix(base, 126), 3)),
        }
    )
    has_query = pl.col("path").str.contains("?", literal=True)
    other = frame.select(_other_path(has_query)).to_series()
    kind = frame["kind"].to_numpy()
    good = np.flatnonzero(other.is_not_null().to_numpy() & ((copy == 0) | np.isin(kind, [0, 1])))
    in_order = frame.select(
        (pl.col("kind") > 2)
        & ~((pl.col("kind") == 3) & ~has_query)
        & ~((pl.col("kind") == 4) & pl.col("path").str.ends_with("/"))
    )
    return (
        which[good],
        other.gather(good),
        np.where(in_order.to_series().to_numpy(), VARIED.index("order"), kind)[good],
    )


def _other_path(has_query: pl.Expr) -> pl.Expr:
    """Another path of a page from its draws (the columns of :func:`vary`), null where its kind
    gives none.
    """
    mark = pl.when(has_query).then(pl.lit("&")).otherwise(pl.lit("?"))

    def with_query(value: pl.Expr) -> pl.Expr:
        return pl.concat_str("path", mark, "name", pl.lit("="), value)

    return (
        pl.when(pl.col("kind") == 0)
        .then(with_query(pl.col("sid")))
        .when(pl.col("kind") == 1)
        .then(with_query(pl.col("few")))
        .when(pl.col("kind") == 2)
        .then(with_query(pl.lit("1")))
        .when((pl.col("kind") == 3) & ~has_query)
        .then(
            pl.when(pl.col("path").str.ends_with("/"))
            .then(pl.col("path").str.strip_suffix("/") + pl.lit("//"))
            .otherwise(pl.col("path") + pl.lit("/"))
        )
        .when((pl.col("kind") == 4) & pl.col("path").str.ends_with("/"))
        .then(pl.concat_str("path", pl.lit("index"), "ext"))
        .when(pl.col("path").str.contains(r"\?.*&"))
        .then(pl.col("path").str.replace(r"\?([^&]*)&([^&]*)$", "?${2}&${1}"))
    )
