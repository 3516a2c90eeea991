"""What became of the paper's headlines: figures from the evaluation, verdicts by their order.

Tries execution_times, too.
"""

from __future__ import annotations

import numpy as np
import pytest

from replicadb.evaluation import published_figures as published
from replicadb.evaluation.execution_times import dominated_by, extract_rules
from replicadb.evaluation.headlines import HEADLINES, METHODS, area, headlines
from replicadb.evaluation.methods.method_registry import registry
from replicadb.evaluation.thesis_tables import IN_FOLDS
from replicadb.learning import pareto
from replicadb.learning.rules import RulePool


def entry(name: str, auc: float | None) -> dict:
    rr = [{"fpr": 0.005, "rr": None, "both": {"rr": auc}}]
    return {"name": name, "all": {"auc": auc}, "rdr": {"1000": auc}, "rr": rr, "folds": None}


def test_an_area_is_the_mean_of_the_folds_that_have_one_as_the_paper_s_is():
    folds = [{"all": {"auc": auc}} for auc in (0.9, None, 0.7)]
    assert area(entry("paper", 0.5) | {"folds": folds}) == pytest.approx(0.8)
    assert area(entry("paper", 0.5)) == 0.5
    assert area(entry("upper-bound", 0.5) | {"folds": folds}) == 0.5, "its folds are uneven"
    rows = headlines([entry("paper", 0.5) | {"folds": folds}, entry("paper-pu", 0.75)])
    assert rows[0]["verdict"] == "holds"


def test_headlines_are_the_published_figures_of_known_methods():
    assert set(METHODS) <= set(registry()) and set(published.THESIS_AUC) == set(IN_FOLDS)
    for line in HEADLINES:
        known = {"AUC": published.AUC | {"thesis-best": 0.9763}}
        known["RDR"] = {name: row[2] for name, row in published.TABLE_4.items()}
        known["RR"] = {name: row.get(0.005) for name, row in published.RR.items()}
        for column, name in ((0, "all"), (3, "FPR 0.005")):
            known[name] = {row: cells[column] for row, cells in published.TABLE_3.items()}
        theirs = known[line.figure]
        assert (theirs[line.first], theirs[line.second]) == line.published, line.claim


@pytest.mark.parametrize(
    ("together", "alone", "verdict"),
    [
        (0.9, 0.8, "holds"),
        (0.8, 0.9, "the other way"),
        (0.9, 0.9005, "a tie"),
        (None, 0.9, "not measured"),
    ],
)
def test_a_verdict_is_about_the_order_of_two_figures(together, alone, verdict):
    rows = headlines([entry("paper", together), entry("paper-pu", alone)])
    found = next(row for row in rows if row["second"] == "paper-pu")
    assert (found["here"], found["verdict"]) == ([together, alone], verdict)


def test_headlines_of_rewrite_rules_are_taken_from_table_3():
    table = {
        "columns": ["", "all", "FPR 0.000", "FPR 0.001", "FPR 0.005"],
        "rows": [
            ["RR intra, epsilon 0.0", 0.1, None, None, None],
            ["RR intra, epsilon 0.1", 0.3, None, None, None],
            ["RR inter", 0.9, 0.1, 0.1, 0.2],
            ["RR inter + intra, epsilon 0.0", 0.1, 0.1, 0.1, 0.15],
        ],
    }
    found = {row["first"]: (row["here"], row["verdict"]) for row in headlines([], table)}
    assert found["RR intra, epsilon 0.1"] == ([0.3, 0.1], "holds")
    assert found["RR inter + intra, epsilon 0.0"] == ([0.15, 0.2], "the other way")


def test_level_figures_have_to_be_level():
    for upper, verdict in ((0.9, "holds"), (0.95, "does not hold")):
        rows = headlines([entry("paper", 0.9), entry("upper-bound", upper)])
        assert [r["verdict"] for r in rows if r["second"] == "upper-bound"] == [verdict]


def test_published_figures_of_the_biased_svm_stand_beside_the_paper_s_variant():
    assert "rounds" in registry()["biased-svm-em"].title
    assert "biased-svm-em" in published.AUC and "biased-svm-em" in published.TABLE_4
    assert "biased-svm" not in published.AUC and "biased-svm" not in published.TABLE_4


@pytest.mark.slow
def test_as_published_takes_the_paper_s_settings_whatever_was_detected(cli, detected, write):
    gold = write("gold.csv", "host_a,host_b\nexample.com,example.org\n")
    answer = cli("evaluate", detected, gold, "--as-published", "--folds", "1", "--quiet")
    assert answer.code == 0, answer.err
    for line in HEADLINES:
        assert line.claim in answer.out
    assert "not the paper's" not in answer.out
    for table in ("Table 4.2 of the thesis", "Table 2 x 5 folds"):
        assert table in answer.out


def test_one_pair_dominates_as_many_as_pareto_counts():
    draw = np.random.default_rng(4)
    pu, nu = draw.integers(0, 6, (2, 50)) / 5
    many = draw.integers(0, 4, 50)
    expected = pareto.dominance(pu, nu, many)
    assert [dominated_by(x, pu, nu, many) for x in range(50)] == list(expected)


def test_rules_are_extracted_as_the_pool_has_them():
    draw = np.random.default_rng(2)
    bins = np.unique(draw.integers(0, 3, (40, 4)), axis=0)
    counts = draw.integers(0, 5, (len(bins), 2))
    pool = RulePool.from_patterns(bins, counts)
    for row in range(len(bins)):
        found = extract_rules(bins, counts, bins[row])
        assert np.array_equal(found, pool.supports[pool.antecedent_ids[row]])
