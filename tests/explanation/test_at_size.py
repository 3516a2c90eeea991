"""What explanations read of a large crawl: no more than they tell of."""

from __future__ import annotations

import dataclasses

import duckdb
import pytest

import replicadb
from replicadb.explanation import copies
from replicadb.explanation.explain import drawn


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """Five hosts with equal pages: ten candidate pairs."""
    file = tmp_path_factory.mktemp("crawl") / "crawl.csv"
    lines = [f"http://{host}.test/{n},d{n}" for host in "abcde" for n in range(4)]
    file.write_text("\n".join(["url,digest", *lines]))
    with replicadb.open(":memory:") as opened:
        opened.load(file)
        opened.detect()
        yield opened


def test_the_pairs_of_many_hosts_are_looked_up_at_once(web, monkeypatch):
    monkeypatch.setattr(copies, "COPIES", dataclasses.replace(copies.COPIES, most_hosts=1))
    hosts = [f"{host}.test" for host in "cab"]
    asked, arrow = [], web.database.arrow
    monkeypatch.setattr(web.database, "arrow", lambda *given: asked.append(given) or arrow(*given))
    found = list(copies.copies_of(web.database, hosts))
    assert [(row["host"], row["candidates"]) for row in found] == [(host, 4) for host in hosts]
    assert [given["hosts"] for _, given in asked] == [hosts]


def test_of_many_candidates_some_are_drawn_the_same_each_time(web, monkeypatch):
    assert drawn(web.database) == "pair_features"
    every = web.explain("a.test", "b.test")
    monkeypatch.setitem(drawn.__globals__, "COUNTED", 9)
    monkeypatch.setitem(drawn.__globals__, "DRAWN", 10)
    assert web.explain("a.test", "b.test") == every
    monkeypatch.setitem(drawn.__globals__, "DRAWN", 2)
    source = drawn(web.database)
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE pair_features AS SELECT range AS a_id, 1 AS b_id FROM range(500_000)"
        )
        draws = set()
        for threads in (1, 4, 4):
            con.execute(f"SET threads = {threads}")
            draws.add(con.execute(f"SELECT count(*), sum(a_id) FROM {source}").fetchone())
    ((n, _),) = draws
    assert 95_000 < n < 105_000
