"""Random draws that are the same for the same words of a seed, in any process."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

Thing = TypeVar("Thing")
Range = tuple[float, float]


class Draw:
    """Draws numbers and picks things; uniform numbers are taken from numpy in blocks."""

    def __init__(self, *parts: object) -> None:
        text = "|".join(str(part) for part in parts)
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
        self.numbers = np.random.default_rng(seed)
        self._ahead: list[float] = []

    def unit(self) -> float:
        """A number from 0 up to 1."""
        if not self._ahead:
            self._ahead = self.numbers.random(2048).tolist()
        return self._ahead.pop()

    def chance(self, rate: float) -> bool:
        """Whether something of that rate happens."""
        return self.unit() < rate

    def below(self, count: int) -> int:
        """A whole number from 0 to count - 1."""
        return int(self.unit() * count)

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self.unit() * (high - low + 1))

    def within(self, bounds: Range) -> float:
        """A number in the range."""
        return bounds[0] + self.unit() * (bounds[1] - bounds[0])

    def pick(self, things: Sequence[Thing]) -> Thing:
        """One of the things, all alike likely."""
        return things[int(self.unit() * len(things))]

    def skewed(self, things: Sequence[Thing], power: float = 2.0) -> Thing:
        """One of the things, the first ones far likelier."""
        return things[int(self.unit() ** power * len(things))]

    def weighted(self, table: Mapping[Thing, float]) -> Thing:
        """One of the keys, as likely as its weight says."""
        left = self.unit() * sum(table.values())
        for thing, weight in table.items():
            left -= weight
            if left < 0:
                return thing
        return thing

    def some(self, things: Sequence[Thing], count: int) -> list[Thing]:
        """So many different ones of the things, in random order."""
        order = self.numbers.permutation(len(things))[: max(count, 0)].tolist()
        return [things[place] for place in order]

    def heavy(self, median: float, spread: float, most: int, least: int = 1) -> int:
        """A whole number of a distribution with a long tail."""
        value = math.exp(math.log(median) + spread * float(self.numbers.standard_normal()))
        return int(min(max(value, least), most))

    def repeats(self, rate: float, most: int = 40) -> int:
        """How often something happens again that does so with that rate each time."""
        count = 0
        while count < most and self.unit() < rate:
            count += 1
        return count

    def hexes(self, count: int) -> str:
        """So many hexadecimal digits."""
        return "".join(self.pick("0123456789abcdef") for _ in range(count))

    def letters(self, count: int, among: str = "abcdefghijklmnopqrstuvwxyz") -> str:
        """So many letters."""
        return "".join(self.pick(among) for _ in range(count))
