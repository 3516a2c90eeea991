"""``replicadb evaluate``: what it prints first.

Tries evaluate_summary and evaluate_text, too.
"""

from __future__ import annotations

import json

import pytest

import replicadb
from replicadb.cli import grid
from replicadb.cli.evaluate_summary import share
from replicadb.cli.evaluate_text import brief_of, text_of

pytestmark = pytest.mark.slow


def test_on_a_narrow_terminal_its_tables_go_row_by_row(result, monkeypatch):
    monkeypatch.setattr(grid, "terminal_width", lambda: 80)
    printed = text_of(result)
    tables = [part.splitlines() for part in printed.split("\n\n") if part.startswith("method  ")]
    assert len(tables) > 3 and all(len(line) <= 80 for lines in tables for line in lines)
    assert any("AUC" in line for lines in tables for line in lines)


def test_the_answer_comes_first(result):
    by_name, data = {method["name"]: method for method in result["methods"]}, result["data"]
    lines = text_of(result).split("\n\n")[0].splitlines()[1:]
    first, ranking, flags, promised, drops, *_, recall = lines
    found = by_name["robust"]["non_obvious"]
    assert first.startswith(
        f"- best without labels: robust, which finds {share(found['tpr']['0.001'], 3)} ["
    )
    assert (
        f"of {data['non_obvious_replicas']} non-obvious replicas at a false-positive rate of 0.001"
        in first
    )
    assert (
        f"AUC {share(found['auc'])}, average precision {share(found['average_precision'])}"
        in ranking
    )
    flagged = by_name["robust"]["flagged"]
    assert (
        f"precision {share(flagged['precision'], 3)} [" in flags
        and f"recall {share(flagged['recall'], 3)} [" in flags
    )
    assert f"of all {data['gold_replicas']} replicas of the gold" in flags
    reliability = by_name["robust"]["reliability"]
    assert f"{reliability['estimated']:,.0f} replicas" in promised and (
        f"by {reliability['calibration_error']:.3f}" in promised
    )
    listed = result["drop_list"]
    assert drops.startswith(
        f"- robust drops {listed['hosts']} hosts; of {listed['judged']:,} that the gold judges"
        f" {share(listed['share'], 3)} are replicas"
    )
    assert recall.startswith(f"- candidate recall {share(data['candidate_recall'])} [")
    assert share(0.99999) == "0.9999" and share(1.0) == "1.0000" and share(None) == "undefined"


def test_what_is_not_quite_one_reads_so_in_tables_as_in_the_summary(result):
    swapped = json.loads(json.dumps(result))
    robust = next(method for method in swapped["methods"] if method["name"] == "robust")
    robust["non_obvious"] |= {"auc": 0.99996, "average_precision": 0.99997}
    printed = text_of(swapped)
    assert "AUC 0.9999, average precision 0.9999" in printed
    row = next(line for line in printed.splitlines() if line.startswith("robust  "))
    assert row.split()[1:3] == ["0.9999", "0.9999"]


def test_one_is_singular(result):
    swapped = json.loads(json.dumps(result))
    swapped["data"] |= {"gold_candidates": 1, "gold_replicas": 3}
    robust = next(method for method in swapped["methods"] if method["name"] == "robust")
    robust["reliability"] |= {"estimated": 1.2, "true": 1}
    printed = text_of(swapped)
    assert "1 of the gold's 3 replicas is a candidate pair" in printed
    assert "expect 1 replica among the pairs compared, 1 is" in printed


def test_a_method_that_learns_from_the_gold_is_never_the_best_without_labels(result):
    swapped = json.loads(json.dumps(result))
    for method in swapped["methods"]:
        if method["name"] != "upper-bound":
            method["non_obvious"]["tpr"]["0.001"] = 0.0
    assert "best without labels: upper-bound" not in text_of(swapped)


def test_what_becomes_of_pairs_that_the_gold_does_not_name_is_told(detected, write):
    """A column of labels alone changes nothing; a row that is labelled not does."""
    alone = "host_a,host_b\nwww.example.com,example.com\n"
    labels = "host_a,host_b,label\nwww.example.com,example.com,replica\n"
    counted = "candidates that the gold does not name count as non-replicas, since no row of it is"
    apart = "pairs that the gold does not name are not compared, since rows of it are labelled not"
    with replicadb.open(detected, read_only=True) as web:
        for gold, of_all, printed in (
            (alone, True, counted),
            (labels, True, counted),
            (f"{labels}example.com,example.org,not\n", False, apart),
        ):
            path = write("gold.csv", gold)
            result = web.evaluate(path, methods=["normpaths"], folds=1, tables=False)
            data = result["data"]
            assert (data["evaluated_pairs"] == data["candidate_pairs"]) == of_all
            assert printed in brief_of(result) and printed in text_of(result)
