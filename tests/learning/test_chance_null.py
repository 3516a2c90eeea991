"""The null of chance sharing against counts by loops."""

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


@pytest.mark.slow
@given(st.lists(st.floats(-5, 20), max_size=30), st.floats(-6, 21))
def test_above_counts_what_is_as_strong(strengths, least):
    found = counts(strengths).above(np.array([least]))
    assert found[0] == sum(np.round(strengths, 6) >= least) if strengths else found[0] == 0


def test_above_chance_is_the_greatest_surplus():
    rng = np.random.default_rng(2)
    chance, copies = rng.normal(0, 1.5, 20_000), rng.normal(9, 1, 500)
    candidates = counts(np.concatenate([chance, copies]))
    found = chance_null.above_chance(candidates, counts(rng.normal(0, 1.5, 20_000)))
    scatter = 3 * np.sqrt(2 * 20_000)  # of two counts of 20,000
    assert 475 < found < 500 + scatter


def test_without_decoys_every_candidate_that_evidence_speaks_for_is_above_chance():
    none = Counts(np.zeros(0), np.zeros(0))
    assert chance_null.above_chance(counts([0.0, 2.0, -0.5, -9.0]), none) == 2


def test_many_weak_candidates_hide_no_few_strong_ones():
    """A fifth more weak candidates than decoys, which are of others that share by structure, are
    not taken for replicas.
    """
    weak, strong = np.full(120_000, -1.0), np.full(40, 8.0)
    candidates = counts(np.concatenate([weak, strong]))
    assert chance_null.above_chance(candidates, counts(np.full(100_000, -1.0))) == 40


def test_others_are_nearly_as_many_as_decoys_where_these_are_many():
    least = chance_null.surely(np.array([0.0, 1.0, 4.0, 100.0, 1e6]))
    assert least == pytest.approx([0, 0, 0, 60, 897_000])


def test_decoys_as_many_as_candidates_leave_none():
    both = counts(np.random.default_rng(3).normal(2, 1, 500))
    assert chance_null.above_chance(both, both) == 0
