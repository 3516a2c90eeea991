"""Metrics against brute force over all pairs and all thresholds."""

import numpy as np
import pytest

from replicadb.errors import UsageError
from replicadb.evaluation.metrics import (
    average_precision,
    precision_at,
    roc_auc,
    roc_curve,
    tpr_at_fpr,
)


def examples(seed: int, n: int = 60, levels: int = 12):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.3
    labels[:2] = [True, False]
    return rng.integers(0, levels, n) / levels + 0.2 * (labels & (rng.random(n) < 0.5)), labels


@pytest.mark.parametrize("seed", range(20))
def test_auc_is_the_share_of_pairs_in_order_with_ties_half(seed):
    scores, labels = examples(seed)
    difference = scores[labels][:, None] - scores[~labels][None, :]
    assert roc_auc(scores, labels) == pytest.approx(
        np.mean((difference > 0) + 0.5 * (difference == 0)), abs=1e-12
    )


@pytest.mark.parametrize("seed", range(20))
def test_tpr_at_fpr_lies_on_the_line_between_two_thresholds(seed):
    scores, labels = examples(seed)
    for fpr in (0.0, 0.001, 0.05, 0.3, 0.77, 1.0):
        corners = [
            (np.mean(scores[~labels] >= t), np.mean(scores[labels] >= t))
            for t in [np.inf, *np.unique(scores)]
        ]
        below = max((c for c in corners if c[0] <= fpr), key=lambda c: (c[0], c[1]))
        above = min((c for c in corners if c[0] > fpr), default=below, key=lambda c: (c[0], c[1]))
        width = above[0] - below[0]
        expected = below[1] + (above[1] - below[1]) * ((fpr - below[0]) / width if width else 0)
        assert tpr_at_fpr(scores, labels, fpr) == pytest.approx(expected, abs=1e-12)


def test_equal_scores_for_all_give_the_diagonal():
    labels = np.array([True, False, False, True])
    assert roc_auc(np.zeros(4), labels) == 0.5
    assert tpr_at_fpr(np.zeros(4), labels, 0.25) == 0.25
    assert average_precision(np.zeros(4), labels) == 0.5
    assert precision_at(np.zeros(4), labels, 3) == 0.5


def test_a_perfect_ranking_is_perfect():
    scores, labels = np.arange(10.0), np.arange(10) >= 7
    assert (
        roc_auc(scores, labels),
        tpr_at_fpr(scores, labels, 0.0),
        average_precision(scores, labels),
    ) == (1.0, 1.0, 1.0)
    assert precision_at(scores, labels, 3) == 1.0 and precision_at(scores, labels, 99) == 0.3


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_repeated_rows(seed):
    scores, labels = examples(seed)
    weights = np.random.default_rng(seed).integers(0, 4, len(scores))
    weights[:2] = 1
    rows = np.repeat(np.arange(len(scores)), weights)
    for metric in (roc_auc, average_precision, lambda *a: tpr_at_fpr(*a[:2], 0.1, *a[2:])):
        assert metric(scores, labels, weights) == pytest.approx(
            metric(scores[rows], labels[rows]), abs=1e-12
        )


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_rows_does_not_matter(seed):
    scores, labels = examples(seed)
    weights = np.random.default_rng(seed).random(len(scores))
    other = np.random.default_rng(seed + 1).permutation(len(scores))
    assert roc_auc(scores, labels, weights) == roc_auc(scores[other], labels[other], weights[other])


@pytest.mark.parametrize("seed", range(5))
def test_reversing_the_scores_mirrors_the_curve(seed):
    scores, labels = examples(seed)
    assert roc_auc(-scores, labels) == pytest.approx(1 - roc_auc(scores, labels), abs=1e-12)
    fpr, tpr = roc_curve(scores, labels)
    assert (np.diff(fpr) >= 0).all() and (np.diff(tpr) >= 0).all() and (fpr[-1], tpr[-1]) == (1, 1)


@pytest.mark.parametrize("seed", range(10))
def test_average_precision_sums_precision_at_each_distinct_score(seed):
    scores, labels = examples(seed)
    expected = (
        sum(
            np.mean(labels[scores >= t]) * np.sum(labels & (scores == t)) for t in np.unique(scores)
        )
        / labels.sum()
    )
    assert average_precision(scores, labels) == pytest.approx(expected, abs=1e-12)


def test_precision_at_is_the_mean_over_all_orders_of_a_tie():
    rng = np.random.default_rng(0)
    scores, labels = examples(3)
    tops = []
    for _ in range(4000):
        order = rng.permutation(len(scores))
        tops.append(labels[order][np.argsort(-scores[order], kind="stable")][:17].mean())
    assert precision_at(scores, labels, 17) == pytest.approx(np.mean(tops), abs=0.01)


@pytest.mark.parametrize(
    "call",
    [
        lambda: roc_auc([1.0, 2.0], [True, True]),
        lambda: roc_auc([], []),
        lambda: roc_auc([1.0, np.nan], [True, False]),
        lambda: roc_auc([1.0, 2.0, 3.0], [True, False]),
        lambda: roc_auc([1.0, 2.0], [True, False], [1.0, -1.0]),
        lambda: tpr_at_fpr([1.0, 2.0], [True, False], 1.5),
        lambda: average_precision([1.0], [False]),
        lambda: precision_at([1.0], [True], 0),
    ],
)
def test_what_cannot_be_measured_is_refused(call):
    with pytest.raises(UsageError):
        call()
