"""A host that answers no more is not kept in place of its copy, in whatever order and pieces its
captures are loaded.
"""

from __future__ import annotations

import pytest

import replicadb

OLD, NEW = "old.com", "www.new-name.net"
MARCH, APRIL, MAY = "20260301000000", "20260401000000", "20260501000000"


def captures(host: str, at: str, status: int = 200, urls: int = 15, site: str = "a") -> list[str]:
    """Rows of a table; hosts of one site have the same contents at the same paths."""
    return [
        f"http://{host}/{site}{n},{at},{status},{f'{site}{n}' if status == 200 else ''}"
        for n in range(urls)
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
    return write(name, csv_of(*parts))


def csv_of(*parts: list[str]) -> str:
    rows = [row for part in parts for row in part]
    return "\n".join(["url,timestamp,status,digest", *rows]) + "\n"


LATER = {
    "redirects": ([("old", APRIL, 301, 15)], False),
    "not-found": ([("old", APRIL, 404, 15)], False),
    "gone": ([("old", APRIL, 410, 15)], False),
    "less-than-half-of-them": ([("old", APRIL, 404, 7)], True),
    "half-of-them": ([("old", APRIL, 404, 8)], False),
    "errors-of-the-server": ([("old", APRIL, 503, 15)], True),
    "not-later": ([("old", MARCH, 404, 15)], True),
    "it-came-back": ([("old", APRIL, 404, 15), ("old", MAY, 200, 15)], True),
    "both-are-gone": ([("old", APRIL, 404, 15), ("new", MAY, 404, 15)], True),
    "when-is-not-known": ([("old", "", 404, 15)], True),
}
"""Captures of the old host or of the new one, each when, how and how many; and whether the old
one answers.
"""


def names(site: str) -> dict[str, str]:
    return {"old": f"old-{site}.com", "new": f"www.new-name-{site}.net"}


@pytest.fixture(scope="module")
def every(tmp_path_factory) -> replicadb.ReplicaDB:
    """A crawl with an old and a new host for each of LATER; each test detects."""
    parts = [own()]
    for case, (later, _) in LATER.items():
        parts += [captures(host, MARCH, site=case) for host in names(case).values()]
        parts += [captures(names(case)[which], *how, site=case) for which, *how in later]
    path = tmp_path_factory.mktemp("later") / "c.csv"
    path.write_text(csv_of(*parts))
    with replicadb.open(path.with_suffix(".duckdb"), threads=1) as web:
        web.load(path)
        yield web


@pytest.fixture(scope="module")
def chosen(every) -> dict[str, tuple[str, str]]:
    return kept(every)


@pytest.mark.parametrize("case", LATER)
def test_which_of_two_hosts_stays_by_who_answers(chosen, case):
    old, new = names(case).values()
    drop, stay, why = (
        (new, old, "its name is shorter")
        if LATER[case][1]
        else (old, new, "the other answers no more")
    )
    assert chosen[drop] == (stay, why) and stay not in chosen and len(chosen) == len(LATER)


@pytest.mark.slow
def test_a_folder_that_is_a_site_of_its_own_answers_or_not_by_itself(tmp_path, write):
    users = [
        line.replace(f"{host}/", f"{host}/~{user}/").replace(",a", f",{user}")
        for user in ("ann", "bob")
        for host in (OLD, NEW)
        for line in captures(host, MARCH)
    ]
    gone = [line.replace("/a", "/~ann/a") for line in captures(OLD, APRIL, 404)]
    with replicadb.open(tmp_path / "c.duckdb") as web:
        web.load(table(write, "c.csv", users, gone, own()), site="host+1")
        assert {host: canonical for host, (canonical, _) in kept(web).items()} == {
            f"{OLD}/~ann": f"{NEW}/~ann",
            f"{NEW}/~bob": f"{OLD}/~bob",
        }


@pytest.mark.slow
def test_a_host_that_the_user_names_is_kept_all_the_same(every, chosen):
    named = names("not-found")
    assert named["old"] in chosen
    every.detect(min_probability=0.01, keep=f"{named['old']},links")
    dropped = set(every.flagged_hosts()["host"])
    assert dropped == chosen.keys() - {named["old"]} | {named["new"]}


def loaded(web, write) -> str:
    """Failures and more pages together, then pages; the name of the failures."""
    failures = table(write, "failures.csv", captures(OLD, APRIL, 404), captures(NEW, MARCH, 404))
    web.load(failures, table(write, "more.csv", captures(OLD, MARCH, urls=3), own(APRIL)))
    web.load(table(write, "pages.csv", captures(OLD, MARCH), captures(NEW, APRIL), own()))
    return str(failures)


def stored(web) -> list[tuple]:
    return web.database.rows(
        "SELECT origin, sum(urls), min(since)::VARCHAR FROM internal.later_failures"
        " GROUP BY origin ORDER BY origin"
    )


STORED = [
    (f"http://{OLD}", 15, "2026-04-01 00:00:00"),
    (f"http://{NEW}", 15, "2026-03-01 00:00:00"),
]


@pytest.mark.slow
def test_order_and_pieces_do_not_show_and_an_unload_takes_it_back(web, write):
    failures = loaded(web, write)
    assert kept(web) == {OLD: (NEW, "the other answers no more")} and stored(web) == STORED
    web.unload(failures)
    assert not stored(web), "so the old host answers as far as anybody knows"


def test_one_file_with_pages_and_failures_is_told_by_its_newest_page(every):
    """What failed before the newest page of its source says nothing."""
    failed = {origin for origin, *_ in stored(every)}
    assert f"http://{names('not-found')['old']}" in failed
    assert f"http://{names('it-came-back')['old']}" not in failed
