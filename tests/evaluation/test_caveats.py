"""What a reader must know of the data before the figures (test_gold.py tries more of it)."""

from __future__ import annotations

import shutil

import replicadb
from replicadb.cli.evaluate_text import brief_of, text_of


def test_labels_that_are_all_replicas_are_noted(detected, write):
    """Of a gold without labels test_gold.py has all notes."""
    gold = write("g.csv", "host_a,host_b,label\nexample.com,www.example.com,replica\n")
    with replicadb.open(detected, read_only=True) as web:
        notes = web.evaluate(gold, methods=["paper"], folds=1, tables=False)["data"]["notes"]
    assert any("label calls no pair a non-replica" in note for note in notes)


def test_decisions_are_left_aside_and_that_is_said(detected_robust, write, tmp_path):
    gold = write("g.csv", "host_a,host_b\nexample.com,www.example.com\n")
    with replicadb.open(shutil.copy(detected_robust, tmp_path / "decided.duckdb")) as web:

        def judged():
            return web.evaluate(gold, methods=["robust"], folds=1, tables=False)

        before = judged()
        assert not before["data"]["decisions"] and "decision" not in brief_of(before)
        web.decide("example.com", "www.example.com", False)
        web.pin("example.com", "keep")
        after = judged()
    said = after["data"]["decisions"]
    assert said.startswith("left aside: 2 decisions (label, review): methods go by evidence alone")
    assert said in brief_of(after) and said in text_of(after)
    assert after["methods"][0]["all"] == before["methods"][0]["all"]
