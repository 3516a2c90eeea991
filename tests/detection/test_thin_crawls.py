"""Where a crawl is too thin to judge, it is said, and what to fetch."""

from __future__ import annotations

import pytest

import replicadb

THIN = "".join(
    f"http://{host}.{suffix}/{page},{page}{n if page == 'one' else host},192.0.2.{n % 200}\n"
    for n in range(40)
    for suffix in ("com", "org")
    for host in (f"site{n}x{'a' if suffix == 'com' else 'q'}",)
    for page in ("one", "two")
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
        web.detect()
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


@pytest.mark.slow
def test_pairs_that_may_be_replicas_with_a_thin_host_are_counted(write):
    with replicadb.open(":memory:") as web:
        web.load(write("crawl.csv", "url,fingerprint,ip\n" + THIN))
        counts = web.detect().counts
        wanted = web.sql(
            "SELECT count(*) AS n FROM replicas WHERE probability >= 0.2 AND NOT flagged"
        )["n"][0]
        assert counts["too_thin_to_judge"] == wanted > 0
        assert "too_thin_to_judge" not in web.detect(method="paper").counts
