"""What a revisit borrows: as in a fresh database, whatever the order of loads and unloads."""

from __future__ import annotations

import base64
import itertools
import json

import pytest
from conftest import rest_slow

import replicadb

ORIGINAL = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
OTHER = "BCDEFGHIJKLMNOPQRSTUVWXYZ234567A"
BOTH = ((False, True), (False, True))
PAGES = """
    SELECT host, path, fingerprint, fetched_at, status, mime, length, title, content_hash,
        title_hash, asset
    FROM urls JOIN hosts USING (host_id)
    ORDER BY ALL"""
REPLACED = """
    SELECT origin, path, fingerprint, fetched_at, mime, length, title, asset
    FROM superseded JOIN origins USING (origin_id)
    ORDER BY ALL"""


def captured(
    kind, url, digest=ORIGINAL, day=1, mime="text/html", refers=None, headed=False
) -> bytes:
    """One WARC record; a revisit has an HTTP header, and names what it repeats, if asked to."""
    lines = ["WARC/1.0", f"WARC-Type: {kind}", f"WARC-Target-URI: {url}"]
    lines += [f"WARC-Date: 2024-01-{day:02}T00:00:00Z"]
    lines += [f"WARC-Payload-Digest: sha1:{digest}"] * bool(digest)
    lines += [f"WARC-Refers-To-Target-URI: {refers}"] * bool(refers)
    http = f"HTTP/1.1 200 OK\r\nContent-Type: {mime}\r\n\r\n"
    block = http * headed if kind == "revisit" else f"{http}<title>T {url}</title>"
    lines += [f"Content-Length: {len(block)}", "", block, "", ""]
    return "\r\n".join(lines).encode()


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """Files that repeat each other: originals, revisits with and without a digest, an index, a
    table; several captures at one time.
    """
    folder = tmp_path_factory.mktemp("revisits")
    hosts = ("a.example", "b.example", "www.a.example", "c.example")
    pages = [f"http://{host}/p{n}" for host in hosts for n in range(4)]
    digests = {url: f"{ORIGINAL[:-1]}{'ABCD'[n % 4]}" for n, url in enumerate(pages)}
    files = {
        "originals.warc": b"".join(captured("response", url, digests[url]) for url in pages[:6])
        + captured("response", "http://a.example/logo", OTHER, mime="image/png"),
        "more.warc": b"".join(captured("response", url, digests[url], 2) for url in pages[4:9]),
        "revisits.warc": b"".join(captured("revisit", url, digests[url], 2) for url in pages[3:])
        + captured("revisit", "http://c.example/logo", OTHER),
        "named.warc": b"".join(
            captured("revisit", url, None, 2, refers=pages[n]) for n, url in enumerate(pages)
        ),
        "headed.warc": b"".join(
            captured("revisit", url, digests[url], 2, refers=[None, url][n % 2], headed=True)
            for n, url in enumerate(pages[2:])
        ),
        "index.cdxj": b"".join(
            b'x)/ 2024010%d000000 {"url": "%s", "mime": "warc/revisit", "digest": "%s"}\n'
            % (1 + n % 3, url.encode(), digests[url].encode())
            for n, url in enumerate(pages)
        ),
        "table.csv": b"url,digest,timestamp,title\n"
        + b"".join(
            b"%s,%s,2024010%d000000,of a table\n" % (url.encode(), digests[url].encode(), n % 3 + 1)
            for n, url in enumerate(pages)
        ),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return {name: folder / name for name in files}


def state(web) -> list:
    """All that a load stores of pages, and what revisits are by their own files."""
    queries = (PAGES, REPLACED, "SELECT count(*) FROM revisits")
    return [web.database.rows(query) for query in queries]


@pytest.mark.slow
def test_no_order_of_loads_and_unloads_shows(crawl, web):
    """Originals leave before a table and an index stand on them, and revisits do. What is exported
    of a crawl hangs on its state alone: tests/test_determinism.py.
    """
    with replicadb.open(":memory:") as other:
        for here, gone in (
            (("headed.warc", "originals.warc", "revisits.warc"), "originals.warc"),
            (("table.csv", "more.warc"), "headed.warc"),
            (("index.cdxj",), "revisits.warc"),
        ):
            other.load(*(crawl[name] for name in here))
            other.unload(str(crawl[gone]))
        web.load(*(crawl[name] for name in ("index.cdxj", "more.warc", "table.csv")))
        assert state(other) == state(web)
        web.load(crawl["originals.warc"], crawl["named.warc"])
        other.load(crawl["named.warc"], crawl["originals.warc"])
        assert state(other) == state(web)


@pytest.mark.slow
def test_a_revisit_before_its_original_waits_for_it_and_gives_back(crawl, web):
    of_named = "SELECT count(fingerprint), count(mime) FROM pages WHERE url NOT LIKE '%logo'"
    web.load(crawl["named.warc"])
    assert web.database.rows(of_named) == [(0, 0)]
    web.load(crawl["originals.warc"])
    assert web.database.rows(of_named) == [(6, 6)]  # of the newest captures: they are revisits
    web.unload(str(crawl["originals.warc"]))
    assert web.database.rows(of_named) == [(0, 0)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["headed", "revisits"])
def test_a_revisit_has_title_and_length_of_what_it_repeats(crawl, web, kind):
    """And of an image is no page once that is known."""
    stored = "SELECT count(*), count(title), count(length), count(mime) FROM pages"
    logo = "SELECT asset FROM urls WHERE path = '/logo' ORDER BY host_id"
    first, then = (kind, "originals") if kind == "revisits" else ("originals", kind)
    web.load(crawl[f"{first}.warc"], links=True)
    if kind == "revisits":
        assert web.database.column(logo) == [False]
    else:
        assert web.database.rows(stored) == [(6, 6, 6, 6)]
    web.load(crawl[f"{then}.warc"], links=True)
    assert web.database.rows(stored) == [(16, 16, 16, 16)]
    assert web.database.column(logo) == [True] * (1 + (kind == "revisits"))
    web.unload(str(crawl["originals.warc"]))
    n, titles, lengths, mimes = web.database.rows(stored)[0]
    assert (titles, lengths, mimes) == (0, 0, n if kind == "headed" else 0)


def test_a_revisit_in_a_table_has_no_length_of_its_own_and_takes_no_other_page_s_title(web, write):
    head = "url,digest,timestamp,mime,length,title\n"
    first = "http://a.com/,sha1:{},20240101,text/html,{},{}\n".format
    again = "http://a.com/,sha1:{},20240102,warc/revisit,77,\n".format
    web.load(write("1.csv", head + first(ORIGINAL, 5000, "said")))
    web.load(write("2.csv", head + again(ORIGINAL)))
    stored = "SELECT length, title FROM pages"
    assert web.database.rows(stored) == [(5000, "said")]
    web.load(write("3.csv", head + again(OTHER).replace("20240102", "20240103")))
    assert web.database.rows(stored) == [(None, None)]


def test_what_a_page_says_holds_where_one_file_has_its_revisit_too(web, write):
    """As where the revisit came in a file of its own. One that says more itself counts. Each case
    has a site and a content of its own.
    """
    files, newest = [[], []], {}
    for n, (canonical, older, again) in enumerate(itertools.product((None, "d.com"), *BOTH)):
        page = {
            "url": f"http://a{n}.com/x",
            "digest": f"sha1:{ORIGINAL[:-1]}{ORIGINAL[n]}",
            "timestamp": "20240102",
            "mime": "text/html",
            "canonical": f"http://b{n}.com/x",
            "language": "de",
            "links": [f"http://c{n}.com/"],
        }
        first = page | {"timestamp": "20240101", "language": "fr", "canonical": "http://e.com/"}
        revisit = {name: page[name] for name in ("url", "digest")} | {"timestamp": "20240103"}
        revisit |= {"mime": "warc/revisit", "canonical": canonical and f"http://{canonical}/"}
        files[0] += [revisit] * (again and older) + [first] * older + [page]
        files[0] += [revisit] * (again and not older)
        files[1] += [page | {"timestamp": "20240104"}]
        newest[page["url"]] = revisit["canonical"] if canonical and again else page["canonical"]

    def said() -> list:
        web.database.run_once("functions/75_newest_said")
        links = web.database.rows("SELECT from_url, to_url FROM newest_links() ORDER BY ALL")
        return [dict(links), web.database.rows("SELECT value, n FROM newest_languages()")]

    one, later = (
        write(f"{n}.jsonl", "\n".join(map(json.dumps, rows))) for n, rows in enumerate(files)
    )
    web.load(one, links=True)
    assert said() == [newest, [("de", 1)] * len(newest)]
    targets = web.database.rows("SELECT to_host, pages FROM outlinks ORDER BY ALL")
    assert targets == [(f"c{url[8]}.com", 1) for url, to in newest.items() if "d.com" not in to]
    web.load(later)
    assert said() == [{url: f"http://b{url[8]}.com/x" for url in newest}, [("de", 1)] * len(newest)]


def test_a_page_is_as_long_where_one_file_has_its_revisit_too(web, write):
    """The page itself is an older capture there, and kept nowhere else. Another page of its content
    is shorter or longer.
    """
    one, elsewhere = ["url,digest,timestamp,mime,length,title"] * 2
    for n, length in enumerate((4000, 6000)):
        digest = f"sha1:{ORIGINAL[:-1]}{ORIGINAL[n]}"
        one += f"\nhttp://a{n}.com/,{digest},20240101,text/html,5000,said"
        one += f"\nhttp://a{n}.com/,{digest},20240102,warc/revisit,,"
        elsewhere += f"\nhttp://b.com/{n},{digest},20240101,text/html,{length},"
    lengths = "SELECT length FROM pages WHERE host <> 'b.com' ORDER BY host"
    web.load(write("1.csv", one))
    assert web.database.column(lengths) == [5000, 5000]
    web.load(write("2.csv", elsewhere), label="elsewhere")
    assert web.database.column(lengths) == [4000, 5000]
    web.unload("elsewhere")
    assert web.database.column(lengths) == [5000, 5000]


def of_three_captures(kind: str) -> list[bytes]:
    """Two captures of a page, and a third for which the server said that it was not modified."""
    url = "http://a.example/p"
    if kind == "warc":
        profile = b"\r\nWARC-Profile: http://netpreserve.org/warc/1.0/revisit/server-not-modified"
        third = captured("revisit", url, None, 3).replace(
            b"\r\nContent-L", profile + b"\r\nContent-L"
        )
        return [captured("response", url, d, n) for n, d in ((1, ORIGINAL), (2, OTHER))] + [third]
    rows = [(1, "text/html", "200", ORIGINAL), (2, "text/html", "200", OTHER)]
    rows += [(3, "warc/revisit", "304", "-")]
    if kind == "cdx":
        line = "example,a)/p 2024010{}000000 " + url + " {} {} {} - 9 0 x.warc.gz\n"
    else:
        line = 'example,a)/p 2024010{} {{"url": "' + url + '", "mime": "{}", "status": "{}", '
        line = line.replace("{} {{", "{}000000 {{") + '"digest": "{}"}}\n'
    return [line.format(*row).encode() for row in rows]


def test_a_page_that_was_not_modified_is_what_its_last_revisit_was(web, write):
    """That one says what by its digest, and is the copy of another URL's page."""
    url = "http://a.example/p"
    first = captured("response", url, OTHER, 1) + captured("response", url + "2", ORIGINAL, 1)
    second = captured("revisit", url, ORIGINAL, 2, refers=url + "2")
    third = captured("revisit", url, None, 3)
    web.load(write("together", first + second + third))
    with replicadb.open(":memory:") as other:
        for name, data in (("third", third), ("first", first), ("second", second)):
            other.load(write(name, data))
        for each in (web, other):
            (content,) = {row[2] for row in state(each)[0]}  # of both URLs
            assert content


def test_a_page_that_was_not_modified_is_not_the_error_before_it(web, write):
    line = "example,a)/p 2024010{}000000 http://a.example/p {} {} {} - 9 0 x.warc.gz\n"
    rows = [(1, "text/html", "200", ORIGINAL), (2, "text/html", "404", OTHER)]
    web.load(write("a.cdx", "".join(line.format(*row) for row in rows)))
    (before,) = state(web)[0]
    rows.append((3, "warc/revisit", "-", "-"))
    web.load(write("b.cdx", "".join(line.format(*row) for row in rows)))
    (after,) = state(web)[0]
    assert (after[2], after[3].day) == (before[2], 3)


@pytest.mark.parametrize("kind", rest_slow(["warc", "cdx", "cdxj"]))
def test_a_page_that_was_not_modified_is_what_it_last_was(web, write, kind):
    """Such a revisit often names no digest and no URL; its status is that of no page. And the page
    is neither its oldest content nor the one with the least digest.
    """
    captures = of_three_captures(kind)
    web.load(write("together", b"".join(captures)))
    assert min(ORIGINAL, OTHER) == ORIGINAL
    known = state(web)[0]
    assert [row[3].day for row in known] == [3] and known[0][2] is not None
    with replicadb.open(":memory:") as other:
        other.load(write("second", captures[1]))
        assert other.database.rows(PAGES)[0][2] == known[0][2]
        other.load(write("third", captures[2]), write("first", captures[0]))
        assert other.database.rows(PAGES)[0][:4] == known[0][:4]


def test_each_revisit_repeats_the_last_capture_before_it_else_the_first_after_it(web, write):
    page, held = "http://a.example/", {5: ORIGINAL, 9: OTHER, 20: ORIGINAL}
    records = [captured("response", page, digest, day) for day, digest in held.items()]
    expected = {1: ORIGINAL, 5: ORIGINAL, 7: ORIGINAL, 9: OTHER, 15: OTHER, 28: ORIGINAL}
    records += [
        captured("revisit", f"{page}{day}", None, day, refers=page, headed=True) for day in expected
    ]
    web.load(write("a.warc", b"".join(records)))
    found = web.sql("SELECT path, fingerprint FROM urls WHERE path <> '/' ORDER BY path")
    assert dict(found.iter_rows()) == {
        f"/{day}": base64.b32decode(digest).hex() for day, digest in expected.items()
    }
