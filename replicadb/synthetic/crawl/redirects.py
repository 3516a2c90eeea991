"""Redirects of the generated crawl: rows of their own, which are no pages.

Invariant: a redirect's URL has no page; its target is a URL as the crawl writes it. Copies
that were given up lead to the original; so do a few unrelated ones (links out, short links), and
most hosts have none or only their own.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from replicadb.synthetic.crawl.draws import Hashes, mix, pick, unit, within
from replicadb.synthetic.crawl.frames import SPAN, START
from replicadb.synthetic.crawl.hosts import CAUSES, FORKS
from replicadb.synthetic.crawl.synthetic_links import Links

_TO_ORIGINAL = {
    "www": 0.40,
    "suffix": 0.25,
    "load-balanced": 0.15,
    "moved": 0.45,
    "moved-prefix": 0.3,
} | dict.fromkeys(FORKS, 0.05)
"""Share of hosts, by cause, a few pages of which redirect to the original's."""

SHORTENERS = 5


def redirect_rows(links: Links, hosts: np.ndarray, window: tuple[int, int]) -> pl.DataFrame:
    """Redirects on, or to, some hosts: url, redirect, status (301 or 302), timestamp.

    Args:
        hosts: (n,) the hosts whose redirects are wanted.
        window: (i, n), fetched in the i-th of n equal spans of the crawl's time.
    """
    host, kind, number = _drawn(links, hosts)
    h = mix(links.tag, 401, host, kind, number)
    site = links.hosts.site[host]
    part = np.maximum(links.own_part[site], 0)
    page = pick(mix(h, 1), links.parts.pages[part])
    own, there = links.urls(host, part, page), links.urls(links.first_host[site], part, page)
    frame = pl.DataFrame(
        {
            "kind": kind,
            "own": own,
            "there": there,
            "head": links.web.heads.gather(host),
            "word": _words(links, h),
            "exit": _words(links, mix(links.tag, 402, host)),
            "chosen": links.targets(mix(h, 3), 0.5),
            "n": pick(mix(h, 4), 2**30),
            "short": links.outside.gather(
                np.arange(len(links.outside))[-SHORTENERS:][pick(mix(h, 5), SHORTENERS)]
            ),
        }
    )
    to_original = pl.when(pl.col("kind") == 0)
    frame = frame.select(
        url=to_original.then("own")
        .when(pl.col("kind") == 1)
        .then(pl.concat_str("head", pl.lit("/"), "word"))
        .when(pl.col("kind") == 2)
        .then(
            pl.concat_str(
                "head",
                pl.lit("/"),
                "exit",
                pl.lit("?"),
                "word",
                pl.lit("="),
                pl.col("n").cast(pl.String),
            )
        )
        .otherwise(pl.concat_str("short", pl.lit("/"), pl.col("n").cast(pl.String))),
        redirect=to_original.then("there")
        .when(pl.col("kind") == 2)
        .then("chosen")
        .otherwise("own"),
    )
    seconds = START + (window[0] * SPAN + pick(mix(h, 6), SPAN)) // window[1]
    return frame.with_columns(
        status=pl.Series(np.where(kind == 2, 302, 301).astype(np.int16)),
        timestamp=pl.Series(seconds * 1_000_000).cast(pl.Datetime("us")),
    ).filter(pl.col("url") != pl.col("redirect"))


def _words(links: Links, h: Hashes) -> pl.Series:
    """A word for each hash, String (n,)."""
    return links.web.vocabulary.gather(pick(mix(h, 2), len(links.web.vocabulary)))


def _drawn(links: Links, hosts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """host, kind and number of each redirect, (r,) int64: 0 to the original, 1 within the host, 2
    out of it, 3 short links to it.
    """
    tag = links.tag
    rate = np.array([_TO_ORIGINAL.get(c, 0.0) for c in CAUSES])[links.hosts.cause[hosts]]
    shares = np.stack(
        [rate, np.full(len(hosts), 0.12), np.full(len(hosts), 0.05), np.full(len(hosts), 0.03)],
        axis=1,
    )
    own = links.own_part[links.hosts.site[hosts]] >= 0
    draws = np.stack([unit(mix(tag, 403, hosts, kind)) for kind in range(4)], axis=1)
    many = np.stack(
        [1 + pick(mix(tag, 404, hosts, kind), most) for kind, most in enumerate((10, 4, 12, 2))],
        axis=1,
    )
    count = np.where(own[:, None] & (draws < shares), many, 0)
    each = count.ravel()
    host = np.repeat(np.repeat(hosts, 4), each)
    kind = np.repeat(np.tile(np.arange(4), len(hosts)), each)
    return host, kind, within(each)
