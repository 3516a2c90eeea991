"""Cross-validation of a yes-or-no learner: folds, precision, recall and F, over several seeds.

Invariant: every example is judged once a seed, by a learner that has not seen it, nor any
example of its group; each fold has about the same share of both classes; the same seed gives the
same folds. Source: Huffman et al. (SIGIR 2007), section 5: ten folds, nine seeds, the model of
median F. They split pairs at random; here examples of one group stay together (pairs that share a
page, directly or by way of others), since a page on both sides of the split would give its twin
away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from replicadb.arrays import Bools, Floats, Ints

Predict = Callable[[Floats, Bools, int, Floats], tuple[Bools, Floats]]
"""(values, labels, seed, values to judge) -> (predicted (m,) bool, probability (m,) float)."""


class Score(NamedTuple):
    """How well a set of answers does; a rate whose denominator is 0 is 0."""

    precision: float
    recall: float
    f: float


class Validated(NamedTuple):
    """Cross-validation over several seeds."""

    median: int
    """Place of the seed with the median F."""
    scores: tuple[Score, ...]
    """Per seed, folds pooled."""
    probability: Floats
    """(n,) out-of-fold probability of the median seed."""

    @property
    def score(self) -> Score:
        """That of the median seed."""
        return self.scores[self.median]


def score(predicted: Bools, labels: Bools) -> Score:
    """Precision, recall and balanced F = 2PR / (P + R) of (n,) bool answers."""
    hit, p, n = int((predicted & labels).sum()), int(predicted.sum()), int(labels.sum())
    return Score(hit / p if p else 0.0, hit / n if n else 0.0, 2 * hit / (p + n) if p + n else 0.0)


def folds(labels: Bools, groups: Ints, k: int, seed: int) -> Ints:
    """The fold of each example, (n,) int in 0 to k - 1.

    Args:
        labels: (n,) bool.
        groups: (n,) int, examples of one number stay together.

    Groups with positives and those without are dealt apart, in random order, each fold an equal
    share of positives and of examples.
    """
    random = np.random.default_rng(seed)
    _, at = np.unique(groups, return_inverse=True)
    at = at.reshape(-1)
    size, positive = np.bincount(at), np.bincount(at, weights=labels)
    fold = np.zeros(len(size), np.int64)
    for chosen, weight in ((positive > 0, positive), (positive == 0, size)):
        order = random.permutation(np.flatnonzero(chosen))
        middle = np.cumsum(weight[order]) - weight[order] / 2
        fold[order] = np.minimum((middle * k / max(weight[order].sum(), 1)).astype(np.int64), k - 1)
    return fold[at]


def validate(
    values: Floats,
    labels: Bools,
    groups: Ints,
    predict: Predict,
    k: int = 10,
    seeds: int = 9,
    seed: int = 0,
) -> Validated:
    """Cross-validate.

    Args:
        values: (n, f). labels: (n,) bool. groups: (n,) int.
        predict: learns and judges.
        k: folds. seeds: repetitions, from ``seed`` on.
    """
    scores, probabilities = [], []
    for one in range(seed, seed + seeds):
        fold = folds(labels, groups, k, one)
        predicted, probability = np.zeros(len(labels), bool), np.zeros(len(labels))
        for part in range(k):
            test = fold == part
            if test.any():
                predicted[test], probability[test] = predict(
                    values[~test], labels[~test], one, values[test]
                )
        scores.append(score(predicted, labels))
        probabilities.append(probability)
    median = sorted(range(seeds), key=lambda i: (scores[i].f, i))[(seeds - 1) // 2]
    return Validated(median, tuple(scores), probabilities[median])


def curve(probability: Floats, labels: Bools) -> Floats:
    """Precision over recall as the threshold falls: (m, 3) rows of recall, precision, threshold,
    one for each distinct probability.
    """
    order = np.argsort(-probability, kind="stable")
    p, hit = probability[order], np.cumsum(labels[order])
    last = np.flatnonzero(np.append(np.diff(p) != 0, True)) if len(p) else np.zeros(0, np.int64)
    return np.column_stack([hit[last] / max(int(labels.sum()), 1), hit[last] / (last + 1), p[last]])
