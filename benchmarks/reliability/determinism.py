"""The same crawl in any order, at any number of threads, in one load or many: the same bytes?

Invariant: a trial loads what the first one did, rows and files shuffled, dealt out anew to
loads, some of them loaded and taken out again on the way; all that is stored and exported is
compared. What is done with it: both methods, the five features, pages (fingerprints of pages, near
duplicates as content), rewrite rules, and new hosts against those of a load (``--reference``).

Run ``python -m benchmarks.reliability.determinism [--trials 100] [--minutes 10] [--seed 1]``.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import polars as pl

import replicadb
from benchmarks.reliability import campaign, material
from benchmarks.reliability.campaign import Failed

THREADS = (1, 2, 4, 16)
SPLITS = (1, 2, 5, 12, 50)
SEEDS = (3, 4, 5)
HOSTS = 100
UNLOADS = 3
"""At most: fifty loads of which each may be the last before an unload would hardly ever end."""
OLD, NEW = "old", "new"
"""Labels of the two loads between which the hosts are dealt."""


def _pages(web: replicadb.ReplicaDB) -> None:
    for method in ("minhash", "simhash"):
        web.fingerprint(method)
    web.detect(clusters="minhash")


def _rewrite(web: replicadb.ReplicaDB) -> None:
    web.learn_rewrites()
    web.detect()


WORK: dict[str, Callable[[replicadb.ReplicaDB], object]] = {
    "robust": lambda web: web.detect(),
    "paper": lambda web: web.detect(method="paper"),
    "paths": lambda web: web.detect(evidence="paths"),
    "pages": _pages,
    "rewrite": _rewrite,
    "reference": lambda web: web.detect(reference=OLD),
}
"""What is done once all is loaded."""


def found(folder: Path, parts: dict[str, list[pl.DataFrame]], work: str, draw: random.Random):
    """The digests of a database of those files by their load, in that order, and the threads."""
    path = folder / "web.duckdb"
    files: list[tuple[Path, str]] = []
    for label, tables in parts.items():
        for number, table in enumerate(tables):
            files.append((folder / f"{label}-{number}.parquet", label))
            table.write_parquet(files[-1][0])
    draw.shuffle(files)
    threads, most = draw.choice(THREADS), draw.choice((1, 4, len(files)))
    unloads = UNLOADS
    with replicadb.open(path, threads=threads) as web:
        while files:
            label = files[-1][1]
            some = [file for file, of in files if of == label][-draw.randint(1, most) :]
            web.load(*some, label=label, content=work == "pages")
            gone = {(file, label) for file in some}
            files = [file for file in files if file not in gone]
            if unloads and draw.random() < 0.1:
                unloads -= 1
                web.unload(label)
                again = [file for file, of in _written(folder) if of == label]
                files = [file for file in files if file[1] != label]
                files = [(file, label) for file in again] + files
        WORK[work](web)
    return material.digest(path), threads


def _written(folder: Path) -> list[tuple[Path, str]]:
    return [(path, path.name.split("-")[0]) for path in sorted(folder.glob("*-*.parquet"))]


def dealt(table: pl.DataFrame, splits: int, draw: random.Random) -> dict[str, list[pl.DataFrame]]:
    """The rows by load and file: each host is of one load, its rows are dealt out at random."""
    shuffled = table.sample(fraction=1, shuffle=True, seed=draw.randrange(2**32))
    host = shuffled["url"].str.split("/").list.get(2)
    old = host.str.len_bytes() % 2 == 0
    return {
        label: [some[n::splits] for n in range(splits) if len(some[n::splits])]
        for label, some in ((OLD, shuffled.filter(old)), (NEW, shuffled.filter(~old)))
    }


def main() -> int:
    chosen = campaign.options(__doc__ or "", 100).parse_args()
    with tempfile.TemporaryDirectory(prefix="determinism-") as name:
        known: dict[tuple[int, str], dict[str, str]] = {}

        def trial(draw: random.Random) -> str:
            seed, work = draw.choice(SEEDS), draw.choice(list(WORK))
            with tempfile.TemporaryDirectory(dir=name) as inside:
                table = material.rows(Path(inside), HOSTS, seed)
                if (seed, work) not in known:
                    plain = random.Random(0)
                    with tempfile.TemporaryDirectory(dir=name) as first:
                        one = dealt(table, 1, plain)
                        known[seed, work] = found(Path(first), one, work, plain)[0]
                splits = draw.choice(SPLITS)
                parts = dealt(table, splits, draw)
                digests, threads = found(Path(inside), parts, work, draw)
            if differ := material.differing(digests, known[seed, work]):
                how = f"crawl {seed}, {work}, {2 * splits} files, {threads} threads"
                raise Failed(f"{how}: differ: {', '.join(differ)}")
            return f"{work}, threads {threads}"

        return campaign.run("determinism", trial, chosen)


if __name__ == "__main__":
    sys.exit(main())
