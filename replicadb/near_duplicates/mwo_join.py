"""Which pairs of pages can overlap enough: the paper's prefix and positional filters, and prefixes
by weight for the exact mode.

Invariant: a pair is never lost that the definition keeps. Thresholds t are whole millionths,
sizes and positions integers, so every bound is compared exactly. Positions p, q count from 1 in the
global order of terms; |a| is the number of terms of page a.

**Default** (Das, Mathew and Vijayaraghavan 2012, section 3.1.3): a pair stays when it shares a term
at p <= |a| - floor(t|a|) + 1 and q <= |b| - floor(t|b|) + 1 (prefix filter, Eq. 1) with 1 + min(|a|
- p, |b| - q) >= t / (1 + t) (|a| + |b|) (positional filter, Eq. 2 and 3). The second implies the
first: |a| >= |a| - p + 1 >= t / (1 + t) (|a| + |b|) gives |a| >= t|b|, hence |b| - q + 1 >= t|b|.
It also says how large b may be for a at p: |b| <= (|a| - p + 1) (1 + t) / t - |a|. So the smaller
page of a pair opens it at few positions, among pages of few sizes.

**Exact** (every pair with MWO >= t): let x be the first shared term of a and b in the global order,
and S_a(p) the share of a's weight at p and behind. All that a and b share stands at x or behind it
in both, so MWO(a, b) <= min(S_a(p), S_b(q)) at x. MWO >= t therefore puts x where S_a(p) >= t and
S_b(q) >= t: both pages have it in their prefix by weight, and joining the prefixes by term finds
the pair. (t = 0: every pair that shares a term.)

**Folded bound**, in both modes, before MWO itself is worked out: terms put together into K buckets,
min(x, y) + min(x', y') <= min(x + x', y + y'), so the overlap of the folded pages is never below
MWO. Shares are rounded up to whole parts of PARTS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from replicadb.arrays import Bools, Ints, Whole
from replicadb.near_duplicates.mwo_vectors import MILLION, Vectors, cut
from replicadb.under_way import each

FLAGS = 16_000_000
"""Pairs of pages that can be marked at a time, a byte each."""

SLICE_ROWS = 4_000_000
"""Rows of the join by term at a time."""

PARTS = 32_767
"""Whole parts of a page's weight; these and one for each bucket fit in 16 bits together."""

BUCKETS = (1024, 2048)
"""Buckets of the first look at a pair and of the second; fewer of them where a fold would be larger
than FOLD_BYTES.
"""

FOLD_BYTES = (256_000_000, 512_000_000)

LOOK_PAIRS = 512
"""Pairs compared in one step, so that their rows stay in the processor's cache."""


@dataclass(frozen=True)
class Join:
    """Prefix entries by term, and which of them open pairs with which others: neighbours in the
    list of the same term.

    An entry of page a opens pairs with pages of a higher number only, so every pair comes from its
    page of the lower number.
    """

    n_pages: int
    millionths: int
    bounded: bool  # whether rows are held to the positional bound
    pages: Whole  # (n_listed,) int32: by term, then page
    left: Whole  # (n_listed,) int32: |b| - q + 1
    sizes: Ints  # (n_pages,) int64
    opens: Whole  # (n_opening,) int32: page, rising
    begin: Ints  # (n_opening,): first entry of the list that it opens a pair with
    count: Ints  # (n_opening,): how many

    @property
    def rows(self) -> int:
        """Rows of the join: what it costs, known before it is made. At least the number
        of pairs.
        """
        return int(self.count.sum())

    def pairs(self) -> Iterator[tuple[Ints, Ints]]:
        """The pairs (a, b), a < b, every one once, in order, in slices of bounded size."""
        step = max(1, FLAGS // max(1, self.n_pages))
        edges = np.searchsorted(self.opens, np.arange(0, self.n_pages + step, step))
        flags = np.zeros(step * self.n_pages, bool)
        need = -(
            -self.millionths
            * np.arange(2 * int(self.sizes.max(initial=0)) + 2)
            // (MILLION + self.millionths)
        )
        for i, (low, high) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
            for first, last in cut(self.count[low:high], SLICE_ROWS):
                self._mark(low + first, low + last, i * step, need, flags)
            marked = np.flatnonzero(flags) if low < high else np.empty(0, np.int64)
            flags[marked] = False
            if len(marked):
                yield marked // self.n_pages + i * step, marked % self.n_pages

    def _mark(self, first: int, last: int, lowest: int, need: Ints, flags: Bools) -> None:
        """Mark the pairs that a range of opening entries opens."""
        count, opens = self.count[first:last], self.opens[first:last].astype(np.int64)
        listed = np.repeat(self.begin[first:last] - (np.cumsum(count) - count), count) + np.arange(
            count.sum()
        )
        other = self.pages[listed]
        marks = np.repeat((opens - lowest) * self.n_pages, count) + other
        if self.bounded:
            marks = marks[
                self.left[listed] >= need[np.repeat(self.sizes[opens], count) + self.sizes[other]]
            ]
        flags[marks] = True


def paper_join(vectors: Vectors, millionths: int, bounded: bool = True) -> Join:
    """The join of the default mode: pairs that pass the prefix filter and, if ``bounded``, the
    positional filter.

    Args:
        vectors: the pages, each of another normalised vector or not.
        millionths: t * 10^6.
        bounded: with the positional filter.

    Complexity: O(prefix entries * log) to set up; then O(rows).
    """
    sizes = vectors.sizes
    longest = np.minimum(sizes, sizes - millionths * sizes // MILLION + 1)
    page, rank, left = _entries(vectors, lambda page, position, _: position <= longest[page])
    order = by_value(rank)
    page, rank, left = page[order], rank[order], left[order]
    if not bounded:
        return _opened(vectors, millionths, False, page, left, _ends(rank))
    largest = np.full(len(page), sizes.max(initial=0))
    if millionths:
        largest = np.minimum(
            largest, left.astype(np.int64) * (MILLION + millionths) // millionths - sizes[page]
        )
    width = int(sizes.max(initial=0)) + 1
    ends = np.searchsorted(
        rank.astype(np.int64) * width + sizes[page],
        rank.astype(np.int64) * width + largest,
        side="right",
    )
    return _opened(vectors, millionths, True, page, left, ends)


def exact_join(vectors: Vectors, millionths: int) -> Join:
    """The join of the exact mode: pairs that share a term in their prefixes by weight."""
    page, rank, left = _entries(
        vectors, lambda page, _, share: share * MILLION >= millionths * vectors.totals[page]
    )
    order = by_value(rank)
    return _opened(vectors, millionths, False, page[order], left[order], _ends(rank[order]))


def _entries(
    vectors: Vectors, in_prefix: Callable[[Whole, Ints, Ints], Bools]
) -> tuple[Whole, Whole, Whole]:
    """Page, rank and |page| - position + 1 of the prefix entries of each page, in order, terms that
    only one prefix has left out.

    Args:
        vectors: the pages.
        in_prefix: says of arrays (page, position, weight at the position and behind) which entries
            belong to the prefix.
    """
    none = np.empty(0, np.int32)
    parts: list[tuple[Whole, Whole, Whole]] = [(none, none, none)]
    for first, last in each("prefixes", vectors.slices(), "slices"):
        page, rank, weight = vectors.entries_of(first, last)
        entry = np.arange(vectors.starts[first], vectors.starts[last])
        ends = np.cumsum(weight, dtype=np.int64)
        behind = ends[vectors.starts[page + 1] - vectors.starts[first] - 1] - ends + weight
        inside = in_prefix(page, entry - vectors.starts[page] + 1, behind)
        left = vectors.starts[page[inside] + 1] - entry[inside]
        parts.append((page[inside].astype(np.int32), rank[inside], left.astype(np.int32)))
    page, rank, left = (np.concatenate(column) for column in zip(*parts, strict=True))
    common = (np.bincount(rank, minlength=1) > 1)[rank]
    return page[common], rank[common], left[common]


def by_value(values: Whole) -> Ints:
    """The order, (n,), that sorts whole numbers from 0 to 2^31, (n,), and leaves equal ones as they
    stand; faster than argsort's stable kind.
    """
    keys = values.astype(np.int64) << 32 | np.arange(len(values))
    keys.sort()
    return keys & 0xFFFFFFFF


def _ends(rank: Whole) -> Ints:
    """For each entry of a sorted column, where the run of its value ends."""
    return np.searchsorted(rank, rank, side="right")


def _opened(
    vectors: Vectors,
    millionths: int,
    bounded: bool,
    page: Whole,
    left: Whole,
    ends: Ints,
) -> Join:
    """The join of a list of entries (by term, then page), each with the end of what it opens."""
    count = np.maximum(ends - np.arange(1, len(page) + 1), 0)
    opening = np.flatnonzero(count)
    opening = opening[by_value(page[opening])]
    return Join(
        len(vectors.ids),
        millionths,
        bounded,
        page,
        left,
        vectors.sizes,
        page[opening],
        opening + 1,
        count[opening],
    )


class Folds:
    """The pages folded into few buckets, twice: a quick bound above MWO, and a closer one."""

    def __init__(self, vectors: Vectors) -> None:
        share = np.zeros(
            vectors.n_terms
        )  # of all pages together: the heaviest terms have a bucket each
        for first, last in vectors.slices():
            page, rank, weight = vectors.entries_of(first, last)
            share += np.bincount(rank, weight / vectors.totals[page], minlength=vectors.n_terms)
        heaviest = np.lexsort((np.arange(vectors.n_terms), -share))
        self.folds = [
            folded(vectors, heaviest, _fitting(len(vectors.ids), *limits))
            for limits in zip(BUCKETS, FOLD_BYTES, strict=True)
        ]

    def may_reach(self, a: Ints, b: Ints, millionths: int) -> Bools:
        """(n,) which of the pairs of pages a[k], b[k] can have an MWO of t: never False where it is
        t or more.

        Args:
            millionths: t, in millionths.
        """
        open_pairs = np.arange(len(a))
        for fold in self.folds:
            bounds = np.empty(len(open_pairs), np.uint16)
            for first in range(0, len(open_pairs), LOOK_PAIRS):
                some = open_pairs[first : first + LOOK_PAIRS]
                ours = fold[a[some]]
                np.minimum(ours, fold[b[some]], out=ours)
                bounds[first : first + LOOK_PAIRS] = np.add.reduce(ours, axis=1, dtype=np.uint16)
            open_pairs = open_pairs[bounds.astype(np.int64) * MILLION >= millionths * PARTS]
        mask = np.zeros(len(a), bool)
        mask[open_pairs] = True
        return mask


def folded(vectors: Vectors, heaviest: Ints, buckets: int) -> npt.NDArray[np.uint16]:
    """Each page's shares by bucket, rounded up to whole parts.

    Args:
        vectors: the pages.
        heaviest: the terms' ranks by falling share; the first half of the buckets have a term each,
            the others share the rest.
        buckets: how many.

    Returns:
        (n_pages, buckets) uint16, each row's sum at most PARTS + buckets.
    """
    bucket = np.empty(vectors.n_terms, np.int64)
    bucket[heaviest] = np.where(
        np.arange(len(heaviest)) < buckets // 2,
        np.arange(len(heaviest)),
        buckets // 2 + np.arange(len(heaviest)) % (buckets - buckets // 2),
    )
    fold = np.empty((len(vectors.ids), buckets), np.uint16)
    for begin in range(0, len(vectors.ids), LOOK_PAIRS):
        end = min(begin + LOOK_PAIRS, len(vectors.ids))
        page, rank, weight = vectors.entries_of(begin, end)
        sums = np.bincount(
            (page - begin) * buckets + bucket[rank], weight, minlength=(end - begin) * buckets
        ).astype(np.int64)
        fold[begin:end] = -(-sums.reshape(-1, buckets) * PARTS // vectors.totals[begin:end, None])
    return fold


def _fitting(n_pages: int, buckets: int, most_bytes: int) -> int:
    """Buckets of a fold, halved until it fits, 64 at least."""
    while buckets > 64 and n_pages * buckets * 2 > most_bytes:
        buckets //= 2
    return buckets
