"""The company that two hosts keep, as ``replicadb.partners`` has it, for pairs that detection did not score.

Always true here: known hosts' partners are those that detection found by each pair's own evidence; a stranger's are the known hosts that it is
probably a replica of, among those that ``lookup`` would score. Every partner counts, where detection looks at a sample of more than MOST.
"""

from __future__ import annotations

import numpy as np

from replicadb.learning.lookup import Lookup
from replicadb.model.rows import expanded, located
from replicadb.partners import COUNTS, DECIMALS, FEW, POSSIBLE

Weights = tuple[np.ndarray, np.ndarray]
"""Places of a host's partners, rising, uint32, and their probabilities in thousandths, uint16."""
NONE: Weights = np.zeros(0, np.uint32), np.zeros(0, np.uint16)


class Company:
    """Lists of partners: ``start`` (n + 1,) into ``other``, places rising in each list, and ``weight``."""

    def __init__(self, start: np.ndarray, other: np.ndarray, weight: np.ndarray) -> None:
        self.start, self.other, self.weight = start, other, weight
        self._sums = np.concatenate([[0], np.cumsum(weight, dtype=np.int64)])

    def with_strangers(self, lists: list[Weights]) -> Company:
        """The same with the lists of further hosts behind the known ones'."""
        return Company(np.concatenate([self.start, self.start[-1] + np.cumsum([len(other) for other, _ in lists], dtype=np.int64)]),
                       np.concatenate([self.other, *(other for other, _ in lists)]), np.concatenate([self.weight, *(weight for _, weight in lists)]))

    def added(self, weigher: Lookup, x: np.ndarray, y: np.ndarray, same: tuple[np.ndarray, np.ndarray], log_odds: np.ndarray) -> np.ndarray:
        """What company adds to each pair's strength, (P,) float64.

        Args:
            x, y: (P,) places. same: (P,) each, the known place of the same name, itself for a known host and -1 where there is none.
            log_odds: (P,) of being replicas by their own evidence.
        """
        total = [self._total(host) - self._between(host, self_of) for host, self_of in ((x, same[1]), (y, same[0]))]
        pair, i = expanded(self.start.take(x), self.start.take(x + 1))
        j, found = located(self.start, self.other, y.take(pair), self.other.take(i))
        found &= (self.other.take(i) != same[0].take(pair)) & (self.other.take(i) != same[1].take(pair))
        i, j, pair = (column[found] for column in (i, j, pair))
        products = np.bincount(pair, self.weight.take(i).astype(float) * self.weight.take(j), len(x))
        left, right = (side / 1000 for side in total)
        common = np.minimum(products / 1e6, np.minimum(left, right))
        either = left + right - common
        overlap = np.divide(common, either, out=np.full(len(x), np.nan), where=either > FEW)
        columns = (np.round(log_odds, 9), common, overlap, np.minimum(left, right), np.maximum(left, right))
        return np.round(weigher.score(weigher.bins([column.astype(np.float32) for column in columns])), DECIMALS)

    def _total(self, host: np.ndarray) -> np.ndarray:
        return self._sums.take(self.start.take(host + 1)) - self._sums.take(self.start.take(host))

    def _between(self, host: np.ndarray, other: np.ndarray) -> np.ndarray:
        """The weight of one in the other's list, (P,) int64; 0 where it is not in it."""
        at, found = located(self.start, self.other, host, np.maximum(other, 0).astype(np.uint32))
        return np.where(found & (other >= 0), self.weight.take(np.where(found, at, 0)), 0) if len(self.weight) else np.zeros(len(host), np.int64)


def possible(log_odds: np.ndarray) -> np.ndarray:
    """Which pairs company is asked of, places of (P,)."""
    return np.flatnonzero(log_odds >= np.log(POSSIBLE / (1 - POSSIBLE)))


def weights(place: np.ndarray, log_odds: np.ndarray) -> Weights:
    """Partners among hosts at these places, rising, with the log odds that they are replicas of one host."""
    probability = 1 / (1 + np.exp(-np.clip(log_odds, -700, 700)))
    counted = np.flatnonzero(probability >= COUNTS)
    return place[counted].astype(np.uint32), np.rint(probability[counted] * 1000).astype(np.uint16)
