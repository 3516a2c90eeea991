"""Decompressing a file from front to back, in bounded memory, and saying where it is broken instead
of stopping.

A ``Source`` hands out decompressed pieces in order. Damage is an exception that names the place;
reading on gives what follows behind the damage, where the format allows that (``members``), or the
end.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from replicadb.errors import DataError, UnreadableError
from replicadb.readers.compressed_members import OUTPUT, UNPACKERS, Damage, MemberSource, short

if TYPE_CHECKING:
    import zstandard

PATTERN = re.compile(r"[*?\[\]{}]")  # characters of a file name that DuckDB takes for a pattern
MAGICS = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bzip2"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"PAR1", "parquet"),
)


class Source(Protocol):
    """Decompressed pieces of one file in order."""

    def read(self) -> tuple[bytes, bool]:
        """Next piece and whether it opens a gzip member; (b'', False) at the end. Raises Damage."""

    def place(self, back: int = 0) -> str:
        """Where the reader is, for messages: 'byte 123', ``back`` decompressed bytes before the
        last piece's end.
        """


def kind_of(magic: bytes) -> str:
    """Name the compression by a file's first bytes: none, gzip, zstd, bzip2, lz4, zip
    or parquet.
    """
    if len(magic) >= 4 and 0x50 <= magic[0] <= 0x5F and magic[1:4] == b"\x2a\x4d\x18":
        return "zstd"
    return next((kind for start, kind in MAGICS if magic.startswith(start)), "none")


def head(path: str | os.PathLike[str], n: int = 65536) -> tuple[str, bytes]:
    """Compression of a file and its first ``n`` decompressed bytes (fewer if it is short, cut off
    or broken).

    For zip and parquet the bytes are the raw ones. Raises OSError if the file can't be opened.
    """
    with open(path, "rb") as raw:
        kind = kind_of(raw.read(8))
        raw.seek(0)
        if kind in ("zip", "parquet"):
            return kind, raw.read(n)
        source, data = open_source(raw, kind), bytearray()
        while len(data) < n:
            try:
                piece, _ = source.read()
            except Damage:
                break
            if not piece:
                break
            data += piece
        return kind, bytes(data[:n])


def broken(path: str | os.PathLike[str]) -> str | None:
    """Why not one byte of a file can be unpacked; None where it is empty, packed or not."""
    with open(path, "rb") as raw:
        kind = kind_of(raw.read(8))
        raw.seek(0)
        try:
            open_source(raw, kind).read()
        except Damage as damage:
            return f"nothing of it can be unpacked ({damage}); fetch it again"
    return None


def plain_copy(path: str | os.PathLike[str], directory: str | os.PathLike[str]) -> str:
    """A path under which libraries can read the file: itself, or a decompressed copy in
    ``directory``.

    Zip and parquet files count as not compressed. A name that would be taken for a pattern gets a
    link in ``directory``. Raises UnreadableError if the file is broken anywhere.
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
        with tempfile.NamedTemporaryFile(
            dir=os.fspath(directory), suffix=".plain", delete=False
        ) as out:
            try:
                while piece := source.read()[0]:
                    out.write(piece)
            except Damage as damage:
                os.unlink(out.name)
                raise UnreadableError(f"{damage}; repair the file or fetch it again") from damage
        return out.name


@contextlib.contextmanager
def opened(stream_or_path: BinaryIO | str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file opened and closed again, or a stream as it is.

    Raises:
        DataError: it cannot be opened.
    """
    if not isinstance(stream_or_path, str | os.PathLike):
        yield stream_or_path
        return
    try:
        raw = Path(stream_or_path).open("rb")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise DataError(
            f"cannot be opened ({error.strerror}); check the path and your rights"
        ) from error
    with raw:
        yield raw


def open_source(
    raw: BinaryIO, kind: str, is_start: Callable[[bytes], object] | None = None
) -> Source:
    """Decompress ``raw``, a seekable binary file at its beginning.

    ``is_start`` says whether decompressed bytes begin a record; behind a broken gzip member,
    reading goes on at the next member for which it is true (any member if None).
    """
    if kind in UNPACKERS:
        return MemberSource(
            raw, kind, is_start or bool, _dictionary(raw) if kind == "zstd" else None
        )
    if kind == "lz4":
        from fastwarc.stream_io import Lz4Reader

        return StreamSource(Lz4Reader(raw).read, "decompressed byte")
    return StreamSource(raw.read, "byte")


def _dictionary(raw: BinaryIO) -> zstandard.ZstdCompressionDict | None:
    """The dictionary that a .warc.zst file begins with, itself packed or not; None if there is
    none.
    """
    import zstandard

    start, dictionary = raw.read(8), None
    if start[:4] == b"\x5d\x2a\x4d\x18":
        frame = raw.read(int.from_bytes(start[4:8], "little"))
        if frame[:4] == b"\x28\xb5\x2f\xfd":
            with contextlib.suppress(zstandard.ZstdError):
                frame = zstandard.ZstdDecompressor().decompressobj().decompress(frame)
        dictionary = zstandard.ZstdCompressionDict(frame)
    raw.seek(0)
    return dictionary


class StreamSource:
    """A file that is not compressed, or whose library unpacks it; broken data ends it."""

    def __init__(self, read: Callable[[int], bytes], unit: str) -> None:
        self._read, self._unit, self._offset = read, unit, 0

    def read(self) -> tuple[bytes, bool]:
        try:
            piece = self._read(OUTPUT)
        except (
            Exception
        ) as error:  # each decompressor has its own error class, without a common base
            self._read = io.BytesIO().read
            raise Damage(f"data broken after {self.place()} ({short(error)})") from error
        self._offset += len(piece)
        return piece, False

    def place(self, back: int = 0) -> str:
        return f"{self._unit} {self._offset - back}"
