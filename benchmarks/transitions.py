"""Time label transitions at the paper's scale: 1,330,000 PU and 2,100,000 NU examples as patterns with counts.

The paper spent 112 s with incremental updates and 8,839 s rebuilding on 1.33 M examples (its §4.2.3, Table 5). The
examples are drawn with a seed: five skewed features of 5 to 7 bins, replicas with higher bins, few obvious.

Run ``python benchmarks/transitions.py``; it prints a Markdown table.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from replicadb.learning.em import transitions

BINS = (7, 6, 5, 5, 7)


def patterns(n_examples: int, data: str, seed: int = 2017, bins=BINS):
    """(bins, counts, movable) of a drawn training set; 1 % replicas, obvious ones a tenth of their class."""
    rng = np.random.default_rng(seed)
    replica = rng.random(n_examples) < 0.01
    skew = rng.gamma(1.2, 1.0, (n_examples, len(bins))) * (1.0 + 1.6 * replica[:, None])
    codes = np.minimum(skew.astype(np.int64), np.array(bins) - 1)
    keys = np.ravel_multi_index(tuple(codes.T), bins)
    distinct, index = np.unique(keys, return_inverse=True)
    obvious = (rng.random(n_examples) < 0.1) & (replica == (data == "PU"))
    positive = obvious if data == "PU" else ~obvious
    counts = np.zeros((len(distinct), 2), np.int64)
    np.add.at(counts, (index, positive.astype(int)), 1)
    movable = np.bincount(index[~obvious], minlength=len(distinct))
    return np.column_stack(np.unravel_index(distinct, bins)), counts, movable


def main() -> None:
    runs = [("PU", 1_330_000, cut) for cut in ("own", "projected")]
    runs += [("NU", 2_100_000, cut) for cut in ("own", "projected")]
    lines = ["| data | examples | patterns | cut | passes | moved | seconds |", "|---|---|---|---|---|---|---|"]
    for data, n_examples, cut in runs:
        training = patterns(n_examples, data)
        start = time.perf_counter()
        result = transitions(*training, data=data, cut=cut)
        seconds = time.perf_counter() - start
        lines.append(
            f"| {data} | {n_examples:,} | {len(training[0]):,} | {cut} | {result.n_iter}"
            f"{'' if result.converged else ' (not converged)'} | {result.moved.sum():,} | {seconds:.2f} |"
        )
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
