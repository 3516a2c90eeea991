"""Labelled pairs of the gold that are no candidates, in the figures of a method. (The rest:
test_evaluate.py.)
"""

from __future__ import annotations

import pytest

import replicadb

pytestmark = pytest.mark.slow
HEAD = "host_a,host_b,label,cause\n"
SEEN = "other.net,example.com,replica,moved\nother.net,www.example.com,not,\n"


def test_missed_pairs_count_in_the_precision_of_what_they_belong_to(detected, write):
    """An obvious one in that of all replicas and of its cause, not of the non-obvious ones."""

    def figures(*missed: str) -> tuple[float, ...]:
        gold = write("gold.csv", HEAD + SEEN + "\n".join(missed))
        with replicadb.open(detected, read_only=True, threads=1) as web:
            result = web.evaluate(gold, methods=["jaccard"], folds=1, tables=False)
        assert result["data"]["missed_replicas"] == len(missed)
        entry = result["methods"][0]
        parts = (entry["all"], entry["non_obvious"], entry["by_cause"]["moved"])
        return tuple(part["average_precision"] for part in parts)

    found = figures()  # of a tie of the two that are candidates; all that is missed comes last
    assert found == (0.5, 0.5, 0.5)
    two_of_three = pytest.approx((0.5 + 2 / 3) / 2)
    assert figures("www.ghost.net,ghost.net,replica,www") == (two_of_three, 0.5, 0.5)
    assert figures("ghost.net,example.net,replica,moved") == (two_of_three,) * 3
