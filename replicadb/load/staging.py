"""A source file of any format as the temporary table ``staged``: the columns of a capture row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from replicadb.load.content_store import Contents, read_pages
from replicadb.load.identifier_store import Identifiers
from replicadb.load.load_options import LoadOptions, Progress
from replicadb.readers import archives, cdx
from replicadb.readers.capture_rows import ARCHIVE_SCHEMA
from replicadb.readers.crawl_log import stage_crawl_log
from replicadb.readers.formats import Source
from replicadb.readers.table_files import stage_table
from replicadb.store.database import Database

ARCHIVES = ("warc", "arc", "wacz", "wat", "wet")
INDEXES = {"cdx": cdx.stage_cdx, "cdxj": cdx.stage_cdxj, "crawl-log": stage_crawl_log}
STAGED_SHARE = 0.03  # of a table's load time, 1,000,000 rows of Parquet
MISSING_IN_INDEXES = (
    "user_id VARCHAR",
    "links VARCHAR[]",
    "canonical VARCHAR",
    "base VARCHAR",
    "title VARCHAR",
)


def stage(
    db: Database,
    source: Source,
    format: str,
    options: LoadOptions,
    progress: Progress | None,
    scratch: Path,
    contents: Contents | None,
    identifiers: Identifiers | None = None,
) -> str | None:
    """Make the temporary table ``staged`` from a file of any format; the contents of its pages go
    straight into the tables.

    Returns:
        Of a table, which column became what, in one line.
    """
    if format in ARCHIVES:
        with open(source.path, "rb") as raw:
            batches = archives.read_archive(raw, format, options.links, contents, identifiers)
            _stage_batches(db, batches, source, progress, raw)
    elif format in INDEXES:
        INDEXES[format](db, str(source.path), "staged")
        for column in MISSING_IN_INDEXES:
            db.execute(f"ALTER TABLE staged ADD COLUMN {column}")
        if identifiers and format == "cdxj":
            identifiers.take_languages()
    else:
        columns = options.columns | ({"links": None} if options.links is False else {})
        kind = "parquet" if format == "cc-index" else format
        found, pages = stage_table(
            db, str(source.path), kind, columns, str(scratch), contents is not None
        )
        if identifiers and "language" in found.roles:
            identifiers.take_languages()
        if contents and pages:
            read_pages(contents, pages, identifiers)
        return found.line()
    return None


def _stage_batches(
    db: Database,
    batches: Iterable[pa.RecordBatch],
    source: Source,
    progress: Progress | None,
    raw: BinaryIO,
) -> None:
    size = max(source.path.stat().st_size, 1)
    empty_staged(db)
    rows = 0
    for batch in batches:
        with db.registered("archive_batch", pa.Table.from_batches([batch])):
            db.execute("INSERT INTO staged BY NAME FROM archive_batch")
        rows += batch.num_rows
        if progress:
            progress(source.name, rows, min(raw.tell() / size, 1.0))


def empty_staged(db: Database) -> None:
    """Make ``staged`` without a row."""
    with db.registered("no_rows", ARCHIVE_SCHEMA.empty_table()):
        db.execute(
            "CREATE OR REPLACE TEMP TABLE staged AS SELECT *, NULL::VARCHAR AS user_id FROM no_rows"
        )


def share_reporter(
    db: Database, source: Source, progress: Progress | None, format: str
) -> Callable[[float], None]:
    """Reports how far a table is: DuckDB reads and stores it in a few statements, whose shares of
    the time were measured. An archive has reported its progress while it was read.
    """
    if progress is None or format in ARCHIVES:
        return lambda share: None
    rows = db.value("SELECT count(*) FROM staged")
    progress(source.name, rows, STAGED_SHARE)
    return lambda share: progress(source.name, rows, share)
