"""From keys to pages, by every method: a great many equal pages are a star with the same
components, and more pairs than may be are refused.
"""

from __future__ import annotations

import pytest
from page_database import with_pages

from replicadb.errors import LimitError
from replicadb.near_duplicates import exact, pair_expansion
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.registry import finder
from replicadb.store.database import Database

ADVICE = {
    "exact": "",
    "simhash": "lower --bits",
    "minhash": "raise --threshold",
    "rp": "lower --eps-rp",
    "mwo": "raise --threshold",
}
METHODS = pytest.mark.parametrize("method", ADVICE)
"""Those that compare keys; rp+hm finds among the pairs of rp."""
NEAR = {"eps_rp": 1e-6}


def page(number: int, text: str, **more) -> dict:
    same = {"url": f"http://h{number}.net/", "text": text, "main_text": text, "body": text}
    return same | more


def equal_pages(most: int) -> list[dict]:
    """Another page, then a page so many times."""
    words = [f"word{n}" for n in range(60)]
    return [page(1, " ".join(words[40:])), *[page(1, " ".join(words[:40]))] * most]


@pytest.fixture(scope="module")
def equal():
    """Of equal_pages(5)."""
    with Database(":memory:") as db:
        with_pages(db, equal_pages(5))
        yield db


@METHODS
def test_a_great_many_equal_pages_are_a_star(equal, monkeypatch, method):
    monkeypatch.setattr(pair_expansion, "FAN_OUT", 3)
    counts = finder(method)(equal, PageOptions(**NEAR))
    pairs = equal.rows("SELECT a_id, b_id FROM found")
    assert sorted(pairs) == [(2, 3), (2, 4), (2, 5), (2, 6)]
    assert (counts["stars"], counts["pairs"], counts["pairs_not_written"]) == (1, 4, 6)


@METHODS
def test_as_many_as_the_fan_out_have_all_their_pairs(equal, monkeypatch, method):
    monkeypatch.setattr(pair_expansion, "FAN_OUT", 5)
    counts = finder(method)(equal, PageOptions(**NEAR))
    assert (counts["stars"], counts["pairs"], counts["pairs_not_written"]) == (0, 10, 0)


def test_each_key_of_too_many_pages_is_a_star(web, monkeypatch):
    monkeypatch.setattr(pair_expansion, "FAN_OUT", 5)
    with_pages(
        web,
        [page(i, "", body="x" * (1 + (i % 8 == 0))) for i in range(1, 25)]
        + [page(i, "", body="five") for i in range(30, 35)],
    )
    counts = exact.find(web.database, PageOptions(level="raw"))
    pairs = web.database.rows("SELECT a_id, b_id FROM found")
    assert counts["stars"] == 1 and counts["keys"] == 3
    assert counts["pairs"] == len(pairs) == len(set(pairs)) == 20 + 3 + 10
    assert counts["pairs_not_written"] == 21 * 20 // 2 - 20
    assert {b for a, b in pairs if a == 1} == {i for i in range(2, 25) if i % 8}


@METHODS
def test_more_pairs_than_may_be_are_refused(equal, method):
    with pytest.raises(LimitError, match=f"more than 9 .*{ADVICE[method]}"):
        finder(method)(equal, PageOptions(max_pairs=9, **NEAR))
    assert finder(method)(equal, PageOptions(max_pairs=10, **NEAR))["pairs"] == 10
