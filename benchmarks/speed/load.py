"""Time ``replicadb load`` as a whole process: rows of a Parquet file, lines of a CDXJ index, CSV
and JSON Lines, records of a WARC file, many tiny files.

Marks (2 idle cores): 1,000,000 rows from Parquet in under 3 s, 30,000,000 in 2 minutes. Run
``python -m benchmarks.speed.load [--quick | --sizes | --shapes]``: ``--sizes`` loads crawls of the
paper's profile with 1, 3, 10 and 30 million rows, without and with ``--memory-limit 6GB``;
``--shapes`` the awkward ones of shapes.py.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks import inputs
from benchmarks.measure import markdown, replicadb
from benchmarks.speed import shapes

MARK = "3 s"
HEADER = ["load", "size", "wall s", "CPU s", "peak MB", "rate", "file MB", "mark"]


def tiny_files(folder: Path, n: int) -> Path:
    folder.mkdir()
    for i in range(n):
        (folder / f"{i:04}.csv").write_text(
            f"url,fingerprint\nhttp://a{i}.com/,{i}\nhttp://b{i}.com/x,{i % 7}\n"
        )
    return folder


def main(quick: bool = False) -> str:
    """Returns the Markdown table."""
    rows, records, files = (100_000, 2_000, 20) if quick else (1_000_000, 20_000, 100)
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, unit, n, source, mark in (
            ("Parquet", "rows", rows, inputs.made("table", rows), "" if quick else MARK),
            ("CDXJ", "lines", rows, inputs.made("text", rows, "cdxj"), ""),
            ("CSV", "lines", rows, inputs.made("text", rows, "csv"), ""),
            ("JSON Lines", "lines", rows, inputs.made("text", rows, "jsonl"), ""),
            ("WARC (gzip)", "records", records, inputs.made("warc", records), ""),
            ("tiny CSV files", "files", files, tiny_files(Path(scratch) / "tiny", files), ""),
        ):
            lines.append(timed(Path(scratch) / f"{len(lines)}.duckdb", name, unit, n, source, mark))
    return markdown(HEADER, lines)


def timed(
    database: Path, name: str, unit: str, n: int, source: Path, mark: str = "", *options: str
) -> list[object]:
    """One line of the table; the database is removed again."""
    used = replicadb("load", database, source, "--quiet", *options)
    size = database.stat().st_size
    database.unlink()
    return [
        name,
        f"{n:,} {unit}",
        f"{used.wall:.1f}",
        f"{used.user + used.system:.1f}",
        f"{used.peak_mb:,.0f}",
        f"{n / used.wall:,.0f} {unit}/s",
        f"{size / 1e6:,.0f}",
        mark,
    ]


def sizes(*millions: int) -> str:
    """Cost against the number of rows: the Markdown table."""
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        for n in millions:
            source = inputs.made("crawl", n * 583_411 // 30, n * 1_000_000, "paper")
            mark = "120 s" if n == 30 else ""
            lines.append(
                timed(Path(scratch) / "web.duckdb", "Parquet", "rows", n * 1_000_000, source, mark)
            )
            if n >= 10:
                lines.append(
                    timed(
                        Path(scratch) / "web.duckdb",
                        "within 6 GB",
                        "rows",
                        n * 1_000_000,
                        source,
                        mark,
                        "--memory-limit",
                        "6GB",
                    )
                )
    return markdown(HEADER, lines)


def awkward() -> str:
    """The shapes of shapes.py: the Markdown table."""
    with tempfile.TemporaryDirectory() as scratch:
        return markdown(
            HEADER,
            [
                timed(
                    Path(scratch) / "web.duckdb", name, "rows", rows, shapes.made(inputs.ROOT, name)
                )
                for name, (rows, _, _) in shapes.SHAPES.items()
            ],
        )


if __name__ == "__main__":
    inputs.help_or_go_on(__doc__)
    print(
        sizes(1, 3, 10, 30)
        if "--sizes" in sys.argv
        else awkward()
        if "--shapes" in sys.argv
        else main("--quick" in sys.argv)
    )
