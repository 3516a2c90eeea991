"""Contents of the pages of one source (load --content): taken from the reader page by page, stored
a batch at a time.

Invariant: a batch holds at most about BATCH_TERMS terms or BATCH_BYTES of text, so memory
does not grow with the source; every content belongs to a capture that is stored in the end; ids do
not depend on threads. The SQL is sql/load/60_page_contents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from replicadb.errors import DataError
from replicadb.load.identifier_store import Identifiers
from replicadb.near_duplicates.loaded_contents import with_content
from replicadb.readers.capture_rows import ODD_RECORD
from replicadb.settings import URL_MAX_BYTES
from replicadb.store.arrow import insert_arrow
from replicadb.store.database import Database
from replicadb.store.distinct import map_distinct
from replicadb.store.statements import statements
from replicadb.web.html_links import HTML_LIMIT, HTML_TYPES, is_html
from replicadb.web.page_text import STORED, PageContent, extract, need_libraries
from replicadb.web.urls import parse_url, resolve

BATCH_TERMS = 1_000_000  # rows of page_terms
BATCH_BYTES = 64 << 20  # of texts and links
LINK_BYTES = 200  # that a link is counted as
TEXT_TYPES = (*HTML_TYPES, "text/plain", "text/markdown")
OF_ORPHANS = (
    "repeats",
    "repeat_contents",
    "repeat_terms",
    "repeat_anchors",
    "orphan_terms",
    "orphan_anchors",
    "orphan_contents",
    "unused_terms",
)
"""Statements of 60_page_contents for contents whose capture is not stored."""


class Contents:
    """What the pages of one source say, on its way into the tables.

    Args:
        db: inside the transaction of the source.
        source_id: the source.
        last_url: the highest url_id that was given out before; a capture's is that plus its
            position.
        all_types: as the load has it: contents of every status.
    """

    def __init__(
        self, db: Database, source_id: int, last_url: int, all_types: bool = False
    ) -> None:
        need_libraries()
        self.db, self.source_id, self.last_url, self.all_types = db, source_id, last_url, all_types
        self.pages = 0
        """Pages read, those that are not stored in the end among them."""
        self._fields = dict(db.rows("SELECT name, field FROM page_fields"))
        self._last_term = db.value("SELECT max(term_id) FROM terms") or 0
        self._clear()

    def _clear(self) -> None:
        # One value after the other, no tuples: the garbage collector visits all that wait.
        self._values: list[Any] = []  # url_id, *STORED
        self._runs: list[int] = []  # url_id, field, terms
        self._terms: list[str] = []
        self._counts: list[int] = []
        self._hrefs: list[str] = []
        self._anchors: list[str | None] = []
        self._link_runs: list[int] = []  # url_id, links
        self._bases: list[tuple[int, str, str, str]] = []
        self._bytes = 0

    def wanted(self, status: object, mime: str | None) -> bool:
        """Whether a capture can be a page with text that will be kept, by its status and media
        type.
        """
        code = str(status) if status else None
        kind = mime.split(";")[0].strip().lower() if mime else None
        return (code in (None, "200") or (self.all_types and code[0] != "3")) and (
            kind is None or kind in TEXT_TYPES
        )

    def take(
        self, position: int, url: str | None, body: bytes, mime: str | None
    ) -> PageContent | None:
        """Read one page and keep what it says.

        Returns:
            its content; None where the body has no known type and does not begin like HTML.

        Raises:
            DataError: it cannot be read, in one line.
        """
        if mime is None and len(body) <= HTML_LIMIT and not is_html(None, body):
            return None
        content = extract(body, mime or "text/html", url)
        self.add(position, url, content)
        return content

    def add(self, position: int, url: str | None, content: PageContent) -> None:
        """Keep what one page says; the tables are written when a batch is full."""
        url_id = self.last_url + position
        self.pages += 1
        self._values += (url_id, *(getattr(content, name) for name in STORED))
        self._bytes += sum(
            len(getattr(content, name) or "") for name in ("headings", "text", "main_text", "body")
        )
        for name, counts in content.terms.items():
            self._runs += (url_id, self._fields[name], len(counts))
            self._terms.extend(counts)
            self._counts.extend(counts.values())
        if content.links and url and (base := _base(url, content.base)):
            self._bases.append((url_id, *base))
            hrefs, anchors = zip(*content.links, strict=True)
            self._hrefs.extend(hrefs)
            self._anchors.extend(anchors)
            self._link_runs += (url_id, len(hrefs))
            self._bytes += LINK_BYTES * len(hrefs)
        if len(self._terms) >= BATCH_TERMS or self._bytes >= BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting."""
        if self._values:
            names = ("url_id", *STORED)
            columns = {
                name: pa.array(
                    self._values[i :: len(names)],
                    pa.int64() if name in ("url_id", "length") else pa.string(),
                )
                for i, name in enumerate(names)
            }
            insert_arrow(
                self.db,
                "page_contents",
                columns
                | {
                    "source_id": pa.array(np.full(len(columns["url_id"]), self.source_id, np.int32))
                },
            )
            self._flush_terms()
            self._flush_links()
        self._clear()

    def _flush_terms(self) -> None:
        """Give every term of the batch its number, a new one where it has none."""
        if not self._terms:
            return
        coded = pa.array(self._terms, pa.string()).dictionary_encode()
        batch = pa.table(
            {
                "k": pa.array(np.arange(len(coded.dictionary), dtype=np.int64)),
                "term": coded.dictionary,
            }
        )
        with self.db.registered("term_batch", batch):
            self.db.run("load/60_page_contents", {"last_term": self._last_term}, only="new_terms")
            ids = self.db.arrays(statements("load/60_page_contents")["batch_ids"])["term_id"]
        self._last_term = max(self._last_term, int(ids.max()))
        url_ids, fields, sizes = np.array(self._runs, dtype=np.int64).reshape(-1, 3).T
        insert_arrow(
            self.db,
            "page_terms",
            {
                "url_id": np.repeat(url_ids, sizes),
                "field": np.repeat(fields.astype(np.uint8), sizes),
                "term_id": ids[coded.indices.to_numpy()].astype(np.int32),
                "n": np.array(self._counts, dtype=np.int32),
            },
        )

    def _flush_links(self) -> None:
        if not self._hrefs:
            return
        url_ids, sizes = np.array(self._link_runs, dtype=np.int64).reshape(-1, 2).T
        links = pa.table(
            {
                "url_id": pa.array(np.repeat(url_ids, sizes)),
                "href": pa.array(self._hrefs, pa.string()),
                "anchor": pa.array(self._anchors, pa.string()),
            }
        )
        columns = zip(*self._bases, strict=True)
        bases = pa.table(
            {
                name: pa.array(values, pa.int64() if name == "url_id" else pa.string())
                for name, values in zip(("url_id", "origin", "own", "folder"), columns, strict=True)
            }
        )
        self.db.run_once("functions/40_link_targets")
        with self.db.registered("href_batch", links), self.db.registered("base_batch", bases):
            self.db.run("load/60_page_contents", {"max_bytes": URL_MAX_BYTES}, only="targets")
        map_distinct(
            self.db,
            statements("load/60_page_contents")["odd_targets"],
            "anchor_parsed",
            ("u", "origin", "host_name", "path", "reason"),
            parse_url,
        )
        self.db.run("load/60_page_contents", only="insert_anchors")

    def finish(self) -> int:
        """After the captures are stored: what is not stored loses its content, which revisits of it
        take over.

        Returns:
            The number of captures of this source that have content, or borrow it from what is
            loaded so far.
        """
        self.flush()
        given = {"source_id": self.source_id, "last_url": self.last_url}
        for name in ("stored", "orphans"):
            self.db.run("load/60_page_contents", given, only=name)
        if self.db.value("SELECT count(*) FROM orphans"):
            for name in OF_ORPHANS:
                self.db.run("load/60_page_contents", given, only=name)
        return with_content(self.db, [self.source_id])


def _base(url: str, named: str | None) -> tuple[str, str, str] | None:
    """What links are relative to: origin, path without query, and its folder; None for what is no
    page's URL.
    """
    origin, _, path, _ = parse_url(url.partition("#")[0])
    if origin is None or path is None:
        return None
    if named:
        other, _, there, _ = resolve(f"{origin}{path}\n{named}")
        origin, path = other or origin, there or path
    own = path.partition("?")[0]
    return origin, own, own.rpartition("/")[0] + "/"


def read_pages(
    contents: Contents, pages: Iterable[pa.Table], identifiers: Identifiers | None = None
) -> None:
    """The pages of a table's rows (markup or text, by its looks), whose other columns are in the
    temporary table ``staged``.

    A page that cannot be read makes its row a problem. Where the table has no titles, digests or
    lengths, those of its pages are taken.

    Args:
        contents: takes what they say.
        pages: slices of position and content, as
            :func:`replicadb.readers.table_files.stage_table` gives them.
        identifiers: takes what they say of who runs them.
    """
    found: dict[str, list[Any]] = {
        "position": [],
        "problem": [],
        "title": [],
        "digest": [],
        "length": [],
    }
    for part in filter(len, pages):
        for place, page, size, digest, url, readable, unknown in _with_rows(contents, part):
            if size is None or not (readable or unknown):
                continue
            content, problem = _read(contents, place, url, page) if readable else (None, None)
            if content is not None:
                digest = content.raw_digest
                if identifiers and page is not None:
                    identifiers.take(place, page)
            elif page is not None:
                digest = _digest(page)
            row = (place, problem, content and content.title, digest, size)
            for name, value in zip(found, row, strict=True):
                found[name].append(value)
    _add_to_staged(contents.db, found)


def _with_rows(contents: Contents, part: pa.Table) -> Iterator[tuple[Any, ...]]:
    """Each page of a slice with what its row says: position, page, bytes and digest; URL, whether
    the page is to be read, and whether its digest or length is unknown. A page is made a Python
    object when its turn comes: a slice of them may be large.
    """
    places, sizes, digests = (
        part.column(name).to_pylist() for name in ("position", "bytes", "digest")
    )
    rows = contents.db.arrow(
        ROWS,
        {
            "all_types": contents.all_types,
            "types": list(TEXT_TYPES),
            "first": places[0],
            "last": places[-1],
        },
    )
    of_rows = (rows.column(name).to_pylist() for name in ("url", "readable", "unknown"))
    pages = (page.as_py() for page in part.column("content"))
    yield from zip(places, pages, sizes, digests, *of_rows, strict=True)


def _read(
    contents: Contents, position: int, url: str, page: str | bytes | None
) -> tuple[PageContent | None, str | None]:
    """Keep what one page says; it, or why it cannot be read. None is a page larger than any that
    can.
    """
    try:
        if page is None:
            raise DataError(f"larger than {HTML_LIMIT >> 20} MiB")
        content = extract(page, None, url)
    except DataError as error:
        return None, f"content: {error}"
    except ODD_RECORD as error:
        return None, f"content: cannot be read ({type(error).__name__})"
    contents.add(position, url, content)
    return content, None


def _digest(page: str | bytes) -> str:
    return hashlib.sha1(
        page if isinstance(page, bytes) else page.encode("utf-8", "replace"), usedforsecurity=False
    ).hexdigest()


ROWS = """
    SELECT
        url,
        problem IS NULL
            AND url IS NOT NULL
            AND list_contains($types::VARCHAR[], coalesce(media_type(mime), 'text/html'))
            AND (coalesce(try_cast(status AS SMALLINT), 0) IN (0, 200)
                 OR $all_types AND try_cast(status AS SMALLINT) // 100 <> 3) AS readable,
        digest IS NULL OR length IS NULL AS unknown
    FROM staged
    WHERE position BETWEEN $first AND $last
    ORDER BY position"""
ADD_TO_STAGED = """
    UPDATE staged SET
        problem = coalesce(staged.problem, p.problem),
        title = coalesce(staged.title, p.title),
        digest = coalesce(staged.digest, 'sha1:' || p.digest),
        length = coalesce(staged.length, p.length)
    FROM page_batch AS p
    WHERE staged.position = p.position"""


def _add_to_staged(db: Database, found: dict[str, list[Any]]) -> None:
    batch = pa.table(
        {
            name: pa.array(values, pa.int64() if name in ("position", "length") else pa.string())
            for name, values in found.items()
        }
    )
    with db.registered("page_batch", batch):
        db.execute(ADD_TO_STAGED)
