"""What obvious replicas add to the weights of single features."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.errors import UsageError
from replicadb.learning import additive_model, class_prior, prior_adjustment

from .sets import FEW, MODERATE


@st.composite
def problems(draw):
    """Small random problems: bins, log odds, obvious, others, bins per feature, strength."""
    n_bins = draw(st.lists(st.integers(2, 5), min_size=1, max_size=3))
    pattern = st.tuples(*[st.integers(0, n - 1) for n in n_bins])
    bins = draw(st.lists(pattern, min_size=1, max_size=12, unique=True))
    counts = st.lists(st.integers(0, 30), min_size=len(bins), max_size=len(bins))
    log_odds, believed = (
        draw(st.lists(st.floats(*ends), min_size=len(bins), max_size=len(bins)))
        for ends in ((-8, 8), (0, 1))
    )
    return (
        np.array(bins),
        np.array(log_odds),
        np.array(draw(counts)),
        np.array(draw(counts)),
        n_bins,
        draw(st.sampled_from([0.1, 1.0, 30.0])),
        np.array(believed),
    )


# -- what the obvious replicas add, against the definition
# -----------------------------------------------------


def slow_loss(problem, additions) -> float:
    """The objective of ``adjust``, one pattern at a time."""
    bins, log_odds, obvious, others, _, strength, believed = problem
    total = strength / 2 * sum(x * x for d in additions for x in d)
    for pattern, before, p, u, r in zip(
        *(values.tolist() for values in (bins, log_odds, obvious, others, believed)), strict=True
    ):
        s = before + sum(d[b] for d, b in zip(additions, pattern, strict=True))
        q = 1 / (1 + math.exp(-before))
        total += (p * r + u * q) * math.log1p(math.exp(-s)) + (
            p * (1 - r) + u * (1 - q)
        ) * math.log1p(math.exp(s))
    return total


@FEW
@given(problems())
def test_adjust_stands_at_the_bottom_of_its_objective(problem):
    """By finite differences: level in every direction; and no random place around is lower (the
    objective is convex).
    """
    found = prior_adjustment.adjust(*problem)
    here, step = slow_loss(problem, found), 1e-4
    for d in found:
        for i in range(len(d)):
            sides = []
            for sign in (1, -1):
                d[i] += sign * step
                sides.append(slow_loss(problem, found))
                d[i] -= sign * step
            assert (sides[0] - sides[1]) / (2 * step) == pytest.approx(0, abs=1e-4 * (1 + here))
    rng = np.random.default_rng(0)
    for size in (1e-2, 1.0):
        assert slow_loss(problem, [d + size * rng.normal(size=len(d)) for d in found]) >= here


@pytest.mark.parametrize(
    ("heavy", "slight", "scale"),
    [(1e6, 1, 0.1), (1.2e7, 7, 0.1), (1e4, 1e-3, 1.0), (30, 1e-5, 1.0)],
)
def test_many_slight_patterns_in_a_bin_of_their_own_weigh_what_they_weigh(heavy, slight, scale):
    """Ten heavy patterns bend the loss so much that 5,000 slight ones are next to nothing, but not
    in the slight ones' bin.
    """
    bins = np.repeat([[1], [2]], [10, 5000], axis=0)
    others, obvious = (
        np.repeat([heavy, slight], [10, 5000]),
        np.repeat([heavy * scale, slight], [10, 5000]),
    )
    (found,) = prior_adjustment.adjust(bins, np.zeros(len(bins)), obvious, others, [3])
    for bin, n, p, u in ((1, 10, heavy * scale, heavy), (2, 5000, slight, slight)):
        s = 1 / (1 + math.exp(-found[bin]))
        slope = n * (u * (s - 0.5) - p * (1 - s)) + 30 * found[bin]
        assert slope == pytest.approx(0, abs=1e-8 * (1 + n * p))


@pytest.mark.slow
@MODERATE
@given(problems())
def test_without_obvious_replicas_nothing_is_added(problem):
    bins, log_odds, obvious, others, n_bins, *rest = problem
    found = prior_adjustment.adjust(bins, log_odds, 0 * obvious, others, n_bins, *rest)
    assert [d.tolist() for d in found] == [[0.0] * n for n in n_bins]


def test_only_what_the_obvious_replicas_contradict_moves():
    """Feature 1 lies apart from replicas' bins as before; in feature 0 obvious replicas stand where
    none were expected.
    """
    bins = np.array([[1, 1], [2, 1], [1, 2], [2, 2]])
    log_odds, others = np.array([-5.0, 5, -5, 5]), np.array([100, 100, 100, 100])
    agreed = prior_adjustment.adjust(bins, log_odds, np.array([0, 50, 0, 50]), others, [3, 3])
    assert max(np.abs(d).max() for d in agreed) < 0.05
    single, other = prior_adjustment.adjust(
        bins, log_odds, np.array([50, 0, 50, 0]), others, [3, 3]
    )
    assert single[1] > 1.5 and abs(single[2]) < 0.3
    assert np.abs(other[1] - other[2]) < 1e-6


def test_what_nobody_stands_in_does_not_move():
    found = prior_adjustment.adjust(
        np.array([[1, 1]]), np.array([-2.0]), np.array([20]), np.array([30]), [4, 3]
    )
    assert found[0][[0, 2, 3]].tolist() == [0, 0, 0] and found[0][1] > 0.3
    assert found[1][[0, 2]].tolist() == [0, 0]


def test_as_many_obvious_replicas_as_the_strength_move_a_weight_by_about_one():
    for strength in (5.0, 30.0, 200.0):
        (moved,) = prior_adjustment.adjust(
            np.array([[1]]), np.array([-4.0]), np.array([strength]), np.array([0]), [2], strength
        )
        assert 0.7 < moved[1] < 1.1


def test_names_are_believed_as_far_as_the_evidence_beside_them():
    """Where most obvious pairs look like unrelated hosts (translations), names prove nothing;
    where they look like replicas, those that do not are believed.
    """
    ratio = np.array([-6.0, 0.0, 6.0])
    doubtful, trusted = (
        class_prior.replica_share(ratio, n, class_prior.PSEUDO_COUNTS_NAMED)
        for n in (np.array([90, 5, 5]), np.array([5, 5, 90]))
    )
    assert doubtful[0] < 0.2 and doubtful[1][0] < 0.001 and trusted[0] > 0.9 and trusted[1][1] > 0.9
    pulled = [
        prior_adjustment.adjust(
            np.array([[1]]), np.array([-3.0]), np.array([50]), np.array([50]), [2], believed=r
        )[0][1]
        for r in (0.01, 0.5, 1.0)
    ]
    assert pulled == sorted(pulled) and abs(pulled[0]) < 0.1 < 0.5 < pulled[2]


def test_a_huge_strength_holds_the_prior_and_a_small_one_lets_it_go():
    away = [
        prior_adjustment.adjust(
            np.array([[1], [2]]),
            np.array([-3.0, 3.0]),
            np.array([40, 1]),
            np.array([10, 10]),
            [3],
            s,
        )[0][1]
        for s in (1e-3, 1, 100, 1e9)
    ]
    assert away == sorted(away, reverse=True)
    assert away[-1] < 1e-6 and away[0] > 3


@pytest.mark.slow
@MODERATE
@given(problems(), st.randoms(use_true_random=False), st.integers(2, 5))
def test_order_and_splitting_of_the_rows_do_not_matter(problem, random, k):
    bins, log_odds, obvious, others, n_bins, strength, believed = problem
    order = list(range(len(bins)))
    random.shuffle(order)
    found = prior_adjustment.adjust(*problem)
    moved = prior_adjustment.adjust(
        bins[order],
        log_odds[order],
        obvious[order],
        others[order],
        n_bins,
        strength,
        believed[order],
    )
    parts = [
        np.repeat(part, k, axis=0) for part in (bins, log_odds, obvious / k, others / k, believed)
    ]
    split = prior_adjustment.adjust(*parts[:4], n_bins, strength, parts[4])
    for other in (moved, split):
        for a, b in zip(found, other, strict=True):
            assert a == pytest.approx(b, abs=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_sums_in_another_order_do_not_show(seed):
    """Another CPU adds up in another order. Ten digits of the weights are the same."""
    rng = np.random.default_rng(seed)
    n_bins, n = [6, 9, 7, 8], 2000
    bins = np.column_stack([rng.integers(0, m, n) for m in n_bins])
    log_odds, obvious = rng.normal(-4, 4, n), rng.poisson(0.3, n)
    others, believed = rng.integers(1, 3000, n) ** 2 // 1000, rng.uniform(0.5, 1, n)
    order = rng.permutation(n)
    found, moved = (
        prior_adjustment.adjust(
            bins[o], log_odds[o], obvious[o], others[o], n_bins, 30, believed[o]
        )
        for o in (np.arange(n), order)
    )
    for a, b in zip(found, moved, strict=True):
        assert a == pytest.approx(b, abs=1e-11, rel=0)


@pytest.mark.slow
@MODERATE
@given(problems())
def test_a_pattern_without_examples_changes_nothing(problem):
    bins, log_odds, obvious, others, n_bins, strength, believed = problem
    extra = np.array([[n - 1 for n in n_bins]])
    more = prior_adjustment.adjust(
        np.vstack([bins, extra]),
        np.append(log_odds, 3),
        np.append(obvious, 0),
        np.append(others, 0),
        n_bins,
        strength,
        np.append(believed, 1),
    )
    for a, b in zip(prior_adjustment.adjust(*problem), more, strict=True):
        assert a == pytest.approx(b, abs=1e-8)


@pytest.mark.parametrize("scale", [1, 10_000])
def test_large_counts_and_log_odds_far_out_stay_finite_and_exact(scale):
    bins, others = np.array([[1, 0], [2, 1], [0, 1]]), np.array([300, 20, 7]) * scale
    problem = (
        bins,
        np.array([-700.0, 700.0, -30.0]),
        np.array([5, 9, 1]) * scale,
        others,
        [3, 2],
        30.0,
    )
    found = prior_adjustment.adjust(*problem)
    assert all(np.isfinite(d).all() for d in found)
    again = prior_adjustment.adjust(
        bins,
        problem[1] + sum(d[b] for d, b in zip(found, bins.T, strict=True)),
        0 * others,
        others,
        [3, 2],
    )
    assert all((d == 0).all() for d in again)


def test_adjusted_tables_add_to_single_features_and_leave_the_given_alone():
    tables = additive_model.Tables(
        (3, 2), 0.5, [np.array([1.0, 2, 3]), np.array([10.0, 20])], {(0, 1): np.ones((3, 2))}
    )
    more = prior_adjustment.adjusted(tables, [np.array([0.0, 0, 1]), np.array([-1.0, 0])])
    assert more.score([[2, 0], [1, 1]]).tolist() == [0.5 + 4 + 9 + 1, 0.5 + 2 + 20 + 1]
    assert tables.score([[2, 0]]).tolist() == [14.5]


@pytest.mark.parametrize(
    "arguments",
    [
        ([[1], [2]], [0], [1], [1], [3]),
        ([[1]], [0], [1], [1, 2], [3]),
        ([[1]], [0, 0], [1], [1], [3]),
        ([1, 2], [0, 0], [1, 1], [1, 1], [3]),
        ([[1, 1]], [0], [1], [1], [3]),
        ([[3]], [0], [1], [1], [3]),
        ([[-1]], [0], [1], [1], [3]),
        ([[0]], [0], [1], [1], [1]),
        ([[1]], [0], [-1], [1], [3]),
        ([[1]], [0], [1], [-1], [3]),
        ([[1]], [0], [1], [1], [3], 0.0),
        ([[1]], [0], [1], [1], [3], -1.0),
        ([[1]], [0], [1], [1], [3], float("nan")),
        ([[1]], [0], [float("nan")], [1], [3]),
    ],
)
def test_input_that_cannot_be_meant_is_a_usage_error(arguments):
    with pytest.raises(UsageError):
        prior_adjustment.adjust(*arguments)
