"""When the macros of sql/functions/10_hashes are made: before the first statement that names one.

Invariant: a statement that calls one finds it. To make them is a fifth of what a small database
costs to open, and few commands need them.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from replicadb.store.statements import statements

if TYPE_CHECKING:
    from replicadb.store.database import Database

HASHES = "functions/10_hashes"


@lru_cache(maxsize=2000)
def names_a_hash(sql: str) -> bool:
    """Whether a statement may call one of the macros; columns have such names, too."""
    return _call().search(sql) is not None


@cache
def _call() -> re.Pattern[str]:
    between = r"(?:\s|--[^\n]*\n|/\*.*?\*/)*"
    return re.compile(rf"(?:{'|'.join(statements(HASHES))})\"?{between}\(", re.I | re.S)


def make_hashes(db: Database, sql: str) -> None:
    """Make the macros, if the statement names one and this connection has none of them yet."""
    if HASHES not in db.macros and names_a_hash(sql):
        db.macros |= {HASHES}  # each of them may name another
        try:
            db.run(HASHES)
        except BaseException:
            db.macros -= {HASHES}
            raise
