"""Groups that people's decisions bind: replicas stand in one, others never do, pinned hosts stay
(docs/drops.md#decided).

Invariant: once bound, no group holds two hosts that are decided to be no replicas, no pinned host
is dropped, and hosts tied by decided replicas share a group, unless decisions contradict each
other: then being apart counts. Decisions that the evidence follows anyway change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.arrays import Array, Bools, Floats, Ints
from replicadb.detection import decided
from replicadb.detection.drops import APART, BOUND, PINNED, Drops
from replicadb.detection.host_to_keep import KeepOrder
from replicadb.learning.star_clusters import components
from replicadb.store.database import Database


@dataclass
class Bindings:
    """What binds the groups of n flagged hosts; a host is its place in their order."""

    pinned: Bools
    """(n,) never dropped."""
    apart: Ints
    """(k, 2) hosts that are no replicas of each other."""
    tied: Ints
    """(n,) the lowest host of those that decided replicas tie together; -1 for hosts that none
    ties, and where hosts that are to be apart would be tied.
    """
    forced: Bools
    """(n,) hosts whose ways are narrowed to where decisions tie them."""

    @classmethod
    def of(cls, db: Database, order: KeepOrder) -> Bindings:
        """Those of the hosts of the temporary table flagged_pairs."""
        n = len(order.host_id)
        found = decided.between_flagged(db)
        a, b = order.place(found["a_id"]), order.place(found["b_id"])
        yes = found["replica"].astype(bool)
        apart = np.column_stack([a[~yes], b[~yes]]).astype(np.int64)
        tied = components(a[yes], b[yes], n)
        alone = np.bincount(tied, minlength=n)[tied] < 2
        contradictory = tied[apart[tied[apart[:, 0]] == tied[apart[:, 1]], 0]]
        tied[alone | np.isin(tied, contradictory)] = -1
        pinned = order.criteria.get("pinned", np.zeros(n)).astype(bool)
        return cls(pinned, apart, tied, np.zeros(n, bool))

    @property
    def any(self) -> bool:
        """Whether anything binds."""
        return bool(self.pinned.any() or len(self.apart) or (self.tied >= 0).any())

    def keep(self, drops: Drops) -> None:
        """Pinned hosts have no way to go."""
        drops.held[self.pinned[drops.host]] = PINNED

    def part(self, drops: Drops, centre: Ints, weight: Floats) -> int:
        """Where a group holds two hosts that are to be apart, close the way of the one that is tied
        to it less: the undecided, the weaker, the one that is rather dropped. How many.

        Args:
            centre: (n,) each host's centre. weight: of pairs.
        """
        a, b = self.apart[centre[self.apart[:, 0]] == centre[self.apart[:, 1]]].T
        if not len(a):
            return 0
        way = np.full(len(centre), -1, np.int64)
        chosen = drops.chosen(centre)
        way[drops.host[chosen]] = chosen
        one, other = way[a], way[b]
        first = np.column_stack([drops.decided[one], weight[drops.pair[one]], -a])
        second = np.column_stack([drops.decided[other], weight[drops.pair[other]], -b])
        differ = np.argmax(first != second, axis=1)
        rows = np.arange(len(a))
        goes = np.where(first[rows, differ] < second[rows, differ], one, other)
        goes = np.where(one < 0, other, np.where(other < 0, one, goes))
        drops.held[goes[goes >= 0]] = APART
        return len(a)

    def tie(self, drops: Drops, centre: Ints) -> int:
        """Where hosts that decisions tie together stand in several groups, leave each but the first
        of them only the way to that one, and that one none. How many hosts; a second time those of
        all ties.
        """
        tied = np.flatnonzero(self.tied >= 0)
        heads = np.full(len(centre), -1, np.int64)
        heads[tied] = centre[self.tied[tied]]
        split = np.unique(self.tied[tied[centre[tied] != heads[tied]]])
        split = split[~np.isin(split, self.tied[self.forced])]
        if not len(split):
            return 0
        inside = np.isin(self.tied, split) if not self.forced.any() else self.tied >= 0
        narrowed = inside & ~self.forced
        new = np.flatnonzero(narrowed)
        self.forced[new] = True
        one, other = drops.host, drops.keep
        shut = narrowed[one] | (narrowed[other] & (self.tied[other] != other))
        drops.held[shut & (drops.held == 0)] = BOUND
        rows = new[(self.tied[new] != new) & ~self.pinned[new]]
        drops.add(rows, self.tied[rows], self._pairs(drops, rows))
        return len(new)

    def _pairs(self, drops: Drops, hosts: Ints) -> Ints:
        """(k,) a decided pair of each host, its likeliest."""
        best = np.full(len(self.tied), len(drops.host), np.int64)
        rows = np.flatnonzero(drops.decided)
        np.minimum.at(best, drops.host[rows], drops.pair[rows])
        found: Array = best[hosts]
        return found.astype(np.int64)
