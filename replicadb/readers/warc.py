"""WARC streams (WAT and WET too) as capture rows: every record is a row, a problem row, or no
capture by its type.

Captures are the records of type response, resource and revisit; conversion in files that hold none
of them before it (WET); metadata whose JSON envelope describes a response (WAT). Any scheme is
passed on, `dns:` too.

**Which bytes a payload digest covers.** The one recorded by the crawler is used as it is. Without
one, SHA-1 over the payload *as stored* is computed: everything behind the HTTP header, with chunk
framing and content encoding left in place. Counted over the test files of 17 projects, written by
some 30 crawlers and versions, the recorded payload digests of 770 responses and 51 resources cover

    payload as stored                  779 of 821 (728 responses, 51 resources)
      of these in chunk framing         17 (Wget, warcprox 1.4)
      of these content-encoded          32
      'chunked' said, body not framed   29 (LiveWeb, WAIL)
    payload without chunk framing        1 (warcprox 2.4)
    payload with content decoded         0
    none of these                       41 (29 are ClueWeb's, whose bodies were rewritten later;
                                            the others are cut off or were altered on purpose)

pywb's and ia-web-commons' CDX writers hash the same bytes where no digest is recorded. A resource's
block is its payload, so its block digest serves (33 of 33 equal the SHA-1 that would be computed).

**Lengths** are of the body without framing and encoding: one page sent gzipped, in Brotli and plain
has one length, though it has three digests. It is unknown where the body cannot be decoded.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import pyarrow as pa

from replicadb.errors import DataError
from replicadb.readers.capture_rows import ODD_RECORD, ContentSink, IdentifierSink, RowBuffer
from replicadb.readers.compression import kind_of, open_source
from replicadb.readers.http_bodies import Body, decode_body
from replicadb.readers.records import Format, Frames, Gap, Record
from replicadb.readers.wat import ENVELOPE_LIMIT, is_envelope, read_envelope
from replicadb.web.html_links import HTML_LIMIT, HTML_TYPES, header_canonical, is_html, page_links
from replicadb.web.site_identifiers import TLS_FIELDS

HTTP_HEADER_LIMIT = 1 << 20  # bytes in which the end of an HTTP header is looked for
CAPTURES = {b"response", b"resource", b"revisit"}
_HEADER_END = re.compile(rb"\n\r{0,8}\n")  # lines end in CRLF, LF or, from one tool, CRCRLF
_ENCODED = re.compile(rb"(?im)^(?:Content|Transfer)-Encoding[ \t]*:")
_HTTP_START = re.compile(rb"\s*(?:HTTP|ICY)[^\s]*[ \t]+(\d{3})?(?!\d)", re.IGNORECASE)


def _content_length(header: bytes) -> int:
    found = re.search(rb"(?im)^Content-Length[ \t]*:[ \t]*(\d+)[ \t]*\r*$", header)
    if not found:
        raise ValueError
    return int(found[1])


WARC = Format(
    start=re.compile(rb"WARC/\d"),
    next_start=re.compile(rb"\n(WARC/\d\.\d+[ \t]*\r*\n)"),
    header_end=_HEADER_END,
    length=_content_length,
)


class WarcRows:
    """Turns the records of one or more WARC streams into rows; ``records`` and positions count on
    across streams.
    """

    form = WARC

    def __init__(
        self,
        links: bool | None = None,
        contents: ContentSink | None = None,
        identifiers: IdentifierSink | None = None,
    ) -> None:
        """``links``: out-links from HTML too (True), only from WAT (None) or none (False);
        ``contents`` takes what pages say, ``identifiers`` what HTML says of who runs it.
        """
        self.links, self.contents, self.identifiers = links, contents, identifiers
        self.buffer = RowBuffer()
        self.records = 0  # records read, of every type
        self.trouble: str | None = None  # the last problem without a record
        self._position = 0
        self._header = b""  # of the record at hand
        self._captures = False  # a response, resource or revisit was met

    def read(self, raw: BinaryIO) -> Iterator[pa.RecordBatch]:
        """Rows of one stream, a batch whenever one is full; what is left stays in ``buffer``."""
        kind = kind_of(raw.read(8))
        raw.seek(0)
        for item in Frames(open_source(raw, kind, self.form.start.match), self.form):
            if isinstance(item, Gap):
                self.problem(item.reason)
                continue
            self.records += 1
            self._position += 1
            try:
                self.record(item)
            except ODD_RECORD as error:
                self.problem(f"record that cannot be read ({type(error).__name__})")
                item.finish()
            if self.buffer.full:
                yield from self.buffer.take()

    def problem(self, reason: str) -> None:
        """Emit a row for something that is no record."""
        self._position += 1
        self.trouble = reason
        self.buffer.append(self._position, problem=reason)

    def record(self, record: Record) -> None:
        """Emit the row of one record, if it is a capture, and read to the record's end."""
        self._header = record.header
        fields = header_fields(record.header)
        kind = fields.get(b"warc-type", b"").lower()
        self._captures = self._captures or kind in CAPTURES
        if kind in CAPTURES:
            self._capture(record, fields, kind)
        elif kind == b"conversion" and not self._captures:
            self._conversion(record, fields)
        elif kind == b"metadata" and is_envelope(fields.get(b"content-type", b"")):
            self._envelope(record)
        else:
            record.finish()
            if record.problem:
                self.problem(record.problem)

    def _capture(self, record: Record, fields: dict[bytes, bytes], kind: bytes) -> None:
        digest = text(fields.get(b"warc-payload-digest"))
        row: dict[str, Any] = {
            "url": text(fields.get(b"warc-target-uri", b"").strip(b"<> \t")),
            "ip": text(fields.get(b"warc-ip-address")),
            "fetched_at": text(fields.get(b"warc-date")),
        }
        if kind == b"resource":
            digest = digest or text(fields.get(b"warc-block-digest"))
            row |= {"mime": text(fields.get(b"content-type")), "length": record.length}
            head = b""
        else:
            head, row["status"], row["mime"], row["redirect"] = read_http(record)
            row["canonical"] = header_canonical(head)
            row["length"] = record.length - len(head)
            if row["mime"] is None and not head:
                block = text(fields.get(b"content-type"))
                row["mime"] = block if block and not block.startswith("application/http") else None
        if kind == b"revisit":
            row["length"] = None  # the payload is elsewhere
            row["status"] = (
                None if row["status"] == "304" else row["status"]
            )  # not modified: it repeats a page
            row["mime"] = row["mime"] or "warc/revisit"
            named = fields.get(b"warc-refers-to-target-uri", b"").strip(b"<> \t")
            row["revisit_of"] = text(named) or row["url"]
        self._emit(
            record,
            row,
            digest,
            hashed=kind != b"revisit",
            head=None if kind == b"revisit" else head,
        )

    def _conversion(self, record: Record, fields: dict[bytes, bytes]) -> None:
        # The digest is of extracted text: under its own name it never meets the digest of a
        # payload.
        digest = text(fields.get(b"warc-payload-digest") or fields.get(b"warc-block-digest"))
        row: dict[str, Any] = {
            "url": text(fields.get(b"warc-target-uri", b"").strip(b"<> \t")),
            "fetched_at": text(fields.get(b"warc-date")),
            "mime": text(fields.get(b"content-type")),
            "length": record.length,
        }
        if digest:
            digest = digest if ":" in digest else f"sha1:{digest}"
        self._emit(record, row, digest, prefix="text-", extracted=True)

    def _envelope(self, record: Record) -> None:
        body = b"" if record.length > ENVELOPE_LIMIT else b"".join(record.pieces())
        record.finish()
        if record.problem:
            self.problem(record.problem)
        elif record.length > ENVELOPE_LIMIT:
            self.buffer.append(
                self._position, problem=f"WAT envelope larger than {ENVELOPE_LIMIT} bytes"
            )
        elif row := read_envelope(body, self.links is not False, self.contents is not None):
            content = row.pop("content", None)
            if content and self.contents and self.contents.wanted(row["status"], row["mime"]):
                self.contents.add(self._position, row["url"], content)
            self.buffer.append(self._position, **row)

    def _emit(
        self,
        record: Record,
        row: dict[str, Any],
        digest: str | None,
        hashed: bool = True,
        prefix: str = "",
        head: bytes | None = None,
        extracted: bool = False,
    ) -> None:
        """Finish the record, computing its digest where none is recorded, and append its row.

        ``head`` is the HTTP header of a body that may hold links or text; None where there is no
        such body. ``extracted``: the body is the text of a page.
        """
        hashed = hashed and not digest
        kept = (
            self.contents
            and (extracted or head is not None)
            and self.contents.wanted(row.get("status"), row.get("mime"))
        )
        searched = kept or (self.links and head is not None and may_have_links(row))
        encoded = bool(head and row.get("status") == "200" and _ENCODED.search(head))
        sha1, body, size = hashlib.sha1(usedforsecurity=False), [], 0
        for piece in record.pieces() if hashed or searched or encoded else ():
            if hashed:
                sha1.update(piece)
            if (searched or encoded) and size <= HTML_LIMIT:
                body.append(piece)
                size += len(piece)
        record.finish()
        problem = record.problem if hashed else None
        stored = b"".join(body)
        page = decoded(head or b"", stored) if searched or encoded else Body(b"", whole=False)
        if encoded:
            sure = page.whole or page.data == stored  # a header may name what was undone
            row["length"] = len(page.data) if sure and size <= HTML_LIMIT else None
        if searched and not problem:
            problem = self._search(row, head or b"", page.data, bool(kept), extracted)
        if problem:
            self.buffer.append(self._position, **row, problem=problem)
            return
        digest = f"sha1:{sha1.hexdigest()}" if hashed else digest
        self.buffer.append(self._position, digest=digest and prefix + digest, **row)
        if record.problem:
            self.problem(record.problem)

    def _search(
        self, row: dict[str, Any], head: bytes, body: bytes, kept: bool, extracted: bool
    ) -> str | None:
        """Add the links and title of an HTML body to its row, and hand over what it says; the page
        is parsed once.

        A canonical link in the page goes before the HTTP header's. Returns what stands against the
        page, if anything.
        """
        fields = header_fields(head)
        if self.identifiers and not extracted and is_html(row.get("mime"), body):
            self.identifiers.take(self._position, body, fields | tls_fields(self._header))
        if kept and self.contents:
            try:
                content = self.contents.take(
                    self._position,
                    row["url"],
                    body,
                    "text/plain; charset=utf-8" if extracted else row.get("mime"),
                )
            except DataError as error:
                return f"content: {error}"
            if content is None:
                return None
            row["title"] = content.title
            if self.links:
                row |= {
                    "links": [href for href, _ in content.links] or None,
                    "base": content.base,
                    "canonical": content.canonical or row.get("canonical"),
                }
        elif is_html(row.get("mime"), body):
            found = page_links(body, row.get("mime"))
            row |= found._asdict() | {"canonical": found.canonical or row.get("canonical")}
        return None


def decoded(head: bytes, stored: bytes) -> Body:
    """A body without what its HTTP header says was done to it, HTML_LIMIT + 1 bytes at most."""
    fields = header_fields(head)
    transfer, content = (text(fields.get(b"%s-encoding" % of)) for of in (b"transfer", b"content"))
    return decode_body(stored, transfer, content, HTML_LIMIT + 1)


def may_have_links(row: dict[str, Any]) -> bool:
    """Whether a response can be a page with links, by its status and media type."""
    status, mime = row.get("status"), row.get("mime")
    return (status is None or status[0] != "3") and (
        mime is None or mime.split(";")[0].strip().lower() in HTML_TYPES
    )


def header_fields(header: bytes) -> dict[bytes, bytes]:
    """Fields of a header block by lower-case name; the first of equal names wins, folded lines are
    joined.
    """
    fields: dict[bytes, list[bytes]] = {}
    last = b""
    for line in header.split(b"\n")[1:]:
        if line[:1] in b" \t" and last and line.strip():
            fields[last].append(line.strip())
            continue
        name, colon, value = line.partition(b":")
        name = name.strip().lower()
        if colon and name not in fields:
            fields[name] = [value.strip()]
            last = name
        else:
            last = b""
    return {name: b" ".join(values) for name, values in fields.items()}


def tls_fields(header: bytes) -> dict[bytes, bytes]:
    """What a record's header tells of TLS, each of TLS_FIELDS; b'' where it does not. A field may
    stand there several times: ``WARC-Protocol: h2`` and ``WARC-Protocol: tls/1.3``.
    """
    found: dict[bytes, list[bytes]] = {name: [] for name in TLS_FIELDS}
    for line in header.split(b"\n")[1:]:
        name, _, value = line.partition(b":")
        if (name := name.strip().lower()) in found:
            found[name].append(value.strip())
    return {name: b" ".join(values) for name, values in found.items()}


def text(value: bytes | None) -> str | None:
    """A header value as text: UTF-8, else Latin-1; None if absent or empty."""
    if not value:
        return None
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def read_http(record: Record) -> tuple[bytes, str | None, str | None, str | None]:
    """Read a record's HTTP header: its bytes, status, media type and, for a redirect, Location.

    The header is b'' if the record holds none: its whole block is payload then, and nothing has
    been taken. What was read past the header is put back.
    """
    head, end = b"", None
    for piece in record.pieces():
        head += piece
        end = _HEADER_END.search(head, max(0, len(head) - len(piece) - 4))
        if end or len(head) > HTTP_HEADER_LIMIT or not _HTTP_START.match(head[:64]):
            break
    start = _HTTP_START.match(head[:64])
    if not start:
        record.put_back(head)
        return b"", None, None, None
    cut = end.end() if end else len(head)
    record.put_back(head[cut:])
    head = head[:cut]
    fields = header_fields(head)
    status = text(start[1])
    redirect = text(fields.get(b"location")) if status and status[0] == "3" else None
    return head, status, text(fields.get(b"content-type")), redirect
