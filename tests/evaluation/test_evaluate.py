"""``replicadb evaluate``: figures out of known replicas; what it says and leaves alone. (Gold:
test_gold.py.)

Tries judge and likelihood_plane, too.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter

import duckdb
import numpy as np
import pytest

import replicadb
from evaluation.reference import average_precision, roc_auc, tpr_at_fpr
from replicadb.cli.evaluate_text import text_of
from replicadb.evaluation.context import Context
from replicadb.evaluation.gold import read_gold
from replicadb.evaluation.methods.method_registry import registry
from replicadb.evaluation.scratch import Scratch
from replicadb.evaluation.significance import holm

from .evaluated import FOLDS, QUICK, without_times

pytestmark = pytest.mark.slow


def test_the_result_is_plain_json_without_nan(result):
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert [method["name"] for method in result["methods"]] == QUICK
    assert set(result) == {
        "replicadb",
        "made_at",
        "machine",
        "data",
        "methods",
        "drop_list",
        "crawl_order",
        "plane",
        "comparisons",
        "significance",
        "tables",
        "figures",
        "published",
        "headlines",
    }
    assert result["headlines"] == [] and "4.2" not in result["tables"], "those are as published"


def test_the_data_are_what_the_crawl_holds(planted, result):
    data, gold = (
        result["data"],
        [line.split(",") for line in (planted / "gold.csv").read_text().splitlines()[1:]],
    )
    with replicadb.open(planted / "web.duckdb", read_only=True, threads=1) as web:
        candidates = {
            (a, b): obvious
            for a, b, obvious in web.sql(
                "SELECT host_a, host_b, obvious FROM candidate_pairs"
            ).iter_rows()
        }
    both = [(a, b) for a, b, *_ in gold if (a, b) in candidates]
    assert (
        data["gold_replicas"] == len(gold)
        and data["gold_candidates"] == len(both)
        and not data["gold_labelled"]
    )
    assert data["candidate_recall"] == len(both) / len(gold)
    assert data["non_obvious_replicas"] == sum(not candidates[pair] for pair in both)
    assert data["evaluated_pairs"] == data["candidate_pairs"] == len(candidates)
    assert {cause: n["gold"] for cause, n in data["causes"].items()} == {
        c: sum(row[2] == c for row in gold) for c in {row[2] for row in gold}
    }


def test_figures_of_robust_are_those_of_its_ranking(planted, result):
    with replicadb.open(planted / "web.duckdb", read_only=True, threads=1) as web:
        table = web.sql(
            """SELECT r.strength, r.flagged, r.obvious, g.host_a IS NOT NULL AS replica
                FROM replicas AS r
            LEFT JOIN read_csv($gold) AS g ON g.host_a = r.host_a AND g.host_b = r.host_b""",
            {"gold": str(planted / "gold.csv")},
        )
    score, flagged, obvious, replica = (table[name].to_numpy() for name in table.columns)
    entry = result["methods"][0]
    for part, rows in (("all", np.ones(len(score), bool)), ("non_obvious", ~obvious)):
        assert entry[part]["auc"] == pytest.approx(roc_auc(score[rows], replica[rows]), abs=1e-6)
        assert entry[part]["average_precision"] == pytest.approx(
            average_precision(score[rows], replica[rows]), abs=1e-6
        )
        assert entry[part]["above_all"] == pytest.approx(
            tpr_at_fpr(score[rows], replica[rows], 0.0), abs=1e-6
        )
        for rate, value in entry[part]["tpr"].items():
            if (rows & ~replica).sum() * float(rate) >= 1:
                assert value == pytest.approx(
                    tpr_at_fpr(score[rows], replica[rows], float(rate)), abs=1e-6
                )
            else:
                assert value is None and entry[part]["intervals"]["tpr"][rate] is None
        assert entry[part]["tpr"]["0.0001"] is None, (
            "too few non-replicas here to tell one in 10,000"
        )
        low, high = entry[part]["intervals"]["auc"]
        assert low <= entry[part]["auc"] <= high
    flags_are_counted(result, flagged, obvious, replica)


def flags_are_counted(result, flagged, obvious, replica) -> None:
    flags = result["methods"][0]["flagged"]
    assert flags["pairs"] == flagged.sum() and flags["precision"] == pytest.approx(
        (flagged & replica).sum() / flagged.sum()
    )
    assert flags["recall"] == pytest.approx(
        (flagged & replica).sum() / result["data"]["gold_replicas"]
    )
    hidden = flags["non_obvious"]
    assert hidden["pairs"] == (flagged & ~obvious).sum()
    assert hidden["precision"] == pytest.approx(
        (flagged & replica & ~obvious).sum() / (flagged & ~obvious).sum()
    )
    assert hidden["recall"] == pytest.approx(
        (flagged & replica & ~obvious).sum() / result["data"]["gold_non_obvious"]
    )
    flags_by_cause_add_up(result, (flagged & replica).sum())


def flags_by_cause_add_up(result, right: int) -> None:
    entry = result["methods"][0]
    cause, planted_ones = max(
        result["data"]["causes"].items(), key=lambda item: item[1]["candidates"]
    )
    alone = entry["by_cause"][cause]
    assert (
        alone["replicas"] == planted_ones["candidates"]
        and 0 < alone["rr"][0]["rr"] <= entry["rr"][0]["rr"]
    )
    for figure in ("auc", "average_precision", "above_all"):
        assert (
            alone["intervals"][figure][0] <= alone[figure] + 1e-6
            and alone[figure] <= alone["intervals"][figure][1] + 1e-6
        )
    assert set(alone["rdr"]) == set(entry["rdr"])
    recalled = sum(
        entry["by_cause"][cause]["flagged_recall"] * n["gold"]
        for cause, n in result["data"]["causes"].items()
        if n["candidates"]
    )
    assert recalled == pytest.approx(right)
    assert (
        sum(cause["replicas"] for cause in entry["by_cause"].values())
        == result["data"]["gold_candidates"]
    )


FILES = "internal.urls JOIN hosts USING (host_id)"
"""Pages and other files: what the detection compared."""


def test_reduction_counts_the_duplicate_urls_of_dropped_hosts(planted, result):
    """Slow reference at FPR 0: every pair above the best non-replica drops its smaller host."""
    with replicadb.open(planted / "web.duckdb", read_only=True, threads=1) as web:
        table = web.sql(
            """SELECT r.score, r.host_a, r.host_b, r.obvious, g.host_a IS NOT NULL AS replica
                FROM replicas AS r
            LEFT JOIN read_csv($gold) AS g ON g.host_a = r.host_a AND g.host_b = r.host_b""",
            {"gold": str(planted / "gold.csv")},
        )
        urls = dict(web.sql(f"SELECT host, count(*) FROM {FILES} GROUP BY host").iter_rows())
        registered = {
            domain
            for (domain,) in web.sql(
                "SELECT domain FROM hosts WHERE domain IS NOT NULL"
            ).iter_rows()
        }
        duplicate = dict(
            web.sql(
                f"""SELECT host, count(*) FROM {FILES} WHERE fingerprint IN
            (SELECT fingerprint FROM {FILES} GROUP BY fingerprint HAVING count(*) > 1)
            GROUP BY host"""
            ).iter_rows()
        )
    for part, pairs in (("rr", table), ("rr_non_obvious", table.filter(~table["obvious"]))):
        bar = pairs.filter(~pairs["replica"])["score"].max()
        dropped = {
            max(
                (a, b),
                key=lambda h: (
                    -urls[h],
                    h not in registered and h.removeprefix("www.") not in registered,
                    len(h),
                    h,
                ),
            )
            for _, a, b, *_ in pairs.filter(pairs["score"] > bar).iter_rows()
        }
        row = result["methods"][0][part][0]
        assert row["removed_hosts"] == len(dropped) and row["removed_urls"] == sum(
            duplicate.get(h, 0) for h in dropped
        )
        assert (
            row["rr"] == pytest.approx(row["removed_urls"] / sum(duplicate.values()))
            and row["at_fpr"] == 0
        )
    for part in ("", "_non_obvious"):
        row, curve = result["methods"][0][f"rr{part}"][0], result["methods"][0][f"rr_curve{part}"]
        assert curve[0][1] == pytest.approx(row["rr"], abs=1e-6) and all(
            a[1] <= b[1] for a, b in itertools.pairwise(curve)
        )
    for low, value, high in (
        (cell["interval"][0], cell["rr"], cell["interval"][1])
        for found in (result["methods"][0]["rr"][0], result["methods"][0]["rr"][0]["both"])
        for cell in (found, *found["rules"].values())
    ):
        assert low - 1e-6 <= value <= high + 1e-6 and low < high


def test_precision_and_recall_of_non_obvious_replicas_have_a_curve_and_causes_a_precision(result):
    entry = result["methods"][0]
    curve = entry["precision_recall_non_obvious"]
    area = sum(
        precision * (recall - before)
        for (before, _), (recall, precision) in zip([[0, 0], *curve], curve, strict=False)
    )
    assert curve[-1][0] == 1.0 and area == pytest.approx(
        entry["non_obvious"]["average_precision"], abs=0.01
    )
    assert curve != entry["precision_recall"]
    for cause in entry["by_cause"].values():
        assert set(cause["precision_at"]) == {"10", "100", "1000"} and cause["precision_at"][
            "10"
        ] <= min(1, cause["replicas"] / 10)


def test_the_plane_is_all_candidates_and_its_frontier_that_of_the_definition(result):
    points = result["plane"]
    for name, fact in (("pairs", "candidate_pairs"), ("replicas", "gold_candidates")):
        assert sum(point[name] for point in points) == result["data"][fact]

    def dominates(p, q):
        higher = p["pu"] > q["pu"] or p["nu"] > q["nu"]
        return p["pu"] >= q["pu"] and p["nu"] >= q["nu"] and higher

    for point in points:
        assert point["frontier"] == (not any(dominates(other, point) for other in points))
    # dom(x), Definition 3.6, over the points gives the AUC of the method.
    dom = [sum(q["pairs"] for q in points if dominates(p, q)) for p in points]
    scores = [
        (score, label)
        for label, name in ((1, "replicas"), (0, "others"))
        for score, point in zip(dom, points, strict=True)
        for _ in range(point[name])
    ]
    (auc,) = (m["all"]["auc"] for m in result["methods"] if m["name"] == "paper")
    assert roc_auc(*zip(*scores, strict=True)) == pytest.approx(auc, abs=1e-6)


def test_folds_of_the_published_method_are_cross_validated_and_others_are_not(result):
    by_name = {method["name"]: method for method in result["methods"]}
    assert (
        all(fold["cross_validated"] for fold in by_name["paper"]["folds"])
        and len(by_name["paper"]["folds"]) == FOLDS
    )
    assert not any(fold["cross_validated"] for fold in by_name["jaccard"]["folds"])
    for name in ("paper", "upper-bound"):
        assert (
            sum(fold["all"]["replicas"] for fold in by_name[name]["folds"])
            == result["data"]["evaluated_replicas"]
        )


def test_comparisons_are_of_the_two_references_with_every_other(result):
    pairs = {(c["a"], c["b"]) for c in result["comparisons"]}
    assert pairs == {(a, b) for a in ("robust", "paper") for b in QUICK if a != b}
    turned = {(c["a"], c["b"], c["metric"]): c for c in result["comparisons"]}
    there, back = turned["robust", "paper", "auc"], turned["paper", "robust", "auc"]
    assert (
        there["mean_difference"] == -back["mean_difference"]
        and there["wilcoxon_p"] == back["wilcoxon_p"]
    )


def test_p_values_are_corrected_for_the_number_of_comparisons(result):
    assert "Holm" in result["significance"][
        "correction"
    ] and "p (Holm): corrected for 6 comparisons" in text_of(result)
    assert "Wilcoxon" in text_of(result)
    for reference in ("robust", "paper"):
        for metric in ("auc", "average_precision"):
            family = [
                c for c in result["comparisons"] if (c["a"], c["metric"]) == (reference, metric)
            ]
            assert [c["holm_p"] for c in family] == holm([c["wilcoxon_p"] for c in family])


def test_tables_have_the_papers_rows_beside_ours(result):
    for number, table in result["tables"].items():
        assert table["title"].startswith(f"Table {number}")
        assert [row[0] for row in table["rows"]] == [row[0] for row in table["published"]]
        assert {
            len(row) for row in table["rows"] + table["published"] + table.get("intervals", [])
        } == {len(table["columns"])}
        for row, spread in zip(
            table["rows"], table.get("intervals", []), strict="intervals" in table
        ):
            assert all(
                s is None or s[0] - 1e-6 <= v <= s[1] + 1e-6
                for v, s in zip(row[1:], spread[1:], strict=True)
            ), row
    assert all("intervals" in result["tables"][number] for number in ("2", "3", "4", "4.1"))
    with_spread = {
        row[0]
        for row, spread in zip(
            result["tables"]["3"]["rows"], result["tables"]["3"]["intervals"], strict=True
        )
        if any(spread)
    }
    assert with_spread == {
        "RR inter",
        "RR inter + intra, epsilon 0.0",
        "RR inter + intra, epsilon 0.1",
        "RR inter, one host of a pair kept",
        "RR inter, robust",
        "RR inter, robust, one host kept",
    }
    by_name = {method["name"]: method for method in result["methods"]}
    assert result["tables"]["3"]["rows"][0][1] == result["data"]["duplicate_urls"]
    assert (
        next(row for row in result["tables"]["4"]["rows"] if row[0] == by_name["paper"]["title"])[1]
        == by_name["paper"]["rdr"]["10"]
    )


def test_table_3_removes_both_hosts_as_the_paper_counts(planted, result):
    """By its text: all hosts of the gold's replicas ("eliminating all 3765 replicated websites
    would remove 843,526 URLs"), and at an FPR those of all pairs above so many non-replicas.
    """
    with replicadb.open(planted / "web.duckdb", read_only=True, threads=1) as web:
        with Scratch(web.database) as scratch:
            scratch.detect_until_features()
            context = Context(scratch, read_gold(scratch, planted / "gold.csv"), 1, 0)
            scores = np.asarray(registry()["paper"].run(context).scores)
            others = np.sort(scores[context.compared & ~context.truth])[::-1]
            found = context.compared & (scores > others[int(0.005 * len(others))])
            ids = {*context.a[found].tolist(), *context.b[found].tolist()}
            urls = scratch.rows(f"SELECT host_id, fingerprint_kind, fingerprint FROM {FILES}")
        names = dict(web.database.rows("SELECT host, host_id FROM hosts"))
    replicated = {
        names[host]
        for line in (planted / "gold.csv").read_text().splitlines()[1:]
        for host in line.split(",")[:2]
    }
    contents = Counter((kind, content) for _, kind, content in urls)
    of_host = Counter(urls)
    inside = [row for row in urls if contents[row[1:]] > 1]
    rows = {row[0]: row[1:] for row in result["tables"]["3"]["rows"]}
    for column, gone in ((0, replicated), (3, ids)):
        removed = [row for row in inside if row[0] in gone]
        assert rows["inter-site URLs"][column] == len(removed) > 0
        assert rows["inter- and intra-site URLs"][column] == sum(
            of_host[row] > 1 for row in removed
        )
        assert rows["RR inter"][column] == pytest.approx(len(removed) / len(inside), abs=1e-6)


def test_no_order_of_loads_and_no_number_of_threads_changes_a_figure(
    cli, planted, result, tmp_path
):
    """Nor folds, samples and intervals, nor the order of methods: ids of hosts are given in the
    order of loads. The other one detects, and prints, by the command.
    """
    path, numbered = tmp_path / "web.duckdb", "SELECT host, host_id FROM hosts ORDER BY ALL"
    with replicadb.open(planted / "web.duckdb", read_only=True, threads=1) as web:
        ids = web.database.rows(numbered)
    with duckdb.connect() as con, replicadb.open(path, threads=1) as web:
        for part, some in (("first", "= 0"), ("rest", "> 0")):
            con.execute(
                f"COPY (FROM '{planted}/crawl.parquet' WHERE hash(url) % 9 {some}) TO"
                f" '{tmp_path}/{part}.parquet'"
            )
            web.load(tmp_path / f"{part}.parquet")
        assert web.database.rows(numbered) != ids
    asked = ("--methods", ",".join(reversed(QUICK)), "--folds", FOLDS, "--threads", 2)
    answer = cli("evaluate", path, planted / "gold.csv", *asked, "--json", "--quiet")
    assert answer.code == 0 and answer.err == ""
    assert all(method["all"]["auc"] for method in result["methods"])
    assert without_times(json.loads(answer.out)) == without_times(result)
