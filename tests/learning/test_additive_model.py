"""Boosted tables: against all trees of three splits tried one by one, and what a model does not
depend on.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from conftest import rest_slow
from hypothesis import given
from hypothesis import strategies as st

from replicadb.errors import UsageError
from replicadb.learning import additive_model

from .sets import MODERATE

RIDGE, LEAST = 0.5, 0.0


@st.composite
def problems(draw, max_patterns=12, most=30):
    """bins, positive and negative counts (both classes there), bins per feature."""
    n_bins = draw(st.lists(st.integers(2, 4), min_size=1, max_size=3))
    pattern = st.tuples(*[st.integers(0, n - 1) for n in n_bins])
    bins = draw(st.lists(pattern, min_size=2, max_size=max_patterns, unique=True))
    counts = st.lists(st.integers(0, most), min_size=len(bins), max_size=len(bins)).filter(any)
    return np.array(bins), np.array(draw(counts)), np.array(draw(counts)), n_bins


def planted(seed: int, share: float = 0.5, n: int = 40_000):
    """Counts drawn by log odds of single bins and of one pair of features."""
    rng = np.random.default_rng(seed)
    n_bins = [5, 4, 6]
    bins = np.array(list(product(*map(range, n_bins))))
    single = [rng.normal(0, 1.5, size) for size in n_bins]
    together = rng.normal(0, 1.5, n_bins[:2])
    log_odds = (
        sum(w[b] for w, b in zip(single, bins.T, strict=True)) + together[bins[:, 0], bins[:, 1]]
    )
    mass = rng.multinomial(n, rng.dirichlet(np.ones(len(bins)) * 3))
    base = np.log(share / (1 - share)) - np.median(log_odds)
    positive = rng.binomial(mass, 1 / (1 + np.exp(-base - log_odds)))
    return bins, positive, mass - positive, n_bins


def loss(positive, negative, score) -> float:
    return float(positive @ np.logaddexp(0, -score) + negative @ np.logaddexp(0, score))


# -- a slow reference: every split of every node, one pattern at a time
# -----------------------------------------


def sides(size: int):
    """Every way to part a feature's bins: NULL (bin 0) on either side, the others by an edge."""
    for edge in range(size):
        for null_left in (True, False):
            left = {b for b in range(1, size) if b <= edge} | ({0} if null_left else set())
            if 0 < len(left) < size:
                yield left


def leaf(rows, ridge):
    """(weight, gain) of rows that stay together."""
    g, h = sum(r[1] for r in rows), sum(r[2] for r in rows)
    return g / (h + ridge), g * g / (h + ridge)


def best_split(rows, n_bins, ridge, least):
    """(gain, left rows, right rows), or None; rows are (pattern, gradient, hessian)."""
    found = None
    for feature, size in enumerate(n_bins):
        for left_bins in sides(size):
            left = [r for r in rows if r[0][feature] in left_bins]
            right = [r for r in rows if r[0][feature] not in left_bins]
            if min(sum(r[2] for r in part) for part in (left, right)) < least:
                continue
            gain = leaf(left, ridge)[1] + leaf(right, ridge)[1] - leaf(rows, ridge)[1]
            if gain > 1e-9 and (found is None or gain > found[0] * (1 + 1e-9)):
                found = (gain, left, right)
    return found


def slow_tree(bins, positive, negative, score, n_bins, ridge, least, most=math.inf):
    """Gain of the best tree (root first, then each side), and its leaf weights by pattern."""
    rows = []
    for pattern, p, n, s in zip(
        map(tuple, bins.tolist()), positive.tolist(), negative.tolist(), score.tolist(), strict=True
    ):
        q = 1 / (1 + math.exp(-s))
        rows.append((pattern, p - (p + n) * q, (p + n) * q * (1 - q)))
    root = best_split(rows, n_bins, ridge, least)
    if root is None:
        return 0.0, {}
    gain, weights = root[0], {}
    for part in root[1:]:
        below = best_split(part, n_bins, ridge, least)
        gain += below[0] if below else 0.0
        for leaf_rows in below[1:] if below else (part,):
            weights |= dict.fromkeys(
                (r[0] for r in leaf_rows), max(-most, min(most, leaf(leaf_rows, ridge)[0]))
            )
    return gain, weights


@MODERATE
@given(problems(), st.sampled_from([0.0, 1.0, 5.0]))
def test_a_round_adds_the_best_tree_of_three_splits(problem, least):
    bins, positive, negative, n_bins = problem
    start = np.full(len(bins), math.log(positive.sum() / negative.sum()))
    q = 1 / (1 + np.exp(-start))
    mass = positive + negative
    grower = additive_model._Grower(bins, tuple(n_bins), RIDGE, least, 1.0)
    tree = grower.grow(positive - mass * q, mass * q * (1 - q))
    gain, _ = slow_tree(bins, positive, negative, start, n_bins, RIDGE, least)
    assert sum(split.gain for split in tree or () if split) == pytest.approx(
        gain, rel=1e-6, abs=1e-6
    )


@MODERATE
@given(problems(), st.sampled_from([1, 8]))
def test_counting_features_together_or_by_themselves_is_the_same(problem, most_cells):
    bins, positive, negative, n_bins = problem
    with pytest.MonkeyPatch.context() as patch:
        together = additive_model._Grower(bins, tuple(n_bins), RIDGE, LEAST, 1.0)
        patch.setattr(additive_model, "MOST_CELLS", most_cells)
        apart = additive_model._Grower(bins, tuple(n_bins), RIDGE, LEAST, 1.0)
    some = np.arange(0, len(bins), 2)
    for rows in (None, some):
        found = together._histogram(positive, negative, rows)
        assert np.allclose(found, apart._histogram(positive, negative, rows))
        assert found[0].sum() == pytest.approx(len(n_bins) * positive[rows].sum())


@pytest.mark.parametrize("seed", range(6))
def test_ten_rounds_are_ten_slow_rounds(seed):
    """Real-valued masses, so that no two splits gain the same and the best tree is one."""
    rng = np.random.default_rng(seed)
    n_bins = [3, 4, 2]
    bins = np.array(list(product(*map(range, n_bins))))[rng.permutation(24)[:16]]
    positive, negative = rng.gamma(1, 5, len(bins)), rng.gamma(1, 5, len(bins))
    score = np.full(len(bins), math.log(positive.sum() / negative.sum()))
    for _ in range(10):
        _, weights = slow_tree(bins, positive, negative, score, n_bins, RIDGE, LEAST, 1 / 0.3)
        score = score + 0.3 * np.array(
            [weights.get(tuple(pattern), 0.0) for pattern in bins.tolist()]
        )
    tables = additive_model.boost(
        bins, positive, negative, n_bins, rounds=10, rate=0.3, ridge=RIDGE, least=LEAST
    )
    assert tables.score(bins) == pytest.approx(score, abs=1e-9)


# -- what it learns
# ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", rest_slow([1, 2, 3], 2))
@pytest.mark.parametrize("share", [0.5, 0.02])
def test_planted_singles_and_pairs_are_found(seed, share):
    bins, positive, negative, n_bins = planted(seed, share)
    found = additive_model.boost(bins, positive, negative, n_bins, ridge=1.0).score(bins)
    start = np.full(len(bins), math.log(positive.sum() / negative.sum()))
    best = np.log(np.maximum(positive, 0.5) / np.maximum(negative, 0.5))
    span = [loss(positive, negative, s) for s in (start, found, best)]
    assert span[0] - span[1] > 0.9 * (span[0] - span[2])


@pytest.mark.parametrize("share", [0.5, 0.1, 0.004, 0.0005])
def test_the_loss_never_rises_however_rare_the_positives(share):
    bins, positive, negative, n_bins = planted(5, share, n=2_000_000)
    history = [
        loss(
            positive,
            negative,
            additive_model.boost(bins, positive, negative, n_bins, rounds=rounds).score(bins),
        )
        for rounds in range(12)
    ]
    assert (np.diff(history) <= 1e-9 * history[0]).all()
    assert history[-1] < history[0]


@pytest.mark.slow
@MODERATE
@given(problems(most=100_000), st.sampled_from([0.01, 1.0, 5.0]), st.sampled_from([0.15, 0.5]))
def test_the_loss_never_rises_whatever_the_counts(problem, ridge, rate):
    bins, positive, negative, _ = problem
    history = [
        loss(
            positive,
            negative,
            additive_model.boost(*problem, rounds=rounds, rate=rate, ridge=ridge, least=0.1).score(
                bins
            ),
        )
        for rounds in range(9)
    ]
    assert (np.diff(history) <= 1e-9 * history[0]).all()


def test_a_rare_mixed_leaf_is_not_overshot():
    """Half of a small group are positives among a million others: its log odds end near 0, not far
    above.
    """
    bins, positive, negative = np.array([[1], [2]]), np.array([0, 1000]), np.array([1_000_000, 900])
    for rounds in (1, 5, 20, 400):
        score = additive_model.boost(bins, positive, negative, [3], rounds=rounds).score(bins)
        assert score[1] < 1
    assert score[1] == pytest.approx(math.log(1000 / 900), abs=0.05)


@pytest.mark.slow
@MODERATE
@given(problems(), st.data())
def test_only_the_pairs_that_may_be_are_learned(problem, data):
    """And with all of them allowed the model is that of no restriction."""
    n = len(problem[3])
    every = [(j, k) for j in range(n) for k in range(j + 1, n)]
    some = data.draw(st.sets(st.sampled_from(every))) if every else set()
    assert additive_model.boost(*problem, rounds=10, least=0.01, pairs=some).pairs.keys() <= some
    free, whole = (
        additive_model.boost(*problem, rounds=10, least=0.01, pairs=pairs)
        for pairs in (None, every)
    )
    assert (free.score(problem[0]) == whole.score(problem[0])).all()


# -- tables are trees
# -------------------------------------------------------------------------------------


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
        tables = additive_model.boost(bins, positive, negative, n_bins, rounds=25, least=0.01)
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


# -- what it does not depend on
# ---------------------------------------------------------------------------


@pytest.mark.slow
@MODERATE
@given(problems(), st.randoms(use_true_random=False), st.integers(2, 4))
def test_order_and_splitting_of_the_rows_change_nothing_but_rounding(problem, random, k):
    bins, positive, negative, n_bins = problem
    order = list(range(len(bins)))
    random.shuffle(order)
    base = loss(
        positive, negative, additive_model.boost(*problem, rounds=15, least=0.0).score(bins)
    )
    moved = additive_model.boost(
        bins[order], positive[order], negative[order], n_bins, rounds=15, least=0.0
    )
    split = additive_model.boost(
        *[np.repeat(part, k, axis=0) for part in (bins, positive / k, negative / k)],
        n_bins,
        rounds=15,
        least=0.0,
    )
    for other in (
        moved,
        split,
    ):  # by the loss: where two splits gain the same, rounding may choose either
        assert loss(positive, negative, other.score(bins)) == pytest.approx(
            base, rel=0.05, abs=1e-6
        )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_without_ties_order_and_splitting_change_nothing(seed):
    bins, positive, negative, n_bins = planted(seed)
    positive = positive + np.random.default_rng(seed).random(len(positive))
    found = additive_model.boost(bins, positive, negative, n_bins, rounds=60)
    order = np.random.default_rng(seed).permutation(len(bins))
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


def test_null_may_go_to_either_side_or_alone():
    bins = np.array([[0], [1], [2], [3]])
    for positive in ([90, 1, 1, 1], [90, 90, 1, 1], [90, 1, 1, 90], [1, 90, 90, 90]):
        score = additive_model.boost(
            bins, positive, [91 - p for p in positive], [4], ridge=0.1, least=0.1
        ).score(bins)
        assert (score > 0).tolist() == [p > 45 for p in positive]


# -- what it refuses
# --------------------------------------------------------------------------------------


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
    for seed in range(5):
        draw, n_bins = np.random.default_rng(seed), (6, 8, 5)
        bins = np.column_stack([draw.integers(0, n, 3000) for n in n_bins])
        truth = draw.random(3000) < 1 / (
            1 + np.exp(0.1 * (bins[:, 1] - 4) ** 2 * (bins[:, 2] - 2) - 0.3 * bins[:, 0])
        )
        free, bound = (
            additive_model.boost(
                bins, truth.astype(float), (~truth).astype(float), n_bins, rounds=60, rising=chosen
            )
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
