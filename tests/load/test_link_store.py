"""Links: counted once a page in every form of a column; canonical links; what is no link is
counted, never lost.
"""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import replicadb
from replicadb.errors import DataError

from .loaded import outlinks, rows


def targets(web) -> list[str]:
    return [url for _, _, url, _ in outlinks(web)]


def left_out(web, kind: str = "link") -> dict[str, int]:
    return dict(
        rows(
            web, f"SELECT reason, sum(n)::INTEGER FROM link_skips WHERE kind = '{kind}' GROUP BY 1"
        )
    )


@pytest.fixture
def pages(web, tmp_path):
    """Loads pages (url, links, ...) from Parquet and returns the database."""

    def load(*given: dict, **options):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.parquet"
        pq.write_table(pa.Table.from_pylist(list(given)), path)
        web.last = web.load(path, **options)
        return web

    return load


# -- the forms of a table's column
# -------------------------------------------------------------------------

LISTED = ["http://b.com/1", "/2"]
CELLS = [
    (json.dumps(LISTED), 2),
    (json.dumps([{"url": "http://b.com/1", "text": "[x"}, {"href": "/2"}]), 2),
    (str(LISTED), 2),
    (" http://b.com/1\n/2 ", 2),
    ("http://b.com/1|/2", 2),
    ("http://b.com/1, http://b.com/2; http://b.com/3", 3),
    (json.dumps([]), 0),
    ("", 0),
    ("25", 0),
    ("null", 0),
    ("[1, 2]", 0),
    ('{"a": {"b": [1]}}', 0),
    ('[["http://b.com/"]]', 0),
    ('["http://b.com/1", null, 7, {"x": 1}, ["y"]]', 2),
    ('["http://b.com/1", "/2"', 2),
    ("[{[{[", 0),
    ("no list at all", 0),
    ('"', 0),
    ("[]]", 0),
    ("['http://b.com/it''s']", 1),
]


FORMS = ("csv", "tsv", "jsonl", "parquet")


@pytest.fixture(scope="module")
def celled(tmp_path_factory):
    """A database of every cell in every form, on a page of site <form><n>.com. No column's type is
    guessed, so all cells of a form may stand in one file.
    """
    folder = tmp_path_factory.mktemp("cells")
    for form in FORMS:
        path, urls, cells = (
            folder / f"cells.{form}",
            [f"http://{form}{n}.com/d/" for n in range(len(CELLS))],
            [cell for cell, _ in CELLS],
        )
        if form == "parquet":
            pq.write_table(pa.table({"url": urls, "OutLinks": cells}), path)
        elif form == "jsonl":
            path.write_text(
                "".join(
                    json.dumps({"url": url, "out_links": cell}) + "\n"
                    for url, cell in zip(urls, cells, strict=True)
                )
            )
        else:
            comma = "," if form == "csv" else "\t"
            lines = [
                url + comma + '"' + cell.replace('"', '""') + '"\n'
                for url, cell in zip(urls, cells, strict=True)
            ]
            path.write_text(f"url{comma}hrefs\n" + "".join(lines))
    with replicadb.open(tmp_path_factory.mktemp("celled") / "web.duckdb", threads=1) as web:
        assert web.load(folder).kept == len(FORMS) * len(CELLS)
        yield web


@pytest.mark.parametrize("cell", range(len(CELLS)), ids=[cell[:24] or "empty" for cell, _ in CELLS])
@pytest.mark.parametrize("form", FORMS)
def test_a_cell_of_links_is_read_in_every_usual_form_or_its_links_are_counted_as_left_out(
    celled, form, cell
):
    found = [url for host, _, url, _ in outlinks(celled) if host == f"{form}{cell}.com"]
    assert len(found) == CELLS[cell][1], found
    assert all(url.startswith(("http://b.com/", f"http://{form}{cell}.com/")) for url in found)


@pytest.mark.slow
def test_lists_of_parquet_and_json_are_read_as_they_are(web, tmp_path):
    pq.write_table(pa.table({"url": ["http://a.com/"], "links": [LISTED]}), tmp_path / "1.parquet")
    pq.write_table(
        pa.table(
            {"url": ["http://b.com/"], "links": [[{"text": "x", "HREF": link} for link in LISTED]]}
        ),
        tmp_path / "2.parquet",
    )
    pq.write_table(pa.table({"url": ["http://c.com/"], "links": [[1, 2]]}), tmp_path / "3.parquet")
    pq.write_table(pa.table({"url": ["http://d.com/"], "links": [12]}), tmp_path / "4.parquet")
    (tmp_path / "5.jsonl").write_text(json.dumps({"url": "http://e.com/", "links": LISTED}) + "\n")
    (tmp_path / "6.json").write_text(
        json.dumps([{"url": "http://f.com/", "links": [{"url": link} for link in LISTED]}])
    )
    result = web.load(tmp_path)
    assert (result.kept, result.links["link"], result.failed) == (6, 8, [])


def test_another_column_is_named_by_its_role(web, write):
    web.load(write("a.csv", "url,goes\nhttp://a.com/,/x /y\n"), columns={"links": "goes"})
    assert targets(web) == ["http://a.com/x", "http://a.com/y"]


# -- counting
# ----------------------------------------------------------------------------------------------


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


def test_the_same_file_again_with_force_counts_once(web, write):
    file = write("a.csv", "url,links,canonical\nhttp://a.com/,/x,/c\n")
    web.load(file)
    web.load(file, force=True)
    assert [n for *_, n in outlinks(web)] == [1] and rows(web, "SELECT count(*) FROM links") == [
        (1,)
    ]


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


@pytest.mark.parametrize(
    ("site", "from_host", "to_host", "origin", "path"),
    [
        ("host", "www.a.co.uk", "shop.b.co.uk", "http://shop.b.co.uk", "/s/t"),
        ("domain", "a.co.uk", "b.co.uk", "http://shop.b.co.uk", "/s/t"),
        ("host+1", "www.a.co.uk/d", "shop.b.co.uk/s", "http://shop.b.co.uk/s", "/t"),
    ],
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


# -- input that means harm
# ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_hundred_thousand_links_on_one_page_and_a_link_of_a_megabyte(pages):
    odd = (
        [f"HTTP://b.com/{n}" for n in range(50_000)]
        + [f"http://b.com/{n}" for n in range(50_000)]
        + ["http://b.com/" + "y" * 1_000_000]
    )
    web = pages({"url": "http://a.com/", "links": odd})
    assert rows(web, "SELECT count(*), sum(pages)::INTEGER FROM outlinks") == [(50_000, 50_000)]
    assert left_out(web) == {"on its page before": 50_000, "URL too long": 1}


def test_hostile_links_are_data_and_nothing_else(pages):
    evil = [
        "http://x';DROP TABLE urls;--.com/",
        "http://b.com/';DROP TABLE outlinks;--",
        'http://a"b.com/',
        "http://<b>.com/",
        "http://b.com/\x1b[31m",
        "http://b.com/\u202e",
        "!no URL",
        "!scheme mailto",
        "\\\\\\\\",
        "http:\\\\b.com",
        "//",
        "///",
        "http://user:%00@b.com/",
        "http://b.com/%00",
        "h" * 70_000 + ":",
    ]
    web = pages({"url": "http://a.com/", "links": evil})
    found = web.last.links
    assert found["link"] + found["left_out"] == len(evil)
    assert rows(
        web,
        "SELECT count(*) FROM outlinks WHERE regexp_matches(origin || path, '[<> \\x00-\\x1f]')",
    ) == [(0,)]
    assert {"http://a.com/!no%20URL", "http://b.com/"} <= set(targets(web)) or {
        "http://a.com/!no URL"
    } <= set(targets(web))
    assert len(rows(web, "SELECT DISTINCT reason FROM link_skips")) < 8


def test_many_made_up_schemes_are_one_reason(pages):
    web = pages({"url": "http://a.com/", "links": [f"x{n}:y" for n in range(100)]})
    assert sum(left_out(web).values()) == 100 and len(left_out(web)) == 2


# -- told
# --------------------------------------------------------------------------------------------------


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


def test_the_real_crawls_links_are_loaded_and_add_up(web, shared):
    links = web.load(shared / "real/urls.parquet", all_types=True).links
    given = rows(
        web, f"SELECT sum(json_array_length(links))::INTEGER FROM '{shared}/real/urls.parquet'"
    )[0][0]
    assert links["link"] + links["left_out"] == given and links["link"] > 0.9 * given
