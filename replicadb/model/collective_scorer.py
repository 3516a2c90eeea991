"""Strengths of pairs as detection has them: candidates' as it stored them, others' by their local
evidence and by what their neighbours say.

Invariant: pairs of known hosts are corrected by the neighbours that detection found, pairs
of a new host by those found for it once, among its retrieved candidates.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from replicadb.detection.collective import DECIMALS, MIN_COMMON
from replicadb.learning.shared_neighbours import SURE
from replicadb.model import relational, retrieval
from replicadb.model.known_pairs import Candidates
from replicadb.model.new_host_rows import NewHosts
from replicadb.model.pair_scorer import PairScorer
from replicadb.model.relational import NeighbourLists, Neighbours, Side, Weights

LISTS = ("start", "other", "weight", "total")


class CollectiveScorer:
    """Scores pairs by all their evidence; threads may share it.

    Args:
        local: scores by local evidence.
        arrays: the model's: of candidates, and of neighbours by local evidence (``partner_``) and
            by corrected log odds (``corrected_``).
    """

    def __init__(self, local: PairScorer, arrays: Mapping[str, np.ndarray]) -> None:
        self.local, self.known, self.classifier = local, local.known, local.classifier
        self.candidates = Candidates(arrays)
        self.neighbours = Neighbours(
            NeighbourLists(*(arrays[f"partner_{name}"] for name in LISTS)),
            NeighbourLists(*(arrays[f"corrected_{name}"] for name in LISTS)),
        )

    def strengths(
        self, x: np.ndarray, y: np.ndarray, new: NewHosts
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The strength of each pair of places, (P,) float64; whether it was a candidate; and the
        contents that both hosts have.
        """
        strength, candidate = self.candidates.find(x, y)
        others, found = np.flatnonzero(~candidate), np.flatnonzero(candidate)
        shared = np.zeros(len(x), np.int64)
        strength[others], shared[others] = self.local.strengths(x[others], y[others], new)
        shared[found] = self.local.shared(x[found], y[found], new)
        self._correct(strength, others, x, y, new)
        return strength, candidate, shared

    def as_detected(
        self, local: np.ndarray, x: np.ndarray, y: np.ndarray, new: NewHosts
    ) -> tuple[np.ndarray, np.ndarray]:
        """The strength of each pair, (P,) float64, given its local one; whether detection had it as
        a candidate, (P,) bool.
        """
        stored, candidate = self.candidates.find(x, y)
        strength = np.where(candidate, stored, local)
        self._correct(strength, np.flatnonzero(~candidate), x, y, new)
        return strength, candidate

    def _correct(
        self, strength: np.ndarray, at: np.ndarray, x: np.ndarray, y: np.ndarray, new: NewHosts
    ) -> None:
        """Add what relational evidence says to the local strengths of the pairs ``at``."""
        stacked, n = self.classifier.stacked, self.known.n
        if stacked is None:
            return
        at = at[relational.possible(strength[at] + self.classifier.offset)]
        if not len(at):
            return
        x, y = np.maximum(x[at], y[at]), np.minimum(x[at], y[at])  # a new host comes first
        theirs = self._neighbours_of_new(new, np.concatenate([x, y]))
        known_place = np.array([host.place for host in new], np.int64)
        for chosen, left_new, right_new in (
            (x < n, False, False),
            ((x >= n) & (y < n), True, False),
            (y >= n, True, True),
        ):
            some = np.flatnonzero(chosen)
            if len(some):
                sides = [
                    Side(theirs, side[some] - n, known_place[side[some] - n])
                    if is_new
                    else Side(self.neighbours, side[some], side[some])
                    for side, is_new in ((x, left_new), (y, right_new))
                ]
                log_odds = strength[at[some]] + self.classifier.offset
                more = relational.added(stacked, sides[0], sides[1], log_odds)
                strength[at[some]] = np.round(strength[at[some]] + more, DECIMALS)

    def _neighbours_of_new(self, new: NewHosts, places: np.ndarray) -> Neighbours:
        """The neighbours of the new hosts, if there are any; of none that is not at these
        places.
        """
        wanted = set((places[places >= self.known.n] - self.known.n).tolist())
        if not len(new):
            return self.neighbours
        none = relational.NONE, relational.NONE
        each = [
            self._neighbours_of(new, number) if number in wanted else none
            for number in range(len(new))
        ]
        return Neighbours(
            NeighbourLists.of([local for local, _ in each]),
            NeighbourLists.of([corrected for _, corrected in each]),
        )

    def _neighbours_of(self, new: NewHosts, number: int) -> tuple[Weights, Weights]:
        """The known hosts that a new host is probably a replica of, by its local evidence and
        corrected.
        """
        if number not in new.neighbours:
            others, _ = retrieval.of_new_host(self.known, new[number])
            local = np.zeros(0)
            if len(others):
                place = np.full(len(others), self.known.n + number)
                local = self.local.strength(self.local.pairs(place, others, new))
            self.remember(new, number, others, local)
        return new.neighbours[number]

    def remember(self, new: NewHosts, number: int, others: np.ndarray, local: np.ndarray) -> None:
        """Find a new host's neighbours among its retrieved candidates: known hosts at places
        ``others``, rising, with these local strengths, both (m,).
        """
        log_odds = local + self.classifier.offset
        own = relational.weights(others, log_odds)
        stacked = self.classifier.stacked
        if stacked is None or int(own[1].sum()) < MIN_COMMON * SURE:
            new.neighbours[number] = own, relational.NONE
            return
        lists = NeighbourLists.of([own])
        place = np.full(len(others), new[number].place, np.int64)
        itself = Side(Neighbours(lists, lists), np.zeros(len(others), np.int64), place)
        first = relational.neighbours_say(
            lists, itself, self.neighbours.local, Side(self.neighbours, others, others)
        )
        corrected = relational.weights(others, log_odds + stacked.first(log_odds, first))
        new.neighbours[number] = own, corrected
