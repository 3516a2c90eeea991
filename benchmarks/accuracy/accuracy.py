"""How many of the non-obvious replicas each method finds, on generated crawls with known replicas.

    python -m benchmarks.accuracy.accuracy [--hosts 4000] [--seeds 241 242]
        [--profiles ordinary template sparse+ ...]

Prints a Markdown table: per profile the mean over the seeds of the true-positive rate at a
false-positive rate of 0.001 among candidates that are no obvious pairs (and of robust its AUC
there), and of the precision and recall (over all planted pairs) of robust's own decision. A profile
with + is generated with links and titles; ``themes`` and ``versions`` are loaded with every file
type. Near-replicas (versions of one site from other years, in ``versions``) count for nothing, with
* as replicas. The figures are those of ``replicadb evaluate``; the boosters are trained on true
labels, out of fold.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

import replicadb
from replicadb.synthetic.crawl.generate import generate

PROFILES = (
    "ordinary",
    "template",
    "sparse",
    "sparse+",
    "few-obvious",
    "affiliates",
    "shared-hosting",
    "parked",
    "paper",
    "demo",
    "themes",
    "themes+",
    "versions",
    "versions+",
    "versions*",
    "versions+*",
)
NEAR = ("replica", "near-replica")
METHODS = (
    "robust",
    "booster",
    "robust-paths",
    "booster-five",
    "paper",
    "paper-frequency",
    "paper-pu-start",
    "normpaths",
    "jaccard",
    "fullpath",
)


def one(profile: str, hosts: int, seed: int) -> list[float]:
    """TPR at 0.001 of each method; AUC, precision and recall of robust."""
    with tempfile.TemporaryDirectory() as folder:
        crawl = generate(
            folder, hosts, profile=profile.rstrip("+*"), seed=seed, links="+" in profile
        )
        with replicadb.open(Path(folder) / "crawl.duckdb") as db:
            db.load(crawl.crawl, all_types=profile.startswith(("themes", "versions")))
            db.detect()
            found = {
                method["name"]: method
                for method in db.evaluate(
                    crawl.gold_csv,
                    methods=list(METHODS),
                    positive=NEAR if "*" in profile else NEAR[:1],
                )["methods"]
            }
    robust = found["robust"]
    rates = [found[name]["non_obvious"]["tpr"]["0.001"] for name in METHODS]
    return [
        *rates,
        robust["non_obvious"]["auc"],
        robust["flagged"]["precision"],
        robust["flagged"]["recall"],
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=4000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[241, 242])
    parser.add_argument("--profiles", nargs="+", default=list(PROFILES))
    options = parser.parse_args()
    print(
        f"{options.hosts:,} hosts, seeds {', '.join(map(str, options.seeds))}; non-obvious"
        " candidates; TPR at FPR 0.001\n"
    )
    columns = ["profile", *METHODS, "AUC of robust", "precision of its flags", "recall"]
    print(f"| {' | '.join(columns)} |\n|---|{'---|' * (len(columns) - 1)}")
    for profile in options.profiles:
        cells = [
            [np.nan if v is None else v for v in one(profile, options.hosts, seed)]
            for seed in options.seeds
        ]
        mean = np.mean(cells, axis=0)
        shown = [f"{v:.2f}" for v in mean[:-3]] + [
            f"{mean[-3]:.4f}",
            f"{mean[-2]:.3f}",
            f"{mean[-1]:.2f}",
        ]
        print(f"| {profile} | {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()
