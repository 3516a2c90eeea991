"""ARC files (versions 1 and 2), the format before WARC, as capture rows: every record but the
file's own description.

A record is one line, ``URL IP-address Archive-date Content-type [five more fields in version 2]
Archive-length``, and that many bytes (https://archive.org/web/researcher/ArcFileFormat.php). URLs
may hold spaces. ARC records no digest: SHA-1 over the payload as stored is computed, as for WARC.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from replicadb.readers.records import Format, Record
from replicadb.readers.warc import WarcRows, read_http, text
from replicadb.web.html_links import header_canonical

# Possessive, so that a line is gone through once: somewhere an address and a date, and a word last.
_LINE = (
    rb"(?=[A-Za-z][A-Za-z0-9+.\-]*+:)(?=[^\r\n]*+(?<=\w)\r?\n)"
    rb"[^ \r\n]*+(?: [^ \r\n]*+)*? [^ \r\n]++ \d{8,18} [^\r\n]*+\r?\n"
)
_DATED = re.compile(rb"(?= ([^ ]+) (\d{8,18}) )")


def _length(header: bytes) -> int:
    length = int(header.rpartition(b" ")[2])
    if length < 0:
        raise ValueError
    return length


ARC = Format(
    start=re.compile(_LINE),
    next_start=re.compile(rb"\n(" + _LINE + rb")"),
    header_end=re.compile(rb"\r?\n"),
    length=_length,
)


class Line(NamedTuple):
    """The fields of a record's line, as recorded."""

    url: bytes
    ip: bytes
    date: bytes
    rest: bytes
    """Media type and, in version 2, more; without the length."""


def _parsed(header: bytes) -> Line | None:
    """Split at the last date, since a URL may hold spaces and even dates; None without one."""
    dates = list(_DATED.finditer(header))
    if not dates:
        return None
    rest = header[dates[-1].end(2) + 1 :].rpartition(b" ")[0]
    return Line(header[: dates[-1].start()], dates[-1][1], dates[-1][2], rest)


class ArcRows(WarcRows):
    """Turns the records of ARC streams into rows."""

    form = ARC

    def record(self, record: Record) -> None:
        """Emit the row of one record, if it is a capture, and read to the record's end."""
        line = _parsed(record.header)
        if line is None or line.url.startswith(b"filedesc:"):
            record.finish()
            if record.problem:
                self.problem(record.problem)
            return
        head, status, mime, redirect = read_http(record)
        media = line.rest.split(b" ")[0]  # in version 2, more fields follow
        row = {
            "url": text(line.url),
            "ip": text(line.ip),
            "fetched_at": text(line.date),
            "status": status,
            "mime": mime or text(media if media != b"no-type" else None),
            "length": record.length - len(head),
            "redirect": redirect,
            "canonical": header_canonical(head),
        }
        self._emit(record, row, None, head=head)
