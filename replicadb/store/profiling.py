"""Where the time of a detection goes: seconds, rows and the process's peak memory of each stage,
and of its longest statements.

Invariant: measuring changes no result; what cannot be measured on a system (the peak is read
from Linux's /proc, else from what the process had at most so far) is reported as such.
"""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

STATUS = Path("/proc/self/status")
LONGEST = 4
"""Statements of a stage that are shown."""


@dataclass
class Measured:
    """A stage as it ran."""

    stage: str
    seconds: float = 0.0
    rows: int = 0
    """In the first of the tables that it fills."""
    peak: int = 0
    """Most resident memory of the process while it ran (or since the process began, see
    :func:`measured`), bytes.
    """
    statements: dict[str, float] = field(default_factory=dict)
    """Seconds by statement (file and name in sql/), summed over slices."""

    def longest(self) -> list[tuple[str, float]]:
        """The statements that took longest, the longest first."""
        return sorted(self.statements.items(), key=lambda item: -item[1])[:LONGEST]


@contextlib.contextmanager
def measured(stage: str, peaks: bool) -> Iterator[Measured]:
    """Measures what runs inside.

    Args:
        stage: its name.
        peaks: begin each stage's peak anew (Linux). The system then forgets the process's own peak,
            so only where it is wanted.
    """
    found, started = Measured(stage), time.perf_counter()
    if peaks:
        _forget_peak()
    yield found
    found.seconds, found.peak = time.perf_counter() - started, peak_memory()


def peak_memory() -> int:
    """Most resident memory of this process since :func:`_forget_peak` (Linux), else since it began;
    bytes.
    """
    with contextlib.suppress(OSError):
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM"):  # not every system that has the file has the line
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (
        1 if sys.platform == "darwin" else 1024
    )


def _forget_peak() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
