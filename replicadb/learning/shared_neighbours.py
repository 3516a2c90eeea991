"""Partners in common, gone through once: then measured for any weights of partners, look after look
(``replicadb.detection.collective``).

Always true here: the definitions are those of sql/detect/62_collective, over partners that weigh
something; a host of more than ``most`` links is looked at through a sample of them, the same for
all hosts; sums are over whole numbers, so their order changes nothing.
"""

from __future__ import annotations

import numpy as np

TRIPLES = 32_000_000
"""Of a pair and a partner that both hosts have, kept at most, twelve bytes each, as far as LEAST
partners a host allow.
"""
LEAST = 16
PIECE = 1 << 15
"""Pairs gone through at a time."""


class Circles:
    """Links between hosts and the partners that the hosts of each have in common.

    Args:
        a, b: (n,) ints, the two hosts of each link, numbered from 0; each link once.
        order: (hosts,) ints, a number of each host, all different: of a host's many links those to
            hosts with the least are its sample.
        most: links of a host that are looked at, at most.

    Complexity: O(n most log n) once, and O(n most) a measurement; 12 bytes for each of n most
        partners in common.
    """

    def __init__(self, a: np.ndarray, b: np.ndarray, order: np.ndarray, most: int) -> None:
        self.a, self.b, hosts = a, b, len(order)
        most = max(min(most, TRIPLES // max(len(a), 1)), LEAST)
        link = np.tile(np.arange(len(a), dtype=np.int32), 2)
        key = np.concatenate([a, b]).astype(np.int64) * hosts + order[np.concatenate([b, a])]
        place = np.argsort(key)
        key, link = key[place], link[place]
        start = np.searchsorted(key, np.arange(hosts + 1) * hosts)
        n = np.diff(start)
        kept = np.arange(len(key)) - np.repeat(start[:-1], n) < most
        self.key, self.link, self.hosts = key[kept], link[kept], hosts
        self.start = np.concatenate([[0], np.cumsum(np.minimum(n, most))])
        self.seen = np.minimum(n, most) / np.maximum(n, 1)
        self.pieces = [
            (low, *self._in_common(a[low : low + PIECE], b[low : low + PIECE]))
            for low in range(0, len(a), PIECE)
        ]

    def _in_common(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Number of the pair, link to the one host and link to the other, of each partner that both
        hosts of a pair have, int32.
        """
        n = self.start[a + 1] - self.start[a]
        pair = np.repeat(np.arange(len(a), dtype=np.int32), n)
        mine = np.arange(n.sum()) + np.repeat(self.start[a] - (np.cumsum(n) - n), n)
        wanted = self.key[mine] % self.hosts + b[pair].astype(np.int64) * self.hosts
        at = np.minimum(np.searchsorted(self.key, wanted), len(self.key) - 1)
        found = np.flatnonzero(self.key[at] == wanted)
        return pair[found], self.link[mine[found]], self.link[at[found]]

    def measure(self, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What partners in common there are where each link weighs so much.

        Args:
            weight: (n,) ints, thousandths; 0: no partners.

        Returns:
            common, overlap (NaN: neither has a partner but the other) and correlation (NaN: all
                weigh the same), each (n,) float32.
        """
        weight = weight.astype(float)
        products, correlation = np.zeros(len(weight)), np.full(len(weight), np.nan)
        for low, pair, left, right in self.pieces:
            here = slice(low, min(low + PIECE, len(weight)))
            products[here], correlation[here] = sums(
                pair, weight[left], weight[right], here.stop - low
            )
        total = np.bincount(self.a, weight, self.hosts) + np.bincount(self.b, weight, self.hosts)
        mine, theirs = (total[self.a] - weight) / 1000, (total[self.b] - weight) / 1000
        common = np.minimum(
            products / 1e6 / np.minimum(self.seen[self.a], self.seen[self.b]),
            np.minimum(mine, theirs),
        )
        return (
            common.astype(np.float32),
            overlap(common, mine, theirs),
            correlation.astype(np.float32),
        )


def overlap(common: np.ndarray, mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """What share of the partners that either host of a pair has both have, one more assumed, (n,)
    float32; NaN where neither has any.
    """
    return np.where(
        (mine > 0) | (theirs > 0), common / (mine + theirs - common + 1), np.nan
    ).astype(np.float32)


def sums(pair: np.ndarray, x: np.ndarray, y: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Of n pairs the sum of the products of both weights, (n,), and the weights' correlation where
    both are above 0, (n,), NaN where either are all the same; a row is a pair's number and a
    partner's weights with the one host and with the other.
    """
    both = (x > 0) & (y > 0)
    count, products, sum_x, sum_y, squares_x, squares_y = (
        np.bincount(pair, values, n)
        for values in (both, x * y, x * both, y * both, x**2 * both, y**2 * both)
    )
    spread = (count * squares_x - sum_x**2) * (count * squares_y - sum_y**2)
    return products, np.where(
        spread > 0,
        (count * products - sum_x * sum_y) / np.sqrt(np.where(spread > 0, spread, 1.0)),
        np.nan,
    )
