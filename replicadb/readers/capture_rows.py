"""The row that every reader produces: one capture of one URL, as its source recorded it, nothing
normalised.

A row with a ``problem`` can't be used and says why; common code turns it into a reject. Nothing a
reader meets and can't use goes without such a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import pyarrow as pa

from replicadb.web.page_text import PageContent

CAPTURE_SCHEMA = pa.schema(
    [
        ("position", pa.int64()),  # 1-based number of the record or line in its file
        (
            "url",
            pa.string(),
        ),  # as recorded, without the <...> that some wget versions put around it
        ("ip", pa.string()),  # as recorded, or null
        ("digest", pa.string()),  # as recorded, else computed as 'sha1:<hex>'; null if unknown
        ("fetched_at", pa.string()),  # as recorded: 14 digits, ISO 8601, shortened forms; or null
        ("status", pa.string()),  # HTTP status as recorded, or null
        (
            "mime",
            pa.string(),
        ),  # media type as recorded, parameters included; 'warc/revisit' if nothing better
        ("length", pa.int64()),  # payload bytes, or null
        ("redirect", pa.string()),  # where a redirect leads, as recorded, maybe relative; else null
        ("revisit_of", pa.string()),  # of a revisit: the URL that it repeats; else null
        ("problem", pa.string()),  # null for a usable row, else one short reason
    ]
)

ARCHIVE_SCHEMA = pa.schema(
    [
        *CAPTURE_SCHEMA,
        (
            "links",
            pa.list_(pa.string()),
        ),  # where the page links to, as recorded, maybe relative; null: not known
        ("canonical", pa.string()),  # its canonical link, as recorded; else null
        (
            "base",
            pa.string(),
        ),  # what its relative links are relative to, if not its URL; maybe relative itself
        ("title", pa.string()),  # its title, cut short where very long; else null
    ]
)

BATCH_ROWS = 8192
UNSTORABLE = (OverflowError, UnicodeEncodeError, pa.ArrowException)
"""Numbers beyond 64 bits, halves of surrogate pairs, values of another type."""
ODD_RECORD = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What one odd record may bring up; it costs the record and not the file."""
BATCH_LINKS = 200_000


class ContentSink(Protocol):
    """Takes what the pages of a source say, while the source is read."""

    def wanted(self, status: object, mime: str | None) -> bool:
        """Whether a capture can be a page with text that will be kept, by its status and media
        type.
        """

    def take(
        self, position: int, url: str | None, body: bytes, mime: str | None
    ) -> PageContent | None:
        """Read one page and keep what it says.

        Returns:
            its content; None where the body has no known type and does not begin like HTML.

        Raises:
            DataError: it cannot be read, in one line.
        """

    def add(self, position: int, url: str | None, content: PageContent) -> None:
        """Keep what one page says."""


class IdentifierSink(Protocol):
    """Takes the pages of a source for what they say of who runs them, while the source is read."""

    def take(
        self, position: int, page: str | bytes, fields: Mapping[bytes, bytes] | None = None
    ) -> None:
        """Keep what one page says; ``fields`` are of its HTTP header, by lower-case name."""


class RowBuffer:
    """Collects rows and hands them out as record batches of ARCHIVE_SCHEMA, in the
    order they came.
    """

    def __init__(self) -> None:
        self._rows: list[tuple[Any, ...]] = []
        self._links = 0

    def append(
        self,
        position: int,
        url: str | None = None,
        ip: str | None = None,
        digest: str | None = None,
        fetched_at: str | None = None,
        status: str | None = None,
        mime: str | None = None,
        length: int | None = None,
        redirect: str | None = None,
        revisit_of: str | None = None,
        problem: str | None = None,
        links: list[str] | None = None,
        canonical: str | None = None,
        base: str | None = None,
        title: str | None = None,
    ) -> None:
        """Add one row; the arguments are the columns of ARCHIVE_SCHEMA."""
        self._links += len(links or ())
        self._rows.append(
            (
                position,
                url,
                ip,
                digest,
                fetched_at,
                status,
                mime,
                length,
                redirect,
                revisit_of,
                problem,
                links,
                canonical,
                base,
                title,
            )
        )

    @property
    def full(self) -> bool:
        """Whether a whole batch is waiting."""
        return len(self._rows) >= BATCH_ROWS or self._links >= BATCH_LINKS

    def take(self) -> Iterator[pa.RecordBatch]:
        """Hand out what is waiting as one batch, or nothing if there is nothing."""
        if not self._rows:
            return
        rows, self._rows, self._links = self._rows, [], 0
        try:
            batch = _as_batch(rows)
        except UNSTORABLE:
            batch = _as_batch([_storable(row) for row in rows])
        yield batch


def _as_batch(rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [
        pa.array(column, field.type) for column, field in zip(columns, ARCHIVE_SCHEMA, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=ARCHIVE_SCHEMA)


def _storable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The row itself, or one with a problem where a value of it fits no column."""
    try:
        _as_batch([row])
    except UNSTORABLE as error:
        url = str(row[1]).encode("utf-8", "backslashreplace").decode()
        reason = f"a value that cannot be stored ({type(error).__name__})"
        values = {"position": row[0], "url": url, "problem": reason}
        return tuple(values.get(name) for name in ARCHIVE_SCHEMA.names)
    return row
