"""Time and memory of load and detect against the number of URLs, and against the number of
candidate pairs, at the same URLs.

Invariant: each figure is of a whole process, every pair of hosts that share content is made
and scored (no cap), and the lines fitted are least squares over all points measured. Crawls are of
profile paper with hosts in proportion; the second series varies how common the most common contents
are (``Profile.common``), so that URLs stay and pairs change.

    python -m benchmarks.speed.scale [--sizes 1 3 10 30] [--commons 0 0.2 0.4 0.8] [--at 3]
        [--folder FOLDER]

Sizes are in million URLs; crawls are made once and kept in the folder (else that of
benchmarks/inputs.py). Prints Markdown and writes benchmarks/scale.svg, or where ``--svg`` says.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import plot
from benchmarks.measure import NO_LIMITS, Usage, markdown, reading, replicadb

SIZES = (1.0, 3.0, 10.0, 30.0)
COMMONS = (0.0, 0.2, 0.4, 0.8)
COMMONS_AT = 3.0
SVG = Path(__file__).parents[1] / "scale.svg"


@dataclass(frozen=True)
class Point:
    """One crawl."""

    series: str
    """``size`` or ``pairs``."""
    urls: int
    """Kept by load."""
    pairs: int
    """Distinct candidate pairs."""
    load: Usage
    detect: Usage
    file_mb: float


def measured(series: str, crawl: Path, scratch: Path) -> Point:
    """Load and detect one crawl; the database is removed again."""
    database = scratch / "scale.duckdb"
    database.unlink(missing_ok=True)
    load = replicadb("load", database, crawl, "--quiet")
    detect = replicadb("detect", database, "--quiet", *NO_LIMITS)
    urls, pairs = counted(database)
    point = Point(series, urls, pairs, load, detect, database.stat().st_size / 1e6)
    database.unlink()
    return point


def counted(database: Path) -> tuple[int, int]:
    """URLs and candidate pairs of a database."""

    with reading(database) as con:
        return con.execute(
            "SELECT (SELECT count(*) FROM urls), (SELECT count(*) FROM pair_features)"
        ).fetchall()[0]


def _exponent(x: list[float], y: list[float]) -> str:
    """Slope of log y on log x: 1 = in step, 2 = quadratic; without two different x, a dash."""
    return (
        "–" if len(set(x)) < 2 or min(x) <= 0 else f"{np.polyfit(np.log(x), np.log(y), 1)[0]:.2f}"
    )


def _plane(columns: list[list[float]], y: list[float]) -> list[str]:
    """Coefficients of each column in a least-squares fit with a constant, the constant last; dashes
    where points are too few.
    """
    matrix = np.column_stack([*columns, np.ones(len(y))])
    if np.linalg.matrix_rank(matrix) < matrix.shape[1]:
        return ["–"] * matrix.shape[1]
    return [f"{value:.2f}" for value in np.linalg.lstsq(matrix, np.array(y), rcond=None)[0]]


def table(points: list[Point]) -> str:
    """What was measured."""
    rows = [
        [
            {"size": "URLs grow", "pairs": "pairs grow"}[p.series],
            f"{p.urls:,}",
            f"{p.pairs:,}",
            f"{p.load.wall:.1f}",
            f"{p.load.peak_mb:,.0f}",
            f"{p.detect.wall:.1f}",
            f"{p.detect.cpu:.1f}",
            f"{p.detect.peak_mb:,.0f}",
            f"{p.pairs / p.detect.wall:,.0f}",
            f"{p.file_mb:,.0f}",
        ]
        for p in points
    ]
    return markdown(
        [
            "",
            "URLs",
            "candidate pairs",
            "load s",
            "load peak MB",
            "detect s",
            "detect CPU s",
            "detect peak MB",
            "pairs/s",
            "file MB",
        ],
        rows,
    )


def slopes(points: list[Point]) -> str:
    """Lines through the points: what a million URLs more costs, and a million pairs more."""
    sized, paired = ([p for p in points if p.series == series] for series in ("size", "pairs"))
    million_urls, million_pairs = [p.urls / 1e6 for p in points], [p.pairs / 1e6 for p in points]
    rows = []
    for name, unit, value, by_pairs in (
        ("load", "s", lambda p: p.load.wall, False),
        ("detect", "s", lambda p: p.detect.wall, True),
        ("detect, CPU", "s", lambda p: p.detect.cpu, True),
        ("load, peak memory", "MB", lambda p: p.load.peak_mb, False),
        ("detect, peak memory", "MB", lambda p: p.detect.peak_mb, True),
        ("file", "MB", lambda p: p.file_mb, True),
    ):
        fit = _plane(
            [million_urls, million_pairs] if by_pairs else [million_urls],
            [value(p) for p in points],
        )
        rows.append(
            [
                f"{name}, {unit}",
                fit[0],
                fit[1] if by_pairs else "",
                fit[-1],
                _exponent([p.urls for p in sized], [value(p) for p in sized]),
                (
                    _exponent([p.pairs for p in paired], [value(p) for p in paired])
                    if by_pairs
                    else ""
                ),
            ]
        )
    return (
        markdown(
            [
                "least squares over all points",
                "a million URLs",
                "a million pairs",
                "constant",
                "exponent, URLs growing",
                "exponent, pairs growing",
            ],
            rows,
        )
        + "\n\nThe exponent is the slope of a line through the logarithms: 1 = cost in step with"
        " the work. Pairs grow faster than URLs here, as the most common contents do, so detect's"
        " exponent over URLs is not that of its cost; the column of pairs is."
    )


def draw(points: list[Point]) -> str:
    """The picture (SVG): seconds and peak memory against URLs, and against pairs."""
    sized = sorted((p for p in points if p.series == "size"), key=lambda p: p.urls)
    by_pairs = sorted(points, key=lambda p: p.pairs)
    lines = [
        [
            ("load", [(p.urls / 1e6, p.load.wall) for p in sized]),
            ("detect", [(p.urls / 1e6, p.detect.wall) for p in sized]),
        ],
        [
            ("load", [(p.urls / 1e6, p.load.peak_mb / 1e3) for p in sized]),
            ("detect", [(p.urls / 1e6, p.detect.peak_mb / 1e3) for p in sized]),
        ],
        [("detect", [(p.pairs / 1e6, p.detect.wall) for p in by_pairs])],
        [("detect", [(p.pairs / 1e6, p.detect.peak_mb / 1e3) for p in by_pairs])],
    ]
    titles = [
        ("million URLs", "seconds"),
        ("million URLs", "peak memory, GB"),
        ("million candidate pairs", "seconds"),
        ("million candidate pairs", "peak memory, GB"),
    ]
    return plot.svg(
        [plot.Panel(x, y, series) for (x, y), series in zip(titles, lines, strict=True)]
    )


def main(
    sizes: list[float], commons: list[float], at: float, known: list[Point] = (), svg: Path = SVG
) -> str:
    """Measure, draw, and return the Markdown. ``known`` are points measured elsewhere (the paper's
    whole collection).
    """
    from benchmarks import inputs

    points = list(known)
    points += [
        measured("size", inputs.paper_sized(round(size * 1e6)), inputs.ROOT) for size in sizes
    ]
    points += [
        measured("pairs", inputs.paper_sized(round(at * 1e6), f"paper@{common:g}"), inputs.ROOT)
        for common in commons
    ]
    points.sort(key=lambda p: (p.series != "size", p.urls, p.pairs))
    svg.write_text(draw(points), "utf-8")
    return "\n\n".join(
        [table(points), slopes(points), f"![Time and memory against URLs and pairs]({svg.name})"]
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="*", type=float, default=SIZES, help="million URLs")
    parser.add_argument(
        "--commons",
        nargs="*",
        type=float,
        default=COMMONS,
        help="Profile.common; the paper profile's is 0.051",
    )
    parser.add_argument(
        "--at", type=float, default=COMMONS_AT, help="million URLs of the second series"
    )
    parser.add_argument("--folder", help="where crawls are kept and databases made")
    parser.add_argument("--svg", type=Path, default=SVG)
    options = parser.parse_args()
    if options.folder:
        os.environ["REPLICADB_BENCHMARKS"] = options.folder
    print(main(options.sizes, options.commons, options.at, svg=options.svg))
