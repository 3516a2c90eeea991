"""Values of any query as JSON, CSV and SQLite have them: decimals as numbers, bytes as hexadecimal
text, lists and structs as JSON text where a format has none.

Invariant: what is a number in DuckDB is one in JSON, where whole ones keep every digit, and in
SQLite, but for those in a MAP.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import polars as pl


def flat(frame: pl.DataFrame, nested: bool) -> pl.DataFrame:
    """Lists and structs as JSON text unless ``nested``; then decimals are numbers, too."""
    import polars as pl

    frame = _with_numbers(frame, nested)
    columns = [
        name
        for name, dtype in frame.schema.items()
        if dtype == pl.Binary or (dtype.is_nested() and not nested)
    ]
    return frame.with_columns(
        pl.Series(name, [_text(v) for v in frame[name].to_list()], dtype=pl.String)
        for name in columns
    )


def for_sqlite(frame: pl.DataFrame) -> pl.DataFrame:
    """Numbers that Python's SQLite does not take as text: a column of numbers takes them back."""
    import polars as pl

    frame = flat(frame, nested=False)
    odd = [n for n, kind in frame.schema.items() if kind.is_decimal() or kind == pl.UInt64]
    return frame.with_columns(pl.col(odd).cast(pl.String)) if odd else frame


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return value.hex() if isinstance(value, bytes) else json.dumps(value, default=str)


def _with_numbers(frame: pl.DataFrame, nested: bool) -> pl.DataFrame:
    """Decimals of lists and structs as numbers, and those of other columns if ``nested``. A sum of
    whole numbers is a decimal (HUGEINT).
    """
    kinds = {
        name: number
        for name, kind in frame.schema.items()
        if (nested or kind.is_nested()) and (number := _number(kind)) != kind
    }
    return frame.cast(cast(Any, kinds)) if kinds else frame


def _number(kind: pl.DataType) -> pl.DataType:
    """The type with numbers in place of decimals."""
    import polars as pl

    if isinstance(kind, pl.Decimal):
        return pl.Float64() if kind.scale else pl.Int128()
    if isinstance(kind, pl.List):
        return pl.List(_number(cast("pl.DataType", kind.inner)))
    if isinstance(kind, pl.Array):
        return pl.Array(_number(cast("pl.DataType", kind.inner)), kind.size)
    if isinstance(kind, pl.Struct):
        return pl.Struct({f.name: _number(cast("pl.DataType", f.dtype)) for f in kind.fields})
    return kind
