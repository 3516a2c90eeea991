"""Values of any query as JSON, CSV, SQLite and tables have them: decimals as numbers, bytes as
hexadecimal text, lists and structs as JSON text where a format has none.

Invariant: what is a number in DuckDB is one in JSON, where whole ones keep every digit, and in
SQLite, but for UHUGEINT, which is text (odd_columns). A key of a MAP is text.
"""

from __future__ import annotations

import json
from datetime import date, time, timedelta
from decimal import Decimal
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


def for_table(frame: pl.DataFrame) -> pl.DataFrame:
    """Whole numbers, and decimals of lists and structs, with every digit."""
    import polars as pl

    frame = _with_numbers(frame, nested=False)
    whole = [n for n, k in frame.schema.items() if isinstance(k, pl.Decimal) and not k.scale]
    return frame.with_columns(pl.col(whole).cast(pl.Int128))


def shown(value: Any) -> Any:
    """A value of a list or struct as a table shows it: days and times as they are written."""
    if isinstance(value, dict):
        return {key: shown(part) for key, part in value.items()}
    if isinstance(value, list):
        return [shown(part) for part in value]
    return str(value) if isinstance(value, date | time | timedelta) else value


def for_sqlite(frame: pl.DataFrame) -> pl.DataFrame:
    """Numbers and times that Python's SQLite does not take as text: a column of numbers takes its
    own back.
    """
    import polars as pl

    frame = flat(frame, nested=False)
    odd = [n for n, kind in frame.schema.items() if kind.is_decimal() or kind == pl.UInt64]
    times = pl.col(pl.Time).map_elements(str, return_dtype=pl.String)
    return frame.with_columns(pl.col(odd).cast(pl.String), times)


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return value.hex() if isinstance(value, bytes) else json.dumps(_plain(value), default=str)


def _plain(value: Any) -> Any:
    """A value with text in place of bytes and of keys that are none, and numbers of decimals."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, Decimal):
        return float(value) if value.as_tuple().exponent else int(value)
    return value.hex() if isinstance(value, bytes) else value


def _with_numbers(frame: pl.DataFrame, nested: bool) -> pl.DataFrame:
    """Decimals of lists and structs as numbers, and those of other columns if ``nested``. A sum of
    whole numbers is a decimal (HUGEINT).
    """
    import polars as pl

    kinds = {
        name: number
        for name, kind in frame.schema.items()
        if (nested or kind.is_nested()) and kind != pl.Binary and (number := _number(kind)) != kind
    }
    anew = {name: number for name, number in kinds.items() if _is_no_cast(frame.schema[name])}
    frame = frame.cast(cast(Any, {n: kind for n, kind in kinds.items() if n not in anew}))
    return frame.with_columns(
        pl.Series(name, [_plain(value) for value in frame[name].to_list()], dtype=number)
        for name, number in anew.items()
    )


def _is_no_cast(kind: pl.DataType) -> bool:
    """Whether it has bytes or a MAP, which Polars does not cast."""
    import polars as pl

    if isinstance(kind, pl.List | pl.Array):
        return _is_no_cast(cast("pl.DataType", kind.inner))
    if isinstance(kind, pl.Struct):
        return any(_is_no_cast(cast("pl.DataType", field.dtype)) for field in kind.fields)
    return kind == pl.Binary or _is_map(kind)


def _is_map(kind: pl.DataType) -> bool:
    return type(kind).__name__ == "Map"  # which not every Polars has


def _number(kind: pl.DataType) -> pl.DataType:
    """The type with numbers in place of decimals, and text in place of bytes and other keys."""
    import polars as pl

    if isinstance(kind, pl.Decimal):
        return pl.Float64() if kind.scale else pl.Int128()
    if isinstance(kind, pl.List):
        return pl.List(_number(cast("pl.DataType", kind.inner)))
    if isinstance(kind, pl.Array):
        return pl.Array(_number(cast("pl.DataType", kind.inner)), kind.size)
    if isinstance(kind, pl.Struct):
        return pl.Struct({f.name: _number(cast("pl.DataType", f.dtype)) for f in kind.fields})
    if _is_map(kind):
        return pl.Map(pl.String(), _number(cast("pl.DataType", cast("pl.Map", kind).value)))
    return pl.String() if kind == pl.Binary else kind
