"""Crawl files into the database: one transaction a source file, or hundreds of small ones
(``bundles.py``).

For every source, read = kept + replaced + skipped + rejected, and the sum of kept over the sources
that were loaded in order is the number of URLs. A source that fails leaves no trace.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from replicadb.counted import and_more, counted
from replicadb.errors import DataError, LimitError, ReplicaDBError, UnreadableError, UsageError
from replicadb.given_file import name_of
from replicadb.likely_meant import did_you_mean
from replicadb.load import bundles, capture_store, host_lists, source_counts
from replicadb.load.content_store import Contents
from replicadb.load.earlier_rows import Given, settle_earlier
from replicadb.load.given_sources import expand, refuse_larger, size_of
from replicadb.load.identifier_store import Identifiers
from replicadb.load.identifiers import insert_source, label_of, last_id, load_of, next_source
from replicadb.load.load_options import COUNTS, LoadOptions, LoadResult, Progress
from replicadb.load.site_unit import settle_site, site_of
from replicadb.load.staging import share_reporter, stage
from replicadb.load.unload import take_out
from replicadb.near_duplicates.loaded_contents import with_content
from replicadb.readers import formats
from replicadb.readers.capture_rows import ODD_RECORD
from replicadb.readers.formats import Source
from replicadb.store import at_work, run_log
from replicadb.store.connecting import disk_full, first_line, interrupted
from replicadb.store.database import Database
from replicadb.store.scratch_folder import scratch_folder
from replicadb.web.page_text import need_libraries

BEFORE = """
    SELECT source_id, kept + replaced = 0 AND rejected > 0 AND format <> 'hosts' AS all_rejected
    FROM sources WHERE sha256 = ?"""
"""The sources of a file. One that was rejected as a whole, as with the wrong column, is loaded
again like a new one.
"""

DIGESTS_LOST = """
    WITH bare AS (
        SELECT origin_id, path, source_id FROM urls
        WHERE source_id > $last AND fingerprint IS NULL
    )
    SELECT source, count(*) AS n
    FROM bare
    SEMI JOIN (FROM superseded WHERE fingerprint IS NOT NULL) USING (origin_id, path)
    JOIN sources USING (source_id)
    GROUP BY source ORDER BY source"""
"""By source after the given one, the URLs that had a fingerprint from a source before it."""


def load(
    db: Database,
    sources: list[str],
    options: LoadOptions | None = None,
    progress: Progress | None = None,
) -> LoadResult:
    """Load crawl files.

    Args:
        db: open for writing.
        sources: files, patterns, folders, or ``-`` for standard input.
        options: see LoadOptions.
        progress: called with how far each source is.

    Returns:
        What was done; a file that failed is in ``failed``, the others are loaded all the same.

    Raises:
        UsageError: an option that cannot be meant, or another load or a detection of this process
            is under way in the file. DataError: no source at all, or every one failed. LimitError:
            every one is larger than ``max_file_size``.
    """
    options = options or LoadOptions()
    _refuse_unmeant(sources, options)
    with contextlib.nullcontext() if options.dry_run else at_work.alone(db, "a load"):
        return _load(db, sources, options, progress)


def _load(
    db: Database, sources: list[str], options: LoadOptions, progress: Progress | None
) -> LoadResult:
    started, result = time.time(), LoadResult(dry_run=options.dry_run)
    most = size_of(options.max_file_size) if options.max_file_size else None
    with scratch_folder() as scratch, db.temporary():
        files = expand(sources, scratch, most)
        settle_site(db, options.site)
        excluded = host_lists.stage_excluded(db, options.exclude_hosts)
        capture_store.prepare(db)
        given, last = Given.to(db), last_id(db, "source")
        if options.hosts:
            _load_hosts(db, options, scratch, result)
        with db.written_once() if options.content else contextlib.nullcontext():
            one = partial(_load_counted, db, options, progress, scratch, given, result)
            bundles.load_files(db, files, options, progress, given, result, one)
        result.warnings += [f"{and_more(of)}: {text}" for text, of in result.doubts.items()]
        result.warnings += excluded.notes(result) if excluded else []
        if options.columns and result.sources and not result.columns:
            result.warnings.append(
                "--column says what the columns of tables are, and none of these is a table"
            )
        settle_earlier(db, given, options, result)
    if options.hosts:
        result.warnings += host_lists.unused(db)
    result.warnings += _mixed_kinds(db) + _digests_lost(db, last)
    result.seconds = time.time() - started
    _refuse_nothing(sources, options, result)
    if not options.dry_run:
        _record(db, started, sources, options, result)
    return result


def _refuse_unmeant(sources: list[str], options: LoadOptions) -> None:
    """Raises UsageError where the options cannot be meant; what ``content`` needs is there."""
    if options.format not in formats.FORMATS:
        raise UsageError(
            f"unknown format {options.format!r}{did_you_mean(options.format, formats.FORMATS)};"
            f" choose one of: {', '.join(formats.FORMATS)}"
        )
    for name in ("label", "max_file_size"):
        given = getattr(options, name)
        if not (given is None or isinstance(given, str)):
            raise UsageError(f"{name} {given!r}: give it as text")
    if options.label and name_of(options.label) != options.label:
        raise UsageError(f"the label {options.label!r} is no UTF-8")
    if options.content:
        need_libraries()
    if not sources and not options.hosts:
        raise UsageError("nothing to load; name a file, pattern or folder")


class _Tried(Exception):
    """Raised at the end of what was only tried, so that it leaves no trace."""


@contextlib.contextmanager
def _transaction(db: Database, dry_run: bool) -> Iterator[None]:
    """A transaction; of a dry run, one that is rolled back."""
    with contextlib.suppress(_Tried), db.transaction():
        yield
        if dry_run:
            raise _Tried


def _refuse_nothing(sources: list[str], options: LoadOptions, result: LoadResult) -> None:
    """Raises DataError where no source could be loaded, or none was there; LimitError where each
    was larger than it may be.
    """
    if result.sources or result.known:
        return
    fault = LimitError if result.too_large == len(result.failed) else DataError
    if len(result.failed) == 1:
        raise fault(result.failed[0])
    if result.failed:
        raise fault(
            f"none of {len(result.failed)} files could be loaded; the first: {result.failed[0]}"
        )
    if not options.hosts:
        first = f"; the first: {result.unrecognised[0]}" if result.unrecognised else ""
        raise DataError(
            f"{sources[0]}: no crawl file in it; {len(result.unrecognised)} files are of no known"
            f" format{first}"
        )


def _record(
    db: Database, started: float, sources: list[str], options: LoadOptions, result: LoadResult
) -> None:
    given = {
        "sources": [name_of(source) for source in sources],
        "format": options.format,
        "label": options.label,
        "all_types": options.all_types,
        "pages_only": options.pages_only,
        **({"machine_files": True} if options.machine_files else {}),
        "links": options.links,
        "site": site_of(db),
        **({"content": True} if options.content else {}),
        **({} if options.identifiers else {"identifiers": False}),
    }
    run_log.record(db, "load", started, given, {name: getattr(result, name) for name in COUNTS})


def _load_counted(
    db: Database,
    options: LoadOptions,
    progress: Progress | None,
    scratch: Path,
    given: Given,
    result: LoadResult,
    source: Source,
) -> None:
    """Load one source and add what it did to the result."""
    try:
        if options.max_file_size:
            refuse_larger(source.path, size_of(options.max_file_size))
        format = source.format(options.format)
    except (DataError, LimitError, OSError, *ODD_RECORD) as error:
        fails = source.explicit or isinstance(error, UnreadableError)
        refused = result.failed if fails else result.unrecognised
        result.too_large += source.explicit and isinstance(error, LimitError)
        refused.append(f"{source.name}: {error}")
        return
    try:
        counts = _load_source(db, source, format, options, progress, scratch, given)
    except Exception as error:  # whatever is wrong with one file, the others load
        if isinstance(error, UsageError):
            raise UsageError(f"{source.name}: {error}{_loaded_before(result)}") from error
        if disk_full(error) or interrupted(error) or db.unusable():
            raise
        text_or_table = format in ("csv", "tsv", "urls", "jsonl", "parquet")
        fails = source.explicit or isinstance(error, UnreadableError) or not text_or_table
        no_crawl = isinstance(error, DataError) and not fails
        refused = result.unrecognised if no_crawl else result.failed
        refused.append(f"{source.name}: {_cause(error)}")
        return
    if counts is None:
        result.known.append(source.name)
        if other := given.elsewhere.get(source.name):
            stands = "under its own name" if other == source.name else f"in the load {other!r}"
            text = f"stands {stands}, and so not in {options.label!r}; --force moves it"
            result.doubts.setdefault(text, []).append(source.name)
        if options.content and not _has_contents(db, source):
            text = "was loaded without --content; load it again with --content --force"
            result.doubts.setdefault(text, []).append(source.name)
        return
    source_counts.add(result, source.name, counts, options)


def _loaded_before(result: LoadResult) -> str:
    """What stands though the load ends here; nothing of a dry run."""
    if not result.sources or result.dry_run:
        return ""
    are = "is" if result.sources == 1 else "are"
    return f"; {counted(result.sources, 'file')} before it {are} loaded"


def _cause(error: Exception) -> str:
    expected = isinstance(error, ReplicaDBError | duckdb.Error | OSError | pa.ArrowException)
    kind = "" if expected else f"cannot be read: {type(error).__name__}: "
    return kind + first_line(error)


def _has_contents(db: Database, source: Source) -> bool:
    digest, _ = formats.file_digest(source.path)
    ids = db.column("SELECT source_id FROM sources WHERE sha256 = ?", [digest])
    return bool(with_content(db, ids))


def _load_source(
    db: Database,
    source: Source,
    format: str,
    options: LoadOptions,
    progress: Progress | None,
    scratch: Path,
    given: Given,
) -> dict[str, Any] | None:
    """One source into the tables: its counts, or None for a file that was loaded before."""
    started, stamp = time.time(), formats.stamp(source.path)
    digest, size = formats.file_digest(source.path)
    with _transaction(db, options.dry_run), db.temporary():
        before = db.rows(BEFORE, [digest])
        label = options.label
        if before:
            names = [label_of(db, source_id) for source_id, _ in before]
            label = label or names[0]
            if not options.force and not all(all_rejected for _, all_rejected in before):
                given.add(label or "", digest, known=True)
                if label not in names:
                    given.elsewhere[source.name] = str(names[0])
                return None
            take_out(db, [source_id for source_id, _ in before])
        source_id = next_source(db)
        contents = None
        if options.content:
            contents = Contents(db, source_id, last_id(db, "url"), options.all_types)
        identifiers = Identifiers(db) if options.identifiers else None
        columns = stage(db, source, format, options, progress, scratch, contents, identifiers)
        try:
            report = share_reporter(db, source, progress, format)
            counts = capture_store.store(db, source_id, site_of(db), options, report, contents)
        except (duckdb.IOException, duckdb.InvalidInputException) as error:
            # a Parquet file is read as it is stored
            if format not in ("parquet", "cc-index") or disk_full(error) or interrupted(error):
                raise
            raise UnreadableError(f"cannot be read as parquet: {first_line(error)}") from error
        formats.refuse_changed(source.path, stamp)
        counts["identifiers"] = identifiers.finish(source_id, site_of(db)) if identifiers else 0
        label = label or ("stdin" if source.name == "-" else source.name)
        load_id, seconds = load_of(db, label), time.time() - started
        insert_source(db, source_id, load_id, source.name, format, digest, size, seconds, counts)
    given.add(label, digest, known=False)
    return counts | {"columns": columns}


def _load_hosts(db: Database, options: LoadOptions, scratch: Path, result: LoadResult) -> None:
    """Take the addresses of ``--hosts``: one transaction, and a source like any other."""
    files = expand([str(options.hosts)], scratch)
    if len(files) != 1:
        raise UsageError(f"--hosts {options.hosts}: is {len(files)} files; name one table of hosts")
    (file,) = files
    digest, size = formats.file_digest(file.path)
    with _transaction(db, options.dry_run), db.temporary():
        before = db.column(
            "SELECT source_id FROM sources WHERE sha256 = ? AND format = 'hosts'", [digest]
        )
        if before and not options.force:
            result.known.append(file.name)
            return
        if before:
            take_out(db, before)
        source_id = next_source(db)
        used, rejected, example = host_lists.stage_named_ips(db, str(file.path), source_id)
        load_id = load_of(db, options.label or file.name)
        counts = dict.fromkeys(COUNTS, 0) | {"skipped": used, "rejected": rejected}
        counts["read"] = used + rejected
        insert_source(db, source_id, load_id, file.name, "hosts", digest, size, 0.0, counts)
        host_lists.give_named_ips(db)
    if rejected:
        name = "names" if rejected == 1 else "name"
        result.warnings.append(
            f"--hosts: {rejected:,} of {counted(used + rejected, 'row')} of {file.name} {name} no"
            f" host or no IP address, as {example!r}"
        )


def _mixed_kinds(db: Database) -> list[str]:
    """A warning where fingerprints of kinds that cannot meet are mixed, or where there are none."""
    kinds = db.rows("""SELECT fingerprint_kind, count(*) FROM urls WHERE fingerprint IS NOT NULL
                       GROUP BY 1 ORDER BY 2 DESC, 1""")
    if not kinds and db.value("SELECT count(*) FROM urls"):
        if db.value("SELECT count(*) FROM page_contents"):
            return []
        return [
            "no URL here has a fingerprint, so no content can be compared; name a table's column of"
            " digests with --column fingerprint=NAME, or of text with --column content=NAME"
            " --content, and --force; or compare paths: replicadb detect --candidates path"
        ]
    if len(kinds) < 2:
        return []
    listed = ", ".join(f"{kind}: {counted(n, 'URL')}" for kind, n in kinds)
    texts = db.value("SELECT count(*) FROM page_contents")
    return [
        f"fingerprints of {len(kinds)} kinds that can never be equal ({listed}); pages of"
        " different kinds will "
        + (
            "be seen as copies by their texts alone"
            if texts
            else "not be seen as copies: load archives with --content (and --force, if they are"
            " loaded), so that their texts are compared"
        )
    ]


def _digests_lost(db: Database, last: int) -> list[str]:
    """A warning where pages of sources after that one have no fingerprint, and take the place of
    captures that have one.
    """
    if not (lost := db.rows(DIGESTS_LOST, {"last": last})):
        return []
    n = sum(number for _, number in lost)
    return [
        f"{and_more([source for source, _ in lost])}: {n:,} URL{'s' if n > 1 else ''} had a"
        " fingerprint, and the newer capture here has none, so nothing tells their content; if that"
        " is not meant, unload it"
    ]
