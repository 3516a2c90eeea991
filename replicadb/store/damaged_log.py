"""A database's log (``.wal``) whose end is damaged: DuckDB writes each commit into it, and after a
power cut a commit that had not yet reached the disk may be there in part.

Invariant: nothing of the log is lost. It ends where it is sound, and as it was it stays beside the
database, ``.wal.damaged``.
"""

from __future__ import annotations

import os
import re
import shutil
import warnings

import duckdb

_PLACE = re.compile(r"Corrupt WAL file: entry at byte position (\d+)")


def damaged_log(error: duckdb.Error) -> int | None:
    """Where a log is no longer sound, of an error on opening; None: it says nothing of the kind."""
    found = _PLACE.search(str(error))
    return int(found[1]) if found else None


def end_log(path: str, at: int) -> None:
    """Cut the log of a database where it is damaged, keep it as it was, and say so."""
    log = f"{path}.wal"
    shutil.copyfile(log, f"{log}.damaged")
    with open(log, "r+b") as file:
        file.truncate(at)
        os.fsync(file.fileno())
    warnings.warn(
        f"{path}: its log was damaged from byte {at:,} on, as after a power cut; what was committed"
        f" before is there, and the log as it was is {log}.damaged; give the last command again",
        stacklevel=2,
    )
