"""Local strengths of pairs: by their own evidence, neighbours left out, a piece of them at a time.

Invariant: a pair's strength does not depend on which pairs come with it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from replicadb.detection.kinds import kinds_of
from replicadb.model.known_hosts import KINDS_APART, KnownHosts
from replicadb.model.model_features import Pairs
from replicadb.model.name_features import NAME_FEATURES
from replicadb.model.new_host_rows import NewHosts
from replicadb.model.pair_classifier import PairClassifier
from replicadb.model.pair_evidence import meeting_pairs, pairs_of

PIECE_PAIRS = 1 << 16
PIECE_ENTRIES = 1 << 19
"""Pairs scored together: at most so many, with at most so many entries to go through (or one pair),
which stay in the cache.
"""
MAX_THREADS = 8
"""More wait for each other at Python's lock."""
OfPiece = Callable[[np.ndarray, np.ndarray, NewHosts], np.ndarray]


class PairScorer:
    """Scores pairs of known and of new hosts by their local evidence; threads may share it.

    Places are those of the known hosts and, behind them, of the new ones.
    """

    def __init__(self, known: KnownHosts, classifier: PairClassifier) -> None:
        self.known, self.classifier = known, classifier
        self.by_name = any(name in NAME_FEATURES for name in classifier.features)
        self.of_kind = np.full(KINDS_APART, np.nan)
        """The local strength of pairs that have nothing in common, by KnownHosts.kinds_apart; NaN:
        none was met yet.
        """

    def pairs(self, x: np.ndarray, y: np.ndarray, new: NewHosts) -> Pairs:
        """Pairs ready for features; x, y: (P,) places."""
        return pairs_of(self.known, x, y, new)

    def columns(self, pairs: Pairs) -> list[np.ndarray]:
        """The features that are weighed, (P,) float32 each."""
        return pairs.columns(self.classifier.features)

    def strength(self, pairs: Pairs) -> np.ndarray:
        """Local strengths, (P,) float64."""
        return self.classifier.strength(self.columns(pairs))

    def strengths(
        self, x: np.ndarray, y: np.ndarray, new: NewHosts
    ) -> tuple[np.ndarray, np.ndarray]:
        """Local strengths of many pairs, (P,) float64, and the contents that both hosts have, (P,)
        int64, piece by piece, a thread for each core.
        """
        found = np.empty((len(x), 2))
        self._fill(found, self._piece, x, y, new)
        return found[:, 0], found[:, 1].astype(np.int64)

    def shared(self, x: np.ndarray, y: np.ndarray, new: NewHosts) -> np.ndarray:
        """Contents that many pairs have in common, (P,) int64, likewise."""
        shared = np.zeros(len(x), np.int64)

        def of_piece(x: np.ndarray, y: np.ndarray, new: NewHosts) -> np.ndarray:
            return pairs_of(self.known, x, y, new).sums["shared"]

        self._fill(shared, of_piece, x, y, new)
        return shared

    def kinds(self, x: np.ndarray, y: np.ndarray, new: NewHosts) -> np.ndarray:
        """What many pairs look like, (P,) places in PAIR_KINDS, likewise."""
        kind = np.empty(len(x), np.int8)

        def of_piece(x: np.ndarray, y: np.ndarray, new: NewHosts) -> np.ndarray:
            return kinds_of(pairs_of(self.known, x, y, new).column, len(x))

        self._fill(kind, of_piece, x, y, new)
        return kind

    def _fill(
        self, out: np.ndarray, of_piece: OfPiece, x: np.ndarray, y: np.ndarray, new: NewHosts
    ) -> None:
        """A value (or row) for each of P pairs, piece by piece, a thread for each core."""
        order = self._by_size(x, y)

        def fill_piece(low: int, high: int) -> None:
            at = order[low:high]
            out[at] = of_piece(x[at], y[at], new)

        edges = self._edges(x[order], y[order], new)
        if len(edges) <= 2:  # to start a thread takes longer than a few pairs
            fill_piece(0, len(x))
            return
        threads = min(os.cpu_count() or 1, MAX_THREADS, max(len(edges) - 1, 1))
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill_piece, edges[:-1], edges[1:]))

    def _by_size(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """An order of pairs, (P,) int64: by the entries of the host that has more, then by that
        host. To look up among few takes fewer steps, and what is gone through for one pair is in
        the cache for the next. New hosts come last.
        """
        beyond = int(max(x.max(initial=0), y.max(initial=0))) - self.known.n + 1
        last = np.full(max(beyond, 0), np.iinfo(np.int32).max)
        n = np.append(np.diff(self.known.rows["start"]), last)
        of_x, of_y = n.take(x), n.take(y)
        return np.argsort(np.maximum(of_x, of_y) << 32 | np.where(of_x > of_y, x, y))

    def _edges(self, x: np.ndarray, y: np.ndarray, new: NewHosts) -> list[int]:
        """Where to cut the pairs into pieces."""
        start = self.known.rows["start"]
        if len(new):  # the pages of the other host are gone through, too
            start = start + self.known.rows["page_start"]
        n = np.append(np.diff(start), np.ones(len(new), np.int64))
        cost = np.cumsum(np.maximum(n[x], n[y]) if len(new) else np.minimum(n[x], n[y]))
        edges, low = [0], 0
        while low < len(x):
            most = (cost[low - 1] if low else 0) + PIECE_ENTRIES
            affordable = int(np.searchsorted(cost, most, side="right"))
            low = min(max(affordable, low + 1), low + PIECE_PAIRS, len(x))
            edges.append(low)
        return edges

    def _piece(self, x: np.ndarray, y: np.ndarray, new: NewHosts) -> np.ndarray:
        """(P, 2) strength and shared contents. Of known pairs that have nothing in common only one
        of each kind is scored: all others of the kind are equal.
        """
        if self.by_name or len(new):
            pairs = self.pairs(x, y, new)
            return np.column_stack([self.strength(pairs), pairs.sums["shared"]])
        at, meeting = meeting_pairs(self.known, x, y)
        kind = self.known.kinds_apart(x, y)
        apart = np.ones(len(x), bool)
        apart[at] = False
        self._learn_kinds(kind, apart, x, y, new)
        found = np.column_stack([self.of_kind.take(kind), np.zeros(len(x))])
        found[at] = np.column_stack([self.strength(meeting), meeting.sums["shared"]])
        return found

    def _learn_kinds(
        self, kind: np.ndarray, apart: np.ndarray, x: np.ndarray, y: np.ndarray, new: NewHosts
    ) -> None:
        """The strengths of kinds that were not met before, by one pair of each."""
        unknown = np.flatnonzero(np.isnan(self.of_kind.take(kind)) & apart)
        if len(unknown):
            kinds, first = np.unique(kind[unknown], return_index=True)
            one = unknown[first]
            self.of_kind[kinds] = self.strength(self.pairs(x[one], y[one], new))
