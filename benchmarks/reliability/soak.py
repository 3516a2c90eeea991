"""Hours of loads, detections, unloads and queries over one database: do memory and file size stay
where they are?

Invariant: every round does the same, in one process that lives through all of them and by
commands of their own. So what grows from round to round is lost: a line is laid through all rounds
after the first third, and the campaign fails where it climbs by more than GROWTH of where it began.

Where a machine does not stand for eight hours, a soak has sittings: with ``--folder`` everything
stays there, and the next run goes on with the same database and the rounds counted so far. Memory
and open files are then measured by sitting, since each is a process of its own; the longest speaks.
A sitting that ended in the middle of a round, by a kill too, is gone on with. So is one by an older
version: its database is brought up to date, and what is expected is taken anew.

Run ``python -m benchmarks.reliability.soak [--minutes 480] [--folder FOLDER]``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import replicadb
from benchmarks.reliability import material
from benchmarks.reliability.campaign import Failed
from replicadb.store.schema import SCHEMA_VERSION

HOSTS = 60
LOADS = 6
"""Files that come and go; all of them are there at the end of a round."""
GROWTH = 0.10
"""Of the file, of memory and of open files, from the first third of the rounds to the last."""
QUERIES = (
    "SELECT count(*) FROM replicas WHERE flagged",
    "SELECT host, count(*) FROM pages GROUP BY host ORDER BY ALL LIMIT 9",
    "FROM flagged_hosts ORDER BY ALL LIMIT 50",
)
COMMANDS = (
    ("load", "DB", "0.parquet", "--force"),
    ("detect", "DB"),
    ("sql", "DB", QUERIES[0]),
    ("export", "DB", "hosts.csv"),
    ("info", "DB"),
)
OF_THE_PROCESS = ("rss_mb", "open_files")
MEASURED = ("rss_mb", "file_mb", "folder_mb", "open_files", "rows_of_history")


def in_one_process(database: Path, files: list[Path], number: int) -> None:
    """Two loads out and in again, both methods, queries and exports, in this process."""
    with replicadb.open(database, threads=1) as web:
        some = {files[number % LOADS], files[(number * 5 + 1) % LOADS]}
        for path in sorted(some):
            web.unload(str(path))
        web.detect()
        web.load(*sorted(some))
        web.load(files[number % LOADS], force=True)
        web.detect(method="paper" if number % 3 == 0 else "robust")
        web.detect()
        for query in QUERIES:
            web.sql(query)
        web.export(database.with_suffix(".out.csv"), "pairs", unflagged=True)
        web.export(database.with_suffix(".out.sqlite"), "hosts")


def by_commands(folder: Path) -> None:
    """The same by processes of their own.

    Raises:
        Failed: one of them ends otherwise than well.
    """
    for words in COMMANDS:
        given = ["web.duckdb" if word == "DB" else word for word in words]
        ended = subprocess.run(
            [sys.executable, "-m", "replicadb", *given, "--threads", "1"]
            if words[0] in ("detect",)
            else [sys.executable, "-m", "replicadb", *given],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        if ended.returncode:
            raise Failed(f"{' '.join(given)}: exit code {ended.returncode}: {ended.stderr[-300:]}")


def measured(folder: Path) -> dict[str, float]:
    """What is not to grow, after a round; and the rows of history, which do, a few a round."""
    database = folder / "web.duckdb"
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    with replicadb.open(database, read_only=True, threads=1) as web:
        history = web.sql("SELECT count(*) FROM history.runs").item()
    return {
        "rss_mb": int(status["VmRSS"].split()[0]) / 1024,
        "file_mb": database.stat().st_size / 1e6,
        "folder_mb": sum(path.stat().st_size for path in folder.rglob("*")) / 1e6,
        "open_files": len(os.listdir("/proc/self/fd")),
        "rows_of_history": history,
    }


def slopes(rounds: pl.DataFrame) -> dict[str, tuple[float, float]]:
    """By figure: what a line through the rounds after the first third climbs a round, and over all
    of these as a share of where it begins. Of what belongs to a process, in the longest sitting.
    """
    longest = rounds.filter(pl.col("sitting") == rounds["sitting"].mode().sort()[-1])
    found = {}
    for name in MEASURED:
        asked = (longest if name in OF_THE_PROCESS else rounds)[name]
        later = asked[len(asked) // 3 :].to_numpy()
        slope, start = np.polyfit(np.arange(len(later)), later, 1)
        found[name] = float(slope), float(slope * (len(later) - 1) / start)
    return found


def prepared(folder: Path) -> list[Path]:
    """The files to load, by their names in the folder, which becomes the working one; the database
    with all of them, where there is none yet.
    """
    names = [Path(f"{n}.parquet") for n in range(LOADS)]
    if not (folder / "web.duckdb").exists():
        table = material.rows(folder, HOSTS)
        for n, name in enumerate(names):
            table[n::LOADS].write_parquet(folder / name)
    os.chdir(folder)  # a load is called as its file was given
    with replicadb.open("web.duckdb", threads=1) as web:
        web.load(*names)
    return names


def rounds_of(folder: Path, files: list[Path], minutes: float, least: int) -> pl.DataFrame:
    """The rounds of this sitting after those before, kept in the folder after each.

    Raises:
        Failed: a round ends with other bytes than the first of this version.
    """
    kept, promised = folder / "figures.csv", folder / f"expected-{SCHEMA_VERSION}.json"
    before = pl.read_csv(kept) if kept.exists() else pl.DataFrame()
    sitting = 1 + max(before["sitting"].to_list() if len(before) else [0])
    rounds, began = before, time.monotonic()
    while time.monotonic() - began < 60 * minutes or len(rounds) < least:
        in_one_process(folder / "web.duckdb", files, len(rounds))
        by_commands(folder)
        found = material.digest(folder / "web.duckdb")
        if not promised.exists():
            promised.write_text(json.dumps(found))
        if differ := material.differing(found, json.loads(promised.read_text())):
            raise Failed(f"round {len(rounds) + 1}: differ: {', '.join(differ)}")
        row = {"sitting": sitting, "minutes": (time.monotonic() - began) / 60, **measured(folder)}
        rounds = pl.concat([rounds, pl.DataFrame([row])])
        rounds.write_csv(kept)
    return rounds


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=480)
    parser.add_argument("--least", type=int, default=9, help="rounds, whatever the minutes")
    parser.add_argument("--folder", type=Path, help="where everything stays, for another sitting")
    chosen = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = chosen.folder or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="soak-"))
        )
        folder = folder.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        rounds = rounds_of(folder, prepared(folder), chosen.minutes, chosen.least)
        os.chdir("/")
    grown = slopes(rounds)
    for figure, (slope, share) in grown.items():
        first, last = rounds[figure][0], rounds[figure][-1]
        print(f"{figure}: {first:,.1f} to {last:,.1f}; {slope:+.3f} a round, {share:+.1%} in all")
    minutes = rounds.group_by("sitting").agg(pl.col("minutes").max())["minutes"].to_list()
    too_much = [name for name in MEASURED[:-1] if grown[name][1] > GROWTH]
    print(
        f"soak: {len(rounds):,} rounds in {sum(minutes):.1f} min, {len(minutes)} sittings, the "
        f"longest of {max(minutes):.1f}; grew: {', '.join(too_much) or 'none'}"
    )
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(main())
