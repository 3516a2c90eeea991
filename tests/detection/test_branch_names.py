"""Branches of one brand, by their names (sql/functions/55_branch_names.sql), and what they hold
back.
"""

from __future__ import annotations

import duckdb
import pytest

import replicadb
from replicadb.store.statements import statements

BRANCHES = """
    bath-herald york-herald bath york
    www.bath-herald www2.yorkherald bath york
    bath.herald york-herald bath york
    herald-bath heraldyork bath york
    the.bath-herald the-york.herald thebath theyork
    bath2go-herald-online york-herald-online None None
    bath-herald bath-herald None None
    bath-herald herald None None
    bath-post york-post None None
    bath-herald ny-herald None None
    herald1 herald2 None None
    old.herald new.tribune None None
    news.herald-bath news.herald-york None None
"""


@pytest.fixture(scope="module")
def words():
    con = duckdb.connect()
    for macro in statements("functions/55_branch_names").values():
        con.execute(macro)

    def answer(one, other):
        found = con.execute("SELECT words_of_branches(?, ?)", [one, other]).fetchone()[0]
        return found or [None, None]

    return answer


@pytest.mark.parametrize("line", BRANCHES.strip().splitlines())
def test_the_words_that_names_of_branches_differ_by(words, line):
    one, other, *expected = line.split()
    expected = [None if word == "None" else word for word in expected]
    assert words(one, other) == expected
    assert words(other, one) == expected[::-1]


def rows(host: str, brand: str, own: int) -> list[str]:
    """Forty pages, the last ones its own, at paths of its own."""
    return [
        f"http://{host}/{brand}/{n if n < 40 - own else f'{host}-{n}'},"
        f"{brand}{n}{host if n >= 40 - own else ''},{brand} {n},{2000 + 37 * n}"
        for n in range(40)
    ]


def test_branches_stay_with_pages_of_their_own_and_copies_of_branches_go(tmp_path):
    """Four papers of a publisher have nine pages of their own each; of another all is the same;
    two alone may be one site under two names; the brand's own name is no branch to drop; and the
    platform that sites stand on is no brand of theirs.
    """
    towns = ("bath", "york", "leeds", "dover")
    lines = [
        *(line for town in towns for line in rows(f"{town}-herald.com", "herald", own=9)),
        *rows("herald.com", "herald", own=9),
        *(line for town in towns for line in rows(f"{town}-gazette.net", "gazette", own=0)),
        *(line for town in towns[:2] for line in rows(f"{town}-tribune.org", "tribune", own=9)),
        *(
            line
            for name in ("alice", "carol", "maria")
            for line in rows(f"{name}.github.io", "notes", own=9)
        ),
        *(line for n in range(40) for line in rows(f"own{n}.net", f"own{n}", own=0)[:8]),
    ]
    (tmp_path / "c.csv").write_text("\n".join(["url,digest,title,length", *lines]) + "\n")
    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(tmp_path / "c.csv")
        web.detect(min_probability=0.001)
        dropped = [host.split(".")[0] for host in web.sql("SELECT host FROM flagged_hosts")["host"]]
        held = dict(web.sql("SELECT host, why FROM held_hosts").iter_rows())
        web.export_list(tmp_path / "list", "nutch-host")  # has macros of its own
        web.database.execute("DELETE FROM stages WHERE stage = '70_replica_groups'")
        web.detect(min_probability=0.001)
        assert dict(web.sql("SELECT host, why FROM held_hosts").iter_rows()) == held
    dropped = ["notes" if name in ("alice", "carol", "maria") else name for name in dropped]
    brands = ["gazette"] * 3 + ["notes"] * 2 + ["tribune"]
    assert sorted(name.split("-")[-1] for name in dropped) == brands
    assert {host.split(".")[0].split("-")[-1] for host in held} == {"herald"}
    assert len(held) == 4
    assert set(held.values()) == {"names say branches of one brand, and it has contents of its own"}
