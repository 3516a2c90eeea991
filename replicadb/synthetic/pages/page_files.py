"""The files of generated pages: a WARC of HTTP responses or a Parquet table, and what a browser
would show.

Invariant: the same pages give the same bytes (no clock, no random identifiers); a file has
its name only when it is whole.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import uuid
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from replicadb.synthetic.pages.generated_page import Page

START = datetime(2008, 6, 1)
_PAGES = pa.schema(
    [
        ("url", pa.string()),
        ("ip", pa.string()),
        ("timestamp", pa.timestamp("us")),
        ("mime", pa.string()),
        ("html", pa.string()),
    ]
)
_RENDERED = pa.schema([("url", pa.string()), ("final_url", pa.string()), ("html", pa.string())])


GROUP_ROWS = 1_000
"""Pages of a row group: some tens of megabytes. Readers pay for each group, ten thousand small ones
made them half as slow again.
"""


class PageFiles:
    """pages.warc.gz or pages.parquet, and rendered.parquet, written some pages at a time."""

    def __init__(self, folder: Path, fmt: str, seed: int) -> None:
        self.path = folder / ("pages.warc.gz" if fmt == "warc" else "pages.parquet")
        self.rendered_path, self.fmt, self.seed, self.pages = (
            folder / "rendered.parquet",
            fmt,
            seed,
            0,
        )
        self._parts = [
            path.with_name(path.name + ".part") for path in (self.path, self.rendered_path)
        ]

    def __enter__(self) -> PageFiles:
        self._rendered = _Table(self._parts[1], _RENDERED)
        if self.fmt == "warc":
            self._warc = open(self._parts[0], "wb")
            self._warc.write(
                _record(
                    "warcinfo",
                    None,
                    self._time(0),
                    self.seed,
                    b"software: replicadb pages synth\r\n",
                    "application/warc-fields",
                )
            )
        else:
            self._table = _Table(self._parts[0], _PAGES)
        return self

    def write(self, pages: list[Page]) -> None:
        """Append pages."""
        times = [self._time(self.pages + i) for i in range(len(pages))]
        if self.fmt == "warc":
            for page, time in zip(pages, times, strict=True):
                self._warc.write(_response(page, time, self.seed))
        else:
            self._table.write(
                [
                    (page.url, page.ip, time, "text/html", page.html)
                    for page, time in zip(pages, times, strict=True)
                ]
            )
        self._rendered.write(
            [
                (page.url, page.final_url or page.url, page.rendered)
                for page in pages
                if page.rendered
            ]
        )
        self.pages += len(pages)

    def _time(self, i: int) -> datetime:
        return START + timedelta(seconds=7 * i)

    def __exit__(self, kind: object, *_: object) -> None:
        self._rendered.close()
        (self._warc if self.fmt == "warc" else self._table).close()
        for part, path in zip(self._parts, (self.path, self.rendered_path), strict=True):
            if kind is None:
                part.replace(path)
            else:
                part.unlink(missing_ok=True)


class _Table:
    """A Parquet file written in whole row groups."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._file = pq.ParquetWriter(path, schema, compression="zstd", compression_level=3)
        self._schema = schema
        self._rows: list[tuple[Any, ...]] = []

    def write(self, rows: list[tuple[Any, ...]]) -> None:
        self._rows += rows
        while len(self._rows) >= GROUP_ROWS:
            self._group(self._rows[:GROUP_ROWS])
            del self._rows[:GROUP_ROWS]

    def close(self) -> None:
        if self._rows:
            self._group(self._rows)
        self._file.close()

    def _group(self, rows: list[tuple[Any, ...]]) -> None:
        columns = zip(*rows, strict=True)
        self._file.write_table(
            pa.table(
                [
                    pa.array(column, item.type)
                    for column, item in zip(columns, self._schema, strict=True)
                ],
                schema=self._schema,
            )
        )


def _response(page: Page, time: datetime, seed: int) -> bytes:
    body = page.html.encode()
    http = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length:"
        f" {len(body)}\r\nDate: {time:%a, %d %b %Y %H:%M:%S} GMT\r\n\r\n".encode()
    )
    digest = base64.b32encode(hashlib.sha1(body).digest()).decode()
    return _record(
        "response",
        page.url,
        time,
        seed,
        http + body,
        "application/http; msgtype=response",
        f"WARC-IP-Address: {page.ip}\r\nWARC-Payload-Digest: sha1:{digest}\r\n",
    )


def _record(
    kind: str,
    url: str | None,
    time: datetime,
    seed: int,
    content: bytes,
    media: str,
    more: str = "",
) -> bytes:
    """One record, a gzip member of its own."""
    name = uuid.uuid5(uuid.NAMESPACE_URL, f"{seed} {kind} {url}")
    target = f"WARC-Target-URI: {url}\r\n" if url else ""
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{name}>\r\nWARC-Date:"
        f" {time:%Y-%m-%dT%H:%M:%SZ}\r\n{target}{more}Content-Type: {media}\r\nContent-Length:"
        f" {len(content)}\r\n\r\n"
    ).encode()
    return gzip.compress(head + content + b"\r\n\r\n", 6, mtime=0)
