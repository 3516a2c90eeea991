"""Text that is safe to look at: what a terminal would obey, and what turns or hides writing, is
shown as an escape.

Invariant: after :func:`visible` there is no control character, no mark of direction or without
width and no half of a surrogate pair (such as stands for a byte that is not UTF-8 in a file name).
"""

from __future__ import annotations

import unicodedata


def visible(text: str, lines: bool = False) -> str:
    """The text with odd characters as ``\\x1b`` or ``\\u202e``; odd blanks are blanks.

    Args:
        text: any text.
        lines: keep line breaks, in a text of several lines.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or (lines and c == "\n") else _escaped(c) for c in text)


def _escaped(c: str) -> str:
    if unicodedata.category(c) == "Zs":
        return " "
    return c.encode("unicode_escape", "surrogatepass").decode("ascii")
