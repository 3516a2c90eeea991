"""RIPPER: published rules on Iris, planted rules found again, FOIL gain and description lengths
against slow references, missing values.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.learning import ripper
from replicadb.learning.ripper import exception_bits, subset_bits, theory_bits


def planted(n=800, seed=0, noise=0.0):
    random = np.random.default_rng(seed)
    values = random.random((n, 5))
    labels = (values[:, 0] < 0.3) & (values[:, 1] > 0.4) | (values[:, 2] > 0.9)
    return values, labels ^ (random.random(n) < noise)


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (0, [(2, True, 1.9)]),
        (2, [(3, False, 1.7)]),
    ],
)
def test_iris_gives_the_rules_that_jrip_prints(kind, rule):
    iris = pytest.importorskip("sklearn.datasets").load_iris()
    rules = ripper.fit(iris.data, iris.target == kind, seed=1).rules
    assert [tuple(c) for c in rules[0].conditions] == rule
    assert len(rules) == 1


def test_planted_rules_are_found_through_noise():
    values, labels = planted(2000, noise=0.03)
    rules = ripper.fit(values, labels)
    _, truth = planted(2000)
    assert (rules.predict(values) == truth).mean() > 0.97
    assert {c.column for rule in rules.rules for c in rule.conditions} == {0, 1, 2}


def test_every_threshold_is_a_value_of_the_training_data_and_counts_are_of_first_rules():
    values, labels = planted(500, seed=3, noise=0.05)
    rules = ripper.fit(values, labels)
    first = rules.first(values)
    for place, rule in enumerate(rules.rules):
        for c in rule.conditions:
            assert c.threshold in values[:, c.column]
        caught = first == place
        assert (rule.positive, rule.negative) == (labels[caught].sum(), (~labels[caught]).sum())


def test_the_same_seed_gives_the_same_rules_and_columns_in_other_units_the_same_answers():
    values, labels = planted(600, seed=5, noise=0.1)
    once, again = ripper.fit(values, labels, seed=7), ripper.fit(values, labels, seed=7)
    assert once == again
    scaled = ripper.fit(values * 1000 + 5, labels, seed=7)
    assert (scaled.predict(values * 1000 + 5) == once.predict(values)).all()


def test_a_condition_on_a_missing_value_is_false():
    values, labels = planted(400)
    rules = ripper.fit(values, labels)
    assert not rules.predict(np.full((3, 5), np.nan)).any()
    with_holes = values.copy()
    with_holes[::4, 0] = np.nan
    assert not (ripper.covers((ripper.Condition(0, True, 2.0),), with_holes)[::4]).any()
    assert ripper.fit(with_holes, labels).rules


@pytest.mark.parametrize("labels", [np.zeros(50, bool), np.ones(50, bool)])
def test_one_class_alone_gives_no_condition_that_lies(labels):
    values = np.random.default_rng(0).random((50, 2))
    rules = ripper.fit(values, labels)
    assert not rules.rules or labels.all()


def test_noise_gives_hardly_any_rule():
    random = np.random.default_rng(1)
    rules = ripper.fit(random.random((600, 4)), random.random(600) < 0.1)
    assert len(rules.rules) <= 1


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, math.nan]),
            st.sampled_from([0.0, 1.0, 2.0]),
            st.booleans(),
        ),
        min_size=6,
        max_size=40,
    )
)
def test_the_best_condition_is_that_of_a_slow_search(rows):
    values, labels = np.array([row[:2] for row in rows]), np.array([row[2] for row in rows])
    learner = ripper.Learner(values, labels, 0)
    best = learner.best_condition(np.ones(len(rows), bool))

    def gain(condition):
        held = ripper.covers((condition,), values)
        p, t = (held & labels).sum(), held.sum()
        if not p or t == len(labels) or t < 2:
            return -math.inf
        return p * (math.log2(p / t) - math.log2(labels.mean()))

    choices = [
        ripper.Condition(j, side, float(v))
        for j in range(2)
        for side in (True, False)
        for v in np.unique(values[:, j])
        if not math.isnan(v)
    ]
    if labels.all() or not labels.any() or max(map(gain, choices), default=-1) <= 1e-12:
        assert best is None or gain(best) <= 1e-12
    else:
        assert best is not None and gain(best) == pytest.approx(max(map(gain, choices)))


def test_description_lengths_by_hand():
    assert subset_bits(8, 4, 0.5) == pytest.approx(8)
    assert subset_bits(10, 0, 0.0) == 0
    assert theory_bits(0, 100) == 0
    assert theory_bits(2, 4) == pytest.approx(0.5 * (1 + 4))  # log2(2) + two of four
    assert theory_bits(3, 100) > theory_bits(2, 100) > theory_bits(1, 100)
    assert exception_bits(10, 5, 0, 0, 0.5) == pytest.approx(math.log2(16))
    assert (
        exception_bits(5, 10, 2, 1, 0.3)
        > exception_bits(5, 10, 1, 1, 0.3)
        > exception_bits(5, 10, 0, 0, 0.3)
    )
