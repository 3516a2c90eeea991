"""Blocks of a database that were written in part when the machine or the process died.

DuckDB writes into the free places of a metadata block without moving it. Where that write is cut
off, the block still holds what the last checkpoint refers to, and new parts where none was. But its
checksum is that of a block that was never written whole, and DuckDB opens no such file.

Invariant: a block is mended only where the log says that a checkpoint had begun and not ended.
What else is damaged stays damaged, and is reported.
"""

from __future__ import annotations

import os
import re
import warnings

import duckdb
import numpy as np

HEADERS = 3 * 4096
"""Bytes before the first block."""
BLOCK = 1 << 18
"""Bytes of a block, its checksum's eight first."""
_PLACE = re.compile(r"computed checksum \d+ does not match stored .* in block at location (\d+)")
_CHECKPOINT = re.compile(
    rb"\x64\0\x63[^\xff]{4,30}(?:\xff\xff)+\x05\0{7}.{8}\x64\0\x64\xff\xff\Z", re.DOTALL
)
"""The end of a log: a record of type 99, a checkpoint, and one of type 100, a commit."""


def checkpoint_begun(path: str) -> bool:
    """Whether the log of a database ends in a checkpoint that was not brought to its end."""
    try:
        with open(f"{path}.wal", "rb") as log:
            log.seek(max(0, os.path.getsize(log.name) - 100))
            return _CHECKPOINT.search(log.read()) is not None
    except OSError:
        return False


def never_begun(path: str, error: duckdb.Error) -> bool:
    """Whether an error on opening says that a file was cut off while DuckDB made it: it ends before
    its headers do, so nothing was ever in it. Of a file that another process is making just now it
    says that it is locked, which is something else.
    """
    try:
        short = 0 < os.path.getsize(path) < HEADERS and not os.path.exists(f"{path}.wal")
    except OSError:
        return False
    return short and "Could not read enough bytes" in str(error)


def torn_block(error: duckdb.Error) -> int | None:
    """Where a block lies whose checksum is wrong, of an error; None: it says nothing of it."""
    found = _PLACE.search(str(error))
    return int(found[1]) if found else None


def seal(path: str, at: int) -> bool:
    """Give the block at a place the checksum of what is in it; whether it had another."""
    with open(path, "r+b") as file:
        file.seek(at)
        words = np.frombuffer(file.read(BLOCK), "<u8")
        if not len(words) or words[0] == (right := checksum(words[1:])):
            return False
        file.seek(at)
        file.write(right.astype("<u8").tobytes())
        file.flush()
        os.fsync(file.fileno())
    warnings.warn(
        f"{path}: a checkpoint was cut off while it wrote the block at byte {at:,}, as by a power"
        " cut; what was committed before is there",
        stacklevel=2,
    )
    return True


def checksum(words: np.ndarray) -> np.uint64:
    """DuckDB's, of the words after it."""
    mixed = np.bitwise_xor.reduce(words * np.uint64(0xBF58476D1CE4E5B9))
    return np.uint64(mixed ^ np.uint64(5381))


def seal_metadata(con: duckdb.DuckDBPyConnection, path: str) -> None:
    """Seal those of the metadata blocks that are torn; DuckDB reads most of them only when it needs
    them.
    """
    found = con.execute("SELECT DISTINCT block_id FROM pragma_metadata_info()").fetchall()
    for (number,) in sorted(found):
        seal(path, HEADERS + number * BLOCK)
