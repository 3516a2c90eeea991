"""Pseudo-words and host names.

Invariant: every word is made of random syllables of the seed, so no list of names,
parameters or directories can find what was planted (the demo's host names are common words, which
say nothing of it either). Host names are unique.
"""

from __future__ import annotations

import numpy as np
import polars as pl

ONSETS = [
    "b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br",
    "cl", "dr", "fl", "gr", "pl", "st", "tr",
]  # fmt: skip
VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "ou"]
CODAS = ["", "", "", "", "n", "r", "s", "l", "m"]
SUFFIXES = [
    "com", "com.br", "org", "net", "br", "org.br", "info", "co.uk", "de", "gov.br", "biz", "eu",
]  # fmt: skip
SUFFIX_WEIGHTS = np.array([40, 22, 9, 8, 3, 4, 3, 4, 4, 1, 1, 1]) / 100
BALANCERS = ["www1.", "www2.", "m.", "www3.", "www-a.", "www-b.", "s1.", "s2."]
SUBDOMAINS = ["blog", "shop", "forum", "news", "mail", "loja", "wiki", "docs"]


def words(rng: np.random.Generator, n: int) -> pl.Series:
    """About n distinct pseudo-words of two or three syllables, String."""

    def syllables() -> pl.Series:
        return pl.Series(
            np.char.add(
                np.char.add(rng.choice(ONSETS, n), rng.choice(VOWELS, n)), rng.choice(CODAS, n)
            )
        )

    third = pl.Series(np.where(rng.random(n) < 0.4, syllables().to_numpy().astype(str), ""))
    return (syllables() + syllables() + third).unique(maintain_order=True)


def distinct(names: pl.Series) -> pl.Series:
    """The same names, a number added to each that has come before. String (n,) -> String (n,)."""
    frame = pl.DataFrame({"name": names}).with_row_index()
    again = (pl.int_range(pl.len()).over("name")).alias("again")
    frame = frame.with_columns(again)
    return frame.select(
        pl.when(pl.col("again") > 0)
        .then(pl.concat_str("name", pl.lit("x"), pl.col("again").cast(pl.String)))
        .otherwise("name")
    ).to_series()


def brands(rng: np.random.Generator, vocabulary: pl.Series, n: int) -> pl.Series:
    """n distinct names without suffix: two words, at times with a hyphen. String (n,)."""
    first, second = (vocabulary.gather(rng.integers(0, len(vocabulary), n)) for _ in range(2))
    frame = pl.DataFrame({"a": first, "b": second, "hyphen": rng.random(n) < 0.15})
    joined = frame.select(
        pl.concat_str("a", pl.when(pl.col("hyphen")).then(pl.lit("-")).otherwise(pl.lit("")), "b")
    )
    return distinct(joined.to_series())


def host_names(
    www: np.ndarray, prefix: pl.Series, brand: pl.Series, suffix: np.ndarray
) -> pl.Series:
    """Join the parts of host names.

    Args:
        www: (n,) bool, starts with ``www.``.
        prefix: String (n,), other labels in front with their dots, or empty.
        brand: String (n,).
        suffix: (n,) int, index into SUFFIXES.

    Returns:
        String (n,), distinct.
    """
    suffixes = pl.Series(SUFFIXES).gather(suffix)
    frame = pl.DataFrame(
        {"www": www, "prefix": prefix, "brand": brand, "suffix": suffixes}
    ).with_columns(again=pl.int_range(pl.len()).over("www", "prefix", "brand", "suffix"))
    return frame.select(
        pl.concat_str(
            pl.when(pl.col("www")).then(pl.lit("www.")).otherwise(pl.lit("")),
            "prefix",
            "brand",
            pl.when(pl.col("again") > 0)
            .then(pl.concat_str(pl.lit("-"), pl.col("again").cast(pl.String)))
            .otherwise(pl.lit("")),
            pl.lit("."),
            "suffix",
        )
    ).to_series()
