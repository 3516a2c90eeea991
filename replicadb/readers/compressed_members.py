"""Files of compressed members one behind the other: gzip, bzip2 and zstd.

A broken member is left out and reading goes on at the next good one. It is done here, member by
member, because the usual readers stop at the first broken member, or take it for the end of the
file and say nothing.
"""

from __future__ import annotations

import bz2
import contextlib
import io
import re
import zipfile
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, NoReturn

if TYPE_CHECKING:
    import zstandard

PIECE = (
    32 * 1024
)  # compressed bytes fed at once: small, because bytes past a member's end are copied back
OUTPUT = 64 * 1024  # decompressed bytes taken at once, whatever the compression ratio
PROBE = 4096  # compressed bytes that are unpacked to see whether a member begins a record
AGAIN = 1 << 26
"""Bytes of broken members that are looked through for good ones, and of those unpacked for a look,
beside four times what was read: members that stand in each other would be read as often as there
are some.
"""
FETCH_AGAIN = "; fetch it again"
"""The next step with a file that is incomplete."""
READ_ERRORS = (
    OSError,
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
)  # of a file, or of a file inside a zip


class Damage(Exception):
    """The compressed file is broken; the message is the reason, and reading on gives what follows,
    if anything. ``doubtful``: what the member gave before may be wrong, too; its checksum fails.
    ``silent``: it had given nothing. ``cut_off``: the file ends too early, nothing follows.
    """

    def __init__(
        self, reason: str, doubtful: bool = False, silent: bool = False, cut_off: bool = False
    ) -> None:
        super().__init__(reason)
        self.doubtful, self.silent, self.cut_off = doubtful, silent, cut_off


def incomplete(place: str) -> str:
    """What to say of a file that ends too early, in what begins at a place. The first byte is none:
    of a file that was packed as a whole it says nothing.
    """
    where = "" if place == "byte 0" else f" ({place})"
    return f"file ends inside a record{where}: it is incomplete, and what follows is missing"


def short(error: Exception) -> str:
    """An error's message on one short line."""
    return " ".join(str(error).split())[:80] or type(error).__name__


class Gzip:
    """Unpacks one gzip member."""

    magic = re.compile(rb"\x1f\x8b\x08")
    first = PROBE
    """Compressed bytes before the first that is unpacked, at most."""
    errors = (zlib.error,)

    def __init__(self, _dictionary: object = None) -> None:
        self._inflate = zlib.decompressobj(31)

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        """Decompressed bytes, and the rest of ``data`` to be fed next; b'' for what waits."""
        out = self._inflate.decompress(data, OUTPUT)
        return (
            out,
            self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail,
        )

    @property
    def done(self) -> bool:
        """Whether the member is at its end."""
        return self._inflate.eof


class Bzip2:
    """Unpacks one bzip2 stream."""

    magic = re.compile(rb"BZh[1-9]1AY&SY")
    first = 1 << 20  # a block is 900 kB unpacked
    errors = (OSError, EOFError, ValueError)

    def __init__(self, _dictionary: object = None) -> None:
        self._unpack = bz2.BZ2Decompressor()

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        if not self._unpack.needs_input:
            out = self._unpack.decompress(b"", OUTPUT)
            return out, (self._unpack.unused_data if self.done else b"") + data
        out = self._unpack.decompress(data, OUTPUT)
        return out, self._unpack.unused_data if self.done else b""

    @property
    def done(self) -> bool:
        return self._unpack.eof


class Zstd:
    """Unpacks one zstd frame, or passes over one that is to be skipped."""

    magic = re.compile(rb"\x28\xb5\x2f\xfd")
    first = (1 << 17) + PROBE  # a block and the headers
    step = 1024  # bytes fed at once, from which at most 32 MiB can come: the library knows no limit

    def __init__(self, dictionary: zstandard.ZstdCompressionDict | None = None) -> None:
        import zstandard

        self.errors = (zstandard.ZstdError,)
        self._unpack = zstandard.ZstdDecompressor(dict_data=dictionary).decompressobj()
        self._start = b""  # the first eight bytes, which say the kind of frame
        self._skip: int | None = None  # bytes to pass over, in a frame to be skipped

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        if len(self._start) < 8:
            need = 8 - len(self._start)
            self._start, data = self._start + data[:need], data[need:]
            if len(self._start) < 8:
                return b"", b""
            if self._start[0] >> 4 == 5 and self._start[1:4] == b"\x2a\x4d\x18":
                self._skip = int.from_bytes(self._start[4:], "little")
            else:
                return self._unpack.decompress(self._start), (
                    self._unpack.unused_data if self.done else b""
                ) + data
        if self._skip is not None:
            passed = min(self._skip, len(data))
            self._skip -= passed
            return b"", data[passed:]
        out = self._unpack.decompress(data[: self.step])
        return out, (self._unpack.unused_data if self.done else b"") + data[self.step :]

    @property
    def done(self) -> bool:
        return self._unpack.eof or self._skip == 0


Unpacker = Gzip | Bzip2 | Zstd
UNPACKERS: dict[str, type[Unpacker]] = {"gzip": Gzip, "bzip2": Bzip2, "zstd": Zstd}


class MemberSource:
    """The decompressed pieces of a file of members; see ``compression.Source``."""

    def __init__(
        self,
        raw: BinaryIO,
        kind: str,
        is_start: Callable[[bytes], object],
        dictionary: zstandard.ZstdCompressionDict | None,
    ) -> None:
        self._raw, self._kind, self._is_start, self._dictionary = raw, kind, is_start, dictionary
        self._waiting = b""  # compressed bytes read but not used
        self._offset = 0  # where in the file _waiting begins
        self._member = 0  # where the current member begins
        self._again = 0  # bytes of broken members, in which good ones were looked for
        self._unpacker: Unpacker | None = None  # of the current member, None between members
        self._opens = False  # nothing of the current member has been handed out

    def place(self, back: int = 0) -> str:
        return f"byte {self._member}"  # of the member: offsets inside one lead nowhere

    def read(self) -> tuple[bytes, bool]:
        while True:
            if not self._waiting:
                self._waiting = self._fetch()
            ended = not self._waiting
            unpacker = self._unpacker
            if unpacker is None:
                if ended:
                    return b"", False
                unpacker = self._open_member()
                if unpacker is None:
                    continue
            try:
                out, rest = unpacker.feed(self._waiting)
            except unpacker.errors:
                self._resynchronise()
            self._offset += len(self._waiting) - len(rest)
            self._waiting = rest
            if unpacker.done:
                self._unpacker = None
            elif ended and not out:
                self._unpacker = None
                raise Damage(incomplete(self.place()), cut_off=True)
            if out:
                opens, self._opens = self._opens, False
                return out, opens

    def _new(self) -> Unpacker:
        return UNPACKERS[self._kind](self._dictionary)

    def _open_member(self) -> Unpacker | None:
        padding = len(self._waiting) - len(
            self._waiting.lstrip(b"\0")
        )  # of files copied block by block
        self._waiting, self._offset = self._waiting[padding:], self._offset + padding
        self._member, self._opens = self._offset, True
        self._unpacker = self._new() if self._waiting else None
        return self._unpacker

    def _fetch(self) -> bytes:
        try:
            return self._raw.read(PIECE)
        except READ_ERRORS as error:
            self._raw, self._unpacker = io.BytesIO(), None
            raise Damage(
                f"file can't be read behind byte {self._offset} ({short(error)})"
            ) from error

    def _resynchronise(self) -> NoReturn:
        broken, self._unpacker = self._member, None
        self._again += self._offset - broken
        again = self._may_look_again()
        resume = self._next_member(broken + 1 if again else max(broken + 1, self._offset))
        self._waiting = b""
        if resume is None:
            self._raw = io.BytesIO()
            reason = f"{self._kind} member broken at byte {broken}; no good one follows"
            raise Damage(reason, doubtful=True, silent=self._opens)
        self._raw.seek(resume)
        self._offset = resume
        reason = f"{self._kind} member broken at byte {broken}; resumed at byte {resume}"
        raise Damage(reason, doubtful=True, silent=self._opens)

    def _may_look_again(self) -> bool:
        return self._again <= AGAIN + 4 * self._offset

    def _next_member(self, start: int) -> int | None:
        """Offset of the first member at or behind ``start`` that decompresses to the beginning of a
        record.
        """
        offset, block = start, b""
        while True:
            try:
                self._raw.seek(offset + len(block))
                fresh = self._raw.read(1 << 20)
                block += fresh
                for found in self._new().magic.finditer(block):
                    if self._begins_record(offset + found.start()):
                        return offset + found.start()
            except READ_ERRORS:
                return None
            if not fresh:
                return None
            keep = min(len(block), 9)  # a magic may stand across two blocks
            offset, block = offset + len(block) - keep, block[-keep:]

    def _begins_record(self, offset: int) -> bool:
        self._raw.seek(offset)
        out, unpacker = b"", self._new()
        most = unpacker.first if self._may_look_again() else PROBE
        with contextlib.suppress(*unpacker.errors):
            for fed in range(0, most, PROBE):
                data = self._raw.read(PROBE)
                self._again += len(data) if fed else 0
                ended = len(data) < PROBE
                while data and not unpacker.done and len(out) < PROBE:
                    piece, data = unpacker.feed(data)
                    out += piece
                if out or unpacker.done or ended:
                    break
        return bool(self._is_start(out))
