"""Results of any query made fit for Polars: what it has no type for, or panics at, becomes text.

Invariant: ordinary columns pass as they are. Odd ones are written as DuckDB writes them ('1 day',
'infinity').
"""

from __future__ import annotations

from typing import Any, TypeVar

import duckdb
import pyarrow as pa

DAY = 86_400
EXTENSION = b"ARROW:extension:name"
"""In the metadata of a field whose values mean more than their type: VARIANT, GEOMETRY."""
FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""Days from 1970 to the years 1 and 9999, which is as far as Python counts."""
Rows = TypeVar("Rows", pa.Table, pa.RecordBatch)
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def with_every_digit(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The same result, with columns of UHUGEINT, or with one within, as text: in Arrow, values from
    2^127 on come out below zero.
    """
    odd = ["UHUGEINT" in str(kind) for kind in relation.types]
    if not any(odd):
        return relation
    columns = (
        f'#{place}{"::VARCHAR" if is_odd else ""} AS "{name.replace(chr(34), chr(34) * 2)}"'
        for place, (name, is_odd) in enumerate(zip(relation.columns, odd, strict=True), 1)
    )
    return relation.project(", ".join(columns))


def readable(data: Rows, by_type: bool = False) -> Rows:
    """The same rows, with odd columns as text and no name twice: ``id``, ``id_1``.

    Args:
        by_type: far dates stay, so that the columns' types do not depend on the rows.
    """
    names = own_names(data.schema.names)
    odd = [
        _lacking(field) or (not by_type and _is_odd(column))
        for field, column in zip(data.schema, data.columns, strict=True)
    ]
    if names == data.schema.names and not any(odd):
        return data
    columns = [
        _as_text(column, field) if is_odd else column
        for field, column, is_odd in zip(data.schema, data.columns, odd, strict=True)
    ]
    return type(data).from_arrays(columns, names=names)


def readable_schema(schema: pa.Schema) -> pa.Schema:
    """The schema of :func:`readable` rows by type; Arrow makes no empty column of some of them."""
    return pa.schema(
        pa.field(name, pa.string() if _lacking(field) else field.type)
        for name, field in zip(own_names(schema.names), schema, strict=True)
    )


def own_names(names: list[str]) -> list[str]:
    """Each name once, as DuckDB makes them distinct in a table: ``id``, ``id_1``."""
    taken, own = set(names), []
    seen: dict[str, int] = {}
    for name in names:
        n = seen.get(name, 0)
        new = name if n == 0 else f"{name}_{n}"
        while n and new in taken:
            n += 1
            new = f"{name}_{n}"
        seen[name] = n + 1
        taken.add(new)
        own.append(new)
    return own


def _lacking(field: pa.Field) -> bool:
    """Whether Polars has no such type, or none of what stands in it."""
    kind = field.type
    return (
        EXTENSION in (field.metadata or {})
        or pa.types.is_union(kind)
        or pa.types.is_interval(kind)
        or isinstance(kind, pa.OpaqueType)
        or any(_lacking(part) for part in _parts(kind))
    )


def _parts(kind: pa.DataType) -> list[pa.Field]:
    nested = pa.types.is_nested(kind)
    return [kind.field(i) for i in range(kind.num_fields)] if nested else []


def _is_odd(column: Any) -> bool:
    """Whether a column (an Array or ChunkedArray) holds a date that Polars panics at."""
    kind = column.type
    if isinstance(column, pa.ChunkedArray):
        return any(_is_odd(chunk) for chunk in column.chunks)
    if pa.types.is_date(kind):
        return _beyond(column.cast(pa.date32()).cast(pa.int32()), FIRST_DAY, LAST_DAY)
    if pa.types.is_timestamp(kind):
        unit = PER_SECOND[kind.unit] * DAY
        return _beyond(column.cast(pa.int64()), FIRST_DAY * unit, (LAST_DAY + 1) * unit - 1)
    if pa.types.is_struct(kind):
        return any(_is_odd(part) for part in column.flatten())
    if pa.types.is_map(kind):
        return _is_odd(column.keys) or _is_odd(column.items)
    return pa.types.is_nested(kind) and _is_odd(column.flatten())


def _beyond(values: pa.Array, low: int, high: int) -> bool:
    import pyarrow.compute as pc  # 0.06 s that most commands need not spend

    found = pc.min_max(values).as_py()
    return found["min"] is not None and (found["min"] < low or found["max"] > high)


def _as_text(column: Any, field: pa.Field) -> Any:
    """A column as DuckDB writes it; of an extension it knows by the field what it is."""
    arrays = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    rows = pa.Table.from_arrays(
        [pa.chunked_array(arrays, column.type)], schema=pa.schema([field.with_name("c")])
    )
    with duckdb.connect() as con:
        con.execute("SET TimeZone = 'UTC'")
        con.register("odd_rows", rows)
        text = con.sql("SELECT c::VARCHAR AS c FROM odd_rows").to_arrow_table().column("c")
    return text if isinstance(column, pa.ChunkedArray) else text.combine_chunks()
