"""In the large: crawls of awkward sizes, thousands of small files, hundreds of readers, each case
with the bounds that it has to keep.

Invariant: a figure is of a whole process. A case fails where it takes more memory or CPU
than its bound, where rows are lost, or where ten times the rows take more than LINEAR times what
they took for one. Bounds are for the size that the case has by default; CPU seconds are for a
machine of two cores that others use, too.

Run ``python -m benchmarks.reliability.load [--only CASE ...] [--share 0.01]``. A share is of each
case's size; bounds of memory stay, those of CPU shrink with it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from benchmarks import inputs
from benchmarks.measure import Usage, process, replicadb
from benchmarks.reliability import material, readers
from benchmarks.reliability.campaign import Failed
from benchmarks.speed import shapes
from benchmarks.speed.awkward import REFUSED, checked_load

LINEAR = 15
"""Ten times the rows take at most so many times the CPU."""
START = 1.5
"""CPU seconds that a command takes for nothing."""


@dataclass(frozen=True)
class Shape:
    """A crawl of benchmarks/speed/shapes.py at its size, and what it may cost."""

    name: str
    rows: int
    load_mb: int
    """Peak memory of load, in MB."""
    detect_mb: int
    cpu: float
    """CPU seconds a million rows, load and detect each."""
    limit: tuple[str, ...] = ()
    """Options of both commands."""

    def run(self, share: float, folder: Path) -> str:
        """Both commands at a tenth of the size and at all of it."""
        before = None
        for part in (share / 10, share):
            rows = max(round(self.rows * part), 1_000)
            load, detect = self.measured(folder, rows)
            if before:
                for name, now, then in zip(("load", "detect"), (load, detect), before, strict=True):
                    if now.cpu > LINEAR * max(then.cpu, START):
                        raise Failed(
                            f"{name}: {then.cpu:.1f} s for a tenth, {now.cpu:.1f} s for all"
                        )
            before = load, detect
        for name, used, most in (("load", load, self.load_mb), ("detect", detect, self.detect_mb)):
            bounded(name, used, most, self.cpu * rows / 1e6 + START)
        return f"{rows:,} rows; load {in_words(load)}; detect {in_words(detect)}"

    def measured(self, folder: Path, rows: int) -> tuple[Usage, Usage]:
        """Load and detect, and that no row is lost."""
        crawl = shapes.made(inputs.ROOT, self.name, rows)
        database = folder / "web.duckdb"
        database.unlink(missing_ok=True)
        load = replicadb("load", database, crawl, "--quiet", *self.limit)
        checked_load(self.name, database, rows)
        words = ["detect", database, "--quiet", *self.limit]
        detect = process([sys.executable, "-m", "replicadb", *words], REFUSED)
        if detect is None:
            raise Failed("detect refused, though contents on many hosts make no pairs")
        return load, detect


def bounded(name: str, used: Usage, megabytes: float, seconds: float) -> None:
    """Raises Failed where more was used."""
    if used.peak_mb > megabytes or used.cpu > seconds:
        raise Failed(
            f"{name}: {in_words(used)}; at most {megabytes:,.0f} MB, {seconds:.0f} s of CPU"
        )


def in_words(used: Usage) -> str:
    """What a process used, in words."""
    return f"{used.peak_mb:,.0f} MB, {used.cpu:.1f} s of CPU, {used.wall:.0f} s"


def refused(share: float, folder: Path) -> str:
    """One content everywhere, every pair asked for: the count is told before the work begins."""
    rows = max(round(200_000 * share), 20_000)  # fewer would be allowed
    database = folder / "web.duckdb"
    replicadb("load", database, shapes.made(inputs.ROOT, "one-fingerprint", rows), "--quiet")
    words = ["detect", database, "--quiet", "--max-cluster-hosts", "0"]
    if process([sys.executable, "-m", "replicadb", *words], REFUSED) is not None:
        raise Failed("made every pair of hosts, unasked")
    return f"{rows * (rows - 1) // 2:,} pairs refused"


def tiny_files(ending: str) -> Callable[[float, Path], str]:
    """Files of one to three captures, 10,000 of them, at 100 a second of CPU."""

    def run(share: float, folder: Path) -> str:
        crawl, n = folder / "tiny", max(round(10_000 * share), 100)
        crawl.mkdir()
        for number in range(n):
            urls = [f"http://h{number % 499}.example/{number}/{page}" for page in range(3)]
            texts = [f"<p>text {number % 997} {page}" for page in range(3)]
            path = crawl / f"{number}.{ending}"
            if ending == "warc":
                rows = zip(urls, texts, strict=True)
                path.write_bytes(b"".join(material.warc_record(*row) for row in rows))
                continue
            table = pl.DataFrame({"url": urls, "sha256": [material.sha(t.encode()) for t in texts]})
            (table.write_csv if ending == "csv" else table.write_ndjson)(path)
        database = folder / "web.duckdb"
        used = replicadb("load", database, crawl, "--quiet")
        checked_load(ending, database, 3 * n)
        bounded("load", used, 600, n / 100 + START)
        return f"{n:,} files; {in_words(used)}; {n / used.cpu:.0f} a second of CPU"

    return run


CASES: dict[str, Callable[[float, Path], str]] = {
    "many-urls": Shape("many-urls", 30_000_000, 2_000, 2_000, 40, ("--memory-limit", "1GB")).run,
    "one-host": Shape("one-host", 10_000_000, 2_000, 2_000, 15, ("--memory-limit", "1GB")).run,
    "one-url-hosts": Shape("one-url-hosts", 1_000_000, 2_000, 2_000, 40).run,
    "one-content": Shape("one-fingerprint", 200_000, 1_000, 1_000, 60).run,
    "every-pair": refused,
    "tiny-warc": tiny_files("warc"),
    "tiny-csv": tiny_files("csv"),
    "tiny-jsonl": tiny_files("jsonl"),
    "readers": readers.run,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES), metavar="CASE")
    parser.add_argument("--share", type=float, default=1.0, help="of each case's size")
    chosen = parser.parse_args()
    inputs.ROOT.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in chosen.only:
        folder = Path(tempfile.mkdtemp(prefix="load-", dir=inputs.ROOT))
        try:
            said = CASES[name](chosen.share, folder)
        except (Failed, SystemExit) as error:
            said, failed = f"FAILED: {error}", failed + 1
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        print(f"{name}: {said} (load average {os.getloadavg()[0]:.0f})", flush=True)
    print(f"load: {len(chosen.only)} cases; failed {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
