"""The responses of given WARC, ARC and WACZ files by URL, in a scratch store on disk: what a
browser asks for when pages are replayed.

Invariant: memory does not grow with the archive; nothing is looked up outside of the given
files; of several captures of a URL the newest that is a page (status 200) serves, the later in the
files where dates are equal. What a rendered page cannot show (pictures, sound, films, fonts,
documents) is not stored. Bodies are kept as the archive has them and decoded when they are served.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from replicadb.errors import DataError
from replicadb.readers import formats
from replicadb.readers.arc import ARC
from replicadb.readers.compression import kind_of, open_source
from replicadb.readers.http_bodies import decode_body
from replicadb.readers.records import Format, Frames, Gap, Record
from replicadb.readers.warc import WARC, header_fields, read_http, text
from replicadb.web.html_links import HTML_LIMIT, HTML_TYPES
from replicadb.web.urls import parse_url

KEYS_BATCH = 10_000
LEFT_OUT = re.compile(
    r"(?:image|video|audio|font)/"
    r"|application/(?:pdf|zip|gzip|x-gzip|octet-stream|msword|vnd\.(?!wap\.xhtml))",
    re.IGNORECASE,
)
_UNLIKE = re.compile(r"image/svg", re.IGNORECASE)  # an SVG may be a frame
_FORMATS = ("warc", "arc", "wacz")
_MEMBER = re.compile(r"(^|/)archive/.+\.warc(\.\w+)?$")


Found = dict[str, Any]
"""What a record says: url, date, digest, body (whether it has one), head, status, mime."""


class Response(NamedTuple):
    """What the archive answers to a request."""

    status: int
    headers: list[tuple[str, str]]
    """Every header of HTTP as recorded, in its order; the body's framing and encoding
    are undone.
    """
    body: bytes


class Archive:
    """The responses of some archive files. Use as a context manager, or call :meth:`close`.

    Args:
        folder: where the scratch file may lie (about as large as the archive's text, uncompressed
            where the archive has it so).
    """

    def __init__(self, folder: str | Path) -> None:
        self._db = sqlite3.connect(str(Path(folder) / "responses.sqlite"), isolation_level=None)
        self.problems = 0
        """Records that could not be read."""
        for statement in (
            "PRAGMA journal_mode = OFF",
            "PRAGMA synchronous = OFF",
            "PRAGMA cache_size = -16000",
            (
                "CREATE TABLE responses (url TEXT PRIMARY KEY, date TEXT, status INTEGER, page"
                " INTEGER, digest TEXT, head BLOB, body BLOB)"
            ),
            "CREATE INDEX by_digest ON responses (digest) WHERE digest IS NOT NULL",
        ):
            self._db.execute(statement)

    def add(self, source: formats.Source) -> int:
        """Index one file; returns the responses in it that are kept.

        Raises:
            DataError: it is no archive with responses, or cannot be read.
        """
        format = formats.recognise(source.path)
        if format not in _FORMATS:
            raise DataError(
                f"{source.name}: pages are replayed from WARC, ARC or WACZ files, and this is"
                f" {format}"
            )
        kept = 0
        self._db.execute("BEGIN")
        for raw, form in _streams(source, format):
            for item in Frames(open_source(raw, kind_of(_peek(raw)), form.start.match), form):
                if isinstance(item, Gap):
                    self.problems += 1
                else:
                    kept += self._add(item, form)
        self._db.execute("COMMIT")
        return kept

    def _add(self, record: Record, form: Format) -> bool:
        found = _warc(record) if form is WARC else _arc(record)
        stored = b""
        if found and found["body"]:
            stored = b"".join(_most(record.pieces(), HTML_LIMIT))
        record.finish()
        if not found:
            return False
        self.problems += record.problem is not None
        origin, _, path, _ = parse_url((found["url"] or "").partition("#")[0])
        if origin is None or path is None:
            return False
        page = (
            found["body"]
            and found["status"] == 200
            and (found["mime"] or "text/html").partition(";")[0].strip().lower() in HTML_TYPES
        )
        self._db.execute(
            "INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET date ="
            " excluded.date, status = excluded.status, page = excluded.page, digest ="
            " excluded.digest, head = excluded.head, body = excluded.body WHERE excluded.date >="
            " date "
            # a revisit never takes the place of what it repeats
            "AND (excluded.body IS NOT NULL OR body IS NULL)",
            [
                origin + path,
                _rank(found),
                found["status"],
                page,
                found["digest"],
                found["head"],
                stored if found["body"] else None,
            ],
        )
        return True

    def pages(self) -> Iterator[list[str]]:
        """URLs of the archive's HTML pages in normal form, in byte order, some thousand
        at a time.
        """
        last = ""
        while found := [
            row[0]
            for row in self._db.execute(
                "SELECT url FROM responses WHERE url > ? AND page ORDER BY url LIMIT ?",
                [last, KEYS_BATCH],
            )
        ]:
            yield found
            last = found[-1]

    def get(self, url: str) -> Response | None:
        """The response to a GET of that URL (any spelling, a fragment does not count); None where
        the archive has none.
        """
        origin, _, path, _ = parse_url(url.partition("#")[0])
        row = self._row("url", origin + path) if origin and path is not None else None
        if not row:
            return None
        status, digest, head, body = row
        # A revisit: the payload stands elsewhere.
        if body is None and digest and (original := self._row("digest", digest)):
            _, _, its_head, body = original
            status, head = status or 200, head or its_head
        if body is None:
            return None
        fields = header_fields(head)
        decoded = decode_body(
            body,
            text(fields.get(b"transfer-encoding")),
            text(fields.get(b"content-encoding")),
            HTML_LIMIT,
        )
        return Response(status, list(_headers(head)), decoded.data)

    def _row(self, column: str, value: str) -> tuple[int, str | None, bytes, bytes | None] | None:
        where = "url = ?" if column == "url" else "digest = ? AND body IS NOT NULL LIMIT 1"
        row: tuple[int, str | None, bytes, bytes | None] | None = self._db.execute(
            f"SELECT status, digest, head, body FROM responses WHERE {where}", [value]
        ).fetchone()
        return row

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _warc(record: Record) -> Found | None:
    """What a WARC record says of a response; None where it is none that a browser could use."""
    fields = header_fields(record.header)
    kind = fields.get(b"warc-type", b"").lower()
    if kind not in (b"response", b"resource", b"revisit"):
        return None
    found: Found = {
        "url": text(fields.get(b"warc-target-uri", b"").strip(b"<> \t")),
        "date": _date(text(fields.get(b"warc-date"))),
        "digest": text(fields.get(b"warc-payload-digest")),
        "body": kind != b"revisit",
    }
    if kind == b"resource":
        mime = text(fields.get(b"content-type")) or "text/html"
        head = (
            b"HTTP/1.1 200 OK\r\nContent-Type: " + mime.encode("latin-1", "replace") + b"\r\n\r\n"
        )
        return _usable(found | {"head": head, "status": 200, "mime": mime})
    head, status, http_mime, _ = read_http(record)
    return _usable(found | {"head": head, "status": int(status or 200), "mime": http_mime})


def _arc(record: Record) -> Found | None:
    """What an ARC record says of a response; None for the file's own description and what a browser
    could not use.
    """
    line = ARC.start.match(record.header + b"\n")
    if not line or line["url"].startswith(b"filedesc:"):
        return None
    head, status, mime, _ = read_http(record)
    return _usable(
        {
            "url": text(line["url"]),
            "date": _date(text(line["date"])),
            "digest": None,
            "body": True,
            "head": head,
            "status": int(status or 200),
            "mime": mime or text(line["rest"].split(b" ")[0]),
        }
    )


def _usable(found: Found) -> Found | None:
    mime = found["mime"] or ""
    if LEFT_OUT.match(mime) and not _UNLIKE.match(mime):
        return None
    if found["status"] == 304:  # not modified: it repeats a page that was answered with 200
        found["status"], found["body"] = 200, False
    return found if 200 <= found["status"] < 600 else None


def _rank(found: Found) -> str:
    """A text that is the greater the better a capture serves: pages before redirects before errors,
    then by date.
    """
    kind = 2 if found["status"] == 200 else 1 if found["status"] < 400 else 0
    return f"{kind} {found['date']}"


def _date(written: str | None) -> str:
    """Digits of a date, so that 14 digits (ARC) and ISO 8601 (WARC) compare."""
    return re.sub(r"\D", "", written or "")[:14]


def _headers(head: bytes) -> Iterator[tuple[str, str]]:
    for line in head.split(b"\n")[1:]:
        name, colon, value = line.partition(b":")
        if colon and name.strip():
            yield text(name.strip()) or "", text(value.strip()) or ""


def _most(pieces: Iterator[bytes], limit: int) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        if size < limit:
            yield piece
        size += len(piece)


def _streams(source: formats.Source, format: str) -> Iterator[tuple[BinaryIO, Format]]:
    """Each stream of records in a file, and how its records are parted."""
    try:
        with contextlib.ExitStack() as opened:
            raw = opened.enter_context(open(source.path, "rb"))
            if format != "wacz":
                yield raw, ARC if format == "arc" else WARC
                return
            package = opened.enter_context(zipfile.ZipFile(raw))
            for member in sorted(name for name in package.namelist() if _MEMBER.search(name)):
                with package.open(member) as inner:
                    yield cast(BinaryIO, inner), WARC
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
        raise DataError(f"{source.name}: cannot be read ({error}); fetch the file again") from error


def _peek(raw: BinaryIO) -> bytes:
    magic = raw.read(8)
    raw.seek(0)
    return magic
