"""Groups: flagged pairs into groups in which every member is directly tied to the one that is kept.

Invariant: a member's centre is its neighbour in the graph of flagged pairs; a centre is its
own. So a chain a~b~c without a~c never puts a and c into one group through b unless b is the centre
of both. Source: Aslam, Pelekhov and Rus (2004), "The star clustering algorithm for static and
dynamic information organization", here in rounds over arrays, as in Luby's parallel independent
set.
"""

from __future__ import annotations

import numpy as np

from replicadb.arrays import Floats, Ints, Whole


def star_groups(a: Whole, b: Whole, score: Floats, n: int) -> tuple[Ints, Floats]:
    """Choose centres greedily; every other host goes to the first centre that is its neighbour.

    A host becomes a centre when, among itself and its neighbours without a group, it has the most
    neighbours without a group, ties to the lower index; its neighbours without a group then join
    it.

    Args:
        a, b: (m,) ints, the two hosts of each flagged pair; hosts are numbered by how much one
            would keep them (0 first).
        score: (m,) floats, the pair's score, higher is stronger.
        n: number of hosts.

    Returns:
        (n,) int64, each host's centre (itself for centres and lone hosts), and (n,) float64, the
        score of the pair that ties it to the centre (for a centre, the highest of its members').

    Complexity: O(m) a round; few rounds, since each closes every locally best neighbourhood.
    """
    left, right = np.concatenate([a, b]).astype(np.int64), np.concatenate([b, a]).astype(np.int64)
    weight = np.concatenate([score, score])
    centre = np.full(n, -1, np.int64)
    x, y = left, right
    while True:
        open_edge = (centre[x] < 0) & (centre[y] < 0)  # an edge that is closed stays so
        if not open_edge.any():
            break
        x, y = x[open_edge], y[open_edge]
        degree = np.bincount(x, minlength=n)
        # One key per host, unique, higher is better: more open neighbours, then the lower index.
        key = degree.astype(np.int64) * n + (n - 1 - np.arange(n))
        best = key.copy()
        np.maximum.at(best, x, key[y])
        # A host wins when it is best among its neighbours and among theirs, so that no two winners
        # share a member.
        reach = best.copy()
        np.maximum.at(reach, x, best[y])
        winner = (degree > 0) & (reach == key)
        centre[winner] = np.flatnonzero(winner)
        joins = winner[x]
        centre[y[joins]] = x[joins]
    centre[centre < 0] = np.flatnonzero(centre < 0)
    tie = np.zeros(n)
    to_centre = centre[left] == right
    np.maximum.at(tie, left[to_centre], weight[to_centre])
    from_centre = centre[right] == left
    np.maximum.at(tie, left[from_centre], weight[from_centre])
    return centre, tie


def components(a: Whole, b: Whole, n: int) -> Ints:
    """Connected components of a graph.

    Args:
        a, b: (m,) ints below n, the ends of each edge.
        n: number of nodes.

    Returns:
        (n,) int64, the lowest node of each node's component (Shiloach and Vishkin 1982: hooking and
        pointer jumping).

    Complexity: O(m + n) a round; each round hooks every root beside a lower one. Edges inside a
        component are dropped.
    """
    root = np.arange(n, dtype=np.int64)
    while len(a):
        x, y = root[a], root[b]
        apart = x != y
        a, b, x, y = a[apart], b[apart], x[apart], y[apart]
        np.minimum.at(root, np.maximum(x, y), np.minimum(x, y))
        while True:  # every node to the root of its tree
            above = root[root]
            if np.array_equal(above, root):
                break
            root = above
    return root


def nearest_groups(new: Whole, old: Whole, score: Floats, n: int) -> tuple[Ints, Floats]:
    """Every new host goes to the old host of its best pair; old hosts are kept.

    Args:
        new, old: (m,) ints, the two hosts of each flagged pair, the best pairs first.
        score: (m,) floats, the pair's score.
        n: number of hosts.

    Returns:
        As :func:`star_groups`.
    """
    centre, tie = np.arange(n, dtype=np.int64), np.zeros(n)
    members, first = np.unique(new, return_index=True)
    centre[members], tie[members] = old[first], score[first]
    np.maximum.at(tie, old[first], score[first])
    return centre, tie
