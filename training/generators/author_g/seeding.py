"""Random sources and the few draws that all of this author's files use."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np


def source(*parts: object) -> np.random.Generator:
    """Give the random source of these parts, the same in every process."""
    text = "|".join(("author_g", *map(str, parts)))
    digest = hashlib.sha256(text.encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw a number of which each order of magnitude is as likely."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def whole(rng: np.random.Generator, low: int, high: int) -> int:
    """Draw a whole number, both ends included."""
    return int(rng.integers(low, high + 1))


def log_whole(rng: np.random.Generator, low: int, high: int) -> int:
    """Draw a whole number of which each order of magnitude is as likely."""
    return round(log_uniform(rng, low, high))


def zipf_weights(count: int, slope: float, flat: float = 0.0) -> np.ndarray:
    """Give weights that sum to 1 and fall with the rank."""
    weights = (np.arange(count) + 1.0 + flat) ** -slope
    return weights / weights.sum()


def weighted(rng: np.random.Generator, choices: Mapping[str, float]) -> str:
    """Draw one of the names by their weights."""
    names = list(choices)
    weights = np.array([choices[name] for name in names], dtype=float)
    return names[int(rng.choice(len(names), p=weights / weights.sum()))]


def picks(rng: np.random.Generator, weights: np.ndarray, count: int) -> np.ndarray:
    """Draw positions by weight, with repetition; faster than ``choice``."""
    edges = np.cumsum(weights)
    found = np.searchsorted(edges, rng.random(count) * edges[-1], side="right")
    return np.minimum(found, len(weights) - 1)
