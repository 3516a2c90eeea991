"""Loads taken out again: afterwards the database holds what it would hold had they never been."""

from __future__ import annotations

import time
from pathlib import Path

from replicadb.errors import DataError, UsageError
from replicadb.given_file import name_of
from replicadb.likely_meant import did_you_mean
from replicadb.load import revisits
from replicadb.load.host_lists import give_named_ips
from replicadb.store import at_work, run_log
from replicadb.store.database import Database


def unload(db: Database, name: str) -> int:
    """Take one load out again, by its label or by the name of its source.

    Returns:
        The number of source files taken out.

    Raises:
        DataError: no such load. UsageError: that can be no name of one, or a load or a detection of
            this process is under way in the file.
    """
    started, name = time.time(), _text_of(name)
    with at_work.alone(db, "an unload"), db.transaction():
        leaving = db.column(
            "SELECT source_id FROM sources JOIN loads USING (load_id) WHERE name = ?", [name]
        ) or db.column("SELECT source_id FROM sources WHERE source = ?", [name])
        if not leaving:
            known = db.column("SELECT name FROM loads ORDER BY load_id")
            more = f" and {len(known) - 10:,} more (info has them)" if len(known) > 10 else ""
            there = f"there are: {', '.join(known[:10])}{more}" if known else "nothing is loaded"
            raise DataError(f"no load called {name!r}{did_you_mean(name, known)}; {there}")
        take_out(db, leaving)
    run_log.record(db, "unload", started, {"name": name}, {"sources": len(leaving)})
    return len(leaving)


def _text_of(name: object) -> str:
    """Raises UsageError where what is given cannot name a load."""
    if isinstance(name, str | Path):
        return name_of(name)
    raise UsageError(f"{name!r}: no name of a load; give its label or its source's name as text")


def take_out(db: Database, source_ids: list[int]) -> None:
    """Take sources out; inside a transaction."""
    db.run_once("functions/30_digests")
    with db.temporary():
        db.execute(
            "CREATE OR REPLACE TEMP TABLE leaving AS SELECT unnest($ids::INTEGER[]) AS source_id",
            {"ids": source_ids},
        )
        db.run("load/90_unload")
        revisits.settle_all(db)
    give_named_ips(db)
