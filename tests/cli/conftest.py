"""What the tests of commands share: a terminal of any width, for a command in this process; a
database that a test may change; and one with its model.
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
from conftest import CRAWL, kept_open

import replicadb
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


@pytest.fixture(scope="module")
def scored(tmp_path_factory, detected_robust):
    """A database with its model beside it, kept open; strength and probability by pair."""
    path = tmp_path_factory.mktemp("scored") / "web.duckdb"
    shutil.copy(detected_robust, path)
    with replicadb.open(path) as db:
        db.model()
        values = {
            pair: (strength, probability)
            for *pair_, strength, probability in db.sql(
                "SELECT host_a, host_b, strength, probability FROM replicas"
            ).rows()
            for pair in [tuple(pair_)]
        }
    with kept_open(path):
        yield path, values
