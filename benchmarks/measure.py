"""Whole processes measured: wall and CPU seconds and peak memory as the kernel counts them
(``wait4``).

Invariant: a figure is of one process from start to end, Python's own start-up included.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

NO_LIMITS = ("--max-cluster-hosts", 0, "--max-pairs", 0)
"""Options of detect: every pair of hosts that share content."""


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

    @property
    def cpu(self) -> float:
        """CPU seconds of all threads, user and kernel."""
        return self.user + self.system


def process(command: Sequence[object], refusal: int | None = None) -> Usage | None:
    """Run a command to its end; what it prints to stdout is dropped. None: it ended with the exit
    code ``refusal``.

    Raises:
        SystemExit: it failed; its message has been shown.
    """
    command = [str(part) for part in command]
    launcher = [sys.executable, "-S", "-E", __file__, *command]
    found = json.loads(
        subprocess.run(
            launcher,
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if refusal else None,
        ).stdout
    )
    code = found.pop("code")
    if refusal and code == refusal:
        return None
    if code:
        raise SystemExit(f"failed with exit code {code}: {' '.join(command)}")
    return Usage(**found)


def _launch(command: list[str]) -> dict[str, float]:
    """What :func:`process` has a small process of its own for: the kernel counts the memory of the
    process that starts a command into that command's peak.
    """
    compiled = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }  # modules once, as an installation has them
    start = time.perf_counter()
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=compiled)
    _, status, used = os.wait4(running.pid, 0)
    wall = time.perf_counter() - start
    running.returncode = os.waitstatus_to_exitcode(status)
    kilobyte = 1 if sys.platform == "darwin" else 1024
    return {
        "code": running.returncode,
        "wall": wall,
        "user": used.ru_utime,
        "system": used.ru_stime,
        "peak_mb": used.ru_maxrss * kilobyte / 1e6,
    }


def python(*arguments: object) -> Usage:
    """A script, or ``-m`` and a module, of this Python."""
    return process([sys.executable, *arguments])


def replicadb(*arguments: object) -> Usage:
    """The command line as a user would run it."""
    return python("-m", "replicadb", *arguments)


def printed(module: str, *arguments: object) -> str:
    """What a module prints, run in a process of its own so that what it needs does not stay with
    the caller.

    Raises:
        SystemExit: it failed; its message has been shown.
    """
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"failed with exit code {done.returncode}: {' '.join(command)}")
    return done.stdout.strip()


def reading(database: Path) -> duckdb.DuckDBPyConnection:
    """A read-only connection in which all tables of replicadb are found by their names alone."""
    import duckdb  # not at the top: the process that starts others is kept small

    con = duckdb.connect(str(database), read_only=True)
    con.execute("SET search_path = 'internal,details,history,page_level,main'")
    return con


def cells(used: Usage, *files: Path) -> list[str]:
    """Cells of a table: wall s, CPU s, peak MB, and the size of each file in MB."""
    return [
        f"{used.wall:.1f}",
        f"{used.cpu:.1f}",
        f"{used.peak_mb:,.0f}",
        *(f"{path.stat().st_size / 1e6:,.0f}" for path in files),
    ]


def markdown(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table; numbers at the right."""
    lines = [
        "| " + " | ".join(header) + " |",
        "|" + "|".join("---" if i == 0 else "--:" for i in range(len(header))) + "|",
    ]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


if __name__ == "__main__":
    print(json.dumps(_launch(sys.argv[1:])))
