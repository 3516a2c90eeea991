"""Results as files: written whole or not at all, rows in a total order, the same bytes each time.

Invariant: a file appears under its name only when its last byte is written; standard output
gets data and nothing else, and a reader that closes it early is no error. Rows stream in batches;
only ``table`` holds them all.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from replicadb.errors import DataError, UsageError
from replicadb.export.file_formats import stream_to
from replicadb.export.odd_columns import own_names, readable, readable_schema
from replicadb.export.plain_values import flat, for_sqlite, for_table, shown
from replicadb.store.atomic_file import atomic_write, is_duckdb
from replicadb.under_way import aside, under_way
from replicadb.visible_text import visible

if TYPE_CHECKING:
    import polars as pl  # a tenth of a second that most commands need not spend

FITTING = "fitting"
"""A table, but row by row on a terminal that is too narrow for it; never asked for by name."""
SQLITE = b"SQLite format 3\0"
BATCH_ROWS = 65_536
Column: TypeAlias = tuple[str, bool, list[Any]]
"""Its name, whether it holds numbers, and its values."""


def write(reader: pa.RecordBatchReader, out: str, format: str, table: str = "result") -> int:
    """Write a result to a file, or to standard output for ``-``.

    Args:
        reader: the rows, in batches.
        out: path or ``-``; what ends with .gz is packed by gzip.
        format: one of file_formats.FORMATS, sqlite for files alone, or lines: the texts of the
            only column.
        table: the name of the table in a SQLite file.

    Returns:
        Number of rows written.

    Raises:
        DataError: the file cannot be written. UsageError: SQLite to standard output, or a database
            of other tables in the file's place.
    """
    if out == "-":
        if format == "sqlite":
            raise UsageError("SQLite cannot be written to standard output; give a file name")
        return _write_stdout(reader, format)
    if is_duckdb(out):
        raise UsageError(f"{out}: is a DuckDB database; name another file")
    if others := _other_tables(out, table):
        raise UsageError(
            f"{out}: is an SQLite database with tables of its own, such as {visible(others[0])};"
            " name another file"
        )
    with atomic_write(out) as part:
        if format == "sqlite":
            try:
                return _write_sqlite(_Counted(reader), part, table)
            except sqlite3.Error as error:
                raise DataError(f"{out}: cannot be written: {error}") from error
        with stream_to(part, out) as stream:
            return _write_stream(_Counted(reader), stream, format)


def _other_tables(path: str, table: str) -> list[str]:
    """The tables of an SQLite database but for that one: somebody's, or of another result.

    Raises:
        UsageError: an SQLite database that cannot be read, as where somebody is writing to it.
    """
    if not os.path.isfile(path):  # a pipe would have to be waited for
        return []
    try:
        with open(path, "rb") as file:
            if file.read(len(SQLITE)) != SQLITE:
                return []
        uri = f"{Path(path).absolute().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, timeout=1, uri=True)) as con:
            named = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            return [name for (name,) in con.execute(named) if name != table]
    except sqlite3.Error as error:
        raise UsageError(
            f"{path}: is an SQLite database that cannot be read ({error}); name another file"
        ) from error
    except OSError:  # none yet, or none that can be read
        return []


class _Counted:
    """A reader whose rows are counted as they are written."""

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        self.reader, self.schema = reader, reader.schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        with under_way("", unit="rows") as work:
            for batch in self.reader:
                yield batch
                work.reached(work.done + batch.num_rows)

    def read_all(self) -> pa.Table:
        return self.reader.read_all()


Rows: TypeAlias = "pa.RecordBatchReader | _Counted"


def _write_stdout(reader: pa.RecordBatchReader, format: str) -> int:
    """The rows to standard output; when its reader has gone, the rest is silently dropped."""
    sys.stdout.flush()
    try:
        with aside():
            rows = _write_stream(reader, sys.stdout.buffer, format)
            sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # so that the exit does not complain either
        return 0
    except OSError as error:
        if error.errno is None:  # of the rows, not of where they go
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise DataError(f"standard output: cannot be written: {error.strerror or error}") from error
    return rows


def _write_stream(reader: Rows, stream: IO[bytes], format: str) -> int:
    if format in ("table", FITTING):
        table = reader.read_all()
        width = terminal_width() if format == FITTING else sys.maxsize
        stream.write(as_fits(table, width).encode())
        return int(table.num_rows)
    if format == "parquet":
        return _write_parquet(reader, stream)
    if format == "lines":
        return _write_lines(reader, stream)
    rows = 0
    for batch in _frames(reader):
        frame = flat(batch, nested=format in ("json", "jsonl"))
        first = rows == 0
        if format in ("csv", "tsv"):
            stream.write(
                frame.write_csv(
                    include_header=first, separator="," if format == "csv" else "\t"
                ).encode()
            )
        else:
            lines = frame.write_ndjson()
            if format == "json":
                # A line ends at \n alone: U+2028 and its like may stand in a value.
                rows_of_it = ",\n".join(lines.removesuffix("\n").split("\n"))
                lines = ("[" if first else ",\n" if lines else "") + rows_of_it
            stream.write(lines.encode())
        rows += frame.height
    if format == "json":
        stream.write(b"]\n")
    return rows


def _frames(reader: Rows) -> Iterator[pl.DataFrame]:
    """The batches as Polars frames (at least one, for the header)."""
    empty = True
    for batch in reader:
        if batch.num_rows:
            empty = False
            yield as_frame(batch)
    if empty:
        yield as_frame(readable_schema(reader.schema).empty_table())


def _write_parquet(reader: Rows, stream: IO[bytes]) -> int:
    import pyarrow.parquet as pq

    rows = 0
    schema = readable_schema(reader.schema)
    with pq.ParquetWriter(stream, schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(readable(batch, by_type=True))
            rows += batch.num_rows
    return rows


def _write_lines(reader: Rows, stream: IO[bytes]) -> int:
    rows = 0
    for batch in reader:
        stream.writelines(f"{line}\n".encode() for line in batch.column(0).to_pylist())
        rows += batch.num_rows
    return rows


def _write_sqlite(reader: Rows, path: str, table: str) -> int:
    kinds = {
        pa.types.is_integer: "INTEGER",
        pa.types.is_floating: "REAL",
        pa.types.is_boolean: "INTEGER",
        pa.types.is_decimal: "NUMERIC",
    }
    columns = [
        f'"{name.replace(chr(34), chr(34) * 2)}"'
        f" {next((k for test, k in kinds.items() if test(f.type)), 'TEXT')}"
        for name, f in zip(own_names(reader.schema.names), reader.schema, strict=True)
    ]
    rows = 0
    with contextlib.closing(sqlite3.connect(path)) as con:
        con.execute(
            "PRAGMA journal_mode = OFF"
        )  # the file gets its name when it is whole; no journal is left beside a part
        con.execute(f'CREATE TABLE "{table}" ({", ".join(columns)})')
        for frame in _frames(reader):
            con.executemany(
                f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(columns))})',
                for_sqlite(frame).iter_rows(),
            )
            rows += frame.height
        con.commit()
    return rows


def as_frame(data: pa.Table | pa.RecordBatch) -> pl.DataFrame:
    """Arrow data as a Polars frame; what Polars has no type for is text."""
    import polars as pl

    frame = pl.from_arrow(readable(data))
    assert isinstance(frame, pl.DataFrame)  # of a table, never a Series
    return frame


def _aligned(columns: list[Column]) -> str:
    shown = []
    for name, numbers, values in columns:
        cells = [_cell(value) for value in values]
        width = max([len(_cell(name)), *map(len, cells)])
        pad = str.rjust if numbers else str.ljust
        shown.append([pad(_cell(name), width), "-" * width, *(pad(cell, width) for cell in cells)])
    lines = ("  ".join(row).rstrip() for row in zip(*shown, strict=True))
    return "\n".join(lines) + "\n"


def _columns(rows: pl.DataFrame | pa.Table) -> list[Column]:
    """Name, whether it holds numbers, and values of each column. Of types whose values Arrow and
    Polars turn into the same in Python, without Polars.
    """
    if isinstance(rows, pa.Table):
        rows = readable(rows)
        if all(_is_number(kind) or _is_plain(kind) for kind in rows.schema.types):
            return [
                (field.name, _is_number(field.type), column.to_pylist())
                for field, column in zip(rows.schema, rows.columns, strict=True)
            ]
        rows = as_frame(rows)
    rows = for_table(rows)
    return [
        (
            name,
            kind.is_numeric(),
            shown(rows[name].to_list()) if kind.is_nested() else rows[name].to_list(),
        )
        for name, kind in rows.schema.items()
    ]


def _is_number(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_integer(kind) or types.is_float32(kind) or types.is_float64(kind))


def _is_plain(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_date32(kind)
        or kind == pa.timestamp("us")
    )


def terminal_width() -> int:
    """The columns of the terminal that standard output is; any number where it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize


def for_reader(format: str | None = None) -> str:
    """The format of rows on standard output: the one asked for, else CSV, for a person at a
    terminal FITTING.
    """
    return format or (FITTING if sys.stdout.isatty() else "csv")


def as_fits(rows: pl.DataFrame | pa.Table, width: int) -> str:
    """Rows as text: aligned columns, numbers to the right, where that is no wider than ``width``;
    else row by row, a line a column, so that nothing is cut off. NULL is nothing, and control
    characters are made visible.
    """
    columns = _columns(rows)
    table = _aligned(columns)
    if max(map(len, table.splitlines()), default=0) <= width or not len(rows):
        return table
    names = [_cell(name) for name, _, _ in columns]
    longest = max(map(len, names))
    shown = (
        "".join(
            f"{name.ljust(longest)}  {_cell(value)}".rstrip() + "\n"
            for name, value in zip(names, row, strict=True)
        )
        for row in zip(*(values for _, _, values in columns), strict=True)
    )
    return "\n".join(shown)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):  # four places, but never 0.0000 for what is not zero
        text = (
            f"{value:.4f}"
            if value == 0 or 1e-4 <= abs(value) < 1e15 or value != value
            else f"{value:.3g}"
        )
    else:
        text = str(value)
    return visible(text)
