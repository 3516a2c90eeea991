"""Time label transitions (method paper): all pairs of a database, and the numbers of examples that
the paper had.

Invariant: only learning is timed, from patterns with counts to the final scores; making and
counting the patterns (SQL) is shown beside it. The paper spent 112 s on 1,330,000 PU and 131 s on
2,100,000 NU examples with incremental updates, and 8,839 s rebuilding (its section 4.2.3, Table 5).

Run ``python -m benchmarks.speed.transitions [DB]``: DB is a database after ``detect``, of any
method; it is not changed. The last lines are drawn examples: five skewed features of 5 or 6 bins,
replicas with higher bins, few obvious; other schedules; and the most patterns that the bins' cap
allows.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import markdown
from replicadb.learning.em import transitions

BINS = (6, 5, 5, 5, 6)
MARK = 2.0
"""Seconds for PU and NU together on all pairs, default bins, batch."""
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
HEADER = ["data", "examples", "patterns", "cut", "schedule", "passes", "moved", "seconds", "mark"]


def drawn_patterns(n_examples: int, data: str, bins=BINS):
    """(bins, counts, movable) of a drawn training set; 1 % replicas, obvious ones a tenth of their
    class.
    """
    rng = np.random.default_rng(2017)
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


def database_patterns(database: Path) -> dict[str, tuple]:
    """(bins, counts, movable) of PU and of NU data: all pairs of a database by the default bins
    (sql/detect/50_patterns's query; nothing is written).
    """
    from replicadb.detection.bins import bin_expressions
    from replicadb.detection.evidence import PAPER_FEATURES
    from replicadb.detection.patterns import five_feature_cuts
    from replicadb.evaluation.scratch import Scratch
    from replicadb.settings import Settings
    from replicadb.store.database import Database

    with Database(database, read_only=True) as file, Scratch(file) as db:
        db.detect_until_features()  # obvious non-replicas, which method robust does not make
        binned, parameters = bin_expressions(five_feature_cuts(db, Settings(method="paper")))
        column = db.arrays(
            f"""
            SELECT {", ".join(PAPER_FEATURES)},
                count(*) FILTER (label = 1) AS obvious,
                count(*) FILTER (label = 0) AS unlabelled,
                count(*) FILTER (label = -1) AS negative
            FROM (SELECT label, {binned} FROM (FROM pair_features UNION ALL FROM non_replicas))
            GROUP BY ALL ORDER BY ALL""",
            parameters,
        )
    bins = np.column_stack([column[name] for name in PAPER_FEATURES]).astype(np.int64)
    unlabelled = column["unlabelled"].astype(np.int64)
    found = {}
    for data, negative, positive in (
        ("PU", "unlabelled", "obvious"),
        ("NU", "negative", "unlabelled"),
    ):
        counts = np.column_stack([column[negative], column[positive]]).astype(np.int64)
        there = counts.sum(1) > 0
        found[data] = (bins[there], counts[there], unlabelled[there])
    return found


def _line(training: tuple, data: str, cut: str, schedule: str) -> tuple[list[object], float]:
    start = time.perf_counter()
    result = transitions(*training, data=data, cut=cut, schedule=schedule)
    seconds = time.perf_counter() - start
    passes = f"{result.n_iter}" if result.converged else f"{result.n_iter} (not converged)"
    return [
        data,
        f"{training[1].sum():,}",
        f"{len(training[0]):,}",
        cut,
        schedule,
        passes,
        f"{result.moved.sum():,}",
        f"{seconds:.2f}",
        "",
    ], seconds


def main(database: Path | None = None) -> str:
    """Returns the Markdown table."""
    lines, note = [], ""
    if database is not None:
        start = time.perf_counter()
        found = database_patterns(database)
        note = (
            "\n\nThe first lines are all pairs of a database; to bin and count them took"
            f" {time.perf_counter() - start:.1f} s, once for both."
        )
        both = 0.0
        for data, training in found.items():
            line, seconds = _line(training, data, "own", "batch")
            lines.append(line)
            both += seconds
        lines.append(["PU and NU of the database", *[""] * 6, f"{both:.2f}", f"{MARK:g}"])
    lines += [
        _line(drawn_patterns(n, data, bins=bins), data, cut, schedule)[0]
        for data, n, bins, cut, schedule in RUNS
    ]
    return markdown(HEADER, lines) + note


if __name__ == "__main__":
    print(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
