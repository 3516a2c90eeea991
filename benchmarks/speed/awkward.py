"""Load and detect on crawls of awkward shapes (shapes.py), with and without the cluster cap: time,
memory, and that nothing is lost.

Invariant: each figure is of a whole process, and each result is checked against plain SQL on
what was loaded: rows read = kept + replaced + skipped + rejected = rows of the file; candidate
pairs = distinct pairs of hosts that share a fingerprint on no more hosts than the cap;
skipped_clusters = fingerprints on more. "refused" = detect says how many pairs would come, more
than its --max-pairs, and ends with exit code 3, nothing done.

Run ``python -m benchmarks.speed.awkward [SHAPE ...] [--share 0.02]``: share of each shape's usual
rows.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import inputs
from benchmarks.measure import Usage, markdown, process, reading, replicadb
from benchmarks.speed import shapes

REFUSED = 3
CAP = 1_000
"""Default of --max-cluster-hosts."""
HEADER = [
    "shape",
    "rows",
    "hosts",
    "load s",
    "load peak MB",
    "detect",
    "s",
    "peak MB",
    "candidate pairs",
    "clusters over the cap, skipped",
    "their pairs",
]


def main(names: list[str] = (), share: float = 1.0) -> str:
    """Returns the Markdown table.

    Raises:
        SystemExit: something was lost.
    """
    rows = [
        row
        for name in names or shapes.ORDINARY
        for row in _shape(name, round(shapes.SHAPES[name][0] * share), inputs.ROOT)
    ]
    return (
        markdown(HEADER, rows)
        + "\n\n"
        + "\n".join(f"- {name}: {shapes.SHAPES[name][1]}" for name in names or shapes.ORDINARY)
    )


def _shape(name: str, n: int, scratch: Path) -> list[list[object]]:
    database = scratch / "awkward.duckdb"
    database.unlink(missing_ok=True)
    load = replicadb("load", database, shapes.made(inputs.ROOT, name, n), "--quiet")
    hosts = checked_load(name, database, n)
    lines = []
    for title, cap in (("cap 1,000", CAP), ("no cap", 0)):
        command = [
            sys.executable,
            "-m",
            "replicadb",
            "detect",
            database,
            "--quiet",
            "--max-cluster-hosts",
            cap,
        ]
        used = process(command, REFUSED)
        lines.append(
            [
                name,
                f"{n:,}",
                f"{hosts:,}",
                f"{load.wall:.1f}",
                f"{load.peak_mb:,.0f}",
                title,
                *_cells(name, database, cap, used),
            ]
        )
    database.unlink()
    return lines


def checked_load(name: str, database: Path, n: int) -> int:
    with reading(database) as con:
        read, counted, hosts = con.execute(
            "SELECT sum(read), sum(kept + replaced + skipped + rejected), (SELECT count(*) FROM"
            " hosts) FROM sources"
        ).fetchall()[0]
    if not read == counted == n:
        raise SystemExit(f"{name}: {n:,} rows, {read:,} read, {counted:,} accounted for")
    return hosts


def _cells(name: str, database: Path, cap: int, used: Usage | None) -> list[str]:
    with reading(database) as con:
        con.execute(
            """
            CREATE TEMP TABLE stands AS
                SELECT DISTINCT fingerprint_kind, fingerprint, host_id FROM urls
                WHERE fingerprint IS NOT NULL;
            CREATE TEMP TABLE counted AS
                SELECT fingerprint_kind, fingerprint, count(*) AS hosts FROM stands
                GROUP BY ALL HAVING hosts > 1"""
        )
        if used is None:
            pairs = con.execute(
                "SELECT sum(hosts * (hosts - 1) // 2)::BIGINT FROM counted"
            ).fetchall()[0][0]
            return ["refused", "", f"{pairs:,} would come", "0", ""]
        wanted = con.execute(
            """
            SELECT count(DISTINCT (x.host_id, y.host_id)) FROM counted AS c
            JOIN stands AS x USING (fingerprint_kind, fingerprint)
            JOIN stands AS y USING (fingerprint_kind, fingerprint)
            WHERE x.host_id < y.host_id AND ($cap = 0 OR hosts <= $cap)""",
            {"cap": cap},
        ).fetchall()[0][0]
        beyond = con.execute(
            "SELECT count(*), coalesce(sum(hosts * (hosts - 1) // 2), 0)::BIGINT FROM counted WHERE"
            " $cap > 0 AND hosts > $cap",
            {"cap": cap},
        ).fetchall()[0]
        found = con.execute("SELECT count(*) FROM pair_features").fetchall()[0][0]
        skipped = con.execute(
            "SELECT count(*), coalesce(sum(pairs), 0)::BIGINT FROM skipped_clusters"
        ).fetchall()[0]
        ranked = con.execute("SELECT count(*) FROM ranking").fetchall()[0][0]
    if not found == wanted == ranked or skipped != beyond:
        raise SystemExit(
            f"{name}, cap {cap}: {wanted:,} pairs by plain SQL, {found:,} with features, {ranked:,}"
            f" ranked; clusters over the cap, and pairs: {beyond} by plain SQL, {skipped} listed"
        )
    return [
        f"{used.wall:.1f}",
        f"{used.peak_mb:,.0f}",
        f"{found:,}",
        f"{skipped[0]:,}",
        f"{skipped[1]:,}",
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=", ".join(shapes.SHAPES))
    parser.add_argument("--share", type=float, default=1.0, help="of each shape's usual rows")
    options = parser.parse_args()
    print(main(options.shapes, options.share))
