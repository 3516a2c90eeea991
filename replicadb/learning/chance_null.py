"""The null of chance sharing: how many of a crawl's candidates are more than chance makes, from the
match weights that decoys have (docs/robust.md#decoys).

Decoys are pairs that share by chance alone; replicas are what stands above them. Nothing here knows
a label.

Source: Elias and Gygi (2007), "Target-decoy search strategy".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.arrays import Floats

LOWEST, HIGHEST, WIDTH = 0.0, 16.0, 0.25
"""From which match weight on candidates are compared with decoys, to which, and the steps between.
Below 0 evidence speaks against a replica, and others are so many that a hundredth of them is more
than all replicas (docs/decisions/0239-above-chance-from-even-evidence-on.md).
"""
ERROR = 0.1
"""Share of decoys by which their counts may be too low: they are made of a sample of hosts, and of
a million pairs a hundredth is ten thousand (docs/decisions/0171-decoys-err-by-a-tenth.md).
"""
ERRORS = 3.0
"""Standard deviations of a count of decoys, beyond which nothing is left to chance."""


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


@dataclass(frozen=True)
class Chance:
    """What decoys say of a crawl."""

    candidates: Counts
    """By match weight of local evidence, as decoys have it."""
    decoys: Counts
    """Pairs that share by chance alone."""
    above: int
    """Candidates that they do not account for, :func:`above_chance`."""
    each: float = 1.0
    """For how many pairs a decoy counts: more than one where decoys are a sample."""


def surely(n: Floats, each: float = 1.0) -> Floats:
    """How many others there are at the least, where decoys count for n, (k,), pairs and ``each`` of
    them for so many: ERRORS standard deviations of such a count less, and ERROR.
    """
    least: Floats = np.maximum((1 - ERROR) * n - ERRORS * np.sqrt(each * n), 0.0)
    return least


def above_chance(candidates: Counts, decoys: Counts) -> int:
    """By how many the candidates from some match weight on, LOWEST at least, exceed the decoys and
    ERROR of them, at most.

    Decoys are no estimate of the others. They are too many where copies are many, whose pages are
    dealt, too, and too few where unrelated hosts share by structure.
    """
    at: Floats = np.arange(LOWEST, HIGHEST + WIDTH / 2, WIDTH)
    above = candidates.above(at) - (1 + ERROR) * decoys.above(at)
    return round(max(float(above.max()), 0.0))
