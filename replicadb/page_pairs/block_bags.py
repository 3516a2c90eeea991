"""Bags of lines: what two pages have in common of things that stand in them whole, such as headings
and blocks of text, and in what order.

Invariant: distances and disorder are the same both ways round; a distance is 0 for equal
bags, 1 for bags without anything in common, NaN for two empty ones; sums are of whole numbers, so
the order of adding does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from replicadb.arrays import Bools, Floats, Ints

BATCH = 4_000
"""Pairs at a time."""


@dataclass(frozen=True)
class Bags:
    """One bag for each of m pages, in one sorted array.

    ``keys`` (n,), page * kinds + kind, rising; ``weights`` and ``positions`` in the page (n,);
    ``starts`` (m + 1,); ``kinds`` is their number.
    """

    keys: Ints
    weights: Ints
    positions: Ints
    starts: Ints
    kinds: int

    def distances(self, a: Ints, b: Ints) -> Floats:
        """Weighted Jaccard distance, 1 - shared weight / weight of either, of pairs of pages: two
        (n,) arrays of places give (n,) float64.

        O(items of the a side * log items).
        """
        totals = np.concatenate([[0], np.cumsum(self.weights)])[self.starts]
        whole = np.diff(totals)[a] + np.diff(totals)[b]
        shared = np.concatenate(
            [
                np.zeros(0, np.int64),
                *(
                    self._weight(a[i : i + BATCH], b[i : i + BATCH])
                    for i in range(0, len(a), BATCH)
                ),
            ]
        )
        either = whole - shared
        return np.where(either > 0, 1 - shared / np.maximum(either, 1), np.nan)

    def disorder(self, a: Ints, b: Ints) -> Floats:
        """How much of what pairs of pages have in common stands in another order: two (n,) arrays
        of places give (n,) float64 in 0 to 1.

        Of the things that both have, each and the next one are neighbours, and weigh what the two
        weigh: 1 - weight of neighbours in both pages / that of one page's (the greater). NaN where
        fewer than two things are shared. O(items of the a side * log items).
        """
        return np.concatenate(
            [
                np.zeros(0),
                *(
                    self._disorder(a[i : i + BATCH], b[i : i + BATCH])
                    for i in range(0, len(a), BATCH)
                ),
            ]
        )

    def _disorder(self, a: Ints, b: Ints) -> Floats:
        pair, mine, theirs = self._shared(a, b)
        weight, here, there = self.weights[mine], self.positions[mine], self.positions[theirs]
        first, second = np.lexsort((here, pair)), np.lexsort((there, pair))
        rank = np.empty(len(pair), np.int64)
        rank[second] = np.arange(len(pair))
        in_both = _neighbours(pair, weight, first, len(a), np.diff(rank[first]) == 1)
        whole = np.maximum(*(_neighbours(pair, weight, order, len(a)) for order in (first, second)))
        return np.where(whole > 0, 1 - in_both / np.maximum(whole, 1), np.nan)

    def _weight(self, a: Ints, b: Ints) -> Ints:
        """Of what each pair shares, (n,) int64."""
        pair, mine, _ = self._shared(a, b)
        return np.bincount(pair, weights=self.weights[mine], minlength=len(a)).astype(np.int64)

    def _shared(self, a: Ints, b: Ints) -> tuple[Ints, Ints, Ints]:
        """Things that both pages of a pair have: the pair's number, and where they stand in
        ``keys`` for either page.
        """
        sizes = self.starts[a + 1] - self.starts[a]
        pair = np.repeat(np.arange(len(a)), sizes)
        at = (
            np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + self.starts[a][pair]
        )
        wanted = self.keys[at] + (b - a)[pair] * self.kinds
        place = np.minimum(np.searchsorted(self.keys, wanted), max(len(self.keys) - 1, 0))
        hit = self.keys[place] == wanted if len(self.keys) else np.zeros(0, bool)
        return pair[hit], at[hit], place[hit]


def _neighbours(
    pair: Ints,
    weight: Ints,
    order: Ints,
    n: int,
    counted: Bools | bool = True,
) -> Ints:
    """Weight of the things that follow each other in an order, by pair, (n,) int64."""
    left, right = order[:-1], order[1:]
    both = (pair[left] == pair[right]) & counted
    return np.bincount(
        pair[left][both], weights=(weight[left] + weight[right])[both], minlength=n
    ).astype(np.int64)


class BagsBuilder:
    """Takes the lines of one page after the other; a line that stands there twice counts as two
    things.

    Args:
        wanted: where false every bag is empty, and nothing is kept.
    """

    def __init__(self, wanted: bool) -> None:
        self.wanted = wanted
        self.codes: dict[tuple[str, int], int] = {}
        self.pages: list[Ints] = []
        self.lengths: list[int] = []

    def add(self, lines: Iterable[str], weighted: bool) -> None:
        """One page: its lines in their order; ``weighted`` by their length in characters, else 1
        each.
        """
        found: list[int] = []
        seen: Counter[str] = Counter()
        for line in lines if self.wanted else ():
            code = self.codes.setdefault((line, seen[line]), len(self.codes))
            if code == len(self.lengths):
                self.lengths.append(len(line) if weighted else 1)
            seen[line] += 1
            found.append(code)
        self.pages.append(np.array(found, np.int64))

    def bags(self) -> Bags:
        """Those of all pages added, in their order."""
        sizes = np.array([len(page) for page in self.pages], np.int64)
        codes = np.concatenate([np.zeros(0, np.int64), *self.pages])
        kinds, starts = max(len(self.codes), 1), np.concatenate([[0], np.cumsum(sizes)])
        keys = np.repeat(np.arange(len(sizes)), sizes) * kinds + codes
        order = np.argsort(keys, kind="stable")
        weights = np.array(self.lengths, np.int64)[codes[order]] if len(codes) else codes
        return Bags(keys[order], weights, order - np.repeat(starts[:-1], sizes), starts, kinds)
