"""A database file written anew without the space that deleted rows left in it.

Invariant: the file is replaced whole or not at all; tables keep the order of their rows, which is
the result itself in ``ranking``.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

import duckdb

from replicadb.errors import LockedError
from replicadb.store.atomic_file import atomic_write
from replicadb.store.connecting import connect
from replicadb.store.quoting import literal

LEAST_FREE = 0.25
"""Share of the file; less is left for the next load to use."""


def compact(path: str | Path) -> bool:
    """Give the free space of a closed database back to the disk, where it is worth it.

    Returns:
        Whether the file was written anew: not where less than LEAST_FREE of it is free, the disk
        has no room for both, or another process has it open by now.

    Raises:
        DataError: the file cannot be written.
    """
    with contextlib.suppress(LockedError):
        size, folder = Path(path).stat().st_size, Path(path).resolve().parent
        if free_bytes(path) >= LEAST_FREE * size and shutil.disk_usage(folder).free >= size:
            return _written_anew(path)
    return False


def _written_anew(path: str | Path) -> bool:
    """Replace the file, unless it has a log, which belongs to the old one. Nobody can write into
    that while it is attached: so it stays so until the new one stands in its place.
    """
    with contextlib.closing(connect(":memory:", read_only=False)) as con:
        _attach(con, path)
        if Path(f"{path}.wal").exists():
            return False
        with atomic_write(path, over_database=True) as part:
            Path(part).unlink()  # DuckDB takes no empty file for a new one
            con.execute("SET preserve_insertion_order = true")
            con.execute("SET memory_limit = '30%'")
            con.execute(f"ATTACH {literal(part)} AS after")
            con.execute("COPY FROM DATABASE before TO after")
            con.execute("DETACH after")
            if os.name == "nt":  # there no file is replaced that is open
                con.execute("DETACH before")
    return True


def _attach(con: duckdb.DuckDBPyConnection, path: str | Path) -> None:
    """Raises LockedError where another process has the file open to write."""
    try:
        con.execute(f"ATTACH {literal(str(path))} AS before (READ_ONLY)")
    except duckdb.IOException as error:
        raise LockedError(f"{path}: {error}") from error


def free_bytes(path: str | Path) -> int:
    """Bytes of a closed database file that hold nothing.

    Raises:
        LockedError: another process has it open to write.
    """
    con = connect(str(path), read_only=True)
    try:
        block, free = con.execute(
            "SELECT block_size, free_blocks FROM pragma_database_size()"
        ).fetchall()[0]
    finally:
        con.close()
    return int(block) * int(free)
