"""The candidates that detection scored, with their strengths: what it said of a pair is looked up,
not worked out again.

Invariant: each candidate stands once, in the row of its host that comes first in byte order,
rows sorted by the other host.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from replicadb.detection.collective import MILLION
from replicadb.model.host_rows import located


class Candidates:
    """Looks up what detection said of pairs.

    Args:
        arrays: ``candidate_start`` (n + 1,) into ``candidate_other``, places of hosts, uint32, and
            ``candidate_strength``, int32 in millionths.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.start, self.other, self.strength = (
            arrays[f"candidate_{name}"] for name in ("start", "other", "strength")
        )

    def find(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The strength of each pair of places, (P,) float64, and whether it was a candidate, (P,)
        bool; a place that is no known host's is in none.
        """
        low, high = np.minimum(x, y), np.maximum(x, y)
        known = high < len(self.start) - 1
        at, found = located(self.start, self.other, np.where(known, low, 0), high)
        strength = (
            self.strength.take(np.where(found, at, 0)) if len(self.strength) else np.zeros(len(x))
        )
        return np.where(found, strength / MILLION, 0.0), found & known
