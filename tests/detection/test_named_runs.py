"""Detections that were given a name stay as they were, whatever comes and goes afterwards."""

from __future__ import annotations

import shutil

import pytest

import replicadb
from replicadb.detection.named_runs import changed_settings
from replicadb.errors import DataError, UsageError
from replicadb.settings import Settings

from .crawls import csv_of
from .three_copies import HOSTS

PAIRS = "SELECT * EXCLUDE run FROM run_pairs WHERE run = ? ORDER BY rank"
HOST_ROWS = "SELECT * EXCLUDE run FROM run_hosts WHERE run = ? ORDER BY host"


@pytest.fixture
def own(three_copies, tmp_path):
    with replicadb.open(shutil.copy(three_copies, tmp_path), threads=1) as web:
        yield web


@pytest.fixture(scope="module")
def named(three_copies, tmp_path_factory):
    """Three copies, detected as ``few``, too, with fewer flags."""
    with replicadb.open(
        shutil.copy(three_copies, tmp_path_factory.mktemp("named")), threads=1
    ) as web:
        web.detect(name="few", min_probability=1.0)
        yield web


@pytest.mark.slow
def test_a_named_run_has_the_ranking_the_groups_and_the_settings(named):
    assert named.runs()["name"].to_list() == ["before", "few", "current"]
    assert named.runs()["flagged_pairs"].to_list() == [3, 0, 0]
    assert named.runs()["settings"][0] == '{"min_probability": 0.001}'
    assert [row[0] for row in named.database.rows(PAIRS, ["before"])] == [1, 2, 3]
    assert named.database.rows(PAIRS, ["few"]) == named.database.rows(PAIRS, ["current"])
    kept = {row[0]: row[1] for row in named.database.rows(HOST_ROWS, ["before"])}
    assert kept == dict.fromkeys(HOSTS, "a.com") | {"apart.net": None}
    assert {row[1] for row in named.database.rows(HOST_ROWS, ["few"])} == {None}
    current = named.database.rows(
        "SELECT rank, host_a, host_b, probability::FLOAT, flagged, shared FROM replicas"
        " ORDER BY rank"
    )
    assert current == named.database.rows(PAIRS, ["current"])


@pytest.mark.slow
def test_a_pair_that_was_decided_alone_is_no_candidate_pair(own):
    """It is in the ranking, and runs count candidates as detect does."""
    own.decide("a.com", "apart.net", True)
    assert own.detect(name="x", min_probability=0.001).counts["candidate_pairs"] == 3
    assert own.runs()["candidate_pairs"].to_list() == [3, 3, 3]
    assert len(own.replicas()) == 4
    assert "3 candidate pairs, 4 flagged" in repr(own)


@pytest.mark.slow
def test_it_stays_when_loads_come_and_go_and_numbers_of_hosts_with_them(own, write):
    before = [own.database.rows(query, ["before"]) for query in (PAIRS, HOST_ROWS)]
    assert all(before)
    own.unload(own.database.value("SELECT name FROM loads"))
    own.load(write("new.csv", csv_of([("http://z.com/", "", "01")])), label="new")
    own.detect()
    assert [own.database.rows(query, ["before"]) for query in (PAIRS, HOST_ROWS)] == before
    assert own.info()["named_runs"] == ["before"]


@pytest.mark.slow
def test_the_same_name_takes_its_place_and_leaves_it_where_nothing_changed(own):
    made = own.runs()["detected_at"][0]
    own.detect(name="before", min_probability=0.001)
    assert own.runs()["detected_at"][0] == made
    own.detect(name="before", min_probability=0.002)
    assert own.runs()["settings"].to_list() == ['{"min_probability": 0.002}'] * 2
    assert own.database.value("SELECT count(*) FROM named_run_pairs") == 3
    own.forget_run("before")
    assert own.database.value("SELECT count(*) FROM named_run_hosts") == 0
    with pytest.raises(DataError, match="no run called 'before'; no detection was given a name"):
        own.forget_run("before")
    with pytest.raises(UsageError, match="current is the last detection, which stays"):
        own.forget_run("current")


def test_settings_of_another_version_are_told_as_far_as_this_one_knows_them():
    settings = Settings(max_wrong=0.1).as_dict() | {"evidence": "content", "gone": 7}
    assert changed_settings(settings) == {"max_wrong": 0.1}
    older = Settings(method="paper").as_dict() | {"evidence": "paths"}
    assert changed_settings(older) == {"method": "paper", "evidence": "five"}


@pytest.mark.parametrize("name", ["", "  ", "current", "a\nb", "x" * 101])
def test_a_name_that_cannot_be_is_refused_before_anything_is_detected(web, name):
    with pytest.raises(UsageError, match="name"):
        web.detect(name=name)
