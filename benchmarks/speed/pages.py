"""Time the page methods on real-sized pages, each as a whole process, and judge them on the gold
that comes with the pages.

Mark: 100,000 pages loaded with --content and fingerprinted by every method within 10 minutes and 4
GB on 2 cores.

    python -m benchmarks.speed.pages [--pages 100000] [--seed 900]

The pages are those of ``replicadb pages synth`` (20 to 60 KB of markup).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from benchmarks import inputs
from benchmarks.measure import Usage, markdown, replicadb

METHODS = (("exact",), ("simhash",), ("minhash",), ("rp",), ("rp+hm",), ("mwo",))
MARK_SECONDS, MARK_MB = 600, 4000


def made(pages: int, seed: int) -> Path:
    """A folder with pages.parquet and gold.csv, generated once."""
    folder = inputs.ROOT / f"pages-{pages}-{seed}"
    if not (folder / "gold.csv").is_file():
        replicadb(
            "pages",
            "synth",
            folder,
            "--pages",
            pages,
            "--seed",
            seed,
            "--format",
            "parquet",
            "--quiet",
        )
    return folder


def main(pages: int, seed: int, memory: str = "2500MB") -> str:
    """The table of steps, and how good the methods are."""
    folder = made(pages, seed)
    web = folder / "web.duckdb"
    web.unlink(missing_ok=True)
    common = "--quiet", "--memory-limit", memory
    load = replicadb("load", web, folder / "pages.parquet", "--content", *common)
    steps: list[tuple[str, Usage]] = [("load --content", load)]
    steps += [
        (
            f"fingerprint --page-method {' '.join(method)}",
            replicadb("fingerprint", web, "--page-method", *method, *common),
        )
        for method in METHODS
    ]
    rows = [
        [name, f"{used.wall:.0f}", f"{used.cpu:.0f}", f"{used.peak_mb:,.0f}"]
        for name, used in steps
    ]
    rows.append(
        [
            f"load and the six methods (mark: {MARK_SECONDS} s, {MARK_MB:,} MB)",
            f"{sum(u.wall for _, u in steps):.0f}",
            f"{sum(u.cpu for _, u in steps):.0f}",
            f"{max(u.peak_mb for _, u in steps):,.0f}",
        ]
    )
    judged = (
        subprocess.run(
            [
                sys.executable,
                "-m",
                "replicadb",
                "pages",
                "evaluate",
                str(web),
                str(folder / "gold.csv"),
                "--no-work",
                "--quiet",
                "--seeds",
                "1",
            ],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
        if pages <= 20_000
        else ""
    )
    size = sum(part.stat().st_size for part in [web]) / 1e6
    return (
        f"{pages:,} pages asked for, seed {seed}; database {size:,.0f} MB; `--memory-limit"
        f" {memory}`\n\n"
        + markdown(["step", "wall s", "CPU s", "peak MB"], rows)
        + (f"\n```\n{judged}```\n" if judged else "")
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=900)
    parser.add_argument("--memory-limit", default="2500MB")
    given = parser.parse_args()
    print(main(given.pages, given.seed, given.memory_limit))
