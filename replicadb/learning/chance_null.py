"""The null of chance sharing: where among match weights a pair is as likely a replica as not, from
the match weights that decoys have (docs/method.md#decoys).

Decoys are pairs that share by chance alone; replicas are what stands above them. Nothing here knows
a label.

Sources: Elias and Gygi (2007), "Target-decoy search strategy"; Efron (2004), "Large-scale
simultaneous hypothesis testing: the choice of a null hypothesis" (the local false discovery rate,
here the decoys' share of a bin).
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

    even: float
    """The match weight from which on a pair is as likely a replica as not; -inf where decoys do not
    contradict the class prior.
    """
    above_chance: int
    """By how many the candidates from some match weight on exceed the decoys, at most."""
    ran_away: bool
    """Whether the class prior takes for replicas what chance would make."""


def compared(candidates: Counts, decoys: Counts, by_prior: float) -> Chance:
    """What decoys say of the candidates.

    Decoys are no estimate of the others. They are too many where copies are many, whose pages are
    dealt, too, and too few where unrelated hosts share by structure. So they are heard where chance
    alone would make all of what the class prior takes for replicas: there it has run away.

    Args:
        by_prior: the match weight at which the class prior has a pair as likely as not.
    """
    at = edges()
    above = candidates.above(at) - decoys.above(at)
    place = np.array([by_prior])
    likely, dealt = float(candidates.above(place)[0]), float(decoys.above(place)[0])
    ran_away = dealt > CONSTANTS.chance_share * likely
    return Chance(
        even(candidates, decoys) if ran_away else -np.inf,
        round(max(float(above.max()), 0.0)),
        bool(ran_away),
    )


def even(candidates: Counts, decoys: Counts) -> float:
    """The match weight from which on a pair is as likely a replica as not: where the decoys' share
    of the candidates falls to one half; -inf where it is less everywhere, or decoys are too few.

    The share is taken by bins and made to fall with the match weight (isotonic regression, weighted
    by the candidates). Between the middles of two steps it is a straight line.
    """
    counts, others = candidates.binned(), decoys.binned()
    if others.sum() < FEWEST:
        return float("-inf")
    share = falling(others / np.maximum(counts, 1), np.maximum(counts, 1))
    middle = edges()[:-1] + WIDTH / 2
    high = np.flatnonzero(share > 0.5)
    if not len(high):
        return float("-inf")
    last = high[-1]
    if last + 1 == len(share):
        return HIGHEST
    part = (share[last] - 0.5) / max(share[last] - share[last + 1], 1e-12)
    return float(middle[last] + min(part, 1.0) * WIDTH)


def falling(values: Floats, weights: Floats) -> Floats:
    """The falling sequence nearest to the values by weighted squares, (m,): pool adjacent
    violators (Ayer et al., 1955).
    """
    blocks: list[list[float]] = []  # mean, weight, length
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
            mean, heavy, length = blocks.pop()
            before = blocks[-1]
            total = before[1] + heavy
            before[:] = [(before[0] * before[1] + mean * heavy) / total, total, before[2] + length]
    return np.repeat([block[0] for block in blocks], [int(block[2]) for block in blocks])
