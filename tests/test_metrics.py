"""Figures of a ranking, against scikit-learn, SciPy and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.errors import UsageError
from replicadb.evaluation import metrics
from replicadb.evaluation import ranking_curve as s
from replicadb.evaluation.ranking_curve import Resamples, interval, measurable, resampled, stand
from replicadb.evaluation.reduction import bars, detection_rate, resampled_reduction
from replicadb.evaluation.significance import holm, wilcoxon

few = st.lists(st.integers(0, 9), min_size=1, max_size=40)


def ranking(
    seed: int, replicas: int = 40, others: int = 300, levels: int = 25
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of replicas and of others, with many ties."""
    rng = np.random.default_rng(seed)
    return rng.integers(5, levels + 8, replicas) / 7, rng.integers(0, levels, others) / 7


def standing(replicas, others, **more):
    return stand(replicas, np.sort(np.asarray(others, float)), **more)


def both(replicas, others) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate([replicas, others]).astype(float), np.arange(
        len(replicas) + len(others)
    ) < len(replicas)


@given(few, few)
def test_counts_along_the_ranking_add_up(replicas, others):
    found = standing(replicas, others)
    assert (found.replicas, found.others) == (len(replicas), len(others))
    assert not found.true[::2].any() and len(found.true) == 2 * len(set(replicas)) + 1
    assert np.array_equal(np.bincount(found.segment, minlength=len(found.true)), found.true)


@given(few, few)
def test_figures_are_those_of_the_plain_metrics(replicas, others):
    found, (scores, labels) = standing(replicas, others), both(replicas, others)
    assert s.auc(found.true, found.false) == pytest.approx(
        metrics.roc_auc(scores, labels), abs=1e-12
    )
    assert s.average_precision(found.true, found.false) == pytest.approx(
        metrics.average_precision(scores, labels), abs=1e-12
    )
    for rate in (0.0, 0.001, 0.1, 0.5, 1.0):
        assert s.tpr_at(found.true, found.false, rate) == pytest.approx(
            metrics.tpr_at_fpr(scores, labels, rate), abs=1e-12
        )
    for n in (1, 3, len(scores)):
        if n <= len(scores):
            assert s.precision_at(found.true, found.false, n) == pytest.approx(
                metrics.precision_at(scores, labels, n), abs=1e-12
            )


@pytest.mark.parametrize("seed", range(5))
def test_figures_are_those_of_scikit_learn(seed):
    sklearn = pytest.importorskip("sklearn.metrics")
    replicas, others = ranking(seed)
    found, (scores, labels) = standing(replicas, others), both(replicas, others)
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
    found = standing([3, 1], [2], missed=(1, 1))
    true, false = np.append(found.true, found.missed[0]), np.append(found.false, found.missed[1])
    assert s.average_precision(true, false) == pytest.approx(metrics.average_precision(*scores))


def test_without_one_of_the_classes_a_figure_is_not_defined():
    assert np.isnan(s.auc(np.array([0.0]), np.array([3.0]))) and np.isnan(
        s.tpr_at(np.array([0.0]), np.array([3.0]), 0.1)
    )
    assert np.isnan(s.average_precision(np.array([0.0]), np.array([3.0])))
    assert np.isnan(s.precision_at(np.array([1.0]), np.array([1.0]), 10))
    assert s.roc(stand([1.0], [])) == []
    with pytest.raises(UsageError):
        stand([np.nan], [1.0])


def test_curves_stay_short_and_keep_their_ends():
    rng = np.random.default_rng(1)
    found = standing(rng.normal(2, 1, 3000), rng.normal(0, 1, 50_000))
    curve = s.roc(found)
    assert len(curve) <= 400 and curve[0] == [0, 0] and curve[-1] == [1, 1]
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in zip(curve, curve[1:], strict=False))
    for rate in (0.0001, 0.001, 0.01):
        exact = float(s.tpr_at(found.true, found.false, rate))
        assert np.interp(rate, *np.array(curve).T) == pytest.approx(exact, abs=0.01)
    assert len(s.precision_recall(found)) <= 400


# -- intervals
# ------------------------------------------------------------------------------------------------


def test_resamples_spread_as_a_plain_bootstrap_over_groups_does():
    rng = np.random.default_rng(3)
    replicas, others = ranking(3, replicas=60, others=400)
    group = np.repeat(np.arange(20), 3)
    found = standing(replicas, others)
    (fast,) = resampled(found, group, Resamples.draw(20, 0, 2000), [s.auc])
    slow = []
    for _ in range(2000):
        drawn = np.concatenate([np.flatnonzero(group == g) for g in rng.integers(0, 20, 20)])
        scores, labels = both(replicas[drawn], rng.choice(others, len(others)))
        slow.append(metrics.roc_auc(scores, labels))
    assert np.mean(fast) == pytest.approx(np.mean(slow), abs=0.004)
    assert np.std(fast) == pytest.approx(np.std(slow), rel=0.1)


@pytest.mark.parametrize("missed", [(0, 0), (3, 2)])
def test_many_figures_at_once_are_the_single_ones(missed):
    found = standing(*ranking(11))
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
    alone = resampled(
        standing(replicas, np.ones(100)), np.arange(60), Resamples.draw(60, 0), [s.auc]
    )[0]
    together = resampled(
        standing(replicas, np.ones(100)), np.repeat([0, 1, 2, 3], 15), Resamples.draw(4, 0), [s.auc]
    )[0]
    assert np.std(together) > 2 * np.std(alone)


def test_resamples_are_the_same_for_the_same_seed_however_they_are_cut(monkeypatch):
    replicas, others = ranking(9)
    found, group, resamples = standing(replicas, others), np.arange(40) // 2, Resamples.draw(20, 7)
    first = resampled(found, group, resamples, [s.auc])[0]
    monkeypatch.setattr(s, "_CELLS", 50)
    assert np.array_equal(first, resampled(found, group, resamples, [s.auc])[0])


def test_an_interval_needs_defined_figures():
    assert interval(np.full(10, np.nan)) is None
    assert interval(np.linspace(0, 1, 201)) == [0.025, 0.975]


# -- reduction and detection rates
# ------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 3, 10])
def test_the_detection_rate_is_the_mean_over_draws_and_orders_of_ties(k):
    rng = np.random.default_rng(0)
    replicas, others = ranking(2, replicas=5, others=20, levels=8)
    drawn = []
    for _ in range(6000):
        replica = rng.choice(replicas)
        rivals = rng.choice(others, k, replace=False)
        drawn.append(
            1 / (1 + np.sum(rivals > replica) + rng.integers(0, np.sum(rivals == replica) + 1))
        )
    found = detection_rate(standing(replicas, others), k)
    assert np.mean(found) == pytest.approx(np.mean(drawn), abs=0.02)
    assert (np.diff(found[np.argsort(replicas, kind="stable")]) >= -1e-12).all(), (
        "one for each replica, in their order"
    )


def test_detection_rates_of_a_perfect_and_a_useless_ranking():
    assert detection_rate(standing([9.0, 8.0], np.arange(5)), 3) == pytest.approx([1.0, 1.0])
    assert detection_rate(standing([0.0], np.zeros(50)), 10) == pytest.approx(
        [np.mean(1 / np.arange(1, 12))]
    )
    assert detection_rate(standing([9.0], np.arange(5)), 6) is None


def test_resampled_reductions_count_hosts_as_often_as_they_are_drawn():
    urls, gone = np.array([4, 0, 6, 10]), np.array([True, True, False, False])
    times = np.array([[1, 1, 1, 1], [2, 0, 0, 1], [0, 3, 1, 0]], np.uint8)
    assert resampled_reduction(urls, gone, times) == pytest.approx([4 / 20, 8 / 18, 0.0])
    by_rules = np.array([0, 0, 3, 0]) @ times.T
    assert resampled_reduction(urls, gone, times, beside=by_rules) == pytest.approx(
        [7 / 20, 8 / 18, 3 / 6]
    )


def test_what_none_of_the_others_lets_through_is_measured_by_any_and_by_none_where_there_are_none():
    assert [
        measurable(0.0, 0),
        measurable(0.0, 1),
        measurable(0.001, 999),
        measurable(0.001, 1000),
    ] == [False, True, False, True]


@given(few, st.sampled_from([0.0, 0.1, 0.3, 1.0]))
def test_a_bar_keeps_within_the_rate_and_is_the_lowest_that_does(others, rate):
    ascending = np.sort(np.array(others, float))
    ((bar, real),) = bars(ascending, [rate])
    assert real == np.mean(ascending > bar) and real <= rate + 1e-9
    lower = [value for value in [*ascending, -np.inf] if value < bar]
    assert all(np.mean(ascending > value) > rate for value in lower)


# -- the signed-rank test
# ---------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=12))
def test_small_signed_rank_tests_count_all_sign_patterns(differences):
    kept = np.array([d for d in differences if d], float)
    if not len(kept):
        assert wilcoxon(differences, np.zeros(len(differences))) is None
        return
    order = np.abs(kept)
    rank = np.array([(order < v).sum() + ((order == v).sum() + 1) / 2 for v in order])
    signs = np.array(np.meshgrid(*[[0, 1]] * len(kept))).reshape(len(kept), -1).T @ rank
    smaller = min(rank[kept > 0].sum(), rank[kept < 0].sum())
    assert wilcoxon(differences, np.zeros(len(differences))) == pytest.approx(
        min(1, 2 * np.mean(signs <= smaller + 1e-9)), abs=1e-12
    )


@pytest.mark.parametrize("n", [5, 20, 50, 51, 200])
def test_signed_rank_tests_are_scipys(n):
    scipy = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.2, 1, n), rng.normal(0, 1, n)
    theirs = scipy.wilcoxon(a, b, method="exact" if n <= 50 else "asymptotic")
    assert wilcoxon(a, b) == pytest.approx(theirs.pvalue, rel=1e-6)


def test_large_signed_rank_tests_mind_ties_as_scipy_does():
    scipy = pytest.importorskip("scipy.stats")
    a, b = np.random.default_rng(4).integers(0, 5, (2, 300)).astype(float)
    assert wilcoxon(a, b) == pytest.approx(
        scipy.wilcoxon(a, b, method="asymptotic").pvalue, rel=1e-6
    )


# -- many tests
# --------------------------------------------------------------------------------------------------------


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12))
def test_holm_rejects_what_its_steps_reject(p_values):
    """Slow reference: from the smallest on, reject while p <= level / (tests left)."""
    corrected = holm(p_values)
    assert [c is None for c in corrected] == [p is None for p in p_values]
    for level in (0.01, 0.05, 0.3):
        ordered = sorted((1.0 if p is None else p, i) for i, p in enumerate(p_values))
        rejected = set()
        for step, (p, i) in enumerate(ordered):
            if p * (len(ordered) - step) > level:
                break
            rejected.add(i)
        assert {i for i, c in enumerate(corrected) if c is not None and c <= level} == {
            i for i in rejected if p_values[i] is not None
        }


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06]) and holm([]) == []
    assert holm([None, 0.02]) == [
        None,
        pytest.approx(0.04),
    ], "a test without a difference is a test"
