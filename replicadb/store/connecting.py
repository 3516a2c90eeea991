"""Opening the file with DuckDB, and what its errors and Ctrl-C mean.

Invariant: a file that is no DuckDB database is refused before DuckDB sees it, since it would
take a CSV, JSON or Parquet file for a database in memory, and what is loaded there is lost.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import signal
from collections.abc import Iterator
from numbers import Integral
from pathlib import Path

import duckdb
import pyarrow as pa

from replicadb.errors import DataError, LockedError, NotADatabaseError, UsageError
from replicadb.given_file import name_of
from replicadb.likely_meant import did_you_mean_file
from replicadb.store.damaged_log import damaged_log, end_log, log_is_older, put_away
from replicadb.store.torn_blocks import (
    checkpoint_begun,
    never_begun,
    seal,
    seal_metadata,
    torn_block,
)
from replicadb.under_way import NOW

DATA_ENDINGS = (
    ".csv",
    ".tsv",
    ".json",
    ".jsonl",
    ".ndjson",
    ".parquet",
    ".gz",
    ".zst",
    ".bz2",
    ".warc",
    ".arc",
    ".wacz",
    ".cdx",
    ".cdxj",
)

LEAST_MEMORY = 16 << 20
"""Bytes without which DuckDB commits nothing."""
MOST_THREADS = 256
BYTES = {"bytes": 1, "byte": 1, "KiB": 1 << 10, "MiB": 1 << 20}
"""By unit in which DuckDB says its limit; larger ones are enough."""

HELD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What interrupts a command, and waits for the end of a commit."""
NO_RIGHT = (errno.EACCES, errno.EPERM, errno.EROFS)
MOST_MENDED = 100
"""Places that a power cut damaged, each of them found by opening anew."""


def connect(path: str, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open the file with DuckDB, its errors raised as ours."""
    refuse_other_files(path)
    try:
        con = _opened(path, read_only)
        if not read_only and path != ":memory:":
            _sweep_spilled(path)
        return con
    except duckdb.IOException as error:
        text = str(error)
        if "lock" in text.lower():
            holder = re.search(r"PID (\d+)", text)
            who = f" (process {holder.group(1)})" if holder else ""
            raise LockedError(
                f"{path}: in use by another process{who}; wait for it or close it, then try again"
            ) from error
        if "not a valid DuckDB" in text or "magic" in text.lower():
            raise NotADatabaseError(f"{path}: not a DuckDB database") from error
        rights = not read_only and any(os.strerror(number) in text for number in NO_RIGHT)
        step = "; it is opened to write: change its rights, or work on a copy" if rights else ""
        if rights and not os.path.lexists(path):
            step = "; the folder must be one to write to: change its rights, or name another"
        raise DataError(f"{path}: cannot be opened: {first_line(error)}{step}") from error
    except duckdb.Error as error:
        if "different configuration" in str(error):
            other = "to write" if read_only else "read-only"
            raise UsageError(
                f"{path}: this process has it open {other}; open it in the same way, or close it"
            ) from error
        raise DataError(f"{path}: cannot be opened: {first_line(error)}") from error


def _opened(path: str, read_only: bool) -> duckdb.DuckDBPyConnection:
    """The connection. What a power cut left in part, the log's end or a block that a checkpoint was
    writing, is mended first.
    """
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    begun = path != ":memory:" and checkpoint_begun(path)
    for _ in range(MOST_MENDED):
        try:
            con = duckdb.connect(path, read_only=read_only, config=config)
        except duckdb.Error as error:
            _mend(path, error, read_only, begun)
            continue
        if begun and not read_only:
            seal_metadata(con, path)
        return con
    raise DataError(f"{path}: cannot be opened: it is damaged in more than {MOST_MENDED} places")


def _mend(path: str, error: duckdb.Error, read_only: bool, begun: bool) -> None:
    """Mend what an error on opening names; an error that names nothing that we mend is raised."""
    log, block = damaged_log(error), torn_block(error) if begun else None
    older, empty = log_is_older(error), never_begun(path, error)
    if log is None and block is None and not older and not empty:
        raise error
    if read_only:
        what = "its log is damaged" if block is None else "a block is there in part"
        what = "its log is of before the last checkpoint" if older else what
        what = "it was cut off while it was made, with nothing in it" if empty else what
        raise DataError(
            f"{path}: {what}, as after a power cut; the next command that writes mends it, so give"
            " the one again that was running"
        ) from error
    if empty:
        os.unlink(path)  # DuckDB makes it anew
    elif older:
        put_away(path)
    elif log is not None:
        end_log(path, log)
    elif block is not None and not seal(path, block):
        raise error


def _sweep_spilled(path: str) -> None:
    """What a killed process had spilled beside the database goes: who has opened it to write is
    alone with it.
    """
    for left in Path(f"{path}.tmp").glob("duckdb_temp_*"):
        with contextlib.suppress(OSError):
            left.unlink()


def refuse_missing(path: str, read_only: bool) -> None:
    """Refuse a database that is not there to be read, or has no folder to be made in; a folder,
    too.

    Raises:
        DataError: it is so.
    """
    if path != ":memory:" and Path(path).is_dir():
        raise DataError(
            f"{path}: is a folder; name a database in it, as in {Path(path) / 'web.duckdb'}"
        )
    if read_only and path != ":memory:" and not Path(path).is_file():
        raise DataError(
            f"{path}: no such database{did_you_mean_file(path)}; make one with:"
            f" replicadb load {path} SOURCE"
        )
    if not Path(path).parent.is_dir() and path != ":memory:":
        raise DataError(f"{Path(path).parent}: no such folder for the database; make it first")


def refuse_other_files(path: str) -> None:
    """DuckDB opens a CSV, JSON or Parquet file as a database in memory, and what is loaded there is
    lost.

    Raises:
        DataError: the file is there and no DuckDB file, or a new database would have the name of a
            data file.
    """
    if path == ":memory:":
        return
    if name_of(path) != path:
        raise DataError(f"{name_of(path)}: the name is no UTF-8; rename the file or its folder")
    if Path(path).is_file() and Path(path).stat().st_size:
        with open(path, "rb") as handle:
            if handle.read(12)[8:] != b"DUCK":
                raise NotADatabaseError(f"{path}: not a DuckDB database")
    elif Path(path).suffix.lower() in DATA_ENDINGS:
        raise DataError(
            f"{path}: the name of a data file, not of a database; give the database first, as in"
            " web.duckdb"
        )


def set_limits(
    con: duckdb.DuckDBPyConnection, memory_limit: str | None, threads: int | None
) -> None:
    """As :func:`set_memory` and :func:`set_threads`."""
    set_memory(con, memory_limit)
    set_threads(con, threads)


def set_memory(con: duckdb.DuckDBPyConnection, limit: str | None) -> None:
    """What DuckDB may use: in its own notation; None is 30 % of the machine's.

    Raises:
        UsageError: it is not understood, is no bound, or too little to open a database.
    """
    if limit is not None and not isinstance(limit, str):
        raise UsageError(f"memory limit {limit!r} is no text; write it as '6GB'")
    if limit is not None and limit.strip().startswith("-"):
        raise UsageError(f"memory limit {limit!r} is no bound; write it as 6GB")
    try:
        con.execute("SET memory_limit = $limit", {"limit": "30%" if limit is None else limit})
    except duckdb.Error as error:
        raise UsageError(f"memory limit {limit!r} is not understood; write it as 6GB") from error
    too_little = f"memory limit {limit!r} is too little; it takes {LEAST_MEMORY >> 20} MiB"
    try:
        said = con.execute("SELECT current_setting('memory_limit')").fetchall()[0][0]
    except duckdb.OutOfMemoryException as error:
        raise UsageError(too_little) from error
    number, unit = said.split()  # such as 61.0 MiB
    if float(number) * BYTES.get(unit, 1 << 30) < LEAST_MEMORY:
        raise UsageError(too_little)


def set_threads(con: duckdb.DuckDBPyConnection, threads: int | None) -> None:
    """How many DuckDB may use; None is all cores.

    Raises:
        UsageError: no whole number, below 1, or more than anybody has.
    """
    if threads is None:
        return
    whole = isinstance(threads, Integral) and not isinstance(threads, bool)
    if not whole or not 1 <= threads <= MOST_THREADS:
        raise UsageError(f"threads {threads!r}: give a whole number from 1 to {MOST_THREADS}")
    con.execute("SET threads = $threads", {"threads": int(threads)})


def first_line(error: BaseException) -> str:
    """The first line of a DuckDB error without its class name."""
    line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", line)


def query_error(error: BaseException) -> str:
    """A DuckDB error about a query: cause and what may have been meant in one line; below it, where
    DuckDB says it, the line of the query and a caret at the place.
    """
    said, _, place = str(error).strip().partition("\n\nLINE ")
    lines = [first_line(error), *(line.strip() for line in said.splitlines()[1:])]
    cause = "; ".join(line.rstrip("!") for line in lines if line)
    return f"{cause}\nLINE {place.rstrip()}" if place else cause


def interrupted(error: BaseException) -> bool:
    """Whether Ctrl-C is what an error says or comes of: DuckDB and Arrow make errors of their own
    of a KeyboardInterrupt in what they call; DuckDB's client a RuntimeError while it waits.
    """
    return (
        isinstance(error, KeyboardInterrupt | duckdb.InterruptException | pa.lib.ArrowCancelled)
        or "KeyboardInterrupt" in str(error)
        or str(error) == "Query interrupted"
        or str(error).startswith("INTERRUPT")
        or any(
            interrupted(other)
            for other in (error.__cause__, error.__context__)
            if other is not None
        )
    )


def disk_full(error: BaseException) -> bool:
    return (
        isinstance(error, duckdb.OutOfMemoryException)
        or "No space left" in str(error)
        or getattr(error, "errno", 0) == 28
    )


def cut_off(error: BaseException) -> bool:
    """Whether an error says that a database is there in part, as where a copy was broken off."""
    text = str(error)
    return isinstance(error, duckdb.Error) and (
        "Could not read enough bytes" in text or "Corrupt database" in text
    )


def disk_failed(error: BaseException) -> bool:
    """Whether an error says that the database, or a file beside it, could not be read or written
    though there is space.
    """
    if getattr(error, "errno", None) == errno.EIO:
        return True
    text = str(error)
    return isinstance(error, duckdb.Error) and (
        os.strerror(errno.EIO) in text
        or "fsync failed" in text
        or "Could not fsync" in text
        or "Could not write file" in text
    )


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Ctrl-C and the like wait until the commit has ended, and then count: a commit is never half
    reported.
    """
    held: list[int] = []
    before = {number: signal.getsignal(number) for number in HELD}
    # Where nobody listens, a signal ends the process at once; a part of a commit is undone.
    heard = [number for number, handler in before.items() if callable(handler)]
    try:
        for number in heard:
            signal.signal(number, lambda number, _: held.append(number))
        NOW.held = True
    except ValueError:  # not the main thread: Ctrl-C does not arrive here
        yield
        return
    try:
        yield
    finally:
        NOW.held = False
        for number in heard:
            signal.signal(number, before[number])
    if held:
        signal.raise_signal(held[0])
