"""What counts as one site: settled by the first load."""

from __future__ import annotations

import pytest

from replicadb.errors import UsageError

from .loaded import rows


@pytest.mark.parametrize(
    ("site", "hosts"),
    [
        ("host", ["a.co.uk", "blog.a.co.uk", "x.github.io"]),
        ("domain", ["a.co.uk", "x.github.io"]),
        ("host+1", ["a.co.uk", "a.co.uk/shop", "blog.a.co.uk", "x.github.io", "x.github.io/p"]),
    ],
)
def test_site_decides_what_counts_as_one_site(web, write, site, hosts):
    web.load(
        write(
            "a.csv",
            "url\nhttp://a.co.uk/\nhttp://a.co.uk/shop/1\nhttp://a.co.uk/shop\n"
            "http://a.co.uk/file?x=/y\nhttp://blog.a.co.uk/\n"
            "http://x.github.io/\nhttp://x.github.io/p/\n",
        ),
        site=site,
    )
    assert [host for (host,) in rows(web, "SELECT host FROM hosts ORDER BY host")] == hosts
    assert rows(
        web,
        "SELECT count(*) FROM pages WHERE url IN ('http://a.co.uk/shop/1',"
        " 'http://x.github.io/p/')",
    ) == [(2,)]


@pytest.mark.slow
def test_one_database_has_one_meaning_of_site(web, write):
    web.load(write("a.csv", "url\nhttp://a.com/\n"), site="domain")
    with pytest.raises(UsageError, match="another database"):
        web.load(write("b.csv", "url\nhttp://b.com/\n"), site="host")
    web.load(write("b.csv", "url\nhttp://www.a.com/\n"))
    assert rows(web, "SELECT host FROM hosts") == [("a.com",)]
