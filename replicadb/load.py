"""Crawl files into the database: one transaction a source file, and out again.

Always true here: for every source, read = kept + replaced + skipped + rejected, and the sum of kept over the
sources that were loaded in order is the number of URLs. A source that fails leaves no trace.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa

from replicadb import runs
from replicadb.database import Database, first_line, statements
from replicadb.errors import DataError, ReplicaDBError, UsageError
from replicadb.readers import archives, indexes, registry, tables
from replicadb.readers.compression import head, plain_copy
from replicadb.readers.registry import Source
from replicadb.readers.rows import CAPTURE_SCHEMA
from replicadb.readers.suffixes import split_names
from replicadb.readers.urls import map_distinct, parse_ip, parse_redirects, parse_staged, parse_url
from replicadb.settings import PAGE_TYPES, REJECT_TEXT_MAX

SITES = ("host", "domain", "host+1")
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
    seconds: float = 0.0

    def line(self) -> str:
        """The summary line; it adds up."""
        return (f"read {self.read:,} = kept {self.kept:,} + replaced {self.replaced:,} + skipped {self.skipped:,}"
                f" + rejected {self.rejected:,}, from {self.sources:,} file{'s' if self.sources != 1 else ''}"
                f" in {self.seconds:.1f} s")


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


def load(db: Database, sources: list[str], options: LoadOptions | None = None,
         progress: Progress | None = None) -> LoadResult:
    """Load crawl files.

    Args:
        sources: files, patterns, folders, or ``-`` for standard input.
        options: see LoadOptions.
        progress: told how far each source is.

    Returns:
        What was done; a file that failed is in ``failed``, the others are loaded all the same.

    Raises:
        UsageError: an option that cannot be meant. DataError: no source at all, or every one failed.
    """
    options = options or LoadOptions()
    if options.format not in registry.FORMATS:
        raise UsageError(f"unknown format {options.format!r}; choose one of: {', '.join(registry.FORMATS)}")
    started, result = time.time(), LoadResult()
    with tempfile.TemporaryDirectory(prefix="replicadb-") as scratch:
        files = _expand(sources, Path(scratch))
        _settle_site(db, options.site)
        _stage_excluded(db, options.exclude_hosts)
        for source in files:
            _load_counted(db, source, options, progress, Path(scratch), result, len(files))
    if options.hosts:
        load_hosts(db, options.hosts, options, result)
    result.warnings += _mixed_kinds(db)
    result.seconds = time.time() - started
    if result.failed and not (result.sources or result.known):
        raise DataError(result.failed[0] if len(result.failed) == 1 else
                        f"none of {len(result.failed)} files could be loaded; the first: {result.failed[0]}")
    if not (result.sources or result.known or options.hosts):
        raise DataError(f"{sources[0]}: no crawl file in it; {len(result.unrecognised)} files are of no known format")
    runs.record(db, "load", started, {"sources": sources, "format": options.format, "label": options.label,
                                      "all_types": options.all_types, "site": site_of(db)},
                {name: getattr(result, name) for name in COUNTS})
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
            files += registry.expand([given])
    return files


def _load_counted(db: Database, source: Source, options: LoadOptions, progress: Progress | None,
                  scratch: Path, result: LoadResult, n_files: int) -> None:
    """Load one source and add what it did to the result."""
    try:
        format = options.format if options.format != "auto" else registry.recognise(source.path)
    except DataError as error:
        (result.failed if source.explicit else result.unrecognised).append(f"{source.name}: {error}")
        return
    try:
        counts = _load_source(db, source, format, options, progress, scratch, n_files)
    except (ReplicaDBError, duckdb.Error, OSError, pa.ArrowException) as error:
        if isinstance(error, UsageError) or _disk_full(error):
            raise
        result.failed.append(f"{source.name}: {first_line(error)}")
        return
    if counts is None:
        result.known.append(source.name)
        return
    result.sources += 1
    for name in COUNTS:
        setattr(result, name, getattr(result, name) + counts[name])
    if counts["bad_ips"]:
        result.warnings.append(f"{source.name}: {counts['bad_ips']:,} addresses are no IP addresses; their pages are kept without one")


def _disk_full(error: BaseException) -> bool:
    return isinstance(error, duckdb.OutOfMemoryException) or "No space left" in str(error) or getattr(error, "errno", 0) == 28


def _load_source(db: Database, source: Source, format: str, options: LoadOptions, progress: Progress | None,
                 scratch: Path, n_files: int) -> dict[str, int] | None:
    started = time.time()
    digest, size = registry.file_digest(source.path)
    with db.transaction():
        before = db.column("SELECT source_id FROM sources WHERE sha256 = ?", [digest])
        if before and not options.force:
            return None
        if before:
            _take_out(db, before)
        source_id = (db.value("SELECT max(source_id) FROM sources") or 0) + 1
        _stage(db, source, format, options, progress, scratch)
        counts = _store(db, source_id, options)
        load_id = _load_id(db, options.label or _default_label(db, source, n_files))
        db.execute("INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, now()::TIMESTAMP, ?, ?, ?, ?, ?, ?)",
                   [source_id, load_id, source.name, format, digest, size, time.time() - started,
                    *(counts[name] for name in COUNTS)])
    return counts


def _default_label(db: Database, source: Source, n_files: int) -> str:
    return "stdin" if source.name == "-" else source.name


def _load_id(db: Database, label: str) -> int:
    known = db.value("SELECT load_id FROM loads WHERE name = ?", [label])
    if known is None:
        known = (db.value("SELECT max(load_id) FROM loads") or 0) + 1
        db.execute("INSERT INTO loads VALUES (?, ?, now()::TIMESTAMP)", [known, label])
    return known


def _stage(db: Database, source: Source, format: str, options: LoadOptions, progress: Progress | None,
           scratch: Path) -> None:
    """Make the temporary table ``staged`` from a file of any format."""
    if format in ("warc", "arc", "wacz", "wat", "wet"):
        batches = archives.read_archive(str(source.path), format)
        _stage_batches(db, batches, source, progress)
        return
    if format in ("cdx", "cdxj"):
        stage = indexes.stage_cdx if format == "cdx" else indexes.stage_cdxj
        stage(db.con, str(source.path), "staged")
        db.execute("ALTER TABLE staged ADD COLUMN user_id VARCHAR")
    else:
        path = str(plain_copy(str(source.path), str(scratch)))
        tables.stage_table(db, path, "parquet" if format == "cc-index" else format, options.columns)


def _stage_batches(db: Database, batches: Iterable[pa.RecordBatch], source: Source, progress: Progress | None) -> None:
    db.con.register("empty_batch", CAPTURE_SCHEMA.empty_table())
    db.execute("CREATE OR REPLACE TEMP TABLE staged AS SELECT *, NULL::VARCHAR AS user_id FROM empty_batch")
    db.con.unregister("empty_batch")
    rows = 0
    for batch in batches:
        db.con.register("archive_batch", pa.Table.from_batches([batch]))
        db.execute("INSERT INTO staged BY NAME FROM archive_batch")
        db.con.unregister("archive_batch")
        rows += batch.num_rows
        if progress:
            progress(source.name, rows, None)


def _store(db: Database, source_id: int, options: LoadOptions) -> dict[str, int]:
    """From ``staged`` to the tables; the SQL is in 02_parse_urls, 03_captures, 05_names and 04_store."""
    parse_staged(db)
    for name in statements("03_captures"):
        if name == "skip_types" and options.all_types:
            continue
        if name == "resolve_revisits" and not db.value("SELECT count(*) FROM captures WHERE is_revisit OR revisit_of IS NOT NULL"):
            continue
        db.run("03_captures", {"all_types": options.all_types, "page_types": list(PAGE_TYPES)}, only=name)
    split_names(db, "SELECT DISTINCT host_name FROM captures WHERE host_name IS NOT NULL")
    parse_redirects(db)
    parameters = {
        "site": site_of(db), "source_id": source_id, "reject_text": REJECT_TEXT_MAX,
        "first_id": db.value("SELECT coalesce(max(url_id), 0) FROM urls"),
    }
    again = db.value("SELECT count(*) FROM urls") > 0
    counts = {}
    for name, statement in statements("04_store").items():
        if name == "counts":
            cursor = db.execute(statement)
            counts = dict(zip([c[0] for c in cursor.description], cursor.fetchall()[0], strict=True))
        elif name == "placed_again" and not again or name in ("retire", "replace") and not again:
            continue
        elif not (name == "placed" and again):
            db.run("04_store", parameters, only=name)
    for table in ("staged", "parsed", "odd", "captures", "pages", "placed", "odd_parsed", "parsed_ips", "redirects"):
        db.execute(f"DROP TABLE IF EXISTS temp.{table}")
    return counts


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
        raise UsageError(f"this database was loaded with --site {settled}; use another database for --site {wanted}")


def _stage_excluded(db: Database, path: str | None) -> None:
    """``excluded_hosts``: one host a line (or the first column of a CSV), comments with #."""
    hosts: list[str] = []
    if path:
        try:
            text = Path(path).read_text("utf-8", "replace")
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror}") from error
        entries = (line.split(",")[0].split("#")[0].strip().strip('"') for line in text.splitlines())
        hosts = [host for entry in entries if entry and (host := normal_host(entry))]
    db.con.register("excluded_batch", pa.table({"host": pa.array(hosts, pa.string())}))
    db.execute("CREATE OR REPLACE TEMP TABLE excluded_hosts AS SELECT DISTINCT host FROM excluded_batch")
    db.con.unregister("excluded_batch")


def normal_host(text: str) -> str | None:
    """A host name as a URL would hold it; None where no URL could."""
    return parse_url(text if "://" in text else f"http://{text}/")[1]


def load_hosts(db: Database, path: str, options: LoadOptions, result: LoadResult) -> None:
    """Addresses from a table (host, ip); for hosts that have pages here.

    Raises:
        DataError: the file is missing, or has no two such columns.
    """
    file = registry.expand([path])[0]
    digest, size = registry.file_digest(file.path)
    with db.transaction():
        if db.value("SELECT count(*) FROM sources WHERE sha256 = ? AND format = 'hosts'", [digest]):
            result.known.append(path)
            return
        pairs = read_hosts_file(db, str(file.path))
        source_id = (db.value("SELECT max(source_id) FROM sources") or 0) + 1
        db.con.register("host_rows", pairs)
        map_distinct(db, "SELECT DISTINCT host FROM host_rows WHERE host IS NOT NULL", "hosts_parsed", ("host", "host_name"),
                     lambda host: (normal_host(host),))
        map_distinct(db, "SELECT DISTINCT ip FROM host_rows WHERE ip IS NOT NULL", "ips_parsed", ("ip", "address", "net"), parse_ip)
        used = db.execute("""INSERT INTO host_ips SELECT DISTINCT o.host_id, i.address, i.net, $source_id
            FROM host_rows JOIN hosts_parsed USING (host) JOIN ips_parsed AS i USING (ip) JOIN origins AS o USING (host_name)
            WHERE i.address IS NOT NULL""", {"source_id": source_id}).fetchall()[0][0]
        unused = db.value("""SELECT count(*) FROM host_rows LEFT JOIN hosts_parsed USING (host) LEFT JOIN ips_parsed USING (ip)
            WHERE address IS NULL OR host_name IS NULL OR host_name NOT IN (SELECT host_name FROM origins)""")
        db.con.unregister("host_rows")
        db.execute("INSERT INTO sources VALUES (?, ?, ?, 'hosts', ?, ?, now()::TIMESTAMP, 0, 0, 0, 0, 0, 0)",
                   [source_id, _load_id(db, options.label or path), path, digest, size])
    result.warnings.append(f"{path}: {used:,} addresses of sites taken; {unused:,} rows name a host without pages or no address")


def read_hosts_file(db: Database, path: str) -> pa.Table:
    """The columns host and ip of a CSV, TSV or Parquet file, by name or else the first two."""
    kind, _ = head(path, 16)
    scan = "read_parquet($path)" if kind == "parquet" else "read_csv($path, all_varchar = true, null_padding = true)"
    try:
        names = [row[0] for row in db.rows(f"DESCRIBE SELECT * FROM {scan}", {"path": path})]
        lower = {name.lower(): name for name in reversed(names)}
        host = next((lower[n] for n in ("host", "hostname", "host_name", "domain", "url_host_name", "site") if n in lower), None)
        ip = next((lower[n] for n in tables.ROLES["ip"] if n in lower), None)
        if not (host and ip):
            if len(names) != 2:
                raise DataError(f"{path}: no columns host and ip among: {', '.join(names[:12])}")
            host, ip = names
        cells = (f"SELECT \"{host.replace(chr(34), chr(34) * 2)}\"::VARCHAR AS host, "
                 f"unnest(regexp_split_to_array(\"{ip.replace(chr(34), chr(34) * 2)}\"::VARCHAR, '[,; |]+')) AS ip FROM {scan}")
        return db.arrow(cells, {"path": path})
    except duckdb.Error as error:
        raise DataError(f"{path}: cannot be read as a table of hosts: {first_line(error)}") from error


def _mixed_kinds(db: Database) -> list[str]:
    """A warning where fingerprints of kinds that cannot meet are mixed."""
    kinds = db.rows("""SELECT fingerprint_kind, count(*) FROM urls WHERE fingerprint IS NOT NULL
                       GROUP BY 1 ORDER BY 2 DESC, 1""")
    if len(kinds) < 2:
        return []
    counted = ", ".join(f"{kind}: {n:,} URLs" for kind, n in kinds)
    return [f"fingerprints of {len(kinds)} kinds that can never be equal ({counted}); pages of different kinds will not be seen as copies"]


def unload(db: Database, name: str) -> int:
    """Take one load out again, by its label or by the name of its source.

    Returns:
        The number of source files taken out.

    Raises:
        DataError: no such load.
    """
    started = time.time()
    with db.transaction():
        leaving = db.column("SELECT source_id FROM sources JOIN loads USING (load_id) WHERE name = $n OR source = $n", {"n": name})
        if not leaving:
            known = db.column("SELECT name FROM loads ORDER BY load_id LIMIT 10")
            raise DataError(f"no load called {name!r}; " + (f"there are: {', '.join(known)}" if known else "nothing is loaded"))
        _take_out(db, leaving)
    runs.record(db, "unload", started, {"name": name}, {"sources": len(leaving)})
    return len(leaving)


def _take_out(db: Database, source_ids: list[int]) -> None:
    db.execute("CREATE OR REPLACE TEMP TABLE leaving AS SELECT unnest($ids::INTEGER[]) AS source_id", {"ids": source_ids})
    db.run("06_unload", {"first_id": db.value("SELECT coalesce(max(url_id), 0) FROM urls")})
