"""Time label transitions at the paper's scale: 1,330,000 PU and 2,100,000 NU examples as patterns.

The paper spent 112 s with incremental updates and 8,839 s rebuilding on 1.33 M examples (its §4.2.3,
Table 5). The examples are drawn with a seed: five skewed features of 5 or 6 bins, replicas with higher bins,
few obvious.

Run ``python benchmarks/transitions.py`` where replicadb is installed; it prints a Markdown table. The last
lines are the other schedules, and the most patterns that the bins' cap allows.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from replicadb.learning.em import transitions

BINS = (6, 5, 5, 5, 6)


def patterns(n_examples: int, data: str, seed: int = 2017, bins=BINS):
    """(bins, counts, movable) of a drawn training set; 1 % replicas, obvious ones a tenth of their class."""
    rng = np.random.default_rng(seed)
    replica = rng.random(n_examples) < 0.01
    skew = rng.gamma(0.7, 0.8, (n_examples, len(bins))) * (1.0 + 1.6 * replica[:, None])
    codes = np.minimum(skew.astype(np.int64), np.array(bins) - 1)
    keys = np.ravel_multi_index(tuple(codes.T), bins)
    distinct, index = np.unique(keys, return_inverse=True)
    obvious = (rng.random(n_examples) < 0.1) & (replica == (data == "PU"))
    positive = obvious if data == "PU" else ~obvious
    counts = np.zeros((len(distinct), 2), np.int64)
    np.add.at(counts, (index, positive.astype(int)), 1)
    movable = np.bincount(index[~obvious], minlength=len(distinct))
    return np.column_stack(np.unravel_index(distinct, bins)), counts, movable


RUNS = (
    # data, examples, bins, cut, schedule
    ("PU", 1_330_000, BINS, "own", "batch"),
    ("PU", 1_330_000, BINS, "projected", "batch"),
    ("NU", 2_100_000, BINS, "own", "batch"),
    ("NU", 2_100_000, BINS, "projected", "batch"),
    ("PU", 1_330_000, BINS, "own", "pattern"),
    ("PU", 20_000, BINS, "own", "example"),
    ("PU", 5_000_000, (7, 6, 6, 6, 6), "own", "batch"),
    ("PU", 5_000_000, (7, 6, 6, 6, 6), "projected", "batch"),
)


def main() -> None:
    lines = [
        "| data | examples | patterns | cut | schedule | passes | moved | seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for data, n_examples, bins, cut, schedule in RUNS:
        training = patterns(n_examples, data, bins=bins)
        start = time.perf_counter()
        result = transitions(*training, data=data, cut=cut, schedule=schedule)
        seconds = time.perf_counter() - start
        passes = f"{result.n_iter}" if result.converged else f"{result.n_iter} (not converged)"
        lines.append(
            f"| {data} | {n_examples:,} | {len(training[0]):,} | {cut} | {schedule} | {passes}"
            f" | {result.moved.sum():,} | {seconds:.2f} |"
        )
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
