"""Minimum weight overlapping (mwo): near duplicates by term weights that stand in a page's title,
headings, keywords or text.

Invariant: a pair is found exactly when the filters of its mode keep it and MWO >= t; the
result depends on no order, slice or thread.
Source: Das, Mathew and Vijayaraghavan, "An efficient approach for finding near duplicate web pages
using minimum weight overlapping method" (2012): Table 1 and Rendering
(sql/near_duplicates/60_mwo), Filtering
(mwo_join.py), Verification (mwo_vectors.py).

Definition. Weights of terms by their fields; terms below a share T of the page dropped; terms in
one global order. With t in millionths: default = pairs that share a term within both prefixes that
passes the positional bound, and MWO >= t, so at least all with Jaccard >= t and MWO >= t; exact =
all pairs that share a term and have MWO >= t. At t = 0 every pair that shares a term is found.

Departures: the paper compares one page with a repository (``query``); here all pages are compared
with each other as well. Pages of the same normalised weights are one column of the matrix; a great
many of them are written as a star, as for every method (pair_expansion.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from replicadb.arrays import Ints
from replicadb.errors import LimitError
from replicadb.near_duplicates.mwo_join import Folds, Join, exact_join, paper_join
from replicadb.near_duplicates.mwo_vectors import (
    MILLION,
    Vectors,
    first_of_equals,
    from_entries,
    overlaps,
)
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.pair_expansion import MATCHES, refuse_above, write_pairs
from replicadb.near_duplicates.term_vectors import build_vectors
from replicadb.page_constants import PAGE_METHODS
from replicadb.store.arrow import batches, insert_arrow, reader_of
from replicadb.store.database import Database
from replicadb.store.statements import statements

if TYPE_CHECKING:
    from replicadb.near_duplicates.query_page import QueryPage

THRESHOLD = PAGE_METHODS.mwo_threshold
"""t where none is given."""

MOST_ROWS = 50_000_000_000
"""Rows of the join by term beyond which the work is refused: about ten minutes."""

BATCH = 1_000_000
"""Entries of the matrix that come from the database at a time."""

ADVICE = "raise --threshold or --min-weight, or leave common words out with --stop-words"
"""What makes the work less."""

COUNTED_ROWS = 200_000_000
"""Rows up to which the pairs behind the prefix filter alone are counted; beyond it their upper
bound is reported.
"""


def find(db: Database, options: PageOptions, query: QueryPage | None = None) -> dict[str, Any]:
    """Write near duplicates by MWO into the temporary table ``found`` (a_id, b_id, score).

    Args:
        options: threshold (t, default THRESHOLD), min_weight (T), order, exact, stop_words, stem; t
            and T are rounded to millionths.
        query: a page from outside; then only its pairs, a_id = -1.

    Returns:
        pages, terms = the matrix as rendered; kept_pages, kept_terms = behind dynamic thresholding;
        prefix_pages, prefix_pairs (or prefix_pairs_at_most where counting them would be the longest
        part) = left by the prefix filter (exact: the prefix by weight); positional_pages,
        positional_pairs = left by the positional filter (not with exact); left_terms = terms of the
        pages that are left; verified_pairs = pairs of vectors whose MWO was worked out (others fell
        short of t by a bound); keys (distinct vectors), stars, pairs_not_written, pairs as
        :func:`pair_expansion.write_pairs`. Of a page from outside only its own pairs count.

    Raises:
        UsageError: SciPy is missing; stop words or a language that cannot be used.
        LimitError: the join would have more than MOST_ROWS rows, or more pairs come than max_pairs.

    Complexity: O(entries) and the rows of the join, known before it is made; memory O(entries) and
        slices of bounded size.
    """
    t = round((THRESHOLD if options.threshold is None else options.threshold) * MILLION)
    build_vectors(db, options, query=query.content.terms if query is not None else None, once=True)
    vectors, counts = read_vectors(db, options)
    if query is not None:
        return counts | _pairs_of_query(db, vectors, t, options.exact)
    for table in ("page_keys", "near_keys"):
        db.run("near_duplicates/60_mwo", only=table)
    firsts = first_of_equals(vectors)
    insert_arrow(db, "page_keys", {"url_id": vectors.ids, "key": firsts})
    representatives = firsts == np.arange(len(firsts))
    matrix = vectors.only(representatives)
    del vectors
    counts |= _near_keys(
        db,
        matrix,
        np.flatnonzero(representatives),
        np.bincount(firsts, minlength=len(firsts))[representatives],
        t,
        options,
    )
    return counts | {
        name: n for name, n in write_pairs(db, options.max_pairs, ADVICE).items() if name != "pages"
    }


def read_vectors(db: Database, options: PageOptions) -> tuple[Vectors, dict[str, int]]:
    """The matrix of term_weights, thresholded and in order, and how large it was before and after;
    the table is let go.
    """
    sql, share = statements("near_duplicates/60_mwo"), round(options.min_weight * MILLION)
    counts = {name: int(values[0]) for name, values in db.arrays(sql["matrix_size"]).items()}
    for name in ("drop_light_terms", "overlap_pages", "overlap_ranks")[0 if share else 1 :]:
        db.run("near_duplicates/60_mwo", {"share": share, "term_order": options.order}, only=name)
    pages = db.arrays(sql["matrix_pages"])
    entries = np.empty((3, pages["n"].sum()), np.int32)
    filled = 0
    for batch in batches(reader_of(db.con.sql(sql["matrix_entries"]), BATCH)):
        for row, column in zip(entries, batch.columns, strict=True):
            row[filled : filled + batch.num_rows] = column.to_numpy()
        filled += batch.num_rows
    db.execute("DROP TABLE term_weights")  # the largest table of the run, and its memory
    counts |= {
        "kept_pages": len(pages["n"]),
        "kept_terms": db.value("SELECT count(*) FROM overlap_ranks"),
    }
    return from_entries(pages["url_id"], pages["total"], *entries), counts


def _near_keys(
    db: Database,
    matrix: Vectors,
    keys: Ints,
    members: Ints,
    t: int,
    options: PageOptions,
) -> dict[str, int]:
    """Write ``near_keys``: the near pairs of distinct vectors; and count what each filter leaves.

    Args:
        matrix: the distinct vectors; keys: the key of each; members: how many pages have it.
        t: the threshold in millionths.
    """
    # first, so that its join is let go
    counts = {} if options.exact else prefix_counts(matrix, members, t)
    join = exact_join(matrix, t) if options.exact else paper_join(matrix, t)
    if join.rows > MOST_ROWS:
        raise LimitError(
            f"mwo: {join.rows:,} meetings of two pages in a term, more than {MOST_ROWS:,}; {ADVICE}"
        )
    reached = members > 1  # equal pages pass every filter
    left, verified, written = _pairs_within(members), 0, 0
    folds = Folds(matrix)
    for a, b in join.pairs():
        reached[a] = reached[b] = True
        left += int((members[a] * members[b]).sum())
        likely = folds.may_reach(a, b, t)
        a, b = a[likely], b[likely]
        score = overlaps(matrix, a, b)
        near = score >= t / MILLION
        if near.any():
            insert_arrow(
                db,
                "near_keys",
                {"a_key": keys[a[near]], "b_key": keys[b[near]], "score": score[near]},
            )
        verified, written = verified + len(a), written + int(near.sum())
        refuse_above(written, options.max_pairs, MATCHES, ADVICE)
    name = "prefix" if options.exact else "positional"
    return counts | {
        f"{name}_pages": int(members[reached].sum()),
        f"{name}_pairs": left,
        "left_terms": matrix.terms_of(reached),
        "verified_pairs": verified,
    }


def prefix_counts(matrix: Vectors, members: Ints, t: int) -> dict[str, int]:
    """How many pages and pairs the paper's prefix filter alone would leave.

    Args:
        members: (vectors,) pages of each vector. t: the threshold, in millionths.
    """
    join = paper_join(matrix, t, bounded=False)
    near = members > 1
    near[join.pages] = True  # every term there stands in two prefixes or more
    pages, within = int(members[near].sum()), _pairs_within(members)
    if join.rows > COUNTED_ROWS:
        return {
            "prefix_pages": pages,
            "prefix_pairs_at_most": within + _rows_of_members(join, members),
        }
    return {
        "prefix_pages": pages,
        "prefix_pairs": within + sum(int((members[a] * members[b]).sum()) for a, b in join.pairs()),
    }


def _pairs_within(members: Ints) -> int:
    return int((members * (members - 1) // 2).sum())


def _rows_of_members(join: Join, members: Ints) -> int:
    """Rows of a join with every page in place of one of each group."""
    behind = np.concatenate([[0], np.cumsum(members[join.pages])])
    return int((members[join.opens] * (behind[join.begin + join.count] - behind[join.begin])).sum())


def _pairs_of_query(db: Database, vectors: Vectors, millionths: int, exact: bool) -> dict[str, int]:
    """The paper's own case: one page (id -1) against all others, in one pass over what they share
    with it.
    """
    db.run("near_duplicates/60_mwo", only="found")
    own = np.flatnonzero(vectors.ids == -1)
    if not len(own):
        return {"pairs": 0}
    low, high = vectors.starts[own[0]], vectors.starts[own[0] + 1]
    place = np.zeros(vectors.n_terms, np.int32)
    place[vectors.ranks[low:high]] = np.arange(1, high - low + 1)
    shared = np.flatnonzero(place[vectors.ranks])
    shared = shared[(shared < low) | (shared >= high)]
    page = np.searchsorted(vectors.starts, shared, side="right") - 1
    p, q = place[vectors.ranks[shared]].astype(np.int64), shared - vectors.starts[page] + 1
    n, m = int(high - low), vectors.sizes[page]
    total, totals = int(vectors.totals[own[0]]), vectors.totals[page]
    smaller = np.minimum(
        vectors.weights[low + p - 1] * totals, vectors.weights[shared] * np.int64(total)
    )
    sums = np.zeros(len(vectors.ids), np.int64)
    np.add.at(sums, page, smaller)
    score = sums / (vectors.totals * total)
    in_prefix = (
        np.full(len(page), True)
        if exact
        else (p <= n - millionths * n // MILLION + 1) & (q <= m - millionths * m // MILLION + 1)
    )
    bounded = in_prefix & (
        exact | ((1 + np.minimum(n - p, m - q)) * (MILLION + millionths) >= millionths * (n + m))
    )
    after_prefix, left = (
        np.bincount(page[kept], minlength=len(sums)) > 0 for kept in (in_prefix, bounded)
    )
    hit = np.flatnonzero(left & (score >= millionths / MILLION))
    insert_arrow(
        db, "found", {"a_id": np.full(len(hit), -1), "b_id": vectors.ids[hit], "score": score[hit]}
    )
    filters = {"prefix": after_prefix} | ({} if exact else {"positional": left})
    counts = {f"{name}_pairs": int(kept.sum()) for name, kept in filters.items()}
    left[own[0]] = True
    return counts | {
        "left_terms": vectors.terms_of(left),
        "verified_pairs": int(left.sum()) - 1,
        "pairs": len(hit),
    }
