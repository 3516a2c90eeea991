"""Crawls made thin: what a crawler that stopped early, a sample of URLs, changing pages or home
pages alone would have left of a generated crawl.

Whoever writes a generator thinks of whole sites. Crawls seldom are: so a part of the crawls that
teach is shown a second time, made thin. The gold stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

HOST, PATH = r"^[a-z]+://([^/]*)", r"^[a-z]+://[^/]*"


def shallow(captures: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Each host to 2 to 30 URLs, short paths first, more or less strictly."""
    least = int(rng.integers(2, 6))
    most = int(rng.integers(least + 3, 30))
    hosts = captures.select(host=_host()).unique(maintain_order=True)
    hosts = hosts.with_columns(limit=pl.Series(rng.integers(least, most + 1, len(hosts))))
    noise = pl.Series(rng.gumbel(0, rng.uniform(0.5, 4), len(captures)))
    depth = 0.15 * _path().str.len_chars() + 2 * _path().str.count_matches("/") + noise
    return (
        captures.with_columns(host=_host(), depth=depth)
        .join(hosts, on="host", how="left", maintain_order="left")
        .filter(pl.col("depth").rank("ordinal").over("host") <= pl.col("limit"))
        .drop("host", "depth", "limit")
    )


def home(captures: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """The one to three shortest paths of each host."""
    most = int(rng.integers(1, 4))
    return captures.filter(_path().str.len_chars().rank("ordinal").over(_host()) <= most)


def sampled(captures: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """A random 5 to 50 % of the URLs."""
    return captures.filter(pl.Series(rng.random(len(captures)) < rng.uniform(0.05, 0.5)))


def noisy(captures: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """30 to 95 % of the fingerprints made unlike all others, more at some hosts than at others."""
    hosts = captures.select(host=_host()).unique(maintain_order=True)
    rates = np.clip(rng.normal(rng.uniform(0.3, 0.95), 0.2, len(hosts)), 0, 1)
    drawn = captures.select(host=_host()).join(
        hosts.with_columns(rate=pl.Series(rates)), on="host", how="left", maintain_order="left"
    )
    hit = rng.random(len(captures)) < drawn["rate"].to_numpy()
    own = pl.Series(rng.integers(0, 2**62, len(captures))).cast(pl.String)
    known = pl.col("fingerprint").is_not_null()
    return captures.with_columns(
        fingerprint=pl.when(pl.Series(hit) & known).then(own).otherwise(pl.col("fingerprint"))
    )


KINDS: dict[str, Callable[[pl.DataFrame, np.random.Generator], pl.DataFrame]] = {
    "shallow": shallow,
    "sampled": sampled,
    "noisy": noisy,
    "home": home,
}
DRAWN = ("shallow", "shallow", "sampled", "noisy", "noisy", "home")
"""What a kind is drawn from."""


def _host() -> pl.Expr:
    return pl.col("url").str.extract(HOST, 1)


def _path() -> pl.Expr:
    return pl.col("url").str.replace(PATH, "")
