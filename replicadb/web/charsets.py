"""Bytes of a page into text: the charset that its header names, its own, UTF-8, or what it looks
like.

Always true here: nothing raises, no half of a character comes out, and the time is linear in the
bytes. Labels mean what browsers take
them for. Source: WHATWG Encoding Standard, section 4.2 (names and labels), cut to what Python
decodes under another name.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

_META_CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE
)
_HTTP_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
"""Python's name of a charset: the superset that browsers read it as."""
NO_CHARSETS = (
    "idna",
    "punycode",
    "utf-7",
    "unicode_escape",
    "raw-unicode-escape",
    "unicode-escape",
    "undefined",
    "mbcs",
    "oem",
    "utf-16",
    "utf-32",
)
"""Codecs of Python that no page is written in, and two that need a mark at the beginning; some take
time by the square.
"""


def decoded(
    body: bytes, media_type: str | None, guess: Callable[[bytes], str | None] | None = None
) -> str:
    """The page as text.

    Args:
        body: the page, decoded from chunks and compression.
        media_type: its Content-Type, which may name a charset.
        guess: tells a charset from the bytes, where those that are named fail; None: as Western
            servers mean it.
    """
    for mark, charset in MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(charset, "replace").encode("utf-8", "replace").decode()
    named = _HTTP_CHARSET.search(media_type or "")
    own = _META_CHARSET.search(body[:2048])
    for label in (named and named[1], own and own[1].decode("ascii"), "utf-8"):
        charset = _charset(label)
        if charset is None:
            continue
        try:
            return body.decode(charset)
        except (UnicodeError, LookupError):
            continue
    return (
        body.decode((guess and _charset(guess(body))) or "cp1252", "replace")
        .encode("utf-8", "replace")
        .decode()
    )


def _charset(label: str | None) -> str | None:
    """The codec of a label; None where it means none."""
    try:
        found = codecs.lookup(label.removeprefix("x-")) if label else None
    except (LookupError, UnicodeError, ValueError):
        return None
    if found is None or found.name in NO_CHARSETS or not getattr(found, "_is_text_encoding", True):
        return None
    return WIDER.get(found.name, found.name)
