"""What commands say: to whom, how much, and the same as their JSON."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from conftest import CRAWL

from tests.cli.conftest import kept_open


def test_quiet_says_nothing_and_loud_says_it_on_stderr(cli, detected):
    """A loud unload: below. A load: test_load_command.py. A detection: test_settings_file.py."""
    assert cli("export", detected, "out.csv", "--quiet") == (0, "", "")
    answer = cli("export", detected, "out.csv")
    assert (answer.code, answer.out) == (0, "") and answer.err
    assert cli("unload", shutil.copy(detected, "web.duckdb"), "crawl", "--quiet") == (0, "", "")


@pytest.mark.slow
def test_detect_says_what_it_found_and_the_second_time_that_there_is_nothing_to_do(cli, loaded):
    answer = cli("detect", loaded, "--method", "paper")
    assert (answer.code, answer.out) == (0, "")
    for word in (
        "hosts",
        "dup-clusters",
        "candidate pairs",
        "obvious replicas",
        "flagged",
        "transitions",
    ):
        assert word in answer.err
    assert "nothing to do" in cli("detect", loaded, "--method", "paper").err


@pytest.mark.slow
def test_a_crawl_without_any_pair_is_no_error(cli, write):
    write("a.csv", "url,digest\nhttp://a.com/,x\nhttp://b.com/,y\n")
    cli("load", "web.duckdb", "a.csv")
    answer = cli("detect", "web.duckdb")
    assert answer.code == 0 and "0 candidate pairs" in answer.err
    assert (
        cli("export", "web.duckdb", "-").out
        == "host,canonical_host,probability,group_id,why,kept_because,pages,elsewhere,"
        "not_compared,urls,duplicate_urls,rank,score\n"
    )


@pytest.mark.slow
def test_stale_results_are_reported_by_export_and_info(cli, detected, write):
    loaded = shutil.copy(detected, "web.duckdb")
    assert "run detect again" not in cli("info", loaded).out
    cli("load", loaded, write("b.csv", "url\nhttp://b.com/\n"))
    assert "replicadb detect" in cli("export", loaded, "-").err
    assert "run detect again" in cli("info", loaded).out


def test_where_all_loads_are_gone_nobody_is_told_to_detect(cli, detected):
    loaded = shutil.copy(detected, "web.duckdb")
    assert cli("detect", loaded, "--method", "paper", "--name", "r1", "-q").code == 0
    gone = f"nothing is loaded any more; load a crawl first: replicadb load {loaded} SOURCE"
    code, out, printed = cli("unload", loaded, "crawl")
    assert (
        (code, out) == (0, "") and "detect again" not in printed and printed.endswith(f"\n{gone}\n")
    )
    for command in (
        ("score", loaded, "a.com", "b.com"),
        ("explain", loaded, "a.com", "b.com"),
        ("model", "export", loaded, "m.model"),
    ):
        refused = cli(*command)
        assert refused.code == 1 and refused.err.endswith(f"{loaded}: {gone}\n")
    assert cli("export", loaded, "-").err.startswith(f"note: {gone}\n")
    assert "run load: nothing is loaded any more" in cli("info", loaded).out


def test_info_tells_the_same_as_json(cli, loaded):

    facts = json.loads(cli("info", loaded, "--json").out)
    assert (facts["hosts"], facts["urls"], facts["loads"][0]["name"], facts["detected"]) == (
        5,
        12,
        "crawl",
        False,
    )
    assert "5 sites" in cli("info", loaded).out


def test_the_format_is_said_where_no_ending_says_it(cli, detected):
    with kept_open(detected):
        lines = cli("export", detected, "-", "-f", "jsonl").out.splitlines()
        rows = [json.loads(line) for line in lines]
        assert rows == json.loads(cli("export", detected, "-", "--format", "json", "-q").out)
        assert rows and rows[0]["host"] and cli("export", detected, "drop", "-f", "csv").code == 0
    assert Path("drop").read_text().startswith("host,canonical_host,")


def test_a_load_of_known_urls_says_that_none_is_new(cli, loaded):
    Path("again.csv").write_text(CRAWL.replace("20240101", "20250101"))
    said = "no URL is new; of each, the newest capture counts (unload brings older back)"
    assert said in cli("load", str(loaded), "again.csv").err
    more = CRAWL.replace("20240101", "20260101") + "http://new.net/,10.9.9.9,sha1:cb,\n"
    Path("more.csv").write_text(more)
    assert said not in cli("load", str(loaded), "more.csv").err


def test_the_summary_of_a_load_adds_up_and_one_link_is_told_as_one(cli):
    Path("a.csv").write_text(
        "url,digest,status,redirect,links\nhttp://a.com/,sha1:c,200,,http://b.com/x\n"
        "http://a.com/old,,301,http://a.com/,\nhttp://b.com/x,sha1:d,200,,\n"
        "http://b.com/x#y,sha1:d,200,,\nhttp://a.com/2,,404,,\nbad,,,,\n"
    )
    answer = cli("load", "web.duckdb", "a.csv", "--links")
    assert (answer.code, answer.out) == (0, "")
    assert "links: 1 redirect, 0 canonical, 1 out-link; 0 repeated" in answer.err
    assert re.search(
        r"^read 6 = kept 2 \+ replaced 1 \+ skipped 2 \+ rejected 1, from 1 file in [\d.]+ s$",
        answer.err,
        re.M,
    )


def test_a_database_in_another_place_of_the_command_is_named(cli, loaded, monkeypatch):
    given = ["explain", "other.net", "alone.net", str(loaded)]
    monkeypatch.setattr("sys.argv", ["replicadb", *given])
    answer = cli(*given)
    assert answer.code == 2 and answer.err.endswith(f"it comes first: is {loaded} meant?\n")
