"""Shared neighbours of the hosts of each link, found once and then measured for any weights, pass
after pass (``replicadb.detection.collective``).

Invariant: the definitions are those of sql/detect/62_collective, over neighbours of weight above 0.
A host of more than ``most`` links is read through a sample of them, the same for all hosts. Sums
are over whole numbers, so their order changes nothing.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from replicadb.arrays import Array, Float32s, Floats, Ints, Whole

Int32s = npt.NDArray[np.int32]
SURE = 1000
"""What a neighbour of probability one weighs."""
TRIPLES = 32_000_000
"""Most triples of two linked hosts and a neighbour of both, 12 bytes each. Hosts are sampled down
to stay within it, but never below LEAST neighbours.
"""
LEAST = 16
PIECE = 1 << 12
"""Links searched and measured at a time, so that what they share stays in the cache."""


class SharedNeighbours:
    """Links between hosts, and the neighbours that both hosts of a link have.

    Args:
        a, b: (n,) ints, the two hosts of each link, numbered from 0; each link once.
        order: (hosts,) ints, a number of each host, all different: of a host's many links those to
            hosts with the least are its sample.
        most: links of a host that are read, at most.

    Complexity: O(n most log n) once, and O(n most) a measurement; 12 bytes for each of n most
        shared neighbours.
    """

    def __init__(self, a: Whole, b: Whole, order: Ints, most: int) -> None:
        self.a, self.b, hosts = a, b, len(order)
        most = max(min(most, TRIPLES // max(len(a), 1)), LEAST)
        link = np.tile(np.arange(len(a), dtype=np.int32), 2)
        key = np.concatenate([a, b]).astype(np.int64) * hosts + order[np.concatenate([b, a])]
        place = np.argsort(key)
        key, link = key[place], link[place]
        start = np.searchsorted(key, np.arange(hosts + 1) * hosts)
        n = np.diff(start)
        sampled = np.arange(len(key)) - np.repeat(start[:-1], n) < most
        self.key, self.link, self.hosts = key[sampled], link[sampled], hosts
        self.start = np.concatenate([[0], np.cumsum(np.minimum(n, most))])
        self.seen = np.minimum(n, most) / np.maximum(n, 1)
        self.pieces = [
            (low, *self._shared(a[low : low + PIECE], b[low : low + PIECE]))
            for low in range(0, len(a), PIECE)
        ]

    def _shared(self, a: Whole, b: Whole) -> tuple[Int32s, Int32s, Int32s]:
        """Of each shared neighbour: the number of the pair, and the links to both of its hosts."""
        n = self.start[a + 1] - self.start[a]
        pair = np.repeat(np.arange(len(a), dtype=np.int32), n)
        mine = np.arange(n.sum()) + np.repeat(self.start[a] - (np.cumsum(n) - n), n)
        wanted = self.key[mine] % self.hosts + b[pair].astype(np.int64) * self.hosts
        at = np.minimum(np.searchsorted(self.key, wanted), len(self.key) - 1)
        found = np.flatnonzero(self.key[at] == wanted)
        return pair[found], self.link[mine[found]], self.link[at[found]]

    def measure(self, thousandths: Whole) -> tuple[Float32s, Float32s, Float32s]:
        """How much the shared neighbours weigh, for given weights of the links.

        Args:
            thousandths: (n,) ints, the links' weights; 0: no neighbours.

        Returns:
            common, overlap (NaN: neither has a neighbour but the other) and correlation (NaN: all
                weigh the same), each (n,) float32.
        """
        weight = thousandths.astype(float)
        products, correlation = np.zeros(len(weight)), np.full(len(weight), np.nan)
        for low, pair, left, right in self.pieces:
            here = slice(low, min(low + PIECE, len(weight)))
            products[here], correlation[here] = sums(
                pair, weight[left], weight[right], here.stop - low
            )
        total = np.bincount(self.a, weight, self.hosts) + np.bincount(self.b, weight, self.hosts)
        mine, theirs = (total[self.a] - weight) / SURE, (total[self.b] - weight) / SURE
        common = np.minimum(
            products / SURE**2 / np.minimum(self.seen[self.a], self.seen[self.b]),
            np.minimum(mine, theirs),
        )
        return (
            common.astype(np.float32),
            overlap(common, mine, theirs),
            correlation.astype(np.float32),
        )


def overlap(common: Floats, mine: Floats, theirs: Floats) -> Float32s:
    """The share of the neighbours of either host that both have, one more assumed, (n,) float32;
    NaN where neither has any.
    """
    share = common / (mine + theirs - common + 1)
    return np.where((mine > 0) | (theirs > 0), share, np.nan).astype(np.float32)


def sums(pair: Whole, x: Floats, y: Floats, n: int) -> tuple[Floats, Floats]:
    """Of each pair the sum of the products of both weights, and their correlation.

    Args:
        pair: (m,) ints below n, the pair of each shared neighbour.
        x, y: (m,) the neighbour's weights with the one host and with the other.
        n: number of pairs.

    Returns:
        (n,) sums and (n,) correlations where both weights are above 0; NaN where either are all
        the same.
    """
    both = (x > 0) & (y > 0)
    x, y = x * both, y * both
    by_pair: list[Array] = [
        np.bincount(pair, values, n) for values in (both, x * y, x, y, x * x, y * y)
    ]
    count, products, sum_x, sum_y, squares_x, squares_y = by_pair
    spread = (count * squares_x - sum_x**2) * (count * squares_y - sum_y**2)
    return products, np.where(
        spread > 0,
        (count * products - sum_x * sum_y) / np.sqrt(np.where(spread > 0, spread, 1.0)),
        np.nan,
    )
