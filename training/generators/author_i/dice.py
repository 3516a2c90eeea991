"""Chance: every draw of a web comes from one generator, and fixed fractions come from texts."""

from __future__ import annotations

import hashlib
import math
from base64 import b32encode
from collections.abc import Mapping
from random import Random
from typing import TypeVar
from zlib import crc32

T = TypeVar("T")


class Dice(Random):
    """Random numbers with the shapes that sizes and tastes have on the web."""

    def chance(self, share: float) -> bool:
        """True in that share of calls."""
        return self.random() < share

    def spread(self, low: float, high: float) -> float:
        """From low to high; each factor of ten is as likely as the next."""
        return float(low * (high / low) ** self.random())

    def count(self, low: int, high: int) -> int:
        """As spread, in whole numbers."""
        return min(high, int(self.spread(low, high + 1)))

    def tail(self, median: float, cap: int, width: float = 1.1) -> int:
        """A size with a heavy tail, at least 1."""
        return max(1, min(cap, round(median * math.exp(self.gauss(0, width)))))

    def rank(self, many: int) -> int:
        """An index below many; the first are the most popular, as Zipf has it."""
        return min(many - 1, int((many + 1) ** self.random()) - 1)

    def favourite(self, things: list[T]) -> T:
        """A thing of the list, most often of those in front."""
        return things[self.rank(len(things))]

    def weighed(self, weights: Mapping[str, float]) -> str:
        """A key, as often as its weight says."""
        return self.choices(list(weights), list(weights.values()))[0]


def source(scenario: str, seed: int) -> Dice:
    """The generator of a scenario and seed."""
    return Dice(f"author_i:{scenario}:{seed}")


def fraction(text: str) -> float:
    """A number from 0 to 1 that the text always has."""
    return crc32(text.encode()) / 2**32


def digest(body: str, style: str) -> str:
    """The fingerprint of a body: SHA-1 in base 32, as archives write it, or in hex, or MD5."""
    if style == "md5":
        return hashlib.md5(body.encode()).hexdigest()
    made = hashlib.sha1(body.encode())
    return made.hexdigest() if style == "hex" else b32encode(made.digest()).decode()
