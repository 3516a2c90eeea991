"""JSON Lines of URLs: an object a line; read by DuckDB."""

from __future__ import annotations

from replicadb.errors import DataError
from replicadb.readers.csv_tables import LONGEST_LINE
from replicadb.readers.staged_table import TableRows, create_staged
from replicadb.readers.table_columns import Columns, assign_roles, is_opened, plain_name
from replicadb.store.database import Database
from replicadb.store.quoting import literal

LINES = (
    "read_csv($path, header = false, auto_detect = false, columns = {'line': 'VARCHAR'},"
    " delim = chr(1), quote = '', escape = '', strict_mode = false,"
    f" max_line_size = {LONGEST_LINE + 2})"
)
PAIR = r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
"""Escapes of the two halves of a character."""
ASIDE = r"\x02([0-9a-fA-F]{4})([0-9a-fA-F]{4})"  # no JSON has the character 2 as it is
HALVES = r"((?:^|[^\\])(?:\\\\)*)(?:\\u[dD][89a-fA-F][0-9a-fA-F]{2})+"


def readable(text: str) -> str:
    """SQL for JSON that DuckDB can read, of a column of texts; NULL: none. It takes no halves of
    characters, as programs leave them that cut a text within an emoji: these become ?, as in WAT.
    """
    pairs_aside = f"regexp_replace({text}, '{PAIR}', chr(2) || '\\1\\2', 'g')"
    no_halves = f"regexp_replace({pairs_aside}, '{HALVES}', '\\1?', 'g')"
    whole = f"regexp_replace({no_halves}, '{ASIDE}', '\\\\u\\1\\\\u\\2', 'g')"
    return f"CASE WHEN json_valid({text}) THEN {text} WHEN json_valid({whole}) THEN {whole} END"


FIRST_LINES = f"""
    CREATE OR REPLACE TEMP TABLE first_objects AS
    SELECT line
    FROM (SELECT {readable("line")} AS line FROM {LINES} LIMIT 1000)
    WHERE json_type(line) = 'OBJECT'"""
KEYS = """
    SELECT name, count(*) FROM (
        SELECT unnest(json_keys(line, $path)) AS name FROM first_objects
        WHERE json_type(line, $path) = 'OBJECT')
    GROUP BY name ORDER BY name"""
DEEPEST = 4
"""Objects inside of each other in which columns are looked for."""
NUMBERED_LINES = f"""
    FROM (SELECT row_number() OVER () AS n, {readable("raw")} AS line, raw
          FROM (SELECT line AS raw FROM {LINES}))
    WHERE regexp_matches(raw, '[^\\s\\v\\p{{Zs}}]')"""
ONE_VALUE = ("url", "fingerprint", "timestamp", "status", "mime", "length")
"""Roles of which a capture has one value."""
Places = dict[str, tuple[str, ...]]
"""Name of a column, as ``metadata.url``: the keys that lead to it."""


def stage_json_lines(db: Database, path: str, chosen: dict[str, str | None]) -> Columns:
    """Make ``staged`` from an object a line; each is read as text, so that a broken one becomes a
    reject with its number.
    """
    with db.temporary():
        db.execute(FIRST_LINES, {"path": path})
        places = places_of(db, chosen)
    if not places:
        raise DataError("no line of it is a JSON object; is it JSON Lines?")
    found = assign_roles(list(places), chosen)
    rows = TableRows(
        parsed_once(NUMBERED_LINES, found.roles, places),
        "n",
        found.read_out(field_expressions(found.roles, places)),
        found.digest_prefix,
        problem=f"CASE WHEN line IS NULL THEN 'broken JSON' {_no_captures(places)} END",
        url_otherwise="raw",
    )
    with db.in_order():  # so that a row's number is its place in the file
        create_staged(db, rows, path)
    return found


def places_of(db: Database, chosen: dict[str, str | None]) -> Places:
    """The columns of ``first_objects``: fields, and those of objects that are wrappers or that the
    user names (``metadata.url``).
    """
    wanted = [name for name in chosen.values() if name]
    found: Places = {}
    level: list[tuple[str, ...]] = [()]
    for _ in range(DEEPEST):
        inside = []
        for keys in level:
            names = _commonest_first(db.rows(KEYS, {"path": _json_path(keys)}))
            for place in [(*keys, name) for name in names]:
                full = ".".join(place)
                found[full] = place
                if is_opened(place[-1]) or any(name.startswith(full + ".") for name in wanted):
                    inside.append(place)
        level = inside
    return found


def _commonest_first(counted: list[tuple[str, int]]) -> list[str]:
    """Names in their order, but of those that differ in case or punctuation the commonest first: an
    odd line must not take a column's place from all others.
    """
    place: dict[str, int] = {}
    for name, _ in counted:
        place.setdefault(plain_name(name), len(place))
    ordered = sorted(counted, key=lambda row: (place[plain_name(row[0])], -row[1], row[0]))
    return [name for name, _ in ordered]


def _no_captures(places: Places) -> str:
    """Cases for lines that crawlers write beside captures: browsertrix' header of a list of pages,
    what its log says of all but pages that were done, and what katana could not fetch. Only where
    the file has such keys.
    """
    cases = ""
    if "format" in places:
        cases += (
            " WHEN starts_with(line ->> '$.format', 'json-pages-') AND line ->> '$.url' IS NULL"
            " THEN 'skip: header of a list of pages'"
        )
    if "logLevel" in places:
        cases += (
            " WHEN line ->> '$.logLevel' IS NOT NULL AND line ->> '$.context' <> 'pageGraph'"
            " AND line ->> '$.message' <> 'Page Finished' THEN 'skip: line of a log'"
        )
    if "error" in places and "request.endpoint" in places:
        cases += " WHEN line ->> '$.error' <> '' THEN 'skip: not fetched'"
    return cases


def parsed_once(source: str, roles: dict[str, str], places: Places) -> str:
    """With one column more, ``field``: the texts of all roles in their order, then the first items
    of those that are lists, so that a line's JSON is parsed once and not for each.
    """
    found = [_json_path(places[name]) for name in roles.values()]
    paths = ", ".join(map(literal, found + [path + "[0]" for path in found]))
    return f"FROM (SELECT *, json_extract_string(line, [{paths}]) AS field {source})"


def field_expressions(roles: dict[str, str], places: Places) -> dict[str, str]:
    """Role to SQL. Of a list the first counts where one value is meant: StormCrawler writes its
    metadata so, and Solr what its schema says.
    """
    fields = {}
    for i, (role, name) in enumerate(roles.items(), 1):
        fields[role] = f"field[{i}]"
        inside = len(places[name]) > 1 and role not in ("links", "ip")
        if inside or role in ONE_VALUE:
            fields[role] = f"coalesce(field[{i + len(roles)}], field[{i}])"
    if "logLevel" in places and roles["url"].startswith("details."):  # browsertrix, old and new
        fields["url"] = "coalesce(line ->> '$.details.page', line ->> '$.details.url')"
    if "title" in roles:  # of a list the first, of an object nothing
        path = _json_path(places[roles["title"]])
        whole, first = literal(path), literal(path + "[0]")
        fields["title"] = (
            f"CASE json_type(line, {whole})"
            f" WHEN 'ARRAY' THEN CASE json_type(line, {first})"
            f" WHEN 'VARCHAR' THEN line ->> {first} END"
            f" WHEN 'OBJECT' THEN NULL ELSE {fields['title']} END"
        )
    return fields


def _json_path(keys: tuple[str, ...]) -> str:
    quoted = (key.replace("\\", "\\\\").replace('"', '\\"') for key in keys)
    return "$" + "".join(f'."{key}"' for key in quoted)
