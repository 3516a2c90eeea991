"""Pairs of hosts from a table that ``replicadb score`` is given.

Invariant: every row comes out, in order; what names no two hosts stays as it is.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from replicadb.errors import DataError
from replicadb.given_file import (
    PIPED,
    is_parquet,
    no_file,
    piped_file,
    separator_of,
    table_fault,
)
from replicadb.likely_meant import did_you_mean_file

if TYPE_CHECKING:
    import polars as pl

PAIRS = "give a CSV of pairs, or both hosts of one"
HEAD_BYTES = 65_536
"""Of a table, enough for its first line."""


def _of_parquet(path: Path, name: str) -> pl.DataFrame:
    """Its columns host_a and host_b, in any case as in a CSV.

    Raises:
        DataError: it cannot be read, or has no such columns.
    """
    import polars as pl

    try:
        with open(path, "rb") as handle:
            called = {given.strip().lower(): given for given in pl.read_parquet_schema(handle)}
            wanted = [called.get(side, side) for side in ("host_a", "host_b")]
            frame = pl.read_parquet(handle, columns=wanted)
        return frame.select(
            pl.col(column).cast(pl.String).alias(side)
            for column, side in zip(wanted, ("host_a", "host_b"), strict=True)
        )
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"{name}: no Parquet file with columns host_a and host_b") from error


def read_pairs(path: str) -> pl.DataFrame:
    """The pairs of a CSV or Parquet file, or of standard input (``-``), two columns of text.

    Raises:
        DataError: it cannot be read, has one column, or a header of other columns.
    """
    if path == "-":
        with tempfile.TemporaryDirectory() as folder:
            return _pairs_in(piped_file(folder), PIPED)
    if what := no_file(path):
        raise DataError(f"{path}: {what}{did_you_mean_file(path)}; {PAIRS}")
    return _pairs_in(Path(path), path)


def _pairs_in(path: Path, name: str) -> pl.DataFrame:
    """The pairs of a file that is called ``name`` where it is spoken of."""
    import polars as pl

    if is_parquet(path):
        return _of_parquet(path, name)
    try:
        frame = pl.read_csv(
            path,
            separator=_separator(path),
            has_header=False,
            infer_schema=False,
            truncate_ragged_lines=True,
            glob=False,
        )
    except pl.exceptions.NoDataError as error:
        raise DataError(f"{name}: is empty; {PAIRS}") from error
    except (OSError, pl.exceptions.PolarsError) as error:
        why = table_fault(path, ()) or (
            f"cannot be read as CSV: {(str(error).splitlines() or ['empty'])[0]}"
        )
        raise DataError(f"{name}: {why}; {PAIRS}") from error
    return _sides(frame, name)


def _sides(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """The columns host_a and host_b of a table without header: those that its first row calls so,
    else the first two.
    """
    import polars as pl

    first = [str(cell).strip().lower() for cell in frame.row(0)]
    if {"host_a", "host_b"} <= set(first):
        return frame[1:].select(
            pl.nth(first.index("host_a")).alias("host_a"),
            pl.nth(first.index("host_b")).alias("host_b"),
        )
    if frame.width < 2:
        raise DataError(f"{name}: one column only; pairs need two, host_a and host_b")
    pairs = frame.select(pl.nth(0).alias("host_a"), pl.nth(1).alias("host_b"))
    dotted = pairs.select(pl.any_horizontal(pl.all().str.contains(".", literal=True)))
    if not dotted.item(0, 0) and dotted[1:].to_series().any():
        raise DataError(
            f"{name}: no columns host_a and host_b in its header, which has: {', '.join(first)}"
        )
    return pairs


def _separator(path: Path) -> str:
    """What stands between the cells of a table, by its first line."""
    from replicadb.readers.compression import head

    start = head(path, HEAD_BYTES)[1]
    return separator_of(start.lstrip().partition(b"\n")[0].decode("utf-8", "replace"))
