"""``replicadb docs``: what a database says of its tables, views, macros and columns."""

from __future__ import annotations

import json

import pytest

import replicadb


@pytest.mark.slow
def test_everything_that_is_meant_for_people_is_there(cli, reading):
    rows = json.loads(cli("docs", reading, "--json").out)
    with replicadb.open(reading, read_only=True) as web:
        shown = set(web.sql("SHOW TABLES")["name"])
        columns = web.sql("DESCRIBE replicas").select("column_name", "column_type").rows()
    names = {row["name"] for row in rows}
    assert shown <= names and "evidence_of" in names and "internal.urls" not in names
    said = [(r["column_name"], r["type"]) for r in rows if r["name"] == "replicas"][1:]
    assert said == columns
    everything = {row["name"] for row in json.loads(cli("docs", reading, "--all", "--json").out)}
    assert everything > names and "internal.urls" in everything


@pytest.mark.slow
def test_one_table_in_words(cli, reading):
    said = cli("docs", reading, "COPIES").out
    assert said.startswith("copies  (view)\n  The view replicas both ways round")
    assert "\n    rank  BIGINT\n        As in replicas" in said
    assert all(len(line) <= 98 for line in cli("docs", reading).out.splitlines())
    assert cli("docs", reading, "urls").out.startswith("internal.urls  (table)\n")


def test_a_name_that_is_not_there_has_its_nearest(cli, reading):
    answer = cli("docs", reading, "flagged_host")
    assert answer.code == 1 and "nearest names: flagged_hosts" in answer.err
    assert cli("docs", "nowhere.duckdb").code == 1
