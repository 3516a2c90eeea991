"""Reliability: of the pairs said to be replicas with a probability, how many are.

A probability is a promise: of a hundred pairs at .9, ninety should be replicas. Pairs come in bins
by what was said of them; each bin has its mean probability beside the share that the gold confirms
(DeGroot and Fienberg 1983). The expected calibration error is the mean gap between the two,
weighed by pairs (Naeini, Cooper and Hauskrecht 2015), over MIDDLE alone: nearly all candidates are
surely no replicas, and would hide any error. Of few pairs it is large even where every promise is
kept (Bröcker and Smith 2007, "Increasing the reliability of reliability diagrams"), so what chance
makes of it stands beside it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.arrays import Bools, Floats
from replicadb.learning.intervals import wilson

EDGES = np.array([0, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1])
"""Bins of probabilities; the last one holds 1, too."""
MIDDLE = slice(1, len(EDGES) - 2)
"""The bins from .05 to .95."""
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
"""What flags from there would have been."""
DIGITS = 7


def reliability(probability: Floats, replica: Bools, missed: int = 0) -> dict[str, Any]:
    """What probabilities are worth.

    Args:
        probability: (n,) of the pairs that the gold judges; (n,) replica: what it says.
        missed: replicas of the gold that are no candidates; they count as not found.

    Returns:
        ``bins`` (those with pairs: low, high, pairs, mean, share and its 95 % interval by Wilson),
        ``calibration_error`` (None where no pair is in the middle), ``chance_error`` (what that
        would be in the mean were every probability true), ``brier`` (mean squared error),
        ``estimated`` and ``true`` replicas among the pairs, and ``thresholds`` (probability,
        flagged, precision, recall).
    """
    place = np.clip(np.searchsorted(EDGES, probability, side="right") - 1, 0, len(EDGES) - 2)
    pairs, said, true = (
        np.bincount(place, weights, len(EDGES) - 1)
        for weights in (None, probability, replica.astype(float))
    )
    middle = pairs[MIDDLE].sum()
    gaps = np.abs(said - true)[MIDDLE].sum()
    variance = np.bincount(place, probability * (1 - probability), len(EDGES) - 1)
    by_chance = np.sqrt(2 / np.pi * variance)[MIDDLE].sum()  # mean distance of a normal variable
    return {
        "bins": [_bin(i, pairs[i], said[i], true[i]) for i in np.flatnonzero(pairs).tolist()],
        "calibration_error": round(float(gaps / middle), DIGITS) if middle else None,
        "chance_error": round(float(by_chance / middle), DIGITS) if middle else None,
        "brier": round(float(np.mean((probability - replica) ** 2)), DIGITS)
        if len(replica)
        else None,
        "estimated": round(float(probability.sum()), 2),
        "true": int(replica.sum()),
        "thresholds": [_from(least, probability, replica, missed) for least in THRESHOLDS],
    }


def _bin(i: int, pairs: float, said: float, true: float) -> dict[str, Any]:
    return {
        "low": float(EDGES[i]),
        "high": float(EDGES[i + 1]),
        "pairs": int(pairs),
        "mean": round(float(said / pairs), DIGITS),
        "share": round(float(true / pairs), DIGITS),
        "interval": wilson(true, pairs),
    }


def _from(least: float, probability: Floats, replica: Bools, missed: int) -> dict[str, Any]:
    flagged = probability >= least
    right, everything = int((flagged & replica).sum()), int(replica.sum()) + missed
    return {
        "probability": least,
        "flagged": int(flagged.sum()),
        "precision": round(right / flagged.sum(), DIGITS) if flagged.any() else None,
        "recall": round(right / everything, DIGITS) if everything else None,
    }
