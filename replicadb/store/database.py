"""The one DuckDB file: opened, checked; and the named SQL of ``sql/``.

Always true here: a database that opens has the schema this version knows; a transaction is all or
nothing; no statement contains a value or a file name pasted in, all go as parameters.
"""

from __future__ import annotations

import contextlib
import logging
import re
import signal
import time
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from replicadb.errors import DataError, LockedError
from replicadb.version import __version__

SCHEMA_VERSION = 9
SAME_LOADS = 5
"""Databases of this version differ in what detection makes alone: what was loaded is kept, and
detection is to be run again.
"""
DETECTED = (
    "settings",
    "dup_clusters",
    "cluster_hosts",
    "near_contents",
    "shared_paths",
    "shared_tails",
    "host_stats",
    "pair_features",
    "host_digests",
    "non_replicas",
    "cuts",
    "patterns",
    "em_history",
    "pattern_scores",
    "evidence_weights",
    "evidence_interactions",
    "partners",
    "ranking",
    "members",
)
"""The tables of sql/schema/20_detected that detection fills."""
LABEL = 60  # characters of a statement without a name that tell which it is
APPLICATION = "replicadb"
DATA_ENDINGS = (
    ".csv",
    ".tsv",
    ".json",
    ".jsonl",
    ".ndjson",
    ".parquet",
    ".gz",
    ".zst",
    ".bz2",
    ".warc",
    ".arc",
    ".wacz",
    ".cdx",
    ".cdxj",
)
trace = logging.getLogger("replicadb.sql")  # every statement at DEBUG, as sqlite-utils' tracer does

_NAME = re.compile(r"^-- name: *([a-z0-9_]+) *$", re.M)


def sql_folder() -> Path:
    """The folder of SQL files: inside an installed wheel, or beside the package in a checkout."""
    inside = Path(__file__).parents[1] / "sql"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "sql"


@cache
def statements(stem: str) -> dict[str, str]:
    """The named statements of ``sql/<stem>.sql`` in the order they stand there.

    A statement begins at its line ``-- name: object`` and ends where the next one begins. Comments
    inside stay, so that DuckDB shows them in errors.

    Raises:
        KeyError: no such file, or a name twice.
    """
    path = sql_folder() / f"{stem}.sql"
    if not path.is_file():
        raise KeyError(f"no SQL file {path.name}")
    parts = _NAME.split(path.read_text("utf-8"))[1:]
    named: dict[str, str] = {}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        if name in named:
            raise KeyError(f"{path.name}: {name} stands twice")
        named[name] = body.strip().rstrip(";")
    return named


class Database:
    """A connection to one replicadb file, with a transaction helper and the tracer.

    Args:
        path: the file; ``:memory:`` for none.
        read_only: open without the right to write (several readers may share a file).
        memory_limit: DuckDB's memory in its own notation ("6GB"); None leaves 30 % of the
            machine's: more made the paper's size no faster, only larger.
        threads: worker threads; None is all cores.

    Raises:
        LockedError: another process has the file open for writing.
        DataError: the file is missing (read_only), no DuckDB file, or made by a newer or older
            replicadb.
    """

    timings: dict[str, float] | None = None

    def __init__(
        self,
        path: str | Path,
        *,
        read_only: bool = False,
        memory_limit: str | None = None,
        threads: int | None = None,
    ) -> None:
        self.path = str(path)
        self.read_only = read_only
        if read_only and self.path != ":memory:" and not Path(self.path).is_file():
            raise DataError(
                f"{self.path}: no such database; make one with: replicadb load {self.path} SOURCE"
            )
        if not Path(self.path).parent.is_dir() and self.path != ":memory:":
            raise DataError(
                f"{Path(self.path).parent}: no such folder for the database; make it first"
            )
        self.con = connect(self.path, read_only)
        try:
            self._configure(memory_limit, threads)
            self._check_schema()
        except BaseException:
            self.con.close()
            raise

    def _configure(self, memory_limit: str | None, threads: int | None) -> None:
        self.con.execute("SET TimeZone = 'UTC'")
        self.con.execute("SET preserve_insertion_order = false")
        self.con.execute("SET enable_progress_bar = false")
        if memory_limit:
            try:
                self.con.execute("SET memory_limit = $limit", {"limit": memory_limit})
            except duckdb.Error as error:
                from replicadb.errors import UsageError

                raise UsageError(
                    f"memory limit {memory_limit!r} is not understood; write it as 6GB"
                ) from error
        else:
            self.con.execute("SET memory_limit = '30%'")
        if threads:
            self.con.execute("SET threads = $threads", {"threads": threads})
        self.run("functions/05_text_numbers")

    def _check_schema(self) -> None:
        try:
            found = dict(self.rows("SELECT key, value FROM meta"))
        except duckdb.Error:  # no such table, or somebody else's of that name
            if self.column(
                "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"
            ):
                raise DataError(
                    f"{self.path}: a DuckDB database, but not one of replicadb; choose another file"
                    " name"
                ) from None
            if self.read_only:
                raise DataError(
                    f"{self.path}: an empty database; load a crawl first: replicadb load"
                    f" {self.path} SOURCE"
                ) from None
            with self.transaction():
                for stem in (
                    "schema/10_loaded",
                    "schema/20_detected",
                    "schema/30_views",
                    "schema/60_comments",
                ):
                    self.run(stem)
                self.execute(
                    "INSERT INTO meta VALUES ('application', ?), ('schema_version', ?),"
                    " ('created_by', ?)",
                    [APPLICATION, str(SCHEMA_VERSION), __version__],
                )
            return
        if found.get("application") != APPLICATION:
            raise DataError(
                f"{self.path}: a DuckDB database, but not one of replicadb; choose another file"
                " name"
            )
        version = int(found.get("schema_version", 0))
        if SAME_LOADS <= version < SCHEMA_VERSION:
            self._forget_detection(version)
        elif version < SCHEMA_VERSION:
            raise DataError(
                f"{self.path}: made by an older replicadb (schema {version}, this one needs"
                f" {SCHEMA_VERSION}); load the crawl into a new file: replicadb load NEW SOURCE"
            )
        if version > SCHEMA_VERSION:
            raise DataError(
                f"{self.path}: made by a newer replicadb (schema {version}, this one knows "
                f"{SCHEMA_VERSION}); upgrade with: pip install -U replicadb"
            )

    def _forget_detection(self, version: int) -> None:
        """Bring a database whose loads are as this version has them up to date: tables of results
        are made anew, empty.
        """
        if self.read_only:
            raise DataError(
                f"{self.path}: made by an older replicadb (schema {version}, this one needs"
                f" {SCHEMA_VERSION}); bring it up to date: replicadb detect {self.path}"
            )
        with self.transaction():
            if self.column("SELECT key FROM meta WHERE key = 'pairs_waiting'"):
                self.execute("DROP TABLE kept_pairs")
            for table in DETECTED:
                self.execute(f"DROP TABLE IF EXISTS {table}")
                self.run("schema/20_detected", only=table)
            self.run("load/20_captures", only="of_nothing")
            for stem in (
                "functions/10_hashes",
                "migrations/09_hashes",
                "schema/30_views",
                "schema/60_comments",
            ):
                self.run(stem)
            self.execute("DELETE FROM stages")
            self.execute(
                "DELETE FROM meta WHERE key IN ('detected_data', 'detected_from', 'pairs_basis',"
                " 'pairs_waiting') OR starts_with(key, 'counts.')"
            )
            self.execute(
                "UPDATE meta SET value = ? WHERE key = 'schema_version'", [str(SCHEMA_VERSION)]
            )
        warnings.warn(
            f"{self.path}: made by an older replicadb; what was loaded is kept, what was detected"
            " is gone: detect again",
            stacklevel=2,
        )

    # -- statements
    # ---------------------------------------------------------------------------------

    def execute(
        self, sql: str, parameters: Any = None, label: str | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Run a statement; ``label`` is what it is called where its time is told."""
        trace.debug("%s -- %s", sql, parameters)
        with self._clocked(label or sql):
            return self.con.execute(sql, parameters) if parameters else self.con.execute(sql)

    def rows(self, sql: str, parameters: Any = None) -> list[tuple]:
        return self.execute(sql, parameters).fetchall()

    def column(self, sql: str, parameters: Any = None) -> list:
        return [row[0] for row in self.rows(sql, parameters)]

    def value(self, sql: str, parameters: Any = None) -> Any:
        rows = self.rows(
            sql, parameters
        )  # all of them: DuckDB minds a result that is not read to its end
        return rows[0][0] if rows else None

    def arrow(self, sql: str, parameters: Any = None) -> pa.Table:
        """A query's result as one Arrow table."""
        trace.debug("%s -- %s", sql, parameters)
        with self._clocked(sql):
            relation = self.con.sql(sql, params=parameters) if parameters else self.con.sql(sql)
            return relation.to_arrow_table()

    def arrays(self, sql: str, parameters: Any = None) -> dict[str, np.ndarray]:
        """A query's result as NumPy arrays by column; NULL in a float column is NaN."""
        table = self.arrow(sql, parameters)
        return {name: table.column(name).to_numpy() for name in table.column_names}

    def run(
        self, stem: str, parameters: dict[str, Any] | None = None, only: str | None = None
    ) -> None:
        """Run the statements of ``sql/<stem>.sql`` in order (or the one named ``only``).

        Each statement gets those of the parameters that it names as ``$name``.
        """
        for name, statement in statements(stem).items():
            if only is None or name == only:
                self._run(statement, parameters, f"{stem}: {name}")

    def insert(self, table: str, stem: str, parameters: dict[str, Any], only: str) -> None:
        """Put what one query of ``sql/<stem>.sql`` finds into a table, by the names of columns;
        parameters as for :meth:`run`.
        """
        self._run(
            f"INSERT INTO {table} BY NAME {statements(stem)[only]}", parameters, f"{stem}: {only}"
        )

    def _run(self, statement: str, parameters: dict[str, Any] | None, label: str) -> None:
        wanted = set(re.findall(r"\$([a-z_0-9]+)", statement))
        self.execute(statement, {k: v for k, v in (parameters or {}).items() if k in wanted}, label)

    @contextlib.contextmanager
    def _clocked(self, label: str) -> Iterator[None]:
        if self.timings is None:
            yield
            return
        started = time.perf_counter()
        yield
        label = " ".join(label.split())[:LABEL]
        self.timings[label] = self.timings.get(label, 0.0) + time.perf_counter() - started

    @contextlib.contextmanager
    def timed(self, timings: dict[str, float]) -> Iterator[None]:
        """While inside, the seconds of each statement are added up in ``timings``, by file and name
        in sql/ or by how it begins.
        """
        before, self.timings = self.timings, timings
        try:
            yield
        finally:
            self.timings = before

    def renew(self, *tables: str) -> None:
        """Drop result tables and make them anew, empty, as sql/schema/20_detected.sql has them;
        those that never held a row are as good as new.
        """
        untouched = self.column(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() AND"
            " estimated_size = 0"
        )
        for table in tables:
            if table not in untouched:
                self.execute(f"DROP TABLE IF EXISTS {table}")
                self.run("schema/20_detected", only=table)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All of the statements inside, or none: rolled back on any error and on Ctrl-C."""
        self.execute("SET preserve_insertion_order = false")
        self.execute("SET disabled_optimizers = ''")
        self.execute("BEGIN TRANSACTION")
        try:
            yield
        except BaseException:
            with contextlib.suppress(duckdb.Error):  # a failed commit has rolled back already
                self.con.execute("ROLLBACK")
            raise
        with _interrupts_held():
            self.execute("COMMIT")

    @contextlib.contextmanager
    def handed(self, name: str, table: pa.Table) -> Iterator[None]:
        """An Arrow table that statements inside can read by that name. DuckDB holds what was
        registered in a transaction until that ends; here it holds an empty shell, and the rows go.
        """
        shell = _Shell(table)
        self.con.register(name, shell)
        try:
            yield
        finally:
            with contextlib.suppress(
                duckdb.Error
            ):  # in a failed transaction nothing can be dropped
                self.con.unregister(name)
            shell.table = table.schema.empty_table()

    @contextlib.contextmanager
    def in_order(self) -> Iterator[None]:
        """Rows keep their order in the file or query, at the price of some memory."""
        self.execute("SET preserve_insertion_order = true")
        yield
        self.execute(
            "SET preserve_insertion_order = false"
        )  # after an error the next transaction does it

    @contextlib.contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A second connection to the same data, for a result that is read while another statement
        runs; it sees what is committed.
        """
        other = self.con.cursor()
        try:
            name = self.value("SELECT current_database()").replace('"', '""')
            other.execute(f'USE "{name}"')
            yield other
        finally:
            other.close()

    @contextlib.contextmanager
    def joined_as_written(self) -> Iterator[None]:
        """Joins build on their right side, as they stand; where DuckDB's guess of sizes is known to
        be far off.
        """
        self.execute("SET disabled_optimizers = 'build_side_probe_side'")
        try:
            yield
        finally:
            with contextlib.suppress(
                duckdb.Error
            ):  # refused in a failed transaction; the next one does it
                self.execute("SET disabled_optimizers = ''")

    @contextlib.contextmanager
    def written_once(self) -> Iterator[None]:
        """Commits inside go straight into the file rather than into the log first: DuckDB counts a
        string as 16 bytes when it asks whether to, so that pages would be written twice,
        uncompressed the first time.
        """
        before = self.value("SELECT current_setting('checkpoint_threshold')")
        self.execute("SET checkpoint_threshold = '1MB'")
        try:
            yield
        finally:
            self.execute("SET checkpoint_threshold = $before", {"before": before})

    def close(self) -> None:
        self.con.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Shell:
    """Stands for an Arrow table, as long as it is there."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def connect(path: str, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open the file with DuckDB, its errors told as ours."""
    _refuse_other_files(path)
    try:
        return duckdb.connect(
            path,
            read_only=read_only,
            config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"},
        )
    except duckdb.IOException as error:
        text = str(error)
        if "lock" in text.lower():
            holder = re.search(r"PID (\d+)", text)
            who = f" (process {holder.group(1)})" if holder else ""
            raise LockedError(
                f"{path}: in use by another process{who}; wait for it or close it, then try again"
            ) from error
        if "not a valid DuckDB" in text or "magic" in text.lower():
            raise DataError(
                f"{path}: not a DuckDB database; give the database first, then the crawl files"
            ) from error
        raise DataError(f"{path}: cannot be opened: {first_line(error)}") from error
    except duckdb.Error as error:
        raise DataError(f"{path}: cannot be opened: {first_line(error)}") from error


def _refuse_other_files(path: str) -> None:
    """DuckDB opens a CSV, JSON or Parquet file as a database in memory, and what is loaded there is
    lost.

    Raises:
        DataError: the file is there and no DuckDB file, or a new database would have the name of a
            data file.
    """
    if path == ":memory:":
        return
    if Path(path).is_file() and Path(path).stat().st_size:
        with open(path, "rb") as handle:
            if handle.read(12)[8:] != b"DUCK":
                raise DataError(
                    f"{path}: not a DuckDB database; give the database first, then the crawl files"
                )
    elif Path(path).suffix.lower() in DATA_ENDINGS:
        raise DataError(
            f"{path}: the name of a data file, not of a database; give the database first, as in"
            " web.duckdb"
        )


def is_duckdb(path: str | Path) -> bool:
    """Whether a file begins as a DuckDB database does."""
    try:
        with open(path, "rb") as handle:
            return handle.read(12)[8:] == b"DUCK"
    except OSError:
        return False


def first_line(error: BaseException) -> str:
    """The first line of a DuckDB error without its class name."""
    line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", line)


def interrupted(error: BaseException) -> bool:
    """Whether Ctrl-C is what an error says or comes of: DuckDB and Arrow make errors of their own
    of a KeyboardInterrupt in what they call.
    """
    return (
        isinstance(error, KeyboardInterrupt | duckdb.InterruptException | pa.lib.ArrowCancelled)
        or "KeyboardInterrupt" in str(error)
        or str(error).startswith("INTERRUPT")
        or any(
            interrupted(other)
            for other in (error.__cause__, error.__context__)
            if other is not None
        )
    )


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C waits until the commit has ended, and then counts: a commit is never half told."""
    held: list[int] = []
    try:
        before = signal.signal(signal.SIGINT, lambda number, _: held.append(number))
    except ValueError:  # not the main thread: Ctrl-C does not arrive here
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held:
        signal.raise_signal(signal.SIGINT)
