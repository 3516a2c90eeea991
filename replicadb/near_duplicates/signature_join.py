"""Range search: all pairs of pages whose signatures differ by at most eps in every component,
through boxes of neighbours.

Invariant: the pairs are exactly those that comparing every page with every other finds,
differences taken in float64 and compared with <=; equal signatures are one point of the index;
memory is bounded by blocks of pairs. Source: the seed paper on random projection and hyperlink map
(2003), sections 2 and 3; index: box_search.py. A departure: a signature of many pages is written
as a star, as for every method (pair_expansion.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from replicadb.arrays import Array, Bools, Floats, Ints
from replicadb.near_duplicates.box_search import neighbours
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.pair_expansion import MATCHES, refuse_above, write_pairs
from replicadb.store.arrow import insert_arrow
from replicadb.store.database import Database

ADVICE = (
    "lower --eps-rp or --eps-hm, leave out --stop-words, take more --dimensions, or raise"
    " --max-pairs"
)


class Second(NamedTuple):
    """A second signature that must collide as well, where both pages have it."""

    points: Floats
    """(n_pages, m)."""
    known: Bools
    """(n_pages,) the page has it; a pair of which one page has none is decided by the first
    alone.
    """
    eps: float


def write_collisions(
    db: Database,
    url_ids: Ints,
    points: Floats,
    options: PageOptions,
    second: Second | None = None,
) -> dict[str, int]:
    """Write the colliding pairs into the temporary table ``found`` (a_id, b_id, score).

    Args:
        url_ids: (n_pages,) int64, each once.
        points: (n_pages, m) float64, the first signature.
        options: eps_rp, the largest difference in a component of it; max_pairs.
        second: the second signature.

    Returns:
        candidates = pairs of different signatures that the index gave; pages, keys = different
        signatures, stars, pairs_not_written and pairs as
        :func:`pair_expansion.write_pairs`. score = 1 - the largest difference, of both signatures
        where both count.

    Raises:
        LimitError: more pairs than max_pairs, of signatures or of pages.

    Complexity: for points spread well O(n log n) and the pairs; near-equal points cost their pairs.
    """
    numbers, which = _distinct(points, second)
    first = points[numbers]
    at = second and Second(second.points[numbers], second.known[numbers], second.eps)
    db.execute("CREATE OR REPLACE TEMP TABLE page_keys (url_id BIGINT, key BIGINT)")
    db.execute("CREATE OR REPLACE TEMP TABLE near_keys (a_key BIGINT, b_key BIGINT, score DOUBLE)")
    insert_arrow(db, "page_keys", {"url_id": url_ids, "key": which})
    candidates = pairs = 0
    for a, b in neighbours(first, options.eps_rp):
        keep, difference = colliding(first, a, b, options.eps_rp, at)
        candidates, pairs = candidates + len(a), pairs + len(difference)
        refuse_above(pairs, options.max_pairs, MATCHES, ADVICE)
        insert_arrow(db, "near_keys", {"a_key": a[keep], "b_key": b[keep], "score": 1 - difference})
    return {"candidates": candidates} | write_pairs(db, options.max_pairs, ADVICE)


def write_query(
    db: Database,
    url_ids: Ints,
    points: Floats,
    page: int,
    eps: float,
    second: Second | None = None,
) -> dict[str, int]:
    """As :func:`write_collisions`, but only the pairs of one page, as (-1, b_id): one pass over the
    others, no tree, no star.

    Args:
        page: its url_id in ``url_ids``: -1 for a page from outside. A page that is not there has no
            terms, and no pairs.
    """
    db.execute("CREATE OR REPLACE TEMP TABLE found (a_id BIGINT, b_id BIGINT, score DOUBLE)")
    here, others = np.flatnonzero(url_ids == page), np.flatnonzero(url_ids != page)
    if len(here):
        keep, difference = colliding(points, np.repeat(here, len(others)), others, eps, second)
        b_id = url_ids[others[keep]]
        insert_arrow(
            db, "found", {"a_id": np.full(len(b_id), -1), "b_id": b_id, "score": 1 - difference}
        )
    return {"pages": len(others), "pairs": db.value("SELECT count(*) FROM found")}


def _distinct(points: Floats, second: Second | None) -> tuple[Ints, Ints]:
    """One page of each different signature, and for each page the place of its signature among
    them.
    """
    parts: list[Array] = [points]
    if second is not None:
        parts += [np.where(second.known[:, None], second.points, 0), second.known[:, None]]
    if not len(points):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    _, numbers, which = np.unique(np.hstack(parts), axis=0, return_index=True, return_inverse=True)
    return numbers, which.ravel()


def colliding(
    points: Floats, a: Ints, b: Ints, eps: float, second: Second | None = None
) -> tuple[Bools, Floats]:
    """Which of the pairs (a[k], b[k]) collide, (n,) bool; and the largest difference of those that
    do, (m,).

    Args:
        points: (pages, components). eps: the largest difference of a component.
        second: another signature, which has to collide too where both pages have it.
    """
    difference = largest_difference(points, a, b)
    keep = difference <= eps
    if second is not None:
        both = keep & second.known[a] & second.known[b]
        further = largest_difference(second.points, a[both], b[both])
        keep[both] = further <= second.eps
        difference[both] = np.maximum(difference[both], further)
    return keep, difference[keep]


def largest_difference(points: Floats, a: Ints, b: Ints) -> Floats:
    """max over the components of |points[a[k]] - points[b[k]]|, (n,); points (pages, components),
    one component at a time.
    """
    largest = np.zeros(len(a))
    for i in range(points.shape[1]):
        column = points[:, i]
        np.maximum(largest, np.abs(column[a] - column[b]), out=largest)
    return largest
