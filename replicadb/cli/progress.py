"""Progress on a terminal: a line and a bar on standard error, gone when the work is done.

Nothing is drawn where standard error is no terminal, nor with ``--quiet``.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from replicadb.visible_text import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

NAME_LENGTH = 40  # characters of a source's name


class _Line:
    """A text with a bar, drawn over again and again; what is said meanwhile stands above it."""

    _bar: Progress | None = None
    _task: TaskID | None = None

    def __init__(self, quiet: bool) -> None:
        self.shown = not quiet and sys.stderr.isatty()

    def draw(self, text: str, share: float | None) -> None:
        """Show the text; ``share`` is how much is done, 0 to 1, None where that is not known."""
        if self._bar is None:
            return
        text = visible(text)
        if self._task is None:
            self._task = self._bar.add_task(text, total=None)
        self._bar.update(self._task, description=text, completed=share or 0)
        if share is not None:
            self._bar.update(self._task, total=1.0)

    def begin(self) -> None:
        """A new bar in place of the one that is there."""
        if self._bar is not None and self._task is not None:
            self._bar.remove_task(self._task)
            self._task = None

    def __enter__(self) -> Self:
        if self.shown:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=20),
                console=Console(stderr=True),
                redirect_stdout=False,
                transient=True,
            )
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


class LoadProgress(_Line):
    """Source, rows, rows a second, and the time left where it is known."""

    def __init__(self, quiet: bool) -> None:
        super().__init__(quiet)
        self.source, self.started = "", time.monotonic()

    def __call__(self, source: str, rows: int, share: float | None) -> None:
        if source != self.source:
            self.source, self.started = source, time.monotonic()
            self.begin()
        spent = time.monotonic() - self.started
        left = f", about {spent * (1 - share) / share:.0f} s left" if share and spent > 1 else ""
        rate = rows / max(spent, 0.001)
        name = Path(source).name[:NAME_LENGTH]
        self.draw(f"{name}: {rows:,} rows, {rate:,.0f} a second{left}", share)


class PageProgress(_Line):
    """How many pages are rendered, of how many."""

    def __call__(self, done: int, due: int) -> None:
        self.draw(f"rendered {done:,} of {due:,} pages", done / max(due, 1))
