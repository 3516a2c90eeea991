"""Decompressing a file from front to back, in bounded memory, and saying where it is broken instead of stopping.

A ``Source`` hands out decompressed pieces in order. Damage is an exception that names the place; after it, reading
goes on behind the damage where the format allows that (gzip members), or is at its end. The usual libraries stop at
the first broken gzip member and end quietly where a file is cut off, so gzip is done here member by member.
"""

from __future__ import annotations

import bz2
import contextlib
import os
import re
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from typing import BinaryIO, Protocol

from replicadb.errors import DataError

PIECE = 32 * 1024  # compressed bytes fed at once: small, because bytes past a member's end are copied back
OUTPUT = 64 * 1024  # decompressed bytes handed out at once: what is lost where a library's read fails
PATTERN = re.compile(r"[*?\[\]{}]")  # characters of a file name that DuckDB takes for a pattern
GZIP_MAGIC = b"\x1f\x8b\x08"
MAGICS = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bzip2"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"PAR1", "parquet"),
)


class Damage(Exception):
    """The compressed file is broken; the message is the reason, and reading on gives what follows, if anything."""


class Source(Protocol):
    """Decompressed pieces of one file in order."""

    def read(self) -> tuple[bytes, bool]:
        """Next piece and whether it opens a gzip member; (b'', False) at the end. Raises Damage."""

    def place(self, back: int = 0) -> str:
        """Where the reader is, for messages: 'byte 123', ``back`` decompressed bytes before the last piece's end."""


def kind_of(magic: bytes) -> str:
    """Name the compression by a file's first bytes: none, gzip, zstd, bzip2, lz4, zip or parquet."""
    if len(magic) >= 4 and 0x50 <= magic[0] <= 0x5F and magic[1:4] == b"\x2a\x4d\x18":
        return "zstd"
    return next((kind for start, kind in MAGICS if magic.startswith(start)), "none")


def head(path: str | os.PathLike, n: int = 65536) -> tuple[str, bytes]:
    """Compression of a file and its first ``n`` decompressed bytes (fewer if it is short, cut off or broken).

    For zip and parquet the bytes are the raw ones. Raises OSError if the file can't be opened.
    """
    with open(path, "rb") as raw:
        kind = kind_of(raw.read(8))
        raw.seek(0)
        if kind in ("zip", "parquet"):
            return kind, raw.read(n)
        source, data = open_source(raw, kind), b""
        while len(data) < n:
            try:
                piece, _ = source.read()
            except Damage:
                break
            if not piece:
                break
            data += piece
        return kind, data[:n]


def plain_copy(path: str | os.PathLike, directory: str | os.PathLike) -> str:
    """A path under which libraries can read the file: itself, or a decompressed copy in ``directory``.

    Zip and parquet files count as not compressed. A name that would be taken for a pattern gets a link in
    ``directory``. Raises DataError if the file is broken anywhere.
    """
    path = os.path.abspath(path)
    with open(path, "rb") as raw:
        kind = kind_of(raw.read(8))
        raw.seek(0)
        if kind in ("none", "zip", "parquet"):
            if not PATTERN.search(path):
                return path
            link = os.path.join(tempfile.mkdtemp(dir=directory), "plain")
            os.symlink(path, link)
            return link
        source = open_source(raw, kind)
        with tempfile.NamedTemporaryFile(dir=directory, suffix=".plain", delete=False) as out:
            try:
                while piece := source.read()[0]:
                    out.write(piece)
            except Damage as damage:
                os.unlink(out.name)
                raise DataError(f"{damage}; repair the file or fetch it again") from damage
        return out.name


def open_source(raw: BinaryIO, kind: str, is_start: Callable[[bytes], bool] | None = None) -> Source:
    """Decompress ``raw``, a seekable binary file at its beginning.

    ``is_start`` tells whether decompressed bytes begin a record; behind a broken gzip member, reading goes on at
    the next member for which it is true (any member if None).
    """
    if kind == "gzip":
        return GzipSource(raw, is_start or bool)
    if kind == "bzip2":
        return StreamSource(bz2.BZ2File(raw), "decompressed byte")
    if kind in ("zstd", "lz4"):
        # fastwarc's readers notice a file that is cut off, and know the dictionary frame of .warc.zst files.
        from fastwarc.stream_io import Lz4Reader, ZstdReader

        return StreamSource((ZstdReader if kind == "zstd" else Lz4Reader)(raw), "decompressed byte")
    return StreamSource(raw, "byte")


class StreamSource:
    """A file whose library reads it; broken data ends it."""

    def __init__(self, stream: BinaryIO, unit: str) -> None:
        self._stream, self._unit, self._offset = stream, unit, 0

    def read(self) -> tuple[bytes, bool]:
        try:
            piece = self._stream.read(OUTPUT)
        except Exception as error:  # each decompressor has its own error class, without a common base
            self._stream = _Nothing()
            raise Damage(f"data broken after {self.place()} ({_short(error)})") from error
        self._offset += len(piece)
        return piece, False

    def place(self, back: int = 0) -> str:
        return f"{self._unit} {self._offset - back}"


class GzipSource:
    """Gzip members one after the other; a broken one is left out and reading goes on at the next good one."""

    def __init__(self, raw: BinaryIO, is_start: Callable[[bytes], bool]) -> None:
        self._raw, self._is_start = raw, is_start
        self._waiting = b""  # compressed bytes read but not used
        self._offset = 0  # where in the file _waiting begins
        self._member = 0  # where the current member begins
        self._inflate = None  # decompressor of the current member, None between members
        self._opens = False  # nothing of the current member has been handed out

    def place(self, back: int = 0) -> str:
        return f"byte {self._member}"  # of the member: offsets inside one lead nowhere

    def read(self) -> tuple[bytes, bool]:
        while True:
            if not self._waiting:
                self._waiting = self._fetch()
                if not self._waiting:
                    return self._last_bytes(), False
            if self._inflate is None and not self._open_member():
                continue
            try:
                out = self._inflate.decompress(self._waiting, OUTPUT)
            except zlib.error:
                self._resynchronise()
            done = self._inflate.eof
            rest = self._inflate.unused_data if done else self._inflate.unconsumed_tail
            self._offset += len(self._waiting) - len(rest)
            self._waiting = rest
            if done:
                self._inflate = None
            if out:
                opens, self._opens = self._opens, False
                return out, opens

    def _open_member(self) -> bool:
        padding = len(self._waiting) - len(self._waiting.lstrip(b"\0"))  # tape-like padding is allowed
        self._waiting, self._offset = self._waiting[padding:], self._offset + padding
        self._member, self._opens = self._offset, True
        if self._waiting:
            self._inflate = zlib.decompressobj(31)
        return bool(self._waiting)

    def _last_bytes(self) -> bytes:
        if self._inflate is None:
            return b""
        inflate, self._inflate = self._inflate, None
        with contextlib.suppress(zlib.error):
            if out := inflate.decompress(b"", OUTPUT):
                self._inflate = inflate
                return out
        if inflate.eof:
            return b""
        raise Damage(f"file ends inside a record ({self.place()})")

    def _fetch(self) -> bytes:
        try:
            return self._raw.read(PIECE)
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
            self._raw, self._inflate = _Nothing(), None
            raise Damage(f"file can't be read behind byte {self._offset} ({_short(error)})") from error

    def _resynchronise(self) -> None:
        broken, self._inflate = self._member, None
        resume = self._next_member(broken + 1)
        if resume is None:
            self._raw, self._waiting = _Nothing(), b""
            raise Damage(f"gzip member broken at byte {broken}; no good one follows")
        self._raw.seek(resume)
        self._offset, self._waiting = resume, b""
        raise Damage(f"gzip member broken at byte {broken}; resumed at byte {resume}")

    def _next_member(self, start: int) -> int | None:
        """Offset of the first member at or behind ``start`` that decompresses to the beginning of a record."""
        offset, block = start, b""
        while True:
            self._raw.seek(offset + len(block))
            fresh = self._raw.read(1 << 20)
            if not fresh:
                return None
            block += fresh
            found = block.find(GZIP_MAGIC)
            while found >= 0:
                self._raw.seek(offset + found)
                with contextlib.suppress(zlib.error):
                    if self._is_start(zlib.decompressobj(31).decompress(self._raw.read(4096), 4096)):
                        return offset + found
                found = block.find(GZIP_MAGIC, found + 1)
            offset, block = offset + len(block) - 2, block[-2:]


class _Nothing:
    """A file at its end."""

    def read(self, _size: int = -1) -> bytes:
        return b""


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:80] or type(error).__name__
