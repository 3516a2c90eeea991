"""Kills at random moments, over every command that writes: does the work go on afterwards, and come
to the same bytes as undisturbed?

Always true here: a trial starts from the database as it stood before a step, kills that step at a
moment drawn from 0.1 to 1 of the time it takes, gives the same command again and compares all that
is stored and exported with the undisturbed run; every tenth trial goes on to the last step.

Run ``python -m benchmarks.reliability.crash [--trials 1000] [--minutes 10] [--seed 1]``.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from benchmarks.reliability import campaign, material
from benchmarks.reliability.campaign import Failed
from replicadb.result_api import StaleWarning

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
STEPS = (
    ("load DB a.csv b.tsv", None),
    ("load DB c.jsonl d.parquet --content", None),
    ("load DB e.warc.gz g.arc --content --links", None),
    ("detect DB", None),
    ("load DB f.cdxj", None),
    ("detect DB", None),
    ("fingerprint DB --page-method minhash", None),
    ("rewrite learn DB", None),
    ("model export DB OUT.model", "OUT.model"),
    ("export DB OUT.csv", "OUT.csv"),
    ("export DB OUT.sqlite", "OUT.sqlite"),
    ("load DB a.csv --force --all-types", None),
    ("unload DB c.jsonl", None),
    ("detect DB", None),
    ("upgrade", None),
    ("detect DB", None),
)
"""Commands, and the file that one makes; ``upgrade`` makes the file one of the schema before, which
the next command brings up to date.
"""


@dataclass
class Undisturbed:
    """The run without a kill: the database after each step, its digests, and the step's seconds."""

    folder: Path
    files: list[Path]
    """The crawl."""
    after: list[dict[str, str]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def database(self, step: int) -> Path:
        """The file as it stood before a step."""
        return self.folder / f"before-{step}.duckdb"


def start(folder: Path, step: int) -> subprocess.Popen[bytes]:
    """A step's command as a process, in a folder with the database and the files."""
    words = STEPS[step][0].replace("DB", "web.duckdb").split()
    return subprocess.Popen(
        [sys.executable, "-m", "replicadb", *words, "--quiet"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(folder)},
    )


def finish(folder: Path, step: int) -> None:
    """Do a step to its end."""
    if STEPS[step][0] == "upgrade":
        older(folder / "web.duckdb")
        return
    process = start(folder, step)
    err = process.communicate()[1].decode("utf-8", "replace").strip()
    if STEPS[step][0].startswith("unload") and "no load called" in err:
        return  # it was done when it was killed
    if process.returncode:
        raise Failed(f"{STEPS[step][0]!r} given again: exit code {process.returncode}: {err[:300]}")


def older(path: Path) -> None:
    """Make a file one of schema 12, as a version before made it."""
    with duckdb.connect(str(path)) as con:
        con.execute("DROP TABLE IF EXISTS internal.revisits")
        con.execute("UPDATE internal.meta SET value = '12' WHERE key = 'schema_version'")


def digest(folder: Path, step: int) -> dict[str, str]:
    """All that is stored and exported after a step, and the file that it made."""
    if STEPS[step][0] == "upgrade":
        return {}
    found, made = material.digest(folder / "web.duckdb"), STEPS[step][1]
    if made:
        found[made] = material.sha((folder / made).read_bytes())
    return found


def undisturbed(folder: Path) -> Undisturbed:
    """Run all steps once."""
    files = material.write_formats(folder, material.rows(folder))
    known = Undisturbed(folder, list(files.values()))
    for step in range(len(STEPS)):
        if step:
            shutil.copy(folder / "web.duckdb", known.database(step))
        began = time.monotonic()
        finish(folder, step)
        known.seconds.append(time.monotonic() - began)
        known.after.append(digest(folder, step))
    return known


def trial(known: Undisturbed, draw: random.Random) -> str:
    """Kill one step at one moment, go on, compare."""
    step = draw.choice([n for n, (command, _) in enumerate(STEPS) if command != "upgrade"])
    sent, share = draw.choice(SIGNALS), draw.uniform(0.1, 1)
    to_the_end = draw.random() < 0.1
    what = f"{signal.Signals(sent).name} at {share:.2f} of {STEPS[step][0]!r} (step {step})"
    with tempfile.TemporaryDirectory(prefix="crash-") as name:
        folder = Path(name)
        for path in known.files:
            (folder / path.name).symlink_to(path)
        if step:
            shutil.copy(known.database(step), folder / "web.duckdb")
        process = start(folder, step)
        time.sleep(share * known.seconds[step])
        ended = process.poll() is not None
        process.send_signal(sent)
        process.communicate()
        for last in range(step, len(STEPS) if to_the_end else step + 1):
            finish(folder, last)
            if differ := material.differing(digest(folder, last), known.after[last]):
                raise Failed(f"{what}: after {STEPS[last][0]!r} differ: {', '.join(differ)}")
    return "after the end" if ended else "killed"


def main() -> int:
    chosen = campaign.options(__doc__ or "", 1000).parse_args()
    warnings.simplefilter("ignore", StaleWarning)  # exports between a load and a detect
    with tempfile.TemporaryDirectory(prefix="undisturbed-") as folder:
        known = undisturbed(Path(folder))
        return campaign.run("crash", lambda draw: trial(known, draw), chosen)


if __name__ == "__main__":
    sys.exit(main())
