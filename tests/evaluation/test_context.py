"""What the methods of an evaluation share: candidates, labels, folds."""

from __future__ import annotations

import numpy as np
import pytest

from replicadb.evaluation.context import find_pairs, hashed

pytestmark = pytest.mark.slow


def test_groups_lie_in_one_fold_and_folds_are_even(context):
    rows = context.truth
    groups = context.gold.group[context.gold_row[rows]]
    for group in np.unique(groups):
        hosts = np.unique(
            np.concatenate([context.a[rows][groups == group], context.b[rows][groups == group]])
        )
        with_them = np.isin(context.a, hosts)
        assert len(np.unique(context.group_fold[with_them])) == 1
    sizes = np.bincount(context.pair_fold, minlength=context.n_folds)
    assert sizes.min() > 0.7 * context.n / context.n_folds


def test_hashes_are_spread_and_depend_on_the_seed():
    a, b = np.repeat(np.arange(100), 100), np.tile(np.arange(100), 100)
    assert len(np.unique(hashed(a, b, 0))) == 10_000
    assert (
        abs(np.corrcoef(hashed(a, b, 0).astype(float), hashed(a, b, 1).astype(float))[0, 1]) < 0.05
    )


def test_pairs_are_found_and_others_are_not():
    low, high = np.array([1, 5, -1, 2]), np.array([2, 9, -1, 3])
    assert find_pairs(np.array([5, 2, 1, 7]), np.array([9, 3, 3, 8]), low, high).tolist() == [
        1,
        3,
        -1,
        -1,
    ]
