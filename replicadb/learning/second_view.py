"""What a second view of the same pairs says of where replicas begin: the rate at which pairs are
alike in it, by match weight (docs/robust.md#second-view).

Of pairs of one match weight a share are replicas. Replicas are alike at one rate, and others at
another, whatever their match weight or nearly so. So the rate of all pairs goes from the one to the
other just where replicas begin, and no label is needed.

Sources: Hui and Walter (1980), "Estimating the error rates of diagnostic tests" (two tests, no gold
standard; here the populations are bins of match weights); Vacek (1985), "The effect of conditional
dependence on the evaluation of diagnostic tests" (why rates may drift); Dempster, Laird and Rubin
(1977), "Maximum likelihood from incomplete data via the EM algorithm".
"""

from __future__ import annotations

import numpy as np

from replicadb.arrays import Floats, Values

FEWEST = 5
"""Alike pairs below which the view says nothing."""
DISPERSION, CLUSTERED = 3.0, 0.5
"""The variance of a count among n pairs is DISPERSION + CLUSTERED^2 n times the binomial one: pairs
of one host, and of one group, are not independent.
"""
REPLICAS, OTHERS = (-1.0, 2.0), (-3.0, 3.0)
"""The log odds of being alike, at the place, before a pair is looked at: mean and standard
deviation.
"""
DRIFTS = 0.15, 0.1
"""By which the rate of replicas, and that of others, changes with the match weight: standard
deviation, log odds a unit.
"""
STEPS, NEWTON = 30, 2
"""Of expectation-maximisation, and of each maximisation."""
FARTHEST = 10.0, 8.0
"""Below and above a place, units of match weight: where a rate stops to drift."""
LEAST = 1e-9
"""Of a rate, and of what it leaves."""


def log_likelihoods(pairs: Values, alike: Values, replicas: Floats, above: Floats) -> Floats:
    """The logarithm of the likelihood of each supposed place, (places,), at the likeliest rates. A
    place at or above which replicas would be alike less often than others is as unlikely as the
    worst.

    Args:
        pairs: (bins,) how many there are. alike: (bins,) how many of them are alike.
        replicas: (places, bins) the share of each bin that are replicas.
        above: (places, bins) units of match weight that a bin lies above a place.

    Complexity: O(places bins), STEPS times.
    """
    n, k = np.asarray(pairs, float), np.asarray(alike, float)
    if k.sum() < FEWEST:
        return np.zeros(len(replicas))
    weight = 1 / (DISPERSION + CLUSTERED**2 * n)
    seen, unseen = weight * k, weight * (n - k)
    above = np.clip(above, -FARTHEST[0], FARTHEST[1])
    of_replicas = _Rate(replicas, above, *REPLICAS, DRIFTS[0])
    of_others = _Rate(1 - replicas, above, *OTHERS, DRIFTS[1])
    for _ in range(STEPS):
        rate = _together(of_replicas, of_others)
        for each in (of_replicas, of_others):
            each.fit(seen / rate, unseen / (1 - rate))
    rate = _together(of_replicas, of_others)
    likely = np.log(rate) @ seen + np.log(1 - rate) @ unseen
    likely = likely - of_replicas.cost() - of_others.cost()
    oftener = (of_replicas.ends() > of_others.ends()).all(axis=0)
    found: Floats = np.where(oftener, likely, likely.min())
    return found


class _Rate:
    """The rate at which pairs of one class are alike: a logistic curve for each place."""

    def __init__(
        self, share: Floats, above: Floats, mean: float, deviation: float, drifts: float
    ) -> None:
        """share: (places, bins) of each bin that belong to the class. drifts: of DRIFTS."""
        self.share, self.above, self.mean, self.deviation = share, above, mean, deviation
        self.drifts = drifts
        self.at_place = np.full(len(share), mean)
        self.drift = np.zeros(len(share))

    def rate(self) -> Floats:
        """(places, bins)."""
        return 1 / (1 + np.exp(-(self.at_place[:, None] + self.drift[:, None] * self.above)))

    def ends(self) -> Floats:
        """Its log odds at the place, and where it stops to drift above it, (2, places)."""
        return self.at_place + np.array([[0.0], [FARTHEST[1]]]) * self.drift

    def cost(self) -> Floats:
        """What is assumed of it, (places,): minus the logarithm of two normal densities."""
        at_place = (self.at_place - self.mean) / self.deviation
        return (at_place**2 + (self.drift / self.drifts) ** 2) / 2

    def fit(self, alike: Floats, others: Floats) -> None:
        """Newton steps to the likeliest curve, given weighed counts of alike pairs and of others
        over the rates that were expected of them, (places, bins) each.
        """
        rate = self.rate()
        yes, no = alike * self.share * rate, others * self.share * (1 - rate)
        for _ in range(NEWTON):
            rate = self.rate()
            gap, curvature = yes - (yes + no) * rate, (yes + no) * rate * (1 - rate)
            x = gap.sum(axis=1) - (self.at_place - self.mean) / self.deviation**2
            y = (gap * self.above).sum(axis=1) - self.drift / self.drifts**2
            xx = curvature.sum(axis=1) + self.deviation**-2
            xy = (curvature * self.above).sum(axis=1)
            yy = (curvature * self.above**2).sum(axis=1) + self.drifts**-2
            area = xx * yy - xy**2
            self.at_place = self.at_place + np.clip((yy * x - xy * y) / area, -1, 1)
            self.drift = self.drift + np.clip((xx * y - xy * x) / area, -1, 1)


def _together(one: _Rate, other: _Rate) -> Floats:
    """The rate at which all pairs of a bin are alike, (places, bins)."""
    rate: Floats = one.share * one.rate() + other.share * other.rate()
    return np.clip(rate, LEAST, 1 - LEAST)
