"""Minimum weight overlapping (mwo): near duplicates by term weights that stand in a page's title, headings, keywords or text.

Always true here: a pair is found exactly when the filters of its mode keep it and MWO >= t; the result depends on no order, slice or thread.
Source: Das, Mathew and Vijayaraghavan, "An efficient approach for finding near duplicate web pages using minimum weight overlapping
method" (2012): Table 1 and Rendering (96_overlap.sql), Filtering (overlap_join.py), Verification (overlap_vectors.py).

Definition. Weights of terms by their fields; terms below a share T of the page dropped; terms in one global order. With t in millionths:
default = pairs that share a term within both prefixes that passes the positional bound, and MWO >= t, so at least all with
Jaccard >= t and MWO >= t; exact = all pairs that share a term and have MWO >= t. At t = 0 every pair that shares a term is found.

Departures: the paper compares one page with a repository (``asked``); here all pages are compared with each other as well. Pages of the
same normalised weights are one column of the matrix, and more than FAN_OUT such pages are written as a star around the lowest id.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.database import Database, statements
from replicadb.errors import LimitError
from replicadb.frames import insert_arrow
from replicadb.pages.options import PageOptions
from replicadb.pages.overlap_join import Folds, Join, exact_join, paper_join
from replicadb.pages.overlap_vectors import MILLION, Vectors, expanded, first_of_equals, overlaps
from replicadb.pages.vectors import build_vectors

THRESHOLD = 0.7
"""t where none is given. The paper has 0.5, for the few pages of one query."""

FAN_OUT = 100
"""More pages of equal weights than this are matched with each other and with other pages through their lowest id alone."""

MOST_ROWS = 50_000_000_000
"""Rows of the join by term beyond which the work is refused: about ten minutes."""

COUNTED_ROWS = 200_000_000
"""Rows up to which the pairs behind the prefix filter alone are counted; beyond it their upper bound is told."""


def find(db: Database, options: PageOptions, asked: Any = None) -> dict[str, Any]:
    """Write near duplicates by MWO into the temporary table ``found`` (a_id, b_id, score).

    Args:
        options: threshold (t, default THRESHOLD), min_weight (T), order, exact, stop_words, stem; t and T are rounded to millionths.
        asked: a page from outside; then only its pairs, a_id = -1.

    Returns:
        pages, terms = the matrix as rendered; kept_pages, kept_terms = behind dynamic thresholding; prefix_pages, prefix_pairs (or
        prefix_pairs_at_most where counting them would be the longest part) = left by the prefix filter (exact: the prefix by weight);
        positional_pages, positional_pairs = left by the positional filter (not with exact); left_terms = terms of the pages that are
        left; verified_pairs = pairs whose MWO was worked out (others fell short of t by a bound); stars, pairs_not_written; pairs.

    Raises:
        UsageError: SciPy is missing. LimitError: the join would have more than MOST_ROWS rows.

    Complexity: O(entries) and the rows of the join, known before it is made; memory O(entries) and slices of bounded size.
    """
    t = round((THRESHOLD if options.threshold is None else options.threshold) * MILLION)
    build_vectors(db, options, asked=asked.content.terms if asked is not None else None)
    vectors, counts = read_vectors(db, options)
    if asked is not None:
        return counts | _pairs_of_asked(db, vectors, t, options.exact)
    if len(vectors.ids) < 2:
        return counts | {"pairs": 0}
    groups = Groups(vectors)
    matrix, members = vectors.only(groups.firsts), groups.sizes
    del vectors
    join = exact_join(matrix, t) if options.exact else paper_join(matrix, t)
    if join.rows > MOST_ROWS:
        raise LimitError(f"mwo: {join.rows:,} meetings of pages in a term, more than {MOST_ROWS:,}; raise --threshold or --min-weight, "
                         "or leave common words out with --stop-words")
    counts |= {} if options.exact else prefix_counts(matrix, members, t)
    within = int((members * (members - 1) // 2).sum())
    near = members > 1  # equal pages pass every filter
    reached, pairs, verified = near.copy(), within, 0
    folds = Folds(matrix)
    for a, b in join.pairs():
        reached[a] = reached[b] = True
        pairs += int((members[a] * members[b]).sum())
        likely = folds.may_reach(a, b, t)
        a, b = a[likely], b[likely]
        score = overlaps(matrix, a, b)
        verified += len(a)
        enough = score >= t / MILLION
        groups.write(db, a[enough], b[enough], score[enough])
    groups.write_equals(db)
    left = "prefix" if options.exact else "positional"
    counts |= {f"{left}_pages": int(members[reached].sum()), f"{left}_pairs": pairs, "left_terms": matrix.terms_of(reached)}
    return counts | {"verified_pairs": verified, "stars": int((members > FAN_OUT).sum()), "pairs_not_written": groups.not_written,
                     "pairs": db.value("SELECT count(*) FROM found")}


def read_vectors(db: Database, options: PageOptions) -> tuple[Vectors, dict[str, int]]:
    """The matrix of term_weights, thresholded and in order, and how large it was before and after; ``found`` made anew."""
    given = {"share": round(options.min_weight * MILLION), "order": options.order}
    for name in ("overlap_weights", "overlap_pages", "overlap_ranks", "found"):
        db.run("96_overlap", given, only=name)
    sql = statements("96_overlap")
    pages, entries = db.arrays(sql["matrix_pages"]), db.arrays(sql["matrix_entries"])
    starts = np.concatenate([[0], np.cumsum(pages["n"], dtype=np.int64)])
    counts = {name: int(values[0]) for name, values in db.arrays(sql["matrix_size"]).items()}
    return Vectors(pages["url_id"], starts, entries["rank"], entries["weight"], pages["total"]), counts


def prefix_counts(matrix: Vectors, members: np.ndarray, millionths: int) -> dict[str, int]:
    """Pages and pairs that the paper's prefix filter alone would leave."""
    join = paper_join(matrix, millionths, bounded=False)
    near = members > 1
    near[join.pages] = True  # every term there stands in two prefixes or more
    within = int((members * (members - 1) // 2).sum())
    if join.rows <= COUNTED_ROWS:
        return {"prefix_pages": int(members[near].sum()),
                "prefix_pairs": within + sum(int((members[a] * members[b]).sum()) for a, b in join.pairs())}
    return {"prefix_pages": int(members[near].sum()), "prefix_pairs_at_most": within + _rows_of_members(join, members)}


def _rows_of_members(join: Join, members: np.ndarray) -> int:
    """Rows of a join with every page in place of one of each group."""
    behind = np.concatenate([[0], np.cumsum(members[join.pages])])
    return int((members[join.opens] * (behind[join.begin + join.count] - behind[join.begin])).sum())


class Groups:
    """Pages of the same normalised weights: the first of each stands for all of them, and pairs of firsts are written as pairs of pages."""

    def __init__(self, vectors: Vectors) -> None:
        firsts = first_of_equals(vectors)
        self.firsts = firsts == np.arange(len(firsts))  # mask
        group = (np.cumsum(self.firsts) - 1)[firsts]
        order = np.lexsort((vectors.ids, group))
        self.ids = vectors.ids[order]  # by group, then id
        self.sizes = np.bincount(group)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.standing = np.where(self.sizes > FAN_OUT, 1, self.sizes)  # how many of a group are matched with other groups
        self.not_written = 0

    def write(self, db: Database, a: np.ndarray, b: np.ndarray, score: np.ndarray) -> None:
        """Write the pairs of pages of pairs of groups."""
        count = self.standing[a] * self.standing[b]
        self.not_written += int((self.sizes[a] * self.sizes[b] - count).sum())
        for pair, nth in expanded(count):
            x = self.ids[self.starts[a[pair]] + nth // self.standing[b[pair]]]
            y = self.ids[self.starts[b[pair]] + nth % self.standing[b[pair]]]
            write_pairs(db, x, y, score[pair])

    def write_equals(self, db: Database) -> None:
        """Write the pairs within the groups: all of them, or those of the lowest id."""
        size = np.repeat(self.sizes, self.sizes)
        place = np.arange(len(self.ids)) - np.repeat(self.starts, self.sizes)
        count = np.where((size > FAN_OUT) & (place > 0), 0, size - 1 - place)
        self.not_written += int((self.sizes * (self.sizes - 1) // 2).sum() - count.sum())
        for page, nth in expanded(count):
            write_pairs(db, self.ids[page], self.ids[page + 1 + nth], np.ones(len(page)))


def write_pairs(db: Database, x: np.ndarray, y: np.ndarray, score: np.ndarray) -> None:
    if len(x):
        insert_arrow(db, "found", {"a_id": np.minimum(x, y), "b_id": np.maximum(x, y), "score": score})


def _pairs_of_asked(db: Database, vectors: Vectors, millionths: int, exact: bool) -> dict[str, int]:
    """The paper's own case: one page (id -1) against all others, in one pass over what they share with it."""
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
    smaller = np.minimum(vectors.weights[low + p - 1] * totals, vectors.weights[shared] * np.int64(total))
    sums = np.zeros(len(vectors.ids), np.int64)
    np.add.at(sums, page, smaller)
    score = sums / (vectors.totals * total)
    in_prefix = np.full(len(page), True) if exact else (p <= n - millionths * n // MILLION + 1) & (q <= m - millionths * m // MILLION + 1)
    bounded = in_prefix & (exact | ((1 + np.minimum(n - p, m - q)) * (MILLION + millionths) >= millionths * (n + m)))
    after_prefix, left = (np.bincount(page[kept], minlength=len(sums)) > 0 for kept in (in_prefix, bounded))
    hit = np.flatnonzero(left & (score >= millionths / MILLION))
    write_pairs(db, np.full(len(hit), -1), vectors.ids[hit], score[hit])
    filters = {"prefix": after_prefix} | ({} if exact else {"positional": left})
    counts = {f"{name}_pairs": int(kept.sum()) for name, kept in filters.items()}
    left[own[0]] = True
    return counts | {"left_terms": vectors.terms_of(left), "verified_pairs": int(left.sum()) - 1, "pairs": len(hit)}
