"""What pages say of who runs them: stored by host, counted, shown, gone with their load, and
weighed by nobody.

Tries identifiers, too.
"""

from __future__ import annotations

import json

import pytest

pytest.importorskip("selectolax")

import replicadb
from replicadb.cli import copies_text, explain_text
from replicadb.load import identifier_store

from .contents import record, response

OURS = "<html lang='de'>google gtag('config', 'UA-1234567-1') sales@shop.de"
THEIRS = "<html lang='en'>google gtag('config', 'UA-1234567-9') other@x.org"

TLS = {
    "cc.org": ("WARC-Protocol: h2", "WARC-Protocol: tls/1.3", "WARC-Cipher-Suite: TLS_AES_256"),
    "btrix.org": (
        "WARC-Protocol: h2, tls/1.2",
        'WARC-JSON-Metadata: {"ipType":"Public","cert":{"issuer":"Own CA 7","ctc":"0"}}',
    ),
    "copy.org": ('WARC-JSON-Metadata: {"cert":{"issuer":"Own CA 7"}}',),
    "odd.org": ('WARC-JSON-Metadata: ["cert', "WARC-Protocol: http/1.1"),
    "none.org": (),
}
"""What a crawler met, as Common Crawl's records have it, as browsertrix', and with none."""
HTTP = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nWARC-Cipher-Suite: NULL\r\n"
    b'WARC-JSON-Metadata: {"cert":{"issuer":"me"}}\r\n\r\n<html>'
)
"""A page that pretends."""
HTTP_TYPE = "application/http; msgtype=response"


def crawl(folder, name="a.warc"):
    """Two sites of one owner that share a page, a third one of theirs that shares none, and
    twenty-one that have an address in common; and those of TLS.
    """
    pages = [
        *(response(f"http://shop.de/{n}", f"{OURS} page {n}") for n in range(6)),
        *(response(f"http://shop-copy.de/{n}", f"{THEIRS} page {n}") for n in range(6)),
        response("http://shop.de/x", "<html lang=en>equal", "text/html", "Server: nginx/1.2"),
        response("http://shop-copy.de/x", "<html lang=en>equal", "text/html", "Server: nginx/1.2"),
        response("http://sister.org/", "<html>google 'UA-1234567-3' many@many.net"),
        response("http://shop.de/gone", OURS, status="404 Not Found"),
        response("http://shop.de/t", "plain@text.de", "text/plain"),
    ]
    pages += [response(f"http://many{n}.org/", f"<html>many@many.net {n}") for n in range(20)]
    pages += [
        record("response", f"https://{host}/", HTTP + host.encode(), HTTP_TYPE, *of)
        for host, of in TLS.items()
    ]
    path = folder / name
    path.write_bytes(b"".join(pages))
    return path


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("identifiers")
    with replicadb.open(":memory:") as web:
        result = web.load(crawl(folder), links=True)
        web.detect()
        yield web, result


def rows(web, query, *given):
    return web.sql(query, list(given) or None).rows()


def test_a_host_has_each_value_once_with_its_pages_and_how_many_hosts_have_it(loaded):
    web, result = loaded
    query = "SELECT kind, value, pages, hosts FROM site_identifiers WHERE host = ? ORDER BY ALL"
    assert rows(web, query, "shop.de") == [
        ("analytics", "UA-1234567", 6, 3),
        ("language", "de", 6, 1),
        ("language", "en", 1, 2),
        ("mail", "sales@shop.de", 6, 1),
        ("server", "server: nginx/1.2", 1, 2),
    ]  # nothing of a page that was not kept, nor of text that is no HTML
    assert rows(web, query, "many3.org") == [("mail", "many@many.net", 1, 21)]
    assert result.identifiers == web.sql("SELECT count(*) FROM identifiers").item() == 31 + 4


def test_pairs_share_what_fifty_hosts_at_most_have(loaded):
    web, _ = loaded
    shared = rows(web, "FROM shared_identifiers WHERE host_a = 'shop-copy.de' ORDER BY ALL")
    assert shared == [
        ("shop-copy.de", "shop.de", "analytics", "UA-1234567", 3, 6, 6),
        ("shop-copy.de", "shop.de", "server", "server: nginx/1.2", 2, 1, 1),
        ("shop-copy.de", "sister.org", "analytics", "UA-1234567", 3, 6, 1),
    ]


@pytest.mark.slow
def test_explain_shows_the_rarest_first_and_no_number_of_the_ranking_hangs_on_it(loaded, tmp_path):
    web, _ = loaded
    found = web.explain("shop.de", "shop-copy.de")
    assert [(row["kind"], row["hosts"], row["pages_a"]) for row in found["identifiers"]] == [
        ("server", 2, 1),
        ("analytics", 3, 6),
    ]
    text = explain_text.text_of(found)
    assert "\n  analytics UA-1234567  (6 and 6 pages; 3 hosts have it)\n" in text
    assert "it weighs nothing until answers to review teach it" in text
    assert web.explain("shop.de", "many3.org")["identifiers"] == []
    ranking = "SELECT host_a, host_b, probability FROM replicas ORDER BY rank"
    with replicadb.open(":memory:") as without:
        assert without.load(crawl(tmp_path), links=True, identifiers=False).identifiers == 0
        without.detect()
        assert rows(without, "FROM site_identifiers") == []
        assert rows(without, ranking) == rows(web, ranking) != []


@pytest.mark.slow
def test_copies_of_names_the_same_owner_s_sites_that_share_no_content(loaded):
    web, _ = loaded
    found = web.copies_of("shop.de", unlikely=True)
    (copy,) = found["copies"]
    assert copy["host"] == "shop-copy.de"
    account = {"kind": "analytics", "value": "UA-1234567", "hosts": 3}
    assert copy["identifiers"] == [account]
    assert found["related"] == [{"host": "sister.org", "identifiers": [account]}]
    text = copies_text.copies_text(found, 10)
    assert "\n      same analytics UA-1234567 (on 3 hosts)\n" in text
    assert "\n  sister.org  analytics UA-1234567 (on 3 hosts)" in text
    # What more than COPIES.rare_hosts have names nobody.
    assert web.copies_of("many3.org")["related"] == []


@pytest.mark.slow
def test_they_leave_with_their_load_and_older_captures_have_none(web, tmp_path):
    web.load(crawl(tmp_path), links=True, label="first")
    before = rows(web, "FROM site_identifiers ORDER BY ALL")
    older = response("http://shop.de/0", "<html>old@shop.de", date="2001-01-01T00:00:00Z")
    newer = response("http://shop.de/0", "<html>new@shop.de", date="2030-01-01T00:00:00Z")
    (tmp_path / "b.warc").write_bytes(older + newer)
    web.load(tmp_path / "b.warc", links=True, label="second")
    said = "SELECT value FROM site_identifiers WHERE host = 'shop.de' AND kind = 'mail' ORDER BY 1"
    assert rows(web, said) == [("new@shop.de",), ("sales@shop.de",)]
    web.unload("second")
    assert rows(web, "FROM site_identifiers ORDER BY ALL") == before
    web.unload("first")
    assert rows(web, "FROM identifiers") == []


@pytest.mark.slow
def test_a_host_keeps_so_many_of_a_kind_at_most(web, tmp_path, monkeypatch):
    monkeypatch.setattr(identifier_store, "MOST_OF_A_HOST", 2)
    monkeypatch.setattr(identifier_store, "BATCH", 3)
    pages = [response(f"http://a.de/{n}", f"<html>a{n % 5}@b.de z@b.de") for n in range(10)]
    (tmp_path / "a.warc").write_bytes(b"".join(pages))
    web.load(tmp_path / "a.warc", links=True)
    found = rows(web, "SELECT value, pages FROM identifiers WHERE kind = 'mail' ORDER BY value")
    assert found == [("a0@b.de", 2), ("z@b.de", 10)]


def test_favicons_and_pictures_are_those_loaded_as_evidence(web, write):
    write(
        "a.csv",
        "url,digest,mime\nhttp://a.de/,1,text/html\nhttp://a.de/favicon.ico,f,image/x-icon\n"
        "http://b.de/,2,text/html\nhttp://b.de/img/favicon.png?v=1,f,image/png\n"
        "http://b.de/i.png,p,image/png\nhttp://a.de/s.css,p,text/css\n"
        "http://c.de/,3,text/html\nhttp://c.de/icons/us.ico,f,\nhttp://d.de/,4,text/html\n"
        "http://d.de/icon?v=2,f,image/vnd.microsoft.icon\n",
    )
    web.load("a.csv")
    assert rows(web, "SELECT host, kind, value, hosts FROM site_identifiers ORDER BY ALL") == [
        ("a.de", "favicon", "f", 4),
        ("b.de", "favicon", "f", 4),
        ("b.de", "image", "p", 1),
        ("c.de", "favicon", "f", 4),
        ("d.de", "favicon", "f", 4),
    ]


@pytest.mark.slow
def test_a_column_tells_the_language_and_content_of_tables_all_else(cli, write):
    pytest.importorskip("resiliparse")
    row = {"url": "http://a.de/", "html": f"{OURS} text", "content_languages": "deu,eng"}
    write("a.jsonl", f"{json.dumps(row)}\n")
    said = cli("load", "web.duckdb", "a.jsonl", "--content")
    assert "content_languages as language" in said.err
    assert "identifiers of who runs a site, and languages: 4, each once a host" in said.err
    query = "SELECT kind, value FROM site_identifiers ORDER BY ALL"
    assert cli("sql", "web.duckdb", query, "-f", "csv").out.splitlines()[1:] == [
        "analytics,UA-1234567",
        "language,de",
        "language,deu",
        "mail,sales@shop.de",
    ]


def test_what_a_crawler_met_of_tls_is_kept_where_it_says_so_and_no_page_can_say_it(loaded):
    web, _ = loaded
    said = "SELECT host, value, hosts FROM site_identifiers WHERE kind = 'tls' ORDER BY ALL"
    assert rows(web, said) == [
        ("btrix.org", "connection: tls/1.2", 1),
        ("btrix.org", "issuer: Own CA 7", 2),
        ("cc.org", "connection: tls/1.3 TLS_AES_256", 1),
        ("copy.org", "issuer: Own CA 7", 2),
    ]
    (row,) = web.explain("btrix.org", "copy.org")["identifiers"]
    assert (row["kind"], row["value"], row["hosts"]) == ("tls", "issuer: Own CA 7", 2)


def test_of_several_files_a_host_is_counted_once_a_file(cli, write):
    for name in "ab":
        write(f"{name}.csv", f"url,digest,language\nhttp://one.de/{name},{name},deu\n")
    said = cli("load", "web.duckdb", "a.csv", "b.csv").err
    assert "and languages: 2, each once a host and file (view site_identifiers)" in said
