"""Minimum weight overlapping by its definition: a slow reference for the joins."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np

from replicadb.near_duplicates.mwo_vectors import (
    Vectors,
)


def vectors_of(pages: list[dict[int, int]]) -> Vectors:
    """Ranks to weights, small pages first, as sql/near_duplicates/60_mwo gives them."""
    order = sorted(range(len(pages)), key=lambda i: (len(pages[i]), i))
    entries = [entry for i in order for entry in sorted(pages[i].items())]
    ranks, weights = (np.array(column, np.int32) for column in zip(*entries, strict=True))
    starts = np.concatenate([[0], np.cumsum([len(pages[i]) for i in order])])
    return Vectors(
        np.array(order, np.int64),
        starts,
        ranks,
        weights,
        np.array([sum(pages[i].values()) for i in order], np.int64),
    )


def mwo(a: dict, b: dict) -> Fraction:
    """The sum of the smaller share of each term, over one denominator."""
    of_a, of_b = sum(a.values()), sum(b.values())
    return Fraction(sum(min(a[x] * of_b, b[x] * of_a) for x in a.keys() & b.keys()), of_a * of_b)


def shared_places(a: dict, b: dict) -> list[tuple[int, int]]:
    p, q = ({x: i for i, x in enumerate(sorted(page), 1)} for page in (a, b))
    return [(p[x], q[x]) for x in a.keys() & b.keys()]


def prefix_keeps(a: dict, b: dict, t: Fraction) -> bool:
    """The paper's Eq. 1."""
    lengths = [len(page) - int(t * len(page)) + 1 for page in (a, b)]
    return any(p <= lengths[0] and q <= lengths[1] for p, q in shared_places(a, b))


def positions_keep(a: dict, b: dict, t: Fraction) -> bool:
    """The paper's algorithm Filtering, its last loop: a shared term in both prefixes with ubound >=
    O.
    """
    lengths = [len(page) - int(t * len(page)) + 1 for page in (a, b)]
    return any(
        1 + min(len(a) - p, len(b) - q) >= t / (1 + t) * (len(a) + len(b))
        for p, q in shared_places(a, b)
        if p <= lengths[0] and q <= lengths[1]
    )


def pairs_of(join, vectors: Vectors) -> list[tuple[int, int]]:
    ids = vectors.ids
    return [
        tuple(sorted((int(ids[x]), int(ids[y]))))
        for a, b in join.pairs()
        for x, y in zip(a, b, strict=True)
    ]


def brute(pages: list[dict], keeps) -> set[tuple[int, int]]:
    return {(i, j) for i, j in combinations(range(len(pages)), 2) if keeps(pages[i], pages[j])}
