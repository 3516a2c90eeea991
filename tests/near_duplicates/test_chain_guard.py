"""Clusters of pages: connected components, and stars in them; against plain Python, in any order of
the matches.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.learning.star_clusters import components
from replicadb.near_duplicates.chain_guard import SMALL, Clusters, clusters_of

PAIRS = st.sets(
    st.tuples(st.integers(0, 25), st.integers(0, 25)).filter(lambda p: p[0] < p[1]), max_size=40
)
SEVERAL = settings(max_examples=30, deadline=None)


def clustered(pairs, chains: bool = False, scores: dict | None = None) -> Clusters:
    a, b = (np.array([p[i] for p in pairs], np.int64) for i in (0, 1))
    score = np.array([(scores or {}).get(tuple(p), 0.5) for p in pairs])
    return clusters_of(a, b, score, hashes(2000), chains)


def hashes(pages: int):
    """Of so many URLs."""
    return np.random.default_rng(3).integers(0, 1 << 64, pages, np.uint64)


def members(found: Clusters) -> dict[int, set[int]]:
    groups: dict[int, set[int]] = {}
    for cluster, page in zip(found.cluster.tolist(), found.page.tolist(), strict=True):
        groups.setdefault(cluster, set()).add(page)
    return groups


def slow_components(pairs) -> set[frozenset[int]]:
    """Breadth first, one page after the other."""
    near: dict[int, set[int]] = {}
    for a, b in pairs:
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    found = set()
    for page in near:
        seen, queue = {page}, [page]
        while queue:
            fresh = near[queue.pop()] - seen
            seen |= fresh
            queue += fresh
        found.add(frozenset(seen))
    return found


@given(PAIRS)
@SEVERAL
def test_without_the_guard_clusters_are_the_connected_components(pairs):
    found = clustered(list(pairs), chains=True)
    assert {frozenset(group) for group in members(found).values()} == slow_components(pairs)
    assert (
        found.counts["components"] == found.counts["clusters"] == len(slow_components(pairs))
        and found.counts["cut_off"] == 0
    )


@given(PAIRS)
@SEVERAL
def test_with_the_guard_each_member_matches_its_centre(pairs):
    scores = {pair: (3 * pair[0] + pair[1]) / 100 for pair in pairs}
    found = clustered(list(pairs), scores=scores)
    for page, centre, score in zip(
        found.page.tolist(), found.centre.tolist(), found.score.tolist(), strict=True
    ):
        assert score == (1.0 if page == centre else scores[min(page, centre), max(page, centre)])
    assert len(set(found.page.tolist())) == len(found.page)
    whole = slow_components(pairs)
    for group in members(found).values():
        assert len(group) > 1 and any(group <= component for component in whole)
    largest = [
        max([1, *(len(group) for group in members(found).values() if group <= component)])
        for component in whole
    ]
    assert found.counts["cut_off"] == sum(map(len, whole)) - sum(largest)
    assert {page for pair in pairs for page in pair} >= set(found.page.tolist())


@given(PAIRS, st.randoms(), st.booleans())
@SEVERAL
def test_the_order_of_the_matches_does_not_matter(pairs, random, chains):
    straight, shuffled = sorted(pairs), list(pairs)
    random.shuffle(shuffled)
    one, other = (
        clustered(straight, chains),
        clustered([p[::-1] if random.random() < 0.5 else p for p in shuffled], chains),
    )
    for x, y in zip(one[:4], other[:4], strict=True):
        np.testing.assert_array_equal(x, y)
    assert one.counts == other.counts


def test_a_chain_is_cut_and_the_lowest_page_is_the_centre_where_matches_tie():
    found = clustered(
        [(1, 2), (2, 3), (3, 4), (4, 5), (8, 9)],
        scores={(1, 2): 0.9, (2, 3): 0.8, (4, 5): 0.7, (8, 9): 0.6},
    )
    assert found.cluster.tolist() == [1, 1, 1, 2, 2, 3, 3] and found.page.tolist() == [
        1,
        2,
        3,
        4,
        5,
        8,
        9,
    ]
    assert found.centre.tolist() == [2, 2, 2, 4, 4, 8, 8] and found.score.tolist() == [
        0.9,
        1,
        0.8,
        1,
        0.7,
        1,
        0.6,
    ]
    assert found.counts == {
        "matched_pages": 7,
        "components": 2,
        "clusters": 3,
        "clustered_pages": 7,
        "largest_cluster": 3,
        "cut_off": 2,
    }


def test_as_chains_they_stay_whole_and_who_does_not_match_the_centre_has_no_score():
    found = clustered([(1, 2), (2, 3), (3, 4)], chains=True)
    assert found.page.tolist() == [1, 2, 3, 4] and set(found.centre.tolist()) == {2}
    assert found.score[:3].tolist() == [0.5, 1, 0.5] and np.isnan(found.score[3])


def test_a_star_over_the_fan_out_is_one_cluster():
    found = clustered([(5, page) for page in range(6, 300)])
    assert (
        set(found.cluster.tolist()) == {1}
        and set(found.centre.tolist()) == {5}
        and len(found.page) == 295
    )


@given(PAIRS, st.sets(st.integers(0, 12)))
@SEVERAL
def test_pages_equal_to_the_method_stay_together_and_what_one_matches_counts_for_all(pairs, ones):
    scores = {pair: 1.0 if sum(pair) % 13 in ones else 0.5 for pair in pairs}
    found = clustered(list(pairs), scores=scores)
    same = {
        page: min(group)
        for group in slow_components([p for p in pairs if scores[p] == 1])
        for page in group
    }
    near = {frozenset((same.get(a, a), same.get(b, b))) for a, b in pairs}
    cluster = dict(zip(found.page.tolist(), found.cluster.tolist(), strict=True))
    for a, b in pairs:
        assert scores[a, b] < 1 or cluster[a] == cluster[b]
    for page, centre, score in zip(
        found.page.tolist(), found.centre.tolist(), found.score.tolist(), strict=True
    ):
        ends = frozenset((same.get(page, page), same.get(centre, centre)))
        assert (score == 1) == (len(ends) == 1) and (len(ends) == 1 or ends in near)


def test_two_near_stars_of_equal_pages_lose_none_of_them():
    stars = {(1, page): 1.0 for page in range(2, 150)} | {
        (1000, page): 1.0 for page in range(1001, 1150)
    }
    found = clustered([*stars, (1, 1000)], scores=stars)
    assert (
        set(found.cluster.tolist()) == {1}
        and len(found.page) == 149 + 150
        and found.counts["cut_off"] == 0
    )
    assert set(found.score[found.page >= 1000].tolist()) == {0.5}


def test_no_matches_make_no_clusters():
    found = clustered([])
    assert not len(found.page) and found.counts["largest_cluster"] == 0


def test_a_long_chain_is_cut_into_short_clusters_in_few_rounds(monkeypatch):
    from replicadb.learning import star_clusters as groups

    n, calls = 20_000, []
    bincount = np.bincount
    monkeypatch.setattr(groups.np, "bincount", lambda *a, **k: calls.append(1) or bincount(*a, **k))
    a = np.arange(n, dtype=np.int64)
    found = clusters_of(a, a + 1, np.full(n, 0.9), hashes(n + 1))
    assert n > SMALL and found.counts["components"] == 1 and found.counts["largest_cluster"] == 3
    assert found.counts["clusters"] > n / 6 and len(calls) < 40


@given(PAIRS)
@SEVERAL
def test_components_name_the_lowest_node(pairs):
    a, b = (np.array([p[i] for p in pairs], np.int64) for i in (0, 1))
    lowest = {page: min(group) for group in slow_components(pairs) for page in group}
    assert components(b, a, 26).tolist() == [lowest.get(page, page) for page in range(26)]
