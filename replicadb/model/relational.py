"""The company that two hosts keep, as ``replicadb.detection.collective`` has it, for pairs that
detection did not score.

Always true here: known hosts' partners are those that detection found, by each pair's own evidence
(``own``) and, of hosts with MIN_COMMON of them, by what company said before it was asked for the
last time (``told``); a stranger's are the known hosts that it is probably a replica of, among those
that ``lookup`` scores, by its own evidence and by one look at their company. Every partner counts,
where detection looks at a sample of more than MOST.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.detection import collective
from replicadb.detection.collective import MIN_COMMON, POSSIBLE, RelationalEvidence, Stacked
from replicadb.learning.shared_neighbours import overlap, sums
from replicadb.model.host_rows import expanded, located

PIECE = 1 << 20
"""Partners gone through at a time."""
Weights = tuple[np.ndarray, np.ndarray]
"""Places of a host's partners, rising, uint32, and their probabilities in thousandths, uint16."""
NONE: Weights = np.zeros(0, np.uint32), np.zeros(0, np.uint16)


@dataclass
class Lists:
    """Partners of n hosts: ``start`` (n + 1,) into ``other``, places of known hosts, rising in each
    list, and ``weight``; ``total``, (n,), of each list's weights.
    """

    start: np.ndarray
    other: np.ndarray
    weight: np.ndarray
    total: np.ndarray

    @classmethod
    def of(cls, each: list[Weights]) -> Lists:
        return cls(
            np.concatenate([[0], np.cumsum([len(other) for other, _ in each])]).astype(np.int64),
            np.concatenate([NONE[0], *(other for other, _ in each)]),
            np.concatenate([NONE[1], *(weight for _, weight in each)]),
            np.array([int(weight.sum()) for _, weight in each], np.int64),
        )

    def between(self, host: np.ndarray, other: np.ndarray) -> np.ndarray:
        """The weight that a known host has in a host's list, (P,) int64; 0 where it is
        not in it.
        """
        at, found = located(self.start, self.other, host, np.maximum(other, 0).astype(np.uint32))
        return (
            np.where(found & (other >= 0), self.weight.take(np.where(found, at, 0)), 0).astype(
                np.int64
            )
            if len(self.weight)
            else np.zeros(len(host), np.int64)
        )


@dataclass
class Partners:
    """Both kinds of lists, of the same hosts."""

    own: Lists
    told: Lists


def added(
    stacked: Stacked,
    left: Partners,
    x: np.ndarray,
    right: Partners,
    y: np.ndarray,
    same: tuple[np.ndarray, np.ndarray],
    log_odds: np.ndarray,
) -> np.ndarray:
    """What company adds to each pair's strength, (P,) float64.

    Args:
        x, y: (P,) numbers of hosts in the left and the right lists.
        same: (P,) each, the known place of the host of that name, itself for a known host and -1
            where there is none.
        log_odds: (P,) of being replicas by their own evidence.
    """
    result = stacked.first(log_odds, measured(left.own, x, right.own, y, same))
    at = np.flatnonzero(
        np.minimum(left.told.total.take(x), right.told.total.take(y)) >= MIN_COMMON * 1000
    )
    if len(at):
        again = measured(left.told, x[at], right.told, y[at], (same[0][at], same[1][at]))
        counts = again.enough & ~again.conflicting
        result[at[counts]] = stacked.adds(log_odds[at[counts]], again.overlap[counts])
    return result


def measured(
    left: Lists, x: np.ndarray, right: Lists, y: np.ndarray, same: tuple[np.ndarray, np.ndarray]
) -> RelationalEvidence:
    """The company of each pair by these lists; arguments as for :func:`added`."""
    products, n = np.zeros(len(x)), np.cumsum(left.start.take(x + 1) - left.start.take(x))
    correlation = np.full(len(x), np.nan, np.float32)
    low = 0
    while low < len(x):
        high = max(
            int(np.searchsorted(n, (n[low - 1] if low else 0) + PIECE, side="right")), low + 1
        )
        pair, mine, theirs = _in_common(
            left, x[low:high], right, y[low:high], same[0][low:high], same[1][low:high]
        )
        products[low:high] = np.bincount(pair, mine * theirs, high - low)
        many = products[low:high] >= MIN_COMMON * 1e6
        if many.any():
            chosen = many[pair]
            correlation[low:high][many] = sums(
                pair[chosen], mine[chosen], theirs[chosen], high - low
            )[1][many]
        low = high
    mine, theirs = (
        (lists.total.take(host) - lists.between(host, other)) / 1000
        for lists, host, other in ((left, x, same[1]), (right, y, same[0]))
    )
    common = np.minimum(products / 1e6, np.minimum(mine, theirs))
    return RelationalEvidence(common.astype(np.float32), overlap(common, mine, theirs), correlation)


def _in_common(
    left: Lists, x: np.ndarray, right: Lists, y: np.ndarray, own_x: np.ndarray, own_y: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The partners that both hosts have, themselves left out: the pair (m,), and their weights with
    either, (m,) float64.
    """
    pair, i = expanded(left.start.take(x), left.start.take(x + 1))
    other = left.other.take(i)
    j, found = located(right.start, right.other, y.take(pair), other)
    at = np.flatnonzero(found & (other != own_x.take(pair)) & (other != own_y.take(pair)))
    return (
        pair.take(at),
        left.weight.take(i.take(at)).astype(float),
        right.weight.take(j.take(at)).astype(float),
    )


def possible(log_odds: np.ndarray) -> np.ndarray:
    """Which pairs company is asked of, places of (P,)."""
    return np.flatnonzero(log_odds >= np.log(POSSIBLE / (1 - POSSIBLE)))


def weights(place: np.ndarray, log_odds: np.ndarray) -> Weights:
    """Partners among hosts at these places, rising, with the log odds that they are replicas of one
    host.
    """
    weight = collective.neighbour_weights(log_odds)
    counted = np.flatnonzero(weight)
    return place[counted].astype(np.uint32), weight[counted].astype(np.uint16)
