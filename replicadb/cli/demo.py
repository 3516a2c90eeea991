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
MARK = ".replicadb-demo"  # says that the folder is the demo's, which may make it anew


def demonstrate(folder: Path, hosts: int, seed: int, quiet: bool) -> None:
    """Generate, load, detect, and print the top replicas with three commands to try next.

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
    sys.stdout.write(writers.as_table(top))
    sys.stdout.flush()
    messages.say(
        f"""
try next:
  replicadb export {database} - --top 10
  replicadb sql {database} "SELECT * FROM replica_groups ORDER BY hosts DESC LIMIT 5"
  replicadb evaluate {database} {crawl.gold_csv} --methods ours,normpaths
  replicadb info {database}""",
        quiet,
    )
