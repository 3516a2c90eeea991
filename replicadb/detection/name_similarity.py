"""Similarity of host names, on columns: their edit distance (ndist), and the cosine of their term
vectors (nmatch).

Invariant: ndist is the Levenshtein distance of two names, at most 255; nmatch is the cosine of
their term vectors (paper section 3.1, Eq. 1). Only numbers cross from SQL into Python, a slice of
the pairs at a time, so that no string is made anew. (As a function inside SQL the same took twice
as long: DuckDB's threads waited for each other at Python's lock.)

Source: Hyyrö (2003), "A bit-vector algorithm for computing Levenshtein and Damerau edit distances",
by rapidfuzz.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from replicadb.store.database import Database
from replicadb.store.statements import statements

FARTHEST = 255
"""The largest edit distance that is given, in characters: a column of one byte."""
FEW_TERMS = 4
"""Terms that most names have at most; longer names are compared on their own."""
MANY_TERMS = 12
"""Terms that hardly a name has; pairs of longer ones are looked up term by term, so that one odd
name costs itself alone.
"""
LOOKED_UP = 2_000_000
"""Terms looked up at a time."""
BATCH = 200_000
"""Pairs compared at a time, so that they stay in the cache."""


class Names:
    """The names of all hosts, by compared_hosts.place, ready to be compared."""

    def __init__(self, db: Database, scale: int) -> None:
        hosts = db.arrays("SELECT place, host FROM compared_hosts JOIN hosts USING (host_id)")
        self._names = np.full(int(hosts["place"].max(initial=0)) + 1, "", object)
        self._names[hosts["place"]] = hosts["host"]
        self.terms = _Terms(db, scale)
        self._threads = int(db.value("SELECT current_setting('threads')"))

    def with_similarity(self, pairs: pa.Table) -> pa.Table:
        """Pairs (a, b: places) with two columns more: ndist (uint8) and nmatch (float32)."""
        a, b = (pairs.column(side).to_numpy() for side in ("a", "b"))
        ndist, nmatch = np.empty(len(a), np.uint8), np.empty(len(a), np.float32)
        for start in range(0, len(a), BATCH):
            piece = slice(start, start + BATCH)
            ndist[piece], nmatch[piece] = (
                self.distance(a[piece], b[piece]),
                self.terms.cosine(a[piece], b[piece]),
            )
        return pairs.append_column("ndist", pa.array(ndist)).append_column(
            "nmatch", pa.array(nmatch)
        )

    def distance(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Edit distances of the pairs' names, (n,) uint8."""
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist

        found = cpdist(
            self._names[a],
            self._names[b],
            scorer=Levenshtein.distance,
            score_cutoff=FARTHEST,
            dtype=np.uint16,
            workers=self._threads,
        )
        distance: np.ndarray = np.minimum(found, FARTHEST).astype(np.uint8)
        return distance


class _Terms:
    """The terms of every name as numbers with their squared weights, rarest first: the first few of
    each name in one array, what the longer names have more (up to MANY_TERMS) in a small one, and
    all of them in a list to look up in.
    """

    def __init__(self, db: Database, scale: int) -> None:
        found = db.arrays(statements("detect/40_pair_features")["host_terms"], {"scale": scale})
        host, hosts = found["place"], db.value("SELECT max(place) FROM compared_hosts") or 0
        nth = np.arange(len(host)) - np.searchsorted(host, host)
        self.n = np.bincount(host, minlength=hosts + 1)
        self.norm2 = np.bincount(host, found["weight2"], hosts + 1)
        self.long_row = np.zeros(hosts + 1, np.int32)  # 0: not a long name
        long = np.flatnonzero(self.n > FEW_TERMS)
        self.long_row[long] = np.arange(1, len(long) + 1)
        few = nth < FEW_TERMS
        self.term, self.weight2 = _matrix(nth[few], host[few], found, few, FEW_TERMS, hosts + 1)
        more = (nth >= FEW_TERMS) & (nth < MANY_TERMS)
        width = min(max(int(self.n.max(initial=0)) - FEW_TERMS, 0), MANY_TERMS - FEW_TERMS)
        self.long_term, self.long_weight2 = _matrix(
            nth[more] - FEW_TERMS, self.long_row[host[more]], found, more, width, len(long) + 1
        )
        if self.n.max(initial=0) > MANY_TERMS:
            self.start = np.concatenate([[0], np.cumsum(self.n)])
            self.keys = np.sort(_key(host, found["term_id"]))
            self.weight2_of = np.zeros(int(found["term_id"].max()) + 1, np.int64)
            self.weight2_of[found["term_id"]] = found["weight2"]

    def cosine(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Cosine of the pairs' term vectors, (n,) float32; 0 where a name has no term of weight."""
        shared = self._shared(a, b, FEW_TERMS)
        longer = np.flatnonzero(self.long_row[a] | self.long_row[b])
        if len(longer):
            most = np.maximum(self.n[a[longer]], self.n[b[longer]])
            for at, compare in (
                (longer[most <= MANY_TERMS], self._shared),
                (longer[most > MANY_TERMS], self._looked_up),
            ):
                shared[at] = compare(a[at], b[at], MANY_TERMS)
        norm = np.sqrt(self.norm2[a] * self.norm2[b])
        cosine = np.zeros(len(a))
        np.divide(shared, norm, out=cosine, where=norm > 0)
        return cosine.astype(np.float32)

    def _shared(self, a: np.ndarray, b: np.ndarray, most: int) -> np.ndarray:
        """Squared weights of the terms that both have, of the first ``most`` of each, summed, (n,)
        int64.
        """
        total = np.zeros(len(a), np.int64)
        others = [self._column(k, b)[0] for k in range(min(most, int(self.n[b].max(initial=0))))]
        for k in range(min(most, int(self.n[a].max(initial=0)))):
            mine, weight2 = self._column(k, a)
            same = np.zeros(len(a), bool)
            for other in others:
                same |= mine == other
            np.add(total, weight2, out=total, where=same & (mine >= 0))
        return total

    def _looked_up(self, a: np.ndarray, b: np.ndarray, _: int) -> np.ndarray:
        """The same of all terms: those of the shorter name looked up among the other's."""
        swap = self.n[a] > self.n[b]
        few, many = np.where(swap, b, a), np.where(swap, a, b)
        total, low, ends = np.zeros(len(a), np.int64), 0, np.cumsum(self.n[few])
        while low < len(a):
            done = ends[low - 1] if low else 0
            high = max(int(np.searchsorted(ends, done + LOOKED_UP, side="right")), low + 1)
            n = self.n[few[low:high]]
            pair = np.repeat(np.arange(low, high), n)
            place = np.arange(len(pair)) + np.repeat(
                self.start[few[low:high]] - (ends[low:high] - n - done), n
            )
            term = self.keys[place] & 0xFFFFFFFF
            wanted = _key(many[pair], term)
            at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
            np.add.at(total, pair, np.where(self.keys[at] == wanted, self.weight2_of[term], 0))
            low = high
        return total

    def _column(self, k: int, side: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The k-th term of each host and its squared weight, (n,) int32 and int64; -1 where it has
        none.
        """
        if k < FEW_TERMS:
            return self.term[k][side], self.weight2[k][side]
        row = self.long_row[side]
        return self.long_term[k - FEW_TERMS][row], self.long_weight2[k - FEW_TERMS][row]


def _key(host: np.ndarray, term: np.ndarray) -> np.ndarray:
    key: np.ndarray = host.astype(np.int64) << 32 | term
    return key


def _matrix(
    place: np.ndarray,
    column: np.ndarray,
    found: dict[str, np.ndarray],
    where: np.ndarray,
    rows: int,
    columns: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Terms and squared weights put at (place, column) of two matrices; -1 where there is none."""
    term, weight2 = np.full((rows, columns), -1, np.int32), np.zeros((rows, columns), np.int64)
    term[place, column], weight2[place, column] = found["term_id"][where], found["weight2"][where]
    return term, weight2
