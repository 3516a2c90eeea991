"""Text into terms, whatever its language: runs of letters and digits in lower case; where a script writes no blanks, two
neighbouring characters (Han, kana) or three (Thai, Lao, Myanmar, Khmer).

Always true here: the same text gives the same terms in the same order, of 1 to LONGEST characters, lower case, in compatibility form (NFKC).
CJK bigrams as Nie and Ren (1999) and every search engine since; stop words and stemming come later, on the vocabulary (vectors.py).
"""

from __future__ import annotations

import re
import unicodedata

LONGEST = 40  # characters of a term; what is longer is cut
LETTERS_END = "\u2fff"
"""Below it the scripts of letters: three of them make a term, for two would be the same few on every page."""
_ASCII = re.compile(r"[a-z0-9]+")
_UNSPACED = ("\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
             "\U00020000-\U0003ffff")  # Thai, Lao, Myanmar, Khmer, kana, Han: no blanks between words
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff\u200c\u200d"
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_WORD = re.compile(f"(?:[^\\W_]+|[{_MARKS}])+")
_TERM = re.compile(f"([{_UNSPACED}]+)|((?:[^\\W_{_UNSPACED}]+|[{_MARKS}])+)")


def words(text: str) -> list[str]:
    """The terms of a text in their order.

    Args:
        text: any text, without markup.

    Returns:
        Terms of at most LONGEST characters; [] for a text without letters and digits.
    """
    if text.isascii():
        return [word[:LONGEST] for word in _ASCII.findall(text.lower())]
    text = unicodedata.normalize("NFKC", text).lower()
    if not _HAS_UNSPACED.search(text):
        return [word[:LONGEST] for word in _WORD.findall(text)]
    found: list[str] = []
    for unspaced, word in _TERM.findall(text):
        if word:
            found.append(word[:LONGEST])
        else:
            n = 2 if unspaced[0] > LETTERS_END else 3
            found += [unspaced[i:i + n] for i in range(len(unspaced) - n + 1)] or [unspaced]
    return found
