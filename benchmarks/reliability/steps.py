"""Commands that write, one after the other over one database, as forks of a process that has
everything imported: a command costs what it does, and not Python's start.

Invariant: this process opens no database and starts no thread, so a fork is as good as a new
process.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import polars  # noqa: F401 (imported before the fork)
import pyarrow.parquet  # noqa: F401

import replicadb
import replicadb.cli.app
import replicadb.load.load
import replicadb.model
from benchmarks.reliability import disk_faults, material
from benchmarks.reliability.campaign import Failed
from benchmarks.reliability.older_files import lay_out
from replicadb import cli
from replicadb.result_api import StaleWarning

for _command in replicadb.cli.app.MODULES:  # made before the fork, too
    replicadb.cli.app.root_command(_command)

HOSTS = 24
ROOM = 2 << 30  # bytes
PATIENCE = 900
"""Seconds after which a command hangs, on however busy a machine."""
STEPS = (
    ("load DB a.csv b.tsv", None),
    ("load DB c.jsonl d.parquet --content", None),
    ("load DB e.warc.gz g.arc --content --links", None),
    ("load DB h.wat --hosts hosts.csv", None),
    ("load DB j.wacz k.cdx l.wet", None),
    ("detect DB --name first", None),
    ("load DB f.cdxj i.crawl.log", None),
    ("detect DB", None),
    ("label DB decisions.csv", None),
    ("review DB --terminal", None),
    ("detect DB --name second", None),
    ("fingerprint DB --page-method minhash", None),
    ("rewrite learn DB", None),
    ("model export DB OUT.model", "OUT.model"),
    ("export DB OUT.csv", "OUT.csv"),
    ("export DB OUT.surt --as surt", "OUT.surt"),
    ("export DB OUT.sqlite", "OUT.sqlite"),
    ("diff DB first -o OUT.diff.csv", "OUT.diff.csv"),
    ("report DB OUT.html", "OUT.html"),
    ("load DB tiny", None),
    ("load DB a.csv --force --all-types", None),
    ("unload DB c.jsonl", None),
    ("runs DB --forget first", None),
    ("label DB --remove HOST", None),
    ("detect DB --method paper", None),
    ("upgrade", None),
    ("sql DB VALUES(1) --write", None),
    ("detect DB", None),
)
"""Commands, and the file that one makes; ``upgrade`` makes the file one of schema OLDER, which the
next command brings up to date and leaves so.
"""
OLDER = 9
"""The last schema that had everything in ``main``: an upgrade moves most then."""
OWN = """
    ALTER TABLE main.settings ADD PRIMARY KEY (name);
    CREATE TABLE main.mine (name VARCHAR PRIMARY KEY REFERENCES main.settings (name));
    CREATE TABLE main.more (name VARCHAR REFERENCES main.mine (name));
    INSERT INTO main.mine FROM main.settings SELECT name;
    INSERT INTO main.more FROM main.mine;
    CREATE INDEX mine_by ON main.more (name)"""
"""What somebody makes of such a file: a foreign key on a table that an upgrade drops."""
ANSWERS = ("y",)
"""What a person answers in the review; which pair is asked for next hangs on what was answered, and
by whom, so it is one.
"""
DONE_BEFORE = (
    "no load called",
    "no run called",
    "nothing was decided of",
    "nothing was kept; the commonest reasons:",
)
"""What is said to a command given again that was done when it was killed; a load, of the files
that were left to it.
"""

TABLE = ", whole"
"""How what is compared of a table is called that has times and ids, too."""
WHEN_MADE = re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d UTC")
"""What a page says of when it was made."""


@dataclass
class Ended:
    """How a fork ended."""

    code: int
    """Its exit code, or minus the signal that ended it."""
    err: str
    said: dict[str, Any] = field(default_factory=dict)


@dataclass
class Undisturbed:
    """The run without a fault: the database before each step, what was stored after it, its
    seconds, and the operations and reads of the disk that it took.
    """

    folder: Path
    files: list[Path] = field(default_factory=list)
    host: str = ""
    """One on which something was decided."""
    after: list[dict[str, str]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    operations: list[int] = field(default_factory=list)
    reads: list[int] = field(default_factory=list)

    def database(self, step: int) -> Path:
        """The file as it stood before a step."""
        return self.folder / f"before-{step}.duckdb"

    def set_up(self, step: int, folder: Path) -> None:
        """The crawl's files and the database as it stood before a step, in a folder."""
        for path in self.files:
            (folder / path.name).symlink_to(path)
        if step:
            shutil.copy(self.database(step), folder / "web.duckdb")


def base() -> str | None:
    """Where folders are made: in memory, if there is room."""
    there = os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > ROOM
    return "/dev/shm" if there else None


def in_fork(work: Callable[[], dict[str, Any] | None], folder: Path) -> int:
    """Start a fork that does the work in a folder; its process id. What it says goes to files
    beside the folder, where no fault meets it.
    """
    process = os.fork()
    if process:
        return process
    code = 70
    try:
        os.chdir(folder)
        # A shell has jobs in the background ignore it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ["TMPDIR"] = str(folder)
        for number, name in ((1, os.devnull), (2, _beside(folder, "err"))):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        _beside(folder, "said").write_text(json.dumps(work()))
        code = 0
    except SystemExit as leave:
        code = leave.code if isinstance(leave.code, int) else 0 if leave.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stderr.flush()
        os._exit(code)


def _beside(folder: Path, name: str) -> Path:
    return folder.with_name(f"{folder.name}.{name}")


def ended(process: int, folder: Path) -> Ended:
    """Wait for a fork.

    Raises:
        Failed: it has not ended after PATIENCE.
    """
    until, done = time.monotonic() + PATIENCE, 0
    while not done:
        done, status = os.waitpid(process, os.WNOHANG)
        if not done and time.monotonic() > until:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            raise Failed(f"hangs: not done after {PATIENCE} s")
        time.sleep(0.002)
    said, err = _beside(folder, "said"), _beside(folder, "err")
    found = json.loads(said.read_text() or "null") if said.exists() else None
    text = err.read_text("utf-8", "replace") if err.exists() else ""
    for path in (said, err):
        path.unlink(missing_ok=True)
    return Ended(os.waitstatus_to_exitcode(status), text.strip(), found or {})


def begin(
    known: Undisturbed, folder: Path, step: int, mode: str | None = None, at: int = 0, seed: int = 0
) -> int:
    """Start a step's command, with a fault of the disk; its process id."""
    words = STEPS[step][0].replace("DB", "web.duckdb").replace("HOST", known.host).split()

    def work() -> dict[str, Any]:
        if words[0] == "review":
            sys.stdin = io.StringIO("\n".join([*ANSWERS[answered(folder) :], "q", ""]))
        sys.argv = ["replicadb", *words, *([] if words[0] in ("review", "sql") else ["--quiet"])]
        if mode:
            disk_faults.arm(folder, mode, at, seed)
        try:
            cli.main()
        except SystemExit as leave:
            if leave.code or mode not in ("count", "off"):
                raise
        if mode == "off":
            disk_faults.lose()
        return {"counted": list(disk_faults.counted()) if mode else [0, 0]}

    return in_fork(work, folder)


def answered(folder: Path) -> int:
    """How many answers of the review are kept; a person goes on with the next."""
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        return int(web.database.value("SELECT count(*) FROM decisions WHERE source = 'review'"))


def finish(known: Undisturbed, folder: Path, step: int, mode: str | None = None) -> Ended:
    """Do a step to its end.

    Raises:
        Failed: it ends otherwise than well.
    """
    command = STEPS[step][0]
    if command == "upgrade":
        return ended(in_fork(lambda: _older(folder / "web.duckdb"), folder), folder)
    result = ended(begin(known, folder, step, mode), folder)
    if result.code and not any(text in result.err for text in DONE_BEFORE):
        raise Failed(f"{command!r} given again: exit code {result.code}: {result.err[:300]}")
    return result


def _older(path: Path) -> None:
    lay_out(path, OLDER)
    with duckdb.connect(str(path)) as con:
        con.execute(OWN)


def digest(folder: Path, step: int) -> dict[str, str]:
    """All that is stored and exported after a step, and the file that it made."""
    if STEPS[step][0] == "upgrade":
        return {}

    def work() -> dict[str, Any]:
        warnings.simplefilter("ignore", StaleWarning)  # exports between a load and a detect
        found, made = material.digest(folder / "web.duckdb"), STEPS[step][1]
        if STEPS[step][0].startswith("sql"):
            rows = material.tables(folder / "web.duckdb")
            found |= {f"{name}{TABLE}": found for name, found in rows.items()}
        if made:
            found[made] = material.sha(WHEN_MADE.sub(b"", (folder / made).read_bytes()))
        return found

    result = ended(in_fork(work, folder), folder)
    if result.code:
        raise Failed(f"after {STEPS[step][0]!r} it cannot be read: {result.err[-300:]}")
    return result.said


def differing(known: Undisturbed, folder: Path, step: int, first: bool = True) -> list[str]:
    """What differs after a step from the undisturbed run. A page and a whole table also say how
    often and when commands ran, so they are compared only where none before was given again.
    """
    found = material.differing(digest(folder, step), known.after[step])
    return [name for name in found if first or not name.endswith((".html", TABLE))]


def chosen(command: str | None) -> list[int]:
    """The steps whose command begins with that text; None: all of them, upgrade aside."""
    return [
        number
        for number, (words, _) in enumerate(STEPS)
        if words != "upgrade" and words.startswith(command or "")
    ]


def undisturbed(folder: Path, counting: bool) -> Undisturbed:
    """Run all steps once."""
    known = Undisturbed(folder)
    prepared = ended(in_fork(lambda: material.write_campaign(folder, HOSTS), folder), folder)
    if prepared.code:
        raise SystemExit(prepared.err)
    known.files = [folder / name for name in prepared.said["files"]]
    known.host = prepared.said["decided"]
    for step, (command, _) in enumerate(STEPS):
        if step:
            shutil.copy(folder / "web.duckdb", known.database(step))
        began = time.monotonic()
        result = finish(known, folder, step, "count" if counting else None)
        known.seconds.append(time.monotonic() - began)
        counts = result.said.get("counted", [0, 0]) if command != "upgrade" else [0, 0]
        known.operations.append(counts[0])
        known.reads.append(counts[1])
        known.after.append(digest(folder, step))
    return known
