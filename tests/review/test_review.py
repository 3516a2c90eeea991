"""A review: informative pairs first, every decision kept at once or clearly not, undo."""

from __future__ import annotations

import math
from collections import Counter

import duckdb
import numpy as np
import polars as pl
import pytest
from detection.test_decided import site

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.learning.calibration import Curve, taught
from replicadb.review import Review
from replicadb.review.review import BATCH
from replicadb.store.database import Database


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    rows = [
        row for n in range(6) for name in "ab" for row in site(f"{name}{n}.org", f"s{n}", 8 + n)
    ]
    rows += [row for n in range(6) for row in site(f"c{n}.org", f"s{n}", 3)]
    rows += [row for n in range(6) for row in site(f"c{n}.org", f"c{n}", 9)]
    path = tmp_path_factory.mktemp("review") / "c.parquet"
    pl.DataFrame(rows).write_parquet(path)
    with replicadb.open(":memory:", threads=1) as web:
        web.load(path)
        yield web


BOTH = pytest.mark.parametrize("loaded", ["robust", "paper"], indirect=True)
"""By either method; what is no matter of a method is tried by robust."""


@pytest.fixture(scope="module", params=["robust"])
def loaded(request, crawled):
    crawled.detect(method=request.param)
    return crawled


@pytest.fixture
def web(loaded):
    yield loaded
    loaded.database.execute("DELETE FROM decisions")
    loaded.database.execute("DELETE FROM pins")


def walked(walk: Review) -> list[tuple[str, str]]:
    pairs = []
    while walk.current():
        pairs.append(walk.current())
        walk.skip()
    return pairs


@BOTH
def test_every_undecided_candidate_comes_once_and_a_host_once_at_first(web):
    pairs = walked(web.review())
    every = web.database.rows("SELECT host_a, host_b FROM replicas")
    assert sorted(pairs) == sorted(every)
    first = {host for pair in pairs[:3] for host in pair}
    assert len(first) >= 5, "not one farm after the other"


def next_pairs(web, curve: Curve) -> list[tuple[str, str]]:
    """The next pairs to look at, one by one: a slow reference of sql/review/10_queue."""
    rows = web.database.rows(
        """SELECT host_a, host_b, strength, rank, hash(host_a || ' ' || host_b),
            (SELECT min(n_urls) FROM host_stats JOIN hosts USING (host_id)
             WHERE host IN (host_a, host_b))
        FROM replicas"""
    )
    decided = web.database.rows("SELECT host_a, host_b FROM decisions")
    answers = Counter(host for pair in decided for host in pair)
    alike = Counter(round(2 * row[2]) for row in rows)
    turns = []
    for a, b, strength, rank, drawn, urls in rows:
        p = 1 / (1 + math.exp(-curve.slope * (strength - curve.even)))
        counts_for = 1 / (1 + answers[a]) / (1 + answers[b])
        worth = p * (1 - p) / alike[round(2 * strength)] * math.log(2 + urls) * counts_for
        if (a, b) not in decided:
            turns.append((-math.log((drawn + 1) / 2**64) / worth, rank, a, b))
    turns.sort()
    best_a, best_b = ({turn[at]: turn for turn in reversed(turns)} for at in (2, 3))
    return [(t[2], t[3]) for t in turns if best_a[t[2]] == t == best_b[t[3]]][:BATCH]


def test_pairs_are_drawn_evenly_over_the_strengths_in_doubt_and_answers_move_them(web):
    stored = dict(web.database.rows("SELECT name, value FROM settings"))
    curve = Curve(float(stored["log_odds_slope"]), float(stored["log_odds_even"]))
    of_pair = {
        (a, b): strength
        for a, b, strength in web.database.rows("SELECT host_a, host_b, strength FROM replicas")
    }
    walk = web.review()
    first = next_pairs(web, curve)
    assert len(first) == BATCH
    for pair in first:
        assert walk.current() == pair
        walk.decide(False)
    strength = np.array([of_pair[pair] for pair in first])
    moved = taught(curve, strength, np.zeros(BATCH, bool), np.ones(BATCH))
    assert moved.even > curve.even
    assert walk.current() == next_pairs(web, moved)[0]


@BOTH
def test_decided_pairs_and_hosts_never_to_be_flagged_do_not_come(web):
    a, b, *_ = web.database.rows("SELECT host_a, host_b FROM replicas")[0]
    web.decide(a, b, True)
    web.pin("c3.org", "never")
    pairs = walked(web.review())
    assert (a, b) not in pairs and "c3.org" not in {host for pair in pairs for host in pair}


@pytest.mark.slow
@BOTH
def test_a_decision_is_kept_at_once_and_undo_takes_it_back(web):
    walk = web.review()
    first = walk.current()
    assert walk.evidence()["a"]["host"] == first[0]
    walk.decide(True)
    assert web.decisions().select("host_a", "host_b", "label", "source").rows() == [
        (*first, "replica", "review")
    ]
    second = walk.current()
    walk.skip()
    assert walk.decided == 1 and walk.current() not in (first, second)
    assert walk.undo() == second and walk.undo() == first and walk.undo() is None
    assert walk.current() == first and web.decisions().is_empty() and walk.decided == 0


def test_what_could_not_be_written_is_not_kept_and_the_pair_stays(web, monkeypatch):
    walk = web.review()
    pair, execute = walk.current(), Database.execute

    def full(self, sql, *rest, **more):
        if sql == "COMMIT":  # DuckDB rolls a commit back that fails
            self.con.execute("ROLLBACK")
            raise duckdb.IOException("IO Error: could not write: No space left on device")
        return execute(self, sql, *rest, **more)

    monkeypatch.setattr(Database, "execute", full)
    with pytest.raises(duckdb.IOException):
        walk.decide(True)
    monkeypatch.undo()
    assert walk.current() == pair and walk.decided == 0
    assert web.decisions().is_empty()
    walk.decide(False)
    assert web.decisions()["label"].to_list() == ["no replica"]


def test_who_decided_otherwise_meanwhile_is_told_of(web):
    walk = web.review()
    web.decide(*walk.current(), False)
    with pytest.raises(DataError, match="contradicts the earlier decision no replica"):
        walk.decide(True)


def test_without_a_detection_it_is_said_what_to_do():
    with replicadb.open(":memory:") as web, pytest.raises(DataError, match="replicadb detect"):
        web.review()


def test_words_are_no_decisions(web):
    """``no replica`` is a word of files; as a truth it would be true."""
    walk = web.review()
    pair = walk.current()
    for said in ("no replica", "n", 1, None):
        with pytest.raises(UsageError, match=r"True .* or False"):
            walk.decide(said)
    assert walk.current() == pair and web.decisions().is_empty()
