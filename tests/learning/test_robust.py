"""The robust learner on its own: what its weights are, what they do not depend on, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.errors import UsageError
from replicadb.learning import prior, robust

from .sets import FEW, MODERATE


@st.composite
def problems(draw, strengths=(0.1, 1.0, 20.0)):
    """Small random problems: bins, counts of P and U, bins per feature, prior, strength."""
    n_bins = draw(st.lists(st.integers(2, 5), min_size=1, max_size=3))
    pattern = st.tuples(*[st.integers(0, n - 1) for n in n_bins])
    bins = draw(st.lists(pattern, min_size=1, max_size=12, unique=True))
    counts = st.lists(st.integers(0, 30), min_size=len(bins), max_size=len(bins))
    weight = st.integers(-4, 4)
    before = [np.array(draw(st.lists(weight, min_size=n, max_size=n)), float) for n in n_bins]
    return np.array(bins), np.array(draw(counts)), np.array(draw(counts)), n_bins, before, draw(st.sampled_from(strengths))


def planted(seed: int, n: int = 60_000):
    """U drawn evenly over the patterns, P by odds that are planted; expected log odds of P against U are the weights."""
    rng = np.random.default_rng(seed)
    n_bins = [5, 4, 6]
    weights = [np.concatenate([[rng.uniform(-1, 1)], [0.0], np.cumsum(rng.uniform(0, 1.2, size - 2))]) for size in n_bins]
    bins = np.array(np.meshgrid(*map(np.arange, n_bins))).reshape(3, -1).T
    base = rng.uniform(0.2, 1, len(bins))
    odds = base * np.exp(sum(w[b] for w, b in zip(weights, bins.T, strict=True)))
    return bins, rng.multinomial(n, odds / odds.sum()), rng.multinomial(n, base / base.sum()), n_bins, weights


# -- a slow reference: one pattern at a time, projected gradient ----------------------------------------------


def slow_parameters(weights, n_bins):
    """(intercept, per feature: weight of NULL, steps between bins) as plain lists."""
    return [0.0, [[w[0] - w[1], *(max(w[i + 1] - w[i], 0.0) for i in range(1, len(w) - 1))] for w in weights]]


def slow_strength(pattern, theta) -> float:
    total = theta[0]
    for number, parts in zip(pattern, theta[1], strict=True):
        total += parts[0] if number == 0 else sum(parts[1:number])
    return total


def slow_objective(problem, theta) -> float:
    bins, positive, unlabelled, n_bins, before, strength = problem
    mass = sum(positive) / sum(unlabelled)
    start = slow_parameters(before, n_bins)
    loss = 0.5e-3 * theta[0] ** 2
    for pattern, p, u in zip(bins.tolist(), positive.tolist(), unlabelled.tolist(), strict=True):
        s = slow_strength(pattern, theta)
        loss += p * math.log1p(math.exp(-s)) + u * mass * math.log1p(math.exp(s))
    for parts, old in zip(theta[1], start[1], strict=True):
        loss += 0.5 * strength * sum((x - y) ** 2 for x, y in zip(parts, old, strict=True))
    return loss


def slow_gradient(problem, theta):
    bins, positive, unlabelled, n_bins, before, strength = problem
    mass = sum(positive) / sum(unlabelled)
    start = slow_parameters(before, n_bins)
    slope = [1e-3 * theta[0], [[strength * (x - y) for x, y in zip(p, o, strict=True)] for p, o in zip(theta[1], start[1], strict=True)]]
    for pattern, p, u in zip(bins.tolist(), positive.tolist(), unlabelled.tolist(), strict=True):
        share = 1 / (1 + math.exp(-slow_strength(pattern, theta)))
        error = u * mass * share - p * (1 - share)
        slope[0] += error
        for number, parts in zip(pattern, slope[1], strict=True):
            for i in [0] if number == 0 else range(1, number):
                parts[i] += error
    return slope


def slow_fit(problem, steps: int = 1500):
    """Plain projected gradient: down the slope, increments cut at 0, the step halved until the objective falls."""
    theta, size = slow_parameters(problem[4], problem[3]), 1.0
    value = slow_objective(problem, theta)
    for _ in range(steps):
        slope, size = slow_gradient(problem, theta), size * 2
        while size > 1e-12:
            new = [theta[0] - size * slope[0],
                   [[max(x - size * d, 0.0) if i else x - size * d for i, (x, d) in enumerate(zip(p, s, strict=True))]
                    for p, s in zip(theta[1], slope[1], strict=True)]]
            reached = slow_objective(problem, new)
            moved = (new[0] - theta[0]) ** 2 + sum((x - y) ** 2 for p, o in zip(new[1], theta[1], strict=True) for x, y in zip(p, o, strict=True))
            if reached <= value - 0.25 * moved / size:
                break
            size /= 2
        if value - reached < 1e-13 * (1 + abs(value)):
            break
        theta, value = new, reached
    return theta, value


def parameters_of(fit):
    return [fit.intercept, [[w[0], *np.diff(w[1:]).tolist()] for w in fit.weights]]


@FEW
@given(problems(strengths=(1.0, 20.0)))
def test_fit_reaches_the_minimum_of_a_slow_projected_gradient(problem):
    if not problem[1].sum() or not problem[2].sum():
        return
    fit = robust.fit(*problem)
    theta, value = slow_fit(problem)
    assert fit.converged
    assert slow_objective(problem, parameters_of(fit)) <= value + 1e-6 * (1 + value)
    for parts, reference in zip(parameters_of(fit)[1], theta[1], strict=True):
        assert parts == pytest.approx(reference, abs=2e-2)


# -- what it learns ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_fit_recovers_planted_rising_weights(seed):
    bins, positive, unlabelled, n_bins, weights = planted(seed)
    fit = robust.fit(bins, positive, unlabelled, n_bins)
    for found, wanted in zip(fit.weights, weights, strict=True):
        assert found == pytest.approx(wanted, abs=0.15)
    found, wanted = robust.strength_of(bins, fit.weights), robust.strength_of(bins, weights)
    assert np.corrcoef(np.argsort(np.argsort(found)), np.argsort(np.argsort(wanted)))[0, 1] > 0.99


def test_evidence_that_counts_against_gets_no_weight_but_null_may_be_negative():
    bins = np.array([[1], [2], [3], [0]])
    fit = robust.fit(bins, [50, 30, 10, 1], [100, 500, 900, 3000], [4])
    assert fit.weights[0][1:].tolist() == [0, 0, 0]
    assert fit.weights[0][0] < -1
    assert robust.fit(bins, [1, 1, 1, 90], [900, 800, 700, 10], [4]).weights[0][0] > 1


@MODERATE
@given(problems())
def test_weights_never_fall_and_the_objective_never_rises(problem):
    fit = robust.fit(*problem)
    for weights, n in zip(fit.weights, problem[3], strict=True):
        assert weights.shape == (n,) and np.isfinite(weights).all()
        assert weights[1] == 0 and (np.diff(weights[1:]) >= 0).all()
    assert (np.diff(fit.history) <= 0).all()
    assert fit.n_iter == len(fit.history) and fit.converged


@MODERATE
@given(problems())
def test_without_positives_or_unlabelled_the_prior_rules(problem):
    bins, positive, unlabelled, n_bins, before, strength = problem
    for p, u in ((0 * positive, unlabelled), (positive, 0 * unlabelled)):
        fit = robust.fit(bins, p, u, n_bins, before, strength)
        assert fit.n_iter == 0 and fit.converged and fit.history == ()
        for found, old in zip(fit.weights, before, strict=True):
            assert found[0] == old[0] - old[1]
            assert found[2:] == pytest.approx(np.cumsum(np.maximum(np.diff(old[1:]), 0)))


def test_a_rising_prior_is_kept_as_it_is_and_no_prior_is_zero():
    before = [np.array([-0.5, 0.0, 1.0, 1.5]), np.array([0.25, 0.0, 0.0])]
    fit = robust.fit([[1, 1]], [0], [5], [4, 3], before)
    assert [w.tolist() for w in fit.weights] == [w.tolist() for w in before]
    assert [w.tolist() for w in robust.fit([[1, 1]], [0], [5], [4, 3]).weights] == [[0, 0, 0, 0], [0, 0, 0]]


def test_a_huge_strength_holds_the_prior_and_a_small_one_lets_it_go():
    bins, positive, unlabelled, n_bins, _ = planted(4, n=2_000)
    before = [np.concatenate([[0.3], [0.0], np.full(n - 2, 2.5)]) for n in n_bins]
    away = [max(np.abs(w - b).max() for w, b in zip(robust.fit(bins, positive, unlabelled, n_bins, before, s).weights, before, strict=True))
            for s in (0.01, 1, 100, 1e9)]
    assert away == sorted(away, reverse=True)
    assert away[-1] < 1e-4 and away[0] > 1


def test_the_prior_decides_where_there_is_no_example():
    before = [np.array([0.0, 0.0, 1.0, 3.0])]
    fit = robust.fit([[1], [2]], [1, 30], [500, 20], [4], before)
    assert fit.weights[0][3] - fit.weights[0][2] == pytest.approx(2, abs=1e-6)


# -- what it does not depend on ---------------------------------------------------------------------------


@MODERATE
@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(problem, random):
    bins, positive, unlabelled, *rest = problem
    order = list(range(len(bins)))
    random.shuffle(order)
    same_weights(robust.fit(bins, positive, unlabelled, *rest), robust.fit(bins[order], positive[order], unlabelled[order], *rest))


@MODERATE
@given(problems(), st.integers(2, 5))
def test_a_row_with_counts_is_as_many_rows(problem, k):
    bins, positive, unlabelled, *rest = problem
    split = [np.repeat(part, k, axis=0) for part in (bins, positive / k, unlabelled / k)]
    same_weights(robust.fit(bins, positive, unlabelled, *rest), robust.fit(*split, *rest))


@MODERATE
@given(problems(), st.sampled_from([0.25, 3, 1000]))
def test_only_the_proportions_of_the_unlabelled_matter(problem, k):
    bins, positive, unlabelled, *rest = problem
    same_weights(robust.fit(bins, positive, unlabelled, *rest), robust.fit(bins, positive, k * unlabelled, *rest))


def test_more_obvious_replicas_weigh_as_much_as_a_weaker_prior():
    bins, positive, unlabelled, n_bins, _ = planted(5, n=500)
    before = [np.array(prior.WEIGHTS["evidence"][:n]) for n in n_bins]
    scaled = robust.fit(bins, 8 * positive, unlabelled, n_bins, before, 8.0)
    same_weights(robust.fit(bins, positive, unlabelled, n_bins, before, 1.0), scaled, abs=1e-3)
    more = robust.fit(bins, 8 * positive, unlabelled, n_bins, before, 1.0)
    assert max(np.abs(a - b).max() for a, b in zip(more.weights, scaled.weights, strict=True)) > 1e-3


@MODERATE
@given(problems())
def test_a_pattern_without_examples_changes_nothing(problem):
    bins, positive, unlabelled, n_bins, *rest = problem
    extra = np.array([[n - 1 for n in n_bins]])
    same_weights(robust.fit(bins, positive, unlabelled, n_bins, *rest),
                 robust.fit(np.vstack([bins, extra]), np.append(positive, 0), np.append(unlabelled, 0), n_bins, *rest))


def same_weights(one, two, abs=1e-5):
    for a, b in zip(one.weights, two.weights, strict=True):
        assert a == pytest.approx(b, abs=abs)


# -- what it refuses --------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [
    ([[1], [2]], [1], [1], [3]),
    ([[1]], [1], [1, 2], [3]),
    ([1, 2], [1, 1], [1, 1], [3]),
    ([[1, 1]], [1], [1], [3]),
    ([[3]], [1], [1], [3]),
    ([[-1]], [1], [1], [3]),
    ([[0]], [1], [1], [1]),
    ([[1]], [-1], [1], [3]),
    ([[1]], [1], [-1], [3]),
    ([[1]], [1], [1], [3], None, 0.0),
    ([[1]], [1], [1], [3], None, -1.0),
    ([[1]], [1], [1], [3], None, float("nan")),
    ([[1]], [float("nan")], [1], [3]),
    ([[1]], [1], [1], [3], [np.zeros(4)]),
    ([[1]], [1], [1], [3], [np.zeros(3), np.zeros(3)]),
    ([[1, 1]], [1], [1], [3, 3], [np.zeros(3)]),
])
def test_input_that_cannot_be_meant_is_a_usage_error(arguments):
    with pytest.raises(UsageError):
        robust.fit(*arguments)


# -- strength, share, calibration -------------------------------------------------------------------------


def test_strength_is_the_sum_of_the_bins_weights():
    weights = [np.array([9.0, 0.0, 1.0]), np.array([-2.0, 0.0, 0.5, 4.0])]
    assert robust.strength_of([[1, 1], [2, 3], [0, 0]], weights).tolist() == [0, 5, 7]
    assert robust.strength_of(np.zeros((0, 2), int), weights).tolist() == []


@pytest.mark.parametrize("share", [0.002, 0.03, 0.4, 0.9])
def test_the_share_of_replicas_is_recovered_from_likelihood_ratios(share):
    rng = np.random.default_rng(7)
    replica, other = (rng.dirichlet(np.ones(40) * 0.5) + 1e-6 for _ in range(2))
    replica, other = replica / replica.sum(), other / other.sum()
    n = 1e6 * (share * replica + (1 - share) * other)
    found, probability = robust.replica_share(np.log(replica / other), n)
    assert found == pytest.approx(share, rel=1e-3)
    assert probability == pytest.approx(share * replica / (share * replica + (1 - share) * other), rel=1e-2)


def test_the_share_stays_inside_0_and_1_whatever_the_ratios():
    for ratio, low, high in ((-1e9, 0, 1e-6), (1e9, 1 - 1e-6, 1), (0.0, 0, 1)):
        share, probability = robust.replica_share(np.full(3, ratio), [1, 2, 3])
        assert low <= share <= high and 0 < share < 1
        assert np.isfinite(probability).all()


def test_no_candidates_give_no_share_and_no_probabilities():
    share, probability = robust.replica_share(np.zeros(0), np.zeros(0))
    assert 0 <= share <= 1 and len(probability) == 0
    assert len(robust.calibrate([], [], [])) == 0


@MODERATE
@given(st.lists(st.tuples(st.floats(-30, 30), st.floats(0, 1), st.integers(1, 10_000)), min_size=1, max_size=30))
def test_calibrated_probabilities_rise_with_the_strength(rows):
    strength, probability, n = map(np.array, zip(*rows, strict=True))
    found = robust.calibrate(strength, probability, n)
    assert np.isfinite(found).all() and ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found[np.argsort(strength, kind="stable")]) >= 0).all()


def test_calibration_finds_a_logistic_curve_again():
    strength = np.linspace(-10, 10, 81)
    wanted = 1 / (1 + np.exp(3 - 1.5 * strength))
    assert robust.calibrate(strength, wanted, np.ones(81)) == pytest.approx(wanted, abs=1e-4)


def test_calibration_of_equal_strengths_is_the_mean_probability():
    assert robust.calibrate([2.0, 2.0], [0.1, 0.7], [3, 1]).tolist() == pytest.approx([0.25, 0.25])
    assert robust.calibrate([5.0], [0.3], [10]).tolist() == pytest.approx([0.3])


# -- the prior --------------------------------------------------------------------------------------------


def test_the_prior_has_a_rising_weight_for_every_bin():
    assert prior.EDGES.keys() == prior.WEIGHTS.keys()
    for name, edges in prior.EDGES.items():
        assert list(edges) == sorted(set(edges)), name
        weights = prior.WEIGHTS[name]
        assert len(weights) == len(edges) + 2 and weights[1] == 0, name
        assert list(weights[1:]) == sorted(weights[1:]), name
