"""Prior adjustment: what the obvious replicas of this crawl add to the prior's weights.

The prior is a table of likelihood ratios (``learning.prior``). Obvious replicas correct the weights
of single features. They count as positives as far as they can be believed: names err, since
translations stand under country suffixes, and how many of a crawl's obvious replicas are replicas
is estimated as the class prior is. All other candidates keep the probability that they had, so only
what the obvious replicas contradict moves. Obvious replicas are *defined* by their names, so the
caller leaves evidence of names out (docs/robust.md#why-robust). Without obvious replicas the
weights are the prior's.

Source: docs/robust.md#prior-adjustment; labels that may err as in Natarajan, Dhillon, Ravikumar and
Tewari (2013), "Learning with noisy labels".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from replicadb.arrays import Floats, Ints, Values, Whole
from replicadb.errors import UsageError
from replicadb.learning.additive_model import Tables
from replicadb.learning.class_prior import logistic

MAX_STEPS = 50
SHORT, SETTLED, LEAST_SIZE = 0.01, 1e-10, 1e-6
"""Match weight that a short step moves at most, and one after which nothing moves any more; and the
smallest part of a step that is tried.
"""
SLIGHT = 0.01
"""Patterns that together bend the loss by less than this part of the ridge are left out of the
curvature: nearly all of a large crawl are others beyond doubt. So each bin's curvature is right to
a hundredth, and steps lead to the same place.
"""


def adjust(
    bins: Values,
    log_odds: Values,
    obvious: Values,
    others: Values,
    n_bins: Sequence[int],
    strength: float = 30.0,
    believed: Values = 1.0,
) -> list[Floats]:
    """What the obvious replicas add to the weights of single features.

    Minimises over additions d, with s = log_odds + d, and for each class its own q,
    logistic(log_odds) for others and ``believed`` for obvious replicas: sum over both of [q ln(1 +
    e^-s) + (1 - q) ln(1 + e^s)] + strength / 2 |d|^2 (docs/robust.md#prior-adjustment).

    Args:
        bins: (n_patterns, n_features) ints, 0 for NULL, else 1 ... n_bins[j] - 1.
        log_odds: (n_patterns,) log odds of being a replica so far, the share of replicas in this
            crawl included.
        obvious, others: (n_patterns,) counts of obvious replicas and of all other candidates.
        strength: how many obvious replicas it takes, roughly, to move a bin's weight by one.
        believed: (n_patterns,) the probability that an obvious replica of that pattern is a
            replica; 1 takes names for proof.

    Returns:
        Per feature, (n_bins[j],) log odds to add; all 0 without obvious replicas.

    Raises:
        UsageError: shapes that do not fit, a bin out of range, negative counts, strength not above
            0.

    Complexity: O(n_patterns n_features^2) a Newton step; about six steps.
    """
    rows: Whole = np.asarray(bins)
    known: Floats = np.asarray(log_odds, float)
    named: Floats = np.asarray(obvious, float)
    rest: Floats = np.asarray(others, float)
    _check(rows, known, named, rest, n_bins, strength)
    start = np.concatenate([[0], np.cumsum(n_bins)]).astype(np.int64)
    change = np.zeros(start[-1])
    if named.sum():
        columns = np.add(rows.T, start[:-1, None], dtype=np.int32)
        met = np.zeros(start[-1], bool)  # bins without a pattern stay as they are
        met[columns] = True
        place = np.concatenate([[0], np.cumsum(met, dtype=np.int32)])
        against = rest * (1 - logistic(known)) + named * (1 - np.asarray(believed, float))
        loss = _Loss(place[columns], place[start], known, named + rest, against, strength)
        change[met] = _newton(loss)
    return [change[start[j] : start[j + 1]] for j in range(len(n_bins))]


class _Loss:
    """What :func:`adjust` minimises, with ln(1 + e^s) = s + ln(1 + e^-s).

    Args:
        columns: (n_features, n_patterns) places of the patterns' bins among all weights.
        start: (n_features + 1,) where each feature's weights begin, and where they all end.
        mass: (n_patterns,) all examples. against: (n_patterns,) the mass of 1 - q.
    """

    def __init__(
        self,
        columns: Whole,
        start: Ints,
        log_odds: Floats,
        mass: Floats,
        against: Floats,
        strength: float,
    ) -> None:
        self.columns, self.start, self.log_odds, self.strength = columns, start, log_odds, strength
        self.mass, self.against = mass, against

    def value(self, d: Floats) -> float:
        """The loss at the additions d, (d,)."""
        s = self.log_odds + _summed(self.columns, d)
        return float(
            self.mass @ (np.maximum(-s, 0) + np.log(1 + np.exp(-np.abs(s))))
            + self.against @ s
            + self.strength / 2 * d @ d
        )

    def slope(self, d: Floats) -> Floats:
        """(d,): how the loss rises at d."""
        p = logistic(self.log_odds + _summed(self.columns, d))
        rises = _gathered(self.columns, self.mass * (p - 1) + self.against, self.start)
        return rises + self.strength * d

    def curvature(self, d: Floats) -> Floats:
        """(d, d): how the loss bends at d."""
        p = logistic(self.log_odds + _summed(self.columns, d))
        bends = _curvature(
            self.columns, self.mass * p * (1 - p), self.start, SLIGHT * self.strength
        )
        return bends + self.strength * np.eye(len(d))


def _newton(loss: _Loss) -> Floats:
    """Where the loss is least, (d,): Newton's steps, halved until they gain, up to a short one;
    then steps by the curvature at hand. They end where they move nothing, not where the loss falls
    no more: its last digits differ from BLAS to BLAS, and what they decide shows in the sixth.
    """
    change = np.zeros(loss.start[-1])
    current = loss.value(change)
    for _ in range(MAX_STEPS):
        curvature = loss.curvature(change)
        step, size = -np.linalg.solve(curvature, loss.slope(change)), 1.0
        if np.abs(step).max() < SHORT:
            break
        while size > LEAST_SIZE and (value := loss.value(change + size * step)) > current:
            size /= 2
        if size <= LEAST_SIZE:
            break
        change, current = change + size * step, value
    moved = np.inf
    for _ in range(MAX_STEPS):
        step = -np.linalg.solve(curvature, loss.slope(change))
        if np.abs(step).max() >= moved:
            break
        change, moved = change + step, np.abs(step).max()
        if moved < SETTLED:
            break
    return change


def adjusted(tables: Tables, additions: list[Floats]) -> Tables:
    """The tables with something added to the weights of single features: additions as
    :func:`adjust` returns them, (n_bins,) for each feature.
    """
    return Tables(
        tables.n_bins,
        tables.intercept,
        [w + d for w, d in zip(tables.single, additions, strict=True)],
        dict(tables.pairs),
    )


def _summed(columns: Whole, d: Floats) -> Floats:
    """(n_patterns,) the weights of each pattern's bins, added up."""
    total = np.zeros(columns.shape[1])
    for column in columns:
        total += d[column]
    return total


def _gathered(columns: Whole, weight: Floats, start: Ints) -> Floats:
    """(d,) what the patterns in each bin weigh."""
    total = np.zeros(start[-1])
    for column in columns:
        total += np.bincount(column, weight, start[-1])
    return total


def _curvature(columns: Whole, weight: Floats, start: Ints, slight: float) -> Floats:
    """(d, d): how the loss bends, from counts of each two bins together; patterns of so slight a
    weight in all are left out.
    """
    result = np.zeros((int(start[-1]), int(start[-1])))
    rising = np.sort(weight)
    place = min(int(np.searchsorted(np.cumsum(rising), slight)), len(rising) - 1)
    counting = np.flatnonzero(weight >= rising[place])
    columns, weight = columns[:, counting], weight[counting]
    for j, first in enumerate(columns):
        for k in range(j, len(columns)):
            wide = int(start[k + 1] - start[k])
            block = np.bincount(
                (first - start[j]) * wide + columns[k] - start[k],
                weight,
                int(start[j + 1] - start[j]) * wide,
            )
            block = block.reshape(-1, wide)
            result[start[j] : start[j + 1], start[k] : start[k + 1]] = block
            result[start[k] : start[k + 1], start[j] : start[j + 1]] = block.T
    return result


def _check(
    bins: Whole,
    log_odds: Floats,
    obvious: Floats,
    others: Floats,
    n_bins: Sequence[int],
    strength: float,
) -> None:
    if (
        bins.ndim != 2
        or bins.shape != (len(obvious), len(n_bins))
        or not len(obvious) == len(others) == len(log_odds)
    ):
        raise UsageError(
            "bins must be (n_patterns, n_features) with one log odds and one count of each kind per"
            " pattern"
        )
    if (np.asarray(n_bins) < 2).any() or (bins < 0).any() or (bins >= np.asarray(n_bins)).any():
        raise UsageError(
            "a bin lies outside of its feature's bins; each feature has NULL's and one more at"
            " least"
        )
    if not (obvious >= 0).all() or not (others >= 0).all() or not strength > 0:
        raise UsageError("counts must not be negative, and the strength must be above 0")
