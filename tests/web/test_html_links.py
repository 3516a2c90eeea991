"""Links of archived pages: in WAT envelopes, in HTML bodies, in HTTP headers; bad markup costs no
more than itself.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import time

import pytest

import replicadb
from replicadb.errors import UsageError
from replicadb.web.html_links import header_canonical, is_html, page_links

HTML = b"""<!doctype html><head><base href=/d/><link rel=stylesheet href=s.css><LINK
REL="x CANONICAL" HREF="/main?a=1&amp;b=2"></head>
<p><a href="one">1</a> <A HREF='/tw
o'>2</A> <map><area href=//b.com/3></map> <a name=x>none</a> <a href>empty</a><img
src=i.png><!-- <a href=no> -->
<script>document.write('<a href=no>')</script><a title="<a href='no'>"
href="http://b.com/4#f">4</a>"""
parsed = pytest.mark.skipif(
    importlib.util.find_spec("selectolax") is None, reason="needs selectolax"
)


def record(
    kind: str, url: str, block: bytes, content_type: str = "application/http; msgtype=response"
) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date:"
        f" 2020-01-01T00:00:00Z\r\nContent-Type: {content_type}\r\nContent-Length:"
        f" {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def response(url: str, body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", *(headers or ["Content-Type: text/html"])]
    return record("response", url, "\r\n".join(lines).encode() + b"\r\n\r\n" + body)


def envelope(url: str, html: object, headers: dict | None = None) -> bytes:
    told = {
        "Envelope": {
            "WARC-Header-Metadata": {
                "WARC-Type": "response",
                "WARC-Target-URI": url,
                "WARC-Date": "2020-01-01T00:00:00Z",
            },
            "Payload-Metadata": {
                "HTTP-Response-Metadata": {
                    "Response-Message": {"Status": "200"},
                    "HTML-Metadata": html,
                    "Headers": {"Content-Type": "text/html"} | (headers or {}),
                }
            },
        }
    }
    return record("metadata", url, json.dumps(told).encode(), "application/json")


def loaded(tmp_path, *records: bytes, name: str = "x.warc", **options) -> tuple[list, list, dict]:
    """Targets with their pages, links, and what was left out."""
    (tmp_path / name).write_bytes(b"".join(records))
    with replicadb.open(tmp_path / f"{len(list(tmp_path.iterdir()))}.duckdb") as web:
        result = web.load(tmp_path / name, **options)
        assert not result.failed and result.kept == sum(
            b"200" in r or b"metadata" in r for r in records
        )
        rows = web.database.rows
        return (
            rows("SELECT origin || path, pages FROM outlinks ORDER BY 1"),
            rows("SELECT from_url, to_url, kind FROM links ORDER BY ALL"),
            dict(rows("SELECT kind || ': ' || reason, n FROM link_skips")),
        )


FOUND = [
    ("http://a.com/d/one", 1),
    ("http://a.com/two", 1),
    ("http://b.com/3", 1),
    ("http://b.com/4", 1),
]
CANONICAL = [("http://a.com/x/y", "http://a.com/main?a=1&b=2", "canonical")]


@pytest.mark.slow
@parsed
def test_links_of_a_page_in_a_warc_are_read_when_asked_for(tmp_path):
    bodies = [
        (HTML, []),
        (gzip.compress(HTML), ["Content-Type: text/html; charset=utf-8", "Content-Encoding: gzip"]),
        (HTML, ["Server: x"]),
        (
            b"%x\r\n%s\r\n0\r\n\r\n" % (len(HTML), HTML),
            ["Content-Type: TEXT/HTML", "Transfer-Encoding: chunked"],
        ),
    ]
    warc = [
        response(f"http://a{n}.com/x/y", body, *headers) for n, (body, headers) in enumerate(bodies)
    ]
    found = sorted(
        (url.replace("a.com", f"a{n}.com"), pages)
        for n in range(len(bodies))
        for url, pages in FOUND
    )
    canonical = [
        tuple(part.replace("a.com", f"a{n}.com") for part in link)
        for n in range(len(bodies))
        for link in CANONICAL
    ]
    assert loaded(tmp_path, *warc, links=True) == (found, canonical, {})
    assert loaded(tmp_path, *warc) == loaded(tmp_path, *warc, links=False) == ([], [], {})


@pytest.mark.slow
@parsed
def test_links_of_a_page_in_an_arc_are_read_too(tmp_path):
    block = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + HTML
    version = b"1 0 x\nURL IP-address Archive-date Content-type Archive-length\n"
    arc = b"filedesc://x 0.0.0.0 20200101000000 text/plain %d\n%s\n" % (
        len(version),
        version,
    ) + b"http://a.com/x/y 192.0.2.1 20200102000000 text/html %d\n%s\n" % (len(block), block)
    (tmp_path / "x.arc").write_bytes(arc)
    with replicadb.open("web.duckdb") as web:
        web.load(tmp_path / "x.arc", links=True)
        assert web.database.rows("SELECT origin || path, pages FROM outlinks ORDER BY 1") == FOUND


@pytest.mark.slow
@parsed
def test_reading_links_changes_nothing_else(tmp_path):
    (tmp_path / "x.warc").write_bytes(
        response("http://a.com/1", HTML)
        + response("http://a.com/2", b"\x89PNG", "Content-Type: image/png")
        + response("http://a.com/3", b"", "Location: /1", status="301 Moved")
        + response("http://a.com/4", HTML)[:-99]
    )
    found = []
    for links in (None, True):
        with replicadb.open(f"{links}.duckdb") as web:
            web.load(tmp_path / "x.warc", links=links)
            found.append(
                [
                    web.database.rows(f"SELECT * EXCLUDE ({gone}) FROM {table} ORDER BY ALL")
                    for table, gone in (
                        ("urls", "source_id"),
                        ("rejects", "source_id"),
                        ("skips", "source_id"),
                        ("sources", "seconds, loaded_at"),
                    )
                ]
            )
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_canonical_link_in_the_http_header_is_always_taken(tmp_path):
    header = (
        'Link: <http://b.com/a,b>; title="x; rel=canonical", </p,q>; title="a,b" ; REL="foo'
        ' Canonical"'
    )
    warc = response(
        "http://a.com/x",
        b"%PDF",
        "Content-Type: application/pdf",
        "Link: </s.css>; rel=preload",
        header,
    )
    assert loaded(tmp_path, warc, links=False) == (
        [],
        [("http://a.com/x", "http://a.com/p,q", "canonical")],
        {},
    )


@pytest.mark.slow
@parsed
def test_the_pages_canonical_link_goes_before_its_headers(tmp_path):
    warc = response(
        "http://a.com/x/y", HTML, "Content-Type: text/html", "Link: </other>; rel=canonical"
    )
    assert loaded(tmp_path, warc, links=True)[1] == CANONICAL


@pytest.mark.parametrize(
    "value",
    [
        "",
        "canonical",
        "<>",
        "<http://b.com/>; rel=next",
        "<" * 50_000 + "canonical",
        "<a>;" + '"' * 50_000 + "canonical",
        '<a>; rel="canonical',
        ";;rel=canonical<",
    ],
)
def test_a_broken_link_header_is_no_link(value):
    assert header_canonical(f"HTTP/1.1 200 OK\r\nLink: {value}\r\n\r\n".encode()) in (None, "a")


WAT_LINKS = [
    {"path": "A@/href", "url": "one", "text": "1"},
    {"path": "AREA@/href", "url": "//b.com/3"},
    {"path": "IMG@/src", "url": "i.png"},
    {"path": "A@/href", "url": "/tw\no"},
    {"path": "A@/href", "url": "http://b.com/4#f"},
    {"path": "A@/href"},
    {"url": "z"},
    "no",
    None,
    {"path": ["A@/href"], "url": "z"},
    {"path": "A@/href", "url": 7},
]
WAT_HEAD = {
    "Base": "/d/",
    "Link": [
        {"path": "LINK@/href", "rel": "stylesheet", "url": "s"},
        {"rel": "canonical", "url": "/main?a=1&b=2"},
        {"rel": "canonical", "url": "/second"},
    ],
}


@pytest.mark.slow
def test_links_of_a_wat_are_read_unless_they_are_not_wanted(tmp_path):
    wat = envelope("http://a.com/x/y", {"Head": WAT_HEAD, "Links": WAT_LINKS})
    assert loaded(tmp_path, wat) == (FOUND, CANONICAL, {})
    assert loaded(tmp_path, wat, links=False) == ([], CANONICAL, {})


@pytest.mark.slow
def test_a_wat_of_another_shape_gives_a_page_without_links(tmp_path):
    shapes = [
        None,
        [],
        "x",
        {"Head": 3, "Links": {"a": 1}},
        {"Head": {"Link": {"rel": "canonical"}, "Base": ["x"]}, "Links": [[]]},
        {
            "Head": {
                "Link": [{"rel": ["canonical"], "url": "x"}, {"rel": "canonical", "url": None}],
                "Base": " ",
            },
            "Links": None,
        },
    ]
    assert loaded(
        tmp_path, *(envelope(f"http://a.com/{n}", html) for n, html in enumerate(shapes))
    ) == ([], [], {})


@pytest.mark.slow
def test_half_characters_and_nul_bytes_in_a_wat_stop_nothing(tmp_path):
    wat = envelope(
        "http://a.com/",
        {
            "Head": {"Base": "\ud800"},
            "Links": [
                {"path": "A@/href", "url": url}
                for url in ("http://b.com/\ud800", "http://b.com/\0", "x" * 100_000)
            ],
        },
    )
    targets, _, left = loaded(tmp_path, wat)
    assert targets == [("http://b.com/?", 1)] and sum(left.values()) == 2


@pytest.mark.slow
def test_a_canonical_header_in_a_wat_is_taken(tmp_path):
    wat = envelope("http://a.com/", {}, {"Link": ["<x>; rel=next", '<//b.com/>; rel="canonical"']})
    assert loaded(tmp_path, wat)[1] == [("http://a.com/", "http://b.com/", "canonical")]


@pytest.mark.slow
def test_without_the_parser_one_line_says_how_to_get_it(tmp_path, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name == "selectolax" else find(name, *rest),
    )
    with pytest.raises(UsageError, match=r"pip install 'replicadb\[links\]'"):
        loaded(tmp_path, response("http://a.com/", HTML), links=True)
    (tmp_path / "x.csv").write_text("url,links\nhttp://a.com/,/x\n")
    with replicadb.open("web.duckdb") as web:
        assert web.load(tmp_path / "x.csv", links=True).links["link"] == 1


@pytest.mark.parametrize(
    ("media_type", "body", "html"),
    [
        ("text/html; charset=x", b"", True),
        ("application/xhtml+xml", b"", True),
        ("image/png", b"<html>", False),
        (None, b" \n<!DOCTYPE html>", True),
        (None, b"%PDF", False),
        (None, b"\xef\xbb\xbf<HTML lang=en>", True),
    ],
)
def test_html_is_told_by_its_type_else_by_its_beginning(media_type, body, html):
    assert is_html(media_type, body) == html


@parsed
@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        ("<a href='/ä'>".encode(), None),
        ("<a href='/ä'>".encode("cp1252"), None),
        ("<a href='/ä'>".encode("cp1252"), 'text/html; charset="ISO-8859-1"'),
        ("<meta charset=iso-8859-1><a href='/ä'>".encode("cp1252"), "text/html"),
        ("<a href='/ä'>".encode("utf-16"), "text/html; charset=utf-16"),
        ("<a href='/ä'>".encode(), "text/html; charset=no-such-charset"),
        ("<a href='/ä'>".encode(), "text/html; charset=hex"),
    ],
)
def test_a_page_is_read_in_its_charset(body, media_type):
    assert page_links(body, media_type).links == ["/ä"]


@pytest.mark.slow
@parsed
@pytest.mark.parametrize(
    "body",
    [
        b"<div>" * 200_000,
        b"<div a='<'>" * 100_000,
        b"<a href=/x>" * 100_000,
        b"<" * 1_000_000,
        b"<!--" * 100_000,
        b"<p><b>" * 100_000,
        b"<table><tr><td>" * 50_000,
        b"<script>" * 100_000,
        b"<svg><math>" * 50_000,
        b"\x00" * 1_000_000,
        b"<a href='" * 100_000,
        b"<" + b"b" * 1_000_000,
        b"<meta " * 100_000,
        b"<select>" * 100_000,
    ],
    ids=lambda body: repr(body[:16]),
)
def test_bad_markup_takes_neither_long_nor_anything_down(body):
    started = time.process_time()
    found = page_links(body + b"<a href=/last>")
    # the parser alone takes minutes for 200,000 nested blocks
    assert time.process_time() - started < 10
    assert set(found.links or ()) <= {"/last", "/x"} or body.startswith(b"<a href='")


@pytest.mark.slow
@parsed
def test_a_page_of_very_many_tags_has_all_its_links():
    body = b"<div><p title=x>".join(
        b'<span><a class="x" href="/%d">t</a></span><script>if (a<b) "<a href=no>"</script>' % n
        for n in range(20_000)
    )
    assert page_links(body).links == [f"/{n}" for n in range(20_000)]
