"""The one seeded source of chance, and the hashing that makes contents and page traits of it."""

from __future__ import annotations

import hashlib
import math
import random

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Reals = NDArray[np.float64]

MASK = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15


def source(scenario: str, seed: int) -> random.Random:
    """Give the source that everything of a crawl is drawn from."""
    digest = hashlib.sha256(f"author_h/{scenario}/{seed}".encode()).digest()
    return random.Random(int.from_bytes(digest, "big"))


def mix_one(value: int) -> int:
    """Scramble one 64-bit number (splitmix64)."""
    value = (value + STEP) & MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def mix(values: Words) -> Words:
    """Scramble many 64-bit numbers (splitmix64)."""
    values = values + np.uint64(STEP)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def keyed(seed: int, index: Words, trait: int) -> Words:
    """Give a number for each index, that depends on the seed and the trait asked for."""
    return mix(index * np.uint64(0xD1342543DE82EF95) + np.uint64(mix_one(seed + trait * STEP)))


def uniforms(seed: int, index: Words, trait: int) -> Reals:
    """Give a number in [0, 1) for each index."""
    return (keyed(seed, index, trait) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def traits(seed: int, index: Words, wanted: tuple[int, ...]) -> Reals:
    """Give a row of uniforms for each trait, as uniforms does for one."""
    starts = np.array([[mix_one(seed + trait * STEP)] for trait in wanted], dtype=np.uint64)
    scrambled = mix(index * np.uint64(0xD1342543DE82EF95) + starts)
    return (scrambled >> np.uint64(11)).astype(np.float64) * 2.0**-53


def word(rng: random.Random) -> int:
    """Draw a 64-bit number."""
    return rng.getrandbits(64)


def heavy(rng: random.Random, count: int, bend: float = 1.0) -> int:
    """Draw a rank below count, small ranks far more often (about Zipf for a bend of 1)."""
    return min(count - 1, int(count ** (rng.random() ** (1 / bend))) - 1)


def tail(rng: random.Random, low: int, high: int, shape: float) -> int:
    """Draw a whole number from low on with a Pareto tail, cut at high."""
    return min(high, int(low * rng.paretovariate(shape)))


def between(rng: random.Random, low: float, high: float) -> float:
    """Draw evenly on a log scale."""
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def pick(rng: random.Random, weights: dict[str, float]) -> str:
    """Draw a key by its weight."""
    return rng.choices(list(weights), list(weights.values()))[0]
