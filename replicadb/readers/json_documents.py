"""JSON of URLs in one document: an array of objects or of rows, or what Elasticsearch, Solr or a
service that crawls answers; read by DuckDB.

A document that is cut off or broken is taken apart into its items, so that what is broken costs no
more than its item.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb

from replicadb.errors import DataError
from replicadb.readers.json_lines import (
    LINES,
    field_expressions,
    parsed_once,
    places_of,
    readable,
)
from replicadb.readers.staged_table import TableRows, create_staged
from replicadb.readers.table_columns import ROLES, Columns, assign_roles
from replicadb.store.database import Database

ANSWERS = (("hits", "hits"), ("response", "docs"), ("data",), ("results",))
"""Where an answer has its items: Elasticsearch's, Solr's, and those of services that crawl."""
FIRST_ITEMS = """
    CREATE OR REPLACE TEMP TABLE first_objects AS
    SELECT line FROM json_rows WHERE json_type(line) = 'OBJECT'"""
DOCUMENTS = """
    read_json($path, format = 'unstructured', records = false, columns = {{'json': 'JSON'}},
        maximum_object_size = {size})"""
ITEMS_OF_ANSWERS = " ".join(
    f"WHEN json_type(json, '$.{place}') = 'ARRAY' THEN json_extract(json, '$.{place}')::JSON[]"
    for place in map(".".join, ANSWERS)
)
ITEMS = f"""
    CREATE OR REPLACE TEMP TABLE json_rows AS
    WITH documents AS (
        SELECT row_number() OVER () AS a,
               CASE
                   WHEN json_type(json) = 'ARRAY' THEN json::JSON[]
                   WHEN list_has_any(
                       list_transform(json_keys(json), lambda key: lower(key)), {[*ROLES["url"]]}
                   ) THEN [json]
                   {ITEMS_OF_ANSWERS}
                   ELSE [json]
               END AS items
        FROM {{documents}}
    ),
    items AS (
        SELECT a, generate_subscripts(items, 1) AS b, unnest(items) AS line FROM documents
    )
    SELECT row_number() OVER (ORDER BY a, b) AS n, line, NULL::VARCHAR AS broken FROM items"""
TAKEN_APART = f"""
    CREATE OR REPLACE TEMP TABLE json_rows AS
    SELECT row_number() OVER () AS n, item::JSON AS line, if(item IS NULL, line, NULL) AS broken
    FROM (SELECT line, {readable("line")} AS item FROM {LINES})"""
WITHOUT_THE_NAMES = """
    DELETE FROM json_rows WHERE line = (SELECT line FROM json_rows WHERE n = 1)"""
ANSWER = re.compile(
    r'\s*\{(?:.*?"hits"\s*:\s*\{[^\[]{0,2000}?"hits"\s*:\s*\['
    r'|.*?"response"\s*:\s*\{[^\[{}]{0,2000}?"docs"\s*:\s*\['
    r'|[^\[{}]{0,2000}?"(?:data|results)"\s*:\s*\[\s*\{)',
    re.S,
)
"""How an answer begins; what stands before ``data`` and ``results`` is no object and no list."""
TOKEN = re.compile(rb'"(?>[^"\\]++|\\.)*+"|[\[\]{}"]', re.S)
AROUND_ITEMS = (
    [b"["],
    *(
        [b"{", *(f'"{key}"{{'.encode() for key in outer), f'"{last}"['.encode()]
        for *outer, last in ANSWERS
    ),
)
"""What is open where an item begins, each with the text before it."""
LONGEST_BROKEN = 1 << 16  # bytes that are kept of what is behind the last whole item


def begins_document(text: str) -> bool:
    """Whether a text begins as an array does, or as an answer."""
    return text.lstrip().startswith("[") or ANSWER.match(text) is not None


def stage_json_document(
    db: Database, path: str, chosen: dict[str, str | None], scratch: str
) -> Columns:
    """Make ``staged`` from ``[{...}, {...}]``, from ``[[names], [values], ...]`` as CDX servers
    answer, or from ``{"hits": {"hits": [{...}]}}`` and the other ANSWERS; several may follow each
    other.

    Args:
        scratch: a folder for the items of a broken document.

    Raises:
        DataError: there is no whole item, or no URL column in them.
    """
    with db.temporary(keep=("staged",)):
        documents = DOCUMENTS.format(size=os.path.getsize(path) + 1024)
        if _is_sound(db, documents, path):
            db.execute(ITEMS.format(documents=documents), {"path": path})
        else:
            with db.in_order():
                db.execute(TAKEN_APART, {"path": _taken_apart(path, scratch)})
            if not db.value("SELECT count(line) FROM json_rows"):
                raise DataError("broken JSON: there is no whole item in it")
        if not db.value("SELECT count(*) FROM json_rows"):
            raise DataError("there is no item in it to load")
        if db.value("SELECT json_type(line) FROM json_rows WHERE n = 1") == "ARRAY":
            found, rows = _of_arrays(db, chosen)
        else:
            found, rows = _of_objects(db, chosen)
        create_staged(db, rows)
    return found


def _is_sound(db: Database, documents: str, path: str) -> bool:
    """Whether DuckDB can read them; asked apart, for what fails takes its transaction with it."""
    with db.cursor() as other:
        try:
            other.execute(f"SELECT count(json) FROM {documents}", {"path": path}).fetchall()
        except duckdb.InvalidInputException:
            return False
    return True


def _of_arrays(db: Database, chosen: dict[str, str | None]) -> tuple[Columns, TableRows]:
    """Rows of values; the first has the names."""
    first = "SELECT json_extract_string(line, '$[*]') FROM json_rows WHERE n = 1"
    names = [str(name) for name in db.value(first)]
    found = assign_roles(names, chosen)
    columns = {role: f"(line ->> '$[{names.index(name)}]')" for role, name in found.roles.items()}
    db.execute(WITHOUT_THE_NAMES)
    return found, _rows("FROM json_rows", columns, found)


def _of_objects(db: Database, chosen: dict[str, str | None]) -> tuple[Columns, TableRows]:
    db.execute(FIRST_ITEMS)
    places = places_of(db, chosen)
    found = assign_roles(list(places), chosen)
    columns = found.read_out(field_expressions(found.roles, places))
    return found, _rows(parsed_once("FROM json_rows", found.roles, places), columns, found)


def _rows(source: str, columns: dict[str, str], found: Columns) -> TableRows:
    problem = "CASE WHEN broken IS NOT NULL THEN 'broken JSON' END"
    return TableRows(source, "n", columns, found.digest_prefix, problem, url_otherwise="broken")


def _taken_apart(path: str, scratch: str) -> str:
    """A file of the items of a document, a line each; what is left behind the last whole item is
    the last line.
    """
    lines = Path(scratch) / "items"
    with (
        open(path, "rb") as raw,
        mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ) as text,
        open(lines, "wb") as out,
    ):
        for start, end in _items(text):
            out.write(re.sub(rb"[\r\n]+", b" ", text[start:end]) + b"\n")
    return str(lines)


def _items(text: mmap.mmap) -> Iterator[tuple[int, int]]:
    """Where the items of a document stand, and what is left behind the last."""
    opened: list[bytes] = []
    last, start = b"", None
    for token in TOKEN.finditer(text):
        mark = token[0]
        if mark in (b"{", b"["):
            if start is None and opened in AROUND_ITEMS:
                start = token.start()
            opened.append(mark if not opened else last + mark)
        elif mark in (b"}", b"]"):
            opened = opened[:-1]
            if start is not None and opened in AROUND_ITEMS:
                yield start, token.end()
                start = None
        elif mark == b'"':  # a string that never ends
            break
        last = mark
    if start is not None:
        yield start, min(len(text), start + LONGEST_BROKEN)
