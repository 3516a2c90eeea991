"""Make ``replicadb/learning/prior.py``: the evidence weights that method robust starts from.

    python benchmarks/make_prior.py

Generated crawls of seven profiles (4,000 hosts each, two seeds that no test and no quoted figure uses) are loaded and detected; the
true labels of their generator teach the same monotone model that ``detect`` fits without them. Nothing of a real
crawl and no hand-made label goes in.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import replicadb
from replicadb.evaluation.synth import PROFILES as KNOWN
from replicadb.evaluation.synth import Profile, generate
from replicadb.learning import prior, robust

THEMED = replace(KNOWN["ordinary"], affiliate=0.6, affiliate_group=(3, 12), affiliate_share=(0.3, 0.92), dynamic=(0.0, 0.1),
                 home_dynamic=0.15, coverage=(0.7, 1.0), edits=(0.0, 0.1))
"""Static sites crawled well, many of which share most of their files with others of one theme."""
PROFILES = (*(KNOWN[name] for name in ("ordinary", "template", "sparse", "few-obvious", "affiliates", "parked")), THEMED)
SEEDS = (1001, 1002)
HOSTS = 4000
MASS = 1000.0  # each crawl's replicas, and its non-replicas, weigh as much as these many
TARGET = Path(prior.__file__)


def patterns(profile: Profile, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bins ``(n, n_features)`` and the counts of replicas and non-replicas ``(n,)`` of one crawl's candidates."""
    names = list(prior.EDGES)
    with tempfile.TemporaryDirectory() as folder:
        crawl = generate(folder, HOSTS, profile=profile, seed=seed)
        with replicadb.open(Path(folder) / "crawl.duckdb") as db:
            db.load(crawl.crawl)
            db.detect()
            pairs = db.sql(f"""SELECT {', '.join('r.' + name for name in names)}, g.cause IS NOT NULL AS replica
                FROM replicas AS r LEFT JOIN read_csv($gold) AS g ON g.host_a = r.host_a AND g.host_b = r.host_b""",
                {"gold": str(crawl.gold_csv)})
    bins = np.column_stack([1 + np.searchsorted(prior.EDGES[name], pairs[name].to_numpy().astype(float), side="left") for name in names])
    replica = pairs["replica"].to_numpy()
    return bins, replica / replica.sum() * MASS, ~replica / (~replica).sum() * MASS


def main() -> None:
    parts = [patterns(profile, seed) for profile in PROFILES for seed in SEEDS]
    rows, inverse = np.unique(np.vstack([p[0] for p in parts]), axis=0, return_inverse=True)
    replica, other = (np.bincount(inverse.ravel(), np.concatenate([p[k] for p in parts]), len(rows)) for k in (1, 2))
    fit = robust.fit(rows, replica, other, [len(edges) + 2 for edges in prior.EDGES.values()])
    weights = "".join(f'    "{name}": ({", ".join(f"{w:.2f}" for w in weight)}),\n'
                      for name, weight in zip(prior.EDGES, fit.weights, strict=True))
    text = TARGET.read_text("utf-8")
    head = text[:text.index("WEIGHTS: ")]
    TARGET.write_text(f"{head}WEIGHTS: dict[str, tuple[float, ...]] = {{\n{weights}}}\n"
                      f'"""Log odds of each bin; the first is NULL\'s, the lowest bin counts 0."""\n\n'
                      f"INTERCEPT = {fit.intercept:.2f}\n"
                      f'"""Log odds of a pair with the lowest bin of everything, at equal mass of replicas and others."""\n', "utf-8")
    print(f"{len(rows):,} patterns, {fit.n_iter} steps, converged: {fit.converged}; wrote {TARGET.name}")


if __name__ == "__main__":
    main()
