"""Exact duplicates: equal digests, at each level, as pairs; a great many equal pages as a star with
the same components.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from page_database import with_pages

from replicadb.near_duplicates import exact, pair_expansion
from replicadb.near_duplicates.page_options import PageOptions


def page(number: int, body: str, text: str, **more) -> dict:
    return {"url": f"http://h{number}.net/", "body": body, "text": text} | more


THREE_LEVELS = [
    page(1, "<p>Seen 3 times", "Seen 3 times"),
    page(2, "<p>Seen 3 times", "Seen 3 times"),
    page(3, "<b>Seen 3 times", "Seen 3 times"),
    page(4, "<p>Seen 71  times", "Seen 71  times"),
    page(5, "<p>Other", "Other"),
]


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("raw", {(1, 2)}),
        ("text", {(1, 2), (1, 3), (2, 3)}),
        ("normalised", {(1, 2), (1, 3), (2, 3), (1, 4), (2, 4), (3, 4)}),
    ],
)
def test_each_level_sees_through_more(web, level, expected):
    with_pages(web, THREE_LEVELS)
    counts = exact.find(web.database, PageOptions(level=level))
    assert set(web.database.rows("SELECT a_id, b_id FROM found")) == expected
    assert set(web.database.column("SELECT score FROM found")) == {1.0}
    distinct = 5 - len({a for pair in expected for a in pair} - {1})
    assert counts == {
        "pages": 5,
        "keys": distinct,
        "stars": 0,
        "pairs_not_written": 0,
        "pairs": len(expected),
    }


def test_a_superseded_capture_and_a_page_without_text_equal_nothing(web):
    with_pages(
        web,
        [
            page(1, "a", "a"),
            page(2, "a", "a", superseded=True),
            page(3, "a", "a", normal_digest=None),
            page(4, "b", "b", normal_digest=None),
        ],
    )
    assert exact.find(web.database, PageOptions())["pairs"] == 0


def test_a_page_from_outside_meets_every_equal_page(web, monkeypatch):
    monkeypatch.setattr(pair_expansion, "FAN_OUT", 1)
    with_pages(web, THREE_LEVELS)
    text_digest, normal_digest = web.database.rows(
        "SELECT text_digest, normal_digest FROM page_contents WHERE url_id = 3"
    )[0]
    query = SimpleNamespace(
        content=SimpleNamespace(
            raw_digest="none such", text_digest=text_digest, normal_digest=normal_digest
        )
    )
    for level, expected in (("raw", set()), ("text", {1, 2, 3}), ("normalised", {1, 2, 3, 4})):
        exact.find(web.database, PageOptions(level=level), query)
        assert set(web.database.rows("FROM found")) == {(-1, b, 1.0) for b in expected}


def test_a_page_without_a_digest_equals_none_as_by_every_other_method(web):
    with_pages(web, [*THREE_LEVELS, page(6, "", "", normal_digest=None)])
    found = exact.find(
        web.database,
        PageOptions(),
        SimpleNamespace(content=SimpleNamespace(normal_digest=None)),
    )
    assert found == {"pages": 5, "pairs": 0}
    for method in ("exact", "mwo"):
        assert web.similar("http://h6.net/", method=method).is_empty(), method
