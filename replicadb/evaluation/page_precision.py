"""Precision and recall of a score by its thresholds, and where they break even.

Invariant: what is not finite is never found, and counts in recall. Source: the RP + HM paper
(2003), section 3 (break-even point).
"""

from __future__ import annotations

import numpy as np

from replicadb.arrays import Bools, Floats
from replicadb.errors import UsageError


def precision_recall(score: Floats, truth: Bools) -> tuple[Floats, Floats, Floats]:
    """Precision and recall at every distinct finite score, highest first: thresholds,
    precision, recall, (k,) float64 each. What is not finite is never found, and counts in recall.

    Raises:
        UsageError: scikit-learn is not installed.
    """
    try:
        from sklearn.metrics import precision_recall_curve
    except ImportError as error:
        raise UsageError(
            "precision and recall need scikit-learn, which is not installed; install it with: pip"
            " install 'replicadb[pages]'"
        ) from error
    finite = np.isfinite(score)
    below_all = 2 * min(0.0, float(score[finite].min(initial=0))) - 1
    curve = precision_recall_curve(truth, np.where(finite, score, below_all))
    # It rises, ends in a point of no threshold, and begins at what is not finite, if anything is.
    precision, recall, thresholds = (
        values[0 if finite.all() else 1 : len(curve[2])][::-1] for values in curve
    )
    return thresholds, precision, recall


def break_even(precision: Floats, recall: Floats) -> float | None:
    """Where precision equals recall, on the line between the two thresholds around it; None
    where the curve ends before (recall never reaches precision).

    Thresholds above the first duplicate, where both are 0, are no such place: a single wrong
    pair at the top would make every break-even 0.
    """
    over = np.flatnonzero((recall >= precision) & (recall > 0))
    if not len(over):
        return None
    i = int(over[0])
    if i == 0 or recall[i - 1] == 0 or recall[i] == precision[i]:
        return round(float(min(precision[i], recall[i])), 4)
    before, after = precision[i - 1] - recall[i - 1], recall[i] - precision[i]
    share = before / (before + after)
    return round(float(recall[i - 1] + share * (recall[i] - recall[i - 1])), 4)
