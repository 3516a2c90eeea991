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
    said = {
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
    return record("metadata", url, json.dumps(said).encode(), "application/json")


FOUND = [
    ("http://a.com/d/one", 1),
    ("http://a.com/two", 1),
    ("http://b.com/3", 1),
    ("http://b.com/4", 1),
]
CANONICAL = [("http://a.com/x/y", "http://a.com/main?a=1&b=2", "canonical")]


BODIES = {
    "a0.com": (HTML, []),
    "a1.com": (
        gzip.compress(HTML, mtime=0),
        ["Content-Type: text/html; charset=utf-8", "Content-Encoding: gzip"],
    ),
    "a2.com": (HTML, ["Server: x"]),
    "a3.com": (
        b"%x\r\n%s\r\n0\r\n\r\n" % (len(HTML), HTML),
        ["Content-Type: TEXT/HTML", "Transfer-Encoding: chunked"],
    ),
    "own.com": (HTML, ["Content-Type: text/html", "Link: </other>; rel=canonical"]),
}
HEADER = (
    'Link: <http://b.com/a,b>; title="x; rel=canonical", </p,q>; title="a,b" ; REL="foo Canonical"'
)


def warc() -> bytes:
    """Pages in several codings; a canonical link in a header; and, after a picture and a
    redirection, a page that is cut off.
    """
    pages = [response(f"http://{host}/x/y", body, *more) for host, (body, more) in BODIES.items()]
    pdf = ["Content-Type: application/pdf", "Link: </s.css>; rel=preload", HEADER]
    return b"".join(
        [
            *pages,
            response("http://pdf.com/x", b"%PDF", *pdf),
            response("http://c.com/2", b"\x89PNG", "Content-Type: image/png"),
            response("http://c.com/3", b"", "Location: /1", status="301 Moved"),
            response("http://c.com/4", HTML)[:-99],
        ]
    )


def wat() -> bytes:
    """Links and a canonical one; half characters and NUL; a canonical header; other shapes."""
    links = [
        {"path": "A@/href", "url": url}
        for url in ("http://b.com/\ud800", "http://b.com/\0", "x" * 100_000)
    ]
    header = {"Link": ["<x>; rel=next", '<//b.com/>; rel="canonical"']}
    return b"".join(
        [
            envelope("http://a.com/x/y", {"Head": WAT_HEAD, "Links": WAT_LINKS}),
            envelope("http://half.com/", {"Head": {"Base": "\ud800"}, "Links": links}),
            envelope("http://header.com/", {}, header),
            *(envelope(f"http://odd.com/{n}", html) for n, html in enumerate(SHAPES)),
        ]
    )


def read(web) -> tuple[list, list, dict]:
    """Targets with their pages, links, and what was left out."""
    rows = web.database.rows
    return (
        rows("SELECT origin || path, pages FROM outlinks ORDER BY 1"),
        rows("SELECT from_url, to_url, kind FROM links ORDER BY ALL"),
        dict(rows("SELECT kind || ': ' || reason, n FROM link_skips")),
    )


@pytest.fixture(scope="module")
def loads(tmp_path_factory):
    """By file and by what was asked of links: the links, all else that was stored, and the result
    of the load.
    """
    folder, found = tmp_path_factory.mktemp("links"), {}
    for name, records, asked in (("warc", warc, (None, True)), ("wat", wat, (None, False))):
        (folder / f"x.{name}").write_bytes(records())
        for links in asked:
            with replicadb.open(folder / f"{name}-{links}.duckdb") as web:
                result = web.load(folder / f"x.{name}", links=links)
                others = [
                    web.database.rows(f"SELECT * EXCLUDE ({gone}) FROM {table} ORDER BY ALL")
                    for table, gone in (
                        ("urls", "source_id"),
                        ("rejects", "source_id"),
                        ("skips", "source_id"),
                        ("sources", "seconds, loaded_at"),
                    )
                ]
                found[name, links] = read(web), others, result
    return found


@pytest.mark.slow
@parsed
def test_links_of_a_page_in_a_warc_are_read_when_asked_for(loads):
    found = sorted((url.replace("a.com", host), n) for host in BODIES for url, n in FOUND)
    targets, links, left = loads["warc", True][0]
    assert (targets, left) == (found, {})
    assert [link for link in links if link[0].endswith("/x/y")] == [
        tuple(part.replace("a.com", host) for part in link) for host in BODIES for link in CANONICAL
    ]


@pytest.mark.slow
@parsed
def test_links_that_are_not_asked_for_are_not_read_but_in_headers(loads):
    """There, a canonical link is taken always; a page's own goes before it."""
    headers = [
        ("http://c.com/3", "http://c.com/1", "redirect"),
        ("http://own.com/x/y", "http://own.com/other", "canonical"),
        ("http://pdf.com/x", "http://pdf.com/p,q", "canonical"),
    ]
    assert loads["warc", None][0] == ([], headers, {})
    found = loads["warc", True][0][1]
    assert headers[0] in found and headers[1] not in found and headers[2] in found


@pytest.mark.slow
@parsed
def test_reading_links_changes_nothing_else(loads):
    assert loads["warc", None][1] == loads["warc", True][1]
    for links in (None, True):
        result = loads["warc", links][2]
        assert not result.failed and result.kept == len(BODIES) + 2


@pytest.mark.slow
@parsed
def test_links_of_a_page_in_an_arc_are_read_too(cli, tmp_path):
    block = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + HTML
    version = b"1 0 x\nURL IP-address Archive-date Content-type Archive-length\n"
    arc = b"filedesc://x 0.0.0.0 20200101000000 text/plain %d\n%s\n" % (
        len(version),
        version,
    ) + b"http://a.com/x/y 192.0.2.1 20200102000000 text/html %d\n%s\n" % (len(block), block)
    (tmp_path / "x.arc").write_bytes(arc)
    said = cli("load", "web.duckdb", tmp_path / "x.arc", "--links").err
    assert "links: 0 redirects, 1 canonical, 4 out-links; 0 repeated on their page" in said
    with replicadb.open("web.duckdb", read_only=True) as web:
        assert web.database.rows("SELECT origin || path, pages FROM outlinks ORDER BY 1") == FOUND


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


SHAPES = [
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


@pytest.mark.slow
def test_links_of_a_wat_are_read_unless_they_are_not_wanted(loads):
    """Half characters and NUL bytes stop nothing, shapes of another kind give no links, and a
    canonical header is taken.
    """
    canonical = [*CANONICAL, ("http://header.com/", "http://b.com/", "canonical")]
    targets, links, left = loads["wat", None][0]
    assert targets == sorted([*FOUND, ("http://b.com/?", 1)]) and links == canonical
    assert sum(left.values()) == 2
    assert loads["wat", False][0] == ([], canonical, {})
    assert not loads["wat", None][2].failed and loads["wat", None][2].kept == 3 + len(SHAPES)


@pytest.mark.slow
def test_without_the_parser_one_line_says_how_to_get_it(web, write, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name == "selectolax" else find(name, *rest),
    )
    with pytest.raises(UsageError, match=r"pip install 'replicadb\[links\]'"):
        web.load(write("x.warc", response("http://a.com/", HTML)), links=True)
    table = write("x.csv", "url,links\nhttp://a.com/,/x\n")
    assert web.load(table, links=True).links["link"] == 1


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
        b"<div>" * 100_000,
        b"<div a='<'>" * 50_000,
        b"<a href=/x>" * 50_000,
        b"<" * 150_000,
        b"<!--" * 50_000,
        b"<p><b>" * 50_000,
        b"<table><tr><td>" * 25_000,
        b"<script>" * 50_000,
        b"<svg><math>" * 25_000,
        b"\x00" * 500_000,
        b"<a href='" * 50_000,
        b"<" + b"b" * 500_000,
        b"<meta " * 50_000,
        b"<select>" * 50_000,
    ],
    ids=lambda body: repr(body[:16]),
)
def test_bad_markup_takes_neither_long_nor_anything_down(body):
    started = time.process_time()
    found = page_links(body + b"<a href=/last>")
    # the parser alone takes a minute for 100,000 nested blocks
    assert time.process_time() - started < 5
    assert set(found.links or ()) <= {"/last", "/x"} or body.startswith(b"<a href='")


@pytest.mark.slow
@parsed
def test_a_page_of_very_many_tags_has_all_its_links():
    body = b"<div><p title=x>".join(
        b'<span><a class="x" href="/%d">t</a></span><script>if (a<b) "<a href=no>"</script>' % n
        for n in range(20_000)
    )
    assert page_links(body).links == [f"/{n}" for n in range(20_000)]
