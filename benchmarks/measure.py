"""Whole processes measured: wall and CPU seconds and peak memory as the kernel counts them (``wait4``).

Always true here: a figure is of one process from start to end, Python's own start-up included.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Usage:
    """What one process used."""

    wall: float
    """Seconds from start to end."""
    user: float
    """CPU seconds in user mode, all threads; on a busy machine a steadier figure than wall."""
    system: float
    """CPU seconds in the kernel."""
    peak_mb: float
    """Largest resident set, in MB of 10^6 bytes."""


def replicadb(*arguments: str | Path | int) -> Usage:
    """Run the command line as a user would.

    Raises:
        SystemExit: it failed; its message has been shown.
    """
    command = [sys.executable, "-m", "replicadb", *map(str, arguments)]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"failed with exit code {process.returncode}: {' '.join(command)}")
    kilobyte = 1 if sys.platform == "darwin" else 1024
    return Usage(wall, used.ru_utime, used.ru_stime, used.ru_maxrss * kilobyte / 1e6)


def markdown(header: list[str], rows: list[list[object]]) -> str:
    """A table; numbers at the right."""
    lines = ["| " + " | ".join(header) + " |", "|" + "|".join("---" if i == 0 else "--:" for i in range(len(header))) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])
