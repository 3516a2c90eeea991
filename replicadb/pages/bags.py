"""Bags of lines: what two pages have in common of things that stand in them whole, such as headings and blocks of text.

Always true here: distances are the same both ways round, 0 for equal bags, 1 for bags without anything in common, NaN for two empty
ones; sums are of whole numbers, so the order of adding does not matter.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

BATCH = 4_000
"""Pairs at a time."""


@dataclass(frozen=True)
class Bags:
    """One bag for each of m pages, in one sorted array.

    ``keys`` (n,) int64, page * kinds + kind, rising; ``weights`` (n,) int64; ``starts`` (m + 1,); ``kinds`` is their number.
    """

    keys: np.ndarray
    weights: np.ndarray
    starts: np.ndarray
    kinds: int

    def distances(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Weighted Jaccard distance, 1 - shared weight / weight of either, of pairs of pages: two (n,) arrays of places give (n,) float64.

        O(items of the a side * log items).
        """
        totals = np.concatenate([[0], np.cumsum(self.weights)])[self.starts]
        whole = np.diff(totals)[a] + np.diff(totals)[b]
        shared = np.concatenate([np.zeros(0, np.int64), *(self._shared(a[i:i + BATCH], b[i:i + BATCH]) for i in range(0, len(a), BATCH))])
        either = whole - shared
        return np.where(either > 0, 1 - shared / np.maximum(either, 1), np.nan)

    def _shared(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        sizes = self.starts[a + 1] - self.starts[a]
        pair = np.repeat(np.arange(len(a)), sizes)
        at = np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + self.starts[a][pair]
        asked = self.keys[at] + (b - a)[pair] * self.kinds
        place = np.minimum(np.searchsorted(self.keys, asked), max(len(self.keys) - 1, 0))
        hit = self.keys[place] == asked if len(self.keys) else np.zeros(0, bool)
        return np.bincount(pair[hit], weights=self.weights[at[hit]], minlength=len(a)).astype(np.int64)


class BagsBuilder:
    """Takes the lines of one page after the other; a line that stands there twice counts as two things.

    Args:
        wanted: where false every bag is empty, and nothing is kept.
    """

    def __init__(self, wanted: bool) -> None:
        self.wanted = wanted
        self.codes: dict[tuple[str, int], int] = {}
        self.pages: list[np.ndarray] = []
        self.lengths: list[int] = []

    def add(self, lines: Counter[str], weighted: bool) -> None:
        """One page: lines with how often each stands there; ``weighted`` by their length in characters, else 1 each."""
        found: list[int] = []
        for line, n in lines.items() if self.wanted else ():
            for k in range(n):
                code = self.codes.setdefault((line, k), len(self.codes))
                if code == len(self.lengths):
                    self.lengths.append(len(line) if weighted else 1)
                found.append(code)
        self.pages.append(np.sort(np.array(found, np.int64)))

    def bags(self) -> Bags:
        """Those of all pages added, in their order."""
        sizes = np.array([len(page) for page in self.pages], np.int64)
        codes = np.concatenate([np.zeros(0, np.int64), *self.pages])
        kinds = max(len(self.codes), 1)
        keys = np.repeat(np.arange(len(sizes)), sizes) * kinds + codes
        return Bags(keys, np.array(self.lengths, np.int64)[codes] if len(codes) else codes, np.concatenate([[0], np.cumsum(sizes)]), kinds)
