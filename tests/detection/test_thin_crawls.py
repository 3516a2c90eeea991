"""Where a crawl is too thin to judge, it is said, and what to fetch."""

from __future__ import annotations

import shutil

import pytest

import replicadb
from replicadb.cli.copies_text import copies_text
from replicadb.cli.explain_text import text_of

from .crawls import only_pairs

THIN = "".join(
    f"http://{host}.{suffix}/{page},{page}{host if page == 'three' else n},192.0.2.{n % 200}\n"
    for n in range(40)
    for suffix in ("com", "org")
    for host in (f"site{n}x{'a' if suffix == 'com' else 'q'}",)
    for page in ("one", "two", "three")
)


@pytest.fixture
def web(write):
    with replicadb.open(":memory:") as web:
        web.load(
            write(
                "crawl.csv",
                "url,fingerprint\n"
                "http://a.com/,h1\nhttps://a.com/x,x\nhttps://a.com/y/long,y\nhttps://a.com/z,z\n"
                "http://b.org/,h1\nhttp://b.org/only,o\nhttp://c.net/z,z\nhttp://c.net/q,q\n",
            )
        )
        only_pairs(web)
        yield web


def test_what_to_fetch_is_what_the_other_has_the_rarest_first(web):
    rows = web.sql("FROM pages_to_fetch('b.org', 'a.com')").rows()
    assert rows == [
        ("http://b.org/x", "https://a.com/x", 1),
        ("https://a.com/only", "http://b.org/only", 1),
        ("http://b.org/y/long", "https://a.com/y/long", 1),
        ("http://b.org/z", "https://a.com/z", 2),
    ]
    assert web.sql("FROM pages_to_fetch('a.com', 'b.org')").rows() == rows
    assert web.sql("FROM pages_to_fetch('https://A.com/x', 'b.org')").rows() == rows
    with pytest.raises(replicadb.DataError, match="nobody"):
        web.sql("FROM pages_to_fetch('a.com', 'nobody.org')")


def test_what_to_fetch_is_asked_for_once_and_of_hosts_without_digests_too(write):
    """At http and https, and where nothing but paths, or files, of the other host is known."""
    with replicadb.open(":memory:") as web:
        web.load(
            write(
                "crawl.csv",
                "url,fingerprint,mime\n"
                "http://a.com/x,old,\nhttps://a.com/x,x,\nhttps://a.com/y,y,\nhttp://c.net/,old,\n"
                "https://b.org/y,,\nhttps://files.org/l.png,l,image/png\nhttp://c.net/l,l,\n",
            )
        )
        only_pairs(web)
        assert web.sql("FROM pages_to_fetch('a.com', 'b.org')").rows() == [
            ("https://b.org/x", "https://a.com/x", 1)
        ]
        assert web.sql("FROM pages_to_fetch('a.com', 'files.org')").rows() == [
            ("https://files.org/x", "https://a.com/x", 1),
            ("https://files.org/y", "https://a.com/y", 1),
        ]


@pytest.mark.slow
def test_what_to_fetch_counts_hosts_with_a_page_that_is_nearly_the_same(write):
    page = '{{"url":"http://{}/{}","html":"<p>{}<!--{}-->"}}\n'
    words = " ".join(f"word{n}" for n in range(60))
    lines = [page.format(host, "common", words, host) for host in ("a.com", "c.net", "d.net")]
    lines += [page.format(host, "both", words[:300], "") for host in ("a.com", "b.org")]
    lines += [page.format("a.com", "own/of/one/site", words[200:], "own")]
    with replicadb.open(":memory:") as near:
        near.load(write("crawl.jsonl", "".join(lines)), content=True)
        near.fingerprint("exact", level="text")
        only_pairs(near, clusters="exact")
        rows = near.sql("FROM pages_to_fetch('a.com', 'b.org')")
        assert rows["hosts_with_it"].to_list() == [1, 3]


@pytest.mark.slow
def test_pairs_that_may_be_replicas_with_a_thin_host_are_counted(write):
    """Not those on which somebody decided; and flagged when asked for: then there is no more to be
    judged.
    """
    with replicadb.open(":memory:") as web:
        web.load(write("crawl.csv", "url,fingerprint,ip\n" + THIN))
        counts = web.detect().counts
        likely = web.sql("SELECT count(*) AS n FROM replicas WHERE probability >= 0.2")["n"][0]
        assert counts["too_thin_to_judge"] == likely > 0
        assert web.database.value("SELECT count(*) FROM replicas WHERE flagged") == 0
        assert web.database.column("SELECT DISTINCT kind FROM replicas WHERE kind <> ''") == [
            "thin"
        ]
        one, two = web.sql("FROM replicas ORDER BY rank LIMIT 2").to_dicts()
        web.decide(one["host_a"], one["host_b"], False)
        web.pin(two["host_a"], "never")
        assert only_pairs(web, 5)["too_thin_to_judge"] == likely - 2
        web.database.execute("DELETE FROM decisions")
        web.database.execute("DELETE FROM pins")
        flagged = only_pairs(web, 5, kinds="all", min_probability=0.2)
        assert "too_thin_to_judge" not in flagged
        assert web.database.value("SELECT count(*) FROM replicas WHERE flagged") == likely


SUPPORTED = {
    ("alike3.example", "www.alike3.example"): "replica",
    ("other3.example", "quite.different3.net"): "thin",
    ("alike5.example", "www.alike5.example"): "replica",
    ("other5.example", "quite.different5.net"): "replica",
    ("other.net", "shop.example"): "thin",
}
"""Pairs of so many equal pages as their names say, and two of three; and the kind of each."""


@pytest.fixture(scope="module")
def thin(tmp_path_factory):
    """The database of these, and the notes of its detection."""
    path = tmp_path_factory.mktemp("thin") / "web.duckdb"
    rows = ["url,fingerprint", "http://other.net/more,m"]
    for pair in SUPPORTED:
        pages = 5 if "5" in pair[0] else 3
        rows += [f"http://{host}/{pair[0]}{n},{pair[0]}{n}" for host in pair for n in range(pages)]
    path.with_name("crawl.csv").write_text("\n".join(rows) + "\n")
    with replicadb.open(path) as web:
        web.load(path.with_name("crawl.csv"))
        notes = web.detect(min_probability=0.001).notes
    return path, notes


@pytest.mark.slow
def test_names_support_a_thin_pair(thin):
    """Three pages known of each, all equal; with five the pages support it themselves."""
    with replicadb.open(thin[0], read_only=True) as web:
        found = web.sql("SELECT host_a, host_b, kind, flagged FROM replicas").rows()
    assert {(a, b): kind for a, b, kind, _ in found} == SUPPORTED
    assert all(flagged == (kind == "replica") for *_, kind, flagged in found)


@pytest.mark.slow
def test_of_a_thin_pair_it_is_told_why_and_what_to_fetch(cli, thin, tmp_path):
    path, notes = shutil.copy(thin[0], tmp_path), thin[1]
    said = cli("explain", path, "shop.example", "other.net").out
    with replicadb.open(path) as web:
        held = set(web.database.column("SELECT why FROM held_hosts"))
        copies = copies_text(web.copies_of("shop.example"), 10)
        web.detect(kinds="all", min_probability=0.001)
        flagged = text_of(web.explain("shop.example", "other.net"))
        fetch = web.sql("FROM pages_to_fetch('other.net', 'shop.example')").rows()
    assert any("2 too thin to judge" in n and "pages_to_fetch('HOST_A'" in n for n in notes)
    assert held == {
        "too little is known of the two, or many hosts have what they share, and names differ"
        " (pages_to_fetch, --kinds)"
    }
    assert "too little is known of the two" in said.splitlines()[0]
    assert "FROM pages_to_fetch('other.net', 'shop.example')" in said
    assert "too few known pages to flag" in copies
    assert "are flagged" in flagged and "pages_to_fetch" not in flagged
    assert fetch[0] == ("http://shop.example/more", "http://other.net/more", 1)


@pytest.mark.slow
def test_paths_alone_flag_alike_names_and_nothing_else_and_no_number_is_said(write):
    """Twenty shops of one software, of which two are one shop under two names."""
    shops = [f"shop{'abcdefghijklmnopqrst'[n] * 7}.com" for n in range(20)]
    hosts = [*shops, f"www.{shops[0]}"]
    rows = [f"http://{host}/index.php?id={n}" for host in hosts for n in range(30)]
    rows += [f"http://{host}/{host.removeprefix('www.')}/{n}" for host in hosts for n in range(9)]
    with replicadb.open(":memory:") as web:
        web.load(write("list.csv", "url\n" + "\n".join(rows) + "\n"))
        result = web.detect(candidates="path", min_probability=0.0001)
        flagged = web.sql("SELECT host_a, host_b FROM replicas WHERE flagged").rows()
        assert flagged == [(shops[0], f"www.{shops[0]}")]
        assert not {"estimated_replicas", "expected_wrong_flags"} & set(result.counts)
        assert any(note.startswith("no content was compared") for note in result.notes)
        only_pairs(web, 5, candidates="path", min_probability=0.0001, kinds="all")
        flagged = web.database.value("SELECT count(*) FROM replicas WHERE flagged")
        assert flagged == len(hosts) * (len(hosts) - 1) / 2
