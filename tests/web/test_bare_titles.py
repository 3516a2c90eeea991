"""Titles without the name of the site, in SQL and in Python."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

import replicadb
from replicadb.web.bare_titles import bare, ctes
from replicadb.web.digests import hash64


@pytest.fixture(scope="module")
def web():
    """An empty database; tests register tables and change nothing."""
    with replicadb.open(":memory:") as opened:
        yield opened


def in_sql(web, titles: list[str | None]) -> dict[int, int]:
    """By page of one host, each at a path of its own, the hash of its bare title."""
    given = pa.table(
        {
            "url_id": list(range(len(titles))),
            "host_id": [1] * len(titles),
            "path_hash": list(range(len(titles))),
            "title": pa.array(titles, pa.string()),
        }
    )
    with web.database.registered("given", given):
        query = f"WITH {ctes('given').rstrip(',')} SELECT url_id, bare_title FROM bare_titles"
        return dict(web.database.rows(query))


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        (["Shoes | Shop", "Hats | Shop", "Shop"], ["shoes", "hats", None]),
        (["Shop: Shoes", "Shop: Hats - Sale"], ["shoes", "hats|sale"]),
        (["Buy: A1 | Shop", "Buy: A2 | Shop", "Us | Shop"], ["buy|a1", "buy|a2", "us"]),
        (["A1 | Old | Shop", "A2 | Old | Shop"], ["a1|old", "a2|old"]),
        (["Shop | Shop", "Us | Shop"], ["shop", "us"]),
        (["Shoes | Shop"], [None]),
        (["Shoes | Shop", "Hats"], [None, None]),
        ([" | ", "a | ", None], [None, None, None]),
    ],
)
def test_the_name_is_what_most_titles_have_and_the_last_of_equals(web, titles, expected):
    assert bare(titles) == expected
    assert in_sql(web, titles) == {n: hash64(t) for n, t in enumerate(expected) if t is not None}


def test_sql_and_python_say_the_same(web):
    """Of hosts of one to sixteen titles drawn from few parts, with every separator."""
    rng = random.Random(7)
    words = ("News", "news", "Sport", "Über uns", "Shop", "2021", "", "a-b", "\u0130LAN", "ΤΙΤΛΟΣ")
    for _ in range(30):
        titles = [
            None
            if rng.random() < 0.1
            else rng.choice((" | ", " - ", ": ", "»")).join(rng.choices(words, k=rng.randint(1, 4)))
            for _ in range(rng.randint(1, 16))
        ]
        titles = [title or None for title in titles]
        in_python = bare(titles)
        assert in_sql(web, titles) == {
            n: hash64(title) for n, title in enumerate(in_python) if title is not None
        }
