"""Cutting a decompressed archive into records, whatever is wrong with it.

Every byte of the file ends up in a record or is named by a ``Gap``. Payloads are handed out in
pieces: no record is ever held in memory whole. The two record formats differ only in what a
``Format`` holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from replicadb.readers.compressed_members import FETCH_AGAIN, OUTPUT, Damage, incomplete
from replicadb.readers.compression import Source

LONGEST = (1 << 63) - 1  # bytes of payload; a header that promises more is wrong
HEADER_LIMIT = 1 << 20  # bytes of record header; longer ones are taken for damage
PROBE = 16384  # bytes enough to see whether a record begins
MARGIN = 16  # bytes in which a header's end may stand across two pieces
BETWEEN = re.compile(rb"[\r\n\0 \t]*+")  # what may stand between records


@dataclass(frozen=True)
class Format:
    """How one archive format differs from another."""

    start: re.Pattern[bytes]  # matches at the first byte of a record
    next_start: re.Pattern[
        bytes
    ]  # group 1 begins at the first byte of a record somewhere further on
    header_end: re.Pattern[bytes]  # matches the end of the record's header; within MARGIN bytes
    length: Callable[
        [bytes], int
    ]  # bytes of payload that the header promises; ValueError if it doesn't


@dataclass(frozen=True)
class Gap:
    """Bytes that are in no record, and why."""

    reason: str


class Record:
    """One record: its header at once, its block piece by piece, front to back, once."""

    def __init__(
        self, frames: Frames, header: bytes, length: int, problem: str | None = None
    ) -> None:
        self.header = header  # the header block, bytes as recorded
        self.length = length  # bytes of the block that the header promises
        self.problem = (
            problem  # why the block could not be read whole; complete after the last piece
        )
        self._left = length
        self._frames = frames
        self._returned = b""  # read and put back

    def pieces(self) -> Iterator[bytes]:
        """Rest of the block. Afterwards ``problem`` says whether it was cut short."""
        while self._returned or self._left > 0:
            if self._returned:
                piece, self._returned = self._returned, b""
                yield piece
                continue
            piece = self._frames.take(self._left)
            if not piece:
                self.problem = self._frames.why_short()
                self._left = 0
                return
            self._left -= len(piece)
            yield piece

    def put_back(self, data: bytes) -> None:
        """Have ``data``, the end of what was read, read again."""
        self._returned = data

    def finish(self) -> None:
        """Read past the rest of the block and look whether a record or the end follows."""
        for _ in self.pieces():
            pass
        if self.problem is None:
            self.problem = self._frames.check_boundary()


class Frames:
    """The records of one archive in order: iterate to get ``Record`` and ``Gap`` objects.

    Call ``finish`` on a record before asking for the next one.
    """

    def __init__(self, source: Source, form: Format) -> None:
        self._source, self._form = source, form
        self._data, self._at = b"", 0
        self._searched = 0  # before this place of the data no header ends: looked through once
        self._held: bytes | None = (
            None  # a gzip member that begins a record: the one before can't reach into it
        )
        self._damage: Damage | None = None  # met, and not yet reported
        self._ended = False
        self._place = ""  # where the current record begins
        self._boundary_known = (
            False  # check_boundary has reported what stands before the next record
        )

    def __iter__(self) -> Iterator[Record | Gap]:
        while True:
            if not self._skip_between():
                if self._damage:
                    yield Gap(self.why_short())
                    continue
                return
            self._probe()
            if not self._form.start.match(self._data, self._at):
                place, skipped = self._here(), self._skip_to_start()
                if not self._boundary_known:
                    yield Gap(f"{skipped} bytes that are no record ({place})")
                self._boundary_known = False
                continue
            self._boundary_known = False
            self._place = self._here()
            yield self._next_record()

    def _here(self) -> str:
        return self._source.place(len(self._data) - self._at)

    def _next_record(self) -> Record | Gap:
        while not (end := self._header_end()):
            if len(self._data) - self._at > HEADER_LIMIT:
                # Not this one again, and none whose header would be as long.
                self._at = max(self._at + 1, self._searched - HEADER_LIMIT - 1)
                self._boundary_known = True
                return Gap(f"record header longer than {HEADER_LIMIT} bytes ({self._place})")
            if not self._more():
                self._data, self._at, self._searched = b"", 0, 0
                return Gap(self.why_short())
        header = self._data[self._at : end.start()]
        self._at = end.end()
        try:
            length = self._form.length(header)
        except ValueError:
            length = LONGEST + 1
        if length <= LONGEST:
            return Record(self, header, length)
        self._boundary_known = True
        return Record(self, header, 0, "record header has no usable length")

    def _header_end(self) -> re.Match[bytes] | None:
        """The first end of a header, looked for from where the last search ended."""
        found = self._form.header_end.search(self._data, max(self._at, self._searched))
        self._searched = found.start() if found else max(len(self._data) - MARGIN, 0)
        return found

    def take(self, most: int) -> bytes:
        """Up to ``most`` bytes of the current record; b'' if no more can be read."""
        if self._at >= len(self._data) and not self._more():
            return b""
        piece = (
            self._data[self._at : self._at + most]
            if self._at or most < len(self._data)
            else self._data
        )
        self._at += len(piece)
        return piece

    def why_short(self) -> str:
        """Why the current record ends before its length; what was pending is thereby reported."""
        if self._damage:
            damage, self._damage = self._damage, None
            return f"{damage}{FETCH_AGAIN if damage.cut_off else ''}"
        if self._held is not None:
            return f"record longer than its gzip member ({self._place})"
        return incomplete(self._place) + FETCH_AGAIN

    def check_boundary(self) -> str | None:
        """Whether the bytes behind a record begin another one or end the file; else
        what is wrong.
        """
        if not self._skip_between():
            return None
        self._probe()
        if self._form.start.match(self._data, self._at):
            return None
        self._boundary_known = True
        return f"record longer than its header says ({self._place})"

    def _more(self) -> bool:
        """Get further bytes of the current record, or of anything between records."""
        if self._held is not None or self._damage or self._ended:
            return False
        rest = self._data[self._at :]
        pieces, size = [rest], 0
        # As much again as is waiting: tiny pieces would copy it as often as there are some.
        while size < max(1, min(len(rest), OUTPUT)) and (piece := self._next_piece()):
            pieces.append(piece)
            size += len(piece)
        if not size:
            return False
        self._searched = max(0, self._searched - self._at)
        self._data, self._at = b"".join(pieces), 0
        return True

    def _next_piece(self) -> bytes | None:
        """The next piece that can belong to the current record."""
        try:
            piece, opens = self._source.read()
        except Damage as damage:
            self._damage = damage
            return None
        if not piece:
            self._ended = True
            return None
        if opens and self._form.start.match(piece):
            self._held = piece
            return None
        return piece

    def _release(self) -> bool:
        if self._held is None or self._at < len(self._data):
            return False
        self._data, self._at, self._held = self._held, 0, None
        self._searched = 0
        return True

    def _skip_between(self) -> bool:
        """Move to the next byte that is not filling; False if there is none to be had."""
        while True:
            if filling := BETWEEN.match(self._data, self._at):
                self._at = filling.end()
            if self._at < len(self._data):
                return True
            if not self._release() and not self._more() and self._held is None:
                return False

    def _probe(self) -> None:
        while len(self._data) - self._at < PROBE and not self._form.start.match(
            self._data, self._at
        ):
            if not self._more():
                return

    def _skip_to_start(self) -> int:
        """Move to the next beginning of a record or to the end; the number of bytes skipped."""
        skipped = 0
        while True:
            if found := self._form.next_start.search(self._data, self._at):
                skipped += found.start(1) - self._at
                self._at = found.start(1)
                return skipped
            keep = min(
                len(self._data) - self._at, PROBE
            )  # the beginning may stand across two pieces
            skipped += len(self._data) - self._at - keep
            self._at = len(self._data) - keep
            if not self._more():
                self._at = len(self._data)
                self._release()
                return skipped + keep
