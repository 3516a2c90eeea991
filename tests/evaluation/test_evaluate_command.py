"""``replicadb evaluate``: what it prints first, and that it changes nothing.

Tries evaluate_summary and evaluate_text, too.
"""

from __future__ import annotations

import json

import pytest

from replicadb.cli import grid
from replicadb.cli.evaluate_summary import share
from replicadb.cli.evaluate_text import text_of

from .evaluated import FOLDS, without_times

pytestmark = pytest.mark.slow


def test_the_command_prints_json_and_the_order_of_methods_asked_for_changes_no_figure(
    cli, larger, result
):
    answer = cli(
        "evaluate",
        larger / "found.duckdb",
        larger / "gold.csv",
        "--methods",
        "paper-batch,paper,robust",
        "--folds",
        FOLDS,
        "--json",
        "--quiet",
    )
    assert answer.code == 0 and answer.err == ""
    by_name = {
        method["name"]: method for method in without_times(json.loads(answer.out))["methods"]
    }
    for method in without_times(result)["methods"][:2]:
        assert by_name[method["name"]] == method


def test_the_command_prints_tables_and_changes_nothing(cli, larger):
    before = (larger / "found.duckdb").read_bytes()
    answer = cli(
        "evaluate",
        larger / "found.duckdb",
        larger / "gold.csv",
        "--methods",
        "robust",
        "--methods",
        "paper,fullpath",
        "--folds",
        "2",
        "--threads",
        "1",
    )
    assert answer.code == 0, answer.err
    for wanted in (
        "Non-obvious replicas",
        "AUC",
        "candidate recall",
        "Table 2: AUC by feature",
        "Table 5",
        "0.9908",
        "6,948,501",
        "Wilcoxon",
    ):
        assert wanted in answer.out
    assert "PU+NU, Pareto" in answer.err, "progress goes to standard error"
    assert (larger / "found.duckdb").read_bytes() == before


def test_on_a_narrow_terminal_its_tables_go_row_by_row(result, monkeypatch):
    monkeypatch.setattr(grid, "terminal_width", lambda: 80)
    told = text_of(result)
    tables = [part.splitlines() for part in told.split("\n\n") if part.startswith("method  ")]
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


def test_a_method_that_learns_from_the_gold_is_never_the_best_without_labels(result):
    swapped = json.loads(json.dumps(result))
    for method in swapped["methods"]:
        if method["name"] != "upper-bound":
            method["non_obvious"]["tpr"]["0.001"] = 0.0
    assert "best without labels: upper-bound" not in text_of(swapped)
