"""Files that are there whole or not at all: written beside their place under a name of their own,
then renamed.

Invariant: whoever opens the name finds the file as it was or as it is to be, never a part of it,
after a power cut too. What is reported as written is on the disk under its name. What a killed
process has left (.NAME.*.part, untouched for a day) goes when the next file of that name is
written.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from replicadb.errors import DataError, UsageError

NAME_BYTES = 100  # of the file's name that its part bears
LEFT = 86_400.0
"""Seconds since its last byte after which nobody writes a part any more."""


@contextlib.contextmanager
def atomic_write(path: str | Path, over_database: bool = False) -> Iterator[str]:
    """A name to write to; what was written there is at ``path`` when the block ends, and gone if it
    ends with an exception.

    A link stays and leads to the new file, which has the mode of the one before it.

    Args:
        over_database: a DuckDB database may stand there, and goes.

    Raises:
        DataError: the file cannot be written, or what stands there is no file (a device, a pipe).
        UsageError: standard output is meant, ``-``, or a database stands there.
    """
    if str(path) == "-":
        raise UsageError("-: this cannot be written to standard output; give a file name")
    if not over_database and is_duckdb(path):
        raise UsageError(f"{path}: is a DuckDB database; name another file")
    target, part = _target(path), None
    try:
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
        prefix = f".{os.fsencode(target.name)[:NAME_BYTES].decode('utf-8', 'ignore')}."
        _sweep(target.parent, prefix)
        handle, part = tempfile.mkstemp(prefix=prefix, suffix=".part", dir=target.parent)
        os.close(handle)
        yield part
        sync_file(part)  # by its name: some writers remove the file and make it anew
        os.chmod(part, mode)
        os.replace(part, target)
        sync_folder(target.parent)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        if part:
            with contextlib.suppress(OSError):
                os.unlink(part)


def is_duckdb(path: str | Path) -> bool:
    """Whether a file begins as a DuckDB database does; no pipe is opened, which would wait."""
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as handle:
            return handle.read(12)[8:] == b"DUCK"
    except (OSError, ValueError):
        return False


def sync_file(path: str | Path) -> None:
    """What was written to a file is on the disk when this returns."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: str | Path) -> None:
    """The names in a folder are on the disk when this returns, as far as the system can: some open
    no folder (Windows), some file systems sync none.

    Raises:
        OSError: the disk fails.
    """
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno == errno.EIO:
            raise
    finally:
        os.close(handle)


def _target(path: str | Path) -> Path:
    """The file that is meant, behind any links."""
    try:
        target = Path(os.path.realpath(path))
        strange = target.exists() and not target.is_file() and not target.is_dir()
    except ValueError as error:  # NUL in the name
        raise DataError(f"{str(path)!r}: cannot be written: {error}") from error
    if strange:
        raise DataError(f"{path}: cannot be written: it is no file; standard output is -")
    return target


def _sweep(folder: Path, prefix: str) -> None:
    """Remove the parts that killed processes left."""
    for left in folder.glob(f"{glob.escape(prefix)}*.part"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > LEFT:
                left.unlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
