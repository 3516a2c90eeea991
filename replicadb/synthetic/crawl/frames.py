"""The crawl as a table: the URL of every page, and the other columns of its rows.

Always true here: a URL is a function of (host, part, page), so a link to a page names it as the
crawl does, whether or not it was fetched.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
import polars as pl

from replicadb.synthetic.crawl.draws import hex40, mix, pick, unit
from replicadb.synthetic.crawl.hosts import Hosts
from replicadb.synthetic.crawl.lengths import lengths
from replicadb.synthetic.crawl.paths import FILE_TYPES, VARIED, file_types, page_paths, vary
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

START = 1_388_534_400  # 2014-01-01, seconds
SPAN = 60 * 86_400

_PAGE, _SCRIPT = len(FILE_TYPES), len(FILE_TYPES) + 1
_MIMES = pl.Series([t[1] for t in FILE_TYPES] + ["text/html", "application/javascript"])


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
        self.profile, self.hosts, self.parts, self.visits, self.vocabulary = (
            profile,
            hosts,
            parts,
            visits,
            vocabulary,
        )
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
    def original(self) -> np.ndarray:
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

    def untranslated(self, part: np.ndarray, own: np.ndarray) -> np.ndarray:
        """(n,) bool, pages of a translation that keep the original's title and size: on a third of
        them, up to 60 %.
        """
        contents = self.parts.contents
        share = np.where(unit(mix(contents, 96)) < 0.35, 0.6 * unit(mix(contents, 97)), 0.0)
        return (self.original[part] != part) & (unit(mix(own, 98)) < share[part])

    def paths(
        self, host: np.ndarray, part: np.ndarray, page: np.ndarray, added: np.ndarray | bool = False
    ) -> pl.Series:
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

    def types(self, part: np.ndarray, page: np.ndarray) -> np.ndarray:
        """Media type of each page, an index; (n,) int64. Pages are those with :meth:`is_page`."""
        kind, space = self.parts.kind[part], self.parts.paths[part]
        usual = np.where((kind == SCRIPT) & (unit(mix(space, 85)) < 0.4), _SCRIPT, _PAGE)
        return np.where(np.isin(kind, ASSETS), file_types(space, page, kind), usual)

    def is_page(self, part: np.ndarray, page: np.ndarray) -> np.ndarray:
        """(n,) bool, text/html."""
        return self.types(part, page) == _PAGE


def to_frame(
    web: Web,
    rows: dict[str, np.ndarray],
    window: tuple[int, int],
    more: Callable[[dict[str, np.ndarray]], dict[str, pl.Series]] | None = None,
    beside: pl.DataFrame | None = None,
    planted: Callable[[pl.DataFrame], None] | None = None,
) -> pl.DataFrame:
    """Rows of :func:`crawl.fetch` as a crawl table, in order of time; some pages come under several
    URLs.

    Args:
        window: (i, n), fetched in the i-th of n equal spans of the crawl's time.
        more: further columns of the rows.
        beside: further rows, without those whose URL is a page's.
        planted: told the further URLs of pages that are in the crawl: further_url, duplicate_of,
            kind (of VARIED), by url.
    """
    tag, hosts = web.tag, web.hosts
    path = web.paths(rows["host"], rows["part"], rows["page"], rows["added"])
    if web.static:  # files, which have one URL each
        extra = ways = np.zeros(0, np.int64)
    else:
        extra, extra_path, ways = vary(
            path, rows["host"], hosts.site, rows["page"], web.vocabulary, tag, web.profile
        )
        path = pl.concat([path, extra_path])
    rows = {name: np.concatenate([column, column[extra]]) for name, column in rows.items()}
    host, part, page, content = (rows[x] for x in ("host", "part", "page", "content"))
    seconds = (
        START
        + (window[0] * SPAN + pick(mix(tag, 86, host, part, page, np.arange(len(host))), SPAN))
        // window[1]
    )
    frame = pl.DataFrame(
        {
            "url": web.heads.gather(host) + path,
            "ip": hosts.ip.gather(host),
            "fingerprint": pl.Series(hex40(content), dtype=pl.Binary).cast(pl.String),
            "timestamp": pl.Series(seconds * 1_000_000).cast(pl.Datetime("us")),
            "status": pl.Series(np.full(len(host), 200, np.int16)),
            "mime": _MIMES.gather(web.types(part, page)),
            "length": lengths(web, rows),
            **(more(rows) if more else {}),
        }
    )
    if planted:
        planted(_further_urls(frame, extra, ways))
    if beside is not None:
        frame = pl.concat([frame, beside], how="diagonal")
    return frame.unique("url", keep="first", maintain_order=True).sort("timestamp", "url")


def _further_urls(frame: pl.DataFrame, extra: np.ndarray, ways: np.ndarray) -> pl.DataFrame:
    """Those of a crawl's last len(extra) rows that stay in it (the first row of a URL does), where
    the row that they repeat stays, too.
    """
    first = (
        frame.lazy()
        .select("url", row=pl.int_range(pl.len(), dtype=pl.Int64))
        .unique("url", keep="first")
        .collect()["row"]
    )
    stays = np.zeros(len(frame), bool)
    stays[first.to_numpy()] = True
    good = np.flatnonzero(stays[len(frame) - len(extra) :] & stays[extra])
    return pl.DataFrame(
        {
            "further_url": frame["url"].gather(good + len(frame) - len(extra)),
            "duplicate_of": frame["url"].gather(extra[good]),
            "kind": pl.Series(VARIED).gather(ways[good]),
        }
    ).sort("further_url")
