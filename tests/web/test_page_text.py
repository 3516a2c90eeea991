"""One page into its content: title, text, terms by field, links, digests; any language, any
charset, and markup that means harm.
"""

from __future__ import annotations

import hashlib

import pytest

from replicadb.web.page_text import extract, looks_like_html

from .sample_page import PAGE

pytest.importorskip("resiliparse")
pytest.importorskip("selectolax")


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
        ("cp949", None, None),
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
