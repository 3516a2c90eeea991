"""Who of this process loads, unloads or detects in a file: one at a time.

Invariant: DuckDB's lock shuts out other processes, this the other connections of this one. A
detection has a transaction for each stage, so what came or went in between would be in some stages
alone.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from replicadb.errors import UsageError

if TYPE_CHECKING:
    from replicadb.store.database import Database

_AT_WORK: dict[str, list[str]] = {}
"""What is being done, by file."""


@contextlib.contextmanager
def alone(db: Database, what: str) -> Iterator[None]:
    """While inside nobody else of this process does such work in the file.

    Args:
        what: is done, as the error of others says it: ``a load``.

    Raises:
        UsageError: somebody is at work there.
    """
    file, this = _file(db), [what]
    other = _AT_WORK.setdefault(file, this)
    if other is not this:
        raise UsageError(f"{db.path}: {other[0]} of this process is under way; wait for its end")
    try:
        yield
    finally:
        del _AT_WORK[file]


def somebody(db: Database) -> bool:
    """Whether somebody of this process is at work in the file."""
    return _file(db) in _AT_WORK


def _file(db: Database) -> str:
    """What stands for the file; a database in memory is a file of its own."""
    return f"{db.path}{id(db)}" if db.path == ":memory:" else os.path.realpath(db.path)
