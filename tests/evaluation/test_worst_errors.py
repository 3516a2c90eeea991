"""The worst errors of a method's decision: pages that one can open, and in which order."""

from __future__ import annotations

import re

import pytest

import replicadb
from replicadb.cli.evaluate_text import brief_of

pytestmark = pytest.mark.slow

HOSTS = ["a.com", "b.org", "c.net", "d.eu", "e.de"]
PLAIN = ["plain.com", "lonely.org"]
HOW = {"methods": ["robust", "jaccard"], "folds": 1}


def crawl() -> str:
    rows = ["url,digest"]
    rows += [f"https://{host}/p{n},sha1:{n:04}" for host in HOSTS for n in range(6)]
    # Two that share one content, under paths of their own.
    rows += [f"http://{host}/{host[0]}{n},sha1:{host[0]}{n:03}" for host in PLAIN for n in range(5)]
    rows += [f"http://{host}/z{host[0]},sha1:9999" for host in PLAIN]
    return "\n".join(rows) + "\n"


def gold(a_and_c: str) -> str:
    rows = ["host_a,host_b,label", f"a.com,c.net,{a_and_c}", "plain.com,lonely.org,replica"]
    return "\n".join([*rows, "a.com,b.org,replica", "b.org,d.eu,replica"]) + "\n"


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A crawl of five copies and a pair that shares one page, with a gold that denies one pair."""
    folder = tmp_path_factory.mktemp("judged")
    (folder / "crawl.csv").write_text(crawl())
    (folder / "gold.csv").write_text(gold("not"))
    agrees = gold("replica").replace("lonely.org,replica", "lonely.org,not")
    (folder / "agrees.csv").write_text(agrees)
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(folder / "crawl.csv")
        web.detect(min_probability=0.2)
    return folder


@pytest.fixture(scope="module")
def result(judged):
    with replicadb.open(judged / "web.duckdb", read_only=True) as web:
        return web.evaluate(judged / "gold.csv", **HOW, tables=False)


def test_wrong_flags_come_before_missed_replicas_each_with_a_page_of_both_hosts(result):
    wrong, missed = (dict(error) for error in result["methods"][0]["worst_errors"])
    assert wrong.pop("probability") > 0.2 > missed.pop("probability")
    assert wrong == {
        "error": "wrong flag",
        "host_a": "a.com",
        "host_b": "c.net",
        "shared": 6,
        "gold": "not",
        "url_a": "https://a.com/p0",
        "url_b": "https://c.net/p0",
    }
    assert missed == {
        "error": "missed replica",
        "host_a": "lonely.org",
        "host_b": "plain.com",
        "shared": 1,
        "gold": "replica",
        "url_a": "http://lonely.org/zl",
        "url_b": "http://plain.com/zp",
    }


def test_a_method_that_decides_nothing_has_no_errors(result):
    assert result["methods"][1]["worst_errors"] == []


def test_brief_is_a_verdict_and_the_urls(result):
    verdict, errors = brief_of(result | {"methods": result["methods"][:1]}).split("\n\n")
    assert re.match(
        r"In short\n- robust finds \S+( \[\S+\])? of \d+ non-obvious replicas? (at a"
        r" false-positive rate of 0\.001|above every non-replica); AUC \S+, average precision ",
        verdict,
    )
    lines = errors.splitlines()
    assert [line for line in lines if line.startswith("    http")] == [
        "    https://a.com/p0",
        "    https://c.net/p0",
        "    http://lonely.org/zl",
        "    http://plain.com/zp",
    ]
    assert lines[1].startswith("- wrong flag: a.com and c.net, probability ")
    assert lines[1].endswith(", 6 contents in common, gold: not")
    assert lines[0] == "Worst errors" and lines[4].endswith("1 content in common, gold: replica")


def test_brief_says_so_where_nothing_is_wrong(judged, cli):
    answer = cli("evaluate", judged / "web.duckdb", judged / "agrees.csv", "--brief", "-q")
    assert answer.code == 0 and answer.err == ""
    assert answer.out.endswith(
        "Worst errors\n- none: robust decides every pair compared as the gold does\n"
    )


def test_brief_goes_by_the_method_that_ran(detected, cli, write):
    gold = write("gold.csv", "host_a,host_b\nexample.com,www.example.com\n")
    answer = cli("evaluate", detected, gold, "--brief")
    assert "published method, PU+NU" in answer.err and "robust" not in answer.out.split("\n")[1]
