"""NormPaths (paper Eq. 8), the ranking that replicadb is compared with
(docs/method.md#normpaths).

Invariant: nothing comes from the stages of detection. Sums are over integers, so the number
of threads does not matter.
"""

from __future__ import annotations

import duckdb
import pyarrow as pa

from replicadb.errors import UsageError

LONGEST_LIST = 1_000
"""Hosts; NormPaths skips longer inverted lists, which give a pair less than 0.001 each and cost
n^2.
"""

SCALE = 1 << 40
"""NormPaths is summed as integers, round(SCALE / |L|)."""


def normpaths(con: duckdb.DuckDBPyConnection, pages: str, pairs: str) -> pa.Table:
    """NormPaths of given pairs (docs/method.md#normpaths): one inverted list L per (path,
    fingerprint), sim = sum of 1 / |L|.

    Args:
        con: an open connection.
        pages: table or view with host, path, fingerprint (rows with NULL are passed over; repeats
            count once).
        pairs: table or view with host_a, host_b.

    Returns:
        Arrow table host_a, host_b, normpaths (double, 0 where nothing is shared), one row for each
        distinct pair, sorted.

    Complexity: one join of the lists with themselves, cut to the given pairs; at most sum of |L|^2
        rows pass through.
    """
    pages, pairs = _relation(pages), _relation(pairs)
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE normpaths_lists AS
        WITH listed AS (
            SELECT DISTINCT
                host,
                hash(path, fingerprint, reverse(path), reverse(fingerprint)) AS list
            FROM {pages}
            WHERE host IS NOT NULL AND path IS NOT NULL AND fingerprint IS NOT NULL
        )
        SELECT host, list, n
        FROM (SELECT host, list, count(*) OVER (PARTITION BY list) AS n FROM listed)
        WHERE n BETWEEN 2 AND {LONGEST_LIST}""")
    found: pa.Table = con.sql(f"""
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
    con.execute("DROP TABLE temp.normpaths_lists")
    return found


def _relation(name: str) -> str:
    """A table's name, schema and all, quoted; not an expression."""
    parts = name.split(".")
    if not all(part and '"' not in part for part in parts):
        raise UsageError(f"{name!r} is not the name of a table")
    return ".".join(f'"{part}"' for part in parts)
