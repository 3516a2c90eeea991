"""Many small files loaded together: a transaction and a round of statements for hundreds of files,
where each alone costs as much to plan.

Invariant: afterwards the database holds what it would hold had each file been loaded by itself, in
the same order, but for the numbers that hosts and origins get. Each file is still all there or not
at all. A file that is not plain in every respect is loaded by itself, at its place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from replicadb.errors import UsageError
from replicadb.load import capture_store, source_counts
from replicadb.load.capture_store import Bundle
from replicadb.load.constant_digests import FORM
from replicadb.load.earlier_rows import Given
from replicadb.load.given_sources import refuse_larger, size_of
from replicadb.load.identifiers import last_id, loads_of, remember
from replicadb.load.load_options import COUNTS, LoadOptions, LoadResult, Progress
from replicadb.load.site_unit import site_of
from replicadb.load.staging import empty_staged, stage
from replicadb.readers import archives, formats
from replicadb.readers.capture_rows import ARCHIVE_SCHEMA
from replicadb.readers.formats import Source
from replicadb.store.connecting import disk_full, interrupted
from replicadb.store.database import Database
from replicadb.store.scratch_folder import scratch_folder
from replicadb.store.statements import statements

ARCHIVES = ("warc", "arc", "wat", "wet")
TABLES = ("csv", "tsv", "urls", "jsonl", "parquet", "cc-index", "cdx", "cdxj", "crawl-log")
COLUMNS = ARCHIVE_SCHEMA.append(pa.field("user_id", pa.string()))
"""Of ``staged``; a table's may have a column more."""
MOST_BYTES = 128 << 10  # of a file that is small
MOST_FILES, MOST_ROWS = 400, 20_000  # of a bundle
FEWEST = 4  # files; of fewer each is loaded by itself
NO_ROWS = {"read": 0, "kept": 0, "assets": 0, "replaced": 0, "skipped": 0, "rejected": 0}
REST: dict[str, Any] = {
    "contents": 0,
    "identifiers": 0,
    "links": {},
    "reasons": [],
    "machine_files": {},
    "excluded": frozenset(),
    "without_scheme": (0, ""),
    "odd_statuses": (0, ""),
    "constant_digest": None,
}
"""What source_counts.add wants to know beside, of a file in a bundle."""
KNOWN = """
    SELECT sha256, any_value(l.name) FROM sources JOIN loads AS l USING (load_id)
    WHERE list_contains($digests::VARCHAR[], sha256) GROUP BY sha256"""
One = Callable[[Source], None]


@dataclass
class Small:
    """A small file that was read."""

    source: Source
    format: str
    digest: str
    size: int
    rows: pa.Table
    last: int
    """The highest position in it."""
    columns: str | None
    """Of a table, which column became what, in one line."""


def load_files(
    db: Database,
    files: list[Source],
    options: LoadOptions,
    progress: Progress | None,
    given: Given,
    result: LoadResult,
    one: One,
) -> None:
    """Load files in their order, small ones together.

    Args:
        db: as for capture_store.store.
        files: all of the load.
        options: its options.
        progress: called for each file.
        given: gets each file's digest.
        result: gets what was done.
        one: loads one file by itself and adds it to the result.
    """
    says_who = options.links and options.identifiers  # of each source, while its HTML is read
    plain = not (options.dry_run or options.content or options.force or says_who)
    for small, some in groupby(files, lambda file: plain and _is_small(file)):
        if not small:
            for file in some:
                one(file)
            continue
        waiting = list(some)
        for n in range(0, len(waiting), MOST_FILES):
            _load_small(db, waiting[n : n + MOST_FILES], options, progress, given, result, one)


def _is_small(file: Source) -> bool:
    try:
        return file.name != "-" and file.path.stat().st_size <= MOST_BYTES
    except OSError:  # whoever loads it says so
        return False


def _load_small(
    db: Database,
    files: list[Source],
    options: LoadOptions,
    progress: Progress | None,
    given: Given,
    result: LoadResult,
    one: One,
) -> None:
    """Bundles of files that stand one behind the other, and by itself each that is not plain."""
    if len(files) < FEWEST:
        for file in files:
            one(file)
        return
    for some in _read(db, files, options):
        if isinstance(some, Source):
            one(some)
        elif len(some) < FEWEST or not _stored(db, some, options, progress, given, result):
            for small in some:
                one(small.source)


def _read(
    db: Database, files: list[Source], options: LoadOptions
) -> Iterator[Source | list[Small]]:
    """Bundles, and files to be loaded by themselves, in the order of the files. What is known by
    its digest, or given twice, is loaded by itself: that tells.
    """
    ready: list[Small] = []
    seen: set[str] = set()
    stamps = {file.path: _stamp(file) for file in files}
    digests = {file.path: _digest(file) for file in files}
    there = [found[0] for found in digests.values() if found]
    known = {row[0] for row in db.rows(KNOWN, {"digests": there})}
    for file in files:
        found = digests[file.path]
        small = None
        if found and found[0] not in known | seen:
            small = _plain(db, file, *found, options)
            if _stamp(file) != stamps[file.path]:
                small = None  # written to since its digest was taken
        if small is None or sum(each.last for each in ready) + small.last > MOST_ROWS:
            if ready:
                yield ready
            ready = []
        if small is None:
            yield file
        else:
            seen.add(small.digest)
            ready.append(small)
    if ready:
        yield ready


def _stamp(file: Source) -> tuple[int, int, int] | None:
    try:
        return formats.stamp(file.path)
    except OSError:
        return None


def _digest(file: Source) -> tuple[str, int] | None:
    try:
        return formats.file_digest(file.path)
    except OSError:
        return None


def _plain(
    db: Database, file: Source, digest: str, size: int, options: LoadOptions
) -> Small | None:
    """A file as it is to be bundled; None if it is to be loaded by itself, which also tells what is
    wrong with it.
    """
    try:
        if options.max_file_size:
            refuse_larger(file.path, size_of(options.max_file_size))
        format = file.format(options.format)
        if format in ARCHIVES:
            with open(file.path, "rb") as raw:
                batches = list(archives.read_archive(raw, format, options.links))
            rows, columns = pa.Table.from_batches(batches) if batches else None, None
        elif format in TABLES:
            rows, columns = _table(db, file, format, options)
        else:
            return None
    except Exception as error:  # whatever it is, it is reported of the file by itself
        if disk_full(error) or interrupted(error) or db.unusable():
            raise
        return None
    if rows is None or not rows.num_rows or not _all_plain(rows):
        return None
    last = pc.max(rows["position"]).as_py()
    if last > MOST_ROWS:
        return None
    return Small(file, format, digest, size, rows, last, columns)


def _table(
    db: Database, file: Source, format: str, options: LoadOptions
) -> tuple[pa.Table | None, str | None]:
    """The rows of a table or index, and which column became what; no rows where it says languages,
    or has columns of other types than text and whole numbers.
    """
    with scratch_folder() as scratch, db.temporary():
        columns = stage(db, file, format, options, None, scratch, None)
        rows = db.arrow("FROM staged")
    if "language" in rows.column_names:
        if rows["language"].null_count < len(rows):
            return None, columns
        rows = rows.drop_columns("language")
    for name, type in zip(rows.schema.names, rows.schema.types, strict=True):
        if not (pa.types.is_string(type) or pa.types.is_integer(type) or name == "links"):
            return None, columns
    return rows.select(COLUMNS.names).cast(COLUMNS), columns


def _all_plain(rows: pa.Table) -> bool:
    """Whether no row needs to know of the others of its file, and none is damaged: no revisit, no
    link, no digest of a form of its own, no URL without a scheme, no status in words.
    """
    unusual = ("revisit_of", "links", "canonical", "problem")
    return (
        all(rows[name].null_count == len(rows) for name in unusual)
        and not _any(pc.equal(rows["mime"], "warc/revisit"))
        and not _any(pc.invert(pc.match_substring_regex(rows["digest"], f"^(?:{FORM})$")))
        and not _any(
            pc.invert(pc.match_substring_regex(rows["url"], r"^\s*[Hh][Tt][Tt][Pp][Ss]?:"))
        )
        and not _any(pc.match_substring_regex(rows["status"], "[A-Za-z]"))
    )


def _any(found: pa.ChunkedArray) -> bool:
    return bool(pc.any(found).as_py())


def _stored(
    db: Database,
    some: list[Small],
    options: LoadOptions,
    progress: Progress | None,
    given: Given,
    result: LoadResult,
) -> bool:
    """Load a bundle; False where something in it was wrong, and nothing was done."""
    started = time.time()
    try:
        with db.transaction(), db.temporary():
            first = last_id(db, "source") + 1
            remember(db, {"source": first + len(some) - 1})
            bundle = _stage(db, some, first)
            counts = capture_store.store(
                db, first, site_of(db), options, lambda share: None, bundle=bundle
            )
            by_source = _by_source(db)
            _insert_sources(db, some, first, by_source, options, time.time() - started)
    except Exception as error:
        if isinstance(error, UsageError) or disk_full(error) or interrupted(error) or db.unusable():
            raise
        return False
    for number, small in enumerate(some):
        label = options.label or small.source.name
        given.add(label, small.digest, known=False)
        mine = REST | {"bad_ips": 0, "odd_times": 0} | by_source.get(first + number, NO_ROWS)
        mine["columns"] = small.columns
        if not number:  # of all of them
            mine |= {
                name: counts[name] for name in ("links", "machine_files", "reasons", "excluded")
            }
        source_counts.add(result, small.source.name, mine, options)
        if progress:
            progress(small.source.name, small.rows.num_rows, 1.0)
    return True


def _stage(db: Database, some: list[Small], first: int) -> Bundle:
    """Make ``staged`` of all of them, one behind the other."""
    start, tables = 0, []
    sources: list[int] = []
    starts: list[int] = []
    for number, small in enumerate(some):
        moved = pc.add(small.rows["position"], pa.scalar(start, pa.int64()))
        at = small.rows.schema.get_field_index("position")
        tables.append(small.rows.set_column(at, "position", moved))
        sources += [first + number] * small.last
        starts += [start] * small.last
        start += small.last
    empty_staged(db)
    together = pa.concat_tables(tables, promote_options="default")  # archives have no user_id
    with db.registered("archive_batch", together):
        db.execute("INSERT INTO staged BY NAME FROM archive_batch")
    return Bundle(sources, starts)


def _by_source(db: Database) -> dict[int, dict[str, Any]]:
    cursor = db.execute(statements("load/42_counts")["counts_by_source"])
    names = [column[0] for column in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return {row.pop("source_id"): row for row in rows}


def _insert_sources(
    db: Database,
    some: list[Small],
    first: int,
    by_source: dict[int, dict[str, Any]],
    options: LoadOptions,
    seconds: float,
) -> None:
    names = [options.label or small.source.name for small in some]
    loads = loads_of(db, names)
    counts = [by_source.get(first + number, NO_ROWS) for number in range(len(some))]
    table = pa.table(
        {
            "source_id": list(range(first, first + len(some))),
            "load_id": [loads[name] for name in names],
            "name": [small.source.name for small in some],
            "format": [small.format for small in some],
            "sha256": [small.digest for small in some],
            "bytes": [small.size for small in some],
            "seconds": [seconds / len(some)] * len(some),
            **{name: [row[name] for row in counts] for name in COUNTS},
        }
    )
    with db.registered("new_sources", table):
        db.execute(
            f"""INSERT INTO sources
                SELECT source_id, load_id, name, format, sha256, bytes, now()::TIMESTAMP, seconds,
                    {", ".join(COUNTS)}
                FROM new_sources"""
        )
