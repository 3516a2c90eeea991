"""Star clusters: groups of hosts in which each member has an edge to the centre, the host kept.

Invariant: a member's centre is its neighbour in the graph of flagged pairs; a centre is its
own. So a chain a~b~c without a~c never puts a and c into one group through b unless b is the centre
of both. Source: Aslam, Pelekhov and Rus (2004), "The star clustering algorithm for static and
dynamic information organization", here in rounds over arrays, as in Luby's parallel independent
set.
"""

from __future__ import annotations

import heapq

import numpy as np

from replicadb.arrays import Floats, Ints, Whole

LEAST_CLOSED = 1 / 16
"""Share of the open edges that a round must close for another round to follow."""


def star_groups(a: Whole, b: Whole, score: Floats, n: int) -> tuple[Ints, Floats]:
    """Stars in an undirected graph, of centres with most neighbours.

    Args:
        a, b: (m,) ints, the two hosts of each flagged pair; hosts are numbered by how much one
            would keep them (0 first).
        score: (m,) floats, the pair's score, higher is stronger.
        n: number of hosts.

    Returns:
        (n,) int64, each host's centre (itself for centres and lone hosts), and (n,) float64, the
        score of the pair that ties it to the centre (for a centre, the highest of its members').
    """
    left, right = np.concatenate([a, b]).astype(np.int64), np.concatenate([b, a]).astype(np.int64)
    centre = stars(left, right, np.ones(len(left)), np.zeros(n, np.int64), n)
    weight, tie = np.concatenate([score, score]), np.zeros(n)
    to_centre = centre[left] == right
    np.maximum.at(tie, left[to_centre], weight[to_centre])
    np.maximum.at(tie, right[to_centre], weight[to_centre])
    return centre, tie


def stars(joins: Whole, to: Whole, weight: Floats, tier: Whole, n: int) -> Ints:
    """Choose centres greedily; every other host goes to the first centre that it may join.

    The next centre is the host of the highest tier, then of the highest sum of weights of hosts
    without a group that may join it, then the lowest. They join it, all of them.

    Args:
        joins, to: (m,) ints, a host and one that it may join; either way round where both may.
        weight: (m,) positive floats; whole numbers, where the order must not matter.
        tier: (n,) ints, 0 or more.
        n: number of hosts.

    Returns:
        (n,) int64, each host's centre (itself for centres and lone hosts).

    Complexity: O(m + n log n) a round, which closes every locally best neighbourhood. A chain of
        equals in their order has one such neighbourhood a round: where a round closes too few
        edges, what is left is closed one centre at a time, in O(m log m).
    """
    centre = np.full(n, -1, np.int64)
    x, y = to.astype(np.int64, copy=False), joins.astype(np.int64, copy=False)
    w, first = weight, True
    while True:
        open_edge = (centre[x] < 0) & (centre[y] < 0)  # an edge that is closed stays so
        if not open_edge.any():
            break
        few = open_edge.sum() > (1 - LEAST_CLOSED) * len(x)
        if not open_edge.all():  # a copy of tens of millions of edges
            x, y, w = x[open_edge], y[open_edge], w[open_edge]
        if few and not first:
            _one_at_a_time(x, y, w, tier, centre)
            break
        first = False
        key = _places(x, w, tier, n)
        best = key.copy()
        np.maximum.at(best, x, key[y])
        np.maximum.at(best, y, key[x])
        # A host wins when it is best among its neighbours and among theirs, so that no two winners
        # share a member, and none is another's.
        reach = best.copy()
        np.maximum.at(reach, x, best[y])
        np.maximum.at(reach, y, best[x])
        winner = (key >= 0) & (reach == key)
        centre[winner] = np.flatnonzero(winner)
        joining = winner[x]
        centre[y[joining]] = x[joining]
    centre[centre < 0] = np.flatnonzero(centre < 0)
    return centre


def _one_at_a_time(to: Ints, joins: Ints, weight: Floats, tier: Whole, centre: Ints) -> None:
    """Close what is open as :func:`stars` says, in ``centre``.

    Sums only fall, so an entry of the heap is never too low: one that is out of date goes in again.
    """
    hosts, ends = np.unique(np.stack([to, joins]), return_inverse=True)
    x, y = ends.reshape(2, -1)
    n = len(hosts)
    total, many = np.bincount(x, weight, n), np.bincount(x, minlength=n)
    leading, begins = _by_host(x, n)
    joining, starts = _by_host(y, n)
    members, target, weight = y[leading], x[joining], weight[joining]
    group = np.full(n, -1, np.int64)
    able = np.flatnonzero(many)
    keys = ((-tier[hosts][able]).tolist(), (-total[able]).tolist(), able.tolist())
    waiting = list(zip(*keys, strict=True))
    heapq.heapify(waiting)
    while waiting:
        best, least, host = heapq.heappop(waiting)
        if group[host] >= 0 or not many[host]:
            continue
        if -least != total[host]:
            heapq.heappush(waiting, (best, -float(total[host]), host))
            continue
        near = members[begins[host] : begins[host + 1]]
        group[host] = host
        closed = [host, *np.unique(near[group[near] < 0]).tolist()]
        group[closed] = host
        gone = [slice(starts[member], starts[member + 1]) for member in closed]
        targets = np.concatenate([target[edges] for edges in gone])
        np.subtract.at(total, targets, np.concatenate([weight[edges] for edges in gone]))
        np.subtract.at(many, targets, 1)
    found = group >= 0
    centre[hosts[found]] = hosts[group[found]]


def _by_host(host: Ints, n: int) -> tuple[Ints, list[int]]:
    """The order that puts edges by host, and where those of each host begin there, of n hosts."""
    order = np.argsort(host, kind="stable")
    return order, np.searchsorted(host[order], np.arange(n + 1)).tolist()


def _places(to: Ints, weight: Floats, tier: Whole, n: int) -> Ints:
    """(n,) a number for each host that others may join, unique, higher is better; -1 for the
    rest.
    """
    able = np.unique(to)
    total = np.bincount(to, weight, n)[able]
    key = np.full(n, -1, np.int64)
    key[able[np.lexsort((-able, total, tier[able]))]] = np.arange(len(able))
    return key


def recentred(centre: Ints, joins: Whole, to: Whole) -> Ints:
    """In each star the lowest host that all others of it may join becomes the centre.

    Args:
        centre: (n,) as of :func:`stars`. joins, to: (m,) its edges, each once.

    Returns:
        (n,) int64, each host's centre.
    """
    n, hosts = len(centre), np.arange(len(centre))
    inside = centre[joins] == centre[to]
    many = np.bincount(to[inside], minlength=n)
    able = many == np.bincount(centre, minlength=n)[centre] - 1
    lowest = np.full(n, n, np.int64)
    np.minimum.at(lowest, centre[able], hosts[able])
    found: Ints = lowest[centre]
    return found


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
