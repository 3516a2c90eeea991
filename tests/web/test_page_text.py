"""One page into its content: title, text, terms by field, links, digests; any language, any
charset, and markup that means harm.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

import pytest

pytest.importorskip("resiliparse")
pytest.importorskip("selectolax")

from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.errors import DataError
from replicadb.web import terms as words_module
from replicadb.web.charsets import decoded
from replicadb.web.folded_text import normal_text
from replicadb.web.html_links import (
    HTML_LIMIT,
    LONG_PAGE,
    MANY_TAGS,
    MOST_ATTRIBUTES,
    page_links,
    tamed,
    with_few_attributes,
)
from replicadb.web.page_text import BODY_LIMIT, TEXT_LIMIT, extract, looks_like_html
from replicadb.web.terms import LONGEST, words

PAGE = """<!doctype html><html><head><title> A  Page </title><meta name=Keywords
content="red, green"><meta name=description content="Says it.">
<meta name=description content="second"><base href="/d/"><link rel=canonical
href=/main></head><body>
<h1>Big <b>News</b></h1><p>First line of w<b>or</b>ds.<p>Second line.<h2></h2><h3>More</h3>
<a href="x">Own one</a> <a href="http://www.b.org/y">Other one</a> <a
href="http://A.com:80/z">Own two</a> <a href="mailto:me@a.com">Mail me</a>
<a name=n>none</a> <map><area href=m
alt="Map part"></map><script>var no = 1</script><style>p {no: 1}</style></body></html>"""


def test_every_field_of_a_page():
    page = extract(PAGE.encode(), "text/html; charset=utf-8", "http://a.com/dir/a%20b?q=1")
    assert (page.title, page.keywords, page.description, page.headings) == (
        "A  Page",
        "red, green",
        "Says it.",
        "Big News\nMore",
    )
    assert page.text.startswith(
        "Big News\nFirst line of words.\nSecond line.\nMore\n"
    ) and "no" not in page.text.replace("none", "")
    assert page.links == [
        ("x", "Own one"),
        ("http://www.b.org/y", "Other one"),
        ("http://A.com:80/z", "Own two"),
        ("mailto:me@a.com", "Mail me"),
        ("m", "Map part"),
    ]
    assert (page.base, page.canonical, page.length, page.body) == (
        "/d/",
        "/main",
        len(PAGE),
        PAGE.replace("var no = 1", "").replace("p {no: 1}", ""),
    )
    terms = {field: dict(counts) for field, counts in page.terms.items()}
    assert terms["url"] == {"a": 2, "com": 1, "dir": 1, "b": 1, "q": 1, "1": 1}
    assert (
        terms["title"] == {"a": 1, "page": 1}
        and terms["keywords"] == {"red": 1, "green": 1}
        and terms["description"] == {"says": 1, "it": 1}
    )
    assert terms["heading"] == {"big": 1, "news": 1, "more": 1}
    assert terms["anchor_own"] == {"own": 2, "one": 1, "two": 1, "map": 1, "part": 1} and terms[
        "anchor_other"
    ] == {"other": 1, "one": 1}
    assert terms["text"]["words"] == 1 and terms["text"]["line"] == 2
    assert (
        page.raw_digest == hashlib.sha1(PAGE.encode()).hexdigest()
        and page.text_digest == hashlib.sha1(page.text.encode()).hexdigest()
    )


def test_links_are_relative_to_the_host_of_the_base():
    page = extract(
        "<base href=http://b.org/d/><a href=x>there</a><a href=http://a.com/>here</a>",
        "text/html",
        "http://a.com/",
    )
    assert page.terms["anchor_other"] == {"there": 1} and page.terms["anchor_own"] == {"here": 1}


def test_boilerplate_is_no_main_text_where_enough_is_left():
    story = " ".join(f"sentence number {i} of a long story." for i in range(60))
    menu = "".join(f"<li><a href=/{i}>Menu entry {i}</a></li>" for i in range(20))
    page = extract(
        f"<body><nav><ul>{menu}</ul></nav><main><article><p>{story}</p></article></main>"
        "<footer>Imprint</footer>",
        "text/html",
    )
    assert (
        story in page.main_text
        and "Menu" not in page.main_text
        and "Menu entry 3" in page.text
        and "menu" not in page.terms["text"]
    )
    tiny = extract(f"<body><nav><ul>{menu}</ul></nav><main><p>short</p></main>", "text/html")
    assert tiny.main_text == tiny.text and tiny.terms["text"]["menu"] == 20


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html></html>",
        b"<frameset><frame src=a></frameset>",
        b"<meta http-equiv=refresh content='0; url=/x'>",
        b"<script>document.write('no')</script>",
        b"<!-- nothing -->",
        b"<p>&nbsp;</p>",
    ],
)
def test_a_page_without_text_has_none(body):
    page = extract(body, "text/html", "http://a.com/")
    assert (page.text, page.main_text, page.text_digest, page.normal_digest) == (None,) * 4 and set(
        page.terms
    ) == {"url"}


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("中文网页", {"中文", "文网", "网页"}),
        ("東京 タワー", {"東京", "タワ", "ワー"}),
        ("नमस्ते दुनिया", {"नमस्ते", "दुनिया"}),
        ("ภาษาไทย", {"ภาษ", "าษา", "ษาไ", "าไท", "ไทย"}),
        ("مرحبا بالعالم", {"مرحبا", "بالعالم"}),
        ("שלום עולם", {"שלום", "עולם"}),
        ("한국어 문서", {"한국어", "문서"}),
        ("Привет, мир!", {"привет", "мир"}),
        ("Ünïcode naïve", {"ünïcode", "naïve"}),
    ],
)
def test_terms_of_every_script(text, terms):
    assert set(extract(f"<p>{text}</p>", "text/html").terms["text"]) == terms
    assert set(extract(text).terms["text"]) == terms


@pytest.mark.parametrize(
    ("charset", "header", "meta"),
    [
        ("utf-8", None, None),
        ("utf-8", "utf-8", "latin-1"),
        ("cp1252", "iso-8859-1", None),
        ("cp1252", "utf-8", None),
        ("gb18030", None, "gb2312"),
        ("euc_jp", "euc-jp", None),
        ("cp932", None, "x-sjis"),
        ("cp949", "euc-kr", None),
        ("cp1251", "windows-1251", None),
        ("utf-16", None, None),
        ("cp1251", None, None),
        ("cp932", "utf-8", None),
        ("utf-8", "no-such-charset", "undefined"),
        ("utf-8", "punycode", "utf-7"),
    ],
)
def test_a_page_is_read_whatever_it_says_of_its_charset(charset, header, meta):
    text = {
        "cp1251": "Это русский текст, довольно длинный, чтобы угадать его кодировку. ",
        "euc_jp": "これは日本語の文章です。",
        "cp932": "これは日本語の文章です。漢字とかな。",
        "cp949": "한국어 문장입니다",
        "gb18030": "这是中文网页镕",
    }.get(charset, "Grüße, “déjà vu” – fin") * (8 if charset != "cp1252" else 1)
    said = f'<meta charset="{meta}">' if meta else ""
    page = extract(
        f"<html><head>{said}</head><p>{text}</p>".encode(charset),
        f"text/html; charset={header}" if header else "text/html",
    )
    assert page.text == text.strip()


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "Zug",
                "x" * 50,
                "a_b",
                "don’t",
                "naïve",
                "e\u0301",
                "=\u0338",
                "İstanbul",
                "ΑΣ.Α",
                "ﬁ½Ⅷ",
                "١٢",
                "क्षि",
                "\u200d",
                "日本語タワー",
                "ไทย",
                "\xa0",
                "\x85",
                "\u3000",
                "\ud800",
                "\U00020000",
                ".",
                "-",
                " ",
                "\n",
            ]
        )
        | st.text(max_size=5)
    )
)
def test_terms_are_those_of_a_regular_expression(pieces):
    text = unicodedata.normalize("NFKC", "".join(pieces)).lower()
    marks = (
        "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a"
        "\u064b-\u065f\u0670\u0900-\u0dff\u200c\u200d"
    )
    if not words_module._HAS_UNSPACED.search(text):
        assert words("".join(pieces)) == [
            word[:LONGEST] for word in re.findall(f"(?:[^\\W_]|[{marks}])+", text)
        ]
    assert all(0 < len(word) <= LONGEST for word in words("".join(pieces)))


def test_a_text_of_unknown_type_is_markup_by_its_looks():
    assert (
        looks_like_html("<!DOCTYPE html>x")
        and looks_like_html("Some <b>bold</b> text")
        and looks_like_html("\n<div class='a'>")
    )
    assert (
        not looks_like_html("a < b and c > d")
        and not looks_like_html("list<int> x")
        and not looks_like_html("plain")
    )
    plain = extract("if a <b\nthen  c\n\n", None, "http://a.com/t.txt")
    assert (plain.text, plain.main_text, plain.body, plain.length) == (
        "if a <b\nthen  c",
        "if a <b\nthen  c",
        None,
        17,
    )
    assert extract(b"<p>kept as it is", "text/plain").text == "<p>kept as it is"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Visited 1,234 times", "Visited  7\ntimes"),
        ("Monday, 3 March 2024, 10:15 PM: news", "Tue, 12 Jan 2023, 9:01 am: news"),
        ("Stand: Montag, 12. Dezember 2022", "Stand: 1.1.2020"),
        ("Publicado el 3 de marzo de 2024", "Publicado el 12 de mayo de 2021"),
        ("Le 14 février 2020 à Paris", "Le 1 août 2021 à Paris"),
        ("更新 2024年3月5日（火）です", "更新 2023年12月15日（金）です"),
        ("5 марта 2024 года", "12 мая 2021 года"),
        ("March 3rd, 2024 x", "May 4th, 2024 x"),
        ("2024-03-05T10:11:12 log", "1999-12-31T23:59:59 log"),
    ],
)
def test_what_changes_while_a_page_stays_the_same_is_folded(one, other):
    assert normal_text(one) == normal_text(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("May I", "April I"),
        ("Monday Club", "Friday Club"),
        ("h1 tag", "p1 tag"),
        ("3 men", "3 women"),
        ("Mar Vista", "Jan Vista"),
    ],
)
def test_what_is_no_date_stays(one, other):
    assert normal_text(one) != normal_text(other)


def test_a_text_without_letters_has_no_normal_form():
    assert (
        normal_text("12 345 --- 2024-01-01") is None
        and extract("<p>1 2 3</p>", "text/html").normal_digest is None
    )


@settings(max_examples=30, deadline=None)
@given(st.text(), st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_normal_form_is_a_normal_form(text, a, b):
    assert normal_text(normal_text(text) or "") == normal_text(text)
    assert normal_text(f"{text} {a} x") == normal_text(f"{text} {b}\n x")


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
