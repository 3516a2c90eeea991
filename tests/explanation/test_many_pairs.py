"""Many pairs at once say what ``explain`` says of each of them."""

from __future__ import annotations

import pytest

from replicadb.explanation import explain
from replicadb.explanation.many_pairs import explain_many, rules_of
from replicadb.explanation.rule_votes import rule_votes
from replicadb.store.database import Database

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["robust", "paper"])
def db(request) -> Database:
    """The crawl after detection by either method, to read."""
    return request.getfixturevalue(f"by_{request.param}").database


@pytest.fixture(scope="module")
def pairs(db: Database) -> list[tuple]:
    return db.rows(
        """SELECT r.a_id, r.b_id, a.host, b.host, r.score_id FROM ranking AS r
        JOIN hosts AS a ON a.host_id = r.a_id JOIN hosts AS b ON b.host_id = r.b_id
        ORDER BY r.rowid"""
    )


@pytest.fixture(scope="module")
def found(db, pairs):
    return explain_many(db, [pair[0] for pair in pairs], [pair[1] for pair in pairs], pages=2)


def near(value: float | None, by: float) -> object:
    return None if value is None else pytest.approx(value, abs=by)


def test_evidence_and_neighbours_are_those_of_each_pair(db, pairs, found):
    assert len(pairs) > 20
    paper = db.value("SELECT count(*) FROM patterns") > 0  # evidence that adds to no strength
    for place in range(0, len(pairs), 8 if paper else 5):
        one = explain(db, *pairs[place][2:4])
        said = {
            name: (found["words"][word], added, below)
            for name, (word, added, below) in zip(
                found["features"], found["evidence"][place], strict=True
            )
        }
        assert said == {
            row["feature"]: (
                row["words"],
                None
                if row["contribution"] is None
                else pytest.approx(row["contribution"], abs=1e-3),
                None if row["below"] is None else pytest.approx(row["below"], abs=1e-4),
            )
            for row in one["evidence"]
        }
        assert found["neighbours"].get(place, [None])[0] == one["neighbours"]


def test_pages_are_told_by_content_and_the_rarest_come_first(pairs, found):
    (place,) = [at for at, pair in enumerate(pairs) if pair[2:4] == ("left.com", "right.net")]
    shared = found["shared"][place]
    assert [(row["url_a"], row["url_b"]) for row in shared] == [
        ("http://left.com/a", "http://right.net/a"),
        ("http://left.com/b", "http://right.net/b"),
    ]
    assert {row["n"] for row in shared} == {2} and {row["hosts_with_it"] for row in shared} == {2}
    (differing,) = found["differing"][place]
    assert (differing["url_a"], differing["url_b"]) == ("http://left.com/c", "http://right.net/c")


def test_rules_are_those_of_each_pattern_and_bounded(db, pairs):
    if db.value("SELECT count(*) FROM patterns") == 0:
        assert rules_of(db, [], 3) == {}
        return
    patterns = [pair[4] for pair in pairs]
    found = rules_of(db, patterns, 3)
    assert set(found) == set(patterns)
    for pattern in found:
        alone = rule_votes(db, [pattern])[pattern]
        for data in ("PU", "NU"):
            assert found[pattern][data]["rules"] == alone[data]["rules"][:3]
            assert found[pattern][data]["alpha"] == alone[data]["alpha"]


def test_no_pair_is_no_error(db):
    assert explain_many(db, [], [])["evidence"] == []
