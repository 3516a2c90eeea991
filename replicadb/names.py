"""Host names compared inside SQL, on columns: their edit distance, and how many rare terms they share.

Always true here: ``names_alike(a, b)``, of two host_stats.host_rank, is (ndist, nmatch): the Levenshtein distance of the names,
at most 255, and the cosine of their term vectors (paper section 3.1, Eq. 1). Only numbers cross into Python, a
vector of some thousand pairs at a time, so that no string is made anew.
Source: Hyyrö (2003), "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", by rapidfuzz.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import duckdb
import numpy as np
import pyarrow as pa

from replicadb.database import Database, statements

FARTHEST = 255
FEW_TERMS = 4
"""Terms that most names have at most; longer names are compared on their own."""
ALIKE = "STRUCT(ndist UTINYINT, nmatch FLOAT)"


@contextlib.contextmanager
def names_alike(db: Database, scale: int) -> Iterator[None]:
    """While inside, statements may use ``names_alike(a, b)`` for hosts in the table ``host_stats``."""
    distance, terms = _distances(db), _Terms(db, scale)

    def alike(a: pa.ChunkedArray, b: pa.ChunkedArray) -> pa.Array:
        a, b = a.to_numpy(), b.to_numpy()
        return pa.StructArray.from_arrays([pa.array(distance(a, b)), pa.array(terms.cosine(a, b))], ["ndist", "nmatch"])

    db.con.create_function("names_alike", alike, ["INTEGER", "INTEGER"], ALIKE, type="arrow")
    try:
        yield
    finally:
        with contextlib.suppress(duckdb.TransactionException):  # after an error; the rollback takes it back as well
            db.con.remove_function("names_alike")


def _distances(db: Database):
    """A function of two arrays of host ranks, (n,) int: their names' edit distances, (n,) uint8."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    hosts = db.arrays("SELECT host_rank, host FROM host_stats JOIN hosts USING (host_id)")
    names = np.full(int(hosts["host_rank"].max(initial=0)) + 1, "", object)
    names[hosts["host_rank"]] = hosts["host"]

    def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        found = cpdist(names[a], names[b], scorer=Levenshtein.distance, dtype=np.uint16)
        return np.minimum(found, FARTHEST).astype(np.uint8)

    return distance


class _Terms:
    """The terms of every name as numbers with their squared weights, rarest first: the first few of each name in one
    array, what the few long names have more in a small one."""

    def __init__(self, db: Database, scale: int) -> None:
        found = db.arrays(statements("40_pair_features")["host_terms"], {"scale": scale})
        rank, hosts = found["host_rank"], db.value("SELECT max(host_rank) FROM host_stats") or 0
        place = np.arange(len(rank)) - np.searchsorted(rank, rank)
        self.n = np.bincount(rank, minlength=hosts + 1)
        self.norm2 = np.bincount(rank, found["weight2"], hosts + 1)
        self.long_row = np.zeros(hosts + 1, np.int32)  # 0: not a long name
        long = np.flatnonzero(self.n > FEW_TERMS)
        self.long_row[long] = np.arange(1, len(long) + 1)
        few = place < FEW_TERMS
        self.term, self.weight2 = _matrix(place[few], rank[few], found, few, FEW_TERMS, hosts + 1)
        more = ~few
        width = max(int(self.n.max(initial=0)) - FEW_TERMS, 0)
        self.long_term, self.long_weight2 = _matrix(place[more] - FEW_TERMS, self.long_row[rank[more]], found, more, width, len(long) + 1)

    def cosine(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Cosine of the pairs' term vectors, (n,) float32; 0 where a name has no term of weight."""
        shared = self._shared(a, b, FEW_TERMS)
        longer = np.flatnonzero(self.long_row[a] | self.long_row[b])
        if len(longer):
            shared[longer] = self._shared(a[longer], b[longer], FEW_TERMS + len(self.long_term))
        norm = np.sqrt(self.norm2[a] * self.norm2[b])
        return np.divide(shared, norm, out=np.zeros(len(a)), where=norm > 0).astype(np.float32)

    def _shared(self, a: np.ndarray, b: np.ndarray, most: int) -> np.ndarray:
        """Squared weights of the terms that both have, of the first ``most`` of each, summed, (n,) int64."""
        total = np.zeros(len(a), np.int64)
        others = [self._column(k, b)[0] for k in range(min(most, int(self.n[b].max(initial=0))))]
        for k in range(min(most, int(self.n[a].max(initial=0)))):
            mine, weight2 = self._column(k, a)
            same = np.zeros(len(a), bool)
            for other in others:
                same |= mine == other
            np.add(total, weight2, out=total, where=same & (mine >= 0))
        return total

    def _column(self, k: int, side: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The k-th term of each host and its squared weight, (n,) int32 and int64; -1 where it has none."""
        if k < FEW_TERMS:
            return self.term[k][side], self.weight2[k][side]
        row = self.long_row[side]
        return self.long_term[k - FEW_TERMS][row], self.long_weight2[k - FEW_TERMS][row]


def _matrix(place, column, found, where, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    term, weight2 = np.full((rows, columns), -1, np.int32), np.zeros((rows, columns), np.int64)
    term[place, column], weight2[place, column] = found["term_id"][where], found["weight2"][where]
    return term, weight2
