"""The pages of a database that are due to be rendered, and what the browser showed of them stored.

Invariant: a page is stored with all that belongs to it or not at all, some dozens at a time,
so that a run that is stopped at any moment goes on where it was. SQL: rendering/10_rendered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import pyarrow as pa

from replicadb.counted import counted
from replicadb.errors import DataError
from replicadb.given_file import no_file
from replicadb.likely_meant import did_you_mean_file
from replicadb.near_duplicates.loaded_contents import stage_texts
from replicadb.rendering.replay_archive import Archive
from replicadb.settings import URL_MAX_BYTES
from replicadb.store.csv_text import table_as_text
from replicadb.store.database import Database
from replicadb.store.distinct import map_distinct
from replicadb.store.statements import statements
from replicadb.web.urls import parse_url

BATCH = 50  # pages stored in one transaction
ROW = pa.schema(
    [
        ("url_id", pa.int64()),
        ("final_url", pa.string()),
        ("title", pa.string()),
        ("text", pa.string()),
        ("body", pa.string()),
        ("length", pa.int64()),
        ("frames", pa.int32()),
        ("redirects", pa.int32()),
        ("missing", pa.int32()),
        ("reason", pa.string()),
    ]
)
Progress = Callable[[int, int], None]
"""Told how many pages are done, of how many."""


class Page(NamedTuple):
    """A page to render."""

    url_id: int
    url: str
    seconds: float | None
    """When it was fetched, since 1970."""


@dataclass
class RenderResult:
    """What one run did: every page that was due is rendered or rejected, unless the run was
    stopped.
    """

    rendered: int = 0
    unsettled: int = 0
    """Of those, pages that never came to rest, taken as they stood."""
    rejected: int = 0
    """Pages that the browser could not show; render_problems says why."""
    redirected: int = 0
    """Pages that led elsewhere by refresh or script."""
    frames: int = 0
    missing: int = 0
    """Requests that the archive could not answer."""
    archived: int = 0
    """HTML pages in the archive."""
    not_loaded: int = 0
    """Of those, pages that the database does not have with content."""
    rendered_before: int = 0
    problems: int = 0
    """Records of the archive that could not be read."""
    seconds: float = 0.0
    reasons: dict[str, int] = field(default_factory=dict)
    """Rejected and unsettled pages by reason."""

    def line(self) -> str:
        """The summary line."""
        return (
            f"rendered {self.rendered:,} pages ({self.unsettled:,} as they stood, never at rest),"
            f" rejected {self.rejected:,}; {self.redirected:,} led elsewhere, {self.frames:,}"
            f" frames grafted, {self.missing:,} requests not in the archive, in"
            f" {self.seconds:.1f} s"
        )

    def counts(self) -> dict[str, Any]:
        """All of it as a plain dict."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


def due_pages(
    db: Database,
    archive: Archive,
    result: RenderResult,
    *,
    only: str | None,
    limit: int | None,
    force: bool,
) -> list[Page]:
    """The pages that are due, in the order of their ids; counts of the archive into ``result``.

    Args:
        only: path of a CSV file with a column url: those alone. limit: so many at most.
        force: those too that were rendered before.

    Raises:
        DataError: the file of URLs cannot be used, or the database has no page of the archive.
    """
    with db.temporary():
        return _due_pages(db, archive, result, only, limit, force)


def _due_pages(
    db: Database,
    archive: Archive,
    result: RenderResult,
    only: str | None,
    limit: int | None,
    force: bool,
) -> list[Page]:
    stem = "rendering/10_rendered"
    stage_texts(db)
    db.run(stem, only="archived")
    for urls in archive.pages():
        _insert(db, "archived", pa.table({"url": urls}))
    if only:
        _stage_only(db, only)
    else:
        db.execute("CREATE OR REPLACE TEMP TABLE only_urls (url VARCHAR)")
    db.run(stem, {"chosen_only": only is not None}, only="renderable")
    ((result.archived, result.not_loaded, result.rendered_before),) = db.rows(
        statements(stem)["render_counts"]
    )
    if result.not_loaded == result.archived:
        raise DataError(
            f"{db.path}: has none of the archive's {counted(result.archived, 'page')} with content;"
            " is it the right archive? load reads it: replicadb load --content"
        )
    most = 2**62 if limit is None else limit
    return [
        Page(*row) for row in db.rows(statements(stem)["to_render"], {"force": force, "most": most})
    ]


def _stage_only(db: Database, path: str) -> None:
    """Make only_urls from a CSV file with a column url."""
    if what := no_file(path):
        raise DataError(
            f"{path}: {what}{did_you_mean_file(path)}; give a CSV file with the column url"
        )
    table = table_as_text(db, path)
    column = next((name for name in table.column_names if name.strip().lower() == "url"), None)
    if column is None:
        raise DataError(f"{path}: no column url; its first line must name one")
    db.execute("CREATE OR REPLACE TEMP TABLE only_given (url VARCHAR)")
    _insert(db, "only_given", pa.table({"url": table.column(column)}))
    db.run("functions/20_urls")
    map_distinct(
        db,
        statements("rendering/10_rendered")["odd_only"],
        "only_parsed",
        ("url", "origin", "host_name", "path", "reason"),
        parse_url,
        {"max_bytes": URL_MAX_BYTES},
    )
    db.run("rendering/10_rendered", only="only_urls")


def _insert(db: Database, table: str, rows: pa.Table) -> None:
    db.register("render_rows", rows)
    db.execute(f"INSERT INTO {table} BY NAME SELECT * FROM render_rows")
    db.con.unregister("render_rows")


class RenderStore:
    """Takes pages as they are done, and stores them a batch at a time."""

    def __init__(
        self, db: Database, result: RenderResult, due: int, progress: Progress | None
    ) -> None:
        self._db, self._result, self._due, self._progress = db, result, due, progress
        self._rows: list[dict[str, Any]] = []
        self._done = 0

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        self._done += 1
        if len(self._rows) >= BATCH:
            self.flush()
        if self._progress:
            self._progress(self._done, self._due)

    def flush(self) -> None:
        """Store what is waiting: all of it or nothing."""
        if not self._rows:
            return
        self._db.register("just_rendered", pa.Table.from_pylist(self._rows, ROW))
        try:
            with self._db.transaction():
                for name in (
                    "forget_rendered",
                    "forget_problems",
                    "store_rendered",
                    "store_problems",
                ):
                    self._db.run("rendering/10_rendered", only=name)
        finally:
            self._db.con.unregister("just_rendered")
        for row in self._rows:
            self._count(row)
        self._rows = []

    def _count(self, row: dict[str, Any]) -> None:
        shown, result = row["length"] is not None, self._result
        result.rendered += shown
        result.rejected += not shown
        result.unsettled += shown and row["reason"] is not None
        if row["reason"]:
            result.reasons[row["reason"]] = result.reasons.get(row["reason"], 0) + 1
        result.redirected += bool(row["redirects"])
        result.frames += row["frames"] or 0
        result.missing += row["missing"] or 0
