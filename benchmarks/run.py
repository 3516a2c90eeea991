"""All benchmarks by one command: ``python benchmarks/run.py [--quick] [--method paper]``.

Prints the tables and writes them to ``benchmarks/RESULTS.md`` (not with --quick), with the machine and the
versions they hold for. Only figures that were run. ``--method paper`` runs detect with the published method.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import io
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

import detect
import load
import transitions

PACKAGES = ("replicadb", "duckdb", "polars", "numpy", "pyarrow", "rapidfuzz", "fastwarc")


def machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return (f"{len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()} cores"
            f" ({platform.machine()}), {memory:.0f} GB memory, {platform.system()} {platform.release()}; load average"
            f" before the run {os.getloadavg()[0]:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, nothing written")
    parser.add_argument("--method", choices=["robust", "paper"], help="of detect; default: replicadb's own")
    options = parser.parse_args()
    parts = [
        "# Benchmarks",
        f"Made by `python benchmarks/run.py{' --method ' + options.method if options.method else ''}{' --quick' if options.quick else ''}`"
        f" on {datetime.date.today().isoformat()}. Whole processes: start-up, reading, writing and the final commit are inside."
        " CPU s are all threads together; where they are close to wall s on two cores, something else had the other core.",
        f"Machine: {machine()}.",
        "Versions: Python " + platform.python_version() + ", " + ", ".join(f"{name} {version(name)}" for name in PACKAGES) + ".",
        "Data: `replicadb.evaluation.synth`, seed 0; load: profile ordinary, detect: profile "
        f"{detect.PROFILE} with {detect.hosts(options.quick):,} hosts; the WARC file is written by warcio, pages of 1 to 8 KB.",
    ]
    print("\n\n".join(parts), flush=True)
    for title, run in (("Load", lambda: load.main(options.quick)),
                       (f"Detect ({options.method or 'default method'})", lambda: detect.main(options.quick, options.method)),
                       ("Transitions (in one process)", transitions_table)):
        parts += [f"## {title}", run()]
        print("\n\n".join(["", *parts[-2:]]), flush=True)
    if not options.quick:
        (Path(__file__).parent / "RESULTS.md").write_text("\n\n".join(parts) + "\n", "utf-8")


def transitions_table() -> str:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        transitions.main()
    return text.getvalue().strip()


if __name__ == "__main__":
    sys.exit(main())
