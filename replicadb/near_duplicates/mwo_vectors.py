"""Pages as vectors of term weights in arrays, and minimum weight overlapping (MWO) of pairs of
them.

Invariant: weights stay the whole numbers that they are in the database. A page's normalised
weight is weight / total, so MWO(a, b) = sum over terms of min(w_a / W_a, w_b / W_b) = sum of
min(w_a * W_b, w_b * W_a) / (W_a * W_b): an integer over an integer, divided once. It does not
depend on any order, and is 1 exactly for pages of equal normalised weights. Source: Das, Mathew and
Vijayaraghavan (2012), Table 3 and algorithm Verification.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from replicadb.arrays import Bools, Floats, Ints, Whole
from replicadb.near_duplicates.shingles import mixed
from replicadb.near_duplicates.term_vectors import sparse_matrices

MILLION = 1_000_000
"""Shares of a page and thresholds are whole millionths here, so that comparing them is exact."""

SLICE_ENTRIES = 2_000_000
"""Entries of vectors that are worked on at a time."""


@dataclass(frozen=True)
class Vectors:
    """The term-document weight matrix, page after page.

    Pages are numbered from 0 by rising number of terms; ``ranks`` rise strictly within a page and
    ``weights`` are above 0.
    """

    ids: Ints  # (n_pages,): url_id
    # (n_pages + 1,): where the entries of each page begin; no page is empty
    starts: Ints
    # (n_entries,) int32 (int64 where there are 2^31 or more): place of the term in the global order
    ranks: Whole
    weights: Whole  # (n_entries,) int32
    totals: Ints  # (n_pages,): sum of the page's weights

    @cached_property
    def sizes(self) -> Ints:
        """Terms of each page, (n_pages,)."""
        return np.diff(self.starts)

    @cached_property
    def n_terms(self) -> int:
        """One more than the highest rank."""
        return int(self.ranks.max()) + 1 if len(self.ranks) else 0

    @cached_property
    def matrix(self) -> Any:
        """The same as a SciPy matrix, pages by terms, that shares these arrays."""
        matrix = sparse_matrices("mwo needs").csr_matrix(
            (self.weights, self.ranks, self.starts.astype(index_of(len(self.ranks)))),
            shape=(len(self.ids), self.n_terms),
        )
        matrix.has_canonical_format = True
        return matrix

    def slices(self) -> Iterator[tuple[int, int]]:
        """Ranges of pages (first, behind the last) with about SLICE_ENTRIES entries each."""
        yield from cut(self.sizes, SLICE_ENTRIES)

    def entries_of(self, first: int, last: int) -> tuple[Whole, Whole, Whole]:
        """Page, rank and weight, (m,) each, of the entries of pages from first to before last."""
        low, high = self.starts[first], self.starts[last]
        return (
            np.repeat(np.arange(first, last), self.sizes[first:last]),
            self.ranks[low:high],
            self.weights[low:high],
        )

    def only(self, mask: Bools) -> Vectors:
        """The pages of a mask (pages,), in their order."""
        if mask.all():
            return self
        starts = np.concatenate([[0], np.cumsum(self.sizes[mask])])
        entries = np.repeat(mask, self.sizes)
        return Vectors(
            self.ids[mask], starts, self.ranks[entries], self.weights[entries], self.totals[mask]
        )

    def terms_of(self, pages: Bools) -> int:
        """How many different terms the pages of a mask have together."""
        seen = np.zeros(self.n_terms, bool)
        for first, last in self.slices():
            page, rank, _ = self.entries_of(first, last)
            seen[rank[pages[page]]] = True
        return int(seen.sum())


def from_entries(ids: Ints, totals: Ints, page: Whole, rank: Whole, weight: Whole) -> Vectors:
    """Vectors of entries that come in any order.

    Args:
        ids, totals: (n_pages,) url_id and total weight, small pages first.
        page, rank, weight: (n_entries,) int32, each page and rank together once, every page at
            least once.

    Complexity: O(entries * log terms of a page).
    """
    matrix = (
        sparse_matrices("mwo needs")
        .coo_matrix((weight, (page, rank)), shape=(len(ids), int(rank.max(initial=-1)) + 1))
        .tocsr()
    )
    return Vectors(ids, matrix.indptr.astype(np.int64), matrix.indices, matrix.data, totals)


def index_of(entries: int) -> type[np.signedinteger[Any]]:
    """The type of a matrix's indices: one for both of its index arrays, or SciPy copies them."""
    return np.int32 if entries < 2**31 else np.int64


def cut(sizes: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Ranges (first, behind the last) of neighbours whose sizes (n,) sum to about ``most``, and to
    no more than one size above it.
    """
    ends = np.cumsum(sizes)
    if not len(ends):
        return
    edges = np.unique(
        np.concatenate(
            [[0], np.searchsorted(ends, np.arange(most, ends[-1], most)) + 1, [len(ends)]]
        )
    )
    yield from zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)


def overlaps(vectors: Vectors, a: Ints, b: Ints) -> Floats:
    """MWO of pairs of pages.

    Args:
        vectors: the pages.
        a, b: (n_pairs,) numbers of pages.

    Returns:
        (n_pairs,) float64, 0 to 1: the nearest double to the exact fraction.

    Complexity: O(terms of both pages) a pair, by SciPy's merge of sorted rows; W_a * W_b must stay
        below 2^63.
    """
    found = np.empty(len(a))
    for first, last in cut(vectors.sizes[a] + vectors.sizes[b], SLICE_ENTRIES):
        x, y = a[first:last], b[first:last]
        ours, theirs = vectors.matrix[x], vectors.matrix[y]
        ours.data = ours.data * np.repeat(vectors.totals[y], vectors.sizes[x])
        theirs.data = theirs.data * np.repeat(vectors.totals[x], vectors.sizes[y])
        shared = np.asarray(ours.minimum(theirs).sum(axis=1)).ravel()
        found[first:last] = shared / (vectors.totals[x] * vectors.totals[y])
    return found


def reaches(vectors: Vectors, a: Ints, b: Ints) -> Floats:
    """The largest t at which the paper's prefix and positional filters keep a pair: it is found at
    t exactly when this and its MWO are t or more.

    The first term that two pages share stands foremost in both, so it alone decides. With l = 1 +
    min(|a| - p, |b| - q) there, the positional bound l >= t / (1 + t) (|a| + |b|), which implies
    the prefix filter, says t <= l / (|a| + |b| - l).

    Args:
        a, b: (n_pairs,) numbers of pages.

    Returns:
        (n_pairs,) float64, 0 to 1; 0 where nothing is shared.

    Complexity: as :func:`overlaps`.
    """
    left = from_foremost(vectors, a, b).min(axis=0)
    reach: Floats = left / (vectors.sizes[a] + vectors.sizes[b] - left)
    return reach


def from_foremost(vectors: Vectors, a: Ints, b: Ints) -> Ints:
    """(2, n_pairs) how many terms of each page stand from the foremost shared one on, it included:
    1 + |a| - p and 1 + |b| - q; 0 where nothing is shared.
    """
    found, sizes = np.empty((2, len(a)), np.int64), vectors.sizes[a] + vectors.sizes[b]
    for first, last in cut(sizes, SLICE_ENTRIES):
        ours, theirs = vectors.matrix[a[first:last]], vectors.matrix[b[first:last]]
        shared = ours.minimum(theirs)
        foremost, some = np.full(last - first, vectors.n_terms), np.diff(shared.indptr) > 0
        foremost[some] = shared.indices[shared.indptr[:-1][some]]
        for side, row in ((ours, 0), (theirs, 1)):
            found[row, first:last] = np.add.reduceat(
                side.indices >= np.repeat(foremost, np.diff(side.indptr)),
                side.indptr[:-1],
                dtype=np.int64,
            )
    return found


def first_of_equals(vectors: Vectors) -> Ints:
    """For each page the first page whose normalised weights are the same: itself, or one before it.

    Pages are put together by 128 bits that are summed over the terms, and each is then compared
    with the first of its bits term by term.

    Returns:
        (n_pages,) int64.

    Complexity: O(entries + pages log pages).
    """
    n_pages = len(vectors.ids)
    keys = np.empty((2, n_pages), np.uint64)
    for first, last in vectors.slices():
        page, rank, weight = vectors.entries_of(first, last)
        begins = vectors.starts[first:last] - vectors.starts[first]
        reduced = weight // np.gcd.reduceat(weight, begins)[page - first]
        both = rank.astype(np.uint64) << np.uint64(32) | reduced.astype(np.uint64)
        for half, salt in enumerate((0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)):
            keys[half, first:last] = np.add.reduceat(mixed(both + np.uint64(salt)), begins)
    order = np.lexsort(
        (keys[1], keys[0], vectors.sizes)
    )  # stable: of equal ones the first stays first
    new = np.ones(n_pages, bool)
    new[1:] = ((np.diff(keys[:, order], axis=1) != 0).any(axis=0)) | (
        np.diff(vectors.sizes[order]) != 0
    )
    firsts = np.empty(n_pages, np.int64)
    firsts[order] = order[np.flatnonzero(new)[np.cumsum(new) - 1]]
    later = np.flatnonzero(firsts != np.arange(n_pages))
    unlike = later[
        overlaps(vectors, firsts[later], later) < 1
    ]  # equal bits, other terms: each stands alone
    firsts[unlike] = unlike
    return firsts
