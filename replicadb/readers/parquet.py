"""Parquet files of URLs, Common Crawl's columnar index among them.

DuckDB reads the file, set at a time; where no page and no link is read of it, nothing is copied.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pyarrow as pa

from replicadb.readers.embedded_pages import parquet_pages, sql_of_pages
from replicadb.readers.staged_table import (
    CONTENT_BYTES,
    LINK_LIST,
    TableRows,
    create_staged,
)
from replicadb.readers.table_columns import PAGES, Columns, assign_roles
from replicadb.store.database import Database
from replicadb.store.quoting import identifier

LINK_FIELDS = ("url", "href", "link", "target", "to")
"""The fields of a struct that may hold a link's target; the macro link_cell has them for JSON."""
NOT_IN_A_VIEW = {"links", LINK_LIST, "canonical", "content"}
"""Roles of columns that are too large, or too dear to work out, to be read more than once."""

TEXTS = ("url", "ip", "timestamp", "status", "mime", "length", "redirect", "canonical", "title")
"""Roles of texts, which old writers of Parquet do not tell from bytes."""
TEXT_OF_BYTES = r"""coalesce(try(decode({0})),
    regexp_replace({0}::VARCHAR, '\\x([0-9A-F]{{2}})', '%\1', 'g'))"""
"""SQL for the text of bytes: UTF-8, else each byte that is no ASCII as %XX, as in other tables."""

Fields = dict[str, tuple[str, pa.DataType]]
"""Name of a column: its SQL and type."""


def stage_parquet(
    db: Database, path: str, chosen: dict[str, str | None]
) -> tuple[Columns, Iterator[pa.Table] | None]:
    """Make ``staged`` from a Parquet file; arguments and result are those of ``stage_table``."""
    schema = db.arrow("FROM read_parquet($path) LIMIT 0", {"path": path}).schema
    fields: Fields = dict(_leaves(schema))
    numbered = "file_row_number" not in fields  # else a column of the file has that name
    scan = "read_parquet($path, file_row_number = true)" if numbered else "read_parquet($path)"
    position = "file_row_number + 1" if numbered else "row_number() OVER ()"
    found = assign_roles(list(fields), chosen)
    columns = _expressions(found.roles, fields)
    pages = None
    if PAGES in columns:
        column, kind = fields[found.roles["content"]]
        binary = _is_binary(kind)
        content = sql_of_pages(column if binary else f"{column}::VARCHAR", binary)
        pages = parquet_pages(db, f"SELECT {position} AS position, {content} FROM {scan}", path)
        for role in (PAGES, "content", CONTENT_BYTES):
            columns.pop(role, None)
    read_again = numbered and NOT_IN_A_VIEW.isdisjoint(columns)
    if read_again:  # what a load needs of the file it reads when it needs it
        db.execute("SET VARIABLE parquet_file = $path", {"path": path})
        scan = scan.replace("$path", "getvariable('parquet_file')")
    rows = TableRows(f"FROM {scan}", position, columns, found.digest_prefix)
    with contextlib.nullcontext() if numbered else db.in_order():
        create_staged(db, rows, None if read_again else path, as_view=read_again and not pages)
    return found, pages


def _expressions(roles: dict[str, str], fields: Fields) -> dict[str, str]:
    """Role to SQL, by the type that its column has in the file."""
    columns = {}
    for role, name in roles.items():
        column, kind = fields[name]
        columns[role] = column
        if role in TEXTS and _is_binary(kind):
            columns[role] = TEXT_OF_BYTES.format(column)
        if role == "fingerprint" and _is_binary(kind):
            columns[role] = f"lower(hex({column}))"
        elif role == "links" and (listed := _link_list(column, kind)):
            columns[role], columns[LINK_LIST] = "NULL", listed
        elif role == "title" and pa.types.is_nested(kind):
            texts = _link_list(column, kind) == f"{column}::VARCHAR[]"
            columns[role] = f"{column}[1]::VARCHAR" if texts else "NULL"
        elif role == "content" and _is_binary(kind):
            columns[CONTENT_BYTES] = f"octet_length({column})"
        elif role == "content" and not _is_text(kind):
            columns[role] = f"{column}::VARCHAR"
        elif role == "timestamp":
            columns[role] = _timestamp(column, kind)
        elif role in ("status", "length") and pa.types.is_integer(kind):
            wanted = "SMALLINT" if role == "status" else "BIGINT"
            columns[role] = f"try_cast({column} AS {wanted})"
    return columns


def _is_binary(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_fixed_size_binary(kind)
    )


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _timestamp(column: str, kind: pa.DataType) -> str:
    """SQL for a time; one that has such a type in the file is spared the way through text."""
    if pa.types.is_timestamp(kind) and kind.unit == "ns" and kind.tz is None:
        ns = f"epoch_ns({column})"
        return f"make_timestamp(({ns} - ({ns} % 1000 + 1000) % 1000) // 1000)"
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return f"{column}::TIMESTAMP"
    return column


def _link_list(column: str, kind: pa.DataType) -> str | None:
    """A column of lists as SQL for a list of texts; of structs, by the field that holds
    the target.
    """
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        return None
    item = kind.value_type
    if pa.types.is_struct(item):
        fields = {field.name.lower(): field.name for field in item}
        target = next((fields[name] for name in LINK_FIELDS if name in fields), None)
        if target is not None:
            return f"list_transform({column}, lambda s: s.{identifier(target)}::VARCHAR)"
    elif pa.types.is_string(item) or pa.types.is_large_string(item):
        return f"{column}::VARCHAR[]"
    return "NULL::VARCHAR[]"


def _leaves(
    schema: pa.Schema | pa.StructType, sql: str = "", name: str = ""
) -> list[tuple[str, tuple[str, pa.DataType]]]:
    """Columns as (name, (SQL, type)); those inside of a struct are named as in ``metadata.url``."""
    found = []
    for field in schema:
        place, full = sql + identifier(field.name), name + field.name
        if pa.types.is_struct(field.type):
            found += _leaves(field.type, f"{place}.", f"{full}.")
        else:
            found.append((full, (place, field.type)))
    return found
