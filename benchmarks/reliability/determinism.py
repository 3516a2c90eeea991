"""The same crawl in any order, at any number of threads, in one load or many: the same bytes?

Always true here: a trial loads what the first one did, rows and files shuffled, dealt out anew to
loads, some of them loaded and taken out again on the way; all that is stored and exported is
compared.

Run ``python -m benchmarks.reliability.determinism [--trials 100] [--minutes 10] [--seed 1]``.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import polars as pl

import replicadb
from benchmarks.reliability import campaign, material
from benchmarks.reliability.campaign import Failed

THREADS = (1, 2, 4, 16)
SPLITS = (1, 2, 5, 12, 50)
SETTINGS = ({}, {"method": "paper"}, {"evidence": "paths"})
SEEDS = (3, 4, 5)


def found(folder: Path, parts: list[pl.DataFrame], settings: dict[str, str], draw: random.Random):
    """The digests of a database of those files, in that order."""
    path = folder / "web.duckdb"
    files = []
    for number, part in enumerate(parts):
        files.append(folder / f"part-{number}.parquet")
        part.write_parquet(files[-1])
    threads = draw.choice(THREADS)
    with replicadb.open(path, threads=threads) as web:
        while files:
            some = [files.pop() for _ in range(min(draw.randint(1, 4), len(files)))]
            web.load(*some)
            if draw.random() < 0.2:
                gone = draw.choice(some)
                web.unload(str(gone))
                files.insert(0, gone)
        web.detect(**settings)
    return material.digest(path), threads


def main() -> int:
    chosen = campaign.options(__doc__ or "", 100).parse_args()
    with tempfile.TemporaryDirectory(prefix="determinism-") as name:
        known: dict[tuple[int, int], dict[str, str]] = {}

        def trial(draw: random.Random) -> str:
            seed, number = draw.choice(SEEDS), draw.randrange(len(SETTINGS))
            with tempfile.TemporaryDirectory(dir=name) as inside:
                table, settings = material.rows(Path(inside), 100, seed), SETTINGS[number]
                if (seed, number) not in known:
                    plain = random.Random(0)
                    with tempfile.TemporaryDirectory(dir=name) as first:
                        known[seed, number] = found(Path(first), [table], settings, plain)[0]
                splits = draw.choice(SPLITS)
                shuffled = table.sample(fraction=1, shuffle=True, seed=draw.randrange(2**32))
                parts = [shuffled[n::splits] for n in range(splits)]
                digests, threads = found(Path(inside), parts, settings, draw)
            if differ := material.differing(digests, known[seed, number]):
                how = f"crawl {seed}, {settings}, {splits} files, {threads} threads"
                raise Failed(f"{how}: differ: {', '.join(differ)}")
            return f"threads {threads}"

        return campaign.run("determinism", trial, chosen)


if __name__ == "__main__":
    sys.exit(main())
