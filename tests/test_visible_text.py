"""What a terminal would obey, and what turns or hides writing, is shown as an escape."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.visible_text import visible


@given(st.text(st.characters()), st.booleans())
def test_nothing_stays_that_a_terminal_obeys(text, lines):
    for c in visible(text, lines):
        assert unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") or (
            lines and c == "\n"
        )


@pytest.mark.parametrize(
    "text, shown",
    [
        ("plain é 漢字", "plain é 漢字"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u200bb", "a\\u200bb"),
        ("a\u00a0b", "a b"),
        ("a\nb", "a\\nb"),
        ("\udcff", "\\udcff"),
        ("\x9b31m", "\\x9b31m"),
    ],
)
def test_odd_characters_are_shown(text, shown):
    assert visible(text) == shown
