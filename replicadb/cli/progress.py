"""Progress: one line on standard error, two seconds after a command began, gone when it is done.

Nothing is drawn where standard error is no terminal, unless ``--progress always`` asks for a line
now and then; nothing with ``--quiet``. No colour, and never wider than the terminal. The time left
is that of the work named last, not of the whole command.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from replicadb.under_way import NOW, Work, under_way
from replicadb.visible_text import visible

FIRST_AFTER, EVERY, LINE_EVERY = 2.0, 0.2, 10.0
"""Seconds until something is drawn, between two drawings, and between two lines in a pipe."""
NAME_LENGTH = 40
"""Characters of a source's name."""
SURE_AFTER = 1.0
"""Seconds of work from which the time left is shown."""
SURE_FROM = 3.0
"""Percent of a statement from which it is."""


class Progress:
    """Draws what is under way while it is open."""

    def __init__(self, command: str, quiet: bool, when: str) -> None:
        self.command = command
        self.terminal = sys.stderr.isatty()
        self.shown = not quiet and when != "never" and (self.terminal or when == "always")
        self._over = threading.Event()
        self._drawn = False

    def __enter__(self) -> Self:
        if self.shown:
            NOW.shown, NOW.erase = True, self._erase
            self._thread = threading.Thread(target=self._draw, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown:
            self._over.set()
            self._thread.join(1.0)
            with NOW.lock:
                self._erase()
            NOW.shown, NOW.erase = False, lambda: None

    def _draw(self) -> None:
        every = EVERY if self.terminal else LINE_EVERY
        wait = FIRST_AFTER
        while not self._over.wait(wait):
            wait = every
            with contextlib.suppress(Exception), NOW.lock:  # closed meanwhile, or changed
                text = progress_line(
                    self.command, list(NOW.works), NOW.percent(), NOW.statement_began
                )
                if text and not self._over.is_set():
                    self._put(text)

    def _put(self, text: str) -> None:
        if self.terminal:
            width = max(os.get_terminal_size(sys.stderr.fileno()).columns or 80, 11) - 1
            sys.stderr.write(f"\r\x1b[K{text[:width]}")
            self._drawn = True
        else:
            sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def _erase(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False


def progress_line(
    command: str, works: Sequence[Work], percent: float, statement_began: float | None
) -> str:
    """What is under way in one line: work, amount, rate and time left, as far as they are known;
    '' where nothing is.

    Args:
        works: the widest first.
        percent: of the running statement, -1 where that is not known.
        statement_began: when, by the monotonic clock; None where none runs.
    """
    now = time.monotonic()
    if not works and statement_began is None:
        return ""
    names = ": ".join(dict.fromkeys(work.what for work in works if work.what))
    said = [f"{command}: {names}" if names else command]
    counted = next((work for work in reversed(works) if work.done or work.share), None)
    if counted is not None:
        said += _amount(counted, now - counted.began)
    elif works:
        said.append(_time(now - works[0].began))
    if statement_began is not None and percent >= SURE_FROM and "left" not in said[-1]:
        spent, share = now - statement_began, min(percent / 100, 1.0)
        if spent >= SURE_AFTER:
            said.append(f"this statement {share:.0%}{_left(spent, share)}")
    return visible(", ".join(said))


def _amount(work: Work, spent: float) -> list[str]:
    of = f" of {work.total:,}" if work.total else ""
    said = [f"{work.done:,}{of} {work.unit}".strip()]
    rate = work.done / max(spent, 0.001)
    if spent >= SURE_AFTER and work.done:
        said.append(f"{rate:,.0f} a second" if rate >= 10 else f"{rate:.2g} a second")
    if work.part and spent >= SURE_AFTER:
        said[-1] += _left(spent, work.part)
    return said


def _left(spent: float, share: float) -> str:
    return f", about {_time(spent * (1 - share) / max(share, 1e-6))} left"


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class LoadProgress:
    """What ``load`` reports: source, rows and how much of the source that is."""

    def __init__(self) -> None:
        self.source = ""
        self.work = Work("", unit="rows")

    def __enter__(self) -> Self:
        self._open = under_way("", unit="rows")
        self.work = self._open.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._open.__exit__(None, None, None)

    def __call__(self, source: str, rows: int, share: float | None) -> None:
        if source != self.source:
            self.source, self.work.began = source, time.monotonic()
            self.work.what = Path(source).name[:NAME_LENGTH]
        self.work.done, self.work.share = rows, share
