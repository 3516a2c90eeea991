"""Pareto-efficient aggregation: candidates ranked by how many others they dominate.

Invariant: a dominates b when it is at least as high on both scores and higher on one, so
points with equal coordinates do not dominate each other; the order of the rows changes nothing.

Source: the paper §3.5, Definitions 3.4 to 3.6, Algorithm 4; the thesis, Program 5. Departure:
Algorithm 4 sorts only the frontier; all candidates are ranked, as in Program 5, and the frontier is
kept as a column (docs/method.md#ranking).
"""

from __future__ import annotations

import numpy as np

from replicadb.arrays import Bools, Floats, Ints, Values, Whole
from replicadb.errors import UsageError


def dominance(pu: Values, nu: Values, weights: Values | None = None) -> Ints:
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
    x, y, masses = _check(pu, nu, weights)
    if not len(x):
        return np.zeros(0, np.int64)
    order = np.lexsort((y, x))
    new = np.append(True, (np.diff(x[order]) != 0) | (np.diff(y[order]) != 0))
    point = np.empty(len(x), np.int64)
    point[order] = np.cumsum(new) - 1
    weight = np.zeros(int(new.sum()), np.int64)
    np.add.at(weight, point, masses)
    # Equal nu keep the order of pu, so "rank is lower" means "nu is not higher and the point came
    # earlier".
    rank = np.empty(len(weight), np.int64)
    rank[np.argsort(y[order][new], kind="stable")] = np.arange(len(weight))
    return _weight_earlier_and_lower(rank, weight)[point]


def frontier(pu: Values, nu: Values) -> Bools:
    """Definition 3.5: which candidates no other dominates.

    Returns:
        (n,) bool.

    Complexity: O(n log n).
    """
    x, y, _ = _check(pu, nu, None)
    order = np.lexsort((-y, -x))
    x, y = x[order], y[order]
    # Going down in pu (and in nu among equals), a point is free when its nu is higher than all
    # before it.
    highest = np.concatenate([[-np.inf], np.maximum.accumulate(y)[:-1]]) if len(y) else y
    free = y > highest
    start = np.append(True, (np.diff(x) != 0) | (np.diff(y) != 0))[: len(x)]
    result = np.empty(len(x), bool)
    result[order] = free[np.flatnonzero(start)[np.cumsum(start) - 1]] if len(x) else free
    return result


def _weight_earlier_and_lower(rank: Ints, weight: Ints) -> Ints:
    """For a permutation of ranks: the weight of the entries that come earlier and have a lower
    rank.

    Entries are held in groups that agree in the upper bits of their rank, each group in the
    original order. Being a permutation, group g at a level of 2^s ranks fills the places from g 2^s
    on. The pairs that the next bit parts are counted there: entries with a 1 gain the weight
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


def _scatter(values: Ints, to: Ints) -> Ints:
    result = np.empty_like(values)
    result[to] = values
    return result


def _check(pu: Values, nu: Values, weights: Values | None) -> tuple[Floats, Floats, Ints]:
    x: Floats = np.asarray(pu, float)
    y: Floats = np.asarray(nu, float)
    one_each = np.ones(len(x) if x.ndim else 0, np.int64)
    masses: Whole = one_each if weights is None else np.asarray(weights)
    if x.ndim != 1 or x.shape != y.shape or masses.shape != x.shape:
        raise UsageError("scores and weights must be lists of one length")
    if np.isnan(x).any() or np.isnan(y).any():
        raise UsageError("scores must not be NaN; rank only candidates that have both")
    if not np.issubdtype(masses.dtype, np.integer) or (masses.size and masses.min() < 0):
        raise UsageError("weights must be integers of 0 or more")
    return x, y, masses.astype(np.int64)
