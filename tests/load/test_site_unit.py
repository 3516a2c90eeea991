"""What counts as one site: settled by the first load.

Tries link_store, too.
"""

from __future__ import annotations

import contextlib

import pytest
from conftest import rest_slow

import replicadb
from replicadb.errors import UsageError

from .loaded import rows

CRAWL = """url,links,canonical,status,redirect
http://a.co.uk/,,,200,
http://a.co.uk/shop/1,,,200,
http://a.co.uk/shop,,,200,
http://a.co.uk/file?x=/y,,,200,
http://blog.a.co.uk/,,,200,
http://x.github.io/,,,200,
http://x.github.io/p/,,,200,
http://www.from.co.uk/d/p,http://shop.b.co.uk/s/t,//shop.b.co.uk/s/t,200,
http://www.from.co.uk/d/q,,,302,http://shop.b.co.uk/s/t
http://in.com/d/1,/d/2 /d/3,,200,
http://in.com/d/2,/d/1,,200,
"""


@pytest.fixture(scope="module")
def of_site(tmp_path_factory):
    """A database of CRAWL by what a site is."""
    path, made = tmp_path_factory.mktemp("sites") / "a.csv", {}
    path.write_text(CRAWL)

    def loaded(site):
        if site not in made:
            made[site] = opened.enter_context(replicadb.open(":memory:"))
            made[site].load(path, site=site)
        return made[site]

    with contextlib.ExitStack() as opened:
        yield loaded


@pytest.mark.parametrize(
    ("site", "hosts"),
    [
        ("host", ["a.co.uk", "blog.a.co.uk", "x.github.io", "in.com", "www.from.co.uk"]),
        ("domain", ["a.co.uk", "x.github.io", "in.com", "from.co.uk"]),
        (
            "host+1",
            [
                *("a.co.uk", "a.co.uk/shop", "blog.a.co.uk", "x.github.io", "x.github.io/p"),
                *("in.com/d", "www.from.co.uk/d"),
            ],
        ),
    ],
)
def test_site_decides_what_counts_as_one_site(of_site, site, hosts):
    web = of_site(site)
    assert web.database.column("SELECT host FROM hosts ORDER BY host") == sorted(hosts)
    assert rows(
        web,
        "SELECT count(*) FROM pages WHERE url IN ('http://a.co.uk/shop/1',"
        " 'http://x.github.io/p/')",
    ) == [(2,)]


@pytest.mark.parametrize(
    ("site", "from_host", "to_host", "origin", "path"),
    rest_slow(
        [
            ("domain", "from.co.uk", "b.co.uk", "http://shop.b.co.uk", "/s/t"),
            ("host", "www.from.co.uk", "shop.b.co.uk", "http://shop.b.co.uk", "/s/t"),
            ("host+1", "www.from.co.uk/d", "shop.b.co.uk/s", "http://shop.b.co.uk/s", "/t"),
        ]
    ),
)
def test_links_lead_to_what_counts_as_one_site(of_site, site, from_host, to_host, origin, path):
    web = of_site(site)
    found = rows(
        web, "SELECT host, to_host, origin, path, pages FROM outlinks JOIN hosts USING (host_id)"
    )
    between = [link for link in found if "in.com" not in link[0]]
    assert between == [(from_host, to_host, origin, path, 1)]
    # Links inside a site join its URLs.
    inside = rows(
        web,
        "SELECT path FROM outlinks JOIN hosts USING (host_id) JOIN origins USING (origin) JOIN urls"
        " USING (origin_id, path) WHERE to_host = host ORDER BY 1",
    )
    above = "" if site == "host+1" else "/d"
    assert inside == [(f"{above}/1",), (f"{above}/2",)]
    assert rows(web, "SELECT DISTINCT from_host, to_host, to_url FROM links") == [
        (from_host, to_host, "http://shop.b.co.uk/s/t")
    ]
    assert rows(web, "SELECT kind FROM links ORDER BY 1") == [("canonical",), ("redirect",)]


@pytest.mark.slow
def test_one_database_has_one_meaning_of_site(web, write):
    web.load(write("a.csv", "url\nhttp://a.com/\n"), site="domain")
    with pytest.raises(UsageError, match="another database"):
        web.load(write("b.csv", "url\nhttp://b.com/\n"), site="host")
    web.load(write("b.csv", "url\nhttp://www.a.com/\n"))
    assert rows(web, "SELECT host FROM hosts") == [("a.com",)]
