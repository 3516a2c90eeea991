"""Labelled pairs of the gold that are no candidates, in the figures of a method. (The rest:
test_evaluate.py.)
"""

from __future__ import annotations

import pytest

import replicadb
from replicadb.evaluation.context import Context
from replicadb.evaluation.evaluate import data_facts
from replicadb.evaluation.gold import read_gold
from replicadb.evaluation.judge import Judge
from replicadb.evaluation.methods.method_registry import registry
from replicadb.evaluation.scratch import Scratch

pytestmark = pytest.mark.slow
HEAD = "host_a,host_b,label,cause\n"
SEEN = "other.net,example.com,replica,moved\nother.net,www.example.com,not,\n"


def test_missed_pairs_count_in_the_precision_of_what_they_belong_to(detected, write):
    """An obvious one in that of all replicas and of its cause, not of the non-obvious ones."""

    def figures(scratch, *missed: str) -> tuple[float, ...]:
        gold = read_gold(scratch, write("gold.csv", HEAD + SEEN + "\n".join(missed)))
        context = Context(scratch, gold, 1, 0)
        judge = Judge(context, with_rules=False)
        assert data_facts(context, judge, "a.duckdb")["missed_replicas"] == len(missed)
        entry = judge.figures(registry()["jaccard"].run(context))
        parts = (entry["all"], entry["non_obvious"], entry["by_cause"]["moved"])
        return tuple(part["average_precision"] for part in parts)

    two_of_three = pytest.approx((0.5 + 2 / 3) / 2)
    with (
        replicadb.open(detected, read_only=True, threads=1) as web,
        Scratch(web.database) as scratch,
    ):
        scratch.detect_until_features()
        found = figures(scratch)  # of a tie of the two that are candidates; all missed come last
        assert found == (0.5, 0.5, 0.5)
        found = figures(scratch, "www.ghost.net,ghost.net,replica,www")
        assert found == (two_of_three, 0.5, 0.5)
        assert figures(scratch, "ghost.net,example.net,replica,moved") == (two_of_three,) * 3
