"""Versions and languages of one site, by their names (sql/functions/50_edition_names.sql), and what
they hold back.
"""

from __future__ import annotations

import duckdb
import pytest

import replicadb
from replicadb.store.statements import statements

EDITIONS = """
    v1.x.org v2.x.org
    docs.x.org v2.docs.x.org
    x.org docs-v3.x.org
    version-two.x.org v1.x.org
    4-2.x.org 5x.x.org
    1.2.x.org 1.3.x.org
    v1.2.x.org v1.3.x.org
    release-4.x.org x.org
    docs-latest.x.org docs-stable.x.org
    es-419.x.org sr-latn.x.org
    2019.x.org 2020.x.org
    latest.x.org stable.x.org
    de.x.org fr.x.org
    en.x.org pt-br.x.org
    zh-hans.x.org zh-hant.x.org
    www.de.x.org www.fr.x.org
"""
OTHERS = """
    x.org x.org
    www.x.org x.org
    www2.x.org w3.x.org
    1.x.org 2.x.org
    1880.x.org 2119.x.org
    mirror1.x.org mirror2.x.org
    10-0-0-1.x.org 10-0-0-2.x.org
    latest.x.org x.org
    nl.x.org x.org
    dev.x.org beta.x.org
    x.org:8080 v2.x.org
    x.org/~a x.org/~b
    v1.y.org v2.x.org
"""


@pytest.fixture(scope="module")
def asked():
    """What one of the macros says."""
    con = duckdb.connect()
    for macro in statements("functions/50_edition_names").values():
        con.execute(macro)

    def answer(macro, *names):
        places = ", ".join("?" for _ in names)
        return con.execute(f"SELECT {macro}({places})", names).fetchone()[0]

    return answer


@pytest.fixture(scope="module")
def say(asked):
    """What edition_labels says of two names and a registered domain."""

    def answer(one, other, domain):
        labels = (asked("labels_before", name, domain) for name in (one, other))
        return asked("edition_labels", *labels)

    return answer


@pytest.mark.parametrize("names", EDITIONS.strip().splitlines())
def test_names_that_say_versions_or_languages(say, names):
    one, other = names.split()
    assert say(one, other, "x.org") and say(other, one, "x.org")


@pytest.mark.parametrize("names", OTHERS.strip().splitlines())
def test_names_that_do_not(say, names):
    one, other = names.split()
    assert not say(one, other, "x.org") and not say(other, one, "x.org")
    assert not say(one, other, None)


@pytest.mark.parametrize(
    ("one", "other", "editions"),
    [
        ("meeting2019.org", "meeting.org", True),
        ("meeting2019.org", "meeting-2020.org", True),
        ("meeting_1998.co.uk", "meeting.co.uk", True),
        ("meeting2019.org", "meeting.net", False),
        ("meeting2019.org", "meetings.org", False),
        ("meeting1880.org", "meeting.org", False),
        ("meeting2.org", "meeting.org", False),
        ("2019.org", "2020.org", False),
        ("meeting.org", "meeting.org", False),
        ("meeting.org", None, False),
    ],
)
def test_domains_that_differ_by_a_year(asked, one, other, editions):
    assert asked("edition_domains", one, other) == editions
    assert asked("edition_domains", other, one) == editions


def rows(host: str, site: str, changed: range = range(0), longer: int = 0) -> list[str]:
    return [
        f"http://{host}/{site}/p{n},{site}{n}{host if n in changed else ''},{site} {n},"
        f"{2000 + n + (longer if n in changed else 0)}"
        for n in range(30)
    ]


@pytest.mark.slow
def test_versions_do_not_stand_in_for_each_other_and_numbered_copies_do(tmp_path):
    """A third of the pages of each second name has another content, of the same title. Of several
    languages none goes for the bare name.
    """
    third = range(10)
    lines = [
        *rows("v1.manual.org", "manual"),
        *rows("v2.manual.org", "manual", third, longer=3),
        *rows("v1.stamped.org", "stamped"),
        *rows("v2.stamped.org", "stamped", third),  # as long to the byte: a time of the same form
        *rows("shop.net", "shops"),
        *rows("de.shop.net", "shops", third, longer=3),
        *rows("fr.shop.net", "shops", range(5, 15), longer=3),
        *rows("nl.sole.net", "sole"),
        *rows("sole.net", "sole", third, longer=3),  # one language alone may be an alias
        *rows("v1.same.org", "same"),
        *rows("v2.same.org", "same"),
        *rows("meeting.org", "meeting"),
        *rows("meeting2019.org", "meeting", third, longer=3),
        *rows("w1.shop.org", "shop"),
        *rows("w2.shop.org", "shop", third, longer=3),
        *(line for n in range(30) for line in rows(f"own{n}.net", f"own{n}")[:8]),
    ]
    (tmp_path / "c.csv").write_text("\n".join(["url,digest,title,length", *lines]) + "\n")
    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(tmp_path / "c.csv")
        web.detect()
        dropped = set(web.sql("SELECT host FROM flagged_hosts")["host"])
        held = dict(web.sql("SELECT host, why FROM held_hosts").iter_rows())
    assert {host.split(".")[-2] for host in dropped} == {"stamped", "same", "shop", "sole"}
    assert set(held) >= {"de.shop.net", "fr.shop.net"}
    domains = {".".join(host.split(".")[-2:]) for host in held}
    assert domains - {"meeting.org"} == {"manual.org", "shop.net", "meeting2019.org"}
    assert set(held.values()) == {"pages at the same paths differ"}
