"""The null of chance sharing: from which match weight on a crawl's candidates are more than chance
makes, from the match weights that decoys have (docs/method.md#decoys).

Decoys are pairs that share by chance alone; replicas are what stands above them. Nothing here knows
a label.

Sources: Elias and Gygi (2007), "Target-decoy search strategy"; Efron (2004), "Large-scale
simultaneous hypothesis testing: the choice of a null hypothesis" (counts in bins by Poisson
regression, and a null that is scaled to fit).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.arrays import Floats
from replicadb.settings import CONSTANTS

WIDTH = 0.25
"""Of a bin of match weights."""
LOWEST, HIGHEST = CONSTANTS.likely, 16.0
"""Match weights that are looked at."""
FEWEST = 10.0
"""Decoys below which they say nothing."""
DISPERSION = 3.0
"""Of counts of pairs: so many times the variance of independent ones, since a host has many."""
RISE = 1.86
"""Log odds of being a replica that a unit of match weight adds, in the mixture that is fitted."""
SCALED, TILTED = 1.5, 0.25
"""By how much non-replicas differ from decoys, standard deviations: the logarithm of their number,
and what a unit of match weight adds to it.
"""
PLACES = np.arange(LOWEST, 14.0 + WIDTH / 2, WIDTH)
"""Match weights that are tried as a place."""
STEPS, NEAR, LARGEST_STEP = 60, 1e-8, 2.0
"""Newton's steps: how many at most, where they end, how long one is."""
ERROR = 0.1
"""Share of decoys by which their counts may be too low: they are made of a sample of hosts, and of
a million pairs a hundredth is ten thousand (docs/decisions/0171-decoys-err-by-a-tenth.md).
"""


@dataclass(frozen=True)
class Counts:
    """How many pairs there are of each match weight."""

    strength: Floats
    """(m,) rising match weights."""
    n: Floats
    """(m,) pairs, or what they count for."""

    def above(self, strength: Floats) -> Floats:
        """How many have each of these match weights or more, as its shape."""
        tail = np.append(np.cumsum(self.n[::-1])[::-1], 0.0)
        found: Floats = tail[np.searchsorted(self.strength, strength)]
        return found

    def binned(self) -> Floats:
        """How many there are in each bin, (bins,)."""
        counts, _ = np.histogram(self.strength, edges(), weights=self.n)
        return counts.astype(float)


def edges() -> Floats:
    """Of the bins, (bins + 1,)."""
    return np.arange(LOWEST, HIGHEST + WIDTH / 2, WIDTH)


@dataclass(frozen=True)
class Chance:
    """What decoys say of a crawl's candidates."""

    place: float | None
    """The match weight from which on a candidate is as likely above chance as not; None where there
    are too few decoys to say.
    """
    above_chance: int
    """By how many the candidates from some match weight on exceed the decoys and ERROR of them, at
    most.
    """
    share: float
    """Decoys for each candidate that the class prior takes for a replica."""


def compared(candidates: Counts, decoys: Counts, by_prior: float) -> Chance:
    """What decoys say of the candidates.

    Args:
        by_prior: the match weight at which the class prior has a pair as likely as not.

    Decoys are no estimate of the others. They are too many where copies are many, whose pages are
    dealt, too, and too few where unrelated hosts share by structure. So their place is one voice
    beside the class prior's (``calibration.curve_of``).
    """
    at = edges()
    above = candidates.above(at) - (1 + ERROR) * decoys.above(at)
    likely = np.array([by_prior])
    share = float(decoys.above(likely)[0] / max(candidates.above(likely)[0], 1.0))
    return Chance(place(candidates, decoys), round(max(float(above.max()), 0.0)), share)


def place(candidates: Counts, decoys: Counts) -> float | None:
    """The most likely of PLACES, with the counts of candidates in bins of match weight s taken for
    Poisson with mean

        exp(q(s) + a + b s) (1 + exp(RISE (s - place)))

    where q is the logarithm of the decoys' counts, as a concave quadratic, and a and b say how
    non-replicas differ from decoys. Above the place more than half of the candidates are none of
    these. None where there are fewer than FEWEST decoys.

    Complexity: O(places bins), some 5,000 places times bins.
    """
    dealt, counts = decoys.binned(), candidates.binned()
    if dealt.sum() < FEWEST:
        return None
    middle = edges()[:-1] + WIDTH / 2
    null = log_density(dealt)
    differ = np.column_stack([np.ones_like(middle), middle])
    ridge = np.array([SCALED, TILTED]) ** -2.0
    raised = np.logaddexp(0, RISE * (middle - PLACES[:, None]))
    _, fits = _regressions(differ, counts, null + raised, ridge, np.zeros(2))
    return float(PLACES[int(np.argmax(np.round(fits, 6)))])


def log_density(counts: Floats) -> Floats:
    """The logarithm of the counts in bins, (bins,), as a concave quadratic in the match weight, by
    Poisson regression; a straight line where it would be convex.
    """
    middle = (edges()[:-1] + WIDTH / 2) / 10
    powers = np.column_stack([np.ones_like(middle), middle, -(middle**2)])
    start = np.array([np.log(counts.max() + 1), -8.0, 3.0])
    ridge = np.array([1e-6, 1e-2, 1e-2])
    none = np.zeros((1, len(middle)))
    weights = _regressions(powers, counts, none, ridge, start)[0][0]
    if weights[2] < 0:
        line = _regressions(powers[:, :2], counts, none, ridge[:2], start[:2])[0][0]
        weights = np.append(line, 0.0)
    density: Floats = powers @ weights
    return density


def _regressions(
    x: Floats, counts: Floats, offsets: Floats, ridge: Floats, centre: Floats
) -> tuple[Floats, Floats]:
    """Poisson regressions of the counts on x, (bins, k), one for each of the offsets, (r, bins),
    with a ridge around a centre, by Newton's steps: the weights (r, k), and the penalised log
    likelihoods there, (r,).
    """
    weights = np.tile(centre, (len(offsets), 1))
    for _ in range(STEPS):
        mean = np.exp(np.clip(weights @ x.T + offsets, -30, 25))
        slope = (counts - mean) @ x / DISPERSION - ridge * (weights - centre)
        bend = np.einsum("bi,rb,bj->rij", x, mean / DISPERSION, x) + np.diag(ridge + 1e-9)
        step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        weights = weights + step * np.minimum(1.0, LARGEST_STEP / np.maximum(longest, 1e-12))
        if longest.max() < NEAR:
            break
    log_mean = np.clip(weights @ x.T + offsets, -30, 25)
    fits = (counts * log_mean - np.exp(log_mean)).sum(axis=1) / DISPERSION
    return weights, fits - (ridge * (weights - centre) ** 2).sum(axis=1) / 2
