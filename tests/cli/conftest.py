"""What the tests of commands share: a terminal of any width, for a command in this process; and a
database that a test may change.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import shutil
import struct
import termios
from pathlib import Path

import pytest
from conftest import CRAWL

from replicadb.cli import run, streams


def drawn_on(terminal: int) -> str:
    """All that was written to a terminal whose other end is closed."""
    written = b""
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 4096):
            written += part
    os.close(terminal)
    return written.decode()


@pytest.fixture
def loaded(crawled, write) -> Path:
    """CRAWL as crawl.csv, and loaded into web.duckdb; both in the test's folder."""
    write("crawl.csv", CRAWL)
    shutil.copy(crawled, "web.duckdb")
    return Path("web.duckdb")


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
        return drawn_on(ours).splitlines()

    return call
