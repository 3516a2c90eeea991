"""The paper's whole collection: synth, load, detect of every pair, again within 6 GB, the bare
script, and transitions on all pairs.

Invariant: each figure is of a whole process; both detections start from the same loaded file
and must find the same pairs and flags. The crawl is kept for the next run (then synth is not timed
again unless asked for); databases are removed unless --keep.

Run ``python -m benchmarks.speed.full [--urls 30000000] [--synth] [--keep]``.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from pathlib import Path

from benchmarks import inputs
from benchmarks.measure import NO_LIMITS, Usage, cells, markdown, printed, reading, replicadb
from benchmarks.speed import bare
from benchmarks.speed.scale import Point, counted

DATABASE = inputs.ROOT / "full.duckdb"
"""After detect; removed unless it is to be kept."""
LIMIT = "6GB"
MARKS = {
    "load": "120 s",
    "detect": "360 s, 10,000 MB; file 8,000 MB",
    f"detect --memory-limit {LIMIT}": "finishes",
}
HEADER = ["", "rows", "wall s", "CPU s", "peak MB", "file MB", "mark"]


def main(
    urls: int = inputs.PAPER_URLS, synth: bool = False, keep: bool = False
) -> tuple[str, Point]:
    """Returns the Markdown, and the point for scale.py.

    Raises:
        SystemExit: the two detections differ.
    """
    hosts = round(urls * inputs.PAPER_HOSTS / inputs.PAPER_URLS)
    folder = inputs.ROOT / f"paper-{hosts}-{urls}-0"
    rows = []
    if synth or not (folder / "crawl.parquet").is_file():
        part = folder.with_name(folder.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        inputs.ROOT.mkdir(parents=True, exist_ok=True)
        made = replicadb(
            "synth", part, "--hosts", hosts, "--urls", urls, "--profile", "paper", "--quiet"
        )
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
        rows.append(["synth", f"{hosts:,} hosts", *cells(made, folder / "crawl.parquet"), ""])
    database, loaded = DATABASE, inputs.ROOT / "loaded.duckdb"
    for path in (database, loaded):
        path.unlink(missing_ok=True)
    load = replicadb("load", database, folder / "crawl.parquet", "--quiet")
    rows.append(
        [
            "load",
            f"{_value(database, 'SELECT count(*) FROM urls'):,} URLs",
            *cells(load, database),
            MARKS["load"],
        ]
    )
    shutil.copyfile(database, loaded)
    point, found = _detect("detect", database, rows, load)
    _, within = _detect(
        f"detect --memory-limit {LIMIT}", loaded, rows, load, "--memory-limit", LIMIT
    )
    if found != within:
        raise SystemExit(f"detect found {found} pairs and flags, within {LIMIT} {within}")
    loaded.unlink()
    parts = [
        against_gold(database, folder / "gold.csv"),
        "Transitions (method paper, all in one process):",
        _or_failure(lambda: printed("benchmarks.speed.transitions", database)),
        "Against a bare DuckDB script that makes the same candidates with nine columns:",
        _or_failure(lambda: bare.against(database, point.detect, inputs.ROOT / "bare-out.duckdb")),
    ]
    if not keep:
        database.unlink()
    if urls != inputs.PAPER_URLS:
        rows = [[*row[:-1], ""] for row in rows]
    return "\n\n".join([markdown(HEADER, rows), *parts]), point


def against_gold(database: Path, gold: Path) -> str:
    """How many flagged pairs and hosts to drop are planted ones, of how many; of a group all hosts
    but one can be dropped (gold has all of its pairs, so all but the first by name stand as
    host_b).
    """
    with reading(database) as web:
        web.execute(
            f"CREATE TEMP TABLE planted AS SELECT host_a, host_b FROM read_csv('{gold}') WHERE"
            " label = 'replica'"
        )
        every, droppable = web.execute(
            "SELECT count(*), count(DISTINCT host_b) FROM planted"
        ).fetchall()[0]
        flagged, right = web.execute(
            """
            SELECT count(*), count(p.host_a) FROM ranking
            JOIN hosts AS a ON a.host_id = a_id JOIN hosts AS b ON b.host_id = b_id
            LEFT JOIN planted AS p ON p.host_a = a.host AND p.host_b = b.host
            WHERE flagged"""
        ).fetchall()[0]
        dropped, copies = web.execute(
            """
            SELECT count(*), count(p.host_a) FROM flagged_hosts AS f
            LEFT JOIN planted AS p ON p.host_a = least(f.host, f.canonical_host)
                AND p.host_b = greatest(f.host, f.canonical_host)"""
        ).fetchall()[0]
    return (
        f"Flagged pairs: {flagged:,}, {right:,} of them planted, of {every:,} (most are of farms of"
        f" a hundred). Hosts to drop: {dropped:,}, {copies:,} of them copies of the host to keep,"
        f" of {droppable:,}."
    )


def _or_failure(part: Callable[[], str]) -> str:
    """What a part says, or why it failed (the bare script has no slices: it may need more memory or
    disk than there is); the rest is worth having then.
    """
    try:
        return part()
    except SystemExit as error:
        return f"**Failed**: {error}"


def _detect(
    title: str, database: Path, rows: list[list[object]], load: Usage, *options: object
) -> tuple[Point, tuple[int, int]]:
    used = replicadb("detect", database, "--quiet", *NO_LIMITS, *options)
    urls, pairs = counted(database)
    rows.append([title, f"{pairs:,} pairs", *cells(used, database), MARKS[title]])
    return Point("size", urls, pairs, load, used, database.stat().st_size / 1e6), (
        pairs,
        _value(database, "SELECT count(*) FROM ranking WHERE flagged"),
    )


def _value(database: Path, query: str) -> int:
    with reading(database) as con:
        return con.execute(query).fetchall()[0][0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--urls", type=int, default=inputs.PAPER_URLS)
    parser.add_argument("--synth", action="store_true", help="make the crawl anew and time that")
    parser.add_argument(
        "--keep", action="store_true", help="leave the database after detect: full.duckdb"
    )
    options = parser.parse_args()
    print(main(options.urls, options.synth, options.keep)[0])
