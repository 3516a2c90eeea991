"""How many non-obvious replicas each method finds, on generated crawls with known replicas.

    python benchmarks/accuracy.py [--hosts 4000] [--seeds 21 22 23] [--profiles ordinary template ...]

Prints a Markdown table: per profile the mean over the seeds of the true-positive rate at false-positive rates 0.001
and 0.005 among candidates that are not obvious pairs, and of the precision and recall (over all planted pairs) of
robust's own decision. The seeds are none that ``make_prior.py`` uses.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import replicadb
from replicadb.evaluation.baselines import normpaths
from replicadb.evaluation.metrics import tpr_at_fpr
from replicadb.evaluation.synth import generate

PROFILES = ("ordinary", "template", "sparse", "few-obvious", "affiliates", "shared-hosting", "parked", "paper", "demo")
RATES = (0.001, 0.005)


def one(profile: str, hosts: int, seed: int) -> list[float]:
    """TPR at both rates of robust, paper (frequency, then MDL cuts), NormPaths and fullpath; precision and recall of the flags."""
    with tempfile.TemporaryDirectory() as folder:
        crawl = generate(folder, hosts, profile=profile, seed=seed)
        query = """SELECT r.host_a, r.host_b, r.score, r.flagged, r.obvious, r.fullpath, g.cause IS NOT NULL AS replica FROM replicas AS r
            LEFT JOIN read_csv($gold) AS g ON g.host_a = r.host_a AND g.host_b = r.host_b ORDER BY r.host_a, r.host_b"""
        with replicadb.open(Path(folder) / "crawl.duckdb") as db:
            db.load(crawl.crawl)
            db.detect()
            robust = db.sql(query, {"gold": str(crawl.gold_csv)})
            db.detect(method="paper")
            paper = db.sql(query, {"gold": str(crawl.gold_csv)})
            db.detect(method="paper", discretise="mdl")
            paper_mdl = db.sql(query, {"gold": str(crawl.gold_csv)})
            con = db.database.con
            con.execute("CREATE TEMP TABLE crawl_pages AS SELECT DISTINCT host, path, fingerprint FROM pages")
            con.execute("CREATE TEMP TABLE crawl_pairs AS SELECT host_a, host_b FROM candidate_pairs")
            baseline = pl.from_arrow(normpaths(con, "crawl_pages", "crawl_pairs"))
    by_paths = robust.join(baseline, on=["host_a", "host_b"], how="left", maintain_order="left")["normpaths"].fill_null(0)
    hidden, replica = ~robust["obvious"].to_numpy(), robust["replica"].to_numpy()
    flagged = robust["flagged"].to_numpy()
    found = int((flagged & replica).sum())
    rates = [tpr_at_fpr(scores.to_numpy()[hidden], replica[hidden], rate)
             for scores in (robust["score"], paper["score"], paper_mdl["score"], by_paths, robust["fullpath"]) for rate in RATES]
    return [*rates, found / max(1, int(flagged.sum())), found / crawl.replica_pairs]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=4000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[21, 22, 23])
    parser.add_argument("--profiles", nargs="+", default=list(PROFILES))
    options = parser.parse_args()
    print(f"{options.hosts:,} hosts, seeds {', '.join(map(str, options.seeds))}; non-obvious candidates; TPR at FPR {RATES[0]} / {RATES[1]}\n")
    print("| profile | robust | paper | paper, mdl | NormPaths | `fullpath` alone | robust's flags: precision | recall |\n|---|---|---|---|---|---|---|---|")
    for profile in options.profiles:
        mean = np.mean([one(profile, options.hosts, seed) for seed in options.seeds], axis=0)
        cells = [f"{mean[i]:.2f} / {mean[i + 1]:.2f}" for i in range(0, 10, 2)] + [f"{mean[10]:.3f}", f"{mean[11]:.2f}"]
        print(f"| {profile} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
