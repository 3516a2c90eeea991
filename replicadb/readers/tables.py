"""Tables of URLs: CSV, TSV, JSONL and Parquet (Common Crawl's columnar index among them).

Always true here: DuckDB reads the file, set at a time; no row passes through Python. A column takes its role
by its name (case does not matter) unless the caller names another; columns without a role are ignored.
"""

from __future__ import annotations

import duckdb

from replicadb.database import Database, first_line
from replicadb.errors import DataError, UsageError

ROLES: dict[str, tuple[str, ...]] = {
    "url": ("url", "uri", "target_uri", "original_url", "original", "page_url", "address", "link"),
    "ip": ("ip", "ip_address", "host_ip", "ipaddress", "warc_ip_address", "ip_addr"),
    "fingerprint": ("fingerprint", "digest", "content_digest", "payload_digest", "checksum", "sha1", "sha-1", "md5",
                    "sha256", "content_sha1", "content_md5", "hash", "content_hash", "norm"),
    "timestamp": ("timestamp", "fetch_time", "fetched_at", "fetched", "crawl_time", "crawled_at", "date", "datetime", "time"),
    "status": ("status", "fetch_status", "statuscode", "status_code", "http_status"),
    "mime": ("content_mime_detected", "mime-detected", "mime_detected", "mime", "mimetype", "mime_type",
             "content_mime_type", "content_type"),
    "length": ("length", "content_length", "payload_length", "size", "bytes"),
    "redirect": ("redirect", "fetch_redirect", "redirect_url", "location"),
    "content": ("content", "html", "text", "body"),
}
"""Role of a column: the names it is known by, the best first."""

NAMED_KINDS = {"sha1": "sha1:", "sha-1": "sha1:", "content_sha1": "sha1:", "md5": "md5:", "content_md5": "md5:", "sha256": "sha256:"}


def assign_roles(names: list[str], chosen: dict[str, str]) -> dict[str, str]:
    """Which column of a table plays which role.

    Args:
        names: the table's columns.
        chosen: role to column name, as the user said; roles are those of ROLES and ``id``.

    Returns:
        role to column name; ``url`` is always there.

    Raises:
        UsageError: an unknown role, or a named column that the table lacks.
        DataError: no column looks like the URL.
    """
    by_lower = {name.lower().strip(): name for name in reversed(names)}
    roles: dict[str, str] = {}
    for role, name in chosen.items():
        if role not in ROLES and role != "id":
            raise UsageError(f"no such column role {role!r}; roles are: {', '.join([*ROLES, 'id'])}")
        if name not in names and name.lower() not in by_lower:
            raise UsageError(f"no column {name!r} in the table; it has: {_listing(names)}")
        roles[role] = name if name in names else by_lower[name.lower()]
    for role, known_names in ROLES.items():
        for known in known_names:
            if role not in roles and known in by_lower and by_lower[known] not in roles.values():
                roles[role] = by_lower[known]
    if "url" not in roles:
        raise DataError(f"no URL column among: {_listing(names)}; name it with --column url=NAME")
    return roles


def stage_table(db: Database, path: str, format: str, chosen: dict[str, str] | None = None) -> None:
    """Make the temporary table ``staged`` (the columns of a capture row) from one table file.

    Args:
        path: a local file, decompressed unless DuckDB reads its compression (gzip, zstd).
        format: csv, tsv, jsonl or parquet.
        chosen: role to column name where the usual names do not serve.

    Raises:
        DataError: the file cannot be read as that format, or has no URL column.
    """
    try:
        if format == "jsonl":
            _stage_jsonl(db, path, chosen or {})
        elif format == "parquet":
            _stage_columns(db, path, "read_parquet($path, file_row_number = true)", "file_row_number + 1",
                           "true", chosen or {})
        else:
            _stage_csv(db, path, format, chosen or {})
    except duckdb.Error as error:
        raise DataError(f"cannot be read as {format}: {first_line(error)}") from error


def _stage_csv(db: Database, path: str, format: str, chosen: dict[str, str]) -> None:
    delimiter = ", delim = '\t'" if format == "tsv" else ""
    db.execute("SET preserve_insertion_order = true")  # so that a row's number is its place in the file
    try:
        _stage_columns(db, path, f"read_csv($path, header = true, all_varchar = true, null_padding = true, "
                       f"store_rejects = true, strict_mode = false{delimiter})", "row_number() OVER ()", "true", chosen)
        db.execute("""INSERT INTO staged BY NAME
            SELECT line AS position, csv_line AS url, 'broken line: ' || lower(any_value(error_type)::VARCHAR) AS problem
            FROM reject_errors GROUP BY line, csv_line""")
        db.execute("DROP TABLE reject_errors; DROP TABLE reject_scans")
    finally:
        db.execute("SET preserve_insertion_order = false")


def _stage_columns(db: Database, path: str, scan: str, position: str, where: str, chosen: dict[str, str]) -> None:
    names = [row[0] for row in db.rows(f"DESCRIBE SELECT * FROM {scan}", {"path": path})]
    roles = assign_roles([n for n in names if n != "file_row_number"], chosen)
    columns = {role: _quoted(name) for role, name in roles.items()}
    _create_staged(db, f"FROM {scan}", position, columns, NAMED_KINDS.get(roles.get("fingerprint", "").lower(), ""), path)


def _stage_jsonl(db: Database, path: str, chosen: dict[str, str]) -> None:
    """Each line is read as text, so that a broken one becomes a reject with its number."""
    lines = "read_csv($path, header = false, columns = {'line': 'VARCHAR'}, delim = chr(1), quote = '', escape = '', max_line_size = 67108864)"
    names = db.column(f"""SELECT DISTINCT unnest(json_keys(line)) AS name FROM (SELECT line FROM {lines} LIMIT 1000)
        WHERE json_valid(line) AND json_type(line) = 'OBJECT' ORDER BY name""", {"path": path})
    if not names:
        raise DataError("no line of it is a JSON object; is it JSON Lines?")
    roles = assign_roles(names, chosen)
    fields = {role: "(line ->> " + _text("$." + _json_name(name)) + ")" for role, name in roles.items()}
    db.execute("SET preserve_insertion_order = true")
    try:
        source = f"""FROM (SELECT row_number() OVER () AS n, CASE WHEN json_valid(raw) THEN raw END AS line, raw
                     FROM (SELECT line AS raw FROM {lines})) WHERE trim(raw) <> ''"""
        _create_staged(db, source, "n", fields, NAMED_KINDS.get(roles.get("fingerprint", "").lower(), ""), path,
                       problem="CASE WHEN line IS NULL THEN 'broken JSON' END", url_otherwise="raw")
    finally:
        db.execute("SET preserve_insertion_order = false")


def _create_staged(db: Database, source: str, position: str, columns: dict[str, str], kind: str, path: str,
                   problem: str = "NULL::VARCHAR", url_otherwise: str | None = None) -> None:
    """The one statement all tables end in. ``columns`` are SQL expressions by role, ready to paste."""
    def text(role: str) -> str:
        return f"{columns[role]}::VARCHAR" if role in columns else "NULL::VARCHAR"

    recorded = f"nullif(nullif(trim({text('fingerprint')}), ''), '-')"
    digest = f"'{kind}' || {recorded}" if kind else recorded
    if "content" in columns:
        digest = f"coalesce({digest}, 'sha1:' || sha1({text('content')}))"
    url = f"coalesce({text('url')}, CASE WHEN {problem} IS NOT NULL THEN {url_otherwise} END)" if url_otherwise else text("url")
    length = f"coalesce(try_cast({text('length')} AS BIGINT), strlen({text('content')}))"
    db.execute(f"""CREATE OR REPLACE TEMP TABLE staged AS
        SELECT {position} AS position, {url} AS url, {text('ip')} AS ip, {digest} AS digest,
               {text('timestamp')} AS fetched_at, {text('status')} AS status, {text('mime')} AS mime,
               {length} AS length, {text('redirect')} AS redirect, NULL::VARCHAR AS revisit_of,
               {problem} AS problem, {text('id')} AS user_id
        {source}""", {"path": path})


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
