"""Pages that mean harm cost little: attributes by the hundred thousand, text of any bytes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.errors import DataError
from replicadb.web.charsets import decoded
from replicadb.web.html_links import (
    HTML_LIMIT,
    LONG_PAGE,
    MANY_TAGS,
    MOST_ATTRIBUTES,
    page_links,
    tamed,
    with_few_attributes,
)
from replicadb.web.page_text import BODY_LIMIT, TEXT_LIMIT, extract

from .sample_page import PAGE

HOSTILE = {
    "100,000 nested tags": b"<div>" * 100_000 + b"deep text",
    "nested in headings": b"<h1><div>" * 50_000 + b"deep text",
    "headings and links": b"<h1><a href=x>" * 10_000 + b"deep text",
    "unclosed": b"<b><i>" * 50_000 + b"deep text",
    "just below": b"<div>" * (MANY_TAGS // 4) + b"deep text",
    "cut-off tags": b"<div " * 200_000,
    "nothing but starts": b"<" * 300_000,
    "a tag without end": b"<" + b"a" * (1 << 21),
    "1 MB attribute": b'<p title="' + b"x" * (1 << 20) + b'">deep text',
    "an attribute without end": b'<p title="' + b"x" * (1 << 20),
    "comments": b"<!-- " * 100_000 + b"x --> deep text",
    "declarations": b"<!" * 200_000,
    "sections": b"<![CDATA[" * 100_000,
    "one line": b"<p>" + b"word " * (1 << 18),
    "blanks": b"<pre>" + b" " * (1 << 21) + b"deep text",
    "one word": b"<p>" + b"a" * (1 << 21),
    "halves of characters": b"&#xD800;" * 5000 + b"deep text",
    "entities": b"&amp" * (1 << 18),
    "a slow charset": b"<meta charset=punycode><p>" + b"abc-def " * 50_000,
    "dates": b"1 jan " * 200_000,
    "numbers": b"1." * 500_000,
    "NULs": b"<p>ma\0ny words of text </p>" * 500 + b"deep text",
    "metas": b"<meta name=a content=b>" * 50_000 + b"deep text",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_page_that_means_harm_costs_little(body):
    page = extract(body, "text/html", "http://a.com/")
    if b"deep text" in body:
        assert "deep text" in page.text and page.terms["text"]["deep"] == 1
    for text in (page.title, page.text, page.main_text, page.body, page.headings):
        assert text is None or (len(text.encode()) <= TEXT_LIMIT and "\0" not in text)
    assert len((page.body or "").encode()) <= BODY_LIMIT


@pytest.mark.slow
def test_100_000_links_are_100_000_links():
    page = extract(
        b"".join(b"<li><a href=/%d>l%d</a>" % (i, i) for i in range(100_000)),
        "text/html",
        "http://a.com/",
    )
    assert (
        len(page.links) == 100_000
        and page.links[-1] == ("/99999", "l99999")
        and len(page.terms["anchor_own"]) == 100_000
    )
    assert len(page.text.encode()) <= TEXT_LIMIT < sum(map(len, page.terms["text"]))


@pytest.mark.parametrize(
    "body",
    [bytes(range(256)) * 100, b"\x89PNG\r\n\x1a\n" + bytes(100), b"%PDF-1.4 text", b"\0" * 1000],
)
def test_what_is_no_text_is_refused(body):
    with pytest.raises(DataError, match="binary"):
        extract(body, "text/html")


def test_what_is_too_large_is_refused():
    with pytest.raises(DataError, match="16 MiB"):
        extract(b"a" * (HTML_LIMIT + 1), "text/html")


def test_a_tamed_page_keeps_its_words_apart_and_its_headings():
    rows = "<tr><td>one</td><td>t<b>w</b>o</td></tr>" * 5000
    page = extract(
        f"<title>T</title><h1>Head</h1><table>{rows}</table><a href=/x>link</a>", "text/html"
    )
    assert page.terms["text"] == {"head": 1, "one": 5000, "two": 5000, "link": 1} and (
        page.title,
        page.headings,
        page.links,
    ) == ("T", "Head", [("/x", "link")])
    assert tamed("<p>few") == "<p>few"


@pytest.mark.parametrize("attribute", ["a{}=1", 'a{}=">"', "a{}='<b c=d>'", "{}a/", '{}="'])
def test_of_150_000_attributes_of_a_tag_the_parser_sees_few(attribute):
    body = f"<p {' '.join(map(attribute.format, range(150_000)))}>deep words <a href=/x>link</a>"
    assert len(tamed(body)) < LONG_PAGE  # of all of them it would take half a minute
    page = extract(body, "text/html")
    if not attribute.endswith('"'):
        assert (page.text, page.links) == ("deep words link", [("/x", "link")])


def test_pages_without_such_tags_stay_as_they_are():
    listed = " ".join(f"x{i}" for i in range(2 * MOST_ATTRIBUTES))
    few = " ".join(f"x{i}" for i in range(MOST_ATTRIBUTES))
    for page in (
        f"<script>for (i<n; {listed}) {{}}</script><p>a",
        f"<!-- <b {listed}> --><p>a",
        f"<title>a<b {listed}</title>",
        f"<p {few}>a",
        f"1 <2 {listed} </ {listed}",
        f"<p x='{listed}'>",
        PAGE,
    ):
        assert with_few_attributes(page) == page
    assert with_few_attributes(f"<p>a<p {listed}>b<p {listed} />c") == f"<p>a<p {few}>b<p {few} />c"


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="<>a! ='\"/-", max_size=60))
def test_no_short_text_has_so_many_attributes_and_any_is_read_to_its_end(text):
    assert with_few_attributes(text) == text
    assert len(tamed(text)) < LONG_PAGE


def test_links_are_the_same_as_those_of_the_reader_of_links():
    links = page_links(PAGE.encode(), "text/html")
    page = extract(PAGE.encode(), "text/html")
    assert ([href for href, _ in page.links], page.canonical, page.base, page.title) == (
        links.links,
        links.canonical,
        links.base,
        links.title,
    )


@settings(max_examples=30, deadline=None)
@given(
    st.binary(max_size=300),
    st.sampled_from(
        [
            None,
            "text/html",
            "text/plain; charset=utf-16",
            "text/html; charset=idna",
            "text/html; charset=shift_jis",
        ]
    ),
)
def test_any_bytes_are_content_that_can_be_stored_or_refused(body, media_type):
    decoded(body, media_type).encode()
    try:
        page = extract(body, media_type, "http://a.com/")
    except DataError:
        return
    for text in (
        page.title,
        page.keywords,
        page.description,
        page.headings,
        page.text,
        page.main_text,
        page.body,
        *(href for href, _ in page.links),
    ):
        assert text is None or (text and "\0" not in text and text.encode())


def test_the_kept_markup_is_without_scripts_and_styles():
    page = "<p>a<script x=1>var a='</p>'</SCRIPT><STYLE >b{}</style><b>c</b>" + "<i>d</i>" * 5000
    kept = extract(page, "text/html").body
    assert (
        kept.startswith("<p>a<script x=1></SCRIPT><STYLE ></style><b>c</b><i>d</i>")
        and len(kept) == 1 << 14
    )
    assert extract("<p>a<script>never closed <p>b", "text/html").body == "<p>a<script>"
