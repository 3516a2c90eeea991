"""Random projection (RP): a page's bag of words as a short vector, near where the words are nearly
the same.

Invariant: a page's signature depends on its own terms, the dimensions and the seed alone, to
the last bit: not on the other pages, their ids, the order of rows or the number of threads. Every
component lies in 0 to 1. Source: the seed paper on random projection and hyperlink map (2003),
section 2.1; docs/method.md#projection.

RP_i(p) = (1 + sum over terms t of n_t R(t, i) / sum of n_t) / 2, n_t = how often t stands on the
page in any field but the URL, an eighth of it in the texts of links; R(t, i) uniform in [-1, 1].
What a page leads to is the hyperlink map's matter, and menus made unrelated pages alike: on
generated pages (seeds 1 and 2) precision and recall break even at 0.92 and 0.94 so, at 0.89 (seed
1) with links at full weight. The paper draws a matrix; here R(t, i) is hashed from the term's text,
the number of the component and the seed, so that no matrix is kept and pages of two crawls are
comparable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from replicadb.arrays import Floats, Ints
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.shingles import mixed
from replicadb.near_duplicates.signature_join import write_collisions, write_query
from replicadb.near_duplicates.term_vectors import build_vectors, sparse_matrices
from replicadb.store.arrow import batches, reader_of
from replicadb.store.database import Database
from replicadb.web.digests import Hashes

if TYPE_CHECKING:
    from replicadb.near_duplicates.query_page import QueryPage

ONE = (
    2.0**32
)  # the entry 1 of the matrix as a whole number: sums are exact up to 2**31 words a page
BATCH = 1_000_000  # rows of term_weights at a time
# entries of the matrix held at a time (256 MB): components are done in parts where the vocabulary
# is large
ENTRIES = 32_000_000
GOLDEN = 0x9E3779B97F4A7C15


class Signatures(NamedTuple):
    """The RP signatures of the pages that have terms."""

    url_ids: Ints
    """(n_pages,) int64, rising; -1 first where there is a query page."""
    points: Floats
    """(n_pages, dimensions) float64, 0 to 1."""


def find(db: Database, options: PageOptions, query: QueryPage | None = None) -> dict[str, Any]:
    """Write the pairs whose RP differs by at most eps_rp in every component into the temporary
    table ``found`` (a_id, b_id, score).

    Args:
        options: dimensions, seed, eps_rp, stop_words, stem.
        query: a page from outside; then only its pairs, a_id = -1, never a star.

    Returns:
        pages = pages that have terms, and what else :func:`write_collisions` counts. score = 1 -
        the largest difference.

    Raises:
        UsageError: SciPy is not installed; or as :func:`build_vectors`. LimitError: more pairs than
            max_pairs.
    """
    found = signatures(db, options, query)
    if query is not None:
        return write_query(db, found.url_ids, found.points, -1, options.eps_rp)
    return write_collisions(db, found.url_ids, found.points, options)


def signatures(db: Database, options: PageOptions, query: QueryPage | None = None) -> Signatures:
    """The RP signature of every page that has terms, and of the query page.

    Complexity: O(rows of term_weights * dimensions) integer additions; memory O(pages * dimensions)
    beside ENTRIES of the matrix and BATCH rows.
    """
    build_vectors(
        db,
        options,
        weighted=False,
        anchors=False,
        query=query.content.terms if query is not None else None,
    )
    db.run("near_duplicates/50_projection", only="projected_terms")
    pages = db.arrays(
        "SELECT url_id, sum(weight)::BIGINT AS total FROM term_weights GROUP BY url_id ORDER BY"
        " url_id"
    )
    vocabulary = db.arrays("SELECT column_id, digest FROM projected_terms ORDER BY column_id")
    n_terms, m = len(vocabulary["digest"]), options.dimensions
    sums = np.zeros((len(pages["url_id"]), m), np.int64)
    part = max(ENTRIES // max(n_terms, 1), 1)
    for first in range(0, m if n_terms else 0, part):
        columns = np.arange(first, min(first + part, m))
        _add_products(
            db,
            pages["url_id"],
            term_matrix(vocabulary["digest"], columns, options.seed),
            sums[:, columns[0] : columns[-1] + 1],
        )
    points = 0.5 + sums / pages["total"][:, None] / (2 * ONE)
    return Signatures(pages["url_id"], np.ascontiguousarray(points))


def _add_products(db: Database, url_ids: Ints, matrix: Ints, sums: Ints) -> None:
    """Add each page's terms times the matrix to its row of ``sums``: whole numbers, so the order of
    rows does not matter.
    """
    sparse = sparse_matrices("rp and rp+hm need")
    shape = (len(url_ids), len(matrix))
    batch = max(BATCH, 4 * len(url_ids))  # each batch makes one array of the size of sums
    terms = db.con.sql(
        "SELECT url_id, column_id, weight FROM term_weights JOIN projected_terms USING (term_id)"
    )
    for rows in batches(reader_of(terms, batch)):
        page = np.searchsorted(url_ids, rows.column("url_id").to_numpy())
        weight = rows.column("weight").to_numpy().astype(np.int64)
        column = rows.column("column_id").to_numpy()
        sums += sparse.csr_array((weight, (page, column)), shape=shape) @ matrix


def term_matrix(digests: Hashes, columns: Ints, seed: int) -> Ints:
    """R(t, i) * ONE of each term and component: odd whole numbers, uniform in -ONE to ONE.

    Args:
        digests: (n_terms,) uint64, a hash of each term's text.
        columns: (k,) numbers of components, from 0.
        seed: any integer; another seed is another projection.

    Returns:
        (n_terms, k) int64: the upper half of splitmix64 (Steele, Lea & Flood 2014) at digest +
        (place of seed and component) * GOLDEN.
    """
    with np.errstate(over="ignore"):  # arithmetic modulo 2**64 is what is meant
        steps = (
            np.uint64(seed % 2**48) * np.uint64(2**16) + columns.astype(np.uint64) + np.uint64(1)
        ) * np.uint64(GOLDEN)
        x = digests[:, None] + mixed(steps)[None, :]
        return (mixed(x) >> np.uint64(32)).astype(np.int64) * 2 + 1 - int(ONE)
