"""Where the densities of replicas and of others cross: a mixture of two, fitted to how many
candidates there are of each match weight (docs/robust.md#calibration).

Others become fewer as the match weight rises; replicas become more, up to a peak. So the counts
have a valley, or at least a bend, and near it a pair is as likely a replica as not. Nothing here
knows a label. Where counts show no bend, the typical place stands, and its error is large.

Sources: Efron (2004), "Large-scale simultaneous hypothesis testing: the choice of a null
hypothesis" (densities by Poisson regression on counts in bins, Lindsey's method);
Tierney and Kadane (1986), "Accurate approximations for posterior moments and marginal densities"
(what is not asked for is integrated out by Laplace's approximation).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.arrays import Floats, Values
from replicadb.learning import second_view
from replicadb.settings import CONSTANTS
from replicadb.stage_constants import CALIBRATION

WIDTH = 0.5
"""Of a bin of match weights, and between the places that are tried."""
HIGHEST = 14.0
"""The highest match weight that is looked at."""
PLACES = np.arange(-2.0, 9.0 + WIDTH / 2, WIDTH)
"""Match weights that are tried as the place."""
SEEN_FROM = -6.0
"""The lowest match weight that a second view sees. Next to none of the pairs down there are
replicas, so they say how often others are alike.
"""
SEEN_EDGES = np.arange(SEEN_FROM, HIGHEST + WIDTH / 2, WIDTH)
SEEN_ABOVE = (SEEN_EDGES[:-1] + WIDTH / 2)[None, :] - PLACES[:, None]
"""Of each bin, (places, seen bins): how far it is above a place, d."""
SHAPE = np.array([0.0, 1.2, 0.05, 0.6, 0.06])
"""What is assumed of both densities, d units of match weight above the place: others are
exp(a - b d - c d^2), replicas exp(a + e d - f d^2), and these are a, b, c, e, f.
"""
LEAST_BEND = np.array([-np.inf, -np.inf, -0.02, -np.inf, 0.01])
"""Densities may not rise again: bounds of the same."""
DISPERSION, CLUSTERED = 3.0, 0.8
"""The variance of a count m is DISPERSION m + (CLUSTERED m)^2: pairs of one host, and of one group,
are not independent.
"""
STEPS, NEAR = 60, 1e-6
"""Steps of the fit at most, and the gain that ends it."""
FEWEST = 0.3
"""A count that is taken for none, where the fit begins."""
BEGIN_FROM, BEGIN_TO = -2.0, 2.0
"""Match weights between which pairs are asked how far they agree at equal paths."""
AGREEING, AGREEING_PAGES = 0.55, 0.6
"""The piece of evidence ``agreement`` in the mean of such pairs, from which look-alikes are few:
where evidence of assets counts, and of pages alone.
"""


@dataclass(frozen=True)
class Reach:
    """From where on counts are read, and how well the shape of the densities is known there."""

    lowest: float
    """The lowest match weight whose candidates are counted."""
    error: tuple[float, ...]
    """Standard deviations of SHAPE, (5,); a is as the counts have it."""
    rise: float
    """How steeply others may rise at the lowest: ln of their number a unit of match weight."""

    @property
    def uncounted(self) -> int:
        """Bins that a second view sees and whose pairs are not counted."""
        return round((self.lowest - SEEN_FROM) / WIDTH)

    @property
    def middle(self) -> Floats:
        """The middles of the bins, (bins,)."""
        return SEEN_EDGES[self.uncounted : -1] + WIDTH / 2

    @property
    def above(self) -> Floats:
        """Of each bin how far it is above a place, d, (places, bins)."""
        return SEEN_ABOVE[:, self.uncounted :]


USUAL = Reach(CONSTANTS.likely, (100.0, 0.5, 0.05, 0.4, 0.03), np.inf)
"""Where look-alikes may have a hump of their own."""
FURTHER = Reach(-4.5, (100.0, 1.0, 0.1, 0.4, 0.03), 0.3)
"""Where pairs agree at equal paths, as few look-alikes do: the valley below a hump of replicas is
seen, and that hump is not taken for others, which rise by little.
"""


@dataclass(frozen=True)
class Crossing:
    """Where the two densities cross."""

    place: float
    """The match weight, the mean of what is likely."""
    error: float
    """Standard deviation of that, units of match weight."""


def crossing(
    strength: Values,
    n: Values,
    by_prior: float,
    alike: Values | None = None,
    agree: Values | None = None,
) -> Crossing:
    """Where the densities cross, given that places are normal around the typical one, or halfway
    to the class prior's where that is higher.

    Args:
        strength: (m,) match weights, from SEEN_FROM on. n: (m,) candidates of each.
        by_prior: the match weight at which the class prior has a pair as likely as not.
        alike: (m,) how many of these a second view finds alike (``second_view``), if there is one.
        agree: (m,) by how much these agree at equal paths, beyond AGREEING and summed, if known.

    Returns:
        That of counts from USUAL on. Where pairs agree, too, that from FURTHER on, if it is the
        surer of the two: where a bend is seen from USUAL on, a hump below it is of look-alikes.

    Complexity: O(m + places bins), some 800 places times bins, at most STEPS times, once or twice.
    """
    seen = _in_bins(strength, n)
    of_these = None if alike is None else _in_bins(strength, alike)
    centre = max(CALIBRATION.typical, (CALIBRATION.typical + by_prior) / 2)
    found = _crossing(seen, of_these, centre, USUAL)
    if not pairs_agree(strength, agree):
        return found
    further = _crossing(seen, of_these, centre, FURTHER)
    return further if further.error < found.error else found


def _crossing(seen: Floats, alike: Floats | None, centre: float, reach: Reach) -> Crossing:
    """By counts from ``reach`` on, of pairs in bins and of those alike, (seen bins,)."""
    likely, shape = log_likelihoods(seen[reach.uncounted :], reach)
    if alike is not None:
        of_each = shares(shape, reach)
        likely = likely + second_view.log_likelihoods(seen, alike, of_each, SEEN_ABOVE)
    likely = likely - ((PLACES - centre) / CALIBRATION.spread) ** 2 / 2
    weight = np.exp(np.round(likely - likely.max(), 6))
    weight /= weight.sum()
    place = float(weight @ PLACES)
    error = float(np.sqrt(weight @ (PLACES - place) ** 2))
    return Crossing(round(place, 4), round(error, 4))


def pairs_agree(strength: Values, agree: Values | None) -> bool:
    """Whether pairs agree that may be replicas or not. Most look-alikes, as sites of one kit, have
    the same paths and mostly other contents there.
    """
    if agree is None:
        return False
    s = np.asarray(strength, float)
    between = (s >= BEGIN_FROM) & (s < BEGIN_TO)
    return bool(np.asarray(agree, float)[between].sum() > 0)


def _in_bins(strength: Values, n: Values) -> Floats:
    """How many there are in each bin that a second view sees, (seen bins,)."""
    return np.histogram(strength, SEEN_EDGES, weights=np.asarray(n, float))[0].astype(float)


def log_likelihoods(counts: Floats, reach: Reach = USUAL) -> tuple[Floats, Floats]:
    """The logarithm of the likelihood of each of PLACES, (places,), with the densities' shape
    integrated out, and the likeliest shape, (places, 5). counts: (bins,), from ``reach`` on.
    """
    value, shape = fitted(counts, reach)
    bend = _Fit(counts, reach).derivatives(shape)[1]
    return value - np.linalg.slogdet(bend)[1] / 2, shape


def shares(shape: Floats, reach: Reach = USUAL) -> Floats:
    """The share of each bin that are replicas, (places, seen bins), by shapes (places, 5). Below
    the counted bins it does not rise again.
    """
    uncounted = reach.uncounted
    others, replicas = _densities(shape, SEEN_ABOVE)
    share = replicas / (others + replicas)
    below = share[:, uncounted::-1]
    share[:, uncounted::-1] = np.minimum.accumulate(below, axis=1)
    return share


def fitted(counts: Floats, reach: Reach = USUAL) -> tuple[Floats, Floats]:
    """The likeliest shape for each of PLACES, by damped Newton steps (Levenberg and Marquardt): its
    penalised log likelihood, (places,), and the shape, (places, 5).
    """
    fit = _Fit(counts, reach)
    shape = np.tile(SHAPE, (len(PLACES), 1))
    shape[:, 0] = np.log(np.maximum(np.interp(PLACES, reach.middle, counts), FEWEST) / 2)
    value, damping = fit.value(shape), np.full(len(PLACES), 1e-2)
    for _ in range(STEPS):
        slope, bend = fit.derivatives(shape)
        damped = bend * (1 + damping[:, None, None] * np.eye(len(SHAPE)))
        step = np.linalg.solve(damped, slope[:, :, None])[:, :, 0]
        tried = fit.bounded(shape + step)
        gain = fit.value(tried) - value
        better = gain > 0
        shape = np.where(better[:, None], tried, shape)
        value = value + np.where(better, gain, 0.0)
        damping = np.where(better, damping * 0.3, damping * 5)
        if np.abs(gain).max() < NEAR:
            break
    return value, shape


def _densities(shape: Floats, d: Floats) -> tuple[Floats, Floats]:
    """Others and replicas that are expected in each bin, (places, bins); shape (places, 5), d
    (places, bins).
    """
    a, b, c, e, f = (column[:, None] for column in shape.T)
    others = np.exp(np.clip(a - b * d - c * d**2, -30, 25))
    replicas = np.exp(np.clip(a + e * d - f * d**2, -30, 25))
    return others, replicas


class _Fit:
    """The penalised likelihood of shapes, one for each of PLACES."""

    def __init__(self, counts: Floats, reach: Reach) -> None:
        """counts: (bins,), from ``reach`` on."""
        self.counts, self.reach = counts, reach
        self.above, self.error = reach.above, np.array(reach.error)
        self.weight = 1 / (DISPERSION + CLUSTERED**2 * counts)

    def value(self, shape: Floats) -> Floats:
        """The log likelihood of shapes, less what they are off from what is assumed, (places,)."""
        mean = np.add(*_densities(shape, self.above))
        fits = (self.counts * np.log(mean) - mean) @ self.weight
        value: Floats = fits - (((shape - SHAPE) / self.error) ** 2).sum(axis=1) / 2
        return value

    def bounded(self, shape: Floats) -> Floats:
        """Shapes within LEAST_BEND, of which others rise by no more than ``reach`` allows."""
        shape = np.maximum(shape, LEAST_BEND)
        most = (shape[:, 1] + self.reach.rise) / (2 * (PLACES - self.reach.lowest))
        shape[:, 2] = np.minimum(shape[:, 2], most)
        return shape

    def derivatives(self, shape: Floats) -> tuple[Floats, Floats]:
        """Its slope, (places, 5), and its expected curvature, (places, 5, 5)."""
        others, replicas = _densities(shape, self.above)
        d, mean = self.above, others + replicas
        each = np.stack([mean, -others * d, -others * d**2, replicas * d, -replicas * d**2], 2)
        ridge = self.error**-2.0
        gap = (self.counts / mean - 1) * self.weight
        slope = np.einsum("pjk,pj->pk", each, gap) - ridge * (shape - SHAPE)
        scaled = each * (self.weight / mean)[:, :, None]
        bend = scaled.transpose(0, 2, 1) @ each + np.diag(ridge)
        return slope, bend
