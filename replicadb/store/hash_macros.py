"""When the macros of sql/functions/10_hashes are made: before the first statement that names one.

Invariant: a statement that calls one finds it, by way of a view or macro of somebody's, too: where
one fails for lack of them, they are made, and it is run again. To make them is a fifth of what a
small database costs to open, and few commands need them.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from replicadb.store.statements import statements

if TYPE_CHECKING:
    from replicadb.store.database import Database

HASHES = "functions/10_hashes"
_LACKING = re.compile(r"Function with name (\w+) does not exist")


@lru_cache(maxsize=2000)
def names_a_hash(sql: str) -> bool:
    """Whether a statement may call one of the macros; columns have such names, too."""
    return _call().search(sql) is not None


@cache
def _call() -> re.Pattern[str]:
    between = r"(?:\s|--[^\n]*\n|/\*.*?\*/)*"
    return re.compile(rf"(?:{'|'.join(statements(HASHES))})\"?{between}\(", re.I | re.S)


def made_for(db: Database, error: BaseException) -> bool:
    """Whether somebody's statement failed for lack of them, and is to be run again: they are made
    now.
    """
    lacking = _LACKING.search(str(error))
    if HASHES in db.macros or lacking is None or not names_a_hash(f"{lacking[1]}("):
        return False
    make_hashes(db, f"{lacking[1]}(")
    db.for_people("")
    return True


def make_hashes(db: Database, sql: str, theirs: bool = False) -> None:
    """Make the macros, if the statement names one and this connection has none of them yet.

    Args:
        theirs: it is somebody's own; of several in one text the first ones are not run again.
    """
    several = theirs and ";" in sql.rstrip("; \t\r\n")
    if HASHES not in db.macros and (several or names_a_hash(sql)):
        db.macros |= {HASHES}  # each of them may name another
        try:
            db.run(HASHES)
        except BaseException:
            db.macros -= {HASHES}
            raise
