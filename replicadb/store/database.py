"""A connection to the one DuckDB file: statements, transactions, temporary tables.

Invariant: a database that opens has the schema this version knows; a transaction is all or
nothing; values from outside go as parameters, or, where SQL takes none, through quoting.
"""

from __future__ import annotations

import contextlib
import logging
import re
import time
import warnings
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self, cast

import duckdb
import numpy as np
import pyarrow as pa

from replicadb.store import foreign_keys, put_aside, schema
from replicadb.store.arrow import Shell, filled
from replicadb.store.atomic_file import sync_folder
from replicadb.store.connecting import connect, interrupts_held, refuse_missing, set_limits
from replicadb.store.damaged_log import kept_log
from replicadb.store.hash_macros import make_hashes
from replicadb.store.misused import Closed, OneThread, misuse, path_of
from replicadb.store.older_schemas import FIRST, INTERNAL
from replicadb.store.statements import statements
from replicadb.store.temporary import made_by, temporary
from replicadb.under_way import closed, opened, running_statement

LABEL = 60  # characters of a statement without a name that show which it is
PARSED_MAX = 2000  # statements that are kept as parsed; those of sql/ are some 600
_PARSED: dict[str, Any] = {}
trace = logging.getLogger("replicadb.sql")  # every statement at DEBUG, as sqlite-utils' tracer does

_SHOW_TABLES = re.compile(r"\s*show\s+tables\s*;?\s*", re.I)
_ENDS = re.compile(r"\b(?:rollback|abort|commit)\b|^\s*end\b", re.I)
_MEANT_FOR_PEOPLE = """SELECT table_name AS name FROM information_schema.tables
    WHERE table_catalog = current_database() AND table_schema = 'main' ORDER BY name"""


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
        UsageError: an argument that cannot be meant, or this process has it open in the other way.
    """

    timings: dict[str, float] | None = None
    _for_people: bool = False
    """Whether names are looked up as in somebody's own statement."""
    interrupted: bool = False
    """Whether a detection was stopped that had put results aside (``put_aside.py``)."""
    keeps_results: bool = True
    """Whether a detection keeps those of the last until it has ended."""
    confined: bool = False
    """Whether statements reach the database alone; its settings are as they are to stay."""
    macros: frozenset[str] = frozenset()
    """The files of macros that this connection knows."""
    _warnings: Sequence[str] = ()
    """What to warn of when the transaction is done."""

    def __init__(
        self,
        path: str | Path,
        *,
        read_only: bool = False,
        memory_limit: str | None = None,
        threads: int | None = None,
    ) -> None:
        self.path = path_of(path)
        self.read_only = read_only
        refuse_missing(self.path, read_only)
        self.temporaries: dict[str, str] = {}
        """Temporary tables and views made and not yet dropped: TABLE or VIEW by name."""
        self.one_thread = OneThread(self.path)
        self._open(memory_limit, threads)
        if self.interrupted:
            put_aside.settle(self, partial(self._open, memory_limit, threads))

    def _open(self, memory_limit: str | None, threads: int | None) -> None:
        self.new = not Path(self.path).exists()
        self.con = connect(self.path, bool(self.read_only))
        try:
            self._configure(memory_limit, threads)
            schema.check(self)
        except BaseException:
            self.close()
            raise

    def _configure(self, memory_limit: str | None, threads: int | None) -> None:
        self.con.execute("SET TimeZone = 'UTC'")
        self.con.execute("SET preserve_insertion_order = false; SET enable_progress_bar = false")
        set_limits(self.con, memory_limit, threads)
        opened(self.con)

    def look_up_in_own(self) -> None:
        """Names without a schema are those of the current database, internal ones first and
        ``main`` last, where somebody may have made a table of any name.
        """
        self._set_path(self.con, INTERNAL, *schema.APART, FIRST)
        self._for_people = False

    def for_people(self, query: str) -> str:
        """Somebody's own statement as it is to run: what it makes goes into ``main``, where they
        see it, rows keep their order, and ``SHOW TABLES`` shows what is meant for them. The next
        statement of ours looks names up as ever.
        """
        make_hashes(self, query, theirs=True)
        if not self.confined:
            with contextlib.suppress(duckdb.TransactionException):  # it failed: ROLLBACK is to run
                self.con.execute("SET preserve_insertion_order = true")
                self._set_path(self.con, FIRST, *schema.APART, INTERNAL)
                self._for_people = True
        if _ENDS.search(query):
            self.macros = frozenset()  # those made since their BEGIN may be gone with it
        return _MEANT_FOR_PEOPLE if _SHOW_TABLES.fullmatch(query) else query

    def confine(self) -> None:
        """From now on somebody's own statements read and write no file, load no extension and
        change no setting: a query that came from anywhere reaches this database and nothing else.
        """
        self.for_people("")
        self.execute("SET enable_external_access = false")
        self.execute("SET lock_configuration = true")
        self.confined = True

    def _as_ours(self) -> None:
        """After somebody's own statement: names mean again what they mean in ours."""
        if self._for_people and not self.confined:
            self.look_up_in_own()
            self._settings_as_ever()

    def _settings_as_ever(self) -> None:
        self.con.execute("SET preserve_insertion_order = false; SET disabled_optimizers = ''")

    def _set_path(self, con: duckdb.DuckDBPyConnection, *schemas: str) -> None:
        catalog = self.con.execute("SELECT current_database()").fetchall()[0][0]
        path = ",".join(schema.qualified(catalog, name) for name in schemas)
        con.execute("SET search_path = $path", {"path": path})

    def execute(
        self, sql: str, parameters: Any = None, label: str | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Run a statement; ``label`` is what it is called where its time is reported."""
        with self._statement(sql, parameters, label or sql):
            if " TEMP " in sql:
                self.temporaries.update(made_by(sql))
            return self.con.execute(self._parsed(sql), parameters or None)

    @contextlib.contextmanager
    def _statement(self, sql: str, parameters: Any, label: str) -> Iterator[None]:
        """While inside, that statement of ours runs."""
        trace.debug("%s -- %s", sql, parameters)
        make_hashes(self, sql)
        with self.one_thread, self._clocked(label), misuse(self.path):
            self._as_ours()
            yield

    def _parsed(self, sql: str) -> Any:
        """The statement as DuckDB parses it, once in a process: for a few rows that is a fifth of
        what it costs. Several statements in one text stay a text.
        """
        if sql not in _PARSED:
            if len(_PARSED) >= PARSED_MAX:
                _PARSED.clear()
            found = self.con.extract_statements(sql)
            _PARSED[sql] = found[0] if len(found) == 1 else sql
        return _PARSED[sql]

    def rows(self, sql: str, parameters: Any = None) -> list[tuple[Any, ...]]:
        with self.one_thread:
            return self.execute(sql, parameters).fetchall()

    def column(self, sql: str, parameters: Any = None) -> list[Any]:
        return [row[0] for row in self.rows(sql, parameters)]

    def value(self, sql: str, parameters: Any = None) -> Any:
        rows = self.rows(sql, parameters)  # all: DuckDB minds a result that is not read to its end
        return rows[0][0] if rows else None

    def arrow(self, sql: str, parameters: Any = None) -> pa.Table:
        """A query's result as one Arrow table."""
        with self._statement(sql, parameters, sql):
            return self.con.sql(self._parsed(sql), params=parameters or None).to_arrow_table()

    def arrays(self, sql: str, parameters: Any = None) -> dict[str, np.ndarray]:
        """A query's result as NumPy arrays by column; NULL among numbers is NaN, else None. What is
        to be Arrow is planned twice.
        """
        with self._statement(sql, parameters, sql):
            found = self.con.execute(self._parsed(sql), parameters or None).fetchnumpy()
        return {name: filled(column) for name, column in found.items()}

    def run(
        self, stem: str, parameters: dict[str, Any] | None = None, only: str | None = None
    ) -> None:
        """Run the statements of ``sql/<stem>.sql`` in order (or the one named ``only``).

        Each statement gets those of the parameters that it names as ``$name``.
        """
        for name, statement in statements(stem).items():
            if only is None or name == only:
                self._run(statement, parameters, f"{stem}: {name}")

    def run_once(self, stem: str) -> None:
        """Run a file that makes macros, unless this connection has run it before."""
        if stem not in self.macros:
            self.run(stem)
            self.macros |= {stem}

    def insert(self, table: str, query: str, parameters: dict[str, Any], label: str) -> None:
        """Put what a query of ``sql/`` finds into a table, by the names of columns; parameters as
        for :meth:`run`, the label as for :meth:`execute`.
        """
        self._run(f"INSERT INTO {table} BY NAME {query}", parameters, label)

    def _run(self, statement: str, parameters: dict[str, Any] | None, label: str) -> None:
        wanted = set(re.findall(r"\$([a-z_0-9]+)", statement))
        self.execute(statement, {k: v for k, v in (parameters or {}).items() if k in wanted}, label)

    @contextlib.contextmanager
    def _clocked(self, label: str) -> Iterator[None]:
        if self.timings is None:
            with running_statement():
                yield
            return
        started = time.perf_counter()
        with running_statement():
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
        """Drop result tables and make them anew, empty, as sql/schema has them; those that never
        held a row are as good as new.
        """
        untouched = self.column(
            "SELECT concat(schema_name, '.', table_name) FROM duckdb_tables()"
            " WHERE database_name = current_database() AND estimated_size = 0"
        )
        named = dict(zip(schema.with_schema(*tables), tables, strict=True))
        filled = {name: table for name, table in named.items() if name not in untouched}
        self.drop(*filled)
        for table in filled.values():
            self.run(schema.results()[table], only=table)

    def drop(self, *tables: str) -> None:
        """Drop tables of ours (``internal.settings``); foreign keys of somebody's on them go."""
        foreign_keys.release(self, *tables)
        for table in tables:
            self.execute(f"DROP TABLE IF EXISTS {table}")

    def warn(self, text: str) -> None:
        """A warning, once the transaction is done."""
        self._warnings = [*self._warnings, f"{self.path}: {text}"]

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All of the statements inside, or none: rolled back on any error and on Ctrl-C."""
        with self.one_thread:
            self.execute("BEGIN TRANSACTION")
            macros = self.macros
            self._warnings = list[str]()
            try:
                yield
            except BaseException:
                self.macros = macros  # those made inside are gone with it
                with contextlib.suppress(duckdb.Error):  # a failed commit has rolled back already
                    self.con.execute("ROLLBACK")
                with contextlib.suppress(duckdb.Error):  # refused before the rollback
                    self._settings_as_ever()
                raise
            log = Path(f"{self.path}.wal")
            begun = log.exists()
            with interrupts_held():
                self.execute("COMMIT")
            if not begun and log.exists():  # DuckDB syncs what is in it; its name may still be lost
                sync_folder(log.parent)
            for text in self._warnings:
                warnings.warn(text, stacklevel=3)

    def register(self, name: str, rows: Any) -> None:
        """Rows that Arrow can read, as a temporary view; it goes as others do."""
        self.con.register(name, rows)
        self.temporaries[name] = "VIEW"

    @contextlib.contextmanager
    def registered(self, name: str, table: pa.Table) -> Iterator[None]:
        """An Arrow table that statements inside can read by that name. DuckDB holds what was
        registered in a transaction until that ends; here it holds an empty shell, and the rows go.
        """
        shell = Shell(table)
        self.con.register(name, shell)
        try:
            yield
        finally:
            with contextlib.suppress(duckdb.Error):  # refused in a failed transaction
                self.con.unregister(name)
            shell.table = table.schema.empty_table()

    def temporary(self, keep: Collection[str] = ()) -> contextlib.AbstractContextManager[None]:
        """Temporary tables and views made inside are gone afterwards, but those to ``keep``."""
        return temporary(self, keep)

    def in_order(self) -> contextlib.AbstractContextManager[None]:
        """Rows keep their order in the file or query, at the price of some memory."""
        return self._setting("preserve_insertion_order", "true", "false")

    def joined_as_written(self) -> contextlib.AbstractContextManager[None]:
        """Joins build on their right side, as they stand; where DuckDB's guesses are far off."""
        return self._setting("disabled_optimizers", "'build_side_probe_side'", "''")

    @contextlib.contextmanager
    def _setting(self, name: str, inside: str, outside: str) -> Iterator[None]:
        self.execute(f"SET {name} = {inside}")
        try:
            yield
        finally:
            with contextlib.suppress(duckdb.Error):  # refused in a failed transaction; its end does
                self.execute(f"SET {name} = {outside}")

    @contextlib.contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A second connection to the same data, for a result that is read while another statement
        runs; it sees what is committed.
        """
        other = self.con.cursor()
        try:
            self._set_path(other, INTERNAL, *schema.APART, FIRST)
            yield other
        finally:
            other.close()

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

    def unusable(self) -> bool:
        """Whether an error before has ended this connection: DuckDB answers nothing any more."""
        try:
            self.con.execute("SELECT 1").fetchall()
        except duckdb.FatalException:
            return True
        except duckdb.Error:  # a transaction that failed
            return False
        return False

    def need_open(self) -> None:
        """Raise a UsageError where it is closed."""
        _ = self.con.execute

    def close(self) -> None:
        log = Path(f"{self.path}.wal")
        begun = not self.read_only and log.exists()
        closed(self.con, self.con.close)
        self.con = cast(duckdb.DuckDBPyConnection, Closed(self.path))
        if begun and not kept_log(log):  # a power cut is not to bring it back
            sync_folder(log.parent)

    def __enter__(self) -> Self:
        self.need_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
