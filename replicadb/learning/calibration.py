"""Calibration: from match weights to probabilities, and from which probability on pairs are flagged
(docs/method.md#calibration).

The class prior places the match weight at which a pair is as likely a replica as not, and decoys
may place it higher (``chance_null``). The slope is one number for all crawls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.arrays import Floats, Values
from replicadb.learning.chance_null import FEWEST, Chance
from replicadb.learning.class_prior import CLIP, logistic
from replicadb.settings import CONSTANTS

MOST_ABOVE = CONSTANTS.most_above
HALF = CONSTANTS.wrong_of_few
DECIMALS = 9
"""Of a probability."""


@dataclass(frozen=True)
class Curve:
    """Log odds of being a replica, slope (strength - even), of a match weight ``strength``."""

    slope: float
    """Log odds a unit of match weight."""
    even: float
    """The match weight at which a pair is as likely a replica as not."""

    def probabilities(self, strength: Values) -> Floats:
        """(n,) float64 in [0, 1], rounded."""
        clipped = np.clip(np.asarray(strength, float), -CLIP, CLIP)
        result: Floats = np.round(logistic(self.slope * (clipped - self.even)), DECIMALS)
        return result


def curve_of(offset: float, by_decoys: float) -> Curve:
    """The curve of a crawl.

    Args:
        offset: log odds that the class prior adds to a match weight.
        by_decoys: the even match weight by decoys; -inf where they say nothing.
    """
    return Curve(CONSTANTS.slope, max(-offset, by_decoys))


def within_bound(curve: Curve, strength: Values, n: Values, chance: Chance) -> Curve:
    """The curve, moved up where the estimated number of replicas has run away: where decoys say so,
    or where it is more than MOST_ABOVE times the candidates above chance. Then it expects no more
    replicas than those, FEWEST at least: counts of so few say nothing.

    Args:
        strength: (m,) match weights. n: (m,) candidates of each.
        chance: what decoys say.
    """
    counts, bound = np.asarray(n, float), max(float(chance.above_chance), FEWEST)

    def expected(even: float) -> float:
        return float((Curve(curve.slope, even).probabilities(strength) * counts).sum())

    estimate = expected(curve.even)
    if estimate <= (bound if chance.ran_away else MOST_ABOVE * bound):
        return curve
    low, high = curve.even, max(curve.even, float(np.max(strength))) + 30.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if expected(middle) > bound else (low, middle)
    return Curve(curve.slope, round(high, 6))


def least_probability(probability: Floats, n: Values, wrong: float, lowest: float) -> float:
    """The probability from which pairs are flagged: of all that are as likely or likelier no more
    than a share ``wrong`` is expected to be no replica. Less than HALF a pair is none: the share of
    a handful of flags could not be kept by any.

    Args:
        probability: (m,) rising, of each match weight. n: (m,) pairs of each.
        lowest: no pair less likely is flagged.

    Returns:
        A probability that some pair has; above 1 where none may be flagged.
    """
    counts = np.asarray(n, float)
    pairs = np.cumsum(counts[::-1])[::-1]
    missed = np.cumsum(((1 - probability) * counts)[::-1])[::-1]
    fits = np.flatnonzero((missed <= np.maximum(wrong * pairs, HALF)) & (probability >= lowest))
    return float(probability[fits[0]]) if len(fits) else 2.0
