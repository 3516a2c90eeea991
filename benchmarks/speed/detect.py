"""Time ``replicadb detect`` as a whole process on a generated crawl of about 1,000,000 candidate
pairs.

Marks (2 cores): under 10 s and 1 GB. Run ``python -m benchmarks.speed.detect [--quick] [--method
paper]``. Then again under ``--memory-limit 1GB``, and with nothing changed (which has nothing to
do).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks import inputs
from benchmarks.measure import markdown, reading, replicadb

MARK = "10 s, 1,000 MB"


def main(quick: bool = False, method: str | None = None) -> str:
    """Returns two Markdown tables: whole processes, and the stages of the first."""
    crawl = inputs.million(quick)
    options = ["--quiet", *(["--method", method] if method else [])]
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, more, mark in (
            ("detect", [], "" if quick else MARK),
            ("detect, 1 GB limit", ["--memory-limit", "1GB"], ""),
        ):
            database = Path(scratch) / f"{len(lines)}.duckdb"
            replicadb("load", database, crawl, "--quiet")
            used = replicadb("detect", database, *options, *more)
            with reading(database) as web:
                pairs, urls = web.execute(
                    "SELECT (SELECT count(*) FROM candidate_pairs), (SELECT count(*) FROM urls)"
                ).fetchall()[0]
                if not lines:
                    stages = web.execute(
                        "SELECT stage, seconds, rows FROM stages ORDER BY stage"
                    ).fetchall()
            lines.append(_line(name, pairs, urls, used, database, mark))
        used = replicadb("detect", database, *options)
        lines.append(_line("detect, nothing changed", pairs, urls, used, database, ""))
    whole = markdown(
        [
            "detect",
            "URLs",
            "candidate pairs",
            "wall s",
            "CPU s",
            "peak MB",
            "pairs/s",
            "file MB",
            "mark",
        ],
        lines,
    )
    return (
        whole
        + "\n\n"
        + markdown(
            ["stage of the first", "wall s", "rows"],
            [[s, f"{t:.2f}", f"{n:,}"] for s, t, n in stages],
        )
    )


def _line(name, pairs, urls, used, database, mark) -> list[object]:
    return [
        name,
        f"{urls:,}",
        f"{pairs:,}",
        f"{used.wall:.1f}",
        f"{used.user + used.system:.1f}",
        f"{used.peak_mb:,.0f}",
        f"{pairs / used.wall:,.0f}",
        f"{database.stat().st_size / 1e6:,.0f}",
        mark,
    ]


if __name__ == "__main__":
    inputs.help_or_go_on(__doc__)
    print(main("--quick" in sys.argv, "paper" if "paper" in sys.argv else None))
