"""Calibration: from match weights to probabilities, and from which probability on pairs are flagged
(docs/robust.md#calibration).

Where the counts of match weights have a valley or a bend, replicas begin (``crossing``). The slope
goes by how clearly they say so: the probability of a pair is the mean over all places that are
likely. Decoys bound the estimate that comes of it, and move the curve up where its promise is not
kept (``chance_null``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from replicadb.arrays import Array, Floats, Values
from replicadb.learning import chance_null
from replicadb.learning.chance_null import Chance
from replicadb.learning.class_prior import CLIP, logistic
from replicadb.learning.crossing import Crossing
from replicadb.settings import CONSTANTS
from replicadb.stage_constants import CALIBRATION, LABELS

STEPS, TURNS = 300, 15
"""Places on either side at which a taught curve is tried, and slopes, steeper and flatter."""
TURN = 1.5
"""By which ln of the slope may differ from that of a place without an error of its own."""
DECIMALS = 9
"""Of a probability."""
HALF_A_DIGIT = 0.5 * 10.0**-DECIMALS
"""So much above a probability only higher ones lie."""
INTERVAL_ERRORS = 1.645
"""Standard deviations of the place to either side of it, between which replicas are said to be. Of
normal numbers nine tenths would lie there; of the crawls that judge it eight did
(docs/decisions/0181-an-interval-of-replicas.md).
"""
PROMISED, STEP = 0.95, 0.25
"""The probability of which decoys say whether it is kept; by how much the curve moves above the
strongest pair where it is kept nowhere.
"""
FEWEST = 10.0
"""Replicas below which no estimate is brought down: counts of so few say nothing."""


@dataclass(frozen=True)
class Curve:
    """Log odds of being a replica, slope (strength - even), of a match weight ``strength``."""

    slope: float
    """Log odds a unit of match weight."""
    even: float
    """The match weight at which a pair is as likely a replica as not."""
    error: float | None = None
    """By which that errs, units of match weight: a standard deviation; None where unknown."""

    def probabilities(self, strength: Values) -> Floats:
        """(n,) float64 in [0, 1], rounded."""
        clipped = np.clip(np.asarray(strength, float), -CLIP, CLIP)
        result: Floats = np.round(logistic(self.slope * (clipped - self.even)), DECIMALS)
        return result


def curve_of(found: Crossing) -> Curve:
    """The curve of a crawl: the logistic curve of slope CALIBRATION.steepest around a place that is
    known with an error, averaged over normal places. The mean is close to a logistic curve that is
    as much flatter (MacKay 1992, "The evidence framework applied to classification networks",
    moderated outputs; docs/robust.md#calibration).
    """
    error = np.hypot(found.error, CALIBRATION.place_error)
    return Curve(_slope(found.error), found.place, round(float(error), 4))


def _slope(error: float) -> float:
    """Of the curve whose place errs by so much, beside CALIBRATION.least_error."""
    return round(_flattened(CALIBRATION.steepest, error**2 + CALIBRATION.least_error**2), 6)


def within_prior(curve: Curve, strength: Values, n: Values, by_prior: float) -> Curve:
    """The curve, moved up where it expects more than CALIBRATION.most_by_prior times as many
    replicas as the class prior does, FEWEST at least.

    Args:
        strength: (m,) match weights. n: (m,) candidates of each.
        by_prior: the match weight at which the class prior has a pair as likely as not.
    """
    by_class_prior = expected(Curve(1.0, by_prior), strength, n)
    bound = CALIBRATION.most_by_prior * max(by_class_prior, FEWEST)
    if expected(curve, strength, n) <= bound:
        return curve
    return _moved_up(curve, strength, n, bound)


def ran_away(curve: Curve, strength: Values, n: Values, above_chance: int) -> bool:
    """Whether the curve expects more than CONSTANTS.most_above times the candidates above chance.

    Args:
        strength: (m,) match weights. n: (m,) candidates of each.
        above_chance: candidates that decoys do not account for.
    """
    return expected(curve, strength, n) > _bound(above_chance)


def within_bound(curve: Curve, strength: Values, n: Values, above_chance: int) -> Curve:
    """The curve, or another where it :func:`ran_away`. Then decoys decide: the curve is as steep as
    one whose place is known, and lies where it expects no more replicas than they allow.
    """
    if not ran_away(curve, strength, n, above_chance):
        return curve
    steep = replace(curve, slope=CALIBRATION.steepest)
    return _moved_up(steep, strength, n, _bound(above_chance))


def within_decoys(curve: Curve, chance: Chance) -> Curve:
    """The curve, moved up until its promise is kept of the likeliest: of the pairs that it says are
    PROMISED likely and more, decoys surely account for no more than the rest.
    """
    ahead = float(np.log(PROMISED / (1 - PROMISED))) / curve.slope
    first, weights = curve.even + ahead, chance.candidates.strength
    at: Floats = np.append(first, weights[weights > first])
    likely = chance.candidates.above(at)
    broken = chance_null.surely(chance.decoys.above(at), chance.each) > (1 - PROMISED) * likely
    if not broken[0]:
        return curve
    kept = np.flatnonzero(~broken)
    place = at[kept[0]] if len(kept) else at[-1] + STEP
    return replace(curve, even=round(float(place) - ahead, 6))


def may_run_away(candidates: int) -> bool:
    """Whether so many candidates are more replicas than decoys allow at the least: else decoys have
    no say.
    """
    return candidates > _bound(0)


def _bound(above_chance: int) -> float:
    """The most replicas that decoys allow."""
    return CONSTANTS.most_above * max(float(above_chance), FEWEST)


def expected(curve: Curve, strength: Values, n: Values) -> float:
    """Replicas that are expected among candidates, n (m,) of each match weight (m,)."""
    return float(curve.probabilities(strength) @ np.asarray(n, float))


def expected_between(
    curve: Curve, strength: Values, n: Values, above_chance: int | None = None
) -> tuple[float, float] | None:
    """Between which numbers of replicas the truth lay eight times in ten, on crawls that judged it:
    what the steepest curve expects at either end of where the place may be. More than decoys allow,
    or than the curve itself expects, is not said. None where the curve's error is unknown.
    """
    if curve.error is None:
        return None
    reach = INTERVAL_ERRORS * curve.error
    fewest, most = (
        expected(Curve(CALIBRATION.steepest, curve.even + side * reach), strength, n)
        for side in (1, -1)
    )
    by_curve = expected(curve, strength, n)
    if above_chance is not None:
        most = min(most, _bound(above_chance))
    return min(fewest, by_curve), max(most, by_curve)


def _moved_up(curve: Curve, strength: Values, n: Values, bound: float) -> Curve:
    """The curve, moved up to where no more replicas than the bound are expected."""
    low, high = curve.even, max(curve.even, float(np.max(strength))) + 30.0
    for _ in range(40):
        middle = (low + high) / 2
        above = expected(replace(curve, even=middle), strength, n) > bound
        low, high = (middle, high) if above else (low, middle)
    return replace(curve, even=round(high, 6))


def taught(curve: Curve, strength: Values, replica: Array, mass: Values) -> Curve:
    """The curve as pairs teach it whose class is known: the mean over all places and slopes that
    are likely after them (docs/drops.md#decided).

    A curve is flat because nobody knows its place: it is one of slope :func:`_slope` (0), averaged
    over normal places around ``even``. How flat it is says by how much these differ. Labels make
    some of them likelier, and some slopes: ln of the slope errs by LABELS.turn. What is left is
    averaged again. So labels that narrow the place down make the curve steeper, also where they are
    of one class alone, of which other slopes are not tried; labels that contradict the order make
    it flatter; and those that say nothing leave it.

    Which pairs were labelled may depend on their match weight, as it does in a review: the curve is
    the probability given that weight. It must not depend on what they are. Bounded: it moves by
    LABELS.reach at most, becomes no steeper than where counts say clearly where replicas begin, and
    since a share of labels is taken for slips, one far from the curve moves it by next to nothing.

    Args:
        strength: (k,) match weights of known pairs. replica: (k,) bool, what they are.
        mass: (k,) what they count for.

    Complexity: O(k) for each of some 19,000 places and slopes.
    """
    if not np.any(mass):
        return curve
    labels: Floats = np.column_stack(
        [np.round(np.asarray(strength, float), 2), np.asarray(replica, float)]
    )
    kinds, at = np.unique(labels, axis=0, return_inverse=True)
    counts = np.bincount(at.ravel(), np.asarray(mass, float), len(kinds))
    steepest = max(curve.slope, _slope(0.0))
    spread = max(_place_spread(steepest, curve.slope), CALIBRATION.least_error)
    steps = (np.arange(-STEPS, STEPS + 1) * (LABELS.reach / STEPS)).astype(np.float64)
    both = len(set(kinds[:, 1])) > 1  # of one class alone nobody knows how sharply it begins
    turns = np.arange(-TURNS, TURNS + 1) * (TURN / TURNS) if both else np.zeros(1)
    gains = np.array(
        [_gains(kinds, counts, steepest * np.exp(turn), curve.even + steps) for turn in turns]
    )
    gains -= (steps / spread) ** 2 / 2 + (turns[:, None] / LABELS.turn) ** 2 / 2
    likely = np.exp(gains - gains.max())
    likely /= likely.sum()
    step = float(likely.sum(axis=0) @ steps)
    variance = float(likely.sum(axis=0) @ (steps - step) ** 2)
    slope = _flattened(steepest * float(np.exp(likely.sum(axis=1) @ turns)), variance)
    moved = Curve(round(min(slope, steepest), 6), round(curve.even + step, 6), curve.error)
    if curve.error is None:
        return moved
    error = np.hypot(np.sqrt(variance), CALIBRATION.place_error)
    return replace(moved, error=min(curve.error, round(float(error), 4)))


def _flattened(slope: float, variance: float) -> float:
    """Of the logistic curve closest to the mean of curves of that slope over normal places."""
    return slope / float(np.sqrt(1 + np.pi * slope**2 * variance / 8))


def _place_spread(slope: float, flat: float) -> float:
    """The standard deviation of places by which curves of that slope are flat in the mean."""
    return float(np.sqrt(((slope / flat) ** 2 - 1) * 8 / np.pi)) / slope


def _gains(kinds: Floats, counts: Values, slope: float, places: Floats) -> Floats:
    """(m,) log likelihood of labels, kinds (k, 2) of match weight and class, by a curve of that
    slope at each place, (m,).
    """
    log_odds = slope * (kinds[:, 0] - places[:, None])
    fits = logistic(np.clip(np.where(kinds[:, 1] > 0, log_odds, -log_odds), -CLIP, CLIP))
    slip = LABELS.slips
    found: Floats = (np.log(slip + (1 - 2 * slip) * fits) * counts).sum(axis=1)
    return found


def least_probability(probability: Floats, n: Values, wrong: float, lowest: float) -> float:
    """The probability from which pairs are flagged: of all that are as likely or likelier no more
    than a share ``wrong`` is expected to be no replica. Less than half a pair is none: the share of
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
    few = np.maximum(wrong * pairs, CONSTANTS.wrong_of_few)
    fits = np.flatnonzero((missed <= few) & (probability >= lowest))
    return float(probability[fits[0]]) if len(fits) else 2.0


def least_of_another(
    flagged: Floats, n: Values, wrong: float, lowest: float, below: float
) -> float:
    """The probability from which one pair more would be flagged beside those that are. It may lie
    below all of theirs: a crawl of which nothing is flagged has a place for a sure pair.

    Args:
        flagged: (k,) rising, the probabilities of flagged pairs. n: (k,) pairs of each.
        wrong, lowest: as :func:`least_probability` has them.
        below: the highest probability of a pair that is not flagged; one more needs more than that.

    Returns:
        At most the least of ``flagged``, and 1.
    """
    counts = np.asarray(n, float)
    room = max(wrong * (counts.sum() + 1), CONSTANTS.wrong_of_few) - (1 - flagged) @ counts
    least = max(lowest, 1 - room, below + HALF_A_DIGIT)
    return float(min(least, *flagged[:1], 1.0))
