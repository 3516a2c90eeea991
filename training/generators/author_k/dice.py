"""Draws from one seeded generator."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


class Dice:
    """Draws that depend on the scenario and the seed only."""

    def __init__(self, scenario: str, seed: int) -> None:
        self._rng = np.random.default_rng([zlib.crc32(scenario.encode()), seed])
        self._left: list[float] = []

    def unit(self) -> float:
        """A number from 0 to below 1."""
        if not self._left:
            self._left = self._rng.random(8192).tolist()
        return self._left.pop()

    def chance(self, share: float) -> bool:
        """True in that share of the draws."""
        return self.unit() < share

    def between(self, low: float, high: float) -> float:
        """A number in the range."""
        return low + (high - low) * self.unit()

    def whole(self, low: int, high: int) -> int:
        """A whole number in the range, both ends included."""
        return low + int(self.unit() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, all equally likely."""
        return items[int(self.unit() * len(items))]

    def early(self, items: Sequence[T], power: float = 2.0) -> T:
        """One of the items; the first ones more often, and more so with a greater power."""
        return items[int(self.unit() ** power * len(items))]

    def weighted(self, weights: dict[T, float]) -> T:
        """One of the keys, as often as its weight says."""
        left = self.unit() * sum(weights.values())
        for item, weight in weights.items():
            left -= weight
            if left < 0:
                return item
        return next(reversed(weights))

    def size(self, median: float, sigma: float, high: int) -> int:
        """A skewed size of at least 1: most are near the median, a few are far greater."""
        return int(min(high, max(1, round(self._rng.lognormal(np.log(median), sigma)))))

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """That many different items (or all of them), in the order they have."""
        if count >= len(items):
            return list(items)
        chosen = self._rng.choice(len(items), size=max(count, 0), replace=False)
        return [items[i] for i in sorted(chosen.tolist())]

    def letters(self, alphabet: str, count: int) -> str:
        """A random string."""
        return "".join(self.pick(alphabet) for _ in range(count))
