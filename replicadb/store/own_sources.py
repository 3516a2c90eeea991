"""The crawl files that a database was loaded from: no result is written over one of them, neither
by a command nor by COPY or EXPORT DATABASE in somebody's own statement.

Invariant: what is looked at are files, not names: a link to a crawl file is that file. A name
without a folder in front is looked for in the current folder, in that of the database, and in those
above it, since the database has it as it was given.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from replicadb.errors import UsageError
from replicadb.store.atomic_file import is_duckdb
from replicadb.store.database import Database


def refuse_source(db: Database, out: str | Path) -> None:
    """Raises UsageError where a result would be written over a database, over a file that was
    loaded, or over a folder that has one.
    """
    if is_duckdb(out):
        raise UsageError(f"{out}: is a DuckDB database; name another file")
    try:
        there = os.stat(out)
    except (OSError, ValueError):  # nothing is lost; whoever writes it says what is wrong
        return
    folder = Path(os.path.realpath(out)) if os.path.isdir(out) else None
    for source in _files(db):
        if os.path.samestat(there, os.stat(source)):
            raise UsageError(
                f"{out}: is a crawl file that {db.path} was loaded from; name another file"
            )
        if folder is not None and folder in source.parents:
            raise UsageError(
                f"{out}: has crawl files that {db.path} was loaded from; name another folder"
            )


def _files(db: Database) -> Iterator[Path]:
    """The files that were loaded, as far as they are still there; without links."""
    database = Path(os.path.realpath(db.path))
    folders = [Path.cwd(), *database.parents]
    for source in db.column("SELECT DISTINCT source FROM sources WHERE source <> '-'"):
        for folder in folders:
            with contextlib.suppress(OSError, ValueError):
                if (folder / source).is_file():
                    yield Path(os.path.realpath(folder / source))
