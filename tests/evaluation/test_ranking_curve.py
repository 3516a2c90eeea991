"""Figures of a ranking, against scikit-learn and brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import reference
from replicadb.errors import UsageError
from replicadb.evaluation import ranking_curve as s
from replicadb.evaluation.ranking_curve import (
    RankingCurve,
    Resamples,
    curve_of,
    interval,
    measurable,
    resampled,
)

few = st.lists(st.integers(0, 9), min_size=1, max_size=40)


def ranking(
    seed: int, replicas: int = 40, others: int = 300, levels: int = 25
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of replicas and of others, with many ties."""
    rng = np.random.default_rng(seed)
    return rng.integers(5, levels + 8, replicas) / 7, rng.integers(0, levels, others) / 7


def curve(replicas, others, **more) -> RankingCurve:
    return curve_of(replicas, np.sort(np.asarray(others, float)), **more)


def both(replicas, others) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate([replicas, others]).astype(float), np.arange(
        len(replicas) + len(others)
    ) < len(replicas)


@given(few, few)
def test_counts_along_the_ranking_add_up(replicas, others):
    found = curve(replicas, others)
    assert (found.replicas, found.others) == (len(replicas), len(others))
    assert not found.true[::2].any() and len(found.true) == 2 * len(set(replicas)) + 1
    assert np.array_equal(np.bincount(found.segment, minlength=len(found.true)), found.true)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(few, few)
def test_figures_are_those_of_the_plain_metrics(replicas, others):
    found, (scores, labels) = curve(replicas, others), both(replicas, others)
    assert s.auc(found.true, found.false) == pytest.approx(
        reference.roc_auc(scores, labels), abs=1e-12
    )
    assert s.average_precision(found.true, found.false) == pytest.approx(
        reference.average_precision(scores, labels), abs=1e-12
    )
    for rate in (0.0, 0.001, 0.1, 0.5, 1.0):
        assert s.tpr_at(found.true, found.false, rate) == pytest.approx(
            reference.tpr_at_fpr(scores, labels, rate), abs=1e-12
        )
    for n in (1, 3, len(scores)):
        if n <= len(scores):
            assert s.precision_at(found.true, found.false, n) == pytest.approx(
                reference.precision_at(scores, labels, n), abs=1e-12
            )


@pytest.mark.parametrize("seed", range(5))
def test_figures_are_those_of_scikit_learn(seed):
    sklearn = pytest.importorskip("sklearn.metrics")
    replicas, others = ranking(seed)
    found, (scores, labels) = curve(replicas, others), both(replicas, others)
    assert s.auc(found.true, found.false) == pytest.approx(
        sklearn.roc_auc_score(labels, scores), abs=1e-12
    )
    assert s.average_precision(found.true, found.false) == pytest.approx(
        sklearn.average_precision_score(labels, scores), abs=1e-12
    )
    fpr, tpr, _ = sklearn.roc_curve(labels, scores, drop_intermediate=False)
    for rate in (0.01, 0.123, 0.7):
        assert s.tpr_at(found.true, found.false, rate) == pytest.approx(
            np.interp(rate, fpr, tpr), abs=1e-12
        )
    ours = np.array(s.roc(found))
    assert np.allclose(
        np.interp(np.linspace(0.001, 1, 50), ours[:, 0], ours[:, 1]),
        np.interp(np.linspace(0.001, 1, 50), fpr, tpr),
        atol=1e-6,
    )
    precision, recall, _ = sklearn.precision_recall_curve(labels, scores)
    theirs = {round(float(r), 7): 0.0 for r in recall}
    for p, r in zip(precision, recall, strict=True):
        theirs[round(float(r), 7)] = max(theirs[round(float(r), 7)], float(p))
    assert all(theirs[r] == pytest.approx(p, abs=1e-6) for r, p in s.precision_recall(found))


def test_missed_pairs_lower_average_precision_as_if_they_came_last():
    scores = [3, 2, 1, -9, -9], [True, False, True, True, False]
    found = curve([3, 1], [2], missed=(1, 1))
    true, false = np.append(found.true, found.missed[0]), np.append(found.false, found.missed[1])
    assert s.average_precision(true, false) == pytest.approx(reference.average_precision(*scores))


def test_without_one_of_the_classes_a_figure_is_not_defined():
    assert np.isnan(s.auc(np.array([0.0]), np.array([3.0]))) and np.isnan(
        s.tpr_at(np.array([0.0]), np.array([3.0]), 0.1)
    )
    assert np.isnan(s.average_precision(np.array([0.0]), np.array([3.0])))
    assert np.isnan(s.precision_at(np.array([1.0]), np.array([1.0]), 10))
    assert s.roc(curve_of([1.0], [])) == []
    with pytest.raises(UsageError):
        curve_of([np.nan], [1.0])


def test_curves_stay_short_and_keep_their_ends():
    rng = np.random.default_rng(1)
    found = curve(rng.normal(2, 1, 3000), rng.normal(0, 1, 50_000))
    roc = s.roc(found)
    assert len(roc) <= 400 and roc[0] == [0, 0] and roc[-1] == [1, 1]
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in itertools.pairwise(roc))
    for rate in (0.0001, 0.001, 0.01):
        exact = float(s.tpr_at(found.true, found.false, rate))
        assert np.interp(rate, *np.array(roc).T) == pytest.approx(exact, abs=0.01)
    assert len(s.precision_recall(found)) <= 400


# -- intervals
# ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_resamples_spread_as_a_plain_bootstrap_over_groups_does():
    rng = np.random.default_rng(3)
    replicas, others = ranking(3, replicas=60, others=400)
    group = np.repeat(np.arange(20), 3)
    found = curve(replicas, others)
    many = Resamples(rng.multinomial(20, np.full(20, 1 / 20), 2000).astype(float), 0)
    (fast,) = resampled(found, group, many, [s.auc])
    slow = []
    for _ in range(2000):
        drawn = np.concatenate([np.flatnonzero(group == g) for g in rng.integers(0, 20, 20)])
        difference = replicas[drawn][:, None] - rng.choice(others, len(others))
        slow.append(np.mean((difference > 0) + 0.5 * (difference == 0)))
    assert np.mean(fast) == pytest.approx(np.mean(slow), abs=0.004)
    assert np.std(fast) == pytest.approx(np.std(slow), rel=0.1)


@pytest.mark.parametrize("missed", [(0, 0), (3, 2)])
def test_many_figures_at_once_are_the_single_ones(missed):
    found = curve(*ranking(11))
    rng = np.random.default_rng(0)
    true, false = (
        rng.poisson(counts, (50, len(counts))).astype(float) for counts in (found.true, found.false)
    )
    true[0], false[1] = 0, 0
    rates, tops = (0.0, 0.01, 0.3), (1, 30, 10_000)
    together = s.many_figures(true, false, rates, tops, missed)
    below = np.broadcast_to(np.array(missed, float), (50, 2))
    single = [
        s.auc(true, false),
        s.average_precision(
            np.column_stack([true, below[:, 0]]), np.column_stack([false, below[:, 1]])
        ),
        *(s.tpr_at(true, false, rate) for rate in rates),
        *(s.precision_at(true, false, n) for n in tops),
    ]
    assert np.allclose(together[1:], np.column_stack(single)[1:], atol=1e-12, equal_nan=True)
    assert np.isnan(together[0, [0, 2, 3, 4]]).all() and np.isnan(together[1, 0])


def test_one_large_group_makes_the_interval_wide():
    replicas = np.array([5.0] * 30 + [0.0] * 30)
    alone = resampled(curve(replicas, np.ones(100)), np.arange(60), Resamples.draw(60, 0), [s.auc])[
        0
    ]
    together = resampled(
        curve(replicas, np.ones(100)), np.repeat([0, 1, 2, 3], 15), Resamples.draw(4, 0), [s.auc]
    )[0]
    assert np.std(together) > 2 * np.std(alone)


def test_resamples_are_the_same_for_the_same_seed_however_they_are_cut(monkeypatch):
    replicas, others = ranking(9)
    found, group, resamples = curve(replicas, others), np.arange(40) // 2, Resamples.draw(20, 7)
    first = resampled(found, group, resamples, [s.auc])[0]
    monkeypatch.setattr(s, "_CELLS", 50)
    assert np.array_equal(first, resampled(found, group, resamples, [s.auc])[0])


def test_an_interval_needs_defined_figures():
    assert interval(np.full(10, np.nan)) is None
    assert interval(np.linspace(0, 1, 201)) == [0.025, 0.975]


def test_what_none_of_the_others_lets_through_is_measured_by_any_and_by_none_where_there_are_none():
    assert [
        measurable(0.0, 0),
        measurable(0.0, 1),
        measurable(0.001, 999),
        measurable(0.001, 1000),
    ] == [False, True, False, True]
