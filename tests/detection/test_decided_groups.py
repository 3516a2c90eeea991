"""Groups bound by decisions, on arrays: whatever is decided, the invariants hold."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from replicadb.detection import decided
from replicadb.detection.decided_groups import Bindings
from replicadb.detection.drops import APART, BOUND, UNLIKE, Drops
from replicadb.learning.star_clusters import components, recentred, stars
from replicadb.settings import Settings


def grouped(a, b, weight, yes, apart, pinned, tied):
    """As replica_groups goes: stars, parted and tied until nothing changes."""
    m = len(a)
    drops = Drops.of(a, b, np.ones(m), np.zeros(m, bool), Settings(), yes)
    n = len(pinned)
    bound = Bindings(pinned, apart, tied, np.zeros(n, bool))
    bound.keep(drops)
    for _ in range(200):
        rows = np.flatnonzero(drops.open)
        host, keep, pair = drops.host[rows], drops.keep[rows], drops.pair[rows]
        centre = stars(host, keep, weight[pair], 3 * pinned.astype(int), n)
        centre = recentred(centre, host, keep)
        if not (bound.part(drops, centre, weight) or bound.tie(drops, centre)):
            return centre
    raise AssertionError("it does not end")


def tied_hosts(a, b, yes, apart, n):
    """(n,) the lowest host of those that decided replicas tie together; -1: none, or decisions that
    contradict each other.
    """
    tied = components(a[yes], b[yes], n)
    against = tied[apart[tied[apart[:, 0]] == tied[apart[:, 1]], 0]]
    alone = np.bincount(tied, minlength=n)[tied] < 2
    tied[alone | np.isin(tied, against)] = -1
    return tied


def drawn(rng):
    """Pairs, which of them are decided to be replicas, pairs that are decided to be none, pinned
    hosts and tied ones.
    """
    n = int(rng.integers(4, 30))
    low, high = np.triu_indices(n, 1)
    chosen = rng.random(len(low)) < rng.choice([0.1, 0.4, 0.9])
    a, b, rest = low[chosen], high[chosen], np.flatnonzero(~chosen)
    yes = rng.random(len(a)) < 0.15
    at = rng.choice(rest, min(len(rest), 6), replace=False)
    apart = np.column_stack([low[at], high[at]]).astype(np.int64)
    pinned = rng.random(n) < 0.1
    order = np.argsort(~pinned, kind="stable")  # pinned hosts come first
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)
    a, b, apart, pinned = place[a], place[b], place[apart].reshape(-1, 2), pinned[order]
    return a, b, yes, apart, pinned, tied_hosts(a, b, yes, apart, n)


@pytest.mark.parametrize("seed", range(60))
def test_groups_keep_what_was_decided(seed):
    """Of draws the first with a pinned host, hosts that are apart and others that are tied."""
    rng = np.random.default_rng(seed)
    for _ in range(1_000):
        a, b, yes, apart, pinned, tied = drawn(rng)
        if len(apart) and pinned.any() and (tied[~pinned] >= 0).any():
            break
    assert len(apart) and pinned.any() and (tied[~pinned] >= 0).any()
    weight = np.where(yes, 25e6, rng.integers(1, 20_000_000, len(a))).astype(float)
    centre = grouped(a, b, weight, yes, apart, pinned, tied)
    assert not (centre[apart[:, 0]] == centre[apart[:, 1]]).any()
    assert (centre[pinned] == np.flatnonzero(pinned)).all()
    for head in np.unique(tied[tied >= 0]):
        inside = np.flatnonzero((tied == head) & ~(pinned & (np.arange(len(tied)) != head)))
        assert len(set(centre[inside].tolist())) == 1, "hosts tied by decisions share a group"


def test_without_decisions_nothing_is_closed():
    n, pairs = 5, np.array([[0, 1], [1, 2], [0, 2], [3, 4]])
    none = np.zeros((0, 2), np.int64)
    drops = Drops.of(*pairs.T, np.ones(4), np.zeros(4, bool), Settings())
    bound = Bindings(np.zeros(n, bool), none, np.full(n, -1), np.zeros(n, bool))
    assert not bound.any
    bound.keep(drops)
    assert bound.part(drops, np.array([0, 0, 0, 3, 3]), np.ones(4)) == 0
    assert bound.tie(drops, np.array([0, 0, 0, 3, 3])) == 0 and drops.open.all()


def test_what_binds_is_tied_by_decisions_that_do_not_contradict_each_other(monkeypatch):
    """0 to 2 are replicas of which two are none; 4 and 5 are replicas; 3 is of none of these."""
    a, b = np.array([[0, 1], [1, 2], [0, 2], [5, 4]]).T
    said = {"a_id": a, "b_id": b, "replica": np.array([True, True, False, True])}
    monkeypatch.setattr(decided, "between_flagged", lambda db: said)
    order = SimpleNamespace(host_id=np.arange(6), place=lambda ids: ids, criteria={})
    bound = Bindings.of(None, order)
    assert bound.tied.tolist() == [-1, -1, -1, -1, 4, 4] and bound.apart.tolist() == [[0, 2]]
    assert bound.any and not bound.pinned.any() and not bound.forced.any()
    order.criteria = {"pinned": np.arange(6) == 3}
    assert Bindings.of(None, order).pinned.tolist() == [False, False, False, True, False, False]


def test_hosts_that_are_tied_have_the_way_to_the_first_of_them_alone():
    """1 and 3 are tied, and stand in the groups of 0 and 2."""
    pairs = np.array([[0, 1], [2, 3], [1, 3]])
    drops = Drops.of(*pairs.T, np.ones(3), np.zeros(3, bool), Settings(), np.arange(3) == 2)
    drops.held[4] = UNLIKE
    tied = np.array([-1, 1, -1, 1])
    bound = Bindings(np.zeros(4, bool), np.zeros((0, 2), np.int64), tied, np.zeros(4, bool))
    assert bound.tie(drops, np.array([0, 0, 2, 2])) == 2
    columns = (each.tolist() for each in (drops.host, drops.keep, drops.held))
    ways = {(host, keep): held for host, keep, held in zip(*columns, strict=True)}
    assert ways == {
        (0, 1): 0, (1, 0): BOUND, (2, 3): BOUND, (3, 2): UNLIKE, (1, 3): BOUND, (3, 1): 0,
    }  # fmt: skip
    assert bound.tie(drops, np.array([1, 1, 2, 1])) == 0


@pytest.mark.parametrize("apart", [(1, 2), (2, 1)])
def test_of_two_in_a_group_that_are_none_the_one_goes_that_comes_later(apart):
    pairs = np.array([[0, 1], [0, 2]])
    drops = Drops.of(*pairs.T, np.ones(2), np.zeros(2, bool), Settings())
    none = np.zeros(3, bool)
    bound = Bindings(none, np.array([apart]), np.full(3, -1), none)
    assert bound.part(drops, np.array([0, 0, 0]), np.ones(2)) == 1
    closed = np.flatnonzero(drops.held)
    assert drops.host[closed].tolist() == [2] and drops.held[closed].tolist() == [APART]
