"""What known replicas say of the hosts to drop, of the host that is kept in their place."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

import replicadb
from replicadb.cli.evaluate_summary import drop_list_lines
from replicadb.evaluation.drop_list import drop_list
from replicadb.evaluation.gold import read_gold

GOLD = """host_a,host_b,label,ambiguous
a1.org,a2.org,replica,0
b1.org,b2.org,near-replica,0
c1.org,c2.org,not,0
d1.org,d2.org,replica,1
f1.org,f2.org,replica,0
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> Path:
    """Six pairs of copies; e1 and e2 are not in the gold; of f1 another replica stays. Copy it."""
    rows = [
        {"url": f"http://{name}{n}.org/{name}-{page}.html", "digest": f"{name}{page}"}
        for name in "abcdef"
        for n in (1, 2)
        for page in range(20)
    ]
    rows += [{"url": f"http://own{n}.net/{n}", "digest": f"own{n}"} for n in range(150)]
    folder = tmp_path_factory.mktemp("listed")
    pl.DataFrame(rows).write_parquet(folder / "c.parquet")
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(folder / "c.parquet")
    return folder / "web.duckdb"


@pytest.fixture(scope="module")
def web(loaded, tmp_path_factory):
    """That database, detected."""
    copy = shutil.copy(loaded, tmp_path_factory.mktemp("detected"))
    with replicadb.open(copy, threads=1) as web:
        web.detect()
        yield web


def judged(web, folder, gold: str = GOLD) -> dict:
    (folder / "gold.csv").write_text(gold)
    return drop_list(web.database, read_gold(web.database, folder / "gold.csv"))


def test_each_dropped_host_is_counted_by_what_the_gold_says_of_it_and_its_kept_host(web, tmp_path):
    found = judged(web, tmp_path)
    assert found["hosts"] == 6 and found["method"] == "robust"
    assert found["by_verdict"] == {
        "replica": 2,
        "ambiguous": 1,
        "near-replica": 1,
        "not": 1,
        "unjudged": 1,
    }
    assert (found["judged"], found["share"], found["share_apart"]) == (4, 0.5, 2 / 3)
    assert found["replica_stays"] == 2 and found["held"] == {"hosts": 0, "by_verdict": {}}


def test_pairs_that_a_gold_of_replicas_alone_does_not_name_are_wrong(web, tmp_path):
    found = judged(web, tmp_path, "host_a,host_b\na1.org,a2.org\n")
    assert found["by_verdict"] == {"not": 5, "replica": 1} and found["share"] == 1 / 6


def test_a_dropped_host_that_the_gold_connects_with_the_kept_one_is_not_judged(web, tmp_path):
    gold = "host_a,host_b\na1.org,elsewhere.net\na2.org,elsewhere.net\n"
    assert judged(web, tmp_path, gold)["by_verdict"] == {"not": 5, "unjudged": 1}


def test_the_method_that_made_the_list_is_named(detected, tmp_path):
    with replicadb.open(detected, read_only=True) as other:
        gold = "host_a,host_b\nexample.com,www.example.com\n"
        assert judged(other, tmp_path, gold)["method"] == "paper"


@pytest.mark.slow
def test_without_a_detection_up_to_date_one_is_made_beside_the_database(loaded, web, tmp_path):
    with replicadb.open(shutil.copy(loaded, tmp_path), threads=1) as new:
        assert judged(new, tmp_path) == judged(web, tmp_path)
        assert not new.database.value("SELECT count(*) FROM members")


def test_it_is_said_in_a_sentence(web, tmp_path):
    (line,) = drop_list_lines({"drop_list": judged(web, tmp_path)})
    assert line == (
        "robust drops 6 hosts; of 4 that the gold judges 0.500 are replicas of the host that is"
        " kept in their place (0.667 of replicas and non-replicas alone): 2 replica, 1 ambiguous,"
        " 1 near-replica, 1 not, 1 unjudged"
    )
