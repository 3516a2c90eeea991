"""Training and judging of page pairs: the commands, the paper's tables, and labels for nothing.

Tries page_validation, pages_text, self_labelling, training_charts and training_page, too.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

import replicadb
from replicadb.page_pairs import (
    page_edits,
)


@pytest.mark.slow
def test_train_then_classify_on_the_command_line(cli, labelled, tmp_path):
    answer = cli("pages", "train", "web.duckdb", labelled, "--seeds", "2", "--folds", "3", "--json")
    result = json.loads(answer.out)
    assert answer.code == 0 and (result["pairs"], result["duplicates"], result["split"]) == (
        40,
        20,
        "pages",
    )
    assert (
        result["f"] > 0.9 and len(result["f_by_seed"]) == 2 and result["engine"].startswith("zlib")
    )
    assert result["f"] == pytest.approx((result["ripper"]["f"] + result["tree"]["f"]) / 2, abs=1e-4)
    assert "=> duplicate" in result["rules"] and (tmp_path / "web.pages.json").is_file()
    judged = cli("pages", "classify", "web.duckdb", labelled)
    rows = list(csv.DictReader(io.StringIO(judged.out)))
    assert judged.code == 0 and len(rows) == 40
    assert sum(row["judgement"] == row["label"] for row in rows) >= 38
    assert all(
        (row["judgement"] == "duplicate") == (float(row["probability"]) >= 0.5) for row in rows
    )
    for given in ((labelled,), ()):
        answer = cli("pages", "classify", "web.duckdb", *given, "--rules")
        assert (answer.code, answer.out.strip()) == (0, result["rules"].strip())


@pytest.mark.slow
def test_an_unknown_page_is_not_judged(cli, labelled, write):
    cli(
        "pages",
        "train",
        "web.duckdb",
        labelled,
        "--seeds",
        "1",
        "--folds",
        "2",
        "--groups",
        "F",
        "-q",
    )
    answer = cli(
        "pages",
        "classify",
        "web.duckdb",
        write("more.csv", "url_a,url_b\nhttp://gone.com/,http://www.a1.com/p1\n"),
    )
    assert (
        answer.out.splitlines()[1] == "http://gone.com/,http://www.a1.com/p1,,,,,"
        and "1 URL" in answer.err
    )


@pytest.fixture
def unrendered(labelled):
    """The labelled pairs beside a database in which nothing is rendered, and one in which nearly
    all is.
    """
    shutil.copy("web.duckdb", "rendered.duckdb")
    with replicadb.open("web.duckdb") as web:
        web.database.execute("DELETE FROM rendered_pages")
    return labelled


@pytest.mark.slow
def test_a_classifier_of_rendered_pages_refuses_where_nothing_is_rendered(cli, unrendered):
    cli(
        "pages",
        "train",
        "rendered.duckdb",
        unrendered,
        "--seeds",
        "1",
        "--folds",
        "2",
        "--groups",
        "R",
        "--model",
        "r.json",
    )
    refused = cli("pages", "classify", "web.duckdb", unrendered, "--model", "r.json")
    assert refused.code == 1 and refused.out == "" and len(refused.err.strip().splitlines()) == 1
    assert (
        "asks for signals of rendered pages, and no pair of" in refused.err
        and "pages render" in refused.err
    )
    judged = cli("pages", "classify", "rendered.duckdb", unrendered, "--model", "r.json")
    assert (
        judged.code == 0 and "note: 10 of 40 pairs have no signals of rendered pages" in judged.err
    )


@pytest.mark.slow
def test_a_classifier_of_snippets_refuses_pairs_without_queries(cli, labelled, write):
    cli("pages", "train", "web.duckdb", labelled, "--seeds", "1", "--folds", "2", "--groups", "FS")
    path = write("none.csv", "url_a,url_b\nhttp://www.a1.com/p1,http://www.a2.com/p2\n")
    refused = cli("pages", "classify", "web.duckdb", path)
    assert (
        refused.code == 1
        and "the text around a query" in refused.err
        and "column query" in refused.err
    )


@pytest.mark.slow
def test_groups_without_a_value_are_left_out_and_said(cli, unrendered):
    answer = cli(
        "pages",
        "train",
        "web.duckdb",
        unrendered,
        "--seeds",
        "1",
        "--folds",
        "2",
        "--groups",
        "F,R",
        "--json",
    )
    assert (
        json.loads(answer.out)["groups"] == "F"
        and "note: R is left out: no pair has a value of it" in answer.err
    )
    assert "rendered_mcd" in json.loads(answer.out)["missing_signals"]
    auto = cli("pages", "train", "web.duckdb", unrendered, "--seeds", "1", "--folds", "2", "--json")
    assert json.loads(auto.out)["groups"] == "F,FS,X" and "left out" not in auto.err
    judged = cli("pages", "classify", "web.duckdb", unrendered)
    assert judged.code == 0 and judged.err == "" and judged.out.count("\n") == 41


@pytest.mark.slow
def test_labelled_pairs_of_another_crawl_are_told_how_to_come_in(cli, labelled, write):
    other = write(
        "other.csv",
        "url_a,url_b,label\nhttp://x.org/a,http://x.org/b,duplicate\n"
        "http://x.org/a,http://x.org/c,not\n",
    )
    refused = cli(
        "pages", "train", "web.duckdb", labelled, "--test", other, "--seeds", "1", "--folds", "2"
    )
    assert (
        refused.code == 1
        and "of 2 pairs 0 are labelled and of pages in the database" in refused.err
        and "load DB SOURCE --content" in refused.err
    )


@pytest.mark.slow
def test_tables_and_the_page_of_the_paper(cli, labelled, tmp_path):
    pytest.importorskip("vl_convert")
    answer = cli(
        "pages",
        "train",
        "web.duckdb",
        labelled,
        "--seeds",
        "1",
        "--folds",
        "2",
        "--report",
        "out.html",
        "--test",
        labelled,
    )
    assert answer.code == 0
    assert f"note: 40 of 40 pairs of {labelled} taught, too" in answer.err
    for title in ("Table 2", "Table 3", "Table 4", "Table 5", "Figure 3"):
        assert title in answer.out
    page = (tmp_path / "out.html").read_text()
    assert (
        page.count("<svg") >= 3
        and "F + R + RS" in page
        and "Not measured" not in page
        and "77.0" in page
    )
    assert "http://" not in page.replace("http://www.w3.org", "") and "src=" not in page


@pytest.mark.slow
def test_without_labels_edited_copies_teach(cli, labelled):
    answer = cli(
        "pages", "train", "web.duckdb", "--seeds", "1", "--folds", "2", "--test", labelled, "--json"
    )
    result = json.loads(answer.out)
    assert (
        answer.code == 0
        and result["taught"]["neighbour"]
        and result["taught"]["random"]
        and set(result["taught"]) & set(page_edits.DUPLICATES)
    )
    (tested,) = result["table_5"]
    assert tested["both"]["f"] > 0.8
    assert tested["taught"] == 20 == result["taught"]["neighbour"]
    assert f"note: 20 of 40 pairs of {labelled} taught, too" in answer.err


def test_a_report_that_cannot_be_written_is_refused_before_the_work(cli, labelled):
    answer = cli("pages", "train", "web.duckdb", labelled, "--report", "out.txt")
    assert answer.code == 2 and ".html" in answer.err and answer.out == ""


@pytest.mark.parametrize("how", [("pairs.csv",), ("--test", "pairs.csv")], ids=str)
def test_no_classifier_is_written_over_the_labels_that_taught_it(cli, labelled, how):
    before = Path(labelled).read_bytes()
    answer = cli("pages", "train", "web.duckdb", *how, "--model", "./pairs.csv")
    assert answer.code == 2 and "pairs.csv: has the labels to learn from" in answer.err
    assert Path(labelled).read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "code", "what"),
    [
        (("train", "web.duckdb", "none.csv"), 1, "no such file"),
        (("train", "web.duckdb", "pairs.csv", "--groups", "Z"), 2, "no group or signal"),
        (("train", "web.duckdb", "pairs.csv", "--split", "odd"), 2, "split"),
        (
            (
                "train",
                "web.duckdb",
                "pairs.csv",
                "--groups",
                "body_length,rendered_mcd",
                "--engine",
                "rar",
            ),
            2,
            "engine",
        ),
        (("classify", "web.duckdb", "pairs.csv"), 1, "pages train"),
        (("classify", "web.duckdb"), 2, "takes a CSV of pairs"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(cli, labelled, arguments, code, what):
    answer = cli("pages", *arguments)
    assert answer.code == code and what in answer.err and len(answer.err.strip().splitlines()) == 1
