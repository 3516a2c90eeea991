"""Gold for ``replicadb evaluate``: how it is read, what it leaves out, what is refused; and the
printed tables of a small one.

Tries caveats, too.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

import replicadb
from replicadb.cli.evaluate_text import brief_of, text_of
from replicadb.errors import DataError, UsageError
from replicadb.evaluation.evaluate import _unknown
from replicadb.evaluation.gold import read_gold
from replicadb.evaluation.gold_file import normal_host
from replicadb.web.urls import parse_url

pytestmark = pytest.mark.slow

GOLD = """Host_A, host_b ,label,ambiguous,kind
www.example.com,EXAMPLE.com,replica,0,www
example.org,example.com,near-replica,0,suffix
example.com,other.net,not,0,
alone.net,other.net,not,1,
example.org,www.example.com,1,0,suffix
ghost.net,example.com,replica,0,moved
"""


@pytest.fixture(scope="module")
def loaded(crawled):
    """The database of CRAWL, opened to be read."""
    with replicadb.open(crawled, read_only=True) as web:
        yield web.database


@pytest.fixture(scope="module")
def found(detected, tmp_path_factory):
    """A copy of the detected database, opened to be read."""
    copy = shutil.copy(detected, tmp_path_factory.mktemp("found"))
    with replicadb.open(copy, read_only=True, threads=1) as web:
        yield web


def test_gold_minds_neither_order_nor_case_and_counts_what_it_leaves_out(loaded, write):
    file = write("gold.csv", GOLD)
    gold = read_gold(loaded, file)
    both = read_gold(loaded, file, ("replica", "near-replica"), with_ambiguous=True)
    assert (gold.replicas, gold.unknown_hosts, gold.labelled) == (3, 1, True)
    assert "1 of its hosts is unknown there, ghost.net" in _unknown(gold)
    assert gold.left_out == {"label": 1, "ambiguous": 1}
    assert len(set(gold.group[gold.label == 1])) == 1, (
        "www.example.com, example.com, example.org and ghost.net hang together"
    )
    assert sorted(gold.cause[gold.label == 1]) == ["moved", "suffix", "www"]
    assert both.replicas == 4 and not both.left_out and (both.label == 0).sum() == 2


def test_gold_pairs_that_are_no_candidates_are_obvious_by_their_names_too(loaded, write):
    pairs = (
        "www.example.com,example.com\nexample.org,example.com\nother.net,example.com\n"
        "www.ghost.net,ghost.net\nghost.net,ghost.org\n"
    )
    gold = read_gold(loaded, write("gold.csv", "host_a,host_b\n" + pairs))
    found = {
        (a, b): bool(o)
        for a, b, o in zip(*gold.names.to_pydict().values(), gold.obvious, strict=True)
    }
    assert found == {
        ("example.com", "www.example.com"): True,
        ("example.com", "example.org"): True,
        ("example.com", "other.net"): False,
        ("ghost.net", "www.ghost.net"): True,
        ("ghost.net", "ghost.org"): False,  # not loaded, so its suffix is not known
    }


def test_labelled_gold_is_compared_on_its_own_pairs_and_missed_ones_count_last(
    found, write, of_paper
):
    gold = write("gold.csv", GOLD)
    result = found.evaluate(gold, methods=["jaccard"], folds=1, tables=False)
    data, entry = result["data"], result["methods"][0]
    assert data["gold_labelled"] and data["evaluated_pairs"] == 3 and data["missed_replicas"] == 1
    assert (entry["all"]["n"], entry["all"]["auc"]) == (3, 1.0)
    assert entry["all"]["average_precision"] < 1
    assert entry["folds"] is None and result["plane"] == [] and result["tables"] == {}
    assert of_paper["methods"][1]["all"] == entry["all"], "with tables the figures are the same"


@pytest.mark.parametrize(
    "text, parts",
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
        (
            "host_a,host_b\nghost.net,spirit.net\n",
            "none of its replicas is a candidate pair … 2 of its hosts are unknown there, ghost.net"
            " for one); is it",
        ),
        (
            "host_a,host_b\nexample.com,https://Example.org/a\n",
            "row 2: host_b is the URL of a page, https://Example.org/a; give names of hosts, as in"
            " example.org",
        ),
        (
            "host_a,host_b\nexample.com,example.org/a\n",
            (
                "row 2: host_b is no name of a host: 'example.org/a'; it has no blanks, path,"
                " port or quotes around it"
            ),
        ),
        ("host_a,host_b\n,\n,\nexample.com,\n", "row 4: host_b is empty"),
        ("host_a,host_b\n,\na.com,b.com\n,\na.com,A.com\n", "row 5: a.com is paired with itself"),
        (
            'host_a,host_b\nexample.com,example.org\n"example.com,other.net\n',
            "host_a is no name of a host: '\"example.com'",
        ),
        (
            "host_a,host_b\nexample.com,example.org\nexample.com,other net\n",
            "row 3: host_b is no name of a host: 'other net'",
        ),
        (
            "host_a,host_b,cause\nexample.com,example.org,moved\nexample.org,example.com,www\n",
            "row 2: example.com and example.org have another cause in a later row",
        ),
        (
            "host_a,host_b\nexample.com,example.org\nexample.com\n",
            "line 3 has 1 cell where the header has 2",
        ),
        (
            "host_a,host_b\nexample.com,example.org\n\nexample.com,b.net,c\n",
            "line 4 has 3 cells where the header has 2",
        ),
        (
            b"host_a,host_b,kind\nexample.com,example.org,caf\xe9\n",
            "line 2 is not in UTF-8 (the file may be in Latin-1); save it",
        ),
        (
            "host_a,host_b\nexample.com,example.org\n".encode("utf-16"),
            "the file is in UTF-16; save it as UTF-8",
        ),
    ],
)
def test_gold_that_cannot_be_used_is_reported_in_one_line(found, write, text, parts):
    with pytest.raises(DataError) as error:
        found.evaluate(write("gold.csv", text))
    said = str(error.value)
    assert "\n" not in said and all(part in said for part in parts.split(" … "))


def test_gold_is_refused_before_anything_is_made(found, write, monkeypatch):
    monkeypatch.setattr("replicadb.evaluation.evaluate.Scratch", None)
    with pytest.raises(DataError, match="header"):
        found.evaluate(write("gold.csv", "a,b\nx,y\n"))


def test_a_host_may_stand_there_as_the_url_of_its_home_page_and_rows_may_be_empty(loaded, write):
    pairs = "example.com,example.org,replica\nexample.com,other.net,not\n"
    urls = (
        "HTTPS://Example.com/,example.org/,replica\n,,\nhttp://example.com,other.net:80,not\n,,\n"
    )
    one, other = (
        read_gold(loaded, write(f"{i}.csv", "host_a,host_b,label\n" + rows))
        for i, rows in enumerate((pairs, urls))
    )
    for name in ("low", "high", "label", "word"):
        assert (getattr(one, name) == getattr(other, name)).all()
    assert other.unknown_hosts == 0


def test_hosts_are_named_as_load_names_them():
    named = {
        "Example.COM.": "example.com",
        "bücher.example": "xn--bcher-kva.example",
        "a.example:80": "a.example",
        "[::1]": "[::1]",
    }
    assert {text: normal_host(text) for text in named} == named
    assert not any(
        map(
            normal_host,
            ["a.example:8080", "a.example/b", "a b", '"a', "a@b", "a?b", "a\x00b", ".", ""],
        )
    )
    assert normal_host("A.example/~User", by_segment=True) == "a.example/~User"
    assert not any(normal_host(text, by_segment=True) for text in ("a.example/", "a.example/b/c"))


@pytest.mark.parametrize("length", [253, 254])
def test_gold_refuses_a_host_that_is_too_long_as_load_does(length):
    name = "a." * 120 + "b" * (length - 244) + ".com"
    assert len(name) == length
    assert (normal_host(name) or None) == parse_url(f"http://{name}/")[1]


@pytest.mark.parametrize("name", ["x'y.com", 'x"y.com', "x;y.com", "x,y.com", "a_b.com", "x`y.com"])
def test_a_host_that_load_keeps_can_stand_in_gold(name):
    assert normal_host(name) == parse_url(f"http://{name}/")[1] == name


@pytest.mark.parametrize("row", ["x" * 200_000 + ",b", 'a,"' + "x" * 200_000, "x" * 200_000])
def test_a_cell_longer_than_python_reads_is_told_with_its_line(loaded, write, row):
    gold = write("gold.csv", f"host_a,host_b,label\na.com,b.com,replica\n{row}\n")
    with pytest.raises(DataError) as error:
        read_gold(loaded, gold)
    assert re.search("line [23] has a cell of more than 131,072 characters", str(error.value))


def test_a_cause_is_taken_from_the_row_that_gives_one(loaded, write):
    pairs = "example.com.,example.org,\nEXAMPLE.org,example.com,moved\n"
    gold = read_gold(loaded, write("gold.csv", "host_a,host_b,cause\n" + pairs))
    assert (gold.replicas, gold.unknown_hosts, gold.cause.tolist()) == (1, 0, ["moved"])


def test_missing_files_and_wrong_options_are_reported(cli, reading, write, tmp_path):
    gold = write("gold.csv", "host_a,host_b,label\nexample.com,example.org,replica\n")
    assert cli("evaluate", reading, tmp_path / "none.csv").code == 1
    assert cli("evaluate", tmp_path / "none.duckdb", gold).code == 1
    answer = cli("evaluate", reading, write("odd.csv", "a,b\nx,y\n"), "--quiet")
    assert (answer.code, answer.out, answer.err.count("\n")) == (1, "", 1)
    assert "no column host_a and no column host_b" in answer.err
    answer = cli("evaluate", reading, gold, "--methods", "robust,magic")
    assert answer.code == 2 and "no method magic; choose from: robust" in answer.err
    answer = cli("evaluate", reading, gold, "--positive", "copy")
    assert answer.code == 2 and "labels in it: replica" in answer.err
    assert cli("evaluate", reading, gold, "--folds", "0").code == 2
    answer = cli("evaluate", reading, gold, "--methods", "")
    assert (answer.code, answer.out) == (2, "") and "--methods names no method" in answer.err
    pytest.importorskip("vl_convert")
    answer = cli("evaluate", reading, gold, "--report", tmp_path / "none" / "page.html")
    assert (answer.code, answer.err.count("\n")) == (1, 1)
    assert "no such folder for the page" in answer.err


def test_an_empty_database_is_told_to_load_first(web, write):
    with pytest.raises(DataError, match="load a crawl first"):
        web.evaluate(write("gold.csv", "host_a,host_b\na.com,b.com\n"))
    with pytest.raises(UsageError, match="folds"):
        web.evaluate(write("gold.csv", "host_a,host_b\na.com,b.com\n"), folds=0)


def test_more_pairs_than_the_limit_are_refused_with_advice(cli, crawled, write, tmp_path):
    copy = shutil.copy(crawled, tmp_path / "copy.duckdb")
    with replicadb.open(copy) as web:
        web.database.execute(
            """INSERT INTO runs
            SELECT 99, 'detect', now()::TIMESTAMP, 0, '', '', '{"max_pairs": 2, "gone": 1}', '{}'"""
        )
    answer = cli(
        "evaluate", copy, write("gold.csv", "host_a,host_b\nexample.com,example.org\n"), "--quiet"
    )
    assert (
        answer.code == 3
        and "evaluate takes its settings over" in answer.err
        and answer.err.count("\n") == 1
    )


# -- the printed tables
# ----------------------------------------------------------------------------------------------


GOLDEN = Path(__file__).parents[1] / "golden" / "evaluate.txt"


def test_the_command_prints_tables_as_it_always_did_and_changes_nothing(
    cli, detected, write, tmp_path
):
    """Golden: run this file with REPLICADB_GOLDEN=1 to write it anew, and read what changed."""
    copy = Path(shutil.copy(detected, tmp_path))
    before, methods = copy.read_bytes(), ("--methods", "paper", "--methods", "normpaths,fullpath")
    answer = cli("evaluate", copy, write("gold.csv", GOLD), *methods, "--threads", 1)
    assert answer.code == 0, answer.err
    assert "PU+NU, Pareto" in answer.err, "progress goes to standard error"
    assert copy.read_bytes() == before
    times = answer.out.index("\n\nTable 5")
    text = answer.out[:times] + answer.out[answer.out.index("\n\n", times + 2) :]
    if os.environ.get("REPLICADB_GOLDEN"):
        GOLDEN.write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8")


def test_where_every_candidate_is_a_replica_most_figures_are_not_defined(found, write):
    pairs = found.sql("SELECT host_a, host_b FROM candidate_pairs").rows()
    gold = write("gold.csv", "host_a,host_b\n" + "".join(f"{a},{b}\n" for a, b in pairs))
    result = found.evaluate(gold, methods=["paper"], folds=1, tables=False)
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    first = result["methods"][0]
    assert (
        first["all"]["auc"] is None
        and first["all"]["average_precision"] == 1.0
        and first["rdr"]["10"] is None
    )
    assert first["rr_curve"] == [] and {
        value for row in first["rr"] for key, value in row.items() if key != "fpr"
    } == {None}
    assert (
        first["flagged"]["wrong"] == 0
        and first["flagged"]["precision"] is None
        and first["flagged"]["intervals"]["precision"] is None
    )
    assert any(
        "no pair that is compared is a non-replica" in note for note in result["data"]["notes"]
    )


# -- what figures cannot say
# -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_paper(found, tmp_path_factory):
    """What an evaluation of method paper says."""
    gold = tmp_path_factory.mktemp("gold") / "gold.csv"
    gold.write_text(GOLD)
    return found.evaluate(gold, methods=["paper", "jaccard"], folds=1)


def test_reduction_is_reported_only_at_rates_that_the_others_can_measure(of_paper):
    none, few, some = of_paper["methods"][0]["rr"]
    assert none["rr"] == 0.5 and none["at_fpr"] == 0, (
        "that none is let in, one non-replica can tell"
    )
    assert {key: few[key] for key in few if few[key] is not None} == {"fpr": 0.001} and some[
        "rules"
    ] is None
    assert all(row[2:] == [row[2], None, None] for row in of_paper["tables"]["3"]["rows"])


def test_the_gold_s_limits_are_noted(of_paper):
    one_group, labelled = of_paper["data"]["notes"]
    assert one_group.startswith(
        "all replicas that are compared lie in one connected group: intervals come from"
    )
    assert labelled.startswith(
        "only pairs that the gold labels drop hosts"
    ) and f"note: {labelled}" in text_of(of_paper)


def test_a_pair_that_the_gold_connects_through_a_host_is_neither_right_nor_wrong(found, write):
    """Copies are named beside an original that is not loaded; the copies among themselves are not
    named, and one more candidate is no replica.
    """
    gold = "host_a,host_b\nghost.net,example.com\nghost.net,example.org\n"
    gold += "www.example.com,example.com\n"
    how = {"methods": ["normpaths"], "folds": 1, "tables": False}
    result = found.evaluate(write("gold.csv", gold), **how)
    labelled = gold.replace("\n", ",replica\n").replace("host_b,replica", "host_b,label")
    labelled += "other.net,example.com,not\n"
    of_labels = found.evaluate(write("labelled.csv", labelled), **how)
    candidates, data = result["data"]["candidate_pairs"], result["data"]
    assert data["connected"].startswith("not compared: 2 candidates that the gold does not name")
    assert data["connected"] in brief_of(result) and data["connected"] in text_of(result)
    everything = result["methods"][0]["all"]
    assert (everything["replicas"], everything["n"]) == (1, candidates - 2)
    assert of_labels["data"]["connected"] == ""


def test_without_obvious_replicas_the_figures_that_need_them_are_noted(tmp_path, write):
    """Ten sites, each on two hosts whose names say nothing."""
    rows = [
        f"http://{'ab'[k]}{site}{'xy'[k]}.net/{page},f{site}-{page}"
        for site in range(10)
        for k in range(2)
        for page in range(4)
    ]
    rows += [f"http://c{site}.net/{page},f{site}-0" for site in range(10) for page in range(3)]
    gold = "host_a,host_b\n" + "".join(f"a{site}x.net,b{site}y.net\n" for site in range(10))
    with replicadb.open(tmp_path / "own.duckdb", threads=1) as web:
        web.load(write("crawl.csv", "url,digest\n" + "\n".join(rows) + "\n"))
        methods = ["robust", "paper-pu", "paper-nu"]
        result = web.evaluate(write("gold.csv", gold), methods=methods, folds=2)
    (note,) = result["data"]["notes"]
    assert result["data"]["obvious_replicas"] == 0
    assert note.startswith("0 obvious replicas to learn from")
    said = "PU learns from obvious replicas, of which there are 0"
    assert all(said in result["tables"][table]["note"] for table in ("2", "4.1"))
    learned = {
        method["name"]: method["folds"][0]["cross_validated"] for method in result["methods"]
    }
    assert learned == {"robust": False, "paper-pu": True, "paper-nu": True}
    held_out = text_of(result).split("Cross-validation in 2 folds")[1].split("\n\n")[0]
    assert "\nrobust " not in held_out
