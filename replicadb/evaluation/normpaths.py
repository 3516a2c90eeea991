"""What replicadb is compared with: NormPaths, and a plain reference of pages and candidate pairs.

Always true here: nothing comes from the product's stages; everything is a few plain SQL statements
over a crawl file, so that a test can hold the one against the other. Sums are over integers, so the
number of threads does not matter.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa

from replicadb.errors import UsageError

LONGEST_LIST = 1_000
"""Hosts; NormPaths skips longer inverted lists, which give a pair less than 0.001 each and cost
n^2.
"""

SCALE = 1 << 40
"""NormPaths is summed as integers, round(SCALE / |L|)."""

_URL = r"^[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/?#@]*@)?([^/?#:@]+)(?::[0-9]*)?([^#]*)"


def normpaths(
    con: duckdb.DuckDBPyConnection, pages: str, pairs: str, longest: int = LONGEST_LIST
) -> pa.Table:
    """NormPaths of given pairs (docs/method.md#normpaths): one inverted list L per (path,
    fingerprint), sim = sum of 1 / |L|.

    Args:
        con: an open connection.
        pages: table or view with host, path, fingerprint (rows with NULL are passed over; repeats
            count once).
        pairs: table or view with host_a, host_b.
        longest: inverted lists with more hosts than this are skipped.

    Returns:
        Arrow table host_a, host_b, normpaths (double, 0 where nothing is shared), one row for each
        distinct pair, sorted.

    Complexity: one join of the lists with themselves, cut to the given pairs; at most sum of |L|^2
        rows pass through.
    """
    pages, pairs = _relation(pages), _relation(pairs)
    con.execute(f"""CREATE OR REPLACE TEMP TABLE normpaths_lists AS
        SELECT host, list, n FROM (
            SELECT host, list, count(*) OVER (PARTITION BY list) AS n FROM (
                SELECT DISTINCT host, hash(path, fingerprint, reverse(path), reverse(fingerprint)) AS list FROM {pages}
                WHERE host IS NOT NULL AND path IS NOT NULL AND fingerprint IS NOT NULL))
        WHERE n BETWEEN 2 AND {int(longest)}""")
    try:
        return con.sql(f"""
            WITH wanted AS (SELECT DISTINCT host_a, host_b FROM {pairs}),
            shared AS (
                SELECT w.host_a, w.host_b, sum(round({SCALE} / a.n)::BIGINT) AS total
                FROM normpaths_lists AS a
                JOIN normpaths_lists AS b ON a.list = b.list AND a.host < b.host
                JOIN wanted AS w ON w.host_a = a.host AND w.host_b = b.host
                GROUP BY ALL)
            SELECT host_a, host_b, coalesce(total / {SCALE}.0, 0)::DOUBLE AS normpaths
            FROM wanted LEFT JOIN shared USING (host_a, host_b)
            ORDER BY host_a, host_b""").to_arrow_table()
    finally:
        con.execute("DROP TABLE IF EXISTS normpaths_lists")


def candidate_table(con: duckdb.DuckDBPyConnection, crawl_path: str | Path) -> int:
    """Make pages and candidate pairs straight from a crawl file: the slow, plain reference of what
    the product does.

    Makes temp tables ``crawl_pages`` (host, path, fingerprint; distinct; pages with status 200 and
    type text/html where those are known) and ``crawl_pairs`` (host_a, host_b, shared: fingerprints
    in common).

    Args:
        con: an open connection.
        crawl_path: Parquet or CSV with at least url and fingerprint, and status and mime as
            generate() writes them.

    Returns:
        The number of candidate pairs.
    """
    reader = "read_parquet" if str(crawl_path).endswith(".parquet") else "read_csv"
    con.execute(
        f"""CREATE OR REPLACE TEMP TABLE crawl_pages AS
        SELECT DISTINCT lower(part[1]) AS host, CASE WHEN part[2][1] = '/' THEN part[2] ELSE '/' || part[2] END AS path, fingerprint
        FROM (SELECT regexp_extract_all(url, '{_URL}', 1)[1] AS h, regexp_extract_all(url, '{_URL}', 2)[1] AS p,
                     [h, p] AS part, fingerprint
              FROM {reader}($path)
              WHERE coalesce(status, 200) = 200 AND coalesce(mime, 'text/html') = 'text/html')
        WHERE part[1] IS NOT NULL AND fingerprint IS NOT NULL""",
        {"path": str(crawl_path)},
    )
    con.execute("""CREATE OR REPLACE TEMP TABLE crawl_pairs AS
        WITH held AS (SELECT DISTINCT host, fingerprint FROM crawl_pages)
        SELECT a.host AS host_a, b.host AS host_b, count(*) AS shared
        FROM held AS a JOIN held AS b ON a.fingerprint = b.fingerprint AND a.host < b.host
        GROUP BY ALL""")
    return con.execute("SELECT count(*) FROM crawl_pairs").fetchall()[0][0]


def _relation(name: str) -> str:
    """A table's name, schema and all, quoted; not an expression."""
    parts = name.split(".")
    if not all(part and '"' not in part for part in parts):
        raise UsageError(f"{name!r} is not the name of a table")
    return ".".join(f'"{part}"' for part in parts)
