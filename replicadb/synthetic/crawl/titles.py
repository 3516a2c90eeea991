"""Titles of the generated pages.

Invariant: rows of equal content have equal titles, for a title stands in the page. Copies
keep a page's title also where their bytes differ; a renamed copy puts its own name in, where it
differs at all. Titles are no oracle: a template's pages, soft 404s, parked pages and demo posts
have theirs on many sites, some sites have one for all pages, and some translations leave some as
they were.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import polars as pl

from replicadb.arrays import Array, Bools, Ints
from replicadb.synthetic.crawl.draws import Hashes, mix, pick, unit
from replicadb.synthetic.crawl.hosts import CAUSES, FORKS
from replicadb.synthetic.crawl.sites import COMMON, DEMO, OWN, PARKING, SCRIPT, SOFT404, TEMPLATE
from replicadb.synthetic.crawl.web import Web

USUAL = [
    "Home", "About", "About us", "Contact", "News", "Untitled", "Untitled Document", "Archives",
    "Tags", "Categories", "Search", "Login", "Blog", "Sitemap", "Terms of use",
    "Privacy policy", "Hello world!", "Sample Page", "Page 2", "Feed",
]  # fmt: skip
MISSING = ["404 Not Found", "Page not found", "Error 404 (Not Found)", "Not Found"]
PARKED = [
    "Index of /", "Welcome", "Domain parked", "This domain is for sale", "Default page",
    "Under construction",
]  # fmt: skip
RENAMED = {
    "moved": 0.15,
    "moved-prefix": 0.15,
    "clone": 0.5,
    "farm": 0.5,
    "franchise": 0.6,
} | dict.fromkeys(FORKS, 0.08)
"""Share of copies, by cause, that put their own name where the site's was."""


class Titles:
    """The titles of a web; what is the same for all pages of a part is made once."""

    def __init__(self, web: Web) -> None:
        self.web, self.parts, self.tag = web, web.parts, web.tag
        self.capital = web.vocabulary.str.to_titlecase()

    @cached_property
    def named(self) -> Hashes:
        """(p,) whose name stands in the titles of a part: the site's; that of the site,
        network or theme that the content came from; in half of the translations the original's.
        """
        parts, tag = self.parts, self.tag
        site = parts.site.copy()
        own = np.flatnonzero((parts.kind == OWN) & (parts.first == 0))
        kept = own[(self.web.original[own] != own) & (unit(mix(tag, 601, parts.site[own])) < 0.5)]
        like = np.arange(len(self.web.hosts.hosts_of))
        like[parts.site[kept]] = parts.site[self.web.original[kept]]
        order = own[np.argsort(parts.contents[own], kind="stable")]
        rest = np.flatnonzero((parts.kind == OWN) & (parts.first > 0))
        at = np.searchsorted(parts.contents[order], parts.contents[rest])
        site[rest] = parts.site[order[np.minimum(at, len(order) - 1)]]
        _, inverse, count = np.unique(parts.contents, return_inverse=True, return_counts=True)
        borrowed = (count[inverse] > 1) & (parts.kind != OWN)
        return np.where(borrowed, mix(parts.contents, 602), mix(tag, 602, like[site]))

    def of(self, rows: dict[str, np.ndarray]) -> pl.Series:
        """Each row's title, null for what is no page, and for a few pages. String (n,)."""
        pages = np.flatnonzero(self.web.is_page(rows["part"], rows["page"]))
        title = self._of_pages({name: column[pages] for name, column in rows.items()})
        place = np.full(len(rows["host"]), len(pages), np.int64)
        place[pages] = np.arange(len(pages))
        return title.extend(pl.Series([None], dtype=pl.String)).gather(place)

    def _of_pages(self, rows: dict[str, np.ndarray]) -> pl.Series:
        web, parts, tag = self.web, self.parts, self.tag
        host, part, page = rows["host"], rows["part"], rows["page"]
        own, content, added = rows["own"], rows["content"], rows["added"]
        kind, paths, contents = parts.kind[part], parts.paths[part], parts.contents[part]
        named = self.named[part]
        bare = np.isin(kind, [COMMON, SOFT404, SCRIPT, PARKING])
        empty = content == mix(contents, 9)
        made_here = (content != own) & ~bare & ~empty & ~added
        reformatted, age = np.zeros(len(host), bool), np.zeros(len(host))
        if web.static:
            reformatted, age = web.visits["reformatted"][host], web.visits["age"][host]
        # half of the new titles only have a number in front
        new = made_here & ~reformatted & (unit(mix(content, 603)) < 0.06 + 0.5 * age)
        number = np.where(new & (unit(mix(content, 604)) < 0.5), 1 + pick(mix(content, 605), 30), 0)

        theirs = np.isin(kind, [COMMON, DEMO]) | (
            (kind == TEMPLATE) & (unit(mix(paths, page, 606)) < 0.7)
        )
        left = web.untranslated(part, own)
        what = np.where(
            theirs,
            mix(paths, page),
            np.where(left, mix(parts.contents[web.original[part]], page), own),
        )
        what = np.where(np.isin(kind, [PARKING, SOFT404]), mix(contents, 607), what)
        what = np.where(added | empty | (new & (number == 0)), content, what)
        renamed = made_here & self._renamed[host]
        name = np.where(renamed, mix(tag, 608, host), named)
        home = (kind == OWN) & (page == 0)
        style = pick(mix(named, 609), 10)  # 0 to 3 no name, 4 to 6 and 7, 8 behind, 9 in front
        style = np.where(
            reformatted & made_here & (unit(mix(tag, 610, host)) < 0.15), (style + 4) % 10, style
        )
        style = np.where(bare | home, 0, style)
        usual = unit(mix(what, 611)) < np.where(theirs & (kind != DEMO), 0.6, 0.05)
        form = np.select(
            [
                unit(mix(named, 612)) < np.where(bare, 0.0, 0.05),
                kind == SOFT404,
                kind == PARKING,
                home,
                usual,
            ],
            [0, 1, 2, 3, 4],
            5,
        )
        none = (unit(mix(what, 613)) < np.where(unit(mix(named, 614)) < 0.03, 0.6, 0.015)) & (
            form != 0
        )
        return self._text(what, named, name, style, form, number, none)

    @cached_property
    def _renamed(self) -> Bools:
        """(h,) copies with a name of their own."""
        hosts = self.web.hosts
        rate = np.array([RENAMED.get(cause, 0.0) for cause in CAUSES])[hosts.cause]
        own_name: Bools = unit(mix(self.tag, 615, np.arange(len(hosts.site)))) < rate
        return own_name

    def _text(
        self,
        what: Array,
        named: Hashes,
        name: Hashes,
        style: Ints,
        form: Ints,
        number: Ints,
        none: Bools,
    ) -> pl.Series:
        """The titles from their draws; form: 0 one for the whole site, 1 soft 404, 2 parked, 3 home
        page, 4 usual, 5 words.
        """
        n_words = len(self.capital)

        def word(h: Array, salt: int, words: pl.Series) -> pl.Series:
            return words.gather(pick(mix(h, salt), n_words))

        def of(texts: list[str], h: Hashes) -> pl.Series:
            return pl.Series(texts).gather(pick(h, len(texts)))

        words = 2 + pick(mix(what, 621), 4)
        frame = pl.DataFrame(
            {
                "w1": word(what, 622, self.capital),
                **{f"w{k}": word(what, 621 + k, self.web.vocabulary) for k in range(2, 6)},
                "words": words,
                "n1": word(name, 631, self.capital),
                "n2": word(name, 632, self.capital),
                "two": unit(mix(name, 633)) < 0.6,
                "line": word(named, 634, self.capital),
                "lined": unit(mix(named, 635)) < 0.5,
                "style": style,
                "form": form,
                "number": number,
                "none": none,
                "missing": of(MISSING, mix(what, 641)),
                "parked": of(PARKED, mix(what, 642)),
                "bought": unit(mix(what, 643)) < 0.5,
                "usual": of(USUAL, mix(what, 644)),
                "at home": unit(mix(named, 645)) < 0.2,
            }
        )
        return _texts(frame)


def _texts(frame: pl.DataFrame) -> pl.Series:
    """The titles from their words; the columns of :meth:`Titles._text`. String (n,)."""

    def text(*items: str) -> pl.Expr:
        return pl.concat_str(*(pl.col(x[1:]) if x.startswith("$") else pl.lit(x) for x in items))

    def in_form(number: int, title: pl.Expr | str) -> pl.Expr:
        return pl.when(pl.col("form") == number).then(title)

    phrase = pl.concat_str(
        "w1",
        "w2",
        *(pl.when(pl.col("words") >= k).then(f"w{k}") for k in range(3, 6)),
        separator=" ",
        ignore_nulls=True,
    )
    frame = frame.with_columns(name=pl.when("two").then(text("$n1", " ", "$n2")).otherwise("n1"))
    whole = pl.when("lined").then(text("$name", " - ", "$line")).otherwise("name")
    frame = frame.with_columns(
        title=pl.coalesce(
            in_form(0, whole),
            in_form(1, "missing"),
            in_form(2, pl.when("bought").then(text("$parked", " ", "$w1")).otherwise("parked")),
            in_form(3, pl.when("at home").then(pl.lit("Home")).otherwise(whole)),
            in_form(4, "usual"),
            phrase,
        )
    )
    own = (pl.col("form") >= 4) & (pl.col("style") >= 4)
    frame = frame.with_columns(
        title=pl.when(own & (pl.col("style") < 7))
        .then(text("$title", " - ", "$name"))
        .when(own & (pl.col("style") < 9))
        .then(text("$title", " | ", "$name"))
        .when(own)
        .then(text("$name", ": ", "$title"))
        .otherwise("title")
    )
    counted = pl.when(pl.col("number") > 0).then(
        pl.concat_str(pl.lit("("), pl.col("number").cast(pl.String), pl.lit(") "), "title")
    )
    return frame.select(
        pl.when(~pl.col("none")).then(counted.otherwise("title")).alias("title")
    ).to_series()
