"""Partners in common, gone through once: then measured for any weights of partners, look after look (``replicadb.partners``).

Always true here: the definitions are those of sql/55, over partners that weigh something; a host of more than ``most`` links is looked at through a
sample of them, the same for all hosts; sums are over whole numbers, so their order changes nothing.
"""

from __future__ import annotations

import numpy as np

TRIPLES = 64_000_000
"""Of a pair and a partner that both hosts have, kept at most, twelve bytes each, as far as LEAST partners a host allow."""
LEAST = 16


class Circles:
    """Links between hosts and the partners that the hosts of each have in common.

    Args:
        a, b: (n,) ints, the two hosts of each link, numbered from 0; each link once.
        order: (hosts,) ints, a number of each host, all different: of a host's many links those to hosts with the least are its sample.
        most: links of a host that are looked at, at most.

    Complexity: O(n most log n) once, and O(n most) a measurement.
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
        self.pair, self.left, self.right = (np.concatenate(parts) for parts in zip(*self._in_common(), strict=True))

    def _in_common(self, piece: int = 1 << 16):
        """Pair, link to the one host and link to the other, of each partner that both hosts of a pair have; some pairs at a time."""
        for low in range(0, max(len(self.a), 1), piece):
            a, b = self.a[low:low + piece], self.b[low:low + piece]
            n = self.start[a + 1] - self.start[a]
            pair = np.repeat(np.arange(low, low + len(a), dtype=np.int32), n)
            mine = np.arange(n.sum()) + np.repeat(self.start[a] - (np.cumsum(n) - n), n)
            wanted = self.key[mine] % self.hosts + self.b[pair].astype(np.int64) * self.hosts
            at = np.minimum(np.searchsorted(self.key, wanted), len(self.key) - 1)
            found = np.flatnonzero(self.key[at] == wanted) if len(wanted) else np.zeros(0, np.int64)
            yield pair[found], self.link[mine[found]], self.link[at[found]]

    def measure(self, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What partners in common there are where each link weighs so much.

        Args:
            weight: (n,) ints, thousandths; 0: no partners.

        Returns:
            common, overlap (NaN: neither has a partner but the other) and correlation (NaN: all weigh the same), each (n,) float32.
        """
        weight = weight.astype(float)
        x, y = weight[self.left], weight[self.right]
        both = (x > 0) & (y > 0)

        def summed(values: np.ndarray) -> np.ndarray:
            return np.bincount(self.pair, values, len(weight))

        count, products = summed(both.astype(float)), summed(x * y)
        sum_x, sum_y, squares_x, squares_y = summed(x * both), summed(y * both), summed(x**2 * both), summed(y**2 * both)
        total = np.bincount(self.a, weight, self.hosts) + np.bincount(self.b, weight, self.hosts)
        mine, theirs = (total[self.a] - weight) / 1000, (total[self.b] - weight) / 1000
        common = np.minimum(products / 1e6 / np.minimum(self.seen[self.a], self.seen[self.b]), np.minimum(mine, theirs))
        overlap = np.where((mine > 0) | (theirs > 0), common / (mine + theirs - common + 1), np.nan)
        spread = (count * squares_x - sum_x**2) * (count * squares_y - sum_y**2)
        correlation = np.where(spread > 0, (count * products - sum_x * sum_y) / np.sqrt(np.where(spread > 0, spread, 1.0)), np.nan)
        return common.astype(np.float32), overlap.astype(np.float32), correlation.astype(np.float32)
