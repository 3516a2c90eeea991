"""Text into terms, whatever its language: runs of letters and digits in lower case; where a script
writes no blanks, two neighbouring characters (Han, kana) or three (Thai, Lao, Myanmar, Khmer).

Invariant: the same text gives the same terms in the same order, of 1 to LONGEST characters,
lower case, in compatibility form (NFKC). CJK bigrams as Nie and Ren (1999) and every search engine
since; stop words and stemming come later, on the vocabulary (term_vectors.py).
"""

from __future__ import annotations

import re
import unicodedata

LONGEST = 40  # characters of a term; what is longer is cut
LETTERS_END = "\u2fff"
"""Below it the scripts of letters: three of them make a term, for two would be the same few on
every page.
"""
_BLANKS = bytes(
    ord(chr(c).lower() if chr(c).isalnum() else " ") if c < 128 else c for c in range(256)
)
"""For bytes of UTF-8: ASCII letters in lower case, blanks for ASCII that is in no word, other
characters as they are.
"""
_UNSPACED = (  # Thai, Lao, Myanmar, Khmer, kana, Han: no blanks between words
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f"
    "\u0670\u0900-\u0dff\u200c\u200d"
)
_SIGN = re.compile(f"[^\\w\x00-\x7f{_MARKS}]")  # beyond ASCII what is in no word
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_TERM = re.compile(f"([{_UNSPACED}]+)|((?:[^\\W_{_UNSPACED}]+|[{_MARKS}])+)")


def words(text: str) -> list[str]:
    """The terms of a text in their order.

    Args:
        text: any text, without markup.

    Returns:
        Terms of at most LONGEST characters; [] for a text without letters and digits.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).lower()
        if _HAS_UNSPACED.search(text):
            return _unspaced_words(text)
        text = _SIGN.sub(" ", text)
    found = text.encode("utf-8", "replace").translate(_BLANKS).decode().split()
    return (
        [word[:LONGEST] for word in found] if max(map(len, found), default=0) > LONGEST else found
    )


def _unspaced_words(text: str) -> list[str]:
    """The terms of a text in lower case, where some script writes no blanks."""
    found: list[str] = []
    for unspaced, word in _TERM.findall(text):
        if word:
            found.append(word[:LONGEST])
        else:
            n = 2 if unspaced[0] > LETTERS_END else 3
            found += [unspaced[i : i + n] for i in range(len(unspaced) - n + 1)] or [unspaced]
    return found
