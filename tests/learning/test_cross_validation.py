"""Folds, scores and thresholds against slow references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.learning import cross_validation


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=80),
    st.integers(2, 10),
    st.integers(0, 5),
)
def test_groups_stay_together_and_folds_repeat(rows, k, seed):
    groups, labels = np.array([g for g, _ in rows]), np.array([y for _, y in rows])
    fold = cross_validation.folds(labels, groups, k, seed)
    assert ((fold >= 0) & (fold < k)).all()
    assert all(len(set(fold[groups == g])) == 1 for g in set(groups.tolist()))
    assert (fold == cross_validation.folds(labels, groups, k, seed)).all()


def test_folds_of_single_examples_are_stratified():
    labels = np.arange(1000) < 100
    fold = cross_validation.folds(labels, np.arange(1000), 10, 3)
    assert (np.bincount(fold) == 100).all() and (np.bincount(fold[labels]) == 10).all()


def test_score_by_hand():
    said, labels = np.array([1, 1, 1, 0, 0], bool), np.array([1, 1, 0, 1, 0], bool)
    assert cross_validation.score(said, labels) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert cross_validation.score(np.zeros(5, bool), labels) == (0, 0, 0)


def test_no_example_is_judged_by_a_learner_that_has_seen_its_group():
    groups = np.repeat(np.arange(30), 3)
    values, labels = groups[:, None].astype(float), groups % 3 == 0

    def spy(train, _, __, asked):
        assert not set(train[:, 0]) & set(asked[:, 0])
        return asked[:, 0] % 3 == 0, asked[:, 0]

    found = cross_validation.validate(values, labels, groups, spy, 5, 3)
    assert found.score.f == 1 and (found.probability == groups).all()


def test_the_curve_ends_at_full_recall():
    curve = cross_validation.curve(
        np.array([0.9, 0.9, 0.4, 0.1]), np.array([True, False, True, False])
    )
    assert curve[:, :2].tolist() == [[0.5, 0.5], [1.0, 2 / 3], [1.0, 0.5]]
