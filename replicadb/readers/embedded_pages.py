"""Columns of tables that hold whole pages (load --content): handed on in slices, in the order of
their rows.

Invariant: memory hangs on a slice, not on the table; a page larger than any that can be read
never leaves DuckDB. A slice has position (rising), content (text or bytes; NULL for none and for
one too large), bytes (NULL for none) and the digest of one too large.
"""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import numpy as np
import pyarrow as pa

from replicadb.errors import UnreadableError
from replicadb.store.arrow import batches, reader_of
from replicadb.store.connecting import first_line, interrupted
from replicadb.store.database import Database
from replicadb.web.html_links import HTML_LIMIT

SLICE_BYTES = 32 << 20  # of the column with pages, handed on together
SLICE_ROWS = 4_096
# of a Parquet file, read together: an Arrow batch holds less than 2 GiB of texts, and a page at
# most HTML_LIMIT
BATCH_ROWS = 120


def sql_of_pages(column: str, binary: bool) -> str:
    """SQL for content, bytes and digest of a column with pages; so large a page as none can be read
    never leaves DuckDB.
    """
    size = f"octet_length({column})" if binary else f"strlen({column})"
    return (
        f"CASE WHEN {size} <= {HTML_LIMIT} THEN {column} END AS content, {size} AS bytes, "
        f"CASE WHEN {size} > {HTML_LIMIT} THEN sha1({column}) END AS digest"
    )


def staged_pages(db: Database) -> Iterator[pa.Table]:
    """The column ``content`` of ``staged`` in slices; then the column goes."""
    pages = sql_of_pages("content", binary=False)
    sizes = db.arrays(
        "SELECT position, coalesce(strlen(content), 0) AS bytes FROM staged ORDER BY position"
    )
    position, ends = sizes["position"], np.cumsum(sizes["bytes"].astype(np.int64))
    starts = np.unique(
        np.concatenate(
            (
                np.flatnonzero(np.diff(ends // SLICE_BYTES)) + 1,
                np.arange(0, len(position), SLICE_ROWS),
            )
        )
    )
    for start, stop in zip(
        starts, np.append(starts[1:], len(position)), strict=False
    ):  # of no row: none
        yield db.arrow(
            f"SELECT position, {pages} FROM staged WHERE position BETWEEN $first AND $last ORDER BY"
            " position",
            {"first": int(position[start]), "last": int(position[stop - 1])},
        )
    db.execute("ALTER TABLE staged DROP COLUMN content")


def parquet_pages(db: Database, query: str, path: str) -> Iterator[pa.Table]:
    """A column of a Parquet file as it is read: its pages are never copied into a table, for they
    are most of the file.
    """
    try:
        with db.in_order(), db.cursor() as other:
            waiting: list[pa.RecordBatch] = []
            pages = other.sql(query, params={"path": path})
            for batch in batches(reader_of(pages, BATCH_ROWS)):
                waiting.append(batch)
                if (
                    len(waiting) * BATCH_ROWS >= SLICE_ROWS
                    or sum(part.nbytes for part in waiting) >= SLICE_BYTES
                ):
                    yield pa.Table.from_batches(waiting)
                    waiting = []
            if waiting:
                yield pa.Table.from_batches(waiting)
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        if interrupted(error) or isinstance(error, duckdb.OutOfMemoryException):
            raise
        if "failed to allocate" in str(error):  # through Arrow it comes as an OSError
            raise duckdb.OutOfMemoryException(first_line(error)) from error
        raise UnreadableError(f"cannot be read as parquet: {first_line(error)}") from error
