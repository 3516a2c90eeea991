"""Canonical links and redirects of URLs that several files have: copies, explanations and aliases
go by them as detection does, whatever file each capture is in.
"""

from __future__ import annotations

import json

import pytest

from replicadb.errors import DataError

HEAD = "url,timestamp,status,digest,redirect,canonical"


def captured(site: str, year: int, names: str) -> str:
    """Two names of a site, all of whose pages name one of the two, and an old name of both."""
    stamp = f"{year}0101000000"
    rows = [
        f"http://{host}/p{page},{stamp},200,{site}{page},,http://{names.format(site)}/p{page}"
        for host in (f"new-{site}.com", f"old-{site}.org")
        for page in range(12)
    ]
    rows.append(f"http://older-{site}.net/,{stamp},301,,http://new-{site}.com/,")
    return "\n".join(rows) + "\n"


def before(site: str) -> str:
    return captured(site, 2018, "old-{}.org")


def now(site: str) -> str:
    return captured(site, 2021, "new-{}.com")


FILES = [
    before("whole") + now("whole") + before("inturn") + now("turned"),
    now("inturn") + before("turned"),
]
"""Of one site what was before and what is now in one file; of two in two, in either order."""


def answers(web, site: str, aliases: list[dict]) -> list:
    """What is said of the names of a site, in which the site is not named."""
    new = f"new-{site}.com"
    (copy,) = web.copies_of(new, unlikely=True)["copies"]
    with pytest.raises(DataError) as refused:
        web.copies_of(f"older-{site}.net")
    canonical = "SELECT canonical FROM candidate_pairs WHERE ? IN (host_a, host_b)"
    said = [
        copy["direction"],
        copy["grounds"],
        web.explain(new, f"old-{site}.org")["leads"],
        web.sql(canonical, [new]).rows(),
        [row for row in aliases if new in row.values()],
        str(refused.value).partition(": ")[2],
    ]
    return json.loads(json.dumps(said).replace(f"-{site}", ""))


def test_a_site_that_names_itself_now_is_the_copy_of_none_whatever_it_said_before(write, web):
    """The newest capture of a URL says where it leads; a redirect in two files is one."""
    for number, text in enumerate(FILES):
        web.load(write(f"{number}.csv", f"{HEAD}\n{text}"))
    web.detect()
    aliases = web.aliases().rows.to_pylist()
    whole = answers(web, "whole", aliases)
    assert whole[0] == "copy"
    assert "12 of its canonical links and redirects lead to yours" in whole[1]
    assert [(lead["host"], lead["urls"]) for lead in whole[2]] == [("old.org", 12)]
    assert [row["name_b"] for row in whole[4] if row["rule"] == "canonical"] == ["old.org"]
    assert whole[5].startswith("no page of older.net is here; a URL of it redirects to new.com")
    assert answers(web, "inturn", aliases) == whole
    assert answers(web, "turned", aliases) == whole
