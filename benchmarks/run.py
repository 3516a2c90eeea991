"""All benchmarks by one command: ``python -m benchmarks.run [--small] [--only PART ...] [--without
PART ...]``.

Invariant: what was run is written to ``benchmarks/RESULTS.md`` with the machine and the
versions it holds for, and nothing else; after each part, so that a part that fails costs only
itself. With ``--small`` all sizes are a hundredth or so (two minutes; it shows that the benchmarks
run, its figures are mostly start-up) and nothing is written unless ``--out`` says where. The full
run needs 40 GB of disk and half an hour; crawls are kept in the folder REPLICADB_BENCHMARKS for the
next.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from benchmarks import inputs
from benchmarks.measure import markdown, printed
from benchmarks.speed import awkward, bare, detect, full, load, new_data, scale, versus_splink
from replicadb import __version__

PACKAGES = ("duckdb", "polars", "numpy", "pyarrow", "rapidfuzz", "fastwarc")
HERE = Path(__file__).parent


def machine() -> str:
    """Cores, memory and system in words."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (
        f"{cores} cores ({platform.machine()}, {_processor()}), {memory:.0f} GB memory,"
        f" {platform.system()} {platform.release()}; load average before the run"
        f" {os.getloadavg()[0]:.1f}"
    )


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    names = (
        [
            line.split(":", 1)[1].strip()
            for line in cpuinfo.read_text().splitlines()
            if line.startswith("model name")
        ]
        if cpuinfo.exists()
        else []
    )
    return names[0] if names else platform.processor() or "unknown"


class Parts:
    """The parts of the whole, each a function of nothing that returns Markdown."""

    def __init__(self, small: bool, svg: Path) -> None:
        self.small, self.svg = small, svg
        self.points: list[scale.Point] = []
        """The paper's whole collection, once measured; scale.py takes it as it is."""

    def full(self) -> str:
        text, point = full.main(
            300_000 if self.small else inputs.PAPER_URLS, keep=True
        )  # model.py's data; removed in the end
        self.points = [point]
        return text

    def bare(self) -> str:
        """At about a million pairs; full.py has it at the paper's size."""
        return bare.main(inputs.million(self.small), inputs.ROOT)

    def splink(self) -> str:
        return versus_splink.main(inputs.ROOT, self.small)

    def scale(self) -> str:
        sizes, commons, at = (
            ([0.05, 0.1], [0.0, 1.0], 0.1)
            if self.small
            else ([1, 3, 10], scale.COMMONS, scale.COMMONS_AT)
        )
        if not self.points and not self.small:
            sizes = [*sizes, 30]
        return scale.main(sizes, commons, at, self.points, self.svg)

    def shapes(self) -> str:
        return awkward.main(share=0.01 if self.small else 1.0)

    def load(self) -> str:
        return load.main(self.small)

    def detect(self) -> str:
        return detect.main(self.small)

    def new(self) -> str:
        return new_data.main(self.small)

    def model(self) -> str:
        """On the paper's whole collection if that part came before, else on a generated crawl."""
        return printed("benchmarks.speed.model", *([full.DATABASE] if self.points else []))


TITLES = {
    "full": "The paper's whole collection",
    "model": "At crawl time",
    "bare": "Detect against a bare DuckDB script",
    "splink": "Detect against splink",
    "scale": "Cost against the work",
    "shapes": "Awkward shapes",
    "load": "Load",
    "detect": "Detect, about a million pairs",
    "new": "A further crawl: one host in a hundred, again or new",
}


def head(small: bool) -> list[str]:
    """What the tables hold for."""
    return [
        "# Benchmarks",
        (
            f"Made by `python -m benchmarks.run{' --small' if small else ''}` on"
            f" {datetime.date.today().isoformat()}. Whole processes: start-up, reading, writing and"
            " the final commit are inside. CPU s are all threads together; where they are close to"
            " wall s on two cores, something else had the other core. MB are 10^6 bytes, peak MB"
            " the largest resident set."
        ),
        f"Machine: {machine()}.",
        "Versions: Python "
        + platform.python_version()
        + f", replicadb {__version__}, "
        + ", ".join(f"{name} {version(name)}" for name in PACKAGES)
        + f", splink {versus_splink.VERSION}.",
        (
            "Data: `replicadb.synthetic.crawl.generate`, seed 0 (profiles ordinary for load, parked"
            " for detect at a million pairs and splink's second crawl, paper for the rest, with its"
            " most common contents on more hosts for splink's first, `benchmarks/inputs.py`);"
            " awkward shapes by `benchmarks/speed/shapes.py`; the WARC file is written by warcio,"
            " pages of 1 to 8 KB."
        ),
    ]


def run(names: list[str], parts: Parts, out: Path | None, small: bool) -> int:
    """Run the parts in order; returns how many failed."""
    text, spent, failed = head(small), [], 0
    print("\n\n".join(text), flush=True)
    for name in names:
        start = time.perf_counter()
        body = _caught(getattr(parts, name))
        failed += "**Failed**" in body
        spent.append([TITLES[name], f"{time.perf_counter() - start:.0f}"])
        text += [f"## {TITLES[name]}", body]
        print("\n\n".join(["", *text[-2:]]), flush=True)
        if out:
            out.write_text(
                "\n\n".join(
                    [
                        *text,
                        "## What the parts took",
                        markdown(["part, with making its data", "s"], spent),
                    ]
                )
                + "\n",
                "utf-8",
            )
    return failed


def _caught(part: Callable[[], str]) -> str:
    try:
        return part()
    except (Exception, SystemExit) as error:  # the other parts go on; the exit code tells
        return f"**Failed**: {type(error).__name__}: {error}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--small", action="store_true", help="small sizes; nothing is written unless --out"
    )
    parser.add_argument(
        "--only", nargs="+", choices=TITLES, default=list(TITLES), help="these parts alone"
    )
    parser.add_argument("--without", nargs="+", choices=TITLES, default=[], help="all but these")
    parser.add_argument(
        "--out", type=Path, help="Markdown file; default RESULTS.md beside this script"
    )
    options = parser.parse_args()
    names = [name for name in TITLES if name in options.only and name not in options.without]
    out = options.out or (None if options.small else HERE / "RESULTS.md")
    inputs.ROOT.mkdir(parents=True, exist_ok=True)
    svg = (out or inputs.ROOT / "RESULTS.md").with_name("scale.svg")
    failed = run(names, Parts(options.small, svg), out, options.small)
    if "full" in names:
        full.DATABASE.unlink(missing_ok=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
