"""Best entropy cuts: the worked example, Eq. 6 and 7 by hand, and every fast path against a plain
scan.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from conftest import rest_slow
from hypothesis import given
from hypothesis import strategies as st

from replicadb.errors import UsageError
from replicadb.learning.entropy import (
    OneCut,
    entropy,
    own_cuts,
    projected_cuts,
    split_entropy,
)
from replicadb.learning.rules import RulePool

from . import reference
from .sets import FEW, MODERATE, collapse, random_patterns, training_sets

TIES = ("smallest", "largest")
TABLE_1 = RulePool.from_patterns(*collapse(reference.TABLE_1))
X = np.array([reference.TABLE_1_X])


def rounded(fraction: str) -> float:
    return round(float(Fraction(fraction)), 12)


@pytest.mark.parametrize("ties", TIES)
def test_the_own_cut_of_the_worked_example_is_perfect(ties):
    cuts = own_cuts(TABLE_1, X, ties=ties)
    assert cuts.cut.tolist() == [rounded("527/1383")] and cuts.entropy.tolist() == [0.0]
    assert cuts.left.tolist() == [[0, 3]] and cuts.right.tolist() == [[3, 0]]


@pytest.mark.parametrize(("ties", "cut"), [("smallest", "497/1544"), ("largest", "161/405")])
def test_the_projected_cut_of_the_worked_example_is_a_tie(ties, cut):
    cuts = projected_cuts(TABLE_1, X, ties=ties)
    assert cuts.cut.tolist() == [rounded(cut)]
    assert round(cuts.entropy[0], 6) == 0.374890


def test_entropy_is_that_of_equation_6():
    assert entropy([3, 1]) == pytest.approx(
        -(0.75 * math.log(0.75) + 0.25 * math.log(0.25)), abs=1e-15
    )
    assert entropy([[0, 0], [5, 0], [0, 1]]).tolist() == [0.0, 0.0, 0.0]
    assert entropy([1, 1]) == pytest.approx(math.log(2), abs=1e-15)


def test_split_entropy_is_that_of_equation_7():
    wanted = 4 / 10 * float(entropy([3, 1])) + 6 / 10 * float(entropy([2, 4]))
    assert split_entropy(np.array([3, 1]), np.array([5, 5])) == pytest.approx(wanted, abs=1e-15)


def test_split_entropy_is_the_same_to_the_last_bit_when_sides_or_classes_change_places():
    rng = np.random.default_rng(1)
    total = rng.integers(1, 10**6, (2000, 2))
    left = rng.integers(0, total + 1)
    value = split_entropy(left, total)
    assert (split_entropy(total - left, total) == value).all()
    assert (split_entropy(left[:, ::-1], total[:, ::-1]) == value).all()


def cut_of_list(examples, ties="smallest"):
    """The best cut of [(alpha, label)], all in D_x: patterns that share one item."""
    bins = [[0, i] for i in range(len(examples))]
    counts = np.eye(2, dtype=int)[[label for _, label in examples]]
    pool = RulePool.from_patterns(bins, counts)
    found = own_cuts(pool, [[0, 99]], alpha=[a for a, _ in examples], ties=ties)
    return float(found.cut[0]), float(found.entropy[0])


scored = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), st.integers(0, 1)),
    min_size=1,
    max_size=20,
)


@pytest.mark.slow
@MODERATE
@given(scored, st.sampled_from(TIES))
def test_the_best_cut_of_a_list_equals_the_slow_reference(examples, ties):
    cut, e = cut_of_list(examples, ties)
    wanted = reference.cut_of_list(examples, ties)
    assert (cut, e) == wanted if wanted[0] is not None else math.isnan(cut) and math.isnan(e)


def test_equal_cuts_go_to_the_one_that_moves_fewer_labels():
    examples = [(0.1, 1), (0.2, 0), (0.3, 1), (0.4, 0)]
    assert cut_of_list(examples)[0] == 0.1 and cut_of_list(examples, "largest")[0] == 0.3


@pytest.mark.parametrize(
    "examples",
    [
        [(0.5, 0), (0.5, 1)],
        [(0.1, 0), (0.1, 0), (0.9, 0)],
        [(0.1, 0), (0.1, 1)],
    ],
)
def test_one_class_or_one_alpha_gives_no_cut(examples):
    cut, e = cut_of_list(examples)
    assert math.isnan(cut) and math.isnan(e)


@pytest.mark.slow
@MODERATE
@given(
    training_sets(max_examples=18),
    st.sampled_from(TIES),
    st.sampled_from(["own", "projected"]),
    st.integers(1, 2),
)
def test_cuts_equal_the_slow_reference(examples, ties, reading, min_support):
    bins, counts = collapse(examples)
    pool = RulePool.from_patterns(bins, counts, min_support=min_support)
    cuts = (own_cuts if reading == "own" else projected_cuts)(pool, ties=ties)
    for i, x in enumerate(bins.tolist()):
        f, e = reference.cut(examples, x, reading, ties, min_support)
        assert (
            (cuts.cut[i] == f and cuts.entropy[i] == e) if f is not None else np.isnan(cuts.cut[i])
        )


def scan(pool, x, ties):
    """own_cuts without its short cut: every candidate of every x, through the list of D_x."""
    alpha, counts = pool.alpha(), pool.counts
    near = ((pool.bins == x).any(axis=1)) & (counts.sum(axis=1) > 0)
    alpha, counts = alpha[near], counts[near]
    total, candidates = counts.sum(axis=0), np.unique(alpha)[:-1]
    if not len(candidates) or not total.all():
        return math.nan, math.nan, None, total
    lefts = np.array([counts[alpha <= f].sum(axis=0) for f in candidates])
    values = np.round(split_entropy(lefts, total), 12)
    best = np.flatnonzero(values == values.min())[0 if ties == "smallest" else -1]
    return candidates[best], values[best], lefts[best], total


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(
    ("n", "n_bins", "heavy", "n_features"),
    rest_slow(
        [
            (60, 3, 2, 3),
            (250, 200, 5, 2),
            (250, 6, 10**6, 4),
        ],
        2,
    ),
)
def test_own_cuts_that_skip_segments_equal_a_scan_of_every_candidate(
    n, n_bins, heavy, n_features, ties
):
    pool = RulePool.from_patterns(*random_patterns(n, n + heavy, n_features, n_bins, heavy))
    cuts = own_cuts(pool, ties=ties)
    for i, x in enumerate(pool.bins):
        cut, e, left, total = scan(pool, x, ties)
        if math.isnan(cut):
            assert np.isnan(cuts.cut[i]) and np.isnan(cuts.entropy[i])
        else:
            assert (cuts.cut[i], cuts.entropy[i]) == (cut, e)
            assert (cuts.left[i] == left).all() and (cuts.left[i] + cuts.right[i] == total).all()


@FEW
@given(training_sets(max_examples=10), st.sampled_from(TIES), st.permutations(range(10)))
def test_cuts_do_not_depend_on_the_order_of_patterns(examples, ties, places):
    bins, counts = collapse(examples)
    order = [p for p in places if p < len(bins)]
    here, there = (
        RulePool.from_patterns(bins, counts),
        RulePool.from_patterns(bins[order], counts[order]),
    )
    for cuts in (own_cuts, projected_cuts):
        np.testing.assert_array_equal(cuts(here, ties=ties).cut[order], cuts(there, ties=ties).cut)


def test_patterns_without_examples_are_in_no_list():
    bins, counts = random_patterns(200, 11)
    empty = np.vstack([bins, [[0, 1, 2, 3, 99], [99, 0, 0, 0, 0]]])
    with_empty = RulePool.from_patterns(empty, np.vstack([counts, [[0, 0], [0, 0]]]))
    pool = RulePool.from_patterns(bins, counts)
    for cuts in (own_cuts, projected_cuts):
        np.testing.assert_array_equal(cuts(with_empty, bins).cut, cuts(pool).cut)


def test_a_pattern_that_shares_nothing_has_no_cut():
    for cuts in (own_cuts, projected_cuts):
        found = cuts(TABLE_1, [[9, 9, 300, 9, 9]])
        assert np.isnan(found.cut).all() and (found.left == 0).all() and (found.right == 0).all()


def test_asking_for_no_pattern_gives_no_cut():
    none = np.zeros((0, 5), int)
    for cuts in (own_cuts(TABLE_1, none), projected_cuts(TABLE_1, none)):
        assert cuts.cut.shape == (0,) and cuts.left.shape == (0, 2)


def test_a_pool_without_examples_has_no_cut():
    pool = RulePool.from_patterns([[0, 1], [1, 1]], [[0, 0], [0, 0]])
    assert np.isnan(own_cuts(pool).cut).all() and np.isnan(projected_cuts(pool).cut).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda: own_cuts(TABLE_1, ties="first"),
        lambda: projected_cuts(TABLE_1, ties=None),
        lambda: own_cuts(TABLE_1, [[1, 2]]),
        lambda: projected_cuts(TABLE_1, [[1, 2]]),
        lambda: own_cuts(TABLE_1, alpha=[0.5]),
    ],
)
def test_a_call_that_cannot_be_meant_is_refused_in_one_line(call):
    with pytest.raises(UsageError) as error:
        call()
    assert str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("ties", ["smallest", "largest"])
def test_a_cut_for_one_example_is_the_one_among_many(ties):
    draw = np.random.default_rng(5)
    for _ in range(20):
        bins = np.unique(draw.integers(0, 3, (30, 4)), axis=0)
        counts = draw.integers(0, 4, (len(bins), 2)) * draw.integers(0, 2, (len(bins), 1))
        pool = RulePool.from_patterns(bins, counts)
        alpha, one = pool.alpha(), OneCut(pool, ties)
        expected = own_cuts(pool, ties=ties).cut
        found = [one.cut(row, alpha, pool.counts) for row in range(len(bins))]
        assert np.array_equal(found, expected, equal_nan=True)
