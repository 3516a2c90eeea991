"""The evidence of pairs of hosts, known or new: what they share, their norms and links, put
together for the features.

Invariant: places below the number of known hosts are known hosts', the others new hosts'.
"""

from __future__ import annotations

import numpy as np

from replicadb.model.host_rows import Met, Rows, among, matches
from replicadb.model.known_hosts import KnownHosts
from replicadb.model.model_features import NAN, Pairs
from replicadb.model.name_features import NameFeatures
from replicadb.model.new_host_rows import NewHosts
from replicadb.model.pair_sums import LANGUAGE, NORMS, Columns, PairSums, joined, placed
from replicadb.model.shared_items import shared_sums

DIRECTED = ("linked", "canonical")
SIDE = (*NORMS, "n_sections", "root", "has", "family", "edition", "family_agreement", *LANGUAGE)
"""What is known of each host of a pair."""
OF_DEPTH = (*(name for name in NORMS if not name.startswith("n_")), "n_sections")
"""What grows with the pages that were fetched, and is compared with what two hosts share."""


def pairs_of(known: KnownHosts, x: np.ndarray, y: np.ndarray, new: NewHosts) -> Pairs:
    """Pairs of hosts at places x and y, (P,) each, ready for features."""
    if len(new):
        x, y = np.maximum(x, y), np.minimum(x, y)  # a new host comes first
        shared, left, right = _with_new(known, x, y, new)
        sampled = _sampled(known, x, y, new)
        left, right = (
            _at_equal_depth(left, right, sampled),
            _at_equal_depth(right, left, sampled),
        )
        directed = _directed(known, x, y, new)
        return Pairs(shared, left, right, directed, known.units, NameFeatures(known, x, y, new))
    x, y = _fewer_first(known, x, y)
    met = matches(known.rows, x, known.rows, y)
    return _of_known(known, x, y, met, _found(known.rows["directed"], known.rows, x, y))


def meeting_pairs(known: KnownHosts, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Pairs]:
    """Those of P pairs of known hosts that have anything in common or link to each other: their
    places among the P, (m,), and themselves, ready for features.
    """
    x, y = _fewer_first(known, x, y)
    pair, i, j = matches(known.rows, x, known.rows, y)
    directed = _found(known.rows["directed"], known.rows, x, y)
    meet = ~np.isnan(directed["linked"]) | ~np.isnan(directed["canonical"])
    meet[pair] = True
    at = np.flatnonzero(meet)
    number = np.cumsum(meet, dtype=np.int32) - np.int32(1)
    theirs = {name: values.take(at) for name, values in directed.items()}
    return at, _of_known(known, x.take(at), y.take(at), (number.take(pair), i, j), theirs)


def _fewer_first(known: KnownHosts, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same pairs, of each the host with fewer entries first."""
    start = known.rows["start"]
    swap = start[x + 1] - start[x] > start[y + 1] - start[y]
    return np.where(swap, y, x), np.where(swap, x, y)


def _of_known(
    known: KnownHosts, x: np.ndarray, y: np.ndarray, met: Met, directed: Columns
) -> Pairs:
    """Pairs of known hosts by what they both have."""
    shared = shared_sums(known.items, known.rows, x, known.rows, y, known.units, met)
    left, right = ({name: known.rows[name].take(at) for name in SIDE} for at in (x, y))
    names = NameFeatures(known, x, y, NewHosts(known, []))
    return Pairs(shared, left, right, directed, known.units, names)


def _with_new(
    known: KnownHosts, x: np.ndarray, y: np.ndarray, new: NewHosts
) -> tuple[PairSums, Columns, Columns]:
    """What pairs share, and both sides' figures, put together from pairs without new hosts, those
    with one, and those of two.
    """
    n, places = known.n, []
    parts: list[tuple[np.ndarray, PairSums]] = []
    sides: tuple[list[Columns], list[Columns]] = ([], [])
    for at, left, right in (
        (np.flatnonzero(x < n), known.rows, known.rows),
        (np.flatnonzero((x >= n) & (y < n)), new.rows, known.rows),
        (np.flatnonzero(y >= n), new.rows, new.rows),
    ):
        i = x[at] - (n if left is new.rows else 0)
        j = y[at] - (n if right is new.rows else 0)
        places.append(at)
        parts.append((at, shared_sums(known.items, left, i, right, j, known.units)))
        sides[0].append({name: left[name][i] for name in SIDE})
        sides[1].append({name: right[name][j] for name in SIDE})
    figures = [
        {name: placed(places, [part[name] for part in side], len(x)) for name in SIDE}
        for side in sides
    ]
    return joined(parts, len(x)), figures[0], figures[1]


def _sampled(known: KnownHosts, x: np.ndarray, y: np.ndarray, new: NewHosts) -> np.ndarray:
    """(P,) whether a pair is of a new host of which some pages are known, and a known host."""
    sampled = np.zeros(len(x), bool)
    at = np.flatnonzero((x >= known.n) & (y < known.n))
    sampled[at] = ~new.rows["complete"][x[at] - known.n]
    return sampled


def _at_equal_depth(deep: Columns, other: Columns, sampled: np.ndarray) -> Columns:
    """The figures of the hosts that are ``deep``, as a sample of their pages would have them that
    is as large as the other hosts', so that how many pages were fetched is no evidence:
    docs/model.md#depth. Hosts with no more contents than the others keep theirs.

    A norm goes down in proportion to the contents, and not below the other host's own.

    Args:
        deep, other: (P,) each, by the names of SIDE. sampled: (P,) the pairs that it is done for.
    """
    least, all_of_it = other["n_contents"], np.maximum(deep["n_contents"], 1)
    part = np.where(sampled & (least > 0), np.minimum(least / all_of_it, 1), 1)
    return deep | {
        name: np.maximum(part * deep[name], np.minimum(other[name], deep[name]))
        for name in OF_DEPTH
    }


def _directed(known: KnownHosts, x: np.ndarray, y: np.ndarray, new: NewHosts) -> Columns:
    """linked and canonical of pairs of which some have new hosts, as :func:`_found`."""
    keys, columns = new.directed
    theirs = _found(keys, columns, x, y)
    stored = _found(known.rows["directed"], known.rows, x, y)
    return {name: np.where(x < known.n, stored[name], theirs[name]) for name in DIRECTED}


def _found(keys: np.ndarray, columns: Columns | Rows, x: np.ndarray, y: np.ndarray) -> Columns:
    """linked and canonical of pairs by their keys, (P,) float32; NaN: there is none."""
    if not len(keys):
        return {name: np.full(len(x), NAN) for name in DIRECTED}
    low, high = np.minimum(x, y).astype(np.uint64), np.maximum(x, y).astype(np.uint64)
    wanted = low << np.uint64(32) | high
    at = np.searchsorted(keys, wanted)
    there, at = among(keys, at, wanted), np.minimum(at, len(keys) - 1)
    return {name: np.where(there, columns[name][at], NAN) for name in DIRECTED}
