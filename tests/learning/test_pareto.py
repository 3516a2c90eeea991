"""Pareto ranking against its definition, pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.errors import UsageError
from replicadb.learning.pareto import dominance, frontier

from .sets import MODERATE

coordinate = st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0])
points = st.lists(st.tuples(coordinate, coordinate, st.integers(0, 4)), max_size=40)


def columns(rows):
    pu, nu, weights = np.array(rows, float).reshape(-1, 3).T
    return pu, nu, weights.astype(np.int64)


def dominates(pu, nu):
    """(n, n) bool by Definition 3.4."""
    at_least = (pu[:, None] >= pu) & (nu[:, None] >= nu)
    return at_least & ((pu[:, None] > pu) | (nu[:, None] > nu))


@MODERATE
@given(points)
def test_dominance_counts_the_candidates_below_on_both_scores(rows):
    pu, nu, weights = columns(rows)
    assert dominance(pu, nu, weights).tolist() == (dominates(pu, nu) @ weights).tolist()
    assert dominance(pu, nu).tolist() == dominates(pu, nu).sum(axis=1).tolist()


@MODERATE
@given(points)
def test_the_frontier_holds_whom_nobody_dominates(rows):
    pu, nu, _ = columns(rows)
    assert frontier(pu, nu).tolist() == (~dominates(pu, nu).any(axis=0)).tolist()


@pytest.mark.parametrize("n", [1, 2, 3, 255, 256, 257, 1000])
def test_dominance_holds_for_distinct_points_of_any_number(n):
    rng = np.random.default_rng(n)
    pu, nu, weights = rng.random(n), rng.random(n), rng.integers(0, 10**12, n)
    assert (dominance(pu, nu, weights) == dominates(pu, nu) @ weights).all()
    assert (frontier(pu, nu) == ~dominates(pu, nu).any(axis=0)).all()


def test_equal_points_do_not_dominate_each_other():
    assert dominance([0.5, 0.5, 0.5], [0.1, 0.1, 0.1]).tolist() == [0, 0, 0]
    assert frontier([0.5, 0.5], [0.1, 0.1]).tolist() == [True, True]


def test_replicated_rows_are_weights():
    rng = np.random.default_rng(5)
    pu, nu, weights = rng.integers(0, 9, 60), rng.integers(0, 9, 60), rng.integers(1, 5, 60)
    repeated = np.repeat(np.arange(60), weights)
    assert (dominance(pu[repeated], nu[repeated]) == dominance(pu, nu, weights)[repeated]).all()


def test_a_point_of_weight_0_gets_its_place_and_changes_no_other():
    pu, nu = np.array([0.1, 0.4, 0.9]), np.array([0.2, 0.5, 0.8])
    with_guest = dominance(np.append(pu, 0.5), np.append(nu, 0.6), [1, 1, 1, 0])
    assert with_guest.tolist() == [*dominance(pu, nu).tolist(), 2]


@pytest.mark.parametrize(
    "call",
    [
        lambda: dominance([0.1, 0.2], [0.1]),
        lambda: dominance([0.1, np.nan], [0.1, 0.2]),
        lambda: dominance([[0.1]], [[0.1]]),
        lambda: dominance(0.1, 0.1),
        lambda: dominance([0.1], [0.1], [-1]),
        lambda: dominance([0.1], [0.1], [0.5]),
        lambda: dominance([0.1], [0.1], [1, 1]),
        lambda: frontier([0.1], [np.nan]),
    ],
)
def test_a_call_that_cannot_be_meant_is_refused_in_one_line(call):
    with pytest.raises(UsageError) as error:
        call()
    assert str(error.value) and "\n" not in str(error.value)
