"""Links: counted once a page in every form of a column; canonical links; what is no link is
counted, never lost.
"""

from __future__ import annotations

import pytest
from conftest import rest_slow

import replicadb
from replicadb.errors import DataError

from .linked import left_out, targets
from .loaded import outlinks, rows


@pytest.mark.slow
def test_a_target_counts_once_a_page_however_often_and_in_whatever_form_it_stands_there(pages):
    web = pages(
        {"url": "http://a.com/1", "links": ["/x", "http://a.com/x#f", "HTTP://A.com/x", "/y/../x"]},
        {"url": "http://a.com/2", "links": ["http://A.com:80/x", "/%C3%A9", "/é"]},
    )
    assert [(url, n) for _, _, url, n in outlinks(web)] == [
        ("http://a.com/%C3%A9", 1),
        ("http://a.com/x", 2),
    ]
    assert left_out(web) == {"on its page before": 4}


@pytest.mark.slow
def test_only_pages_that_are_kept_give_links_and_of_a_files_captures_the_newest(pages):
    web = pages(
        {
            "url": "http://a.com/1",
            "status": 404,
            "timestamp": "2020",
            "links": ["/x"],
            "canonical": "/c",
        },
        {
            "url": "http://a.com/2",
            "status": 200,
            "timestamp": "2020",
            "links": ["/old"],
            "canonical": "/old",
        },
        {
            "url": "http://a.com/2",
            "status": 200,
            "timestamp": "2021",
            "links": ["/new"],
            "canonical": "/new",
        },
    )
    assert targets(web) == ["http://a.com/new"]
    assert rows(web, "SELECT to_url FROM links") == [("http://a.com/new",)]
    assert left_out(web) == {"page not kept": 2} and left_out(web, "canonical") == {
        "page not kept": 2
    }


@pytest.mark.slow
def test_captures_in_two_sources_both_count_and_unload_takes_one_out_exactly(pages):
    web = pages({"url": "http://a.com/1", "links": ["/x", "/y"]}, label="first")
    pages(
        {"url": "http://a.com/1", "links": ["/x", "http://c.com/"], "canonical": "http://c.com/"},
        {"url": "http://b.com/", "links": ["mailto:x"]},
        label="second",
    )
    assert rows(web, "SELECT path, sum(pages)::INTEGER FROM outlinks GROUP BY 1 ORDER BY 1") == [
        ("/", 1),
        ("/x", 2),
        ("/y", 1),
    ]
    web.unload("second")
    assert targets(web) == ["http://a.com/x", "http://a.com/y"]
    assert (
        rows(
            web,
            "SELECT * FROM links UNION ALL SELECT source_id, '', '', '', '', kind FROM link_skips",
        )
        == []
    )


@pytest.mark.slow
def test_the_same_file_again_with_force_counts_once(web, write):
    file = write("a.csv", "url,links,canonical\nhttp://a.com/,/x,/c\n")
    web.load(file)
    web.load(file, force=True)
    assert [n for *_, n in outlinks(web)] == [1] and rows(web, "SELECT count(*) FROM links") == [
        (1,)
    ]


@pytest.mark.slow
def test_no_links_leaves_out_links_out_and_keeps_the_rest(web, write):
    result = web.load(
        write(
            "a.csv",
            "url,links,canonical,status,redirect\nhttp://a.com/,/x,/c,200,\n"
            "http://a.com/2,,,301,/d\n",
        ),
        links=False,
    )
    assert (targets(web), result.links) == (
        [],
        {"redirect": 1, "canonical": 1, "link": 0, "left_out": 0},
    )
    assert rows(web, "SELECT kind, to_url FROM links ORDER BY kind") == [
        ("canonical", "http://a.com/c"),
        ("redirect", "http://a.com/d"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("site", "from_host", "to_host", "origin", "path"),
    rest_slow(
        [
            ("domain", "a.co.uk", "b.co.uk", "http://shop.b.co.uk", "/s/t"),
            ("host", "www.a.co.uk", "shop.b.co.uk", "http://shop.b.co.uk", "/s/t"),
            ("host+1", "www.a.co.uk/d", "shop.b.co.uk/s", "http://shop.b.co.uk/s", "/t"),
        ]
    ),
)
def test_sites_are_what_site_says(web, write, site, from_host, to_host, origin, path):
    web.load(
        write(
            "a.csv",
            "url,links,canonical,status,redirect\n"
            "http://www.a.co.uk/d/p,http://shop.b.co.uk/s/t,//shop.b.co.uk/s/t,200,\n"
            "http://www.a.co.uk/d/q,,,302,http://shop.b.co.uk/s/t\n",
        ),
        site=site,
    )
    assert rows(
        web, "SELECT host, to_host, origin, path, pages FROM outlinks JOIN hosts USING (host_id)"
    ) == [(from_host, to_host, origin, path, 1)]
    assert rows(web, "SELECT DISTINCT from_host, to_host, to_url FROM links") == [
        (from_host, to_host, "http://shop.b.co.uk/s/t")
    ]
    assert rows(web, "SELECT kind FROM links ORDER BY 1") == [("canonical",), ("redirect",)]


@pytest.mark.slow
def test_links_inside_a_site_join_its_urls(pages):
    web = pages(
        {"url": "http://a.com/d/1", "links": ["2", "3"]},
        {"url": "http://a.com/d/2", "links": ["/d/1"]},
        site="host+1",
    )
    assert rows(
        web,
        "SELECT path FROM outlinks JOIN hosts USING (host_id) JOIN origins USING (origin) JOIN urls"
        " USING (origin_id, path) WHERE to_host = host ORDER BY 1",
    ) == [("/1",), ("/2",)]


CANONICALS = [
    ("http://A.com/x#f", "http://a.com/x"),
    ("/c", "http://a.com/c"),
    ("", None),
    (" ", None),
    ("http://a.com/p", "http://a.com/p"),
    ("//münchen.de", "http://xn--mnchen-3ya.de/"),
    ("javascript:x", None),
    ("http://" + "x" * 100_000, None),
    ("#", None),
]


@pytest.mark.slow
def test_a_canonical_link_is_resolved_or_counted(pages):
    """Each on a page of its own, of a host of its own."""
    on = lambda n, url: url and url.replace("a.com", f"a{n}.com").replace("A.com", f"A{n}.com")
    web = pages(
        *(
            {"url": f"http://a{n}.com/p", "rel_canonical": on(n, canonical)}
            for n, (canonical, _) in enumerate(CANONICALS)
        )
    )
    found = {
        host: rest
        for host, *rest in rows(web, "SELECT from_host, from_url, to_url, kind FROM links")
    }
    for n, (canonical, target) in enumerate(CANONICALS):
        assert found.pop(f"a{n}.com", None) == (
            target and [f"http://a{n}.com/p", on(n, target), "canonical"]
        ), canonical[:20]
    assert not found and web.last.links["canonical"] == sum(
        bool(target) for _, target in CANONICALS
    )
    assert sum(left_out(web, "canonical").values()) == sum(
        not target and bool(canonical.strip()) for canonical, target in CANONICALS
    )


@pytest.mark.slow
def test_what_a_redirect_leads_to_and_cannot_is_counted(web, write):
    web.load(
        write(
            "a.csv",
            "url,status,location\nhttp://a.com/1,301,mailto:x\n"
            "http://a.com/2,301,http://b.com:99999/\n",
        )
    )
    assert left_out(web, "redirect") == {
        "scheme mailto is not http or https": 1,
        "impossible host or port in URL": 1,
    }


@pytest.mark.slow
def test_info_tells_links_of_each_kind_and_what_was_left_out(web, write):
    web.load(
        write(
            "a.csv", "url,links,canonical\nhttp://a.com/,/x mailto:a@b.c,/c\nhttp://a.com/2,/x,\n"
        )
    )
    facts = web.info()
    assert (facts["redirects"], facts["canonicals"], facts["outlinks"]) == (0, 1, 2)
    assert facts["link_skip_reasons"] == [{"kind": "link", "reason": "scheme mailto", "n": 1}]


def test_a_database_from_before_there_were_links_is_refused_in_one_line(tmp_path):
    with replicadb.open(tmp_path / "old.duckdb") as web:
        web.database.execute("UPDATE meta SET value = '1' WHERE key = 'schema_version'")
    with pytest.raises(DataError, match=r"older replicadb .* load the crawl into a new file"):
        replicadb.open(tmp_path / "old.duckdb")


@pytest.mark.slow
def test_the_real_crawls_links_are_loaded_and_add_up(web, shared):
    links = web.load(shared / "real/urls.parquet", all_types=True).links
    given = rows(
        web, f"SELECT sum(json_array_length(links))::INTEGER FROM '{shared}/real/urls.parquet'"
    )[0][0]
    assert links["link"] + links["left_out"] == given and links["link"] > 0.9 * given
