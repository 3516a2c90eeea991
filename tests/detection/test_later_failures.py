"""A host that answers no more is not kept in place of its copy, in whatever order and pieces its
captures are loaded.
"""

from __future__ import annotations

import pytest
from conftest import rest_slow

import replicadb

OLD, NEW = "old.com", "www.new-name.net"
MARCH, APRIL, MAY = "20260301000000", "20260401000000", "20260501000000"


def captures(host: str, at: str, status: int = 200, urls: int = 15) -> list[str]:
    """Rows of a table; at the same paths hosts have the same contents."""
    return [
        f"http://{host}/a{n},{at},{status},{f'd{n}' if status == 200 else ''}" for n in range(urls)
    ]


def own(at: str = MARCH) -> list[str]:
    return [f"http://own{k}.org/{n},{at},200,o{k}-{n}" for k in range(60) for n in range(8)]


def kept(web) -> dict[str, tuple[str, str]]:
    web.detect(min_probability=0.01)
    return {
        host: (canonical, why)
        for host, canonical, why in web.database.rows(
            "SELECT host, canonical_host, kept_because FROM flagged_hosts"
        )
    }


def table(write, name: str, *parts: list[str]):
    rows = [row for part in parts for row in part]
    return write(name, "\n".join(["url,timestamp,status,digest", *rows]) + "\n")


@pytest.mark.parametrize(
    ("later", "answers"),
    rest_slow(
        [
            (captures(OLD, APRIL, 301), False),
            (captures(OLD, APRIL, 404), False),
            (captures(OLD, APRIL, 410), False),
            (captures(OLD, APRIL, 404, urls=7), True),  # less than half of them
            (captures(OLD, APRIL, 503), True),
            (captures(OLD, MARCH, 404), True),  # not later
            (captures(OLD, APRIL, 404) + captures(OLD, MAY), True),  # it came back
            (captures(OLD, APRIL, 404) + captures(NEW, MAY, 404), None),  # both are gone
            (captures(OLD, "", 404), True),  # when is not known
        ]
    ),
)
def test_the_host_that_answers_stays(web, write, later, answers):
    web.load(table(write, "c.csv", captures(OLD, MARCH), captures(NEW, MARCH), own(), later))
    found = kept(web)
    if answers is False:
        assert found == {OLD: (NEW, "the other answers no more")}
    else:
        assert found == {NEW: (OLD, "its name is shorter")}


@pytest.mark.slow
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
@pytest.mark.parametrize("together", [False, True])
def test_order_and_pieces_do_not_show_and_an_unload_takes_it_back(web, write, order, together):
    paths = [
        table(write, "pages.csv", captures(OLD, MARCH), captures(NEW, APRIL), own()),
        table(write, "failures.csv", captures(OLD, APRIL, 404), captures(NEW, MARCH, 404)),
        table(write, "more.csv", captures(OLD, MARCH, urls=3), own(APRIL)),
    ]
    sources = [paths[n] for n in order]
    for each in [sources] if together else [[path] for path in sources]:
        web.load(*each)
    assert kept(web) == {OLD: (NEW, "the other answers no more")}
    stored = web.database.rows(
        "SELECT origin, sum(urls), min(since)::VARCHAR FROM internal.later_failures"
        " GROUP BY origin ORDER BY origin"
    )
    assert stored == [
        (f"http://{OLD}", 15, "2026-04-01 00:00:00"),
        (f"http://{NEW}", 15, "2026-03-01 00:00:00"),
    ]
    web.unload(str(paths[1]))
    assert not web.database.value("SELECT count(*) FROM internal.later_failures")
    assert kept(web) == {NEW: (OLD, "its name is shorter")}


@pytest.mark.slow
def test_one_file_with_pages_and_failures_is_told_by_its_newest_page(web, write):
    """What failed before the newest page of its source says nothing."""
    rows = [captures(OLD, MARCH, 404), captures(OLD, APRIL), captures(NEW, APRIL), own()]
    web.load(table(write, "c.csv", *rows))
    assert not web.database.value("SELECT count(*) FROM internal.later_failures")
    assert kept(web) == {NEW: (OLD, "its name is shorter")}


@pytest.mark.slow
def test_a_host_that_the_user_names_is_kept_all_the_same(write):
    with replicadb.open(":memory:") as web:
        later = captures(OLD, APRIL, 404)
        web.load(table(write, "c.csv", captures(OLD, MARCH), captures(NEW, MARCH), own(), later))
        web.detect(min_probability=0.01, keep=f"{OLD},links")
        assert web.flagged_hosts()["host"].to_list() == [NEW]
