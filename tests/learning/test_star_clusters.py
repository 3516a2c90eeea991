"""Star groups: who is the centre, who joins it, and what never merges."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.learning import star_clusters
from replicadb.learning.star_clusters import recentred, star_groups, stars

from .sets import MODERATE


@st.composite
def graphs(draw):
    """Hosts, and flagged pairs a < b with a score each."""
    n = draw(st.integers(1, 12))
    pairs = (
        draw(st.lists(st.sampled_from(list(combinations(range(n), 2))), unique=True))
        if n > 1
        else []
    )
    scores = draw(
        st.lists(st.integers(1, 9).map(lambda s: s / 10), min_size=len(pairs), max_size=len(pairs))
    )
    return n, pairs, scores


def grouped(n, pairs, scores=None):
    a, b = np.array(pairs, np.int64).reshape(-1, 2).T
    centre, tie = star_groups(
        a, b, np.array(scores if scores is not None else [1.0] * len(pairs), float), n
    )
    return centre.tolist(), tie.tolist()


def one_at_a_time(n, pairs):
    """Slow reference: again and again the host with most ungrouped neighbours (the lowest of
    equals) takes them.
    """
    near = {x: {y for pair in pairs if x in pair for y in pair if y != x} for x in range(n)}
    centre = [-1] * n
    while True:
        open_near = {x: [y for y in near[x] if centre[y] < 0] for x in range(n) if centre[x] < 0}
        best = max(open_near, key=lambda x: (len(open_near[x]), -x), default=None)
        if best is None or not open_near[best]:
            return [x if c < 0 else c for x, c in enumerate(centre)]
        for x in (best, *open_near[best]):
            centre[x] = best


@pytest.mark.slow
@MODERATE
@given(graphs())
def test_every_member_is_tied_directly_to_its_centre(graph):
    n, pairs, scores = graph
    centre, tie = grouped(n, pairs, scores)
    score = {frozenset(p): s for p, s in zip(pairs, scores, strict=True)}
    for host, kept in enumerate(centre):
        assert centre[kept] == kept
        if host != kept:
            assert tie[host] == score[frozenset((host, kept))]
    for kept in set(centre):
        members = [
            score[frozenset((h, kept))] for h, c in enumerate(centre) if c == kept and h != kept
        ]
        assert tie[kept] == max(members, default=0)


@pytest.mark.slow
@MODERATE
@given(graphs())
def test_groups_are_those_of_choosing_one_centre_at_a_time(graph):
    n, pairs, scores = graph
    assert grouped(n, pairs, scores)[0] == one_at_a_time(n, pairs)


@pytest.mark.slow
@MODERATE
@given(graphs())
def test_a_host_stays_alone_only_when_each_of_its_neighbours_found_a_group(graph):
    n, pairs, scores = graph
    centre, _ = grouped(n, pairs, scores)
    alone = {x for x in range(n) if centre.count(x) == 1 and centre[x] == x}
    assert not any(a in alone and b in alone for a, b in pairs)


@pytest.mark.slow
@MODERATE
@given(graphs(), st.randoms(use_true_random=False))
def test_neither_the_order_of_the_pairs_nor_of_the_two_hosts_matters(graph, random):
    n, pairs, scores = graph
    rows = [
        (p if random.random() < 0.5 else p[::-1], s) for p, s in zip(pairs, scores, strict=True)
    ]
    random.shuffle(rows)
    assert grouped(n, [p for p, _ in rows], [s for _, s in rows]) == grouped(n, pairs, scores)


def test_a_chain_does_not_merge_its_ends():
    assert grouped(3, [(0, 1), (1, 2)])[0] == [1, 1, 1]
    assert grouped(4, [(0, 1), (1, 2), (2, 3)])[0] == [1, 1, 1, 3]
    for n in (5, 8, 40):
        centre, _ = grouped(n, [(i, i + 1) for i in range(n - 1)])
        assert max(centre.count(c) for c in centre) <= 3
        assert all(abs(host - kept) <= 1 for host, kept in enumerate(centre))


def test_a_farm_is_one_group_around_its_lowest_host():
    n = 30
    centre, tie = grouped(n, list(combinations(range(n), 2)), [0.9] * (n * (n - 1) // 2))
    assert centre == [0] * n and tie == [0.9] * n


def test_the_host_of_most_neighbours_is_the_centre_even_if_others_come_first():
    assert grouped(5, [(0, 4), (1, 4), (2, 4), (3, 4), (0, 1)])[0] == [4] * 5


def test_a_weak_link_between_two_farms_takes_one_host_over_and_no_more():
    pairs = [*combinations(range(5), 2), *combinations(range(5, 10), 2), (0, 5)]
    assert grouped(10, pairs)[0] == [0] * 6 + [6] * 4


def test_hosts_without_pairs_are_their_own_centres():
    assert grouped(3, []) == ([0, 1, 2], [0, 0, 0])
    assert grouped(0, []) == ([], [])
    assert grouped(1, []) == ([0], [0])


def test_a_pair_is_a_group_of_two_around_the_lower():
    assert grouped(2, [(0, 1)], [0.7]) == ([0, 0], [0.7, 0.7])


def test_a_large_random_graph_is_grouped_as_one_centre_at_a_time():
    rng = np.random.default_rng(3)
    a, b = np.sort(rng.integers(0, 300, (700, 2)), axis=1).T
    pairs = sorted({(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True) if x != y})
    assert grouped(300, pairs)[0] == one_at_a_time(300, pairs)


@st.composite
def weighed(draw):
    """Hosts, ways to join with a weight each, and tiers."""
    n = draw(st.integers(2, 10))
    ways = draw(
        st.lists(
            st.sampled_from([(x, y) for x in range(n) for y in range(n) if x != y]), unique=True
        )
    )
    whole = st.integers(1, 5)
    weights = draw(st.lists(whole, min_size=len(ways), max_size=len(ways)))
    tiers = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return n, ways, weights, tiers


def stars_of(n, ways, weights, tiers):
    joins, to = np.array(ways, np.int64).reshape(-1, 2).T
    return stars(joins, to, np.array(weights, float), np.array(tiers), n)


def slow_stars(n, ways, weights, tiers):
    """Slow reference of stars."""
    centre = [-1] * n
    while True:
        sums = {}
        for (x, y), weight in zip(ways, weights, strict=True):
            if centre[x] < 0 and centre[y] < 0:
                sums[y] = sums.get(y, 0) + weight
        if not sums:
            return [x if c < 0 else c for x, c in enumerate(centre)]
        best = max(sums, key=lambda y: (tiers[y], sums[y], -y))
        for x, y in ways:
            if y == best and centre[x] < 0:
                centre[x] = best
        centre[best] = best


@pytest.mark.slow
@MODERATE
@given(weighed())
def test_stars_are_those_of_choosing_one_centre_at_a_time(graph):
    assert stars_of(*graph).tolist() == slow_stars(*graph)


@pytest.mark.parametrize("least", [0, 1])
def test_stars_are_the_same_in_rounds_and_one_centre_at_a_time(monkeypatch, least):
    monkeypatch.setattr(star_clusters, "LEAST_CLOSED", least)
    rng = np.random.default_rng(5)
    for n in (4, 30, 120):
        ways = [(x, y) for x, y in rng.integers(0, n, (3 * n, 2)).tolist() if x != y]
        ways = sorted({*ways, *((x, x + 1) for x in range(n - 1))})
        weights = rng.integers(1, 4, len(ways)).tolist()
        tiers = (rng.random(n) < 0.1).astype(int).tolist()
        assert stars_of(n, ways, weights, tiers).tolist() == slow_stars(n, ways, weights, tiers)


def test_a_long_chain_of_equals_takes_few_rounds(monkeypatch):
    rounds = []
    places = star_clusters._places
    monkeypatch.setattr(star_clusters, "_places", lambda *a: rounds.append(1) or places(*a))
    n = 3_000
    centre, _ = grouped(n, [(x, x + 1) for x in range(n - 1)])
    assert centre == [x // 3 * 3 + 1 for x in range(n)]
    assert len(rounds) < 5


@MODERATE
@given(weighed())
def test_a_new_centre_is_the_lowest_host_that_all_others_may_join(graph):
    n, ways, _, _ = graph
    joins, to = np.array(ways, np.int64).reshape(-1, 2).T
    before = stars_of(*graph)
    after = recentred(before, joins, to)
    for group in ({x for x in range(n) if before[x] == c} for c in set(before.tolist())):
        able = [y for y in group if all((x, y) in ways for x in group - {y})]
        assert {after[x] for x in group} == {min(able)}
