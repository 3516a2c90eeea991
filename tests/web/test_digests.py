"""What Python computes of a value is what SQL computes of it."""

from __future__ import annotations

import base64
import hashlib

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.store.statements import statements
from replicadb.web import digests

SEGMENT = st.text("abc.?=&-é", max_size=4)
PATHS = st.lists(SEGMENT, max_size=5).map(lambda parts: "/" + "/".join(parts))
HEX = "0123456789abcdefABCDEF"
DIGESTS = st.one_of(
    st.sampled_from([32, 40, 64, 33]).flatmap(lambda n: st.text(HEX, min_size=n, max_size=n)),
    st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", min_size=32, max_size=32),
    st.text("abcdefgz234567", min_size=32, max_size=32),
    st.text("abz:-19F", max_size=12),
).flatmap(
    lambda d: st.sampled_from(["", "sha1:", "SHA-1:", "md5:", "sha-256:", "xx:", "urn:sha1:"]).map(
        lambda prefix: prefix + d
    )
)


@pytest.fixture(scope="module")
def sql():
    with duckdb.connect() as con:
        for stem, names in (
            (
                "functions/10_hashes",
                ("hash64", "segment_of", "without_count", "tail_of", "section_of"),
            ),
            (
                "functions/30_digests",
                (
                    "trimmed",
                    "unless_blank",
                    "base32_hex",
                    "plain_digest",
                    "digest_kind",
                    "digest_value",
                    "known",
                    "media_type",
                    "of_nothing",
                ),
            ),
            ("model/10_pages", ("low32",)),
        ):
            for name in names:
                con.execute(statements(stem)[name])

        def ask(expression: str, values: list[str]) -> list[tuple]:
            con.execute(
                "CREATE OR REPLACE TABLE given AS SELECT unnest($v::VARCHAR[]) AS v", {"v": values}
            )  # a column, as in a load: constants are worked out in all branches
            return con.execute(f"SELECT {expression} FROM given ORDER BY rowid").fetchall()

        yield ask


def many(what):
    return st.lists(what, min_size=1, max_size=50)


@settings(max_examples=15, deadline=None)
@given(many(PATHS))
def test_parts_of_paths_and_hashes(sql, paths):
    found = sql("segment_of(v), tail_of(v), section_of(v), hash64(v), low32(hash64(v))", paths)
    assert found == [
        (
            digests.segment_of(p),
            digests.tail_of(p),
            digests.section_of(p),
            digests.hash64(p),
            int(digests.low32(digests.hashes([p]))[0]),
        )
        for p in paths
    ]


@pytest.mark.parametrize(
    ("path", "tail"),
    [
        ("/article/3.html", "0.html"),
        ("/article/12.html", "0.html"),
        ("/show.php?f=2&t=154", "show.php?f=0&t=0"),
        ("/show.php?f=2&t=15432", "show.php?f=2&t=15432"),
        ("/2019/07/page-2/", "page-0/"),
        ("/a/2026-03-01", "2026-03-01"),
        ("/", "/"),
        ("/x/", "x/"),
        ("/x٣", "x٣"),
        ("/thinkpython2013.html", "thinkpython2013.html"),
        ("/page_2", "page_2"),
        ("/é2", "é0"),
        ("/v2/2nd-3.html", "2nd-0.html"),
    ],
)
def test_small_numbers_say_nothing(sql, path, tail):
    assert digests.tail_of(path) == tail and sql("tail_of(v)", [path]) == [(tail,)]


@pytest.mark.parametrize("kind", ["md5", "sha1", "sha256"])
def test_no_byte_is_no_content(sql, kind):
    nothing, something = (hashlib.new(kind, text).hexdigest() for text in (b"", b" "))
    assert digests.fingerprint_of(nothing) is None and digests.fingerprint_of(something) == (
        kind,
        something,
    )
    assert sql("of_nothing(v)", [nothing, something]) == [(True,), (False,)]


IN_BASE32 = "XS4KYNCPEJZIYAOTQYHFG5CGVPDBNMWL"
IN_HEX = base64.b32decode(IN_BASE32).hex()


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (IN_BASE32, ("sha1", IN_HEX)),
        (f"sha1:{IN_BASE32.lower()}", ("sha1", IN_HEX)),
        (IN_BASE32.lower(), ("other", IN_BASE32.lower())),
        ("A2B3C4D5" * 4, ("md5", "a2b3c4d5" * 4)),
        ("sha1:" + "a2b3c4d5" * 4, ("sha1", base64.b32decode("A2B3C4D5" * 4).hex())),
    ],
)
def test_base32_alone_is_known_in_upper_case(sql, text, known):
    """Of 32 characters that may be hex, too, it is an MD5, unless it says otherwise."""
    assert digests.fingerprint_of(text) == known
    assert sql("digest_kind(v), digest_value(v)", [text]) == [known]


@pytest.mark.slow
@settings(max_examples=5, deadline=None)
@given(many(DIGESTS))
def test_fingerprints(sql, texts):
    d = "known(CASE WHEN starts_with(v, 'urn:') THEN v[5:] ELSE v END)"
    found = sql(f"{d}, digest_kind({d}), digest_value({d})", texts)
    assert [digests.fingerprint_of(text) for text in texts] == [
        (kind, value) if known is not None else None for known, kind, value in found
    ]


@settings(max_examples=15, deadline=None)
@given(
    many(
        st.one_of(
            st.sampled_from(
                ["-", "-;/", "Text/HTML;charset=x", "warc/revisit", " image/png ;a", " HTML ;a"]
            ),
            st.sampled_from([*digests._UNKNOWN_TYPES, *digests._TYPE_WORDS, "jpg"]),
            st.text("tex/;HM -", max_size=8),
        )
    )
)
def test_media_types(sql, texts):
    assert [(digests.media_type(text),) for text in texts] == sql("media_type(v)", texts)


def test_a_page_named_by_one_word_is_a_page():
    assert [digests.media_type(word) for word in ("HTML", "pdf", "text", "jpg", None)] == [
        "text/html",
        "application/pdf",
        "text/plain",
        "jpg",
        None,
    ]
