"""Time ``replicadb load`` as a whole process: rows of a Parquet file, records of a WARC file, many tiny files.

Mark (2 cores): 1,000,000 rows from Parquet in under 6 s. Run ``python benchmarks/load.py [--quick]``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import data
from measure import markdown, replicadb

MARK = "6 s"


def tiny_files(folder: Path, n: int) -> Path:
    folder.mkdir()
    for i in range(n):
        (folder / f"{i:04}.csv").write_text(f"url,fingerprint\nhttp://a{i}.com/,{i}\nhttp://b{i}.com/x,{i % 7}\n")
    return folder


def main(quick: bool = False) -> str:
    """Returns the Markdown table."""
    rows, records, files = (100_000, 2_000, 20) if quick else (1_000_000, 20_000, 100)
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, unit, n, source, mark in (
            ("Parquet", "rows", rows, data.made("table", rows), "" if quick else MARK),
            ("WARC (gzip)", "records", records, data.made("warc", records), ""),
            ("tiny CSV files", "files", files, tiny_files(Path(scratch) / "tiny", files), ""),
        ):
            database = Path(scratch) / f"{len(lines)}.duckdb"
            used = replicadb("load", database, source, "--quiet")
            lines.append([name, f"{n:,} {unit}", f"{used.wall:.1f}", f"{used.user + used.system:.1f}", f"{used.peak_mb:,.0f}",
                          f"{n / used.wall:,.0f} {unit}/s", f"{database.stat().st_size / 1e6:,.0f}", mark])
    return markdown(["load", "size", "wall s", "CPU s", "peak MB", "rate", "file MB", "mark"], lines)


if __name__ == "__main__":
    print(main("--quick" in sys.argv))
