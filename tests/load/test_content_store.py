"""load --content: from every format into the tables; counts add up, loads leave again, and one bad
page costs one reject.
"""

from __future__ import annotations

import gzip
import json

import pytest

pytest.importorskip("resiliparse")
pytest.importorskip("selectolax")

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.web import page_text as extraction

from .contents import PAGE, anchors, counts, dump, record, response, terms

pytestmark = pytest.mark.slow


DIGEST = "WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
WORDS = " ".join(f"word{i}" for i in range(60))


def captured(kind: str, url: str, year: int, body: str) -> bytes:
    """A capture with that digest."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body.encode()
    date = f"WARC-Date: {year}-01-01T00:00:00Z"
    return record(kind, url, block, "application/http; msgtype=response", DIGEST, date)


def alike(*urls: str) -> bytes:
    """Pages of the same words."""
    return b"".join(response(url, f"<title>T</title><p>{WORDS}") for url in urls)


ALIKE = ("http://www.like.com/x/p?q=1", "http://like.com/x/p?q=1", "http://like.org/")


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A database of two WARCs, a WET and a WAT, without out.com; what the two loads said."""
    folder = tmp_path_factory.mktemp("content")
    (folder / "hosts.txt").write_text("out.com\n")
    (folder / "x.warc").write_bytes(
        response("http://a.com/d/e", PAGE)
        + response("http://a.com/t", "just text", "text/plain")
        + response("http://a.com/p", b"%PDF-1.4", "application/pdf")
        + response("http://a.com/n", "gone", status="404 Not Found")
        + response("http://a.com/r", "", status="301 Moved")
        + response("http://a.com/u", b"\0\1\2", None)
        + response(
            "http://a.com/z", gzip.compress(PAGE.encode()), "text/html", "Content-Encoding: gzip"
        )
        + record("resource", "http://a.com/s", PAGE.encode(), "text/html")
    )
    (folder / "y.warc").write_bytes(
        response("http://kept.com/", "<p>older</p>")
        + response("http://kept.com/", "<p>newest</p>", date="2022-01-01T00:00:00Z")
        + response("http://out.com/", f"{PAGE}<p>excluded")
        + captured("response", "http://said.com/d", 2020, "<p>said once</p><a href=x>l</a>")
        + captured("revisit", "http://said.com/d", 2021, "")
        + alike(*ALIKE)
    )
    (folder / "x.wet").write_bytes(
        record("conversion", "http://wet.com/", "Nur Text, 中文".encode(), "text/plain")
    )
    (folder / "x.wat").write_bytes(
        record("metadata", "http://b.com/q", json.dumps(WAT).encode(), "application/json")
    )
    with replicadb.open(":memory:") as web:
        result = web.load(folder / "x.warc", content=True)
        rest = web.load(
            *(folder / name for name in ("y.warc", "x.wet", "x.wat")),
            content=True,
            exclude_hosts=str(folder / "hosts.txt"),
        )
        yield web, result, rest


def contents(web) -> dict[str, tuple]:
    """By URL."""
    return {row[0]: row[1:] for row in dump(web)["contents"]}


def test_a_warc_gives_contents_terms_and_links(filled):
    web, result, _ = filled
    counted = (result.read, result.kept, result.skipped, result.rejected, result.contents)
    assert counted == (8, 6, 2, 0, 4)
    found = contents(web)
    assert found["http://a.com/d/e"][:6] == (
        "Über uns",
        None,
        None,
        "Wer wir sind",
        "Wer wir sind\nWir sind viele.\nWeiterFortHoch",
        "Wer wir sind\nWir sind viele.\nWeiterFortHoch",
    )
    assert found["http://a.com/d/e"] == found["http://a.com/z"] == found["http://a.com/s"]
    assert found["http://a.com/t"][4:8] == ("just text", "just text", None, 9)
    assert anchors(web, "http://a.com/d/e") == {
        ("http://a.com/d/c?x=1", "Weiter"),
        ("http://other.org/", "Fort"),
    }
    assert terms(web, "http://a.com/d/e") == {
        "url": {"a": 1, "com": 1, "d": 1, "e": 1},
        "title": {"über": 1, "uns": 1},
        "heading": {"wer": 1, "wir": 1, "sind": 1},
        "anchor_own": {"weiter": 1, "hoch": 1},
        "anchor_other": {"fort": 1},
        "text": {"wer": 1, "wir": 2, "sind": 2, "viele": 1, "weiterforthoch": 1},
    }
    assert web.database.value("SELECT title FROM urls WHERE path = '/d/e'") == "Über uns"


def test_without_content_nothing_is_kept_and_everything_else_is_the_same(web, write):
    write("x.warc", response("http://a.com/", PAGE) + response("http://b.com/", PAGE))
    web.load("x.warc", links=True)
    assert counts(web) == [0, 0, 0, 0]
    with replicadb.open("other.duckdb") as other:
        other.load("x.warc", links=True, content=True)
        for table in ("urls", "links", "outlinks", "link_skips", "hosts", "skips"):
            assert other.database.rows(f"FROM {table} ORDER BY ALL") == web.database.rows(
                f"FROM {table} ORDER BY ALL"
            )


WAT_HTML = {
    "Head": {
        "Title": "T &amp; U",
        "Metas": [
            {"name": "Keywords", "content": "k1, k2"},
            {"name": "description", "content": "d"},
            {"property": "og:x", "content": "no"},
        ],
        "Base": "/d/",
    },
    "Links": [
        {"path": "A@/href", "url": "x", "text": "Link  text"},
        {"path": "IMG@/src", "url": "i.png"},
        {"path": "A@/href", "url": "y"},
    ],
}
WAT = {
    "Envelope": {
        "WARC-Header-Metadata": {
            "WARC-Type": "response",
            "WARC-Target-URI": "http://b.com/q",
            "WARC-Date": "2020-01-01T00:00:00Z",
        },
        "Payload-Metadata": {
            "HTTP-Response-Metadata": {
                "Response-Message": {"Status": "200"},
                "HTML-Metadata": WAT_HTML,
                "Entity-Length": "77",
                "Headers": {"Content-Type": "text/html"},
            }
        },
    }
}


def test_a_wet_is_text_and_a_wat_is_everything_else(filled):
    web, _, _ = filled
    found = contents(web)
    assert found["http://wet.com/"][4:8] == ("Nur Text, 中文", "Nur Text, 中文", None, 16)
    said = ("T & U", "k1, k2", "d", None, None, None, None, 77, None, None, None)
    assert found["http://b.com/q"] == said
    assert anchors(web, "http://b.com/q") == {
        ("http://b.com/d/x", "Link text"),
        ("http://b.com/d/y", None),
    }
    of_q = terms(web, "http://b.com/q")
    assert of_q["anchor_own"] == {"link": 1, "text": 1} and "text" not in of_q


def test_a_load_leaves_again_and_what_it_replaced_comes_back(web, write):
    write(
        "one.warc", response("http://a.com/", PAGE) + response("http://a.com/x", "<p>only here</p>")
    )
    write(
        "two.warc",
        response(
            "http://a.com/", "<p>newer words</p><a href=/new>n</a>", date="2021-01-01T00:00:00Z"
        )
        + response("http://b.com/", "<p>two</p>"),
    )
    web.load("one.warc", content=True)
    before = dump(web)
    web.load("two.warc", content=True)
    assert (
        terms(web, "http://a.com/")["text"] == {"newer": 1, "words": 1, "n": 1}
        or "newer" in terms(web, "http://a.com/")["text"]
    )
    assert (
        web.database.value("SELECT count(*) FROM page_contents JOIN superseded USING (url_id)") == 1
    )
    web.unload("two.warc")
    assert dump(web) == before
    web.load("two.warc", content=True)
    web.unload("one.warc")
    with replicadb.open("other.duckdb") as other:
        other.load("two.warc", content=True)
        assert (
            dump(other)["contents"] == dump(web)["contents"]
            and dump(other)["vocabulary"] == dump(web)["vocabulary"]
        )
    web.unload("two.warc")
    assert counts(web) == [0, 0, 0, 0]


def test_a_known_file_is_loaded_again_with_content_by_force(web, write):
    write("x.warc", response("http://a.com/", PAGE))
    web.load("x.warc")
    assert "--content --force" in web.load("x.warc", content=True).warnings[0]
    assert web.load("x.warc", content=True, force=True).contents == 1
    assert not web.load("x.warc", content=True).warnings
    web.load("x.warc", force=True)
    assert counts(web) == [0, 0, 0, 0]


def test_only_what_is_stored_keeps_its_content(filled):
    web, _, rest = filled
    assert rest.contents == 1 + 1 + len(ALIKE) + 2  # of kept.com, said.com, the WET and the WAT
    assert terms(web, "http://kept.com/")["text"] == {"newest": 1}
    assert not anchors(web, "http://kept.com/")
    vocabulary = {term for (term,) in dump(web)["vocabulary"]}
    assert "newest" in vocabulary and not {"older", "excluded", "out"} & vocabulary


def test_a_revisit_has_the_content_that_it_repeats(filled, write):
    web, _, _ = filled
    assert set(terms(web, "http://said.com/d")["text"]) >= {"said", "once"} and anchors(
        web, "http://said.com/d"
    ) == {("http://said.com/x", "l")}
    write(
        "two.warc",
        captured("revisit", "http://again.com/e", 2022, "")
        + captured("revisit", "http://said.com/d", 2022, ""),
    )
    assert web.load("two.warc", content=True).contents == 2
    assert anchors(web, "http://said.com/d") == {("http://said.com/x", "l")}
    assert not anchors(web, "http://again.com/e")
    assert "url" in terms(web, "http://said.com/d")
    assert "url" not in terms(web, "http://again.com/e")
    assert "said" in terms(web, "http://again.com/e")["text"]


def test_the_command_keeps_content_and_reports_a_source_without(write, cli):
    write("x.csv", "url,digest\nhttp://b.com/,sha1:aa\n")
    write("x.warc", response("http://a.com/", PAGE))
    shown = cli("load", "new.duckdb", "x.csv", "x.warc", "--content")
    notes = [line for line in shown.err.splitlines() if line.startswith("note: ")]
    assert shown.code == 0 and "no content of pages" in notes[0]
    with replicadb.open("new.duckdb", read_only=True) as web:
        assert counts(web)[0] == 1


def test_a_missing_library_is_reported_before_anything_is_loaded(web, write, monkeypatch):
    write("x.warc", response("http://a.com/", PAGE))
    monkeypatch.setattr(extraction.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'replicadb\[pages\]'"):
        web.load("x.warc", content=True)
    assert web.load("x.warc").kept == 1


def test_real_files_add_up_with_content(web, shared):
    names = (
        "warcio/example.warc.gz",
        "commoncrawl-whirlwind/whirlwind.warc.wet.gz",
        "warcio/example.arc.gz",
    )
    files = [shared / "formats" / name for name in names]
    assert not web.load(*files, content=True).failed
    found = web.database.rows(
        """SELECT read = kept + replaced + skipped + rejected, kept + replaced,
            (SELECT count(*) FROM page_contents AS p WHERE p.source_id = s.source_id)
        FROM sources AS s"""
    )
    assert len(found) == len(names)
    for adds_up, kept, contents_kept in found:
        assert adds_up and (not kept or contents_kept)


@pytest.mark.parametrize("site", ["host", "host+1"])
def test_a_page_is_asked_about_by_its_url_whatever_a_site_is(filled, web, write, site):
    if site == "host":
        web = filled[0]
    else:
        write("x.warc", alike(*ALIKE))
        web.load("x.warc", content=True, site=site)
    for url in ("HTTP://www.Like.com:80/y/../x/./p?q=1#top", ALIKE[1], "http://like.org"):
        assert len(web.similar(url, method="rp").to_arrow()) == 2
    with pytest.raises(DataError, match="no such URL"):
        web.similar("http://like.com/p?q=1", method="rp")


def test_pages_that_say_nothing_are_no_near_duplicates_by_their_urls(web, write):
    urls = [
        f"{origin}/index.php?id={i}"
        for origin in ("http://a.com", "https://a.com", "http://b.com")
        for i in (1, 2)
    ]
    write(
        "x.warc",
        b"".join(response(url, "<frameset><frame src=x></frameset>") for url in urls)
        + response("http://c.com/", "<p>some words"),
    )
    assert web.load("x.warc", content=True).contents == 7
    for method in ("mwo", "rp+hm", "minhash"):
        found = web.fingerprint(method)
        assert (found.counts["pages"], found.counts["matches"]) == (1, 0)
        assert not len(web.similar(urls[0], method=method).to_arrow())
    assert web.fingerprint("exact", level="raw").counts["matches"] == 15


def test_terms_and_own_links_do_not_hang_on_how_a_url_is_written(web, write):
    page = (
        '<p>Text</p><a href="http://bücher.com/x">uni</a><a'
        ' href="http://xn--bcher-kva.com/y">puny</a><a'
        ' href="https://user@BÜCHER.com:443/z">odd</a><a href="//ücher.com/">else</a>'
    )
    spelled = [
        "http://bücher.com:80/ä/../ö?q=ü#part",
        "HTTP://XN--BCHER-KVA.com/%C3%B6?q=%C3%BC",
    ]
    found = []
    for i, url in enumerate(spelled):
        write(f"{i}.jsonl", json.dumps({"url": url, "html": page + " " * i}) + "\n")
        web.load(f"{i}.jsonl", content=True)
        found.append(terms(web, "http://xn--bcher-kva.com/%C3%B6?q=%C3%BC"))
    assert found[0] == found[1]
    assert found[0]["anchor_own"] == {"uni": 1, "puny": 1, "odd": 1} and found[0][
        "anchor_other"
    ] == {"else": 1}
    assert set(found[0]["url"]) == {"xn", "bcher", "kva", "com", "ö", "q", "ü"}
