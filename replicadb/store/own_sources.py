"""The crawl files that a database was loaded from: no result is written over one of them.

Invariant: what is looked at are files, not names: a link to a crawl file is that file, and a name
is relative to the current folder.
"""

from __future__ import annotations

import os
from pathlib import Path

from replicadb.errors import UsageError
from replicadb.store.database import Database


def refuse_source(db: Database, out: str | Path) -> None:
    """Raises UsageError where a result would be written over a file that was loaded."""
    try:
        there = os.stat(out)
    except (OSError, ValueError):  # nothing is lost; whoever writes it says what is wrong
        return
    for source in db.column("SELECT DISTINCT source FROM sources WHERE source <> '-'"):
        try:
            same = os.path.samestat(there, os.stat(source))
        except (OSError, ValueError):  # gone, or named from another folder
            continue
        if same:
            raise UsageError(
                f"{out}: is a crawl file that {db.path} was loaded from; name another file"
            )
