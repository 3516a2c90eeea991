"""Detections that were given a name stay as they were, whatever comes and goes afterwards."""

from __future__ import annotations

import pytest

import replicadb
from replicadb.detection.named_runs import changed_settings
from replicadb.errors import DataError, UsageError
from replicadb.settings import Settings

from .crawls import csv_of, opened

HOSTS = ("a.com", "b.org", "c.net")
PAIRS = "SELECT * EXCLUDE run FROM run_pairs WHERE run = ? ORDER BY rank"
HOST_ROWS = "SELECT * EXCLUDE run FROM run_hosts WHERE run = ? ORDER BY host"


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """Three hosts of the same six pages, detected as ``all``, and as ``few`` with fewer flags."""
    rows = [(f"http://{host}/{n}", "", f"{n:02}") for host in HOSTS for n in range(6)]
    with opened(tmp_path_factory.mktemp("named"), csv_of(rows)) as web:
        web.detect(name="all", min_probability=0.001)
        web.detect(name="few", min_probability=1.0)
        yield web


@pytest.mark.slow
def test_a_named_run_has_the_ranking_the_groups_and_the_settings(named):
    assert named.runs()["name"].to_list() == ["all", "few", "current"]
    assert named.runs()["flagged_pairs"].to_list() == [3, 0, 0]
    assert named.runs()["settings"][0] == '{"min_probability": 0.001}'
    assert [row[0] for row in named.database.rows(PAIRS, ["all"])] == [1, 2, 3]
    assert named.database.rows(PAIRS, ["few"]) == named.database.rows(PAIRS, ["current"])
    assert {row[1] for row in named.database.rows(HOST_ROWS, ["all"])} == {"a.com"}
    assert {row[1] for row in named.database.rows(HOST_ROWS, ["few"])} == {None}
    current = named.database.rows(
        "SELECT rank, host_a, host_b, probability::FLOAT, flagged, shared FROM replicas"
        " ORDER BY rank"
    )
    assert current == named.database.rows(PAIRS, ["current"])


@pytest.mark.slow
def test_a_pair_that_was_decided_alone_is_no_candidate_pair(tmp_path):
    """It is in the ranking, and runs count candidates as detect does."""
    rows = [(f"http://{host}/{n}", "", f"{n:02}") for host in HOSTS[:2] for n in range(6)]
    with opened(tmp_path, csv_of([*rows, ("http://apart.net/", "", "own")])) as web:
        web.decide("a.com", "apart.net", True)
        assert web.detect(name="x").counts["candidate_pairs"] == 1
        assert web.runs()["candidate_pairs"].to_list() == [1, 1]
        assert len(web.replicas()) == 2
        assert "1 candidate pair, 2 flagged" in repr(web)


@pytest.mark.slow
def test_it_stays_when_loads_come_and_go_and_numbers_of_hosts_with_them(tmp_path, write):
    with replicadb.open(tmp_path / "web.duckdb") as web:
        rows = [(f"http://{host}/{n}", "", f"{n:02}") for host in HOSTS for n in range(6)]
        web.load(write("old.csv", csv_of(rows)), label="old")
        web.detect(name="old")
        before = [web.database.rows(query, ["old"]) for query in (PAIRS, HOST_ROWS)]
        assert all(before)
        web.unload("old")
        web.load(write("new.csv", csv_of([("http://z.com/", "", "01")])), label="new")
        web.detect()
        assert [web.database.rows(query, ["old"]) for query in (PAIRS, HOST_ROWS)] == before
        assert web.info()["named_runs"] == ["old"]


@pytest.mark.slow
def test_the_same_name_takes_its_place_and_leaves_it_where_nothing_changed(tmp_path, write):
    with replicadb.open(tmp_path / "web.duckdb") as web:
        rows = [(f"http://{host}/{n}", "", f"{n:02}") for host in HOSTS for n in range(3)]
        web.load(write("a.csv", csv_of(rows)))
        web.detect(name="x")
        made = web.runs()["detected_at"][0]
        web.detect(name="x")
        assert web.runs()["detected_at"][0] == made
        web.detect(name="x", method="paper")
        assert web.runs()["settings"].to_list() == ['{"method": "paper"}'] * 2
        assert web.database.value("SELECT count(*) FROM named_run_pairs") == 3
        web.forget_run("x")
        assert web.database.value("SELECT count(*) FROM named_run_hosts") == 0
        with pytest.raises(DataError, match="no run called 'x'; no detection was given a name"):
            web.forget_run("x")
        with pytest.raises(UsageError, match="current is the last detection, which stays"):
            web.forget_run("current")


def test_settings_of_another_version_are_told_as_far_as_this_one_knows_them():
    settings = Settings(max_wrong=0.1).as_dict() | {"evidence": "content", "gone": 7}
    assert changed_settings(settings) == {"max_wrong": 0.1}
    older = Settings(method="paper").as_dict() | {"evidence": "paths"}
    assert changed_settings(older) == {"method": "paper", "evidence": "five"}


@pytest.mark.parametrize("name", ["", "  ", "current", "a\nb", "x" * 101])
def test_a_name_that_cannot_be_is_refused_before_anything_is_detected(web, name):
    with pytest.raises(UsageError, match="name"):
        web.detect(name=name)
