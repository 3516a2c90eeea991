"""What of a title is the page's own: cut at separators, the site's name taken away."""

from __future__ import annotations

import pyarrow as pa
import pytest

from replicadb.store.own_titles import ctes


def own(web, titles: list[tuple[int, str | None]]) -> dict[int, int]:
    """By page, numbered from 0, how many parts are its own."""
    table = pa.table(
        {
            "url_id": list(range(len(titles))),
            "host_id": [host for host, _ in titles],
            "title_text": pa.array([title for _, title in titles], pa.string()),
        }
    )
    with web.database.registered("given", table):
        query = f"WITH {ctes('given').rstrip(',')} SELECT url_id, len(own) FROM own_titles"
        return dict(web.database.rows(query))


def test_the_name_of_a_site_is_what_most_of_its_titles_have(web):
    titles = [f"Page {n} | The Shop" for n in range(5)] + ["The Shop", None, "About us - Help"]
    found = own(web, [(1, title) for title in titles] + [(2, "Page 1 | The Shop")])
    assert found == {**dict.fromkeys(range(5), 1), 7: 2, 8: 2}


@pytest.mark.parametrize("between", [" | ", "|", " » ", " · ", " - ", " – ", " :: ", ": "])
def test_titles_are_cut_at_what_stands_between_their_parts(web, between):
    assert own(web, [(1, f"One thing{between}Another")]) == {0: 2}


@pytest.mark.parametrize("title", ["Twenty-one", "10:30", "a-b", "one  two"])
def test_words_are_not_cut(web, title):
    assert own(web, [(1, title)]) == {0: 1}


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Contact | A", "Contact | B", True),
        ("Articles | Town", "Staff | Town", False),
        ("Same", "Same", True),
        ("Town", "Town | Staff", None),
        (None, "Staff | Town", None),
    ],
)
def test_two_titles_are_alike_by_what_is_their_own(web, one, other, alike):
    def pages(title, host):
        name = (title or "").split(" | ")[-1]
        return [(host, title)] + [(host, f"Page {host} {n} | {name}") for n in range(4)]

    rows = pages(one, 1) + pages(other, 2)
    table = pa.table(
        {
            "url_id": list(range(len(rows))),
            "host_id": [host for host, _ in rows],
            "title_text": pa.array([title for _, title in rows], pa.string()),
        }
    )
    with web.database.registered("given", table):
        found = web.database.value(f"""
            WITH {ctes("given")}
            titled AS (
                SELECT url_id, title_hash(title_text) AS title, own
                FROM given LEFT JOIN own_titles USING (url_id)
            )
            SELECT titles_alike(x.title, y.title, x.own, y.own)
            FROM titled AS x, titled AS y WHERE x.url_id = 0 AND y.url_id = 5""")
    assert found is alike


def test_half_of_the_titles_name_no_site_case_does_not_count_and_a_page_counts_once(web):
    half = [(1, f"Page {n} | Shop") for n in range(3)] + [(1, f"Page {n}") for n in range(3, 6)]
    assert own(web, half) == dict.fromkeys((0, 1, 2), 2) | dict.fromkeys((3, 4, 5), 1)
    most = [(1, f"Page {n} | {name}") for n, name in enumerate(("Shop", "SHOP", "shop"))]
    assert own(web, [*most, (1, "Page 9")]) == dict.fromkeys(range(4), 1)
