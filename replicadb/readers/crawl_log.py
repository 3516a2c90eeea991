"""Heritrix' crawl.log as a table of capture rows: a line for each URL that it tried.

Fields stand apart by blanks: time, status, bytes, URL, path of discovery, referrer, media type,
thread, begin and length of the fetch, digest, seed, annotations, and maybe one JSON object.
Heritrix 1 to 3 write it alike. A status below 100 is Heritrix' own: nothing was fetched.
Source: https://heritrix.readthedocs.io/en/latest/operating.html#logs
"""

from __future__ import annotations

import os
import re

from replicadb.readers.cdx import stage_lines
from replicadb.store.database import Database

_LINE = re.compile(
    r"^\d{4}-\d\d-\d\dT[\d:.]+Z?\s+-?\d+\s+(?:-|\d+)\s+[A-Za-z][\w+.-]*:\S*"
    r"\s+[A-Z-]\S*\s+\S+\s+\S+\s#"
)


def looks_like_crawl_log(head_text: str) -> bool:
    """Whether the beginning of a text is that of a crawl.log."""
    return bool(_LINE.match(next((line for line in head_text.splitlines() if line.strip()), "")))


def stage_crawl_log(db: Database, path: str | os.PathLike[str], table: str) -> None:
    """Create the temporary table ``table`` with the columns of CAPTURE_SCHEMA from a crawl.log.

    Raises:
        DataError: the file cannot be read at all.
    """
    with db.temporary(keep=(table,)):
        stage_lines(db, path, table)
        db.execute(_CRAWL_LOG.format(table=table))


_CRAWL_LOG = """
CREATE OR REPLACE TEMP TABLE {table} AS
WITH split AS (
    SELECT position, line, problem, string_split_regex(trim(line), '\\s+') AS part
    FROM {table}_lines
    WHERE problem IS NOT NULL OR regexp_matches(line, '[^\\s\\v\\p{{Zs}}]')
),
field AS (
    SELECT position, problem, len(part) AS width, part[1] AS fetched_at, part[2] AS status,
        part[3] AS length, part[4] AS url, nullif(part[7], '-') AS mime,
        nullif(part[10], '-') AS digest
    FROM split
)
SELECT position, url, CAST(NULL AS VARCHAR) AS ip, digest, fetched_at, status, mime,
    try_cast(length AS BIGINT) AS length, CAST(NULL AS VARCHAR) AS redirect,
    CAST(NULL AS VARCHAR) AS revisit_of,
    CASE
        WHEN problem IS NOT NULL THEN problem
        WHEN width < 10 THEN 'crawl.log line has ' || width || ' fields, not 12'
        WHEN try_cast(status AS SMALLINT) IS NULL THEN 'crawl.log line has no status'
        WHEN starts_with(url, 'dns:') OR starts_with(url, 'whois:') THEN 'skip: look-up of a name'
        WHEN try_cast(status AS SMALLINT) < 100 THEN 'skip: status ' || status
    END AS problem
FROM field
ORDER BY position
"""
