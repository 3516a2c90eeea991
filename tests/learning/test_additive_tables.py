"""Tables of the additive model are trees, and hang on nothing but the counts; what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.errors import UsageError
from replicadb.learning import additive_model

from .additive_problems import boosted, loss, planted, problems
from .sets import MODERATE


@pytest.mark.slow
@MODERATE
@given(problems())
def test_the_tables_hold_what_the_trees_said(problem):
    """The score kept while learning (sum of trees) is the tables' score: one more round starts from
    it.
    """
    bins, positive, negative, n_bins = problem
    added = []
    add = additive_model.add_tree

    def remember(tables, tree, rate, rows):
        value = add(tables, tree, rate, rows)
        added.append(rate * value)
        return value

    additive_model.add_tree = remember
    try:
        tables = boosted(bins, positive, negative, n_bins, rounds=12, least=0.01)
    finally:
        additive_model.add_tree = add
    start = math.log(positive.sum() / negative.sum())
    assert tables.score(bins) == pytest.approx(np.sum(added, axis=0) + start, abs=1e-9)
    for (j, k), weights in tables.pairs.items():
        assert j < k and weights.shape == (n_bins[j], n_bins[k])
    assert [len(w) for w in tables.single] == list(n_bins)


def test_a_score_is_intercept_single_bins_and_pairs_of_bins():
    tables = additive_model.Tables(
        (3, 2),
        0.5,
        [np.array([1.0, 2, 3]), np.array([10.0, 20])],
        {(0, 1): np.arange(6.0).reshape(3, 2) * 100},
    )
    assert tables.score([[0, 0], [2, 1], [1, 0]]).tolist() == [11.5, 523.5, 212.5]
    assert tables.score(np.zeros((0, 2), int)).tolist() == []
    assert additive_model.Tables((2, 4)).score([[1, 3]]).tolist() == [0]


@pytest.mark.slow
@settings(MODERATE, max_examples=30)
@given(problems(), st.randoms(use_true_random=False), st.integers(2, 4))
def test_order_and_splitting_of_the_rows_change_nothing_but_rounding(problem, random, k):
    bins, positive, negative, n_bins = problem
    order = list(range(len(bins)))
    random.shuffle(order)
    base = loss(positive, negative, boosted(*problem, rounds=8, least=0.0).score(bins))
    moved = boosted(bins[order], positive[order], negative[order], n_bins, rounds=8, least=0.0)
    split = boosted(
        *[np.repeat(part, k, axis=0) for part in (bins, positive / k, negative / k)],
        n_bins,
        rounds=8,
        least=0.0,
    )
    for other in (
        moved,
        split,
    ):  # by the loss: where two splits gain the same, rounding may choose either
        assert loss(positive, negative, other.score(bins)) == pytest.approx(
            base, rel=0.05, abs=1e-6
        )


@pytest.mark.slow
def test_without_ties_order_and_splitting_change_nothing():
    bins, positive, negative, n_bins = planted(1)
    positive = positive + np.random.default_rng(1).random(len(positive))
    found = additive_model.boost(bins, positive, negative, n_bins, rounds=60)
    order = np.random.default_rng(1).permutation(len(bins))
    again = additive_model.boost(bins[order], positive[order], negative[order], n_bins, rounds=60)
    split = additive_model.boost(
        *[np.repeat(part, 3, axis=0) for part in (bins, positive / 3, negative / 3)],
        n_bins,
        rounds=60,
    )
    for other in (again, split):
        assert other.score(bins) == pytest.approx(found.score(bins), abs=1e-8)


def test_the_same_counts_give_the_same_tables_to_the_last_bit():
    one, two = (additive_model.boost(*planted(4), rounds=40) for _ in range(2))
    assert one.intercept == two.intercept
    assert all((a == b).all() for a, b in zip(one.single, two.single, strict=True))
    assert (
        all((one.pairs[jk] == two.pairs[jk]).all() for jk in one.pairs)
        and one.pairs.keys() == two.pairs.keys()
    )


def test_nothing_to_tell_apart_gives_the_share_alone():
    tables = additive_model.boost([[1, 1]], [30], [10], [3, 2])
    assert tables.score([[1, 1], [0, 0]]) == pytest.approx([math.log(3)] * 2)
    assert not tables.pairs


@pytest.mark.slow
def test_null_may_go_to_either_side_or_alone():
    bins = np.array([[0], [1], [2], [3]])
    for positive in ([90, 1, 1, 1], [90, 90, 1, 1], [90, 1, 1, 90], [1, 90, 90, 90]):
        score = boosted(
            bins, positive, [91 - p for p in positive], [4], ridge=0.1, least=0.1
        ).score(bins)
        assert (score > 0).tolist() == [p > 45 for p in positive]


@pytest.mark.parametrize(
    "arguments",
    [
        ([[1], [2]], [1], [1], [3]),
        ([[1]], [1], [1, 2], [3]),
        ([1, 2], [1, 1], [1, 1], [3]),
        ([[1, 1]], [1], [1], [3]),
        ([[3]], [1], [1], [3]),
        ([[-1]], [1], [1], [3]),
        ([[0]], [1], [1], [1]),
        ([[1]], [-1], [1], [3]),
        ([[1]], [1], [-1], [3]),
        ([[1]], [0], [1], [3]),
        ([[1]], [1], [0], [3]),
        ([[1]], [float("nan")], [1], [3]),
        ([[1]], [float("inf")], [1], [3]),
        (np.zeros((0, 1), int), [], [], [3]),
        (np.zeros((1, 0), int), [1], [1], []),
    ],
)
def test_input_that_cannot_be_meant_is_a_usage_error(arguments):
    with pytest.raises(UsageError):
        additive_model.boost(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize("rising", [(1,), (0, 1)])
def test_a_rising_feature_never_lowers_the_score(rising):
    for seed in range(2):
        draw, n_bins = np.random.default_rng(seed), (6, 8, 5)
        bins = np.column_stack([draw.integers(0, n, 3000) for n in n_bins])
        truth = draw.random(3000) < 1 / (
            1 + np.exp(0.1 * (bins[:, 1] - 4) ** 2 * (bins[:, 2] - 2) - 0.3 * bins[:, 0])
        )
        bins, at = np.unique(bins, axis=0, return_inverse=True)
        counts = [np.bincount(at.ravel()[side], minlength=len(bins)) for side in (truth, ~truth)]
        free, bound = (
            additive_model.boost(bins, *counts, n_bins, rounds=60, rising=chosen)
            for chosen in ((), rising)
        )
        every = np.array(np.meshgrid(*(range(n) for n in n_bins), indexing="ij")).reshape(3, -1).T
        steps = [
            np.diff(
                model.score(every).reshape(n_bins).take(range(1, n_bins[j]), axis=j), axis=j
            ).min()
            for model in (bound, free)
            for j in rising
        ]
        assert (
            min(steps[: len(rising)]) > -1e-12 and min(steps[len(rising) :]) < -0.1
        )  # NULL, bin 0, may stand anywhere


def test_what_is_known_is_added_to():
    draw = np.random.default_rng(3)
    bins, known = draw.integers(0, 4, (4000, 1)), draw.normal(0, 2, 4000)
    truth = draw.random(4000) < 1 / (
        1 + np.exp(-known - np.array([0.0, -1.0, 0.0, 2.0])[bins[:, 0]])
    )
    tables = additive_model.boost(
        bins, truth.astype(float), (~truth).astype(float), (4,), rounds=200, ridge=0.1, known=known
    )
    assert tables.score(np.arange(4)[:, None]) == pytest.approx([0, -1, 0, 2], abs=0.35)
