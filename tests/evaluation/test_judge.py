"""Pairs of the gold that are no candidates, in the figures of a method. (The rest:
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


@pytest.mark.parametrize("labels", [",not", ",replica"])
def test_flags_by_another_threshold_miss_replicas_that_are_no_candidates(detected, write, labels):
    """Whether the gold labels non-replicas or not, as the recall of flags has it."""
    rows = (
        "host_a,host_b,label\nother.net,example.com,replica\nghost.net,example.net,replica\n"
        f"other.net,www.example.com{labels}\n"
    )
    with (
        replicadb.open(detected, read_only=True, threads=1) as web,
        Scratch(web.database) as scratch,
    ):
        scratch.detect()
        context = Context(scratch, read_gold(scratch, write("gold.csv", rows)), 1, 0)
        method = registry()["robust"].run(context)
        entry = Judge(context, with_rules=False).figures(method)
    known = 2 if labels == ",not" else 3
    for row in entry["reliability"]["thresholds"]:
        found = method.probability[context.truth] >= row["probability"]
        assert row["recall"] == pytest.approx(found.sum() / known)
