"""The language that most pages of a host say that they are in.

Invariant: a language is a number as sql/detect/35_shared_evidence makes it of its ISO 639 code, so
two are the same where their numbers are; 0 is unknown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

NO_LANGUAGE = frozenset(("und", "un", "unk", "mul", "mis", "zxx", "xx", "xxx"))
"""Codes for an unknown language, for several, for none."""
THREE_LETTERS = 729
"""Numbers of codes of three letters begin here: they are not compared with those of two."""
_FIRST = re.compile(r"""[ \t["']*(?:__label__)?([A-Za-z]{2,3})(?![A-Za-z])""")


class MainLanguage(NamedTuple):
    """A language, and how sure it is."""

    number: int = 0
    pages: int = 0
    """In it."""
    spoken: int = 0
    """In any language that is known."""


def language_code(text: str | None) -> str | None:
    """The code of a language as a crawl has it, ``de`` of ``de-AT``, of fastText's
    ``__label__de`` and of a list ``[de, fr]``: of several the first.
    """
    found = _FIRST.match(text) if text else None
    code = found[1].lower() if found else None
    return None if code in NO_LANGUAGE else code


def number_of(code: str) -> int:
    """Of a code of two or three letters, a to z."""
    number = 0
    for letter in code:
        number = number * 27 + ord(letter) - 96
    return number


def main_language(codes: Iterable[str | None]) -> MainLanguage:
    """Of pages' codes; None is unknown. Between languages of as many pages the last by its code."""
    said = Counter(code for code in codes if code)
    if not said:
        return MainLanguage()
    pages, code = max((n, code) for code, n in said.items())
    return MainLanguage(number_of(code), pages, said.total())
