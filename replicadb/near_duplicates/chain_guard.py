"""Clusters of near duplicates: connected components of the matches, cut so that no chain of small
edits joins two unlike pages.

Invariant: every page with a match is in exactly one component; pages whose match scores 1
are equal to the method and stay together; with the guard each member of a cluster, or a page equal
to it, matches the centre or one equal to it, so two members are two steps apart at most; the result
depends on the matches and on the URLs of the pages, not on the order of either. (A method may write
many equal pages as a star: what one of them matches counts for all.) Source: Das, Mathew and
Vijayaraghavan (2012) and Henzinger (2006) take pairs only; components by hooking and pointer
jumping (Shiloach and Vishkin 1982); stars by Aslam, Pelekhov and Rus (2004),
replicadb/learning/star_clusters.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from replicadb.arrays import Bools, Floats, Ints
from replicadb.learning.star_clusters import components, star_groups
from replicadb.page_constants import PAGE_METHODS
from replicadb.web.digests import Hashes

SMALL = PAGE_METHODS.small_component
"""Unequal pages; in components up to here the lowest page is the centre where matches tie, in
larger ones the lowest hash, so that a long chain is cut at many places at once (Luby 1986) and
costs few rounds.
"""


class Clusters(NamedTuple):
    """Pages in clusters of two or more, by cluster and page; all arrays are of one length."""

    cluster: Ints
    """From 1, in the order of each cluster's lowest page."""
    page: Ints
    """Its place."""
    centre: Ints
    """Place of the page that the cluster stands around."""
    score: Floats
    """Of the match with the centre; 1 for the centre and its equals, NaN where they do not
    match (chains only).
    """
    counts: dict[str, int]
    """matched_pages, components, clusters, clustered_pages, largest_cluster, cut_off (pages outside
    the largest cluster of their component).
    """


def clusters_of(a: Ints, b: Ints, score: Floats, hashes: Hashes, chains: bool = False) -> Clusters:
    """Pages into clusters.

    Args:
        a, b: (m,) ints, the two pages of each match, by their places in the order of URLs, from 0;
            each pair once, in any order.
        score: (m,) floats, 0 to 1, higher is more alike.
        hashes: (places,) of each page's URL.
        chains: take the connected components as they are; the centre is then the page with the most
            matches, ties to the lowest. In either case matches with pages equal to each other count
            once.

    Complexity: O(m) a round; O(log n) rounds expected.
    """
    pages, left, right = _places(a, b)
    n, score = len(pages), np.asarray(score, float)
    same = components(
        left[score >= 1], right[score >= 1], n
    )  # the lowest of the pages equal to each
    left, right, score = _apart(same[left], same[right], score, np.bincount(same, minlength=n) > 1)
    component = components(left, right, n)[same]
    if chains:
        centre = _busiest(component, np.bincount(np.concatenate([left, right]), minlength=n))[
            component
        ]
        tie = _ties(left, right, score, centre)
    else:
        centre, tie = _stars(left, right, score, component, same, hashes[pages])
    group = centre[same]
    tie = np.where(group == same, 1.0, tie[same])
    size = np.bincount(group, minlength=n)
    clustered = size[group] > 1
    number = _numbered(group[clustered], n)
    order = np.lexsort((pages[clustered], number))
    largest = np.zeros(n, np.int64)
    np.maximum.at(largest, component, size[group])
    counts = {
        "matched_pages": n,
        "components": len(np.unique(component)),
        "clusters": int((size > 1).sum()),
        "clustered_pages": int(clustered.sum()),
        "largest_cluster": int(size.max(initial=0)),
        "cut_off": n - int(largest[np.unique(component)].sum()),
    }
    return Clusters(
        number[order],
        pages[clustered][order],
        pages[group[clustered]][order],
        tie[clustered][order],
        counts,
    )


def _places(a: Ints, b: Ints) -> tuple[Ints, Ints, Ints]:
    """The pages that are named, in order, and the place among them of each a and b; pages and
    places int64.
    """
    named = np.zeros(max(int(a.max(initial=0)), int(b.max(initial=0))) + 1, bool)
    named[a] = named[b] = True
    place = np.cumsum(named) - 1
    return np.flatnonzero(named), place[a], place[b]


def _apart(a: Ints, b: Ints, score: Floats, several: Bools) -> tuple[Ints, Ints, Floats]:
    """Matches between unequal nodes, each once at its highest score; ``several`` says which nodes
    stand for more than one page.
    """
    once = (a != b) & ~several[a] & ~several[b]
    if once.all():
        return a, b, score
    often = (a != b) & ~once
    low, high, best = np.minimum(a, b)[often], np.maximum(a, b)[often], score[often]
    order = np.lexsort((-best, high, low))
    low, high, best = low[order], high[order], best[order]
    first = np.r_[True, (low[1:] != low[:-1]) | (high[1:] != high[:-1])][: len(low)]
    return np.r_[a[once], low[first]], np.r_[b[once], high[first]], np.r_[score[once], best[first]]


def _stars(
    left: Ints,
    right: Ints,
    score: Floats,
    component: Ints,
    same: Ints,
    hashes: Hashes,
) -> tuple[Ints, Floats]:
    """The centre of each node, and the score of its match with it; nodes are numbered for
    :func:`star_groups` as SMALL says.
    """
    n = len(hashes)
    large = np.bincount(component[same == np.arange(n)], minlength=n)[component] > SMALL
    order = np.lexsort((np.arange(n), np.where(large, hashes, np.uint64(0))))
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)
    centre, tie = star_groups(place[left], place[right], score, n)
    return order[centre[place]], tie[place]


def _busiest(component: Ints, degree: Ints) -> Ints:
    """(n,) the node of the highest degree, ties to the lowest, at the place of each component's
    number.
    """
    n = len(component)
    order = np.lexsort((np.arange(n), -degree, component))
    found, first = np.unique(component[order], return_index=True)
    busiest = np.zeros(n, np.int64)
    busiest[found] = order[first]
    return busiest


def _ties(left: Ints, right: Ints, score: Floats, centre: Ints) -> Floats:
    """(n,) the score of each node's match with its centre, NaN where they have none."""
    tie = np.full(len(centre), np.nan)
    for x, y in ((left, right), (right, left)):
        to_centre = centre[x] == y
        tie[x[to_centre]] = score[to_centre]
    return tie


def _numbered(group: Ints, n: int) -> Ints:
    """The number of each member's group, from 1 in order of first appearance; members stand in the
    order of their pages.
    """
    names, first = np.unique(group, return_index=True)
    number = np.zeros(n, np.int64)
    number[names[np.argsort(first)]] = np.arange(1, len(names) + 1)
    of_members: Ints = number[group]
    return of_members
