"""Gold for ``replicadb evaluate``: how it is read, what it leaves out, what is refused; and the printed tables of a small one."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

import replicadb
from replicadb.cli.evaluation_text import text_of
from replicadb.errors import DataError, UsageError
from replicadb.evaluation.gold import read_gold

pytestmark = pytest.mark.slow

# -- gold ------------------------------------------------------------------------------------------------------------


GOLD = """Host_A, host_b ,label,ambiguous,kind
www.example.com,EXAMPLE.com,replica,0,www
example.org,example.com,near-replica,0,suffix
example.com,other.net,not,0,
alone.net,other.net,not,1,
example.org,www.example.com,1,0,suffix
ghost.net,example.com,replica,0,moved
"""


def test_gold_minds_neither_order_nor_case_and_counts_what_it_leaves_out(web, crawled, write):
    with replicadb.open(crawled, read_only=True) as web:
        gold = read_gold(web.database, write("gold.csv", GOLD))
        both = read_gold(
            web.database, write("gold.csv", GOLD), ("replica", "near-replica"), with_ambiguous=True
        )
    assert (gold.replicas, gold.unknown_hosts, gold.labelled) == (3, 1, True)
    assert gold.left_out == {"label": 1, "ambiguous": 1}
    assert len(set(gold.group[gold.label == 1])) == 1, (
        "www.example.com, example.com, example.org and ghost.net hang together"
    )
    assert sorted(gold.cause[gold.label == 1]) == ["moved", "suffix", "www"]
    assert both.replicas == 4 and not both.left_out and (both.label == 0).sum() == 2


def test_gold_pairs_that_are_no_candidates_are_obvious_by_their_names_too(crawled, write):
    pairs = "www.example.com,example.com\nexample.org,example.com\nother.net,example.com\nwww.ghost.net,ghost.net\nghost.net,ghost.org\n"
    with replicadb.open(crawled, read_only=True) as web:
        gold = read_gold(web.database, write("gold.csv", "host_a,host_b\n" + pairs))
    found = {(a, b): bool(o) for a, b, o in zip(*gold.names.to_pydict().values(), gold.obvious, strict=True)}
    assert found == {
        ("example.com", "www.example.com"): True,
        ("example.com", "example.org"): True,
        ("example.com", "other.net"): False,
        ("ghost.net", "www.ghost.net"): True,
        ("ghost.net", "ghost.org"): False,  # not loaded, so its suffix is not known
    }


def test_labelled_gold_is_compared_on_its_own_pairs_and_missed_ones_count_last(detected, write):
    with replicadb.open(detected, read_only=True) as web:
        result = web.evaluate(write("gold.csv", GOLD), methods=["jaccard"], folds=1)
    data, entry = result["data"], result["methods"][0]
    assert data["gold_labelled"] and data["evaluated_pairs"] == 3 and data["missed_replicas"] == 1
    assert entry["all"]["n"] == 3 and entry["all"]["auc"] == 1.0 and entry["all"]["average_precision"] < 1
    assert entry["folds"] is None


@pytest.mark.parametrize(
    "text, told",
    [
        ("", "the header must name host_a and host_b"),
        ("a,b\nx,y\n", "no column host_a and no column host_b"),
        ("host_a,host_b\nexample.com,\n", "row 2: host_b is empty"),
        ("host_a,host_b\nexample.com,Example.com\n", "row 2: example.com is paired with itself"),
        ("host_a,host_b,label\nexample.com,example.org,\n", "row 2: label is empty"),
        ("host_a,host_b,label\nexample.com,example.org,not\n", "no replica in it"),
        (
            "host_a,host_b,label\nexample.com,example.org,not\nexample.org,example.com,replica\n",
            "another label in an earlier row",
        ),
        ("host_a,host_b\nghost.net,spirit.net\n", "none of its replicas is a candidate pair"),
        (
            "host_a,host_b\nghost.net,spirit.net\n",
            "2 of its hosts are unknown there, ghost.net for one); is it",
        ),
        (
            "host_a,host_b\nexample.com,https://Example.org/a\n",
            "row 2: host_b is a URL, https://example.org/a; give names of hosts, as in example.org",
        ),
        (
            "host_a,host_b\nexample.com,example.org/\n",
            "example.org/ for one; names of hosts are meant, without path or port",
        ),
    ],
)
def test_gold_that_cannot_be_used_is_told_in_one_line(cli, detected, write, text, told):
    answer = cli("evaluate", detected, write("gold.csv", text), "--quiet")
    assert answer.code == 1 and told in answer.err and answer.err.count("\n") == 1 and not answer.out


def test_missing_files_and_wrong_options_are_told(cli, detected, write, tmp_path):
    gold = write("gold.csv", "host_a,host_b,label\nexample.com,example.org,replica\n")
    assert cli("evaluate", detected, tmp_path / "none.csv").code == 1
    assert cli("evaluate", tmp_path / "none.duckdb", gold).code == 1
    answer = cli("evaluate", detected, gold, "--methods", "robust,magic")
    assert answer.code == 2 and "no method magic; choose from: robust" in answer.err
    answer = cli("evaluate", detected, gold, "--positive", "copy")
    assert answer.code == 2 and "labels in it: replica" in answer.err
    assert cli("evaluate", detected, gold, "--folds", "0").code == 2
    pytest.importorskip("vl_convert")
    answer = cli("evaluate", detected, gold, "--report", tmp_path / "none" / "page.html")
    assert answer.code == 1 and "no such folder for the page" in answer.err and answer.err.count("\n") == 1


def test_an_empty_database_is_told_to_load_first(web, write):
    with pytest.raises(DataError, match="load a crawl first"):
        web.evaluate(write("gold.csv", "host_a,host_b\na.com,b.com\n"))
    with pytest.raises(UsageError, match="folds"):
        web.evaluate(write("gold.csv", "host_a,host_b\na.com,b.com\n"), folds=0)


def test_more_pairs_than_the_limit_are_refused_with_advice(cli, crawled, write, tmp_path):
    copy = shutil.copy(crawled, tmp_path / "copy.duckdb")
    with replicadb.open(copy) as web:
        web.database.execute(
            """INSERT INTO runs SELECT 99, 'detect', now()::TIMESTAMP, 0, '', '', '{"max_pairs": 2, "gone": 1}', '{}'"""
        )
    answer = cli("evaluate", copy, write("gold.csv", "host_a,host_b\nexample.com,example.org\n"), "--quiet")
    assert (
        answer.code == 3 and "evaluate takes its settings over" in answer.err and answer.err.count("\n") == 1
    )


# -- the printed tables ----------------------------------------------------------------------------------------------


GOLDEN = Path(__file__).parent / "golden" / "evaluate.txt"


def test_the_tables_are_printed_as_they_always_were(detected, write):
    """Golden: run this file with REPLICADB_GOLDEN=1 to write it anew, and read what changed."""
    with replicadb.open(detected, read_only=True, threads=1) as web:
        result = web.evaluate(write("gold.csv", GOLD), methods=["paper", "normpaths", "fullpath"])
    del result["tables"]["5"]  # timings
    text = text_of(result) + "\n"
    if os.environ.get("REPLICADB_GOLDEN"):
        GOLDEN.write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8")


def test_where_every_candidate_is_a_replica_most_figures_are_not_defined(cli, detected, write):
    with replicadb.open(detected, read_only=True) as web:
        pairs = web.sql("SELECT host_a, host_b FROM candidate_pairs").rows()
    gold = write("gold.csv", "host_a,host_b\n" + "".join(f"{a},{b}\n" for a, b in pairs))
    answer = cli("evaluate", detected, gold, "--json", "--quiet")
    assert answer.code == 0, answer.err
    first = json.loads(answer.out)["methods"][0]
    assert (
        first["all"]["auc"] is None
        and first["all"]["average_precision"] == 1.0
        and first["rdr"]["10"] is None
    )
