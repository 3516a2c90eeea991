"""A database used in ways that cannot be meant: closed, by two threads at once, while a result of
it is still being read, inside somebody's own transaction, or changed though it was opened to be
read.

Invariant: what the caller did is a UsageError that says what to do instead, no error of DuckDB's.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import duckdb

from replicadb.errors import UsageError

READ_ONLY = "attached in read-only mode"
"""What DuckDB says where a statement would change a database that is open to be read."""


BUSY = "another thread is using it; open the database once for each thread"


class MisusedError(UsageError, duckdb.Error):
    """A UsageError that cleaning up after an error passes over as it does over DuckDB's."""


class Closed:
    """Stands where the connection of a database was that is closed."""

    def __init__(self, path: str) -> None:
        self._path = path

    def close(self) -> None:
        """Again: nothing."""

    def __getattr__(self, name: str) -> NoReturn:
        raise MisusedError(f"{self._path}: this database is closed; open it again")


@contextlib.contextmanager
def misuse(path: str, ours: bool = True) -> Iterator[None]:
    """DuckDB's errors about how its connection is used, as a UsageError.

    Args:
        ours: whether the statement is one of ours; what somebody's own may not do is an error
            in it like any other.

    Raises:
        UsageError: a result is still being read, another thread runs a statement, a transaction
            that the caller began is open or has failed, or the database was opened to be read.
    """
    try:
        yield
    except duckdb.Error as error:
        text = str(error)
        if "open result" in text:
            cause = "a result of reader() is not read to its end; read it, or let go of it"
        elif "busy with another call" in text:
            cause = BUSY
        elif "transaction is aborted" in text or "within a transaction" in text:
            cause = "a transaction that was begun by sql() is open; end it by COMMIT or ROLLBACK"
        elif ours and READ_ONLY in text:
            cause = "it was opened with read_only, so nothing in it can change; open it without"
        else:
            raise
        raise MisusedError(f"{path}: {cause}") from error


class OneThread:
    """Held while a statement runs and its rows are read: another thread that comes meanwhile is
    refused, and does not wait. The thread that holds it may enter it again.

    Raises:
        UsageError: another thread holds it.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise MisusedError(f"{self._path}: {BUSY}")

    def __exit__(self, *raised: object) -> None:
        self._lock.release()


def path_of(path: object) -> str:
    """The name of a database's file.

    Raises:
        UsageError: it is no text and no path, is empty, or has a NUL in it.
    """
    if not isinstance(path, str | Path):
        raise UsageError(f"{path!r}: no name of a database; give a str or a pathlib.Path")
    if not str(path).strip() or "\0" in str(path):
        raise UsageError(f"{os.fspath(path)!r}: no name of a database")
    return str(path)
