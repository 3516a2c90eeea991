"""The standard streams of a process: what goes wrong with one says so and harms nothing else.

Invariant: a standard error that cannot be written changes nothing of what a command does. That
standard output cannot be written is one error of our own, wherever the command writes it; that its
reader has gone ends the command without one. Text of both is UTF-8, in every locale.
"""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from typing import Any, TextIO

from replicadb.errors import DataError


class ReaderGone(Exception):
    """Nobody reads standard output any more. Not an OSError, of which Click makes exit code 1."""


def open_streams() -> None:
    """Standard output and error whose failures are told apart from all others, for this process.

    Where a stream was closed, a file opened next would get its number, and what is said would be
    written into it: it becomes one that cannot be used.
    """
    for number, flags in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, flags), number)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 (to stay)
    sys.stdout = _text(_Output())
    sys.stderr = _text(_Speech())


def _text(raw: io.RawIOBase) -> TextIO:
    line_by_line = raw.isatty() or isinstance(raw, _Speech)
    buffer = io.BufferedWriter(raw)
    return io.TextIOWrapper(buffer, "utf-8", "backslashreplace", line_buffering=line_by_line)


class _Stream(io.RawIOBase):
    """A standard stream by its number; closing it leaves the number open."""

    number: int
    failed = False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.number

    def isatty(self) -> bool:
        return os.isatty(self.number)

    def write(self, data: Any, /) -> int:
        """All of it, however little the system takes at a time; nothing once it has failed."""
        left = memoryview(data).cast("B")
        size = len(left)
        while left and not self.failed:
            try:
                left = left[os.write(self.number, left) :]
            except BlockingIOError:  # whoever shares it made it not wait
                select.select([], [self.number], [])
            except OSError as error:
                self.failed = True
                self.lost(error)
        return size

    def lost(self, error: OSError) -> None:
        """Say what is wrong, once."""


class _Speech(_Stream):
    number = 2


class _Output(_Stream):
    number = 1

    def lost(self, error: OSError) -> None:
        if isinstance(error, BrokenPipeError):
            raise ReaderGone from error
        cause = "it is closed" if error.errno == errno.EBADF else error.strerror
        raise DataError(f"standard output: cannot be written: {cause}") from error
