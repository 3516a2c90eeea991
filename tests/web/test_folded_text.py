"""The normal form of a text: what changes while a page stays the same is folded."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.web.folded_text import normal_text
from replicadb.web.page_text import extract


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
