"""pages render on generated pages: pages a second, CPU seconds a page, peak memory of all
processes.

    python -m benchmarks.speed.pages_render --work DIR [--pages 1000] [--workers 2] [--browser PATH]

``DIR`` keeps the generated archive and its database (made if missing). CPU and memory are those of
the command, playwright's driver and the browsers together, sampled from /proc (Linux); memory is
resident, shared pages counted once a process, so an upper bound.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import replicadb

SAMPLE_SECONDS = 0.1
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def make(folder: Path, pages: int) -> Path:
    """The archive and its database with content, as many pages as asked for, about."""
    from replicadb.synthetic.pages.generate_pages import generate_pages

    database = folder / "pages.duckdb"
    if not database.exists():
        folder.mkdir(parents=True, exist_ok=True)
        generate_pages(folder, pages, seed=0, fmt="warc")
        with replicadb.open(database) as web:
            web.load(folder / "pages.warc.gz", content=True)
    return database


def family(root: int) -> dict[int, tuple[float, int]]:
    """CPU seconds and resident bytes of a process and its descendants by id."""
    parents, found = {}, {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry)] = int(fields[1])
            found[int(entry)] = (
                (int(fields[11]) + int(fields[12])) / TICKS,
                int(fields[21]) * PAGE,
            )
    inside = {root}
    for _ in range(12):
        inside |= {one for one, parent in parents.items() if parent in inside}
    return {one: found[one] for one in inside if one in found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--browser")
    given = parser.parse_args()
    database = make(given.work, given.pages)
    command = [
        sys.executable,
        "-m",
        "replicadb",
        "pages",
        "render",
        str(database),
        str(given.work / "pages.warc.gz"),
        "--force",
        "--workers",
        str(given.workers),
        "--limit",
        str(given.pages),
    ]
    started, cpu, peak = time.monotonic(), {}, 0
    running = subprocess.Popen(command + (["--browser", given.browser] if given.browser else []))
    while running.poll() is None:
        now = family(running.pid)
        cpu |= {one: used for one, (used, _) in now.items()}
        peak = max(peak, sum(memory for _, memory in now.values()))
        time.sleep(SAMPLE_SECONDS)
    seconds = time.monotonic() - started
    with replicadb.open(database, read_only=True) as web:
        pages = min(given.pages, web.database.value("SELECT count(*) FROM rendered_pages"))
    print(
        f"{pages:,} pages in {seconds:.1f} s: {pages / seconds:.1f} a second;"
        f" {sum(cpu.values()) / pages:.3f} CPU seconds a page; peak {peak / 1e6:,.0f} MB over all"
        f" processes, {given.workers} browsers"
    )


if __name__ == "__main__":
    main()
