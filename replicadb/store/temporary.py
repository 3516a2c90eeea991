"""Temporary tables and views that live as long as a block of code.

Invariant: what a block makes through :meth:`Database.execute` is gone when it ends, however it
ends; so a long session holds no memory for it, and no list of names has to be kept in step with
``sql/``. The names are read from the statements as they run: to ask DuckDB's catalog before and
after each block took longer than most statements of a small crawl.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from replicadb.store.database import Database

_MAKES = re.compile(r"\bCREATE (?:OR REPLACE )?TEMP (TABLE|VIEW) (\w+)")


def made_by(statement: str) -> list[tuple[str, str]]:
    """The temporary tables and views that a statement makes: (name, TABLE or VIEW)."""
    return [(name, kind) for kind, name in _MAKES.findall(statement)]


@contextlib.contextmanager
def temporary(db: Database, keep: Collection[str] = ()) -> Iterator[None]:
    """Temporary tables and views that are made inside are dropped at the end, but those to ``keep``
    for the block around this one.
    """
    before = set(db.temporaries)
    try:
        yield
    finally:
        made = [name for name in db.temporaries if name not in before and name not in keep]
        kinds = {name: db.temporaries.pop(name) for name in made}
        with contextlib.suppress(duckdb.Error):  # a failed transaction takes what it made with it
            for name in sorted(made, key=lambda name: (kinds[name] == "TABLE", name)):
                db.execute(f'DROP {kinds[name]} IF EXISTS temp."{name}"')  # views first
