"""CDX and CDXJ capture indexes as tables of capture rows, read by DuckDB a set at a time.

Every line of the file is a row, in order, with its line number as position: a usable one, or one
whose ``problem`` says what is wrong. Only blank lines and header lines make no row. Values are as
recorded, with '-' as NULL. So is the status 304 of a revisit, which repeats a page. ``length``
stays NULL: what indexes record is the compressed size in the archive, not the payload's.

Formats: https://archive.org/web/researcher/cdx_legend.php (CDX),
https://specs.webrecorder.net/cdxj/ (CDXJ), and the OpenWayback dialect of CDXJ.
"""

from __future__ import annotations

import os
import re

import duckdb

from replicadb.errors import DataError
from replicadb.readers.compression import PATTERN, head, plain_copy
from replicadb.readers.text_repair import is_sound_text, mended_copy
from replicadb.store.database import Database
from replicadb.store.scratch_folder import scratch_folder

LONGEST_LINE = 1 << 24  # bytes; longer lines are no index lines
HEADERLESS = {  # letters by number of fields, where a file has no header
    7: "NbamskS",  # as the Wayback CDX server answers
    9: "NbamskrVg",
    10: "NbamskrMVg",
    11: "NbamskrMSVg",
}
_CDX_HEADER = re.compile(r"^([^\w\s]|[ \t])CDX((?:\1[A-Za-z])+)\s*$")
_CDX_LINE = re.compile(r"^\S+ \d{4,17} \S+ \S+ (?:\d{3}|-) \S+ .*\S$")
_CDXJ_LINE = re.compile(r"^\S+ (?:\d{4,17}|\d{4}-\d\d-\d\dT\S+) (?:\w+ )?\{")


def looks_like_cdx(head_text: str) -> bool:
    """Whether the beginning of a text is that of a CDX file: a ' CDX N b a …' header, or lines as
    in HEADERLESS.
    """
    first = next((line for line in head_text.splitlines() if line.strip()), "")
    if _CDX_HEADER.match(first):
        return True
    return bool(_CDX_LINE.match(first)) and len(first.split(" ")) in HEADERLESS


def looks_like_cdxj(head_text: str) -> bool:
    """Whether the beginning of a text is that of a CDXJ file: 'key timestamp {json}' behind any '!'
    header lines.
    """
    lines = (line for line in head_text.splitlines() if line.strip() and line[0] not in "!@")
    return bool(_CDXJ_LINE.match(next(lines, "")))


def stage_cdx(db: Database, path: str | os.PathLike[str], table: str) -> None:
    """Create the temporary table ``table`` with the columns of CAPTURE_SCHEMA from a CDX file.

    The header names the fields in any order and, by its first character, the delimiter. Without
    one, lines of 7, 9, 10 and 11 fields are taken to be in the usual orders. Raises DataError if
    the file can't be read at all.
    """
    with db.temporary(keep=(table,)):
        stage_lines(db, path, table)
        first = db.value(
            f"SELECT line FROM {table}_lines WHERE regexp_matches(line, '\\S')"
            " ORDER BY position LIMIT 1"
        )
        found = _CDX_HEADER.match(first) if first else None
        delimiter = found[1] if found else " "
        orders = HEADERLESS
        if found:
            letters = found[2].replace(delimiter, "")
            orders = {len(letters): letters}
        db.execute(
            _CDX.format(
                table=table, **{name: _field(orders, letter) for name, letter in _LETTERS.items()}
            ),
            {
                "delimiter": delimiter,
                "widths": list(orders),
                "expected": " or ".join(map(str, orders)),
            },
        )


def stage_cdxj(db: Database, path: str | os.PathLike[str], table: str) -> None:
    """Create the temporary table ``table`` with the columns of CAPTURE_SCHEMA from a CDXJ file, and
    the languages that Common Crawl's say.

    Lines that begin with '!' or '@' are headers. Raises DataError if the file can't be read at all.
    """
    with db.temporary(keep=(table,)):
        stage_lines(db, path, table)
        db.execute(_CDXJ.format(table=table))


_LETTERS = {
    "url": "a",
    "ip": "e",
    "digest": "k",
    "fetched_at": "b",
    "status": "s",
    "mime": "m",
    "redirect": "r",
}


def _field(orders: dict[int, str], letter: str) -> str:
    """SQL for the field of a letter; only integers computed here enter it."""
    places = {
        width: letters.index(letter) + 1 for width, letters in orders.items() if letter in letters
    }
    cases = [f"WHEN {width} THEN part[{place}]" for width, place in places.items()]
    return f"CASE width {' '.join(cases)} END" if cases else "CAST(NULL AS VARCHAR)"


_CDX = """
CREATE OR REPLACE TEMP TABLE {table} AS
WITH split AS (
    SELECT position, line, problem, string_split(line, $delimiter) AS part
    FROM {table}_lines
    WHERE problem IS NOT NULL
       OR (regexp_matches(line, '[^\\s\\v\\p{{Zs}}]')
           AND NOT regexp_full_match(line, '\\W?CDX(\\W[A-Za-z])+\\s*'))
),
wide AS (SELECT *, len(part) AS width FROM split),
field AS (
    SELECT position, problem, width, {url} AS url, {ip} AS ip, {digest} AS digest,
        {fetched_at} AS fetched_at, {status} AS status, {mime} AS mime, {redirect} AS redirect
    FROM wide
),
recorded AS (
    SELECT position, problem, width,
        CASE WHEN url NOT IN ('-', '') THEN url END AS url,
        CASE WHEN ip NOT IN ('-', '') THEN ip END AS ip,
        CASE WHEN digest NOT IN ('-', '') THEN digest END AS digest,
        CASE WHEN fetched_at NOT IN ('-', '') THEN fetched_at END AS fetched_at,
        CASE
            WHEN status NOT IN ('-', '') AND NOT (status = '304' AND mime = 'warc/revisit')
            THEN status
        END AS status,
        CASE WHEN mime NOT IN ('-', '', 'unk') THEN mime END AS mime,
        CASE WHEN redirect NOT IN ('-', '') THEN redirect END AS redirect
    FROM field
)
SELECT position, url, ip, digest, fetched_at, status, mime,
    CAST(NULL AS BIGINT) AS length, redirect, CAST(NULL AS VARCHAR) AS revisit_of,
    CASE
        WHEN problem IS NOT NULL THEN problem
        WHEN NOT list_contains($widths, width)
            THEN 'CDX line has ' || width || ' fields, not ' || $expected
        WHEN url IS NULL THEN 'CDX line has no URL'
        WHEN mime IN ('warc-info', 'warc/warcinfo', 'warc/request', 'warc/metadata')
            THEN 'indexes a ' || mime || ' record, not a capture'
    END AS problem
FROM recorded
ORDER BY position
"""

# OpenWayback's names stand second in each coalesce. The JSON begins behind a blank: keys may hold
# braces, of a query.
_CDXJ = """
CREATE OR REPLACE TEMP TABLE {table} AS
WITH begun AS (
    SELECT position, line, problem,
        coalesce(nullif(strpos(' ' || line, ' {{'), 0), strpos(line, '{{')) AS start
    FROM {table}_lines
    WHERE problem IS NOT NULL
       OR (regexp_matches(line, '[^\\s\\v\\p{{Zs}}]') AND left(line, 1) NOT IN ('!', '@'))
),
cut AS (
    SELECT position, problem, left(line, start - 1) AS before,
        CASE WHEN start > 0 THEN substr(line, start) END AS document
    FROM begun
),
checked AS (
    SELECT position, problem, string_split(before, ' ')[2] AS fetched_at,
        CASE WHEN json_valid(document) THEN document END AS document
    FROM cut
),
field AS (
    SELECT position, problem, nullif(fetched_at, '') AS fetched_at, document IS NULL AS broken,
        list_transform(list_transform(
            json_extract_string(document, ['$.url', '$.uri', '$.ip', '$.digest', '$.sha',
                '$.status', '$.hsc', '$."mime-detected"', '$.mime', '$.mct', '$.redirect',
                '$.rle', '$.languages']),
            lambda x: trim(x)), lambda x: CASE WHEN x NOT IN ('-', '') THEN x END) AS v
    FROM checked
),
named AS (
    SELECT position, problem, broken, fetched_at, coalesce(v[1], v[2]) AS url, v[3] AS ip,
        coalesce(v[4], v[5]) AS digest, coalesce(v[6], v[7]) AS status,
        nullif(coalesce(v[8], v[9], v[10]), 'unk') AS mime, coalesce(v[11], v[12]) AS redirect,
        v[13] AS language
    FROM field
)
SELECT position, url, ip, digest, fetched_at,
    CASE WHEN status <> '304' OR mime IS DISTINCT FROM 'warc/revisit' THEN status END AS status,
    mime, CAST(NULL AS BIGINT) AS length, redirect, CAST(NULL AS VARCHAR) AS revisit_of,
    CASE
        WHEN problem IS NOT NULL THEN problem
        WHEN broken THEN 'CDXJ line has no valid JSON'
        WHEN url IS NULL THEN 'CDXJ line has no URL'
        WHEN fetched_at IS NULL THEN 'CDXJ line has no key and timestamp before its JSON'
        WHEN mime IN ('warc-info', 'warc/warcinfo', 'warc/request', 'warc/metadata')
            THEN 'indexes a ' || mime || ' record, not a capture'
    END AS problem,
    language
FROM named
ORDER BY position
"""

# The delimiter, 0x01, stands in no line: mending sees to that.
_LINES = """
CREATE OR REPLACE TEMP TABLE {table}_lines AS
SELECT row_number() OVER () AS position,
    CASE WHEN ends_with(line, chr(13)) THEN rtrim(line, chr(13)) ELSE line END AS line,
    CAST(NULL AS VARCHAR) AS problem
FROM read_csv(?, columns = {{'line': 'VARCHAR'}}, delim = '\x01', quote = '', escape = '',
    comment = '', header = false, auto_detect = false, strict_mode = false, compression = ?,
    max_line_size = ?)
"""


def stage_lines(db: Database, path: str | os.PathLike[str], table: str) -> None:
    """Create ``{table}_lines`` (position, line, problem): the lines of the file, then a row for
    each broken place.
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", table):
        raise ValueError(f"not a plain table name: {table!r}")
    path = os.fspath(path)
    try:
        kind, start = head(path)
    except OSError as error:
        raise DataError(
            f"cannot be opened ({error.strerror}); check the path and your rights"
        ) from error
    if kind in ("zip", "parquet") or not start.strip():
        raise DataError("holds no lines of text; an index is a text file, so check what it is")
    with scratch_folder() as directory:
        problems: list[str] = []
        if not is_sound_text(path, _lacks_break, LONGEST_LINE):
            path, problems = mended_copy(path, directory, _lacks_break, LONGEST_LINE)
            kind = "none"
        elif kind not in ("none", "gzip", "zstd") or PATTERN.search(path):
            path, kind = plain_copy(path, directory), "none"
        try:
            db.execute(_LINES.format(table=table), [path, kind, LONGEST_LINE + 2])
        except duckdb.Error as error:
            reason = str(error).splitlines()[0][:120]
            raise DataError(
                f"cannot be read as lines of text ({reason}); check what it is"
            ) from error
        db.execute(
            f"INSERT INTO {table}_lines SELECT (SELECT count(*) FROM {table}_lines) +"
            " generate_subscripts(p, 1), NULL, unnest(p) FROM (SELECT CAST(? AS VARCHAR[]) AS p)",
            [problems],
        )


def _lacks_break(before: bytes, behind: bytes) -> bool:
    """Whether a line ends and another begins here; true between the blocks of some zipnum indexes.

    Elsewhere (bgzip) members end anywhere in a line, so both sides must look like whole lines.
    """
    line = before.rpartition(b"\n")[2]
    whole = line.endswith(b"}") or line.count(b" ") + 1 in HEADERLESS
    return whole and bool(re.match(rb"\S+ \d{14} \S", behind))
