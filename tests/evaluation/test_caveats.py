"""What a reader must know of the data before the figures (test_gold.py tries more of it)."""

from __future__ import annotations

import pytest

import replicadb


@pytest.mark.parametrize(("column", "noted"), [(",label", True), ("", False)])
def test_labels_that_are_all_replicas_are_noted(detected, write, column, noted):
    ending = ",replica" if column else ""
    gold = write("g.csv", f"host_a,host_b{column}\nexample.com,www.example.com{ending}\n")
    with replicadb.open(detected, read_only=True) as web:
        notes = web.evaluate(gold, methods=["paper"], folds=1)["data"]["notes"]
    assert any("label calls no pair a non-replica" in note for note in notes) == noted
