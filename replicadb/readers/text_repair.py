"""Line-based text files made fit for DuckDB, with nothing lost silently.

DuckDB notices neither a wrong gzip checksum nor a zstd file that is cut off, and stops at a byte
that is no UTF-8. It loses a line longer than a gigabyte without a word, and the first character of
one behind a carriage return that stands alone. So a file is read through once; the sound ones
(nearly all) DuckDB then reads itself, the others are mended into a copy.
"""

from __future__ import annotations

import codecs
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from typing import BinaryIO, cast

from replicadb.errors import DataError, UnreadableError
from replicadb.readers.compressed_members import FETCH_AGAIN, Damage
from replicadb.readers.compression import Source, kind_of, open_source

DELIMITER = b"\x01"  # what DuckDB takes to end a column, so that a line is one column
LINE_BREAK = b"\n"
LONE_RETURN = re.compile(rb"\r(?!\n)")

Joint = Callable[[bytes, bytes], bool]
"""Whether a line break is missing between the text before and behind the border of two gzip
members.
"""


def is_sound_text(path: str | os.PathLike[str], joint: Joint, longest: int | None = None) -> bool:
    """Whether a file, decompressed, is unbroken UTF-8, lacks no line break, holds no DELIMITER, no
    carriage return alone and no line of more than ``longest`` bytes.
    """
    decoder, line = codecs.getincrementaldecoder("utf-8")(), 0
    returned = False  # whether the piece before ended in a carriage return
    with open(path, "rb") as raw:
        try:
            for piece, _, lacks_break in _pieces(_source(raw), joint):
                if isinstance(piece, Damage) or lacks_break or DELIMITER in piece:
                    return False
                begins = returned and not piece.startswith(LINE_BREAK)
                returned = piece.endswith(b"\r")
                if begins or piece.count(b"\r") > piece.count(b"\r\n") + returned:
                    return False
                last = piece.rfind(LINE_BREAK)
                line = len(piece) - last - 1 if last >= 0 else line + len(piece)
                if longest and line > longest:
                    return False
                decoder.decode(piece)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return not returned


def refuse_foreign(start: bytes) -> None:
    """Raises DataError where a text begins as one in UTF-16 or UTF-32 does, with a byte order mark
    or as ASCII does in them without.
    """
    marks = (
        (codecs.BOM_UTF32_LE, "UTF-32"),
        (codecs.BOM_UTF32_BE, "UTF-32"),
        (codecs.BOM_UTF16_LE, "UTF-16"),
        (codecs.BOM_UTF16_BE, "UTF-16"),
    )
    found = next((name for mark, name in marks if start.startswith(mark)), None)
    if not found and len(start) >= 8:
        zeros = bytes(not byte for byte in start[:8])
        shapes = {b"\0\1" * 4: "UTF-16LE", b"\1\0" * 4: "UTF-16BE"}
        shapes |= {b"\0\1\1\1" * 2: "UTF-32LE", b"\1\1\1\0" * 2: "UTF-32BE"}
        found = shapes.get(zeros)
    if found:
        raise DataError(f"text in {found}; convert it to UTF-8, as with: iconv -f {found} -t UTF-8")


def is_utf8(path: str | os.PathLike[str]) -> bool:
    """Whether a text, decompressed, is UTF-8 as far as it can be read."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with open(path, "rb") as raw:
        try:
            for piece, *_ in _pieces(_source(raw), lambda _before, _behind: False):
                if isinstance(piece, Damage):
                    decoder.reset()
                else:
                    decoder.decode(piece)
        except UnicodeDecodeError:
            return False
    return True


def mended_copy(
    path: str | os.PathLike[str],
    directory: str | os.PathLike[str],
    joint: Joint,
    longest: int | None,
) -> tuple[str, list[str]]:
    """Decompress a text into a file in ``directory``: its path, and what was broken.

    Every DELIMITER and byte that is no UTF-8 is written as %XX, which is how a URL may carry it. A
    carriage return alone is a line break. Left out, and reported: the lines of a member whose
    checksum fails, for some of them may be invented; a line that the file's end cuts; one of more
    than ``longest`` bytes.

    Raises:
        UnreadableError: nothing of it can be trusted.
    """
    with (
        open(path, "rb") as raw,
        tempfile.NamedTemporaryFile("wb", dir=os.fspath(directory), delete=False) as out,
    ):
        copy = _Copy(cast(BinaryIO, out), longest)
        for piece, opens, lacks_break in _with_line_breaks(_pieces(_source(raw), joint)):
            if isinstance(piece, Damage):
                copy.leave_out(piece)
                continue
            if lacks_break:
                copy.add(LINE_BREAK)
            if opens:
                copy.open_member()
            copy.add(piece)
        if not copy.end() and copy.problems:
            raise UnreadableError(copy.problems[0].removesuffix(FETCH_AGAIN) + FETCH_AGAIN)
    return out.name, copy.problems


class _Copy:
    """A text on its way into a file, from which lines can be taken out again."""

    def __init__(self, out: BinaryIO, longest: int | None) -> None:
        self.problems: list[str] = []
        self._out, self._longest = out, longest
        self._decoder = codecs.getincrementaldecoder("utf-8")("replicadb-percent")
        self._size = 0  # of what is written
        self._line = 0  # where the current line begins
        self._sound = 0  # where the line begins in which the current member does
        self._amid = False  # whether it begins in the middle of that line
        self._breaks = 0  # in the current member
        self._skipped: int | None = None  # bytes of a line that is being left out

    def open_member(self) -> None:
        """What follows is of another member; the checksums of those before were right."""
        self._sound, self._amid, self._breaks = self._line, self._size > self._line, 0

    def add(self, piece: bytes) -> None:
        if self._skipped is not None:
            end = piece.find(LINE_BREAK)
            self._skipped += len(piece) if end < 0 else end
            if end < 0:
                return
            self._end_skipping()
            piece = piece[end + 1 :]
        self._write(self._decoder.decode(piece))
        if self._longest and self._size - self._line > self._longest:
            self._skipped = self._size - self._line
            self._cut(self._line)

    def leave_out(self, damage: Damage) -> None:
        """Take out the line that ends here and, where the member is doubtful, all of its lines."""
        if damage.silent:
            self.open_member()
        cut = int(self._size > self._line)
        if damage.doubtful:
            lines = self._breaks + cut
            self.problems.append(f"{damage}; {lines:,} lines read of it are left out")
        elif damage.cut_off:
            self.problems.append(f"{damage}{FETCH_AGAIN}")
        else:
            self.problems.append(f"{damage}" + "; the line that it cuts is left out" * cut)
        self._skipped = 0 if damage.doubtful and self._amid else None
        self._cut(self._sound if damage.doubtful else self._line)
        self.open_member()

    def end(self) -> int:
        """Write what is left; bytes written."""
        self._write(self._decoder.decode(b"", final=True))
        self._end_skipping()
        return self._size

    def _end_skipping(self) -> None:
        if self._skipped and self._longest and self._skipped > self._longest:
            most = f"a line may have {self._longest:,}"
            self.problems.append(f"line of {self._skipped:,} bytes left out; {most}")
        self._skipped = None

    def _write(self, text: str) -> None:
        data = text.replace("\x01", "%01").encode()
        self._out.write(data)
        self._size += len(data)
        self._breaks += data.count(LINE_BREAK)
        if last := data.rfind(LINE_BREAK) + 1:
            self._line = self._size - len(data) + last

    def _cut(self, to: int) -> None:
        """Take back what was written behind a place that begins a line."""
        self._decoder.reset()
        self._out.seek(to)
        self._out.truncate()
        self._size = self._line = to


def _source(raw: BinaryIO) -> Source:
    kind = kind_of(raw.read(8))
    raw.seek(0)
    return open_source(raw, kind)


def _pieces(source: Source, joint: Joint) -> Iterator[tuple[bytes | Damage, bool, bool]]:
    """The decompressed pieces and what is broken between them, each with whether it opens a member
    and whether a line break is missing before it.
    """
    tail = b""
    while True:
        try:
            piece, opens = source.read()
        except Damage as damage:
            tail = b""
            yield damage, False, False
            continue
        if not piece:
            return
        lacks_break = opens and tail[-1:] not in (b"", LINE_BREAK) and joint(tail, piece)
        tail = (tail + piece)[-4096:] if len(piece) < 4096 else piece[-4096:]
        yield piece, opens, lacks_break


Piece = tuple[bytes | Damage, bool, bool]
"""As :func:`_pieces` has it."""


def _with_line_breaks(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """The pieces, with a line break for each carriage return that stands alone."""
    held = False  # a return that ended a piece: what follows tells what it is
    for piece, opens, lacks_break in pieces:
        if held:
            ends = not isinstance(piece, Damage) and piece.startswith(LINE_BREAK)
            yield b"\r" if ends else LINE_BREAK, False, False
        held = not isinstance(piece, Damage) and piece.endswith(b"\r")
        if not isinstance(piece, Damage) and b"\r" in piece:
            piece = LONE_RETURN.sub(LINE_BREAK, piece[:-1] if held else piece)
        yield piece, opens, lacks_break
    if held:
        yield LINE_BREAK, False, False


def _percent(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(f"%{byte:02X}" for byte in error.object[error.start : error.end]), error.end


codecs.register_error("replicadb-percent", _percent)
