"""What of a title is the page's own: cut at separators, without what stands at several paths."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

import replicadb
from replicadb.web.own_titles import ctes, site_wide


@pytest.fixture(scope="module")
def web():
    """An empty database; tests register tables and change nothing."""
    with replicadb.open(":memory:") as opened:
        yield opened


SHOP = [f"Page {n} | The Shop" for n in range(5)]


def given(titles: list[tuple[int, str | None]]) -> pa.Table:
    """Hosts and titles; pages by number, each at a path of its own."""
    return pa.table(
        {
            "url_id": list(range(len(titles))),
            "host_id": [host for host, _ in titles],
            "path_hash": list(range(len(titles))),
            "title_text": pa.array([title for _, title in titles], pa.string()),
        }
    )


def own(web, titles: list[str | None]) -> dict[int, int]:
    """By page of one host, numbered from 0, how many parts are its own."""
    with web.database.registered("given", given([(1, title) for title in titles])):
        query = f"WITH {ctes('given').rstrip(',')} SELECT url_id, len(own) FROM own_titles"
        return dict(web.database.rows(query))


def test_what_stands_at_several_paths_is_no_page_s_own(web):
    titles = [*SHOP, "The Shop", None, "About us - Help", "News 1 | 2021", "News 2 | 2021", "SHOP"]
    assert own(web, [*titles, "shop"]) == {**dict.fromkeys(range(5), 1), 7: 2, 8: 1, 9: 1}


@pytest.mark.parametrize("between", [" | ", "|", " » ", " · ", " - ", " – ", " :: ", ": "])
def test_titles_are_cut_at_what_stands_between_their_parts(web, between):
    assert own(web, [f"One thing{between}Another", *SHOP])[0] == 2


@pytest.mark.parametrize(
    "title", ["Twenty-one", "10:30", "a-b", "one  two", "| Foo", "Foo |", " Foo"]
)
def test_words_are_not_cut_and_nothing_is_no_part(web, title):
    assert own(web, [title, *SHOP])[0] == 1


def test_few_titles_tell_of_nothing(web):
    assert own(web, ["One | Shop", "Two | Shop"]) == {}
    assert own(web, ["One | Shop", "Two | Shop", "Three | Shop"]) == dict.fromkeys(range(3), 1)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Contact | A", "Contact | B", True),
        ("Articles | Town", "Staff | Town", False),
        ("a item 1 | News | A", "b item 1 | News | B", False),
        ("Same", "Same", True),
        ("Town", "Staff | Town", None),
        (None, "Staff | Town", None),
    ],
)
def test_two_titles_are_alike_by_what_is_their_own(web, one, other, alike):
    def pages(title, host):
        name = (title or "").split(" | ")[-1]
        return [(host, title)] + [(host, f"Page {host} {n} | News | {name}") for n in range(4)]

    rows = pages(one, 1) + pages(other, 2)
    with web.database.registered("given", given(rows)):
        found = web.database.value(f"""
            WITH {ctes("given")}
            titled AS (
                SELECT url_id, title_hash(title_text) AS title, own
                FROM given LEFT JOIN own_titles USING (url_id)
            )
            SELECT titles_alike(x.title, y.title, x.own, y.own)
            FROM titled AS x, titled AS y WHERE x.url_id = 0 AND y.url_id = 5""")
    assert found is alike


@pytest.mark.parametrize(
    ("pages", "wide"),
    [
        ("AAAB", {"A"}),
        ("AABB", set()),
        ("AA", set()),
        ("ABC", set()),
        ("A1A1A1BC", set()),
        ("A1A1AABC", {"A"}),
        ("AAA", {"A"}),
    ],
)
def test_a_title_of_most_different_pages_is_of_the_site(web, pages, wide):
    """Letters are titles; a digit says which of the pages have one content."""
    given = []
    for letter, digit in re.findall(r"([A-C])(\d?)", pages):
        given.append((letter, int(digit) if digit else 100 + len(given)))
    table = pa.table(
        {
            "host_id": [1] * len(given),
            "title": [title for title, _ in given],
            "content_hash": [content for _, content in given],
        }
    )
    with web.database.registered("given", table):
        query = f"WITH {site_wide('given').rstrip(',')} SELECT title FROM site_wide"
        assert {title for (title,) in web.database.rows(query)} == wide
