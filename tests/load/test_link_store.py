"""Links: counted once a page in every form of a column; canonical links; what is no link is
counted, never lost.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import replicadb
from replicadb.errors import DataError

from .linked import left_out, targets
from .loaded import outlinks, rows

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
"""Of a page of a.com, what it leads to; each is tried on a host of its own."""


def on(n: int, url: str | None) -> str | None:
    return url and url.replace("a.com", f"a{n}.com").replace("A.com", f"A{n}.com")


PAGES = [
    {"url": "http://t.com/1", "links": ["/x", "http://t.com/x#f", "HTTP://T.com/x", "/y/../x"]},
    {"url": "http://t.com/2", "links": ["http://T.com:80/x", "/%C3%A9", "/é"]},
    *(
        {
            "url": f"http://k.com/{path}",
            "status": status,
            "timestamp": time,
            "links": [f"/{said}"],
            "rel_canonical": f"/{said}",
        }
        for path, status, time, said in (
            (1, 404, "2020", "x"),
            (2, 200, "2020", "old"),
            (2, 200, "2021", "new"),
        )
    ),
    *(
        {"url": f"http://a{n}.com/p", "rel_canonical": on(n, canonical)}
        for n, (canonical, _) in enumerate(CANONICALS)
    ),
    {"url": "http://r.com/1", "status": 301, "location": "mailto:x"},
    {"url": "http://r.com/2", "status": 301, "location": "http://b.com:99999/"},
    {"url": "http://r.com/3", "status": 301, "location": "/3"},
    {"url": "http://i.com/", "links": ["mailto:a@b.c"]},
]


@pytest.fixture(scope="module")
def linked(tmp_path_factory):
    """A database of PAGES."""
    path = tmp_path_factory.mktemp("linked") / "pages.parquet"
    names = ("url", "links", "status", "timestamp", "rel_canonical", "location")
    columns = {name: [page.get(name) for page in PAGES] for name in names}
    pq.write_table(pa.table(columns), path)
    with replicadb.open(":memory:") as web:
        web.last = web.load(path)
        yield web


@pytest.mark.slow
def test_a_target_counts_once_a_page_however_often_and_in_whatever_form_it_stands_there(linked):
    assert [(url, n) for host, _, url, n in outlinks(linked) if host == "t.com"] == [
        ("http://t.com/%C3%A9", 1),
        ("http://t.com/x", 2),
    ]
    assert left_out(linked)["on its page before"] == 4


@pytest.mark.slow
def test_only_pages_that_are_kept_give_links_and_of_a_files_captures_the_newest(linked):
    found = [url for host, _, url, _ in outlinks(linked) if host == "k.com"]
    assert found == ["http://k.com/new"]
    of_k = "SELECT to_url FROM links WHERE from_host = 'k.com'"
    assert rows(linked, of_k) == [("http://k.com/new",)]
    assert left_out(linked)["page not kept"] == 2
    assert left_out(linked, "canonical")["page not kept"] == 2


@pytest.mark.slow
def test_a_canonical_link_is_resolved_or_counted(linked):
    """Each on a page of its own, of a host of its own."""
    found = {
        host: rest
        for host, *rest in rows(linked, "SELECT from_host, from_url, to_url, kind FROM links")
        if host.startswith("a")
    }
    for n, (canonical, target) in enumerate(CANONICALS):
        assert found.pop(f"a{n}.com", None) == (
            target and [f"http://a{n}.com/p", on(n, target), "canonical"]
        ), canonical[:20]
    resolved = sum(bool(target) for _, target in CANONICALS)
    assert not found and linked.last.links["canonical"] == resolved + 1
    assert sum(left_out(linked, "canonical").values()) == 2 + sum(
        not target and bool(canonical.strip()) for canonical, target in CANONICALS
    )


@pytest.mark.slow
def test_what_a_redirect_leads_to_and_cannot_is_counted(linked):
    assert left_out(linked, "redirect") == {
        "scheme mailto is not http or https": 1,
        "impossible host or port in URL": 1,
    }


def test_info_counts_a_redirect_and_a_canonical_link_once_though_two_loads_have_it(web, write):
    columns = "url,status,redirect,canonical\n"
    leads = "http://a.com/old,301,http://a.com/new,\nhttp://a.com/p,200,,http://b.com/p\n"
    web.load(write("1.csv", columns + leads))
    web.load(write("2.csv", columns + leads + "http://a.com/old,301,http://a.com/newer,\n"))
    assert web.database.value("SELECT count(*) FROM links") == 5
    assert (web.info()["redirects"], web.info()["canonicals"]) == (2, 1)


@pytest.mark.slow
def test_info_tells_links_of_each_kind_and_what_was_left_out(linked):
    facts = linked.info()
    assert (facts["redirects"], facts["canonicals"], facts["outlinks"]) == (1, 5, 4)
    reasons = {
        row["reason"]: row["n"] for row in facts["link_skip_reasons"] if row["kind"] == "link"
    }
    expected = {"on its page before": 4, "page not kept": 2, "scheme mailto": 1}
    assert reasons == left_out(linked) == expected


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


def test_a_database_from_before_there_were_links_is_refused_in_one_line(tmp_path):
    with replicadb.open(tmp_path / "old.duckdb") as web:
        web.database.execute("UPDATE meta SET value = '1' WHERE key = 'schema_version'")
    with pytest.raises(DataError, match=r"older replicadb .* load the crawl into a new file"):
        replicadb.open(tmp_path / "old.duckdb")


@pytest.mark.slow
def test_the_real_crawls_links_and_titles_are_loaded_and_add_up(web, shared):
    links = web.load(shared / "real/urls.parquet", all_types=True).links
    given = rows(
        web, f"SELECT sum(json_array_length(links))::INTEGER FROM '{shared}/real/urls.parquet'"
    )[0][0]
    assert links["link"] + links["left_out"] == given and links["link"] > 0.9 * given
    stored = web.database.value("SELECT count(title) FROM urls")
    given = web.database.value(
        f"SELECT count(DISTINCT url) FROM '{shared}/real/urls.parquet' WHERE trim(title) NOT IN"
        " ('', '-')"
    )
    assert 0.99 * given <= stored <= given and stored > 1000
