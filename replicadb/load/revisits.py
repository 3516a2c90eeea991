"""Revisits: captures that repeat another one, and borrow from it what their own file does not say.

Invariant: after each load and unload they have what a fresh database would give them that was
loaded with the same files in any order.
"""

from __future__ import annotations

from replicadb.settings import PAGE_TYPES
from replicadb.store.database import Database

STEM = "load/45_revisits"
SETTLED = (
    "update_urls",
    "update_superseded",
    "rivals",
    "rivals_leave_urls",
    "rivals_leave_superseded",
    "newest",
    "others",
)
"""What follows where a revisit borrows something else than before."""
IN_SOURCE = "SELECT count(*) FROM staged WHERE mime = 'warc/revisit' OR revisit_of IS NOT NULL"


def in_source(db: Database) -> bool:
    """Whether ``staged`` has revisits."""
    return bool(db.value(IN_SOURCE))


def settle_source(db: Database, source_id: int, last_url: int, all_types: bool) -> None:
    """After a source is stored: its revisits, and those that repeat something in it.

    Args:
        db: with the temporary tables of the source, in its transaction.
        source_id: the source's.
        last_url: the highest url_id before it.
        all_types: whether its files of any type count as pages.
    """
    found = in_source(db)
    if not (found or _any(db)):
        return
    given = {"source_id": source_id, "last_url": last_url, "all_types": all_types}
    db.run(STEM, given, only="own")
    if found:
        db.run(STEM, given, only="insert_revisits")
    db.run(STEM, given, only="unsettled_by_source")
    _settle(db)


def settle_all(db: Database) -> None:
    """After sources were taken out, in their transaction."""
    if _any(db):
        db.run(STEM, only="unsettled")
        _settle(db)


def _any(db: Database) -> bool:
    return bool(db.value("SELECT count(*) FROM revisits"))


def _settle(db: Database) -> None:
    if not db.value("SELECT count(*) FROM unsettled"):
        return
    db.run(STEM, {"page_types": list(PAGE_TYPES)}, only="borrowed")
    db.run(STEM, only="changed")
    if db.value("SELECT count(*) FROM changed"):
        for name in SETTLED:
            db.run(STEM, only=name)
