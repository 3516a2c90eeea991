"""Stage 60: whatever the method, each candidate gets its place once; without any, nothing. What is
ranked how: every configuration, the documented order.
"""

from __future__ import annotations

import random
from collections import Counter

import polars as pl
import pytest
from conftest import rest_slow

import replicadb
from replicadb.settings import CHOICES

from .crawls import only_pairs

ROBUST = pytest.mark.parametrize("ranked", ["robust"], indirect=True)
"""Of the published method: further below, and in test_published_method.py."""
OF_ROBUST = "SELECT count(*) FROM settings WHERE starts_with(name, 'log_odds_')"


@pytest.mark.slow
@ROBUST
def test_each_candidate_has_one_place(ranked):
    n = ranked.database.value("SELECT count(*) FROM pair_features")
    assert ranked.replicas()["rank"].to_list() == list(range(1, n + 1)) and n > 1
    assert ranked.database.value(OF_ROBUST) > 0


# -- configurations of the published method
# --------------------------------------------------------------------


def configurations() -> list[tuple[str, ...]]:
    """Three of the 81, with every value of every option."""
    discretise, schedule, cut, aggregate = (
        CHOICES[name] for name in ("discretise", "schedule", "cut", "aggregate")
    )
    return [(discretise[i], schedule[-i], cut[i - 1], aggregate[i]) for i in range(3)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("discretise", "schedule", "cut", "aggregate"), rest_slow(configurations(), 2)
)
def test_the_published_method_ranks_every_candidate_however_it_is_set(
    lasting, discretise, schedule, cut, aggregate
):
    web = lasting
    only_pairs(
        *(web, 5),
        method="paper",
        discretise=discretise,
        schedule=schedule,
        cut=cut,
        aggregate=aggregate,
    )
    found = web.replicas()
    assert not web.database.value(OF_ROBUST)
    n = web.database.value("SELECT count(*) FROM candidate_pairs")
    assert len(found) == n > 50 and found["rank"].to_list() == list(range(1, n + 1))
    for column in ("pu_score", "nu_score"):
        assert found[column].null_count() == 0 and found[column].is_between(0, 1).all()
    first, second = {
        "pareto": ("pu_score", "nu_score"),
        "pu": ("pu_score",) * 2,
        "nu": ("nu_score",) * 2,
    }[aggregate]
    dominated, free = by_brute_force(list(zip(found[first], found[second], strict=True)))
    assert found["dominates"].to_list() == dominated and found["frontier"].to_list() == free
    assert web.database.value(WRONG_PLACES) == 0 and found["score"].is_sorted(descending=True)
    assert {row[0] for row in web.database.rows("SELECT DISTINCT learner FROM em_history")} == {
        "PU",
        "NU",
    }


def by_brute_force(points):
    """How many each dominates, and whether it is dominated by none."""

    def beats(a, b):
        return a[0] >= b[0] and a[1] >= b[1] and a != b

    weight = Counter(points)
    dominated = {a: sum(n for b, n in weight.items() if beats(a, b)) for a in weight}
    free = {a: not any(beats(b, a) for b in weight) for a in weight}
    return [dominated[p] for p in points], [free[p] for p in points]


# -- the ranking
# -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@ROBUST
def test_robust_has_no_pu_and_nu_scores_and_dominates_by_strength(ranked):
    found = ranked.replicas()
    assert found["pu_score"].null_count() == found["nu_score"].null_count() == len(found)
    dominated, free = by_brute_force([(s, s) for s in found["strength"]])
    assert found["dominates"].to_list() == dominated and found["frontier"].to_list() == free
    assert found["probability"].is_between(0, 1).all()


@ROBUST
def test_score_is_the_share_of_candidates_dominated_and_falls_with_rank(ranked):
    found = ranked.replicas()
    n = len(found)
    assert found["rank"].to_list() == list(range(1, n + 1))
    assert found["score"].to_list() == pytest.approx((found["dominates"] / n).to_list(), abs=1e-15)
    assert found["score"].is_between(0, 1).all() and found["score"].is_sorted(descending=True)
    tied = found.group_by("dominates").agg(pl.col("score").n_unique())
    assert tied["score"].max() == 1


WRONG_PLACES = """
SELECT count(*) FROM (
    SELECT
        r.rowid + 1 AS rank,
        row_number() OVER (
            ORDER BY s.dominates DESC, s.strength DESC, f.evidence * f.containment DESC,
                f.shared DESC, f.ndist, a.host, b.host
        ) AS place
    FROM ranking AS r
    JOIN pattern_scores AS s USING (score_id)
    JOIN pair_features AS f ON f.a_id = r.a_id AND f.b_id = r.b_id
    JOIN hosts AS a ON a.host_id = r.a_id
    JOIN hosts AS b ON b.host_id = r.b_id)
WHERE rank <> place"""
"""The documented order of sql/detect/69_scores by a window over the whole table."""


@ROBUST
def test_the_order_is_dominance_then_evidence_then_names(ranked):
    assert ranked.database.value(WRONG_PLACES) == 0


@pytest.mark.slow
def test_the_order_holds_for_many_pairs_in_several_threads(tmp_path):
    """A pair's place in the sorted table is its rank, so the order of rows must survive a parallel
    sort and insert.
    """
    draw = random.Random(1)
    hosts = 500
    frame = [(f"http://h{h}.com/", "c0") for h in range(hosts)]
    frame += [
        (f"http://h{h}.com/p{c}", f"c{c}")
        for c in range(1, 30)
        for h in draw.sample(range(hosts), 40)
    ]
    pl.DataFrame(frame, schema=["url", "fingerprint"], orient="row").write_parquet(
        tmp_path / "crawl.parquet"
    )
    with replicadb.open(tmp_path / "web.duckdb", threads=3, memory_limit="300MB") as web:
        web.load(tmp_path / "crawl.parquet")
        assert (
            only_pairs(web, 5, method="paper", max_negatives=100)["candidate_pairs"]
            == hosts * (hosts - 1) // 2
            > 122_880  # more than one row group
        )
        assert web.database.rows(
            "SELECT count(*), min(rank), max(rank), count(DISTINCT rank) FROM replicas"
        ) == [(hosts * (hosts - 1) // 2, 1, hosts * (hosts - 1) // 2, hosts * (hosts - 1) // 2)]
        assert web.database.value(WRONG_PLACES) == 0
