"""Intervals of shares, against a worked example."""

from __future__ import annotations

import pytest

from replicadb.learning.intervals import wilson


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611)],
)
def test_intervals_are_those_of_a_worked_example(hits, of, low, high):
    """Newcombe (1998), Table I, method 3."""
    assert wilson(hits, of) == pytest.approx([low, high], abs=5e-5)


def test_of_nothing_everything_may_be():
    assert wilson(0, 0) == [0, 1]
