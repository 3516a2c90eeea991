"""The generated crawls stay hard for simple scores, and stay fair: all evidence together, with true
labels, tells nearly all.

The booster is given every column of ``pair_features``, whatever it has, so a new kind of evidence
can only help.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from evaluation.reference import tpr_at_fpr

import replicadb
from replicadb.evaluation.normpaths import normpaths
from replicadb.evaluation.scratch import Scratch
from replicadb.store.database import Database
from replicadb.synthetic.crawl.generate import generate

pytestmark = pytest.mark.slow

SEED, FALSE_POSITIVES = 7001, 0.001
AS_CLAIMED = {"pages_only": True, "machine_files": True}
"""What the claim was made of: every page, robots.txt among them, and no other file."""
NOT_EVIDENCE = {"a_id", "b_id", "label", "host_a", "host_b", "normpaths", "cause"}
HARD = {"parked": 800}
"""Hosts. Of profile sparse, too, simple scores are tried in test_generate.py. How every profile is
judged: ``python -m benchmarks.accuracy.accuracy``.
"""


def candidates(db: Database, gold: pl.DataFrame) -> pl.DataFrame:
    """The candidates that are no obvious replicas, with their evidence, NormPaths and
    gold's cause.
    """
    pairs = pl.from_arrow(
        db.arrow(
            """SELECT f.*, least(a.host, b.host) AS host_a, greatest(a.host, b.host) AS host_b
                FROM pair_features AS f
        JOIN hosts AS a ON a.host_id = a_id JOIN hosts AS b ON b.host_id = b_id WHERE label = 0
            ORDER BY a_id, b_id"""
        )
    )
    db.con.execute(
        "CREATE OR REPLACE TEMP TABLE crawl_pages AS SELECT DISTINCT host, path, fingerprint FROM"
        " pages"
    )
    db.con.execute(
        "CREATE OR REPLACE TEMP TABLE crawl_pairs AS SELECT host_a, host_b FROM candidate_pairs"
    )
    baseline = pl.from_arrow(normpaths(db.con, "crawl_pages", "crawl_pairs"))
    for table in (gold, baseline):
        pairs = pairs.join(table, on=["host_a", "host_b"], how="left", maintain_order="left")
    return pairs


def fold_of(pairs: pl.DataFrame, gold: pl.DataFrame) -> np.ndarray:
    """(n,) 0 ... 2: all pairs that a replica group's hosts come first in lie in one fold."""
    first: dict[str, str] = {}
    for (
        a,
        b,
        *_,
    ) in gold.iter_rows():  # gold has all pairs of a group, so its least name is a partner of all
        first[a] = min(first.get(a, a), a)
        first[b] = min(first.get(b, b), a)
    group = pairs["host_a"].replace(first)
    order = {name: i for i, name in enumerate(sorted(set(group)))}
    return (
        np.random.default_rng(0).permutation(len(order))[group.replace_strict(order).to_numpy()] % 3
    )


def booster(pairs: pl.DataFrame, folds: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """(n,) scores of gradient-boosted trees on all evidence, each pair scored by what the other
    folds taught.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    columns = [
        pairs[name].cast(pl.Float64).to_numpy()
        for name in pairs.columns
        if name not in NOT_EVIDENCE
    ]
    table = np.column_stack([column for column in columns if not np.isnan(column).all()])
    scores = np.zeros(len(truth))
    for fold in range(3):
        model = HistGradientBoostingClassifier(
            max_iter=80,
            max_leaf_nodes=15,
            l2_regularization=1.0,
            early_stopping=False,
            random_state=0,
        )
        model.fit(table[folds != fold], truth[folds != fold])
        scores[folds == fold] = model.decision_function(table[folds == fold])
    return scores


def assert_hard_and_fair(db: Database, gold: pl.DataFrame) -> None:
    """Neither shared URLs (path and content together) nor paths alone find nearly all hidden
    replicas; all evidence together does.
    """
    pairs = candidates(db, gold)
    truth = pairs["cause"].is_not_null().to_numpy()
    found = lambda scores: tpr_at_fpr(scores, truth, FALSE_POSITIVES)
    assert found(pairs["normpaths"].fill_null(0).to_numpy()) <= 0.3
    assert found(pairs["fullpath"].to_numpy()) <= 0.8
    assert found(booster(pairs, fold_of(pairs, gold), truth)) >= 0.98


@pytest.mark.parametrize("profile", HARD)
def test_a_profile_is_hard_and_fair(tmp_path, profile):
    pytest.importorskip("sklearn")
    crawl = generate(tmp_path, HARD[profile], profile=profile, seed=SEED)
    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(crawl.crawl, **AS_CLAIMED)
        with Scratch(web.database) as scratch:
            scratch.detect_until_features()
            assert_hard_and_fair(scratch, pl.read_csv(crawl.gold_csv).drop("label"))
