"""What is being done at this moment, for whoever shows it: the command line, on a terminal.

Invariant: telling costs next to nothing and changes no result; nothing is shown from here.
"""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")


class Connection(Protocol):
    """What can say how far its statement is, and stop it."""

    def query_progress(self) -> float:
        """Percent, -1 where that is not known."""

    def interrupt(self) -> None:
        """The statement that runs ends with an error, as soon as it can."""


@dataclass(eq=False)
class Work:
    """One piece of work, and how far it is."""

    what: str
    total: int | None = None
    unit: str = ""
    done: int = 0
    share: float | None = None
    """Of it that is done, where that is known otherwise than by ``total``."""
    began: float = field(default_factory=time.monotonic)

    def reached(self, done: int, total: int | None = None) -> None:
        """So much is done by now, of so much where that has become known."""
        self.done, self.total = done, total or self.total

    @property
    def part(self) -> float | None:
        """How much is done, 0 to 1; None where that is not known."""
        if self.share is not None:
            return self.share
        return min(self.done / self.total, 1.0) if self.total else None


class UnderWay:
    """The works of this process, the widest first, and the statement that runs."""

    def __init__(self) -> None:
        self.works: list[Work] = []
        self.statement_began: float | None = None
        self.shown = False
        """Whether anybody looks: then connections measure how far a statement is."""
        self.lock = threading.RLock()
        """Held by who writes to the terminal, and while a connection closes."""
        self.erase: Callable[[], None] = lambda: None
        self.references: list[weakref.ref[Connection]] = []
        """To those that are open; one that was never closed goes with whoever opened it."""
        self.held = False
        """Whether what runs is not to be interrupted."""

    @property
    def connections(self) -> list[Connection]:
        """Those that are open."""
        found = [reference() for reference in self.references]
        return [connection for connection in found if connection is not None]

    def percent(self) -> float:
        """How far the running statement is, -1 where that is not known."""
        with self.lock:
            known = [connection.query_progress() for connection in self.connections]
        return max(known, default=-1.0)


NOW = UnderWay()


@contextlib.contextmanager
def under_way(what: str, total: int | None = None, unit: str = "") -> Iterator[Work]:
    """While inside, this is being done. Whoever does it says how far it is by ``reached``."""
    work = Work(what, total, unit)
    NOW.works.append(work)
    try:
        yield work
    finally:
        with contextlib.suppress(ValueError):
            NOW.works.remove(work)


def each(what: str, items: Iterable[Item], unit: str) -> Iterator[Item]:
    """The items one by one, each counted when the next is asked for."""
    total = len(items) if isinstance(items, Sized) else None
    with under_way(what, total, unit) as work:
        for number, item in enumerate(items, 1):
            yield item
            work.reached(number)


@contextlib.contextmanager
def aside() -> Iterator[None]:
    """While inside, somebody writes to the terminal: what is shown of the work is gone from it."""
    with NOW.lock:
        NOW.erase()
        yield


@contextlib.contextmanager
def running_statement() -> Iterator[None]:
    """While inside, a statement runs."""
    before, NOW.statement_began = NOW.statement_began, time.monotonic()
    try:
        yield
    finally:
        NOW.statement_began = before


def opened(connection: Any) -> None:
    """A connection whose statements are shown from now on, if anybody looks, and interrupted."""
    if NOW.shown:
        connection.execute("SET enable_progress_bar = true")
        connection.execute("SET enable_progress_bar_print = false")
    with NOW.lock:
        NOW.references = [*map(weakref.ref, NOW.connections), weakref.ref(connection)]


def interrupt(before: float) -> bool:
    """Stop the statement that runs since before that time, from another thread; not a commit, which
    is to end. DuckDB itself lets a signal wait until the statement is done.

    Returns whether one runs: DuckDB forgets an interrupt that comes while it plans.
    """
    with NOW.lock:
        began = NOW.statement_began
        runs = began is not None and began < before
        for connection in NOW.connections if runs and not NOW.held else ():
            connection.interrupt()
    return runs


def closed(connection: Any, close: Callable[[], None]) -> None:
    """Close a connection, which nobody asks any more."""
    with NOW.lock:
        NOW.references = [
            weakref.ref(other) for other in NOW.connections if other is not connection
        ]
        close()
