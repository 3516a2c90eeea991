"""Relational evidence, as ``replicadb.detection.collective`` has it, for pairs that detection did
not score.

Invariant: known hosts' neighbours are those that detection found, by each pair's local
evidence (``local``) and, of hosts with MIN_COMMON of them, as the pass before its last had
corrected it (``corrected``). A new host's are the known hosts that it is probably a replica of,
among those that ``lookup`` scores, by local evidence and corrected by one pass. Every neighbour
counts, where detection reads a sample of more than MAX_NEIGHBOURS.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.detection.collective import (
    MIN_COMMON,
    POSSIBLE,
    RelationalEvidence,
    Stacked,
    neighbour_weights,
)
from replicadb.learning.shared_neighbours import SURE, overlap, sums
from replicadb.model.host_rows import expanded, located

PIECE = 1 << 20
"""Neighbours gone through at a time."""
Weights = tuple[np.ndarray, np.ndarray]
"""Places of a host's neighbours, rising, uint32, and their probabilities in thousandths, uint16."""
NONE: Weights = np.zeros(0, np.uint32), np.zeros(0, np.uint16)


@dataclass
class NeighbourLists:
    """Neighbours of n hosts: ``start`` (n + 1,) into ``other``, places of known hosts, rising in
    each list, and ``weight``; ``total``, (n,), of each list's weights.
    """

    start: np.ndarray
    other: np.ndarray
    weight: np.ndarray
    total: np.ndarray

    @classmethod
    def of(cls, each: list[Weights]) -> NeighbourLists:
        """The lists of hosts, one each."""
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
        if not len(self.weight):
            return np.zeros(len(host), np.int64)
        at, found = located(self.start, self.other, host, np.maximum(other, 0).astype(np.uint32))
        weight = self.weight.take(np.where(found, at, 0))
        return np.where(found & (other >= 0), weight, 0).astype(np.int64)


@dataclass
class Neighbours:
    """Both lists of the same hosts."""

    local: NeighbourLists
    corrected: NeighbourLists


@dataclass
class Side:
    """One host of each of P pairs, or their other hosts.

    ``host``: (P,) numbers in ``neighbours``; ``known``: (P,) the known place of the host of that
    name, itself for a known host and -1 where there is none.
    """

    neighbours: Neighbours
    host: np.ndarray
    known: np.ndarray

    def take(self, at: np.ndarray | slice) -> Side:
        """The same of the pairs at these places, (m,)."""
        return Side(self.neighbours, self.host[at], self.known[at])


def added(stacked: Stacked, x: Side, y: Side, log_odds: np.ndarray) -> np.ndarray:
    """What relational evidence adds to each pair's strength, (P,) float64; log_odds, (P,): of being
    replicas by local evidence.
    """
    first = neighbours_say(x.neighbours.local, x, y.neighbours.local, y)
    result = stacked.first(log_odds, first)
    left, right = x.neighbours.corrected, y.neighbours.corrected
    least = np.minimum(left.total.take(x.host), right.total.take(y.host))
    at = np.flatnonzero(least >= MIN_COMMON * SURE)
    if len(at):
        again = neighbours_say(left, x.take(at), right, y.take(at))
        counts = again.enough & ~again.conflicting
        result[at[counts]] = stacked.adds(log_odds[at[counts]], again.overlap[counts])
    return result


def neighbours_say(
    left: NeighbourLists, x: Side, right: NeighbourLists, y: Side
) -> RelationalEvidence:
    """What the neighbours in these lists of both sides say of each pair."""
    p = len(x.host)
    products, correlation = np.zeros(p), np.full(p, np.nan, np.float32)
    n = np.cumsum(left.start.take(x.host + 1) - left.start.take(x.host))
    low = 0
    while low < p:
        end = int(np.searchsorted(n, (n[low - 1] if low else 0) + PIECE, side="right"))
        high = max(end, low + 1)
        piece = slice(low, high)
        pair, mine, theirs = _shared(left, x.take(piece), right, y.take(piece))
        products[piece] = np.bincount(pair, mine * theirs, high - low)
        many = products[piece] >= MIN_COMMON * SURE**2
        if many.any():
            rows = many[pair]
            found = sums(pair[rows], mine[rows], theirs[rows], high - low)[1]
            correlation[piece][many] = found[many]
        low = high
    mine = (left.total.take(x.host) - left.between(x.host, y.known)) / SURE
    theirs = (right.total.take(y.host) - right.between(y.host, x.known)) / SURE
    common = np.minimum(products / SURE**2, np.minimum(mine, theirs))
    return RelationalEvidence(common.astype(np.float32), overlap(common, mine, theirs), correlation)


def _shared(
    left: NeighbourLists, x: Side, right: NeighbourLists, y: Side
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The neighbours that both hosts have, themselves left out: the pair (m,), and their weights
    with either, (m,) float64.
    """
    pair, i = expanded(left.start.take(x.host), left.start.take(x.host + 1))
    other = left.other.take(i)
    j, found = located(right.start, right.other, y.host.take(pair), other)
    themselves = (other == x.known.take(pair)) | (other == y.known.take(pair))
    at = np.flatnonzero(found & ~themselves)
    return (
        pair.take(at),
        left.weight.take(i.take(at)).astype(float),
        right.weight.take(j.take(at)).astype(float),
    )


def possible(log_odds: np.ndarray) -> np.ndarray:
    """Which pairs are corrected, places of (P,)."""
    return np.flatnonzero(log_odds >= np.log(POSSIBLE / (1 - POSSIBLE)))


def weights(place: np.ndarray, log_odds: np.ndarray) -> Weights:
    """A host's neighbours: their places, rising, and their weights, (m,) each.

    Args:
        place: (k,) rising places of other hosts. log_odds: (k,) of being replicas of the host.
    """
    weight = neighbour_weights(log_odds)
    counted = np.flatnonzero(weight)
    return place[counted].astype(np.uint32), weight[counted].astype(np.uint16)
