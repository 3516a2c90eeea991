"""What explanations read of a large crawl: no more than they tell of."""

from __future__ import annotations

import dataclasses

import duckdb

from replicadb.explanation import copies
from replicadb.explanation.explain import drawn


def test_the_pairs_of_many_hosts_are_looked_up_at_once(by_robust, monkeypatch):
    """Three sites of books, each a candidate with both others."""
    monkeypatch.setattr(copies, "COPIES", dataclasses.replace(copies.COPIES, most_hosts=1))
    db, hosts = by_robust.database, ["c-books.org", "a-books.com", "b-books.net"]
    asked, arrow = [], db.arrow
    monkeypatch.setattr(db, "arrow", lambda *given: asked.append(given) or arrow(*given))
    found = list(copies.copies_of(db, hosts))
    assert [(row["host"], row["candidates"]) for row in found] == [(host, 2) for host in hosts]
    assert [given["hosts"] for _, given in asked] == [hosts]


def test_of_many_candidates_some_are_drawn_the_same_each_time(by_robust, monkeypatch):
    db, names = by_robust.database, ("a-books.com", "b-books.net")
    pairs = db.value("SELECT count(*) FROM candidate_pairs")
    assert drawn(db) == "pair_features"
    every = by_robust.explain(*names)
    monkeypatch.setitem(drawn.__globals__, "COUNTED", 9)
    monkeypatch.setitem(drawn.__globals__, "DRAWN", pairs)
    assert drawn(db) != "pair_features" and by_robust.explain(*names) == every
    monkeypatch.setitem(drawn.__globals__, "DRAWN", 4)
    source = drawn(db)
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE pair_features AS SELECT range AS a_id, 1 AS b_id FROM range(500_000)"
        )
        draws = set()
        for threads in (1, 4, 4):
            con.execute(f"SET threads = {threads}")
            draws.add(con.execute(f"SELECT count(*), sum(a_id) FROM {source}").fetchone())
    ((n, _),) = draws
    assert 475_000 < n * (pairs // 4) < 525_000
