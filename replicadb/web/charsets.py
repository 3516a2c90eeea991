"""Bytes of a page into text: the charset that its header names, its own, UTF-8, or what it looks
like.

Nothing raises, no half of a character comes out, and the time is linear in the bytes. Labels mean
what browsers take them for, and a few broken bytes do not make a label wrong. Source: WHATWG
Encoding Standard, section 4.2 (names and labels); HTML Living Standard, section 13.2.3.2 (what a
page may say of itself).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

import webencodings

_META_CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE
)
_XML_ENCODING = re.compile(
    rb"\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*[\"']([A-Za-z0-9_.:-]{2,40})[\"']"
)
_HTTP_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
UNREAD = "\ufffd"
"""What stands for bytes that a charset cannot read."""
MOST_BROKEN = 0.1
"""Share of the bytes beyond ASCII that the charset of a page may leave unread. Of a text in another
charset UTF-8 leaves a half or more; those of East Asia may leave less, and are believed.
"""
IN_PAIRS = ("big5hkscs", "cp932", "cp949", "euc_jp", "gb18030")
"""Codecs whose characters beyond ASCII are pairs of bytes, most of them."""
_BEYOND_ASCII = bytes(range(0x80, 0x100))
WIDER = {"gbk": "gb18030", "x-user-defined": "cp1252"}
"""Encodings that are read by another's codec; of x-user-defined, browsers do so in pages."""
HISTORIC = {"hz-gb-2312": "hz", "iso-2022-kr": "iso2022_kr", "csiso2022kr": "iso2022_kr"}
"""Labels that browsers refuse for safety; old pages are written in them."""


def decoded(
    body: bytes, media_type: str | None, guess: Callable[[bytes], str | None] | None = None
) -> str:
    """The page as text.

    Args:
        body: the page, decoded from chunks and compression.
        media_type: its Content-Type, which may name a charset.
        guess: finds a charset from the bytes, where those that are named fail; None: as Western
            servers mean it.
    """
    for mark, codec in MARKS:
        if body.startswith(mark):
            return _storable(body[len(mark) :].decode(codec, "replace"))
    named = [
        codec
        for codec in dict.fromkeys((_in_header(media_type), _in_page(body), "utf-8"))
        if codec and not (codec.startswith("utf-16") and b"\0" not in body)
    ]  # markup has letters of ASCII, and UTF-16 a NUL beside each
    for codec in named:
        try:
            return body.decode(codec)
        except UnicodeError:
            continue
    if (page := _nearly(body, named)) is not None:
        return _storable(page)
    guessed = guess(body) if guess else None
    return _storable(body.decode((guessed and codec_of(guessed)) or "cp1252", "replace"))


def _nearly(body: bytes, named: list[str]) -> str | None:
    """The page by that charset of those named which reads most of it, the first of equals; None
    where that one, too, leaves more than MOST_BROKEN of the bytes beyond ASCII unread. A page that
    was cut off ends in half of a character, and one letter that a charset lacks is no other one.
    """
    unread, nth = min(
        (body.decode(codec, "replace").count(UNREAD), nth) for nth, codec in enumerate(named)
    )
    if unread > MOST_BROKEN * (len(body) - len(body.translate(None, _BEYOND_ASCII))):
        return None
    return body.decode(named[nth], "pairs" if named[nth] in IN_PAIRS else "replace")


def guessed(raw: bytes) -> str | None:
    """The charset that bytes look like, which are no UTF-8. The library says so where it has found
    none, and it does not know Korean.
    """
    from resiliparse.parse.encoding import detect_encoding

    found = detect_encoding(raw)
    return "euc-kr" if found == "utf-8" and _is_korean(raw) else found


def _is_korean(raw: bytes) -> bool:
    """Whether all bytes, but for half of a character at the end, are pairs of EUC-KR."""
    try:
        codecs.getincrementaldecoder("cp949")().decode(raw)
    except UnicodeError:
        return False
    return True


def _in_pairs(error: UnicodeError) -> tuple[str, int]:
    """Of a pair of bytes that is no character both go, so that the next one is not torn in two."""
    assert isinstance(error, UnicodeDecodeError)
    start, pair = error.start, error.object[error.start : error.start + 2]
    return UNREAD, max(error.end, start + 2 if pair[-1] > 0x7F and len(pair) == 2 else start + 1)


codecs.register_error("pairs", _in_pairs)


def codec_of(label: str) -> str | None:
    """Python's codec for a label; None where it means none."""
    known = webencodings.lookup(label)
    if known is None or known.name == "replacement":
        return HISTORIC.get(label.strip().lower())
    return WIDER.get(known.name) or str(known.codec_info.name)


def _in_header(media_type: str | None) -> str | None:
    found = _HTTP_CHARSET.search(media_type or "")
    return codec_of(found[1]) if found else None


def _in_page(body: bytes) -> str | None:
    """Of what a page says in bytes like ASCII's, UTF-16 is UTF-8."""
    found = _META_CHARSET.search(body[:2048]) or _XML_ENCODING.match(body[:2048])
    codec = codec_of(found[1].decode("ascii")) if found else None
    return "utf-8" if codec and codec.startswith("utf-16") else codec


def _storable(text: str) -> str:
    """A text without halves of characters."""
    return text.encode("utf-8", "replace").decode()
