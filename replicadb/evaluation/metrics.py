"""How good a ranking of pairs is: area under the curve, hits at a false-positive rate, precision.

Always true here: examples with equal scores are never told apart. A threshold stands between two
distinct scores, never inside a tie, so no result depends on the order of the input. NumPy only.
Source: docs/method.md#metrics, paper §4.1.3.
"""

from __future__ import annotations

import numpy as np

from replicadb.errors import UsageError


def roc_curve(scores, labels, weights=None) -> tuple[np.ndarray, np.ndarray]:
    """The ROC curve's corners, one for each distinct score.

    Args:
        scores: (n,) floats, higher is more likely a replica.
        labels: (n,) bool, true for replicas.
        weights: (n,) how many examples each row stands for; None is one each.

    Returns:
        ``(fpr, tpr)``, each (k + 1,) float64 for k distinct scores, from (0, 0) to (1, 1), never
        falling.

    Raises:
        UsageError: lengths differ, a score is NaN, a weight is negative, or one class has no
            weight.
    """
    false, true = _both_classes(scores, labels, weights)
    return false / false[-1], true / true[-1]


def roc_auc(scores, labels, weights=None) -> float:
    """Probability that a random replica scores above a random non-replica; ties count half. Args as
    roc_curve.
    """
    false, true = _both_classes(
        scores, labels, weights
    )  # counts, so that the sum is exact without weights
    return float(np.sum(np.diff(false) * (true[1:] + true[:-1])) / (2 * false[-1] * true[-1]))


def tpr_at_fpr(scores, labels, fpr: float, weights=None) -> float:
    """True-positive rate at a false-positive rate.

    Between two distinct scores the curve is a straight line (a tie is passed at random), where it
    rises upright the top is taken.

    Args:
        scores, labels, weights: as roc_curve.
        fpr: in [0, 1].
    """
    if not 0 <= fpr <= 1:
        raise UsageError(f"a false-positive rate is in [0, 1], not {fpr}")
    x, y = roc_curve(scores, labels, weights)
    last = int(np.searchsorted(x, fpr, side="right")) - 1
    if last == len(x) - 1 or x[last] == fpr:
        return float(y[last])
    share = (fpr - x[last]) / (x[last + 1] - x[last])
    return float(y[last] + share * (y[last + 1] - y[last]))


def average_precision(scores, labels, weights=None) -> float:
    """Sum over distinct scores of precision there times the recall gained there (no interpolation).

    Args as roc_curve; only replicas must be present.
    """
    false, true = _cumulated(*_checked(scores, labels, weights))
    if not true[-1] > 0:
        raise UsageError("average precision needs at least one replica")
    found = true + false
    precision = np.divide(true, found, out=np.zeros_like(true), where=found > 0)
    return float(np.sum(np.diff(true, prepend=0.0) * precision) / true[-1])


def precision_at(scores, labels, n: int) -> float:
    """Share of replicas among the n highest scores; of a tie at the border, its expected value.

    Args:
        scores, labels: as roc_curve.
        n: at least 1; with fewer examples than n, all of them.
    """
    if n < 1:
        raise UsageError(f"precision is taken over 1 or more pairs, not {n}")
    false, true = _cumulated(*_checked(scores, labels, None))
    found = np.r_[0.0, false + true]
    return float(np.interp(min(n, found[-1]), found, np.r_[0.0, true]) / min(n, found[-1]))


def _both_classes(scores, labels, weights) -> tuple[np.ndarray, np.ndarray]:
    """False and true positives from none to all, (k + 1,) float64 each."""
    false, true = _cumulated(*_checked(scores, labels, weights))
    if not false[-1] > 0 or not true[-1] > 0:
        raise UsageError("a ROC curve needs examples of both classes")
    return np.r_[0.0, false], np.r_[0.0, true]


def _checked(scores, labels, weights) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    scores, labels = np.asarray(scores, np.float64), np.asarray(labels).astype(bool)
    weights = np.ones(len(scores)) if weights is None else np.asarray(weights, np.float64)
    if scores.ndim != 1 or scores.shape != labels.shape or scores.shape != weights.shape:
        raise UsageError(
            f"scores {scores.shape}, labels {labels.shape} and weights {weights.shape} must be of"
            " one length"
        )
    if len(scores) == 0 or np.isnan(scores).any():
        raise UsageError("scores must be numbers, and there must be some")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise UsageError("weights must be finite and not negative")
    return scores, labels, weights


def _cumulated(scores, labels, weights) -> tuple[np.ndarray, np.ndarray]:
    """False and true positives at each distinct score, highest first; (k,) float64 each."""
    order = np.lexsort(
        (weights, labels, -scores)
    )  # a total order, so that the sums are those of any input order
    scores, labels, weights = scores[order], labels[order], weights[order]
    ends = np.r_[np.flatnonzero(scores[1:] != scores[:-1]), len(scores) - 1]
    return np.cumsum(weights * ~labels)[ends], np.cumsum(weights * labels)[ends]
