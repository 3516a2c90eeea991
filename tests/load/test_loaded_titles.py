"""Titles of pages: from tables, WAT envelopes and HTML in one form; a load taken out takes its
titles along; bad ones stop nothing.
"""

from __future__ import annotations

import importlib.util
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import replicadb
from replicadb.web.html_links import page_links

parsed = pytest.mark.skipif(
    importlib.util.find_spec("selectolax") is None, reason="needs selectolax"
)
BLANK = "".join(
    map(
        chr,
        [
            *range(0x21),
            *range(0x7F, 0xA1),
            0x1680,
            *range(0x2000, 0x200B),
            0x2028,
            0x2029,
            0x202F,
            0x205F,
            0x3000,
            0xFEFF,
        ],
    )
)


def record(
    kind: str, block: bytes, content_type: str, *more: str, url: str = "http://a.com/"
) -> bytes:
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Target-URI: {url}",
        *(more or ["WARC-Date: 2020-01-01T00:00:00Z"]),
        f"Content-Type: {content_type}",
        f"Content-Length: {len(block)}",
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def response(body: str, url: str = "http://a.com/") -> bytes:
    return record(
        "response",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body.encode(),
        "application/http; msgtype=response",
        url=url,
    )


def envelope(head: object, url: str) -> bytes:
    http = {
        "Response-Message": {"Status": "200"},
        "HTML-Metadata": {"Head": head},
        "Headers": {"Content-Type": "text/html"},
    }
    payload = {
        "Envelope": {
            "WARC-Header-Metadata": {"WARC-Type": "response", "WARC-Target-URI": url},
            "Payload-Metadata": {"HTTP-Response-Metadata": http},
        }
    }
    return record("metadata", json.dumps(payload).encode(), "application/json", url=url)


def titles(web) -> dict[str, str | None]:
    return dict(web.database.rows("SELECT url, title FROM pages"))


def reference(title: str | None) -> str | None:
    """What is stored of a title, a character at a time."""
    kept = "".join(" " if c in BLANK else c for c in title or "")
    kept = " ".join(filter(None, kept.split(" ")))[:300].strip(" ")
    return kept if kept not in ("", "-") else None


# -- tables
# ------------------------------------------------------------------------------------------------


LISTS = [["First", "second"], [], [None, "x"], [7], {"a": "b"}, 12, True, None, [["x"]]]
OF_LISTS = ["First", None, None, None, None, "12", "true", None, None]
"""In a file of JSON lines, what stands where a title should be, and what becomes of it."""
COLUMNS = [
    (pa.array([["First", "second"]]), "First"),
    (pa.array([[]], pa.list_(pa.string())), None),
    (pa.array([[1, 2]]), None),
    (pa.array([[{"a": "b"}]]), None),
    (pa.array([b"Bytes"]), "Bytes"),
    (pa.array([12]), "12"),
    (pa.array([{"lang": "en"}]), None),
    (pa.array(["d"]).dictionary_encode(), "d"),
]


def named_columns(folder) -> dict[str, str | None]:
    """Tables whose columns are known by their name, or are not; the title of each URL."""
    found: dict[str, str | None] = {"http://a.com/headline": None}
    (folder / "b.csv").write_text("url,headline\nhttp://a.com/headline,News\n")
    for name in ("title", "Page_Title", "html_title", "content_title"):
        for form in ("csv", "tsv", "jsonl", "parquet") if name == "title" else ("csv",):
            url, path = f"http://a.com/{name}/{form}", folder / f"{name}.{form}"
            found[url] = "A title"
            given = {"url": url, name: "  A \t title  "}
            between = "," if form == "csv" else "\t"
            if form == "parquet":
                pq.write_table(pa.Table.from_pylist([given]), path)
            elif form == "jsonl":
                path.write_text(json.dumps(given) + "\n")
            else:
                path.write_text(
                    between.join(given) + "\n" + between.join((url, '" A   title "')) + "\n"
                )
    return found


@pytest.fixture(scope="module")
def columned(tmp_path_factory):
    """The titles of a load of many tables, and those of named_columns."""
    folder = tmp_path_factory.mktemp("columns")
    named = named_columns(folder)
    for n, (column, _) in enumerate(COLUMNS):
        pq.write_table(
            pa.table({"url": [f"http://c.com/{n}"], "title": column}), folder / f"{n}.parquet"
        )
    (folder / "x.jsonl").write_text(
        "".join(
            json.dumps({"url": f"http://l.com/{n}", "title": title}) + "\n"
            for n, title in enumerate(LISTS)
        )
    )
    with replicadb.open(":memory:") as web:
        result = web.load(folder)
        assert (result.kept, result.rejected) == (len(named) + len(COLUMNS) + len(LISTS), 0)
        yield titles(web), named


@pytest.mark.slow
def test_a_column_of_titles_is_known_by_its_name_in_every_form(columned):
    found, named = columned
    assert {url: title for url, title in found.items() if "a.com" in url} == named


@pytest.mark.slow
def test_lists_and_numbers_where_a_title_should_be(columned):
    assert [columned[0][f"http://l.com/{n}"] for n in range(len(LISTS))] == OF_LISTS


@pytest.mark.slow
def test_parquet_columns_of_other_types(columned):
    for n, (_, title) in enumerate(COLUMNS):
        assert columned[0][f"http://c.com/{n}"] == title, n


@pytest.mark.slow
def test_another_column_is_named_by_its_role(web, write):
    web.load(write("a.csv", "url,headline\nhttp://a.com/,News\n"), columns={"title": "headline"})
    assert titles(web) == {"http://a.com/": "News"}


@pytest.mark.slow
def test_a_title_is_stored_as_a_reference_says(web, tmp_path):
    """Of titles with each blank, and of some drawn from blanks, letters of all scripts, and long
    runs.
    """
    draw, drawn = random.Random(1), [f"a{blank}b" for blank in BLANK]
    for _ in range(600):
        letters = [chr(draw.randrange(0xD800)) for _ in range(3)]
        some = draw.choices([*"ab-<é", *BLANK, *letters], k=draw.randrange(12))
        drawn += [None, "".join(some), "".join(draw.choices("a \n", k=8)) * draw.randint(1, 80)]
    urls = [f"http://a.com/{n}" for n in range(len(drawn))]
    pq.write_table(
        pa.table({"url": urls, "title": pa.array(drawn, pa.string())}), tmp_path / "crawl.parquet"
    )
    web.load(tmp_path / "crawl.parquet")
    assert titles(web) == dict(zip(urls, map(reference, drawn), strict=True))


HOSTILE = [
    "x" * 1_000_000,
    " " * 1_000_000 + "end",
    "a\0b",
    "\0",
    "<script>alert(1)</script>",
    "';DROP TABLE urls;--",
    '"',
    "{",
    "[1, 2]",
    "é" * 400,
    "\u202eevil",
    "-",
    "&amp;",
]


@pytest.mark.slow
def test_hostile_titles_are_data_and_nothing_else(web, tmp_path):
    for form in ("csv", "jsonl", "parquet"):
        path, given = (
            tmp_path / f"x.{form}",
            [{"url": f"http://{form}.com/{n}", "title": title} for n, title in enumerate(HOSTILE)],
        )
        if form == "parquet":
            pq.write_table(pa.Table.from_pylist(given), path)
        elif form == "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in given))
        else:
            path.write_text(
                "url,title\n"
                + "".join(
                    '{},"{}"\n'.format(row["url"], row["title"].replace('"', '""')) for row in given
                )
            )
    result = web.load(*tmp_path.glob("x.*"))
    assert (result.sources, result.kept, result.rejected) == (3, 3 * len(HOSTILE), 0)
    assert titles(web) == {
        f"http://{form}.com/{n}": reference(title)
        for form in ("csv", "jsonl", "parquet")
        for n, title in enumerate(HOSTILE)
    }


# -- archives
# ----------------------------------------------------------------------------------------------


PAGES = [
    ("<title> A &amp; <b>x</b>\n y</title>", "A & <b>x</b> y"),
    ("<svg><g><title>no</title></g></svg><TITLE lang=en>yes</TITLE>", "yes"),
    ("<p>none", None),
    ("<title></title><title>second</title>", None),
    ("<title>a\0b</title>", "a\ufffdb"),
    ("<title>open", "open"),
    ("<!-- <title>no</title> --><title>yes</title>", "yes"),
    ("<title>" + "x" * 1_000_000, "x" * 300),
    ("<title>" * 100_000, "<title>" * 42 + "<title"),
    ("<title>&#xd800;&#0;</title>", "\ufffd\ufffd"),
    ("<svg><title>no", None),
    ("<title>" + " \n" * 100_000 + "end</title>", "end"),
]


@parsed
def test_a_page_of_very_many_tags_has_its_title_and_its_charset():
    assert (
        page_links(
            b"<title>T\xe9</title><svg><title>no</title></svg>" + b"<p>" * 20_000,
            "text/html; charset=latin-1",
        ).title
        == "Té"
    )


HEADS = [
    ({"Title": " A &amp; B\r\n"}, "A & B"),
    ({"Title": ["x"]}, None),
    ({"Title": None}, None),
    ({}, None),
    ({"Title": "\ud800x"}, "?x"),
    ({"Title": "\0"}, None),
    ({"Title": "x" * 1_000_000}, "x" * 300),
    ({"Title": "&#xd800;" * 9}, "\ufffd" * 9),
    ([], None),
]


@pytest.mark.parametrize("links", [pytest.param(True, marks=parsed), None, False])
def test_titles_of_a_wat_are_always_read_and_those_of_a_warc_where_its_html_is(
    web, tmp_path, links
):
    (tmp_path / "x.wat").write_bytes(
        b"".join(envelope(head, f"http://a.com/{n}") for n, (head, _) in enumerate(HEADS))
    )
    (tmp_path / "x.warc").write_bytes(
        b"".join(response(html, f"http://b.com/{n}") for n, (html, _) in enumerate(PAGES))
    )
    assert web.load(*tmp_path.glob("x.wa*"), links=links).kept == len(HEADS) + len(PAGES)
    found = titles(web)
    for n, (head, title) in enumerate(HEADS):
        assert found[f"http://a.com/{n}"] == title, str(head)[:40]
    for n, (html, title) in enumerate(PAGES):
        assert found[f"http://b.com/{n}"] == (title if links else None), html[:40]


# -- captures
# ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_newest_capture_has_the_title_and_unload_brings_the_old_one_back(web, write):
    first = write(
        "a.csv", "url,timestamp,title\nhttp://a.com/,2020,Old\nhttp://a.com/2,2020,Kept\n"
    )
    second = write(
        "b.csv", "url,timestamp,title\nhttp://a.com/,2021,New\nhttp://a.com/2,2019,Older\n"
    )
    web.load(first, second)
    assert titles(web) == {"http://a.com/": "New", "http://a.com/2": "Kept"}
    web.unload(str(second))
    assert titles(web) == {"http://a.com/": "Old", "http://a.com/2": "Kept"}
