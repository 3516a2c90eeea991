"""Archive files in, capture rows out; and telling archives by their content.

Every reader here takes a path or a seekable binary stream, yields record batches of ARCHIVE_SCHEMA
in file order, and raises DataError (one line: cause; next step; without the file's name) only if
the file holds no record at all. What is broken inside a file is a row with a ``problem``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa

from replicadb.errors import DataError
from replicadb.readers.arc import ArcRows
from replicadb.readers.capture_rows import ContentSink, IdentifierSink
from replicadb.readers.compression import opened
from replicadb.readers.wacz import read_wacz
from replicadb.readers.warc import CAPTURES, WarcRows
from replicadb.web.html_links import need_parser


def looks_like_warc(head: bytes) -> bool:
    """Whether the first decompressed bytes are those of a WARC file (of any version, WAT and WET
    too).
    """
    return bool(re.match(rb"\s*WARC/\d", head))


def looks_like_wat(head: bytes) -> bool:
    """Whether the first decompressed bytes (64 KiB) hold a WAT record."""
    return looks_like_warc(head) and any(
        blank_line(head[: found.start()])
        for found in re.finditer(rb'\{\s*+"(?:Container|Envelope)"\s*+:', head)
    )


def blank_line(before: bytes) -> bool:
    """Whether bytes end with a blank line, and white space at most behind it."""
    return before[len(before.rstrip()) :].count(b"\n") > 1


def looks_like_wet(head: bytes) -> bool:
    """Whether the first decompressed bytes (64 KiB) hold a conversion record and no response."""
    types = set(re.findall(rb"(?im)^WARC-Type:[ \t]*(\w+)", head))
    return looks_like_warc(head) and b"conversion" in types and not types & CAPTURES


def looks_like_arc(head: bytes) -> bool:
    """Whether the first decompressed bytes are those of an ARC file."""
    return bool(re.match(rb"\s*filedesc://[^\r\n]* \d{8,18} ", head)) or bool(
        re.match(
            rb"https?://(?=(?>[^ \r\n]*+ )++\d++\r?\n(?:HTTP|\r?\n))"
            rb"[^ \r\n]*+(?: [^ \r\n]*+)*? \d++\.\d++\.\d++\.\d++ \d{14} ",
            head,
        )
    )


def read_archive(
    path: BinaryIO | str | os.PathLike[str],
    format: str,
    links: bool | None = None,
    contents: ContentSink | None = None,
    identifiers: IdentifierSink | None = None,
) -> Iterator[pa.RecordBatch]:
    """Captures of an archive whose format is known: warc, wat, wet, arc or wacz.

    Out-links: True reads them from HTML too, None only from WAT, False not at all; canonical links
    in HTTP headers always. ``contents`` takes what the pages say, too; a page that it cannot read
    is a row with a problem. ``identifiers`` takes HTML that is read for either.

    Raises:
        UsageError: links from HTML are wanted and its parser is not installed.
    """
    if links and format != "wet":
        need_parser()
    readers = {
        "warc": read_warc,
        "wat": read_warc,
        "wet": read_warc,
        "arc": read_arc,
        "wacz": read_wacz,
    }
    return readers[format](path, links, contents, identifiers)


def read_warc(
    stream_or_path: BinaryIO | str | os.PathLike[str],
    links: bool | None = None,
    contents: ContentSink | None = None,
    identifiers: IdentifierSink | None = None,
) -> Iterator[pa.RecordBatch]:
    """Captures of a WARC, WAT or WET file: plain, gzip (per record or whole), zstd,
    bzip2 or lz4.
    """
    return _read(stream_or_path, WarcRows(links, contents, identifiers), "WARC")


def read_arc(
    stream_or_path: BinaryIO | str | os.PathLike[str],
    links: bool | None = None,
    contents: ContentSink | None = None,
    identifiers: IdentifierSink | None = None,
) -> Iterator[pa.RecordBatch]:
    """Captures of an ARC file, compressed like a WARC file or plain."""
    return _read(stream_or_path, ArcRows(links, contents, identifiers), "ARC")


def _read(
    stream_or_path: BinaryIO | str | os.PathLike[str], rows: WarcRows, kind: str
) -> Iterator[pa.RecordBatch]:
    with opened(stream_or_path) as raw:
        yield from rows.read(raw)
    if not rows.records:
        reason = rows.trouble or "it is empty"
        raise DataError(f"cannot be read as {kind}: {reason}; check that it is one and complete")
    yield from rows.buffer.take()
