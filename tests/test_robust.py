"""Method robust against NormPaths and the published method, on generated crawls of different make-up (METHOD §7)."""

from __future__ import annotations

import csv
from typing import NamedTuple

import polars as pl
import pytest

import replicadb
from replicadb.evaluation.baselines import normpaths
from replicadb.evaluation.metrics import roc_auc, tpr_at_fpr
from replicadb.evaluation.synth import generate

CRAWLS = [("demo", 11), ("demo", 12), ("demo", 13), ("sparse", 11), ("affiliates", 11)]
HOSTS = 1_500


class Ranked(NamedTuple):
    """What the three methods made of one crawl."""

    scores: dict[str, pl.DataFrame]
    """By method: score and replica (gold) of each candidate that is no obvious replica."""
    flagged: pl.DataFrame
    replicas: pl.DataFrame
    gold: set[tuple[str, str]]
    weights: list[tuple]


@pytest.fixture(scope="module", params=CRAWLS, ids=[f"{profile}-{seed}" for profile, seed in CRAWLS])
def ranked(request, tmp_path_factory) -> Ranked:
    profile, seed = request.param
    folder = tmp_path_factory.mktemp(f"{profile}{seed}")
    crawl = generate(folder, HOSTS, profile=profile, seed=seed)
    with open(crawl.gold_csv, newline="") as file:
        gold = {(row["host_a"], row["host_b"]) for row in csv.DictReader(file)}
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(crawl.crawl, hosts=str(crawl.hosts_csv))
        web.detect(method="robust")
        robust = web.replicas()
        weights = web.database.rows("SELECT feature, bin, weight FROM evidence_weights ORDER BY ALL")
        web.detect(method="paper")
        paper = web.replicas()
        baseline = pl.from_arrow(normpaths(web.database.con, "pages", "candidate_pairs"))
    baseline = baseline.rename({"normpaths": "score"}).join(robust["host_a", "host_b", "obvious"], on=["host_a", "host_b"])
    frames = {"robust": robust, "paper": paper, "NormPaths": baseline}
    scores = {name: with_gold(frame, gold).filter(~pl.col("obvious")) for name, frame in frames.items()}
    return Ranked(scores, with_gold(robust.filter("flagged"), gold), robust, gold, weights)


def with_gold(frame: pl.DataFrame, gold: set[tuple[str, str]]) -> pl.DataFrame:
    return frame.with_columns(pl.Series("replica", [pair in gold for pair in frame["host_a", "host_b"].rows()], dtype=pl.Boolean))


@pytest.mark.parametrize("fpr", [0.001, 0.005])
def test_robust_finds_more_than_normpaths_and_paper_at_a_low_false_positive_rate(ranked, fpr):
    found = {name: tpr_at_fpr(frame["score"], frame["replica"], fpr) for name, frame in ranked.scores.items()}
    assert {len(frame) for frame in ranked.scores.values()} == {len(ranked.scores["robust"])}
    assert ranked.scores["robust"]["replica"].sum() > 300
    assert found["robust"] > found["NormPaths"] + 0.2
    assert found["robust"] > found["paper"] + 0.2


def test_robust_ranks_the_whole_list_better_than_both(ranked):
    area = {name: roc_auc(frame["score"], frame["replica"]) for name, frame in ranked.scores.items()}
    assert area["robust"] > max(area["NormPaths"], area["paper"])
    assert area["robust"] > 0.95


def test_what_is_flagged_is_nearly_always_a_replica(ranked):
    assert len(ranked.flagged) > 0.3 * ranked.scores["robust"]["replica"].sum()
    assert ranked.flagged["replica"].mean() >= 0.95


def test_strength_is_the_sum_of_the_weights_and_weights_rise_with_the_evidence(ranked):
    by_feature: dict[str, list[float]] = {}
    for feature, number, weight in ranked.weights:
        if number:
            by_feature.setdefault(feature, []).append(weight)
    assert len(by_feature) == 8
    for weights in by_feature.values():
        assert weights[0] == 0 and weights == sorted(weights)
    best = sum(weights[-1] for weights in by_feature.values())
    assert ranked.replicas["strength"].max() <= best + 1e-6


def test_probability_rises_with_strength_and_flags_from_the_minimum_on(ranked):
    ordered = ranked.replicas.sort("strength", descending=True)
    assert (ordered["probability"].diff().drop_nulls() <= 1e-15).all()
    assert ordered["probability"].is_between(0, 1).all()
    assert (ranked.flagged["probability"] >= 0.8).all()
