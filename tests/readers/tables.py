"""What the tests of tables have in common: the rows that most of them have, what was loaded, and
what a reader makes of a file before it is loaded.
"""

from __future__ import annotations

from pathlib import Path

from replicadb.load.load_options import LoadOptions
from replicadb.load.staging import stage
from replicadb.readers.formats import Source, recognise
from replicadb.store.database import Database
from replicadb.store.scratch_folder import scratch_folder

TWO = [("http://a.com/", "x1"), ("http://b.com/", "x2")]


def pages(web) -> list[tuple]:
    return web.database.rows("SELECT url, fingerprint FROM pages ORDER BY ALL")


def rejects(web) -> list[tuple]:
    return web.database.rows("SELECT position, url, reason FROM rejects ORDER BY ALL")


def staged(db: Database, path, format: str = "auto", columns=None) -> list[dict]:
    """All rows of a file as a load stages them, a tenth of what the load costs: it is the other
    tests that try how they are judged and stored. A row with a ``problem`` would be rejected.
    """
    format = recognise(path) if format == "auto" else format
    options, source = LoadOptions(columns=columns or {}), Source(Path(path), str(path), True)
    with scratch_folder() as scratch, db.temporary():
        stage(db, source, format, options, None, scratch, None)
        return db.arrow("FROM staged ORDER BY position").to_pylist()


def captures(rows: list[dict]) -> list[tuple]:
    """URL and digest of the rows that are well."""
    return sorted((r["url"], r["digest"]) for r in rows if not r["problem"] and r["url"])


def problems(rows: list[dict]) -> list[tuple]:
    """Position, URL and problem of the others."""
    return [
        (r["position"], r["url"], r["problem"] or "no URL")
        for r in rows
        if r["problem"] or not r["url"]
    ]
