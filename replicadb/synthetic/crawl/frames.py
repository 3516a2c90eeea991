"""The crawl as a table: the rows of the fetched pages, in order of time.

Invariant: a URL stands in one row; of two rows with one URL the first stays.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from replicadb.arrays import Bools, Ints
from replicadb.synthetic.crawl.draws import hex40, mix, pick, unit
from replicadb.synthetic.crawl.lengths import lengths
from replicadb.synthetic.crawl.paths import VARIED, vary
from replicadb.synthetic.crawl.web import MEDIA_TYPES, Web

START = 1_388_534_400  # 2014-01-01, seconds
SPAN = 60 * 86_400


def to_frame(
    web: Web,
    rows: dict[str, np.ndarray],
    window: tuple[int, int],
    more: Callable[[dict[str, np.ndarray]], dict[str, pl.Series]] | None = None,
    beside: pl.DataFrame | None = None,
    planted: Callable[[pl.DataFrame], None] | None = None,
) -> pl.DataFrame:
    """Rows of :func:`visits.fetch` as a crawl table, in order of time.

    Some pages come under several URLs.

    Args:
        window: (i, n), fetched in the i-th of n equal spans of the crawl's time.
        more: further columns of the rows.
        beside: further rows, without those whose URL is a page's.
        planted: given the further URLs of pages that are in the crawl: further_url, duplicate_of,
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
    first = len(rows["host"])
    rows = {name: np.concatenate([column, column[extra]]) for name, column in rows.items()}
    wrong = np.zeros(len(extra), bool)
    if web.profile.erring:
        wrong = _erring(web, rows["host"][first:])
        other = mix(tag, 130, rows["host"][first:], np.arange(len(extra)))
        rows["content"][first:] = np.where(wrong, other, rows["content"][first:])
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
            "mime": MEDIA_TYPES.gather(web.types(part, page)),
            "length": lengths(web, rows),
            **(more(rows) if more else {}),
        }
    )
    if planted:
        planted(_further_urls(frame, extra, ways, ~wrong))
    if beside is not None:
        frame = pl.concat([frame, beside], how="diagonal")
    return frame.unique("url", keep="first", maintain_order=True).sort("timestamp", "url")


def _erring(web: Web, host: Ints) -> Bools:
    """Which further URLs show something else after all, (m,) bool; each site errs at its own
    rate.
    """
    site = web.hosts.site[host]
    rate = web.profile.erring * (0.5 + unit(mix(web.tag, 128, site)))
    return unit(mix(web.tag, 129, host, np.arange(len(host)))) < rate


def _further_urls(
    frame: pl.DataFrame, extra: np.ndarray, ways: np.ndarray, same: Bools
) -> pl.DataFrame:
    """Those of a crawl's last len(extra) rows that stay in it (the first row of a URL does) and are
    the ``same`` page as the row that they repeat, where that stays, too.
    """
    first = (
        frame.lazy()
        .select("url", row=pl.int_range(pl.len(), dtype=pl.Int64))
        .unique("url", keep="first")
        .collect()["row"]
    )
    stays = np.zeros(len(frame), bool)
    stays[first.to_numpy()] = True
    good = np.flatnonzero(stays[len(frame) - len(extra) :] & stays[extra] & same)
    return pl.DataFrame(
        {
            "further_url": frame["url"].gather(good + len(frame) - len(extra)),
            "duplicate_of": frame["url"].gather(extra[good]),
            "kind": pl.Series(VARIED).gather(ways[good]),
        }
    ).sort("further_url")
