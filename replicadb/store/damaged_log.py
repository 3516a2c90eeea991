"""A database's log (``.wal``) as a power cut or a full disk leaves it. Its end is damaged: DuckDB
writes each commit into it, and one that had not yet reached the disk may be there in part. Or it is
back from before a checkpoint, which removed it: its content is in the database, and DuckDB opens no
such pair. Or it is still there, since the disk had no room for its content in the database.

Invariant: nothing of the log is lost. It ends where it is sound, and as it was it stays beside the
database, ``.wal.damaged``.
"""

from __future__ import annotations

import os
import re
import shutil
import warnings
from pathlib import Path

import duckdb

from replicadb.store.atomic_file import sync_folder

_PLACE = re.compile(r"Corrupt WAL file: entry at byte position (\d+)")
_CHECKPOINTS = re.compile(
    r"created for this database file.* File checkpoint iteration: (\d+),"
    r" WAL checkpoint iteration: (\d+)"
)


def damaged_log(error: duckdb.Error) -> int | None:
    """Where a log is no longer sound, of an error on opening; None: it says nothing of the kind."""
    found = _PLACE.search(str(error))
    return int(found[1]) if found else None


def log_is_older(error: duckdb.Error) -> bool:
    """Whether an error on opening says that the log is of before the last checkpoint."""
    found = _CHECKPOINTS.search(str(error))
    return found is not None and int(found[2]) < int(found[1])


def put_away(path: str) -> None:
    """Move a log of before the last checkpoint aside, and say so."""
    log = f"{path}.wal"
    os.replace(log, f"{log}.damaged")
    sync_folder(os.path.dirname(os.path.abspath(path)))
    warnings.warn(
        f"{path}: its log is of before the last checkpoint, as after a power cut; what was"
        f" committed is there, and the log is {log}.damaged",
        stacklevel=2,
    )


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


def kept_log(log: Path) -> bool:
    """Whether a database that was closed still has its log; where the disk was too full to take it
    into the database, that is said.
    """
    try:
        size = log.stat().st_size
    except FileNotFoundError:
        return False
    if size > shutil.disk_usage(log.parent).free:
        warnings.warn(
            f"{log.with_suffix('')}: the disk is full, so what was written last"
            f" ({size / 1e6:,.1f} MB) stands in {log}; keep the two together, and free some space:"
            " the next command that writes takes it in",
            stacklevel=3,
        )
    return True
