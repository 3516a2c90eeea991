"""Pareto-efficient aggregation: candidates ranked by how many others they dominate.

Always true here: a dominates b when it is at least as high on both scores and higher on one, so
points with equal coordinates do not dominate each other; every order is total, ties broken by
evidence and then by row, never at random.

Source: the paper §3.5, Definitions 3.4 to 3.6, Algorithm 4; the thesis, Program 5. Departure:
Algorithm 4 sorts only the frontier; all candidates are ranked, as in Program 5, and the frontier is
kept as a column (docs/method.md#ranking).
"""

from __future__ import annotations

import numpy as np

from replicadb.errors import UsageError


def dominance(pu, nu, weights=None) -> np.ndarray:
    """dom(x), Definition 3.6: how many candidates x dominates.

    Args:
        pu, nu: (n,) floats, alpha(x, +) by the classifier from PU data and from NU data.
        weights: (n,) non-negative ints, candidates at each point; default one. A point of weight 0
            is counted by none: so ask for the place that a pair would take which was no candidate.

    Returns:
        (n,) int64.

    Raises:
        UsageError: lengths that do not agree, NaN, negative weights.

    Complexity: O(n log n) time, O(n) memory. Sorted by (pu, nu), dom is the weight of earlier
    points with nu not higher; those are counted for all points at once, one bit of the nu rank at a
    time (as in a wavelet tree).
    """
    pu, nu, weights = _check(pu, nu, weights)
    if not len(pu):
        return np.zeros(0, np.int64)
    order = np.lexsort((nu, pu))
    new = np.append(True, (np.diff(pu[order]) != 0) | (np.diff(nu[order]) != 0))
    point = np.empty(len(pu), np.int64)
    point[order] = np.cumsum(new) - 1
    weight = np.zeros(int(new.sum()), np.int64)
    np.add.at(weight, point, weights)
    # Equal nu keep the order of pu, so "rank is lower" means "nu is not higher and the point came
    # earlier".
    rank = np.empty(len(weight), np.int64)
    rank[np.argsort(nu[order][new], kind="stable")] = np.arange(len(weight))
    return _weight_earlier_and_lower(rank, weight)[point]


def frontier(pu, nu) -> np.ndarray:
    """Definition 3.5: which candidates no other dominates.

    Returns:
        (n,) bool.

    Complexity: O(n log n).
    """
    pu, nu, _ = _check(pu, nu, None)
    order = np.lexsort((-nu, -pu))
    pu, nu = pu[order], nu[order]
    # Going down in pu (and in nu among equals), a point is free when its nu is higher than all
    # before it.
    highest = np.concatenate([[-np.inf], np.maximum.accumulate(nu)[:-1]]) if len(nu) else nu
    free = nu > highest
    start = np.append(True, (np.diff(pu) != 0) | (np.diff(nu) != 0))[: len(pu)]
    result = np.empty(len(pu), bool)
    result[order] = free[np.flatnonzero(start)[np.cumsum(start) - 1]] if len(pu) else free
    return result


def _weight_earlier_and_lower(rank, weight) -> np.ndarray:
    """For a permutation of ranks: the weight of the entries that come earlier and have a lower
    rank.

    Entries are held in groups that agree in the upper bits of their rank, each group in the
    original order. Being a permutation, group g at a level of 2^s ranks fills the places from g 2^s
    on. The pairs that the next bit tells apart are counted there: entries with a 1 gain the weight
    of the 0 entries before them.
    """
    n = len(rank)
    place = np.arange(n)
    origin, key, mass = place, rank, weight
    found = np.zeros(n, np.int64)
    for s in range(max(n - 1, 0).bit_length() - 1, -1, -1):
        upper = (key >> s & 1).astype(bool)
        start = place >> (s + 1) << (s + 1)
        zeros = np.concatenate([[0], np.cumsum(~upper)])
        lower_mass = np.concatenate([[0], np.cumsum(np.where(upper, 0, mass))])
        gain = lower_mass[:-1] - lower_mass[start]
        found[origin[upper]] += gain[upper]
        zeros_before = zeros[:-1] - zeros[start]
        # A group with any 1 entry has all its 2^s zeros, for only the last group is cut short.
        to = np.where(upper, place - zeros_before + (1 << s), start + zeros_before)
        origin, key, mass = (_scatter(a, to) for a in (origin, key, mass))
    return found


def _scatter(values, to) -> np.ndarray:
    result = np.empty_like(values)
    result[to] = values
    return result


def _check(pu, nu, weights):
    pu, nu = np.asarray(pu, float), np.asarray(nu, float)
    weights = (
        np.ones(len(pu) if pu.ndim else 0, np.int64) if weights is None else np.asarray(weights)
    )
    if pu.ndim != 1 or pu.shape != nu.shape or weights.shape != pu.shape:
        raise UsageError("scores and weights must be lists of one length")
    if np.isnan(pu).any() or np.isnan(nu).any():
        raise UsageError("scores must not be NaN; rank only candidates that have both")
    if not np.issubdtype(weights.dtype, np.integer) or (weights.size and weights.min() < 0):
        raise UsageError("weights must be integers of 0 or more")
    return pu, nu, weights.astype(np.int64)
