"""The threshold of each page method, all chosen alike on generated pages.

    python -m benchmarks.accuracy.page_thresholds [--seeds 921 922 923] [--pages 800]

For each method and threshold the lesser of precision and recall on the pairs of one query, judged
by equal content; of the seeds the least. Prints the three best thresholds of each method.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import replicadb
from benchmarks.measure import markdown
from replicadb.evaluation.page_method_scores import (
    Scored,
    by_minhash,
    by_overlap,
    by_projection,
    by_simhash,
)
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.page_pairs.pair_list import read_pairs
from replicadb.synthetic.pages.generate_pages import generate_pages

METHODS: dict[str, tuple[Callable[..., Scored], dict[str, float]]] = {
    "simhash": (by_simhash, {f"{bits} bits": 1 - bits / 64 for bits in range(25)}),
    "minhash": (by_minhash, {f"{i / 20:g}": i / 20 for i in range(4, 18)}),
    "rp": (by_projection, {f"{i / 400:g}": 1 - i / 400 for i in range(2, 21)}),
    "mwo": (by_overlap, {f"{i / 20:g}": i / 20 for i in range(8, 18)}),
}
"""Scores, and the score from which on a pair is found, by its name."""


def least(score: np.ndarray, labels: np.ndarray, threshold: float) -> float:
    """The lesser of precision and recall; NaN is never found, labels below 0 do not count."""
    said = (np.nan_to_num(score, nan=-1.0) >= threshold - 1e-12)[labels >= 0]
    true = labels[labels >= 0] == 1
    hits = int((said & true).sum())
    return min(hits / max(int(said.sum()), 1), hits / max(int(true.sum()), 1))


def measured(folder: Path, pages: int, seed: int) -> dict[tuple[str, str], float]:
    """The lesser of precision and recall, by method and threshold."""
    made = generate_pages(folder, pages, seed, "parquet")
    found = {}
    with replicadb.open(folder / "pages.duckdb") as web:
        web.load(made.pages_file, content=True)
        with web.database.temporary():
            pairs = read_pairs(web.database, made.gold_csv, label="content_label", labelled=True)
            for name, (scores, thresholds) in METHODS.items():
                with web.database.temporary():
                    score = scores(web.database, PageOptions(), pairs.a_id, pairs.b_id).score
                for shown, value in thresholds.items():
                    found[name, shown] = least(score, pairs.labels, value)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[921, 922, 923])
    parser.add_argument("--pages", type=int, default=800)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        of_seed = [measured(Path(folder) / str(s), options.pages, s) for s in options.seeds]
    rows = []
    for name, (_, thresholds) in METHODS.items():
        ranked = sorted((-min(of[name, shown] for of in of_seed), shown) for shown in thresholds)
        rows += [[name, shown, f"{-value:.3f}"] for value, shown in ranked[:3]]
    print(markdown(["method", "threshold", "least of precision and recall"], rows))


if __name__ == "__main__":
    main()
