"""In which pass a label moved: of a pair its own, of a pattern how many of its pairs."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import polars as pl
import pytest

import replicadb
from replicadb.cli.explain_text import text_of
from replicadb.detection.stage import last_settings
from replicadb.explanation import rule_votes as votes

SUFFIXES = ("com", "net")
NAMES = ("delta", "beta", "omega", "zeta")
PAPER = {"method": "paper", "discretise": "frequency", "cut": "projected", "schedule": "batch"}


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """Sixteen hosts with obvious replicas among them, whose patterns part when labels turn."""
    file = tmp_path_factory.mktemp("votes") / "c.parquet"
    draw = random.Random(0)
    hosts = [f"{www}{name}.{tld}" for www in ("www.", "") for name in NAMES for tld in SUFFIXES]
    rows = [
        {"url": f"http://{host}/p{draw.randrange(20)}", "digest": f"c{draw.randrange(25)}"}
        for host in hosts
        for _ in range(6)
    ]
    pl.DataFrame(rows).write_parquet(file)
    with replicadb.open(":memory:", threads=1) as web:
        web.load(file)
        yield web


@pytest.fixture(scope="module", params=["example", "pattern", "batch"])
def explained(request, web):
    """Method paper by a schedule, and what is said of each of its pairs, with its row."""
    web.detect(**PAPER | {"schedule": request.param})
    rows = web.sql(
        """SELECT r.a_id, r.b_id, r.score_id, f.label = 1 AS obvious FROM internal.ranking AS r
        JOIN internal.pair_features AS f USING (a_id, b_id)"""
    ).to_dicts()
    # Learned once: transitions are made again for each pair, and are the same.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(votes, "learned", cache(votes.learned))
        patch.setattr(votes, "last_settings", cache(votes.last_settings))
        return [(row, _told(web, row)) for row in rows]


def _told(web, row):
    ids = {"low": row["a_id"], "high": row["b_id"]}
    return votes.votes_on(web.database, row["score_id"], row["obvious"], ids)


def test_pairs_moved_in_the_passes_that_the_history_has(web, explained):
    """An obvious replica of a pattern that moved did not move, nor did those that were passed by
    before the pattern's turn came.
    """
    for learner in ("PU", "NU"):
        passes = Counter(said[learner]["moved_in"] for _, said in explained)
        history = web.sql(
            "SELECT pass, moved FROM em_history WHERE learner = ? AND moved > 0", [learner]
        )
        assert {k: n for k, n in passes.items() if k} == dict(history.rows())
        assert sum(history["moved"]) > 0
        assert passes[None] == sum(row["obvious"] for row, _ in explained) > 0


def test_the_cut_is_what_the_pair_itself_was_judged_by(web, explained):
    """Pairs of a pattern that moved at other times had other cuts; an obvious replica has none."""
    every = votes.rule_votes(web.database, sorted({row["score_id"] for row, _ in explained}))
    others = 0
    for row, said in explained:
        for learner in ("PU", "NU"):
            own, last = said[learner], every[row["score_id"]][learner]["cut"]
            if row["obvious"]:
                assert own["cut"] is None
            elif own["moved_in"] == 0:
                assert own["cut"] == last
            else:
                assert own["cut"] is not None
                others += own["cut"] != last
    by_one = last_settings(web.database).schedule == "example"
    assert (others > 0) == by_one


def test_of_a_pattern_it_says_how_many_moved(web, explained):
    """Which is what its pairs say of themselves."""
    every = votes.rule_votes(web.database, sorted({row["score_id"] for row, _ in explained}))
    for pattern, by_learner in every.items():
        for learner in ("PU", "NU"):
            own = [
                said[learner]["moved_in"]
                for row, said in explained
                if row["score_id"] == pattern and not row["obvious"]
            ]
            first = min((k for k in own if k), default=0)
            said = by_learner[learner]
            found = said["movable"], said["moved"], said["moved_in"]
            assert found == (len(own), sum(k > 0 for k in own), first)


def test_the_words_say_which_pairs_never_move_and_by_which_learners_they_are_ranked(web):
    """An obvious replica never moves. By one learner alone there is no plane: who is dominated, is
    so by that one.
    """
    web.detect(**PAPER, aggregate="nu")
    pairs = web.sql("SELECT obvious, host_a, host_b FROM replicas ORDER BY rank").to_dicts()
    for obvious, times in ((True, 2), (False, 0)):
        pair = next(pair for pair in pairs if pair["obvious"] == obvious)
        found = web.explain(pair["host_a"], pair["host_b"], pages=0)
        assert found["rules"]["aggregate"] == "nu"
        for by in ("nu", "pu", "pareto"):
            words = text_of(found | {"rules": found["rules"] | {"aggregate": by}})
            assert words.count("never moves, as it is obvious") == times
            assert ("Pareto plane" in words) == (by == "pareto")
            alone = f"  ranked by {by.upper()} alone; dominates"
            assert (" alone; dominates" in words) == (alone in words) == (by != "pareto")
