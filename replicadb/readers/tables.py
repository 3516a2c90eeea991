"""Tables of URLs: CSV, TSV, JSON (lines or an array) and Parquet (Common Crawl's columnar index
among them).

Always true here: DuckDB reads the file, set at a time; no row passes through Python. A column takes
its role by its name (case does not matter) unless the caller names another; columns without a role
are ignored. What is broken in a text (compression cut off, bytes that are no UTF-8, lines of
another shape) costs no more than itself.
"""

from __future__ import annotations

import contextlib
import csv
import os
from collections.abc import Iterator

import duckdb
import pyarrow as pa

from replicadb.errors import DataError, UsageError
from replicadb.readers.compression import head, plain_copy
from replicadb.readers.embedded_pages import pages_of, parquet_pages, staged_pages
from replicadb.readers.text_repair import is_sound_text, mended_copy
from replicadb.store.connecting import first_line
from replicadb.store.database import Database

ROLES: dict[str, tuple[str, ...]] = {
    "url": (
        "url",
        "url_url",
        "uri",
        "target_uri",
        "original_url",
        "original",
        "page_url",
        "address",
        "link",
    ),
    "ip": ("ip", "ip_address", "host_ip", "ipaddress", "warc_ip_address", "ip_addr"),
    "fingerprint": (
        "fingerprint",
        "digest",
        "content_digest",
        "payload_digest",
        "checksum",
        "sha1",
        "sha-1",
        "md5",
        "sha256",
        "content_sha1",
        "content_md5",
        "hash",
        "content_hash",
        "norm",
    ),
    "timestamp": (
        "timestamp",
        "fetch_time",
        "fetched_at",
        "fetched",
        "crawl_time",
        "crawled_at",
        "date",
        "datetime",
        "time",
    ),
    "status": ("status", "fetch_status", "statuscode", "status_code", "http_status"),
    "mime": (
        "content_mime_detected",
        "mime-detected",
        "mime_detected",
        "mime",
        "mimetype",
        "mime_type",
        "content_mime_type",
        "content_type",
    ),
    "length": ("length", "content_length", "payload_length", "size", "bytes"),
    "redirect": ("redirect", "fetch_redirect", "redirect_url", "location"),
    "content": ("content", "html", "text", "body"),
    "links": ("links", "outlinks", "out_links", "hrefs"),
    "canonical": ("canonical", "canonical_url", "rel_canonical", "canonical_link"),
    "title": ("title", "page_title", "html_title", "content_title"),
}
"""Role of a column: the names it is known by, the best first."""

NAMED_KINDS = {
    "sha1": "sha1:",
    "sha-1": "sha1:",
    "content_sha1": "sha1:",
    "md5": "md5:",
    "content_md5": "md5:",
    "sha256": "sha256:",
}
LINK_FIELDS = (
    "url",
    "href",
    "link",
    "target",
    "to",
)  # of a list of structs; 08_links has them for JSON
KEPT = "kept content"  # beside the roles: the column that has the role content, to be staged itself
LONGEST_LINE = 1 << 26  # bytes; a longer line is broken
HEADER_BYTES = 1 << 20  # bytes in which the header line must end
BOM = b"\xef\xbb\xbf"


def assign_roles(names: list[str], chosen: dict[str, str | None]) -> dict[str, str]:
    """Which column of a table plays which role.

    Args:
        names: the table's columns.
        chosen: role to column name, as the user said; roles are those of ROLES and ``id``; None: no
            column.

    Returns:
        role to column name; ``url`` is always there.

    Raises:
        UsageError: an unknown role, or a named column that the table lacks.
        DataError: no column looks like the URL.
    """
    by_lower = {name.lower().strip(): name for name in reversed(names)}
    roles: dict[str, str] = {}
    for role, name in chosen.items():
        if name is None or role == KEPT:
            continue
        if role not in ROLES and role != "id":
            raise UsageError(
                f"no such column role {role!r}; roles are: {', '.join([*ROLES, 'id'])}"
            )
        if name not in names and name.lower() not in by_lower:
            raise UsageError(f"no column {name!r} in the table; it has: {_listing(names)}")
        roles[role] = name if name in names else by_lower[name.lower()]
    for role, known_names in ROLES.items():
        for known in known_names:
            if (
                role not in roles | chosen
                and known in by_lower
                and by_lower[known] not in roles.values()
            ):
                roles[role] = by_lower[known]
    if "url" not in roles:
        raise DataError(f"no URL column among: {_listing(names)}; name it with --column url=NAME")
    if KEPT in chosen and "content" in roles:
        roles[KEPT] = roles["content"]
    return roles


def stage_table(
    db: Database,
    path: str,
    format: str,
    chosen: dict[str, str | None],
    scratch: str,
    content: bool = False,
) -> Iterator[pa.Table] | None:
    """Make the temporary table ``staged`` (the columns of a capture row) from one table file.

    Args:
        path: a local file, plain or compressed.
        format: csv, tsv, jsonl or parquet.
        chosen: role to column name where the usual names do not serve; None: leave that role out.
        scratch: a folder for decompressed and mended copies.
        content: the pages themselves are wanted.

    Returns:
        The pages, a slice at a time: position (rising), content (text or bytes), bytes (its length;
        NULL for no page) and, in place of a content larger than HTML_LIMIT, its digest. Digests and
        lengths of pages are not in ``staged`` where the file has no column of them. None where
        pages are not wanted, or the table has none.

    Raises:
        DataError: the file cannot be read as that format, or has no URL column.
    """
    for name in ("bare", "link_cell"):
        db.run("load/50_links", only=name)
    chosen = chosen | ({KEPT: "content"} if content else {})
    try:
        if format == "parquet":
            return _stage_parquet(db, plain_copy(path, scratch), chosen)
        plain, problems = _sound_text(path, scratch)
        if format != "jsonl":
            _stage_csv(db, plain, format, chosen)
        elif head(plain, 512)[1].lstrip(BOM + b" \t\r\n").startswith(b"["):
            _stage_json_array(db, plain, chosen)
        else:
            _stage_jsonl(db, plain, chosen)
        db.execute(
            """INSERT INTO staged BY NAME
            SELECT (SELECT coalesce(max(position), 0) FROM staged) + generate_subscripts(p, 1) AS position, unnest(p) AS problem
            FROM (SELECT $problems::VARCHAR[] AS p)""",
            {"problems": problems},
        )
        return (
            staged_pages(db)
            if "content"
            in [column[0] for column in db.con.execute("FROM staged LIMIT 0").description]
            else None
        )
    except duckdb.Error as error:
        raise DataError(f"cannot be read as {format}: {first_line(error)}") from error


def _sound_text(path: str, scratch: str) -> tuple[str, list[str]]:
    """A path to the decompressed text in UTF-8, and what was broken in it."""

    def never(_before: bytes, _behind: bytes) -> bool:
        return False

    if is_sound_text(path, never):
        return plain_copy(path, scratch), []
    return mended_copy(path, scratch, never)


def _stage_parquet(db: Database, path: str, chosen: dict[str, str]) -> Iterator[pa.Table] | None:
    schema = db.arrow("FROM read_parquet($path) LIMIT 0", {"path": path}).schema
    fields = dict(_leaves(schema))
    if "file_row_number" in fields:
        scan, position = "read_parquet($path)", "row_number() OVER ()"
    else:
        scan, position = "read_parquet($path, file_row_number = true)", "file_row_number + 1"
    roles = assign_roles(list(fields), chosen)
    columns = {}
    for role, name in roles.items():
        column, kind = fields[name]
        binary = (
            pa.types.is_binary(kind)
            or pa.types.is_large_binary(kind)
            or pa.types.is_fixed_size_binary(kind)
        )
        columns[role] = f"lower(hex({column}))" if binary and role == "fingerprint" else column
        if role == "links" and (listed := _link_list(column, kind)):
            columns[role], columns["link list"] = "NULL", listed
        if role == "title" and pa.types.is_nested(kind):
            columns[role] = (
                f"{column}[1]::VARCHAR"
                if _link_list(column, kind) == f"{column}::VARCHAR[]"
                else "NULL"
            )
        if role == "content" and binary:
            columns["content bytes"] = f"octet_length({column})"
        if role in ("timestamp", "status", "length"):
            columns[role] = _typed(role, column, kind)
    pages = None
    if KEPT in columns:
        name, kind = fields[roles["content"]]
        binary = (
            pa.types.is_binary(kind)
            or pa.types.is_large_binary(kind)
            or pa.types.is_fixed_size_binary(kind)
        )
        pages = parquet_pages(
            db,
            f"SELECT {position} AS position,"
            f" {pages_of(name if binary else f'{name}::VARCHAR', binary)} FROM {scan}",
            path,
        )
        columns = {
            role: column
            for role, column in columns.items()
            if role not in (KEPT, "content", "content bytes")
        }
    once = {"links", "link list", "canonical", "content"}.isdisjoint(
        columns
    ) and position == "file_row_number + 1"
    if once:  # nothing is copied: what a load needs of the file it reads when it needs it
        db.execute("SET VARIABLE parquet_file = $path", {"path": path})
        scan = scan.replace("$path", "getvariable('parquet_file')")
    with db.in_order() if position.startswith("row_number") else contextlib.nullcontext():
        _create_staged(
            db,
            f"FROM {scan}",
            position,
            columns,
            _kind(roles),
            None if once else path,
            kind="VIEW" if once and not pages else "TABLE",
        )
    return pages


def _typed(role: str, column: str, kind: pa.DataType) -> str:
    """SQL for a time, status or length; what has such a type in the file is spared the way through
    text.
    """
    if role != "timestamp":
        return (
            f"try_cast({column} AS {'SMALLINT' if role == 'status' else 'BIGINT'})"
            if pa.types.is_integer(kind)
            else column
        )
    if pa.types.is_timestamp(kind) and kind.unit == "ns" and kind.tz is None:
        return (
            f"make_timestamp((epoch_ns({column}) - (epoch_ns({column}) % 1000 + 1000) % 1000) //"
            " 1000)"
        )
    return (
        f"{column}::TIMESTAMP" if pa.types.is_timestamp(kind) or pa.types.is_date(kind) else column
    )


def _link_list(column: str, kind: pa.DataType) -> str | None:
    """A column of lists as SQL for a list of texts; of structs, by the field that holds
    the target.
    """
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        return None
    if pa.types.is_struct(kind.value_type):
        fields = {field.name.lower(): field.name for field in kind.value_type}
        target = next((fields[name] for name in LINK_FIELDS if name in fields), None)
        return (
            f"list_transform({column}, lambda s: s.{_quoted(target)}::VARCHAR)"
            if target
            else "NULL::VARCHAR[]"
        )
    return (
        f"{column}::VARCHAR[]"
        if pa.types.is_string(kind.value_type) or pa.types.is_large_string(kind.value_type)
        else "NULL::VARCHAR[]"
    )


def _leaves(
    schema: pa.Schema | pa.StructType, sql: str = "", name: str = ""
) -> list[tuple[str, tuple[str, pa.DataType]]]:
    """Columns as (name, (SQL, type)); those inside of a struct are named as in Common Crawl's flat
    schema: content_digest.
    """
    found = []
    for field in schema:
        place, full = sql + _quoted(field.name), name + field.name
        if pa.types.is_struct(field.type):
            found += _leaves(field.type, f"{place}.", f"{full}_")
        else:
            found.append((full, (place, field.type)))
    return found


def _stage_csv(db: Database, path: str, format: str, chosen: dict[str, str]) -> None:
    """The header line settles the columns and what divides them; cells that are missing at a line's
    end are NULL.

    A quotation mark that is never closed would swallow the lines behind it: where a cell holds a
    line break that cannot, the file is read again with quotation marks as ordinary characters, so
    that each line stands for itself.
    """
    names, delimiter, blank = _header(path, format)
    roles = assign_roles(names, chosen)
    quoted = _holds(path, b'"')
    _read_csv(db, path, delimiter, blank, names, roles, '"' if quoted else "")
    if quoted and db.value("""SELECT count(*) FROM staged WHERE problem IS NULL
            AND contains(concat(url, ip, digest, fetched_at, status, mime, redirect), chr(10))"""):
        _read_csv(db, path, delimiter, blank, names, roles, "", bare=True)


def _read_csv(
    db: Database,
    path: str,
    delimiter: str,
    blank: int,
    names: list[str],
    roles: dict[str, str],
    quote: str,
    bare: bool = False,
) -> None:
    """``bare``: there are quotation marks in the file that are not to be understood; those around a
    cell are taken off.
    """
    columns = {role: f"c{names.index(name)}" for role, name in roles.items()}
    if bare:
        columns = {role: f"trim({column}, '\"')" for role, column in columns.items()}
    types = ", ".join(f"c{i}: 'VARCHAR'" for i in range(len(names)))
    # One column more than there are names shows the lines that have more cells. DuckDB reads quoted
    # line breaks along with short lines in one thread only.
    scan = (
        f"read_csv($path, header = true, skip = {blank}, auto_detect = false, columns = {{{types},"
        f" beyond: 'VARCHAR'}}, delim = '{delimiter}', quote = '{quote}', escape = '{quote}',"
        f" null_padding = true, store_rejects = true, strict_mode = false, parallel = {not quote},"
        f" max_line_size = {LONGEST_LINE})"
    )
    with db.in_order():  # so that a row's number is its place in the file
        _create_staged(
            db,
            f"FROM {scan}",
            "row_number() OVER ()",
            columns,
            _kind(roles),
            path,
            problem="CASE WHEN beyond IS NOT NULL THEN 'line has more cells than the header' END",
        )
        db.execute("""CREATE OR REPLACE TEMP TABLE broken AS
            SELECT line, row_number() OVER (ORDER BY line) AS k, any_value(csv_line) AS csv_line,
                   lower(any_value(error_type)::VARCHAR) AS error
            FROM reject_errors GROUP BY line""")
        # Row r of the sound ones stands on the r-th line that is neither the header nor broken.
        db.execute(
            """UPDATE staged SET position = 1 + $blank + staged.position + coalesce(
            (SELECT max(k) FROM broken WHERE line - k < staged.position + 1 + $blank), 0)""",
            {"blank": blank},
        )
        db.execute(
            """INSERT INTO staged BY NAME
            SELECT line AS position, csv_line AS url, 'broken line: ' || error AS problem FROM broken"""
        )
        db.execute("DROP TABLE broken; DROP TABLE reject_errors; DROP TABLE reject_scans")


def _header(path: str, format: str) -> tuple[list[str], str, int]:
    """The names of a CSV's columns, what stands between them (one column: 0x01, which stands
    nowhere), and the blank lines before.
    """
    text = head(path, HEADER_BYTES)[1].removeprefix(BOM).decode("utf-8", "replace")
    lines = text.split("\n")
    blank = next((i for i, line in enumerate(lines) if line.strip()), 0)
    line = lines[blank].rstrip("\r")
    bare = "".join(part for part in line.split('"')[::2])  # what stands in quotes divides nothing
    delimiter = "\t" if format == "tsv" else max(",;\t|", key=bare.count)
    delimiter = delimiter if bare.count(delimiter) else "\x01"
    try:
        cells = next(csv.reader([line], delimiter=delimiter))
    except (StopIteration, csv.Error) as error:
        raise DataError(
            "its first line is no header; a table's columns have names, such as url,ip,digest"
        ) from error
    names: list[str] = []
    for cell in cells:
        names.append(cell if cell not in names else f"{cell}_{len(names)}")
    return names, delimiter, blank


def _holds(path: str, byte: bytes) -> bool:
    with open(path, "rb") as raw:
        return any(byte in piece for piece in iter(lambda: raw.read(1 << 20), b""))


def _stage_jsonl(db: Database, path: str, chosen: dict[str, str]) -> None:
    """Each line is read as text, so that a broken one becomes a reject with its number."""
    lines = (
        "read_csv($path, header = false, auto_detect = false, columns = {'line': 'VARCHAR'},"
        " delim = chr(1), quote = '', escape = '', strict_mode = false, max_line_size ="
        f" {LONGEST_LINE})"
    )
    names = db.column(
        f"""SELECT DISTINCT unnest(json_keys(line)) AS name FROM (SELECT line FROM {lines} LIMIT 1000)
        WHERE json_valid(line) AND json_type(line) = 'OBJECT' ORDER BY name""",
        {"path": path},
    )
    if not names:
        raise DataError("no line of it is a JSON object; is it JSON Lines?")
    roles = assign_roles(names, chosen)
    with db.in_order():  # so that a row's number is its place in the file
        source = f"""FROM (SELECT row_number() OVER () AS n, CASE WHEN json_valid(raw) THEN raw END AS line, raw
                     FROM (SELECT line AS raw FROM {lines})) WHERE regexp_matches(raw, '[^\\p{{Zs}}]')"""
        _create_staged(
            db,
            _parsed_once(source, roles),
            "n",
            _json_fields(roles),
            _kind(roles),
            path,
            problem="CASE WHEN line IS NULL THEN 'broken JSON' END",
            url_otherwise="raw",
        )


def _stage_json_array(db: Database, path: str, chosen: dict[str, str]) -> None:
    """``[{...}, {...}]``, or as CDX servers answer: ``[[names], [values], ...]``; several such
    arrays may follow each other.
    """
    size = os.path.getsize(path) + 1024
    db.execute(
        f"""CREATE OR REPLACE TEMP TABLE json_rows AS
        SELECT row_number() OVER (ORDER BY a, b) AS n, line FROM (
            SELECT a, generate_subscripts(items, 1) AS b, unnest(items) AS line
            FROM (SELECT row_number() OVER () AS a, CASE WHEN json_type(json) = 'ARRAY' THEN json::JSON[] ELSE [json] END AS items
                  FROM read_json($path, format = 'unstructured', records = false, columns = {{'json': 'JSON'}},
                                 maximum_object_size = {size})))""",
        {"path": path},
    )
    if db.value("SELECT json_type(line) FROM json_rows WHERE n = 1") == "ARRAY":
        names = [
            str(name)
            for name in db.value(
                "SELECT json_extract_string(line, '$[*]') FROM json_rows WHERE n = 1"
            )
        ]
        roles = assign_roles(names, chosen)
        fields, source = (
            {role: f"(line ->> '$[{names.index(name)}]')" for role, name in roles.items()},
            "FROM json_rows",
        )
        db.execute("DELETE FROM json_rows WHERE line = (SELECT line FROM json_rows WHERE n = 1)")
    else:
        names = db.column(
            "SELECT DISTINCT unnest(json_keys(line)) AS name FROM json_rows WHERE json_type(line) ="
            " 'OBJECT' ORDER BY name"
        )
        roles = assign_roles(names, chosen)
        fields, source = _json_fields(roles), _parsed_once("FROM json_rows", roles)
    _create_staged(db, source, "n", fields, _kind(roles), None)
    db.execute("DROP TABLE json_rows")


def _parsed_once(source: str, roles: dict[str, str]) -> str:
    """With one column more, ``field``: the texts of all roles in their order, so that a line's JSON
    is parsed once and not for each.
    """
    paths = ", ".join(_text("$." + _json_name(name)) for name in roles.values())
    return f"FROM (SELECT *, json_extract_string(line, [{paths}]) AS field {source})"


def _json_fields(roles: dict[str, str]) -> dict[str, str]:
    fields = {role: f"field[{i}]" for i, role in enumerate(roles, 1)}
    if "title" in roles:  # of a list the first, of an object nothing
        place = "$." + _json_name(roles["title"])
        first = _text(place + "[0]")
        fields["title"] = (
            f"CASE json_type(line, {_text(place)}) WHEN 'ARRAY' THEN CASE json_type(line, {first})"
            f" WHEN 'VARCHAR' THEN line ->> {first} END WHEN 'OBJECT' THEN NULL ELSE"
            f" {fields['title']} END"
        )
    return fields


def _kind(roles: dict[str, str]) -> str:
    return NAMED_KINDS.get(roles.get("fingerprint", "").lower().strip(), "")


def _create_staged(
    db: Database,
    source: str,
    position: str,
    columns: dict[str, str],
    prefix: str,
    path: str | None,
    problem: str = "NULL::VARCHAR",
    url_otherwise: str | None = None,
    kind: str = "TABLE",
) -> None:
    """The one statement all tables end in. ``columns`` are SQL expressions by role,
    ready to paste.
    """

    def text(role: str) -> str:
        return f"{columns[role]}::VARCHAR" if role in columns else "NULL::VARCHAR"

    def typed(role: str) -> str:
        return columns[role] if kind == "VIEW" and role in columns else text(role)

    recorded = f"nullif(nullif(trim({text('fingerprint')}), ''), '-')"
    digest = f"'{prefix}' || {recorded}" if prefix else recorded
    if "content" in columns:
        digest = f"coalesce({digest}, 'sha1:' || sha1({columns['content']}))"
    url = (
        f"coalesce({text('url')}, CASE WHEN {problem} IS NOT NULL THEN {url_otherwise} END)"
        if url_otherwise
        else text("url")
    )
    length = f"try_cast({text('length')} AS BIGINT)"
    if "content" in columns:
        size = columns.get("content bytes") or f"strlen({text('content')})"
        length = f"coalesce({length}, {size})"
    links = columns.get("link list") or (
        f"link_cell({text('links')})" if "links" in columns else "NULL::VARCHAR[]"
    )
    kept = f", {columns[KEPT]} AS content" if KEPT in columns else ""
    db.execute(
        f"""CREATE OR REPLACE TEMP {kind} staged AS
        SELECT {position} AS position, {url} AS url, {text("ip")} AS ip, {digest} AS digest,
               {typed("timestamp")} AS fetched_at, {typed("status")} AS status, {text("mime")} AS mime,
               {length} AS length, {text("redirect")} AS redirect, NULL::VARCHAR AS revisit_of,
               {problem} AS problem, {text("id")} AS user_id,
               {links} AS links, {text("canonical")} AS canonical, NULL::VARCHAR AS base, {text("title")} AS title{kept}
        {source}""",
        {"path": path} if path else None,
    )


def _quoted(name: str) -> str:
    """A column name as an SQL identifier; the one place where a name from a file enters SQL."""
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _json_name(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _listing(names: list[str]) -> str:
    shown = ", ".join(name[:40] for name in names[:12])
    return shown + (f" and {len(names) - 12} more" if len(names) > 12 else "")
