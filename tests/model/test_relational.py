"""Relational evidence of a model, against loops over the lists of neighbours."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest

from replicadb.detection.collective import MIN_COMMON
from replicadb.model import relational
from replicadb.model.relational import NeighbourLists, Neighbours, Side


def lists_of(each: list[dict[int, int]]) -> NeighbourLists:
    """Neighbours by place with their weights, a dict a host."""
    return NeighbourLists.of(
        [
            (np.array(sorted(one), np.uint32), np.array([one[k] for k in sorted(one)], np.uint16))
            for one in each
        ]
    )


def slow_evidence(x: dict[int, int], y: dict[int, int], a: int, b: int):
    """common, overlap and correlation as sql/detect/62_collective defines them, for hosts whose
    places are a and b.
    """
    both = [(x[k], y[k]) for k in sorted(x.keys() & y.keys()) if k not in (a, b)]
    mine, theirs = (
        (sum(one.values()) - one.get(other, 0)) / 1000 for one, other in ((x, b), (y, a))
    )
    products = sum(p * q for p, q in both)
    common = min(products / 1e6, mine, theirs)
    overlap = common / (mine + theirs - common + 1) if mine > 0 or theirs > 0 else np.nan
    n, left, right = len(both), sum(p for p, _ in both), sum(q for _, q in both)
    spread = (n * sum(p * p for p, _ in both) - left**2) * (
        n * sum(q * q for _, q in both) - right**2
    )
    together = n * products - left * right
    correlation = together / sqrt(spread) if spread > 0 and products >= MIN_COMMON * 1e6 else np.nan
    return common, overlap, correlation


@pytest.mark.parametrize("piece", [1 << 20, 7])
def test_evidence_is_that_of_loops_over_the_lists(monkeypatch, piece):
    """Of known hosts among each other, and of new ones, of which one has a known name."""
    monkeypatch.setattr(relational, "PIECE", piece)
    draw = np.random.default_rng(5)
    hosts = 120

    def some(mean: float) -> dict[int, int]:
        chosen = np.flatnonzero(draw.random(hosts) < mean)
        return {int(k): int(draw.integers(50, 1001)) for k in chosen}

    known = [some(mean) for mean in draw.choice([0, 0.1, 0.9], hosts)]
    for place, one in enumerate(known):
        one.pop(place, None)
    new = [some(mean) for mean in (0, 0.1, 0.8, 0.9)]
    names = [-1, -1, 4, -1]
    x, y = draw.integers(0, len(new), 200), draw.integers(0, hosts, 200)
    lists, theirs = lists_of(known), lists_of(new)
    for left, a, right, b, each, own in (
        (lists, draw.integers(0, hosts, 200), lists, y, known, np.arange(hosts)),
        (theirs, x, lists, y, new, np.array(names)),
    ):
        found = relational.neighbours_say(
            left,
            Side(Neighbours(left, left), a, own[a]),
            right,
            Side(Neighbours(right, right), b, b),
        )
        slow = [
            slow_evidence(each[i], known[j], int(own[i]), int(j)) for i, j in zip(a, b, strict=True)
        ]
        for name, column in zip(
            ("common", "overlap", "correlation"), zip(*slow, strict=True), strict=True
        ):
            expected = np.array(column, np.float32)
            assert getattr(found, name) == pytest.approx(expected, rel=1e-6, nan_ok=True), name
    assert (found.common >= MIN_COMMON).any() and not all(isnan(c) for c in found.correlation)


def test_only_probable_replicas_are_neighbours():
    place, weight = relational.weights(np.array([3, 5, 9]), np.array([0.0, -6.0, 40.0]))
    assert (place.tolist(), weight.tolist()) == ([3, 9], [500, 1000])


def test_a_host_that_is_not_listed_weighs_nothing():
    lists = lists_of([{2: 700}, {}])
    asked = np.array([0, 0, 1, 0]), np.array([2, 1, 2, -1])
    assert lists.between(*asked).tolist() == [700, 0, 0, 0]
    assert lists_of([{}]).between(np.zeros(1, int), np.zeros(1, int)).tolist() == [0]
