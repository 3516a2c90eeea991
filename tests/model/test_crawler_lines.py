"""What a scanner or crawler wrote of a new host is read as ``load`` reads it."""

from __future__ import annotations

import hashlib
import json

import pytest

import replicadb
from replicadb.model.crawler_lines import as_page
from replicadb.model.new_hosts import FIELDS, TEXTS, read_hosts

BODY = "<html><title>Shop</title>shop</html>"


def httpx(host, path, **more):
    """As httpx 1.6 writes with -json -hash; ``host`` is the address that answered."""
    text = f"page {path}"
    return {
        "timestamp": "2026-11-01T10:00:00.1+00:00",
        "hash": {
            "header_sha256": "b" * 64,
            "body_md5": hashlib.md5(text.encode()).hexdigest(),
            "body_sha256": hashlib.sha256(text.encode()).hexdigest(),
        },
        "port": "443",
        "url": f"https://{host}{path}",
        "input": host,
        "title": f"Page {path}",
        "content_type": "text/html",
        "host": "192.0.2.7",
        "path": path,
        "status_code": 200,
        "content_length": 900 + len(path),
    } | more


def katana(host, path):
    response = {"status_code": 200, "headers": {"content_type": "text/html"}, "body": BODY}
    return {"request": {"method": "GET", "endpoint": f"https://{host}{path}"}, "response": response}


def written(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_httpx_says_digests_and_addresses(tmp_path):
    with pytest.warns(UserWarning, match="not used: timestamp|not used: port"):
        (host,) = read_hosts(written(tmp_path / "a.jsonl", httpx("New.example", "/a")))
    assert (host.name, host.ips) == ("new.example", ["192.0.2.7"])
    (page,) = host.pages
    assert page.fingerprint == ("sha256", hashlib.sha256(b"page /a").hexdigest())
    assert (page.path, page.mime, page.title, page.length) == ("/a", "text/html", "Page /a", 902)


def test_katana_says_the_page_itself(tmp_path):
    (host,) = read_hosts(written(tmp_path / "a.jsonl", katana("new.example", "/b?c=1")))
    (page,) = host.pages
    assert (host.name, page.path, page.mime) == ("new.example", "/b?c=1", "text/html")
    assert page.fingerprint is not None and page.fingerprint[0] == "sha1"
    assert page.length == len(BODY)


@pytest.mark.parametrize("status", [404, "301", "503 Service Unavailable", 0])
def test_what_is_no_page_is_none_and_is_said(tmp_path, status):
    rows = httpx("new.example", "/a"), httpx("new.example", "/gone", status_code=status)
    with pytest.warns(UserWarning, match=f"a page of status {status}"):
        (host,) = read_hosts(written(tmp_path / "a.jsonl", *rows[::-1]))
    assert [page.path for page in host.pages] == ["/a"]


@pytest.mark.parametrize(
    "row",
    [
        {"host": "a.example", "pages": [["/", "x"]], "hash": {"body_md5": "a"}},
        {"url": "https://a.example/", "fingerprint": "sha1:x", "status": 404},
        {"url": "https://a.example/", "html": "x", "title": "y", "ip": "192.0.2.1"},
        {"host": "a.example", "path": "/", "hash": "x"},
        {"host": "a.example"},
    ],
)
def test_a_line_in_our_own_form_stays_as_it_is(row):
    assert as_page(row, (*FIELDS, *TEXTS)) is row


def test_an_address_is_a_host_where_the_url_says_so(tmp_path):
    row = {"url": "http://192.0.2.7/a", "host": "192.0.2.7", "digest": "x"}
    (host,) = read_hosts(written(tmp_path / "a.jsonl", row))
    assert (host.name, host.ips) == ("192.0.2.7", [])


def test_a_new_host_is_found_by_what_the_scanner_wrote(tmp_path):
    """The same lines that are loaded of others."""
    paths = [f"/p/{n}" for n in range(12)]
    others = [httpx(f"other{k}.example", f"/{k}/{n}") for k in range(5) for n in range(9)]
    others += [httpx(f"other{k}.example", "/licence") for k in range(2)]
    crawl = written(tmp_path / "crawl.jsonl", *(httpx("own.example", p) for p in paths), *others)
    new = written(tmp_path / "new.jsonl", *(httpx("clone.example", p) for p in paths))
    with replicadb.open(tmp_path / "web.duckdb", threads=1) as web:
        web.load(crawl)
        web.detect()
        with pytest.warns(UserWarning, match="not used"):
            (host,) = read_hosts(new)
        (match,) = web.model().lookup(host)
    assert (match.host, match.shared) == ("own.example", 12)


@pytest.mark.parametrize(
    "more",
    [
        {"hash": {"body_sha256": {"a": 1}}, "content_length": "many", "content_type": ["x"]},
        {"hash": {"body_sha256": None}, "content_length": -1, "title": {"a": {"b": {"c": 1}}}},
        {"hash": [1], "content_length": 10**30, "links": "https://a.example/"},
    ],
)
def test_what_no_page_can_have_is_left_out(tmp_path, more):
    with pytest.warns(UserWarning, match="not used"):
        (host,) = read_hosts(written(tmp_path / "a.jsonl", httpx("new.example", "/a", **more)))
    (page,) = host.pages
    assert (page.path, page.fingerprint, page.length, page.links) == ("/a", None, None, ())
