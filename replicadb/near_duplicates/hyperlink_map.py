"""Hyperlink map (HM) beside random projection (RP): near duplicates in what they say and in what
they lead to.

Invariant: every component of a map lies in 0 to 1 and is worked out in whole numbers, so it
does not hang on the order of links; a page without links to pages of the crawl is judged by RP
alone. Source: the seed paper on random projection and hyperlink map (2003), section 2.2, equation 1
(lost in our copy: docs/method.md#hyperlink-map has the reading used here).

HM <- RP; ``rounds`` times HM(p) <- RP(p) + d * mean of HM over the pages that p links to; at last
HM <- (1 - d) HM. Departures: links lead to pages of the crawl that have terms, each once, never to
the page itself, and over one redirect; the paper does not say. A page without such links links to
itself here, so that its map is its own signature: with a sum of nothing its map would lie near (1 -
d) / 2, all others' near 1 / 2, and pages that link to the edge of the crawl would differ for that
reason alone. Pages collide when RP does, and HM where both have links to known pages: at the edge
of a crawl nobody knows what a page leads to. The default d is small, since a copy of a text on a
site of another look is near in content and far in its map: a larger d finds what visitors take for
one page better, equal contents worse (seeds 1 and 2 of generated pages, d 0.1 and 0.3: break-even
0.62, 0.64 -> 0.63, 0.66; and 0.92, 0.94 -> 0.91, 0.93).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from replicadb.arrays import Bools, Floats, Ints
from replicadb.near_duplicates import random_projection
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.signature_join import Second, write_collisions, write_query
from replicadb.near_duplicates.term_vectors import sparse_matrices
from replicadb.store.database import Database

if TYPE_CHECKING:
    from replicadb.near_duplicates.query_page import QueryPage

UNIT = (
    2.0**32
)  # 1 as a whole number; sums stay exact up to 2**25 links of a page at any damping and rounds


def find(db: Database, options: PageOptions, query: QueryPage | None = None) -> dict[str, Any]:
    """Write the pairs whose RP and HM collide into the temporary table ``found`` (a_id, b_id,
    score).

    Args:
        options: as method rp, and damping, rounds, eps_hm.
        query: a page to find the pairs of, written with a_id = -1. What a page from outside leads
            to is not looked up: RP alone decides on it; a page of the database has its map.

    Returns:
        links = links between different pages of the crawl that have terms, linked_pages = pages
        that have any, and what :func:`write_collisions` counts. score = 1 - the largest difference
        of RP, and of HM where it counts.

    Raises:
        UsageError: as method rp.
    """
    own = query.url_id if query else None
    if query is not None and own is None:
        return random_projection.find(db, options, query)
    found = random_projection.signatures(db, options)
    links = known_links(db, found.url_ids)
    maps, linked = hyperlink_maps(found.points, *links, options.damping, options.rounds)
    second = Second(maps, linked, options.eps_hm)
    counts = {"links": len(links[0]), "linked_pages": int(linked.sum())}
    if own is not None:
        return counts | write_query(db, found.url_ids, found.points, own, options.eps_rp, second)
    return counts | write_collisions(db, found.url_ids, found.points, options, second)


def known_links(db: Database, url_ids: Ints) -> tuple[Ints, Ints]:
    """Links between different pages of ``url_ids`` (rising), each once, as places in it: (source,
    target), int64.
    """
    db.run("near_duplicates/50_projection", only="known_pages")
    db.run("near_duplicates/50_projection", only="known_targets")
    db.run("near_duplicates/50_projection", only="known_links")
    links = db.arrays("FROM known_links")
    return np.searchsorted(url_ids, links["from_id"]), np.searchsorted(url_ids, links["to_id"])


def hyperlink_maps(
    points: Floats, source: Ints, target: Ints, damping: float, rounds: int
) -> tuple[Floats, Bools]:
    """The HM signature of every page.

    Args:
        points: (n_pages, m) float64 in 0 to 1, RP.
        source, target: (n_links,) places of pages: source links to target; each link once.
        damping: d, 0 <= d < 1.
        rounds: how often signatures are handed on; from pages so many links away.

    Returns:
        (n_pages, m) float64 in 0 to 1; and (n_pages,) bool: the page has links.

    Complexity: O(rounds * links * m).
    """
    sparse, n = sparse_matrices("rp and rp+hm need"), len(points)
    linked = np.bincount(source, minlength=n) > 0
    itself = np.flatnonzero(~linked)
    source, target = np.concatenate([source, itself]), np.concatenate([target, itself])
    follows = sparse.csr_array((np.ones(len(source), np.int64), (source, target)), shape=(n, n))
    n_links = np.bincount(source, minlength=n)[:, None]
    own = np.rint(points * UNIT)
    maps = own.astype(np.int64)
    for _ in range(rounds):
        maps = np.rint(own + damping * ((follows @ maps) / n_links)).astype(np.int64)
    return np.minimum(maps / UNIT * (1 - damping), 1.0), linked
