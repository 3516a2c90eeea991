"""Folders for temporary files: gone when the work ends, and swept at the next start where a process
was killed before that.

Invariant: a folder whose process lives is never swept. The process holds a lock on a file in it,
which the system takes back when the process ends, however it ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PREFIX = "replicadb-"
LOCK = ".in-use"
YOUNG = 60.0
"""Seconds after which a folder has its lock."""


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder of its own in the system's folder for temporary files (TMPDIR)."""
    sweep(Path(tempfile.gettempdir()))
    with (
        tempfile.TemporaryDirectory(prefix=PREFIX) as folder,
        open(Path(folder) / LOCK, "wb") as lock,
    ):
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield Path(folder)


def sweep(parent: Path) -> None:
    """Remove this user's folders that killed processes left."""
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            found = folder.lstat()
            if found.st_uid == os.getuid() and time.time() - found.st_mtime > YOUNG:
                _remove_idle(folder)


def _remove_idle(folder: Path) -> None:
    with open(folder / LOCK, "rb+") as lock:  # without it: not one of ours
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
