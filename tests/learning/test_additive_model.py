"""Boosted tables: against all trees of three splits tried one by one, and what a model does not
depend on.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.learning import additive_model

from .additive_problems import boosted, loss, losses, planted, problems
from .sets import MODERATE

RIDGE, LEAST = 0.5, 0.0


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


@pytest.mark.slow
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


@pytest.mark.slow
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
    tables = boosted(
        bins, positive, negative, n_bins, rounds=10, rate=0.3, ridge=RIDGE, least=LEAST
    )
    assert tables.score(bins) == pytest.approx(score, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "share"), [(1, 0.5), (2, 0.02)])
def test_planted_singles_and_pairs_are_found(seed, share):
    bins, positive, negative, n_bins = planted(seed, share)
    found = additive_model.boost(bins, positive, negative, n_bins, ridge=1.0).score(bins)
    start = np.full(len(bins), math.log(positive.sum() / negative.sum()))
    best = np.log(np.maximum(positive, 0.5) / np.maximum(negative, 0.5))
    span = [loss(positive, negative, s) for s in (start, found, best)]
    assert span[0] - span[1] > 0.9 * (span[0] - span[2])


@pytest.mark.parametrize("share", [0.5, 0.1, 0.004, 0.0005])
def test_the_loss_never_rises_however_rare_the_positives(share):
    history = losses(*planted(5, share, n=2_000_000), rounds=11)
    assert len(history) == 12
    assert (np.diff(history) <= 1e-9 * history[0]).all()
    assert history[-1] < history[0]


@pytest.mark.slow
@MODERATE
@given(problems(most=100_000), st.sampled_from([0.01, 1.0, 5.0]), st.sampled_from([0.15, 0.5]))
def test_the_loss_never_rises_whatever_the_counts(problem, ridge, rate):
    history = losses(*problem, rounds=8, rate=rate, ridge=ridge, least=0.1)
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
    assert boosted(*problem, rounds=6, least=0.01, pairs=some).pairs.keys() <= some
    free, whole = (boosted(*problem, rounds=6, least=0.01, pairs=pairs) for pairs in (None, every))
    assert (free.score(problem[0]) == whole.score(problem[0])).all()
