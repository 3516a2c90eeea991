"""The tree as data: the same answers as the library that grew it, pruned as C4.5 prunes, missing
values, counts.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.learning import decision_tree


def data(seed=0, n=400, missing=0.1):
    random = np.random.default_rng(seed)
    values = random.integers(0, 20, (n, 4)) / 4
    labels = (values[:, 0] + values[:, 1] > 5) ^ (random.random(n) < 0.1)
    values[random.random(values.shape) < missing] = np.nan
    return values, labels


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.2]))
def test_unpruned_it_answers_as_the_library_does(seed, missing):
    sklearn_tree = pytest.importorskip("sklearn.tree")
    values, labels = data(seed, 120, missing)
    grown = sklearn_tree.DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=2, random_state=0
    ).fit(values, labels)
    asked, _ = data(seed + 1, 50, missing)
    shares = grown.predict_proba(asked)[:, 1]
    assert (decision_tree.grow(values, labels).predict(asked) == (shares > 0.5)).all()


def test_pruning_leaves_a_smaller_tree_that_is_no_worse_on_new_data():
    values, labels = data(1)
    whole, pruned = (
        decision_tree.grow(values, labels),
        decision_tree.fit(values, labels),
    )
    asked, truth = data(2, 2000)
    assert pruned.size() < whole.size() / 2
    assert (pruned.predict(asked) == truth).mean() >= (whole.predict(asked) == truth).mean()


def test_counts_are_of_the_training_examples():
    values, labels = data(4)
    nodes = decision_tree.fit(values, labels)
    leaf = nodes.leaves(values)
    for node in np.unique(leaf):
        assert (nodes.positive[node], nodes.negative[node]) == (
            labels[leaf == node].sum(),
            (~labels[leaf == node]).sum(),
        )
    assert nodes.positive[0] == labels.sum()


@pytest.mark.parametrize(
    ("total", "errors", "added"),
    [
        (6, 0, 6 * (1 - 0.25 ** (1 / 6))),
        (9, 0, 9 * (1 - 0.25 ** (1 / 9))),
        (1, 0, 0.75),
        (2, 2, 0.0),
    ],
)
def test_the_errors_that_quinlan_adds(total, errors, added):
    """The first two are the worked example in C4.5 (1993), section 4.2: U(0, 6) = 0.206, U(0, 9) =
    0.143.
    """
    assert decision_tree.added_errors(total, errors) == pytest.approx(added)


def test_the_upper_limit_grows_with_errors_and_shrinks_with_evidence():
    assert decision_tree.added_errors(16, 1) + 1 == pytest.approx(
        16 * 0.157, abs=0.4
    )  # Quinlan: U(1, 16) = 0.157
    assert decision_tree.added_errors(100, 10) / 100 < decision_tree.added_errors(10, 1) / 10


@pytest.mark.parametrize("labels", [np.zeros(4, bool), np.ones(4, bool)])
def test_one_class_is_one_leaf(labels):
    nodes = decision_tree.fit(np.zeros((4, 2)), labels)
    assert nodes.size() == 1 and (nodes.predict(np.zeros((2, 2))) == labels[:2]).all()
