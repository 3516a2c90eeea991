"""What a revisit borrows: as in a fresh database, whatever the order of loads and unloads."""

from __future__ import annotations

import json
import random

import pytest

import replicadb

ORIGINAL = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
OTHER = "BCDEFGHIJKLMNOPQRSTUVWXYZ234567A"
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


def walk(web, crawl, draw) -> set:
    """Load and unload the files in a random order, some together; those that are left."""
    names, here = list(crawl), set()
    draw.shuffle(names)
    while names:
        some = [names.pop() for _ in range(min(draw.randint(1, 3), len(names)))]
        web.load(*(crawl[name] for name in some))
        here |= set(some)
        for name in draw.sample(sorted(here), draw.choice((0, 0, 1))):
            web.unload(str(crawl[name]))
            here.remove(name)
            names += [name] * draw.randint(0, 1)
    return here


@pytest.mark.slow
def test_no_order_of_loads_and_unloads_shows(crawl, web):
    """Of this seed originals leave before a table and an index stand on them, and revisits do. What
    is exported of a crawl hangs on its state alone: tests/test_determinism.py.
    """
    with replicadb.open(":memory:") as other:
        here = walk(other, crawl, random.Random(9))
        rest = sorted(set(crawl) - here)
        assert len(here) == 5
        web.load(*(crawl[name] for name in sorted(here)))
        assert state(other) == state(web)
        web.load(*(crawl[name] for name in rest))
        other.load(*(crawl[name] for name in reversed(rest)))
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


@pytest.mark.parametrize("canonical", [None, "http://d.com/"])
def test_what_a_page_says_holds_where_one_file_has_its_revisit_too(web, write, canonical):
    """As where the revisit came in a file of its own. One that says more itself counts."""
    page = {
        "url": "http://a.com/x",
        "digest": f"sha1:{ORIGINAL}",
        "timestamp": "20240102",
        "mime": "text/html",
        "canonical": "http://b.com/x",
        "language": "de",
        "links": ["http://c.com/"],
    }
    older = page | {"timestamp": "20240101", "language": "fr", "canonical": "http://e.com/"}
    revisit = {"url": page["url"], "digest": page["digest"], "timestamp": "20240103"}
    revisit |= {"mime": "warc/revisit", "canonical": canonical}
    crawls = [[page], [older, page], [page, revisit], [revisit, older, page]]

    def said() -> list:
        web.database.run_once("functions/75_newest_said")
        links = web.database.rows("SELECT from_url, to_url FROM newest_links() ORDER BY ALL")
        return [links, web.database.rows("SELECT value, n FROM newest_languages()")]

    for n, rows in enumerate(crawls):
        path = write(f"{n}.jsonl", "\n".join(map(json.dumps, rows)))
        web.load(path, links=True)
        newest = canonical if canonical and revisit in rows else page["canonical"]
        assert said() == [[(page["url"], newest)], [("de", 1)]], n
        targets = web.database.rows("SELECT to_host, pages FROM outlinks")
        assert targets == ([("c.com", 1)] if newest == page["canonical"] else []), n
        again = write("again.jsonl", json.dumps(page | {"timestamp": "20240104"}))
        web.load(again)
        assert said() == [[(page["url"], page["canonical"])], [("de", 1)]], n
        web.unload(str(again))
        web.unload(str(path))


def test_a_page_is_as_long_where_one_file_has_its_revisit_too(web, write):
    """The page itself is an older capture there, and kept nowhere else."""
    head = "url,digest,timestamp,mime,length,title\n"
    first = f"http://a.com/,sha1:{ORIGINAL},20240101,text/html,5000,said\n"
    again = first.replace("20240101,text/html,5000,said", "20240102,warc/revisit,,")
    other = first.replace("a.com", "b.com").replace("5000", "{}").replace("said", "")
    length = "SELECT length FROM pages WHERE host = 'a.com'"
    web.load(write("1.csv", head + first + again))
    assert web.database.column(length) == [5000]
    for said, shown in ((4000, 4000), (6000, 5000)):
        web.load(write("2.csv", head + other.format(said)), label="elsewhere")
        assert web.database.column(length) == [shown]
        web.unload("elsewhere")
        assert web.database.column(length) == [5000]
