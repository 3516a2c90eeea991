"""URLs: the SQL way and the WHATWG parser agree, the table of odd cases, and what is no
page's URL.

Tries distinct and urls, too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from replicadb.load.capture_store import prepare
from replicadb.load.odd_urls import parse_odd_urls
from replicadb.readers.capture_rows import ARCHIVE_SCHEMA
from replicadb.store.database import Database
from replicadb.web.machine_files import LIKELY
from replicadb.web.urls import host_name, parse_given_url, parse_ip

QUICK = (
    Phase.explicit,
    Phase.reuse,
    Phase.generate,
)  # the lists of URLs are large: shrinking takes minutes

NORMAL = [
    ("http://Example.COM", "http://example.com", "/"),
    ("example.com/x", "http://example.com", "/x"),
    ("//example.com/x?q", "http://example.com", "/x?q"),
    (" WWW.Example.com:8080 ", "http://www.example.com:8080", "/"),
    ("192.0.2.1/a", "http://192.0.2.1", "/a"),
    ("bücher.example", "http://xn--bcher-kva.example", "/"),
    ("shop.xn--p1ai/x.html", "http://shop.xn--p1ai", "/x.html"),
    ("HTTP://EXAMPLE.com/A", "http://example.com", "/A"),
    ("http://example.com:80/x", "http://example.com", "/x"),
    ("https://example.com:443/x", "https://example.com", "/x"),
    ("https://example.com:80/x", "https://example.com:80", "/x"),
    ("http://user:secret@example.com/", "http://example.com", "/"),
    ("http://example.com./x", "http://example.com", "/x"),
    ("http://example.com/x#part", "http://example.com", "/x"),
    ("http://example.com/x?#part", "http://example.com", "/x?"),
    ("http://example.com?q=1", "http://example.com", "/?q=1"),
    ("http://example.com/a/../b/./c", "http://example.com", "/b/c"),
    ("http://example.com/a/%2e%2E/b", "http://example.com", "/b"),
    ("http://example.com/..", "http://example.com", "/"),
    ("http://example.com\\a\\b", "http://example.com", "/a/b"),
    ("http:example.com/x", "http://example.com", "/x"),
    ("http:////example.com/x", "http://example.com", "/x"),
    ("http://münchen.de/ä", "http://xn--mnchen-3ya.de", "/%C3%A4"),
    ("http://MÜNCHEN.de/", "http://xn--mnchen-3ya.de", "/"),
    ("http://日本語。jp/", "http://xn--wgv71a119e.jp", "/"),
    ("http://0x7f.1/", "http://127.0.0.1", "/"),
    ("http://2130706433/", "http://127.0.0.1", "/"),
    ("http://[::1]:8080/x", "http://[::1]:8080", "/x"),
    ("http://[2001:DB8:0:0::1]/", "http://[2001:db8::1]", "/"),
    ("http://exa%6Dple.com/", "http://example.com", "/"),
    ("http://example.com/a b", "http://example.com", "/a%20b"),
    ('http://example.com/"q"', "http://example.com", "/%22q%22"),
    ("http://example.com/x?a='b'", "http://example.com", "/x?a=%27b%27"),
    ("  http://example.com/x  ", "http://example.com", "/x"),
    ("http://a_b.example.com/", "http://a_b.example.com", "/"),
    ("http://x';drop table urls;--.com/", None, "impossible host or port in URL"),
    ('http://a"b.com/', 'http://a"b.com', "/"),
    ("http://example.com:99999/", None, "impossible host or port in URL"),
    ("http://example.com:0/", None, "impossible host or port in URL"),
    ("http://example.com:x/", None, "impossible host or port in URL"),
    ("http://exa mple.com/", None, "impossible host or port in URL"),
    ("http://xn--a.com/", None, "impossible host or port in URL"),
    ("http://[::1/", None, "impossible host or port in URL"),
    ("http:///", None, "impossible host or port in URL"),
    ("http://", None, "impossible host or port in URL"),
    ("http://.example.com/", None, "empty label in host"),
    ("http://a..com/", None, "empty label in host"),
    ("ftp://example.com/", None, "scheme ftp is not http or https"),
    ("dns:example.com", None, "scheme dns is not http or https"),
    ("mailto:a@b.com", None, "scheme mailto is not http or https"),
    *[
        (text, None, "URL without a scheme")
        for text in (
            "index.html",
            "/a/b.com",
            "me@b.com",
            "Read this. Now",
            "1.2",
            "name",
            "a..com",
        )
    ],
    ("", None, "no URL"),
    ("   ", None, "no URL"),
    ("http://example.com/\x07", None, "control character in URL"),
    ("http://exam\tple.com/", None, "control character in URL"),
    ("http://example.com/\x7f", None, "control character in URL"),
    (f"http://{'a' * 249}.com/", f"http://{'a' * 249}.com", "/"),
    (f"https://{'a' * 249}.com/{'x' * 300}", f"https://{'a' * 249}.com", "/" + "x" * 300),
    (f"http://{'a' * 250}.com/", None, "host longer than 253 bytes"),
    (f"https://{'a.' * 125}com/{'x' * 300}", f"https://{'a.' * 125}com", "/" + "x" * 300),
    (f"https://{'a.' * 126}com/", None, "host longer than 253 bytes"),
    ("http://example.com/" + "x" * 1_000_000, None, "URL longer than 65536 bytes"),
    ("http://example.com/" + "{" * 30_000, None, "URL longer than 65536 bytes"),  # encoded
]


@pytest.mark.parametrize(
    ("url", "origin", "rest"), NORMAL, ids=[case[0][:40] or "empty" for case in NORMAL]
)
def test_a_url_takes_its_whatwg_form_or_is_rejected_with_a_reason(url, origin, rest):
    found = parse_given_url(url)
    assert (found[0], found[2] if origin else found[3]) == (origin, rest)


@cache
def lasting() -> Database:
    db = Database(":memory:")
    prepare(db)
    db.execute("SET VARIABLE all_types = true")
    db.execute("SET VARIABLE page_types = ['text/html']")
    return db


@contextlib.contextmanager
def back_again() -> Iterator[Database]:
    """A database for many calls: what is made inside is rolled back."""
    db = lasting()
    db.execute("BEGIN TRANSACTION")
    try:
        yield db
    finally:
        db.execute("ROLLBACK")
        db.con.unregister("given_urls")


def staged(urls: list[str]) -> dict[str, tuple]:
    """Each URL as the database takes it apart: (by SQL?, origin, host, path, reason)."""
    with back_again() as db:
        nothing = {
            name: pa.nulls(len(urls), ARCHIVE_SCHEMA.field(name).type)
            for name in ARCHIVE_SCHEMA.names
        }
        given_urls = nothing | {
            "position": list(range(len(urls))),
            "url": pa.array(urls, pa.string()),
        }
        db.con.register("given_urls", pa.table(given_urls, schema=ARCHIVE_SCHEMA))
        db.execute("CREATE TEMP TABLE staged AS SELECT *, NULL::VARCHAR AS user_id FROM given_urls")
        parse_odd_urls(db)
        db.execute("SET VARIABLE machine_files = true")
        for name in ("machine_files", "originals", "captures"):
            db.run("load/20_captures", {"likely": LIKELY}, only=name)
        rows = db.rows(
            """SELECT url, full_url IS NOT NULL AND url NOT IN (FROM odd_parsed SELECT url),
                origin, host_of(origin),
            substr(full_url, strlen(origin) + 1),
            coalesce(reason, substr(outcome, strlen('reject: ') + 1))
                FROM captures LEFT JOIN (FROM odd_parsed SELECT url, reason) USING (url)"""
        )
    return {row[0]: row[1:] for row in rows}


@pytest.mark.slow
def test_the_table_of_cases_comes_out_the_same_in_the_database():
    found = staged([case[0] for case in NORMAL])
    for url, _, _ in NORMAL:
        assert found[url][1:] == parse_given_url(url)


SCHEMES = st.sampled_from(["http://", "https://", "HTTP://", "http:/", "ftp://", ""])
LABELS = st.text("abz019-_X%é.", min_size=0, max_size=6)
TLDS = st.sampled_from(["com", "de", "co.uk", "c0m", "1", "xn--p1ai", "COM", "com.", ""])
PORTS = st.sampled_from(["", "", "", ":80", ":443", ":8080", ":0", ":70000"])
TAILS = st.text("abZ09/.%2eEfF?#&=;:@!$'()*+,-_~\\ \"<>[]{}|^`é\x07", max_size=20)


@pytest.mark.slow
@settings(max_examples=3, deadline=None, phases=QUICK, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.builds(
            lambda *parts: "".join(parts[:2]) + "." + "".join(parts[2:]),
            SCHEMES,
            LABELS,
            TLDS,
            PORTS,
            st.sampled_from(["/", "", "?"]),
            TAILS,
        ),
        min_size=100,
        max_size=100,
        unique=True,
    )
)
def test_the_sql_way_and_the_parser_agree_on_every_url_that_sql_accepts(urls):
    for url, (_, *parts) in staged(urls).items():
        assert tuple(parts) == parse_given_url(url), url


ORDINARY = st.builds(
    "{}://{}.com/{}".format,
    st.sampled_from(["http", "https"]),
    st.text("abxz0189-", min_size=2, max_size=8).filter(lambda host: host.strip("-") == host),
    st.text("abcXYZ019/.-_~!$&()*+,:;=@%?#", max_size=25),
)


@pytest.mark.slow
@settings(max_examples=3, deadline=None, phases=QUICK, suppress_health_check=list(HealthCheck))
@given(st.lists(ORDINARY, min_size=130, max_size=130, unique=True))
def test_ordinary_urls_agree_too_and_many_go_the_quick_way(urls):
    found = staged(urls)
    for url, (_, *parts) in found.items():
        assert tuple(parts) == parse_given_url(url), url


def test_plain_urls_go_the_quick_way():
    urls = [
        "http://example.com/",
        "https://www.example.co.uk/a/b.html?x=1&y=%C3%A4",
        "http://a1.b-2.com/x#frag",
    ]
    assert all(by_sql for by_sql, *_ in staged(urls).values())


@pytest.mark.parametrize("sign", ["\x01", "\t", "\x1f", "\x7f"])
def test_a_control_character_is_refused_in_a_fragment_too(sign):
    urls = [f"http://z.com/#.é>{sign}f", f"http://z.com/a#{sign}"]
    assert all(
        found[1:] == (None, None, None, "control character in URL")
        for found in staged(urls).values()
    )


@pytest.mark.parametrize(
    ("text", "ip", "net"),
    [
        ("1.2.3.4", "1.2.3.4", "1.2.3"),
        (" 1.2.3.4 ", "1.2.3.4", "1.2.3"),
        ("::ffff:1.2.3.4", "1.2.3.4", "1.2.3"),
        ("2001:DB8::1", "2001:db8::1", "2001:db8::/64"),
        ("[::1]", "::1", "::/64"),
        ("1.2.3", None, None),
        ("host", None, None),
        ("01.2.3.4", None, None),
        ("1.2.3.256", None, None),
    ],
)
def test_an_address_takes_one_form_and_its_network(text, ip, net):
    assert parse_ip(text) == (ip, net)


def test_names_of_many_labels_end_in_the_same_suffixes(web, write):
    """Endings are tried up to the longest rule's labels only."""
    endings = {
        "com": "com",
        "com.br": "com.br",
        "a.kawasaki.jp": "a.kawasaki.jp",
        "city.kawasaki.jp": "kawasaki.jp",
        "nothing": "nothing",
    }
    hosts = {
        ".".join("abcdefghij"[i % 10] for i in range(n)) + "." + ending: suffix
        for ending, suffix in endings.items()
        for n in (3, 90)
    }
    web.load(write("many.csv", "url\n" + "".join(f"http://{host}/\n" for host in hosts)))
    assert dict(web.database.rows("SELECT host, suffix FROM hosts")) == hosts
    assert all(
        host == f"{name}.{suffix}"
        for host, name, suffix in web.database.rows("SELECT host, name, suffix FROM hosts")
    )


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("https://A.Example.:8080/x", "a.example"),
        ("bank[.]example", "bank.example"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("my_shop.example", "my_shop.example"),
        ("http://[::1]/", "[::1]"),
        ("intranet", "intranet"),
        *(
            (text, None)
            for text in ("*.example", "a;b", "a,b", "a b", "a\tb", "a..b", "|", "", "/x", "http://")
        ),
    ],
)
def test_a_host_name_is_one_that_can_be_looked_up(text, host):
    assert host_name(text) == host
