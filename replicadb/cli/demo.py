"""``replicadb demo``: the main job on a small generated crawl, start to end."""

from __future__ import annotations

import sys
from pathlib import Path

import replicadb
from replicadb.cli import messages
from replicadb.errors import DataError
from replicadb.export import writers

SHOWN = 10
TOP = """
    SELECT
        rank,
        host_a,
        host_b,
        round(probability, 4) AS probability,
        flagged,
        shared,
        round(containment, 2) AS containment,
        round(agreement, 2) AS agreement
    FROM replicas
    ORDER BY rank
    LIMIT $n"""
PAIR = """
    SELECT host_a AS a, host_b AS b, shared FROM replicas
    WHERE flagged AND NOT obvious ORDER BY rank LIMIT 1"""
SIDE_BY_SIDE = """
    SELECT
        [a.path, a.fingerprint, a.length::VARCHAR] AS a,
        [b.path, b.fingerprint, b.length::VARCHAR] AS b
    FROM shared_pages($a, $b) AS s
    JOIN pages AS a ON a.url = s.url_a
    JOIN pages AS b ON b.url = s.url_b
    ORDER BY s.hosts_with_it, length(a.path), a.path, b.path
    LIMIT 1"""
MARK = ".replicadb-demo"  # says that the folder is the demo's, which may make it anew


def demonstrate(folder: Path, hosts: int, seed: int, quiet: bool) -> None:
    """Generate, load, detect, and print the top replicas, a page of two side by side, and commands
    to try next.

    Raises:
        DataError: the folder cannot be made, or holds a database that is in use.
    """
    from replicadb.synthetic.crawl.generate import generate

    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).exists():
        raise DataError(
            f"{folder}: there are files in it already that no demo made; name a new folder"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARK).touch()
        crawl = generate(folder, hosts, profile="demo", seed=seed)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}") from error
    messages.say(
        f"generated {crawl.crawl}: {crawl.urls:,} URLs on {crawl.hosts:,} hosts, with"
        f" {crawl.replica_pairs:,} replica pairs planted",
        quiet,
    )
    database = folder / "demo.duckdb"
    for old in (database, folder / "demo.duckdb.wal"):
        old.unlink(missing_ok=True)
    with replicadb.open(database) as web:
        messages.tell_load(web.load(str(crawl.crawl)), quiet)
        messages.tell_detect(web.detect(report=messages.StageReport(quiet)), quiet)
        top = web.sql(TOP, {"n": SHOWN})
        page = _side_by_side(web)
    sys.stdout.write(writers.as_fits(top, writers.terminal_width()) + page)
    sys.stdout.flush()
    for line in (
        "",
        "try next:",
        f"  replicadb export {database} - --top 10",
        f'  replicadb sql {database} "SELECT * FROM replica_groups ORDER BY hosts DESC LIMIT 5"',
        f"  replicadb evaluate {database} {crawl.gold_csv} --methods ours,normpaths",
        f"  replicadb info {database}",
    ):
        messages.say(line, quiet)


def _side_by_side(web: replicadb.ReplicaDB) -> str:
    """One page of two flagged hosts, as text; nothing where no pair is flagged."""
    import polars as pl

    for a, b, shared in web.sql(PAIR).rows():
        for page_a, page_b in web.sql(SIDE_BY_SIDE, {"a": a, "b": b}).rows():
            rows = pl.DataFrame({"": ["page", "content", "bytes"], a: page_a, b: page_b})
            title = f"one of the {shared} contents that {a} and {b} share"
            return f"\n{title}:\n{writers.as_fits(rows, writers.terminal_width())}"
    return ""
