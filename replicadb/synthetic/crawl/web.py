"""A generated web: the URL and the media type of every page there is, fetched or not.

Invariant: a URL is a function of (host, part, page), so a link to a page names it as the
crawl does, whether or not it was fetched.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import polars as pl

from replicadb.arrays import Bools, Ints
from replicadb.synthetic.crawl.draws import Hashes, mix, pick, unit
from replicadb.synthetic.crawl.hosts import Hosts
from replicadb.synthetic.crawl.paths import FILE_TYPES, file_types, page_paths
from replicadb.synthetic.crawl.profiles import Profile
from replicadb.synthetic.crawl.sites import (
    ASSETS,
    COMMON,
    LIBRARY,
    OWN,
    PARKING,
    SCRIPT,
    THEME,
    Parts,
)

_PAGE, _SCRIPT = len(FILE_TYPES), len(FILE_TYPES) + 1
MEDIA_TYPES = pl.Series([t[1] for t in FILE_TYPES] + ["text/html", "application/javascript"])
"""By the index that :meth:`Web.types` gives."""


class Web:
    """All that URLs are made of: hosts, their sites' parts, and how each host was crawled."""

    def __init__(
        self,
        profile: Profile,
        hosts: Hosts,
        parts: Parts,
        visits: dict[str, np.ndarray],
        vocabulary: pl.Series,
        seed: int,
    ) -> None:
        self.profile, self.hosts, self.parts = profile, hosts, parts
        self.visits, self.vocabulary = visits, vocabulary
        self.static, self.tag = profile.static, np.uint64(seed)

    @cached_property
    def heads(self) -> pl.Series:
        """Scheme, host name and, where it has one, prefix of each host; String (h,)."""
        tag, site = self.tag, self.hosts.site
        word = mix(tag, 83, np.arange(len(site)))
        if self.static:
            word = np.where(self.visits["named"], mix(tag, 89, site), word)
        return (
            pl.DataFrame(
                {
                    "name": self.hosts.name,
                    "prefix": self.vocabulary.gather(pick(word, len(self.vocabulary))),
                    "prefixed": self.visits["prefixed"],
                    "secure": unit(mix(tag, 84, site)) < 0.3,
                }
            )
            .select(
                pl.concat_str(
                    pl.when("secure").then(pl.lit("https://")).otherwise(pl.lit("http://")),
                    "name",
                    pl.when("prefixed")
                    .then(pl.concat_str(pl.lit("/"), "prefix"))
                    .otherwise(pl.lit("")),
                )
            )
            .to_series()
        )

    @cached_property
    def original(self) -> Ints:
        """(p,) for own pages of a translation, that part of the site that was translated; else the
        part itself.
        """
        original = np.arange(len(self.parts.site))
        if self.static:
            which = np.flatnonzero((self.parts.kind == OWN) & (self.parts.first == 0))
            _, first, inverse = np.unique(
                self.parts.paths[which], return_index=True, return_inverse=True
            )
            original[which] = which[first][inverse]
        return original

    def untranslated(self, part: Ints, own: Hashes) -> Bools:
        """(n,) pages of a translation that keep the original's title and size: on a third of
        them, up to 60 %.
        """
        contents = self.parts.contents
        share = np.where(unit(mix(contents, 96)) < 0.35, 0.6 * unit(mix(contents, 97)), 0.0)
        as_it_was: Bools = (self.original[part] != part) & (unit(mix(own, 98)) < share[part])
        return as_it_was

    def paths(self, host: Ints, part: Ints, page: Ints, added: Bools | bool = False) -> pl.Series:
        """Paths of pages behind their host's head; String (n,)."""
        kind, space = self.parts.kind[part], self.parts.paths[part]
        fixed = np.isin(kind, [COMMON, SCRIPT, PARKING, THEME, LIBRARY])
        rearranged = (
            self.visits["moved"][host]
            & ~fixed
            & (page > 0)
            & (unit(mix(self.tag, 81, host, part, pick(mix(space, page), 4))) < 0.75)
        )
        space = np.where(rearranged, mix(space, host, 82), space)
        alone = added | ((kind == PARKING) & (page > 0) & (unit(mix(space, 88)) < 0.9))
        return page_paths(space, page, kind, alone, host, self.vocabulary)

    def types(self, part: Ints, page: Ints) -> Ints:
        """Media type of each page, an index; (n,) int64. Pages are those with :meth:`is_page`."""
        kind, space = self.parts.kind[part], self.parts.paths[part]
        usual = np.where((kind == SCRIPT) & (unit(mix(space, 85)) < 0.4), _SCRIPT, _PAGE)
        return np.where(np.isin(kind, ASSETS), file_types(space, page, kind), usual)

    def is_page(self, part: Ints, page: Ints) -> Bools:
        """(n,) text/html."""
        pages: Bools = self.types(part, page) == _PAGE
        return pages
