"""Files of decisions as rows: CSV, TSV, JSON (lines or one array) or Parquet with host_a, host_b,
label and, where there is one, note.

Invariant: every row of the file comes out, with what is wrong with it where something is.
"""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from replicadb.errors import DataError
from replicadb.given_file import (
    PIPED,
    given_text,
    is_parquet,
    name_of,
    no_file,
    parsed,
    piped_file,
    separator_of,
)

COLUMNS = ("host_a", "host_b", "label", "note", "decided_at", "source")
"""Those that are read; the first and the third have to be there."""
NEEDED = ("host_a", "label")
LONGEST = 2_000
"""Characters of a cell that are kept; of a note all are."""
SCHEMA = pa.schema(
    [("position", pa.int64()), *((name, pa.string()) for name in COLUMNS), ("problem", pa.string())]
)
Row = dict[str, Any]


def decision_rows(path: str | Path) -> pa.Table:
    """The rows of a file, or of standard input (``-``), as SCHEMA has them; text as it stands
    there, '' for none.

    Raises:
        DataError: no such file, not one of the formats, or without the columns.
    """
    if str(path) == "-":
        with tempfile.TemporaryDirectory() as folder:
            return _table(piped_file(folder), PIPED)
    if what := no_file(path):
        raise DataError(f"{path}: {what}; give a CSV with the columns host_a, host_b, label")
    return _table(path, str(path))


def _table(path: str | Path, name: str) -> pa.Table:
    """The rows of a file that is called ``name`` where it is spoken of."""
    found: list[Row] = []
    for position, row in enumerate(_rows(path, name), 1):
        cells = {name: _cell(row.get(name)) for name in COLUMNS}
        cells |= {name: text[:LONGEST] for name, text in cells.items() if name != "note"}
        found.append({"position": position, **cells, "problem": row.get("problem")})
    return pa.Table.from_pylist(found, schema=SCHEMA)


def _rows(path: str | Path, name: str) -> Iterable[Row]:
    if is_parquet(path):
        return _of_parquet(path, name)
    text = _text(path, name)
    first = text.lstrip()[:1]
    if first == "[":
        return _of_array(name, text)
    return _of_json(text) if first == "{" else _of_csv(name, text)


def _cell(value: Any) -> str:
    """As text; half a surrogate pair, which JSON can escape and no text can hold, is ``?``."""
    if isinstance(value, bool):
        return str(value).lower()
    text = "" if value is None else str(value).strip()
    return text.encode("utf-8", "replace").decode()


def _text(path: str | Path, name: str) -> str:
    try:
        return given_text(path)
    except UnicodeDecodeError as error:
        raise DataError(f"{name_of(name)}: is in no UTF-8; save it as UTF-8") from error


def _of_parquet(path: str | Path, name: str) -> Iterator[Row]:
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{name}: no Parquet file that can be read: {error}") from error
    table = table.rename_columns([column.strip().lower() for column in table.column_names])
    _need(name, table.column_names)
    chosen = [column for column in dict.fromkeys(table.column_names) if column in COLUMNS]
    yield from table.select(chosen).to_pylist()


def _of_json(text: str) -> Iterator[Row]:
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        yield _of_value(row, line)


def _of_array(name: str, text: str) -> Iterator[Row]:
    try:
        values = parsed(text)
    except ValueError as error:
        raise DataError(f"{name}: no JSON that can be read: {error}") from error
    for value in values:
        yield _of_value(value, json.dumps(value))


def _of_value(value: Any, text: str) -> Row:
    if isinstance(value, dict):
        return {str(name).strip().lower(): cell for name, cell in value.items()}
    return {"host_a": text, "problem": "is no JSON object"}


def _of_csv(file: str, text: str) -> Iterator[Row]:
    header = text.partition("\n")[0]
    with_ends = (f"{line}\n" for line in text.split("\n"))  # a note may have several lines
    lines = csv.reader(with_ends, delimiter=separator_of(header))
    try:
        names = [name.strip().lower() for name in next(lines, [])]
        _need(file, names)
        for cells in lines:
            if not cells:
                continue
            row: Row = dict(zip(names, cells, strict=False))
            if len(cells) != len(names):
                row["problem"] = f"has {len(cells)} cells where the header has {len(names)}"
            yield row
    except csv.Error as error:
        raise DataError(f"{file}: line {lines.line_num}: {error}") from error


def _need(file: str, names: list[str]) -> None:
    lacking = [name for name in NEEDED if name not in names]
    if lacking:
        raise DataError(
            f"{file}: no column {' and no column '.join(lacking)}; the header must name host_a,"
            " host_b and label"
        )
