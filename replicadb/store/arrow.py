"""Arrays and rows of Python into tables, and results out of them, by way of Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from replicadb.under_way import running_statement

if TYPE_CHECKING:
    from replicadb.store.database import Database


def reader_of(relation: Any, rows: int) -> pa.RecordBatchReader:
    """The result of a DuckDB relation as a stream, so many rows at a time. DuckDB works on it here
    and whenever a batch is asked for: read it by :func:`batches`, so that a signal stops that.
    """
    with running_statement():
        return relation.to_arrow_reader(rows)


def batches(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """What a stream of :func:`reader_of` holds."""
    while True:
        with running_statement():
            batch = next(reader, None)
        if batch is None:
            return
        yield batch


def table_of(reader: pa.RecordBatchReader) -> pa.Table:
    """All that a stream of :func:`reader_of` holds."""
    return pa.Table.from_batches(batches(reader), reader.schema)


def insert_frame(
    db: Database, table: str, rows: list[tuple[Any, ...]], names: tuple[str, ...]
) -> None:
    """Add a few rows to a table."""
    if rows:
        insert_arrow(
            db,
            table,
            {
                name: list(values)
                for name, values in zip(names, zip(*rows, strict=True), strict=True)
            },
        )


def insert_arrow(
    db: Database, table: str, columns: dict[str, Any], where: np.ndarray | None = None
) -> None:
    """Add columns of equal length to a table, by name."""
    arrow = pa.table({name: pa.array(values) for name, values in columns.items()})
    if where is not None:
        arrow = arrow.filter(pa.array(where))
    if not arrow.num_rows:
        return
    with db.registered("incoming", arrow):
        db.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming")


def put_values(
    db: Database, table: Literal["meta", "settings"], values: Mapping[str, str | None]
) -> None:
    """Set values by their names; inside a transaction. INSERT OR REPLACE is planned as a merge, at
    four times the price.
    """
    name = {"meta": "key", "settings": "name"}[table]
    given = {"names": list(values), "values": list(values.values())}
    db.execute(
        f"DELETE FROM {table} WHERE list_contains($names, {name})", {"names": given["names"]}
    )
    db.execute(f"INSERT INTO {table} SELECT unnest($names), unnest($values)", given)


def filled(column: np.ndarray) -> np.ndarray:
    """A column as DuckDB gives it to NumPy, with NaN among numbers, else None, where it has a
    mask.
    """
    if not np.ma.is_masked(column):
        return np.ma.getdata(column)
    if column.dtype.kind in "iu":
        column = column.astype(np.float64)
    if column.dtype.kind == "f":
        return np.ma.filled(column, np.nan)
    return np.ma.filled(column.astype(object), None)


class Shell:
    """Stands for an Arrow table, as long as it is there."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def plain(value: Any) -> Any:
    """A parameter as DuckDB takes it: numbers of NumPy, as cells of a frame are, as Python's; also
    inside of a sequence or mapping.
    """
    if isinstance(value, np.number | np.bool_):
        return value.item()
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    return value
