"""Terms: what a word is, in every script."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.web import terms as words_module
from replicadb.web.page_text import extract
from replicadb.web.terms import LONGEST, words


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
