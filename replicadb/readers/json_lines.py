"""JSON of URLs: an object a line, or an array of objects or of rows; read by DuckDB."""

from __future__ import annotations

import os

from replicadb.errors import DataError
from replicadb.readers.csv_tables import LONGEST_LINE
from replicadb.readers.staged_table import TableRows, create_staged
from replicadb.readers.table_columns import assign_roles, digest_prefix
from replicadb.store.database import Database
from replicadb.store.quoting import literal

LINES = (
    "read_csv($path, header = false, auto_detect = false, columns = {'line': 'VARCHAR'},"
    " delim = chr(1), quote = '', escape = '', strict_mode = false,"
    f" max_line_size = {LONGEST_LINE + 2})"
)
FIRST_KEYS = f"""
    SELECT DISTINCT unnest(json_keys(line)) AS name
    FROM (SELECT line FROM {LINES} LIMIT 1000)
    WHERE json_valid(line) AND json_type(line) = 'OBJECT'
    ORDER BY name"""
NUMBERED_LINES = f"""
    FROM (SELECT row_number() OVER () AS n, CASE WHEN json_valid(raw) THEN raw END AS line, raw
          FROM (SELECT line AS raw FROM {LINES}))
    WHERE regexp_matches(raw, '[^\\p{{Zs}}]')"""
ARRAY_ITEMS = """
    CREATE OR REPLACE TEMP TABLE json_rows AS
    WITH documents AS (
        SELECT row_number() OVER () AS a,
               CASE WHEN json_type(json) = 'ARRAY' THEN json::JSON[] ELSE [json] END AS items
        FROM read_json($path, format = 'unstructured', records = false,
                       columns = {{'json': 'JSON'}}, maximum_object_size = {size})
    ),
    items AS (
        SELECT a, generate_subscripts(items, 1) AS b, unnest(items) AS line FROM documents
    )
    SELECT row_number() OVER (ORDER BY a, b) AS n, line FROM items"""
ITEM_KEYS = """
    SELECT DISTINCT unnest(json_keys(line)) AS name
    FROM json_rows WHERE json_type(line) = 'OBJECT' ORDER BY name"""
WITHOUT_THE_NAMES = """
    DELETE FROM json_rows WHERE line = (SELECT line FROM json_rows WHERE n = 1)"""


def stage_json_lines(db: Database, path: str, chosen: dict[str, str | None]) -> None:
    """Make ``staged`` from an object a line; each is read as text, so that a broken one becomes a
    reject with its number.
    """
    names = db.column(FIRST_KEYS, {"path": path})
    if not names:
        raise DataError("no line of it is a JSON object; is it JSON Lines?")
    roles = assign_roles(names, chosen)
    rows = TableRows(
        _parsed_once(NUMBERED_LINES, roles),
        "n",
        _field_expressions(roles),
        digest_prefix(roles),
        problem="CASE WHEN line IS NULL THEN 'broken JSON' END",
        url_otherwise="raw",
    )
    with db.in_order():  # so that a row's number is its place in the file
        create_staged(db, rows, path)


def stage_json_array(db: Database, path: str, chosen: dict[str, str | None]) -> None:
    """Make ``staged`` from ``[{...}, {...}]``, or as CDX servers answer:
    ``[[names], [values], ...]``; several such arrays may follow each other.
    """
    size = os.path.getsize(path) + 1024
    with db.temporary(keep=("staged",)):
        db.execute(ARRAY_ITEMS.format(size=size), {"path": path})
        if db.value("SELECT json_type(line) FROM json_rows WHERE n = 1") == "ARRAY":
            first = "SELECT json_extract_string(line, '$[*]') FROM json_rows WHERE n = 1"
            names = [str(name) for name in db.value(first)]
            roles = assign_roles(names, chosen)
            columns = {role: f"(line ->> '$[{names.index(name)}]')" for role, name in roles.items()}
            source = "FROM json_rows"
            db.execute(
                "DELETE FROM json_rows WHERE line = (SELECT line FROM json_rows WHERE n = 1)"
            )
        else:
            roles = assign_roles(db.column(ITEM_KEYS), chosen)
            columns, source = _field_expressions(roles), _parsed_once("FROM json_rows", roles)
        create_staged(db, TableRows(source, "n", columns, digest_prefix(roles)))


def _parsed_once(source: str, roles: dict[str, str]) -> str:
    """With one column more, ``field``: the texts of all roles in their order, so that a line's JSON
    is parsed once and not for each.
    """
    paths = ", ".join(literal("$." + _json_name(name)) for name in roles.values())
    return f"FROM (SELECT *, json_extract_string(line, [{paths}]) AS field {source})"


def _field_expressions(roles: dict[str, str]) -> dict[str, str]:
    fields = {role: f"field[{i}]" for i, role in enumerate(roles, 1)}
    if "title" in roles:  # of a list the first, of an object nothing
        path = "$." + _json_name(roles["title"])
        whole, first = literal(path), literal(path + "[0]")
        fields["title"] = (
            f"CASE json_type(line, {whole})"
            f" WHEN 'ARRAY' THEN CASE json_type(line, {first})"
            f" WHEN 'VARCHAR' THEN line ->> {first} END"
            f" WHEN 'OBJECT' THEN NULL ELSE {fields['title']} END"
        )
    return fields


def _json_name(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
