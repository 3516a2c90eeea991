"""Where the links of generated pages lead: pages of the crawl, and names outside of it.

Invariant: a target is a function of a hash, so equal hashes link to equal URLs.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import polars as pl

from replicadb.synthetic.crawl import pseudo_names
from replicadb.synthetic.crawl.draws import mix, pick, unit
from replicadb.synthetic.crawl.sites import OWN
from replicadb.synthetic.crawl.web import Web

OUTSIDE = 4_000
"""Well-known names outside of the crawl; the k-th is linked about 1 / k as often as the first."""


class LinkTargets:
    """The pages and names that links lead to."""

    def __init__(self, web: Web, rng: np.random.Generator) -> None:
        self.web, self.tag, self.hosts, self.parts = web, web.tag, web.hosts, web.parts
        suffixes = pl.Series(pseudo_names.SUFFIXES).gather(
            rng.choice(len(pseudo_names.SUFFIXES), OUTSIDE, p=pseudo_names.SUFFIX_WEIGHTS)
        )
        self.outside = (
            pl.DataFrame({"b": pseudo_names.brands(rng, web.vocabulary, OUTSIDE), "s": suffixes})
            .select(pl.concat_str(pl.lit("https://"), "b", pl.lit("."), "s"))
            .to_series()
        )
        self.popular = rng.permutation(len(self.hosts.site))

    @cached_property
    def first_host(self) -> np.ndarray:
        """(s,) the host that a site's others were copied from."""
        first = np.zeros(len(self.hosts.hosts_of), np.int64)
        order = np.lexsort((self.hosts.cause, self.hosts.site))[::-1]
        first[self.hosts.site[order]] = order
        return first

    @cached_property
    def own_part(self) -> np.ndarray:
        """(s,) each site's part of own pages, -1 for none."""
        part = np.full(len(self.hosts.hosts_of), -1, np.int64)
        which = np.flatnonzero((self.parts.kind == OWN) & (self.parts.first == 0))
        part[self.parts.site[which]] = which
        return part

    def urls(self, host: np.ndarray, part: np.ndarray, page: np.ndarray) -> pl.Series:
        """URLs of pages as they are linked to; String (n,)."""
        return self.web.heads.gather(host) + self.web.paths(host, part, page)

    def homes(self, host: np.ndarray) -> pl.Series:
        """URLs of home pages; String (n,)."""
        return self.web.heads.gather(host) + pl.Series(["/"]).gather(np.zeros(len(host), np.int64))

    def targets(self, h: np.ndarray, inside: np.ndarray | float) -> pl.Series:
        """Where links lead that a page's author chose: functions of ``h`` alone. String (n,).

        Args:
            h: (n,) uint64, a hash for each link.
            inside: share of links to hosts of this crawl, the popular ones far more often.
        """
        web, n_words = self.web, len(self.web.vocabulary)
        suffixes = pl.Series(pseudo_names.SUFFIXES)
        u = unit(mix(h, 1))
        rank = np.minimum(np.exp(unit(mix(h, 2)) * np.log(OUTSIDE)).astype(np.int64), OUTSIDE - 1)

        def word(salt: int) -> pl.Series:
            return web.vocabulary.gather(pick(mix(h, salt), n_words))

        host = self.popular[(len(self.popular) * unit(mix(h, 3)) ** 3).astype(np.int64)]
        part = self.own_part[self.hosts.site[host]]
        deep = (part >= 0) & (unit(mix(h, 4)) < 0.4)
        page = np.where(deep, pick(mix(h, 5), np.where(part >= 0, self.parts.pages[part], 1)), 0)
        head = np.where(u < inside, 0, np.where(u < inside + 0.55 * (1 - inside), 1, 2))
        frame = pl.DataFrame(
            {
                "head": head,
                "path": pick(mix(h, 6), 10),
                "known": self.outside.gather(rank),
                "a": word(7),
                "b": word(8),
                "c": word(9),
                "n": pick(mix(h, 10), 5_000),
                "inner": self._inner(head == 0, host, part, page, deep),
                "s": suffixes.gather(pick(mix(h, 11), len(suffixes))),
            }
        )
        return _target_urls(frame)

    def _inner(
        self,
        is_inner: np.ndarray,
        host: np.ndarray,
        part: np.ndarray,
        page: np.ndarray,
        deep: np.ndarray,
    ) -> pl.Series:
        """URLs of pages of this crawl where ``is_inner``, anything elsewhere. String (n,)."""
        place = np.zeros(len(host), np.int64)
        rows = np.flatnonzero(is_inner)
        if not len(rows):
            return pl.Series([""]).gather(place)
        place[rows] = np.arange(len(rows))
        pages = self.urls(host[rows], np.maximum(part[rows], 0), page[rows])
        urls = pl.DataFrame({"home": self.homes(host[rows]), "page": pages, "deep": deep[rows]})
        return urls.select(pl.when("deep").then("page").otherwise("home")).to_series().gather(place)


def _target_urls(frame: pl.DataFrame) -> pl.Series:
    """The URLs of targets from their draws; String (n,).

    Args:
        frame: head (0 a page of this crawl, 1 a well-known name, 2 a name of its own), path (below
            4 the home page, below 7 a page, else a numbered one), and the words of each.
    """
    start = (
        pl.when(pl.col("head") == 1)
        .then("known")
        .otherwise(pl.concat_str(pl.lit("http://"), "a", "b", pl.lit("."), "s"))
    )
    return frame.select(
        pl.when(pl.col("head") == 0)
        .then("inner")
        .when(pl.col("path") < 4)
        .then(pl.concat_str(start, pl.lit("/")))
        .when(pl.col("path") < 7)
        .then(pl.concat_str(start, pl.lit("/"), "c"))
        .otherwise(pl.concat_str(start, pl.lit("/"), "c", pl.lit("/"), pl.col("n").cast(pl.String)))
    ).to_series()
