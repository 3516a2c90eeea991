"""Crawl files into the database: one transaction a source file, and out again.

Always true here: for every source, read = kept + replaced + skipped + rejected, and the sum of kept
over the sources that were loaded in order is the number of URLs. A source that fails leaves no
trace.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import pyarrow as pa

from replicadb.errors import DataError, ReplicaDBError, UsageError
from replicadb.load import capture_store, host_lists
from replicadb.load.capture_store import give_named_ips, last_id, remember
from replicadb.load.content_store import Contents, read_pages
from replicadb.readers import archives, cdx, formats
from replicadb.readers.capture_rows import ARCHIVE_SCHEMA
from replicadb.readers.formats import Source
from replicadb.readers.table_files import stage_table
from replicadb.store import run_log
from replicadb.store.connecting import first_line, interrupted
from replicadb.store.database import Database
from replicadb.web.page_text import need_libraries

SITES = ("host", "domain", "host+1")
ARCHIVES = ("warc", "arc", "wacz", "wat", "wet")
COUNTS = ("read", "kept", "replaced", "skipped", "rejected")
Progress = Callable[[str, int, float | None], None]
"""Called with the source's name, rows so far, and the share of the file done (None: unknown)."""


@dataclass
class LoadResult:
    """What one load did, summed over its sources: read = kept + replaced + skipped + rejected."""

    read: int = 0
    kept: int = 0
    replaced: int = 0
    skipped: int = 0
    rejected: int = 0
    sources: int = 0
    """Files loaded."""
    known: list[str] = field(default_factory=list)
    """Files recognised as loaded before; nothing was changed for them."""
    unrecognised: list[str] = field(default_factory=list)
    """Files in folders that are no crawls, with the reason."""
    failed: list[str] = field(default_factory=list)
    """Files that could not be loaded, one line each."""
    warnings: list[str] = field(default_factory=list)
    """What a careful person would want to know."""
    contents: int = 0
    """Captures whose content was kept (LoadOptions.content)."""
    links: dict[str, int] = field(default_factory=dict)
    """Links stored by kind (redirect, canonical, link: each target once a page), and ``left_out``;
    link_skips says why.
    """
    seconds: float = 0.0

    def line(self) -> str:
        """The summary line; it adds up."""
        return (
            f"read {self.read:,} = kept {self.kept:,} + replaced {self.replaced:,} + skipped"
            f" {self.skipped:,} + rejected {self.rejected:,}, from {self.sources:,}"
            f" file{'s' if self.sources != 1 else ''} in {self.seconds:.1f} s"
        )


@dataclass(frozen=True)
class LoadOptions:
    """How to load; see ``replicadb load --help``."""

    format: str = "auto"
    label: str | None = None
    site: str | None = None
    all_types: bool = False
    force: bool = False
    columns: dict[str, str] = field(default_factory=dict)
    hosts: str | None = None
    exclude_hosts: str | None = None
    links: bool | None = None
    """Out-links: True also from HTML in archives, False from nowhere, None where they need no
    parsing (tables, WAT).
    """
    content: bool = False
    """Keep what stands on the pages: titles, terms, links with their texts, digests; for the page
    methods.
    """


def load(
    db: Database,
    sources: list[str],
    options: LoadOptions | None = None,
    progress: Progress | None = None,
) -> LoadResult:
    """Load crawl files.

    Args:
        sources: files, patterns, folders, or ``-`` for standard input.
        options: see LoadOptions.
        progress: told how far each source is.

    Returns:
        What was done; a file that failed is in ``failed``, the others are loaded all the same.

    Raises:
        UsageError: an option that cannot be meant. DataError: no source at all, or every one
            failed.
    """
    options = options or LoadOptions()
    if options.format not in formats.FORMATS:
        raise UsageError(
            f"unknown format {options.format!r}; choose one of: {', '.join(formats.FORMATS)}"
        )
    if options.content:
        need_libraries()
    started, result = time.time(), LoadResult()
    with tempfile.TemporaryDirectory(prefix="replicadb-") as scratch:
        files = _expand(sources, Path(scratch))
        _settle_site(db, options.site)
        host_lists.stage_excluded(db, options.exclude_hosts)
        capture_store.prepare(db)
        if options.hosts:
            _load_hosts(db, options, result)
        with db.written_once() if options.content else contextlib.nullcontext():
            for source in files:
                _load_counted(db, source, options, progress, Path(scratch), result)
    if options.hosts:
        result.warnings += host_lists.unused(db)
    result.warnings += _mixed_kinds(db)
    result.seconds = time.time() - started
    if result.failed and not (result.sources or result.known):
        raise DataError(
            result.failed[0]
            if len(result.failed) == 1
            else (
                f"none of {len(result.failed)} files could be loaded; the first: {result.failed[0]}"
            )
        )
    if not (result.sources or result.known or options.hosts):
        raise DataError(
            f"{sources[0]}: no crawl file in it; {len(result.unrecognised)} files are of no known"
            " format"
        )
    run_log.record(
        db,
        "load",
        started,
        {
            "sources": sources,
            "format": options.format,
            "label": options.label,
            "all_types": options.all_types,
            "links": options.links,
            "site": site_of(db),
            **({"content": True} if options.content else {}),
        },
        {name: getattr(result, name) for name in COUNTS},
    )
    return result


def _expand(sources: list[str], scratch: Path) -> list[Source]:
    files: list[Source] = []
    for given in sources:
        if given == "-":
            spool = scratch / "stdin"
            with open(spool, "wb") as handle:
                shutil.copyfileobj(sys.stdin.buffer, handle)
            files.append(Source(spool, "-", explicit=True))
        else:
            files += formats.expand([given])
    return files


def _load_counted(
    db: Database,
    source: Source,
    options: LoadOptions,
    progress: Progress | None,
    scratch: Path,
    result: LoadResult,
) -> None:
    """Load one source and add what it did to the result."""
    try:
        format = options.format if options.format != "auto" else formats.recognise(source.path)
    except DataError as error:
        (result.failed if source.explicit else result.unrecognised).append(
            f"{source.name}: {error}"
        )
        return
    try:
        counts = _load_source(db, source, format, options, progress, scratch)
    except (ReplicaDBError, duckdb.Error, OSError, pa.ArrowException) as error:
        if isinstance(error, UsageError) or _disk_full(error) or interrupted(error):
            raise
        no_crawl = (
            not source.explicit
            and isinstance(error, DataError)
            and format in ("csv", "tsv", "jsonl", "parquet")
        )
        (result.unrecognised if no_crawl else result.failed).append(
            f"{source.name}: {first_line(error)}"
        )
        return
    if counts is None:
        result.known.append(source.name)
        if options.content and not db.value(
            "SELECT count(*) FROM page_contents JOIN sources USING (source_id) WHERE sha256 = ?",
            [formats.file_digest(source.path)[0]],
        ):
            result.warnings.append(
                f"{source.name}: was loaded without --content; load it again with --content --force"
            )
        return
    result.sources += 1
    result.contents += counts["contents"]
    if options.content and counts["kept"] + counts["replaced"] and not counts["contents"]:
        result.warnings.append(
            f"{source.name}: carries no content of pages; WARC, ARC, WACZ, WET, WAT do, and tables"
            " with a column html, text, content or body"
        )
    for name in COUNTS:
        setattr(result, name, getattr(result, name) + counts[name])
    for kind, n in counts["links"].items():
        result.links[kind] = result.links.get(kind, 0) + n
    if not counts["read"]:
        result.warnings.append(
            f"{source.name}: no capture in it (requests and descriptions of the crawl alone are"
            " none)"
        )
    if counts["bad_ips"]:
        result.warnings.append(
            f"{source.name}: {counts['bad_ips']:,}"
            f" address{'es are no IP addresses' if counts['bad_ips'] > 1 else ' is no IP address'}"
            f" (such as {counts['bad_ip'][:40]!r}); the pages are kept without"
        )


def _disk_full(error: BaseException) -> bool:
    return (
        isinstance(error, duckdb.OutOfMemoryException)
        or "No space left" in str(error)
        or getattr(error, "errno", 0) == 28
    )


def _load_source(
    db: Database,
    source: Source,
    format: str,
    options: LoadOptions,
    progress: Progress | None,
    scratch: Path,
) -> dict[str, Any] | None:
    started = time.time()
    digest, size = formats.file_digest(source.path)
    with db.transaction():
        before = db.column("SELECT source_id FROM sources WHERE sha256 = ?", [digest])
        if before and not options.force:
            return None
        label = options.label
        if before:
            label = label or db.value(
                "SELECT name FROM loads JOIN sources USING (load_id) WHERE source_id = ?",
                [before[0]],
            )
            _take_out(db, before)
        source_id = next_source(db)
        contents = (
            Contents(db, source_id, last_id(db, "url"), options.all_types)
            if options.content
            else None
        )
        _stage(db, source, format, options, progress, scratch, contents)
        try:
            steps = _steps(db, source, progress, format in ARCHIVES)
            counts = capture_store.store(
                db, source_id, site_of(db), options.all_types, steps, contents
            )
        except (
            duckdb.IOException,
            duckdb.InvalidInputException,
        ) as error:  # a Parquet file is read as it is stored
            if format not in ("parquet", "cc-index") or _disk_full(error) or interrupted(error):
                raise
            raise DataError(f"cannot be read as parquet: {first_line(error)}") from error
        load_id = _load_id(db, label or ("stdin" if source.name == "-" else source.name))
        db.execute(
            "INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, now()::TIMESTAMP, ?, ?, ?, ?, ?, ?)",
            [
                source_id,
                load_id,
                source.name,
                format,
                digest,
                size,
                time.time() - started,
                *(counts[name] for name in COUNTS),
            ],
        )
    return counts


def next_source(db: Database) -> int:
    """A source id that no source ever had, not even one that was taken out."""
    remember(db, {"source": (last := last_id(db, "source")) + 1})
    return last + 1


def _load_id(db: Database, label: str) -> int:
    known = db.value("SELECT load_id FROM loads WHERE name = ?", [label])
    if known is None:
        known = (db.value("SELECT max(load_id) FROM loads") or 0) + 1
        db.execute("INSERT INTO loads VALUES (?, ?, now()::TIMESTAMP)", [known, label])
    return known


def _stage(
    db: Database,
    source: Source,
    format: str,
    options: LoadOptions,
    progress: Progress | None,
    scratch: Path,
    contents: Contents | None,
) -> None:
    """Make the temporary table ``staged`` from a file of any format; the contents of its pages go
    straight into the tables.
    """
    if format in ARCHIVES:
        with open(source.path, "rb") as raw:
            _stage_batches(
                db,
                archives.read_archive(raw, format, options.links, contents),
                source,
                progress,
                raw,
            )
        return
    if format in ("cdx", "cdxj"):
        stage = cdx.stage_cdx if format == "cdx" else cdx.stage_cdxj
        stage(db.con, str(source.path), "staged")
        for column in (
            "user_id VARCHAR",
            "links VARCHAR[]",
            "canonical VARCHAR",
            "base VARCHAR",
            "title VARCHAR",
        ):
            db.execute(f"ALTER TABLE staged ADD COLUMN {column}")
    else:
        columns = options.columns | ({"links": None} if options.links is False else {})
        kind = "parquet" if format == "cc-index" else format
        pages = stage_table(db, str(source.path), kind, columns, str(scratch), contents is not None)
        if contents and pages:
            read_pages(contents, pages)


def _stage_batches(
    db: Database,
    batches: Iterable[pa.RecordBatch],
    source: Source,
    progress: Progress | None,
    raw: BinaryIO,
) -> None:
    size = max(source.path.stat().st_size, 1)
    with db.handed("empty_batch", ARCHIVE_SCHEMA.empty_table()):
        db.execute(
            "CREATE OR REPLACE TEMP TABLE staged AS SELECT *, NULL::VARCHAR AS user_id FROM"
            " empty_batch"
        )
    rows = 0
    for batch in batches:
        with db.handed("archive_batch", pa.Table.from_batches([batch])):
            db.execute("INSERT INTO staged BY NAME FROM archive_batch")
        rows += batch.num_rows
        if progress:
            progress(source.name, rows, min(raw.tell() / size, 1.0))


def _steps(
    db: Database, source: Source, progress: Progress | None, archive: bool
) -> Callable[[float], None]:
    """Tells how far a table is: DuckDB reads and stores it in a few statements, whose shares of the
    time were measured. An archive has told its progress while it was read.
    """
    if progress is None or archive:
        return lambda share: None
    rows = db.value("SELECT count(*) FROM staged")
    progress(source.name, rows, capture_store.STAGED_SHARE)
    return lambda share: progress(source.name, rows, share)


def _load_hosts(db: Database, options: LoadOptions, result: LoadResult) -> None:
    """Take the addresses of ``--hosts``: one transaction, and a source like any other."""
    files = formats.expand([str(options.hosts)])
    if len(files) != 1:
        raise UsageError(f"--hosts {options.hosts}: is {len(files)} files; name one table of hosts")
    (file,) = files
    digest, size = formats.file_digest(file.path)
    with db.transaction():
        before = db.column(
            "SELECT source_id FROM sources WHERE sha256 = ? AND format = 'hosts'", [digest]
        )
        if before and not options.force:
            result.known.append(file.name)
            return
        label = options.label
        if before:
            label = label or db.value(
                "SELECT name FROM loads JOIN sources USING (load_id) WHERE source_id = ?",
                [before[0]],
            )
            _take_out(db, before)
        source_id = next_source(db)
        used, rejected = host_lists.stage_named_ips(db, str(file.path), source_id)
        db.execute(
            "INSERT INTO sources VALUES (?, ?, ?, 'hosts', ?, ?, now()::TIMESTAMP, 0, ?, 0, 0,"
            " ?, ?)",
            [
                source_id,
                _load_id(db, options.label or file.name),
                file.name,
                digest,
                size,
                used + rejected,
                used,
                rejected,
            ],
        )
        give_named_ips(db)


def site_of(db: Database) -> str:
    """What counts as one site in this database: host, domain or host+1."""
    return db.value("SELECT value FROM meta WHERE key = 'site'") or "host"


def _settle_site(db: Database, wanted: str | None) -> None:
    if wanted is not None and wanted not in SITES:
        raise UsageError(f"--site cannot be {wanted!r}; choose one of: {', '.join(SITES)}")
    settled = db.value("SELECT value FROM meta WHERE key = 'site'")
    if settled is None or not db.value("SELECT count(*) FROM sources"):
        db.execute("INSERT OR REPLACE INTO meta VALUES ('site', ?)", [wanted or "host"])
    elif wanted and wanted != settled:
        raise UsageError(
            f"this database was loaded with --site {settled}; use another database for --site"
            f" {wanted}"
        )


def _mixed_kinds(db: Database) -> list[str]:
    """A warning where fingerprints of kinds that cannot meet are mixed, or where there are none."""
    kinds = db.rows("""SELECT fingerprint_kind, count(*) FROM urls WHERE fingerprint IS NOT NULL
                       GROUP BY 1 ORDER BY 2 DESC, 1""")
    if not kinds and db.value("SELECT count(*) FROM urls"):
        return [
            "no URL here has a fingerprint, so no content can be compared; name the column with"
            " --column fingerprint=NAME and --force"
        ]
    if len(kinds) < 2:
        return []
    counted = ", ".join(f"{kind}: {n:,} URLs" for kind, n in kinds)
    return [
        f"fingerprints of {len(kinds)} kinds that can never be equal ({counted}); pages of"
        " different kinds will not be seen as copies"
    ]


def unload(db: Database, name: str) -> int:
    """Take one load out again, by its label or by the name of its source.

    Returns:
        The number of source files taken out.

    Raises:
        DataError: no such load.
    """
    started = time.time()
    with db.transaction():
        leaving = db.column(
            "SELECT source_id FROM sources JOIN loads USING (load_id) WHERE name = ?", [name]
        ) or db.column("SELECT source_id FROM sources WHERE source = ?", [name])
        if not leaving:
            known = db.column("SELECT name FROM loads ORDER BY load_id LIMIT 10")
            raise DataError(
                f"no load called {name!r}; "
                + (f"there are: {', '.join(known)}" if known else "nothing is loaded")
            )
        _take_out(db, leaving)
    run_log.record(db, "unload", started, {"name": name}, {"sources": len(leaving)})
    return len(leaving)


def _take_out(db: Database, source_ids: list[int]) -> None:
    db.execute(
        "CREATE OR REPLACE TEMP TABLE leaving AS SELECT unnest($ids::INTEGER[]) AS source_id",
        {"ids": source_ids},
    )
    db.run("load/90_unload")
    give_named_ips(db)
