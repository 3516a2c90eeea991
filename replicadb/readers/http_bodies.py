"""Undoing what HTTP did to a body: chunk framing, then content encodings. Broken data gives what
could be decoded.

Nothing here raises on bad data, and hardly more than ``limit`` bytes are held decoded, whatever the
compression ratio. Archives often store a body without the framing or encoding that its header still
names; such a body is passed through as it is.
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_FEED = 1024  # compressed bytes per step: at most 1 MiB of gzip or 32 MiB of zstd comes out of one
ZSTD_FRAME = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
_NO_ENCODING = ("", "identity", "none", "binary", "utf-8")


class Body(NamedTuple):
    """A decoded body and whether it is whole."""

    data: bytes
    whole: bool  # False if decoding broke off, the encoding is unknown, or the limit cut it


def decode_body(
    raw: bytes, transfer_encoding: str | None, content_encoding: str | None, limit: int = 16 << 20
) -> Body:
    """Decode a stored HTTP body.

    ``raw`` is the body as stored; the encodings are the values of the headers Transfer-Encoding and
    Content-Encoding (lists allowed, None if absent); ``limit`` is the most bytes to give back.
    """
    data, whole = raw, True
    # Each header lists encodings in the order applied, and the content's were applied first.
    for name in reversed(_names(content_encoding) + _names(transfer_encoding)):
        decode = _DECODERS.get(name)
        if decode:
            data, good = decode(data, limit)
            whole = whole and good
        elif name not in _NO_ENCODING:
            whole = False
    return Body(data[:limit], whole and len(data) <= limit)


def _names(value: str | None) -> list[str]:
    return [part.strip().lower() for part in (value or "").split(",")]


def _chunked(data: bytes, limit: int) -> tuple[bytes, bool]:
    if not _CHUNK_SIZE.match(data):
        return data, True  # the archive has undone it already
    out: list[bytes] = []
    at, size = 0, 0
    while size <= limit and (found := _CHUNK_SIZE.match(data, at)):
        length = int(found[1], 16)
        if length == 0:
            return b"".join(out), True
        piece = data[found.end() : found.end() + length]
        out.append(piece)
        size += len(piece)
        at = found.end() + length
        at += 2 if data[at : at + 2] == b"\r\n" else data[at : at + 1] == b"\n"
    return b"".join(out), False


def _gzip(data: bytes, limit: int) -> tuple[bytes, bool]:
    if data[:2] != b"\x1f\x8b":
        return data, True
    out, good, at = bytearray(), True, 0
    while good and data[at : at + 2] == b"\x1f\x8b" and len(out) <= limit:  # several are one body
        piece, good, at = _inflate(31, data, limit, at)
        out += piece
    return bytes(out), good


def _deflate(data: bytes, limit: int) -> tuple[bytes, bool]:
    wrapped, good, _ = _inflate(15, data, limit)
    if good:
        return wrapped, True
    bare, good, _ = _inflate(-15, data, limit)  # as some servers send it
    if good or len(bare) > len(wrapped):
        return bare, good
    return (wrapped, False) if wrapped else (data, not data)


def _inflate(window: int, data: bytes, limit: int, at: int = 0) -> tuple[bytes, bool, int]:
    """What stands at ``at`` decoded, whether the stream came to its end, and where that is."""
    inflate, out = zlib.decompressobj(window), bytearray()
    for start in range(at, len(data), _FEED):
        try:
            out += inflate.decompress(data[start : start + _FEED])
        except zlib.error:
            break
        if inflate.eof:
            return bytes(out), True, min(start + _FEED, len(data)) - len(inflate.unused_data)
        if len(out) > limit:
            break
    return bytes(out), False, len(data)


def _brotli(data: bytes, limit: int) -> tuple[bytes, bool]:
    import brotli

    decoder, out = brotli.Decompressor(), bytearray()
    try:
        out += decoder.process(data, output_buffer_limit=limit + 1)
        while len(out) <= limit and not decoder.can_accept_more_data():
            out += decoder.process(b"", output_buffer_limit=limit + 1 - len(out))
    except brotli.error:
        # Brotli has no magic number: a body that fails at once was most likely stored decoded.
        return (bytes(out), False) if out else (data, False)
    return bytes(out), decoder.is_finished()


def _zstd(data: bytes, limit: int) -> tuple[bytes, bool]:
    out, good, at = bytearray(), True, 0
    # several frames are one body, and some of them may be to be passed over
    while good and ZSTD_FRAME.match(data, at) and len(out) <= limit:
        piece, good, at = _frame(data, limit, at)
        out += piece
    return (bytes(out), good) if at else (data, True)


def _frame(data: bytes, limit: int, at: int) -> tuple[bytes, bool, int]:
    """As :func:`_inflate`, of one zstd frame."""
    import zstandard

    if data[at + 1 : at + 4] == b"\x2a\x4d\x18":  # its length, and what is passed over
        end = at + 8 + int.from_bytes(data[at + 4 : at + 8], "little")
        return b"", end <= len(data), min(end, len(data))
    decoder, out = zstandard.ZstdDecompressor().decompressobj(), bytearray()
    for start in range(at, len(data), _FEED):
        try:
            out += decoder.decompress(data[start : start + _FEED])
        except zstandard.ZstdError:
            break
        if decoder.eof:
            return bytes(out), True, min(start + _FEED, len(data)) - len(decoder.unused_data)
        if len(out) > limit:
            break
    return bytes(out), False, len(data)


_DECODERS = {
    "chunked": _chunked,
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
