"""Temporary tables and views that live as long as a block of code.

Invariant: what a block makes is gone when it ends, however it ends; so a long session holds
no memory for it, and no list of names has to be kept in step with ``sql/``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from replicadb.store.database import Database

_KINDS = {
    "VIEW": "SELECT view_name FROM duckdb_views() WHERE temporary AND NOT internal",
    "TABLE": "SELECT table_name FROM duckdb_tables() WHERE temporary",
}
"""Views first: they may stand on the tables."""


@contextlib.contextmanager
def temporary(db: Database, keep: Collection[str] = ()) -> Iterator[None]:
    """Temporary tables and views that are made inside are dropped at the end, but those to ``keep``
    for the block around this one.
    """
    before = {kind: set(db.column(query)) for kind, query in _KINDS.items()}
    try:
        yield
    finally:
        with contextlib.suppress(duckdb.Error):  # a failed transaction takes what it made with it
            for kind, query in _KINDS.items():
                for name in sorted(set(db.column(query)) - before[kind] - set(keep)):
                    db.execute(f'DROP {kind} temp."{name}"')
