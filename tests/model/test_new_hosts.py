"""Hosts as a crawler meets them: read one a line or by their pages, or refused with the line."""

from __future__ import annotations

import json
import re

import pytest

import replicadb
from replicadb.errors import DataError
from replicadb.model import Host, read_hosts


def test_hosts_are_read_one_a_line_or_by_their_pages(tmp_path):
    lines = [
        {
            "host": "New.Example",
            "ips": ["192.0.2.1"],
            "pages": [
                {"path": "/a b", "digest": "SHA1:" + "A" * 32, "mime": "Text/HTML; charset=x"},
                ["/c", None, None, " A  title "],
            ],
        },
        {
            "url": "https://other.example:8443/x?y#z",
            "fingerprint": "0" * 40,
            "ip": "2001:db8::1",
            "length": "12",
        },
        {"host": "new.example", "path": "d", "identifiers": {"mail": ["a@b.c"], "ads": ["1"]}},
        {"host": "new.example", "identifiers": {"mail": ["d@e.f"]}},
    ]
    (tmp_path / "hosts.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    new, other = read_hosts(tmp_path / "hosts.jsonl")
    assert (new.name, new.ips, [page.path for page in new.pages]) == (
        "new.example",
        ["192.0.2.1"],
        ["/a%20b", "/c", "/d"],
    )
    assert new.said == ["ads:1", "mail:a@b.c", "mail:d@e.f"] and other.said == []
    assert (new.pages[0].fingerprint, new.pages[0].mime, new.pages[1].title) == (
        ("sha1", "00" * 20),
        "text/html",
        "A title",
    )
    assert (other.name, other.pages[0].path, other.pages[0].length, other.ips) == (
        "other.example",
        "/x?y",
        12,
        ["2001:db8::1"],
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "no JSON"),
        ("url,digest", "no JSON: Expecting value; each line is an object, as .*jsonl"),
        ("[]", "not a JSON object"),
        ('{"host": "a b", "pages": [["/a"]]}', "'a b' is no host name"),
        ('{"pages": []}', "neither a host nor a url"),
        ('{"host": "a", "pages": 3}', "no list"),
        ('{"url": "http://a/", "host": 5}', "name of a host is '5', no text"),
        ('{"host": "a", "pages": ["/"]}', "begins with its path"),
        ('{"host": "a", "pages": [{}]}', "without a path"),
        ('{"url": "ftp://a/"}', "not http"),
        ('{"host": "a", "path": "/", "length": "long"}', "no number"),
        ('{"host": "a", "path": "/", "links": "http://b/"}', "not a list"),
        ('{"host": "a", "path": "/", "links": 5}', "not a list"),
        ('{"host": "a", "path": "/", "length": -5}', "below 0"),
        ('{"host": "a", "path": "/", "length": Infinity}', "no number"),
        ('{"host": "a", "path": ["/"]}', "path .* is no text"),
        ('{"host": "a", "path": "/", "mime": 5}', "mime '5' is no text"),
        ('{"host": "a", "path": "/", "fingerprint": {"sha1": 5}}', "fingerprint .* is no text"),
        ('{"host": "a", "identifiers": ["a@b.c"]}', "no object of lists by kind"),
        ('{"host": "a", "identifiers": {"phone": ["1"]}}', "unknown kind .*'phone'; there are ana"),
        ('{"host": "a", "identifiers": []}', "no object of lists by kind"),
        ('{"host": "a", "identifiers": {"mail": "a@b.c"}}', "of kind mail are no list of texts"),
        ('{"host": "a", "identifiers": {"mail": [5]}}', "of kind mail are no list of texts"),
        ('{"host": ' + "[" * 100_000, "nested too deep"),
        ('{"host": "\\ud800.com"}', "lone surrogate"),
        ('{"host": "a", "path": "/", "title": "\\udfff"}', "lone surrogate"),
    ],
)
def test_a_line_that_is_no_host_is_refused_with_its_number(tmp_path, line, reason):
    (tmp_path / "hosts.jsonl").write_text('{"host": "fine.example"}\n' + line + "\n")
    with pytest.raises(DataError, match=f"line 2: .*{reason}"):
        read_hosts(tmp_path / "hosts.jsonl")


@pytest.mark.parametrize("name", ["a b", "*.example", "a;b", "a.example b/c", ""])
def test_a_name_that_no_host_can_have_is_refused(name):
    with pytest.raises(DataError, match=f"^{re.escape(repr(name))} is no host name$"):
        Host(name)
    for good in ("a_b.example", "a.example/~ann", "192.0.2.7", "[2001:db8::1]", "bücher.example"):
        assert Host(good).name


def test_lines_of_a_host_in_any_spelling_are_of_one_host(tmp_path):
    lines = [
        {"url": "https://Shop.Example/a", "host": "Shop.Example"},
        {"host": "shop.example.", "pages": [["/b"]]},
        {"url": "https://shop.example:443/c"},
        {"url": "https://x.example/d", "host": "SHOP.example"},
        {"host": "https://shop.example:8443/of-a-page", "pages": [["/e"]]},
    ]
    (tmp_path / "hosts.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert [
        (host.name, [page.path for page in host.pages])
        for host in read_hosts(tmp_path / "hosts.jsonl")
    ] == [("shop.example", ["/a", "/b", "/c", "/d", "/e"])]
    assert Host("Müller.DE").name == "xn--mller-kva.de" and Host("A.com/X").name == "A.com/X"


@pytest.mark.parametrize("name", ["content", "html", "text", "body", "raw_content"])
def test_a_page_without_a_fingerprint_has_that_of_its_text_as_in_a_load(tmp_path, recwarn, name):
    """A recorded one goes first, and so does a recorded length."""
    rows = [
        {name: "<p>\u00fc"},
        {name: "a\n"},
        {name: ""},
        {name: "h", "digest": "md5:" + "0" * 32},
        {name: None, "length": 7, "digest": "-"},
        {name: "h\0\r\n"},
        {name: "h", "length": 7, "digest": None},
    ]
    lines = [{"url": f"http://a.example/{n}", **row} for n, row in enumerate(rows)]
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(str(path))
        loaded = web.database.rows("SELECT path, fingerprint, length FROM pages ORDER BY path")
    (host,) = read_hosts(path)
    assert recwarn.list == []
    assert loaded == [
        (page.path, page.fingerprint and page.fingerprint[1], page.length) for page in host.pages
    ]
    assert len({fingerprint for _, fingerprint, _ in loaded}) == 6


def test_what_is_no_text_is_no_page_and_of_texts_the_best_one_is(tmp_path):
    path = tmp_path / "pages.jsonl"
    path.write_text('{"url": "http://a.example/", "content": {"size": 5}}')
    with pytest.warns(UserWarning, match="not used: content"):
        (host,) = read_hosts(path)
    assert host.pages[0].fingerprint is None
    both = Host("a.example", [{"path": "/", "body": "b", "html": "h", "content": 5}])
    assert both.pages == Host("a.example", [{"path": "/", "html": "h"}]).pages


def test_a_text_of_a_host_that_is_of_no_page_is_named(tmp_path):
    path = tmp_path / "hosts.jsonl"
    pages = [{"path": "/", "html": "h"}]
    for more in ({}, {"pages": pages}, {"path": "/", "pages": pages}):
        path.write_text(json.dumps({"host": "a.example", "html": "h", **more}))
        with pytest.warns(UserWarning, match="not used: html"):
            read_hosts(path)


def test_a_digest_counts_where_the_fingerprint_is_null():
    (page,) = Host(
        "a.example", [{"path": "/", "fingerprint": None, "digest": f"sha1:{'a' * 40}", "text": "t"}]
    ).pages
    assert page.fingerprint == ("sha1", "a" * 40)


def test_half_a_character_in_a_text_is_refused():
    with pytest.raises(DataError, match="lone surrogate"):
        Host("a.example", [{"path": "/", "text": "\ud800"}])


def test_a_page_of_a_host_may_be_given_by_its_url():
    (page,) = Host("a.example", [{"url": "https://a.example/b c?d#e"}]).pages
    assert page.path == "/b%20c?d"
    with pytest.raises(DataError, match="not http"):
        Host("a.example", [{"url": "ftp://a.example/"}])


def test_lines_end_where_json_lines_do(tmp_path):
    title = "one\u2028two\x85three"
    (tmp_path / "hosts.jsonl").write_text(
        json.dumps({"host": "a.example", "pages": [["/", 77, None, title]]}, ensure_ascii=False)
        + "\r\n",
        "utf-8",
    )
    (host,) = read_hosts(tmp_path / "hosts.jsonl")
    assert (host.pages[0].title, host.pages[0].fingerprint) == ("one two three", ("other", "77"))


@pytest.mark.parametrize(
    ("given", "title"), [("-", None), ("", None), (" \ufeff ", None), ("a\ufeffb", "a b"), (0, "0")]
)
def test_a_title_is_kept_as_load_keeps_it(given, title):
    assert Host("a.example", [{"path": "/", "title": given}]).pages[0].title == title


def test_a_path_that_comes_twice_counts_once():
    host = Host(
        "a.example", [("/", "sha1:" + "1" * 40), ("/", "sha1:" + "2" * 40), ("/",), ("/x",)]
    )
    assert [
        (page.path, page.fingerprint and page.fingerprint[1][0]) for page in host.distinct()
    ] == [("/", "2"), ("/x", None)]


def test_fields_that_are_none_are_said_with_what_may_have_been_meant(tmp_path):
    rows = [
        {"host": "a.com", "identifer": {}, "pages": [{"path": "/", "fingerprnt": "sha1:1"}]},
        {"url": "http://b.com/", "digest": "sha1:2", "ip": "192.0.2.1"},
    ]
    (tmp_path / "hosts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    said = r"not used: identifer \(did you mean 'identifiers'.*, fingerprnt \(did you mean 'finge"
    with pytest.warns(UserWarning, match=said):
        read_hosts(tmp_path / "hosts.jsonl")


def test_a_host_is_complete_where_a_line_says_so(tmp_path):
    path = tmp_path / "new.jsonl"
    lines = [
        '{"url": "http://a.com/x"}',
        '{"host": "a.com", "complete": true}',
        '{"host": "b.com", "complete": null}',
    ]
    path.write_text("\n".join(lines))
    assert [(host.name, host.complete) for host in read_hosts(path)] == [
        ("a.com", True),
        ("b.com", False),
    ]
    path.write_text('{"host": "a.com", "complete": "yes"}')
    with pytest.raises(DataError, match=r"line 1: a\.com: complete is 'yes', neither"):
        read_hosts(path)


def test_identifiers_are_taken_in_the_forms_that_people_write():
    given = {
        "mail": ["Support@A.example "],
        "wallet": ["0xABCdef", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"],
        "analytics": ["ua-1234567-3", "g-abcdef12", "facebook:1"],
        "ads": ["ca-pub-1234567890123456"],
        "language": ["de"],
        "favicon": ["sha1:1"],
    }
    assert Host("a.com", identifiers=given).said == [
        "ads:pub-1234567890123456",
        "analytics:G-ABCDEF12",
        "analytics:UA-1234567",
        "analytics:facebook:1",
        "mail:support@a.example",
        "wallet:0xabcdef",
        "wallet:1BoatSLRHtKNngkdXEeobR76b53LETtpyT",
    ]


def test_addresses_that_are_none_cost_no_host(tmp_path):
    """As of a load: the host is kept without, and what was wrong is said."""
    path = tmp_path / "new.jsonl"
    path.write_text(
        '{"host": "a.example", "ips": ["", "10.0.0.1", "nowhere"], "pages": [{"path": "/"}]}\n'
        '{"host": "b.example", "ip": "", "pages": [{"path": "/"}]}\n'
    )
    with pytest.warns(UserWarning, match="not used: 'nowhere', which is no IP address"):
        one, other = read_hosts(path)
    assert (one.ips, other.ips) == (["10.0.0.1"], [])
