"""What the tests of commands share: a terminal of any width, for a command in this process."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import termios

import pytest

from replicadb.cli import run, streams


@pytest.fixture
def on_terminal(monkeypatch):
    """Run a command whose standard output is a terminal of so many columns; the lines on it."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(columns: int, *arguments) -> list[str]:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        monkeypatch.setattr(streams._Output, "number", theirs)
        for name in ("stdout", "__stdout__"):
            monkeypatch.setattr(f"sys.{name}", streams._text(streams._Output()))
        assert run([str(a) for a in arguments]) == 0
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(ours, 4096):
                shown += part
        os.close(ours)
        return shown.decode().splitlines()

    return call
