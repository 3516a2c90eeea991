"""Pairs of host names, from whatever table they come in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from replicadb.errors import UsageError


def two_columns(pairs: Any) -> tuple[pl.Series, pl.Series]:
    """The two columns of host names of a table or of a sequence of pairs.

    Raises:
        UsageError: it is neither.
    """
    try:
        frame = _frame(pairs)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise UsageError(
            "pairs are a table with two columns of host names, or a sequence of two names each:"
            f" {str(error).splitlines()[0]}"
        ) from error
    both = {"host_a", "host_b"} <= set(frame.columns)
    names = ["host_a", "host_b"] if both else frame.columns[:2]
    if len(names) < 2:
        raise UsageError("pairs need two columns of host names; score_pair takes one pair")
    a, b = (frame[name].cast(pl.String) for name in names)
    return a.alias("host_a"), b.alias("host_b")


def _frame(pairs: Any) -> pl.DataFrame:
    if isinstance(pairs, Sequence) and not isinstance(pairs, str):
        if any(isinstance(pair, str) or len(pair) != 2 for pair in pairs):
            raise UsageError("each pair must be two host names")
        return pl.DataFrame(
            {"host_a": [pair[0] for pair in pairs], "host_b": [pair[1] for pair in pairs]},
            schema={"host_a": pl.String, "host_b": pl.String},
        )
    return pairs if isinstance(pairs, pl.DataFrame) else pl.DataFrame(pairs)
