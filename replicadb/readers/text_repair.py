"""Line-based text files made fit for DuckDB, with nothing lost silently.

DuckDB notices neither a wrong gzip checksum nor a zstd file that is cut off, and stops at a byte
that is no UTF-8. So a file is read through once; the sound ones (nearly all) DuckDB then reads
itself, the others are mended into a copy.
"""

from __future__ import annotations

import codecs
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import BinaryIO

from replicadb.readers.compressed_members import Damage
from replicadb.readers.compression import Source, kind_of, open_source

DELIMITER = b"\x01"  # what DuckDB takes to end a column, so that a line is one column

Joint = Callable[[bytes, bytes], bool]
"""Whether a line break is missing between the text before and behind the border of two gzip
members.
"""


def is_sound_text(path: str | os.PathLike[str], joint: Joint) -> bool:
    """Whether a file, decompressed, is unbroken UTF-8, lacks no line break and holds no
    DELIMITER.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    with open(path, "rb") as raw:
        try:
            for piece, mended in _pieces(_source(raw), [], joint):
                if mended or DELIMITER in piece:
                    return False
                decoder.decode(piece)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def mended_copy(
    path: str | os.PathLike[str], directory: str | os.PathLike[str], joint: Joint
) -> tuple[str, list[str]]:
    """Decompress a text into a file in ``directory``: its path, and what was broken.

    There is a line break where something was left out, and every DELIMITER and byte that is no
    UTF-8 is written as %XX, which is how a URL may carry it.
    """
    problems: list[str] = []
    decoder = codecs.getincrementaldecoder("utf-8")("replicadb-percent")
    with (
        open(path, "rb") as raw,
        tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="", dir=os.fspath(directory), delete=False
        ) as out,
    ):
        for piece, _ in _pieces(_source(raw), problems, joint):
            out.write(decoder.decode(piece).replace("\x01", "%01"))
        out.write(decoder.decode(b"", final=True))
    return out.name, problems


def _source(raw: BinaryIO) -> Source:
    kind = kind_of(raw.read(8))
    raw.seek(0)
    return open_source(raw, kind)


def _pieces(source: Source, problems: list[str], joint: Joint) -> Iterator[tuple[bytes, bool]]:
    """The decompressed pieces, each with whether it is a line break put in; damage goes to
    ``problems``.
    """
    tail = b""
    while True:
        try:
            piece, opens = source.read()
        except Damage as damage:
            problems.append(str(damage))
            tail = b"\n"
            yield tail, True
            continue
        if not piece:
            return
        if opens and tail[-1:] not in (b"", b"\n") and joint(tail, piece):
            yield b"\n", True
        tail = (tail + piece)[-4096:] if len(piece) < 4096 else piece[-4096:]
        yield piece, False


def _percent(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(f"%{byte:02X}" for byte in error.object[error.start : error.end]), error.end


codecs.register_error("replicadb-percent", _percent)
