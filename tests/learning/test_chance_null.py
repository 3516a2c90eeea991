"""The null of chance sharing against slow references, and where it is heard."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.learning import chance_null
from replicadb.learning.chance_null import Counts


def counts(strength) -> Counts:
    values, n = np.unique(np.round(strength, 6), return_counts=True)
    return Counts(values, n.astype(float))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 10)), min_size=1, max_size=12))
def test_the_falling_sequence_is_the_nearest_one(pairs):
    """Against the min-max formula of isotonic regression, by loops."""
    values, weights = (np.array(column) for column in zip(*pairs, strict=True))
    n = len(values)

    def mean(i: int, j: int) -> float:
        return float(np.average(values[i : j + 1], weights=weights[i : j + 1]))

    expected = [min(max(mean(i, j) for j in range(k, n)) for i in range(k + 1)) for k in range(n)]
    found = chance_null.falling(values, weights)
    assert found == pytest.approx(expected)
    assert (np.diff(found) <= 1e-12).all()


@given(st.lists(st.floats(-5, 20), max_size=30), st.floats(-6, 21))
def test_above_counts_what_is_as_strong(strengths, least):
    found = counts(strengths).above(np.array([least]))
    assert found[0] == sum(np.round(strengths, 6) >= least) if strengths else found[0] == 0


def test_where_candidates_are_no_more_than_chance_the_prior_has_run_away():
    rng = np.random.default_rng(1)
    found = chance_null.compared(counts(rng.normal(2, 2, 5000)), counts(rng.normal(2, 2, 5500)), 1)
    assert found.ran_away and found.even > 4
    assert found.above_chance < 250


def test_copies_among_chance_stand_where_they_were_put():
    rng = np.random.default_rng(2)
    chance, copies = rng.normal(0, 1.5, 20_000), rng.normal(9, 1, 500)
    candidates = counts(np.concatenate([chance, copies]))
    decoys = counts(rng.normal(0, 1.5, 20_000))
    assert 4 < chance_null.even(candidates, decoys) < 8
    found = chance_null.compared(candidates, decoys, 0)
    assert not found.ran_away and found.even == -np.inf
    scatter = 3 * np.sqrt(2 * 20_000)  # of two counts of 20,000
    assert 475 < found.above_chance < 500 + scatter


def test_few_decoys_leave_the_prior_alone():
    rng = np.random.default_rng(3)
    found = chance_null.compared(counts(rng.normal(5, 1, 500)), counts(rng.normal(-2, 1, 500)), 1)
    assert not found.ran_away and found.even == -np.inf


def test_no_decoy_at_all_says_nothing():
    none = Counts(np.zeros(0), np.zeros(0))
    found = chance_null.compared(counts([1.0, 2.0]), none, 0.0)
    assert (found.even, found.ran_away, found.above_chance) == (-np.inf, False, 2)
