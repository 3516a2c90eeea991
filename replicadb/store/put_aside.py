"""Results put aside while others are made in their place: until the end they can be put back.

Invariant: from the commit that puts the first table aside to the one that forgets it, ``meta`` says
under ASIDE what stands where. So whatever ends the work in between, who opens the file next finds
the results that were there before, whole. To put aside is to rename, which copies no row; what is
aside takes its space until the end.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import duckdb

from replicadb.errors import DataError, UsageError
from replicadb.store import at_work, foreign_keys, schema
from replicadb.store.arrow import put_values
from replicadb.store.connecting import interrupts_held
from replicadb.store.older_schemas import ASIDE, SAME_RESULTS
from replicadb.store.quoting import identifier
from replicadb.store.renaming import rename

if TYPE_CHECKING:
    from replicadb.store.database import Database

NAME = re.compile(r"[a-z_]+_before(_[0-9]+)?|kept_pairs")
"""Of a table that holds what is aside."""
MACRO = re.compile(r"CREATE OR REPLACE MACRO internal\.\w+\([\w, ]*\) AS\s.*", re.S)
"""The statements of a file that are run as they stand there: they make a macro and do no more."""
MADE_UP = (
    duckdb.InvalidInputException,
    duckdb.ParserException,
    TypeError,
    ValueError,
    AttributeError,
)
"""What comes of a row of ``meta`` that says what we never wrote."""
MACROS = """
    SELECT format('CREATE OR REPLACE MACRO internal.{}({}) AS {}',
        function_name, array_to_string(parameters, ', '), macro_definition)
    FROM duckdb_functions()
    WHERE database_name = current_database() AND schema_name = 'internal'
        AND list_contains($names, function_name)"""
LAST_RUN = "SELECT coalesce(max(run_id), 0) FROM runs WHERE command = 'detect'"
STAGES = "SELECT * REPLACE (finished_at::VARCHAR AS finished_at) FROM stages ORDER BY stage"
STANDS = """
    SELECT schema_name, table_name, estimated_size FROM duckdb_tables()
    WHERE database_name = current_database()
    UNION ALL
    SELECT schema_name, view_name, NULL FROM duckdb_views()
    WHERE database_name = current_database()"""


@dataclass
class Aside:
    """What was put aside, as the row of ``meta`` has it."""

    last_run: int
    """The run that made it."""
    version: int = schema.SCHEMA_VERSION
    tables: dict[str, str | None] = field(default_factory=dict)
    """By table of results the one of its schema that has its rows; None: it had none."""
    pairs_of: str | None = None
    """A table of pairs out of which those of some hosts were taken; its others are as they were."""
    taken_out: list[str] = field(default_factory=list)
    """The tables of those hosts (host_id) and of their pairs, where that is so."""
    stages: list[list[Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    """Those of meta that go with the results, and what they were."""
    meta: dict[str, str | None] = field(default_factory=dict)
    settings: dict[str, str | None] = field(default_factory=dict)
    macros: list[str] = field(default_factory=list)
    """The statements that make those that go with the results."""

    def beside(self) -> list[tuple[str, str]]:
        """The tables that hold what is aside: schema and name."""
        found = [(_schema(table), other) for table, other in self.tables.items() if other]
        if self.pairs_of:
            found += [(_schema(self.pairs_of), other) for other in self.taken_out]
        return found


@contextlib.contextmanager
def until_done(db: Database) -> Iterator[None]:
    """What is put aside inside comes back at once where an error or Ctrl-C ends it; where that
    fails, as on a full disk, when the file is opened next.

    Raises:
        UsageError: this process is detecting in the file already, or loads into it.
    """
    if not db.keeps_results:
        yield
        return
    with at_work.alone(db, "a detection"):
        try:
            _put_back_or_forget(db)  # of an earlier one, where that failed
            yield
        except BaseException:
            with contextlib.suppress(duckdb.Error, OSError, MemoryError):
                put_back(db)
            raise


def begin(db: Database, keys: Sequence[str], macros: Sequence[str]) -> None:
    """From now on what :func:`renew` empties is put aside; inside a transaction, before anything
    is changed.

    Args:
        keys: those of meta that go with the results.
        macros: those of the schema ``internal`` that go with them.
    """
    meta = "SELECT key, value FROM meta WHERE list_contains($keys, key)"
    aside = Aside(
        last_run=db.value(LAST_RUN),
        stages=[list(row) for row in db.rows(STAGES)],
        keys=list(keys),
        meta=dict(db.rows(meta, {"keys": list(keys)})),
        settings=dict(db.rows("SELECT name, value FROM settings")),
        macros=db.column(MACROS, {"names": list(macros)}),
    )
    _write(db, aside)


def renew(db: Database, *tables: str) -> None:
    """Make tables of results anew, empty. What is in them is put aside, where that has begun and
    they are not aside already.
    """
    aside = _read(db)
    first = [table for table in tables if aside and table not in aside.tables]
    if aside and first:
        stands = db.rows(STANDS)
        empty = {(within, name) for within, name, size in stands if size == 0}
        full = [table for table in first if (_schema(table), table) not in empty]
        others = dict(zip(full, _free(stands, full), strict=True))
        _rename(db, others)
        for table in full:
            db.run(schema.results()[table], only=table)
        aside.tables |= {table: others.get(table) for table in first}
        _write(db, aside)
    db.renew(*(table for table in tables if table not in first))


def moved(db: Database, table: str, other: str) -> None:
    """A table of results is empty, and its rows stand in that other one of its schema."""
    if aside := _read(db):
        aside.tables[table] = other
        _write(db, aside)


def holds(db: Database, table: str) -> bool:
    """Whether the rows of a table of results are put aside."""
    aside = _read(db)
    return bool(aside and aside.tables.get(table))


def take_out(db: Database, table: str, pairs: str, hosts: str) -> None:
    """Put aside the pairs (a_id, b_id) of some hosts alone, where those that are aside of a table
    are to be that table again, with other pairs of these hosts.

    Args:
        pairs: where its rows are. hosts: a table (host_id) of its own.
    """
    aside = _read(db)
    if aside is None:
        return
    del aside.tables[table]
    aside.pairs_of = table
    aside.taken_out = _free(db.rows(STANDS), ("hosts", "pairs"))
    (of_hosts, of_pairs), within = aside.taken_out, _schema(table)
    db.execute(f"CREATE TABLE {within}.{of_hosts} AS SELECT host_id FROM {hosts}")
    db.execute(
        f"CREATE TABLE {within}.{of_pairs} AS FROM {pairs}"
        f" WHERE a_id IN (FROM {within}.{of_hosts}) OR b_id IN (FROM {within}.{of_hosts})"
    )
    _write(db, aside)


def end(db: Database) -> None:
    """What was made is done, and what was put aside for it goes; inside its last transaction."""
    if aside := _read(db):
        _forget(db, aside)


def put_back(db: Database) -> None:
    """Everything is as before :func:`begin`, but triggers and foreign keys that :func:`renew` took
    away; nothing to do where nothing is put aside. Where a version that knows of no putting aside
    has gone on, what it did stays.
    """
    aside = _read(db)
    if aside is None:
        return
    with interrupts_held(), db.transaction():
        if _holds_good(db, aside):
            _put_back_tables(db, aside)
            _put_back_rows(db, aside)
        _forget(db, aside)


def settle(db: Database, again: Callable[[], None]) -> None:
    """Put back what somebody who was stopped had put aside. For who only reads, it is opened to
    write, and then ``again``. Nothing where another thread of this process is at work. Where that
    fails, it is closed.

    Raises:
        LockedError: somebody else has the file open. DataError: it cannot be written.
    """
    if at_work.somebody(db):
        return
    if not db.read_only:
        try:
            _put_back_or_forget(db)
        except BaseException:
            db.close()
            raise
        return
    db.close()
    try:
        type(db)(db.path).close()
    except (DataError, UsageError, duckdb.Error) as error:
        raise DataError(
            f"{db.path}: its last detection was stopped; what was found before comes back when it"
            f" can be opened to write: {error}"
        ) from error
    again()


def _put_back_or_forget(db: Database) -> None:
    """Better no result than no database, where what somebody made is in the way."""
    try:
        put_back(db)
    except (*schema.IN_THE_WAY, *MADE_UP):
        with db.transaction():
            end(db)


def _put_back_tables(db: Database, aside: Aside) -> None:
    full = {table: other for table, other in aside.tables.items() if other}
    db.drop(*schema.with_schema(*full))
    for table, other in full.items():
        rename(db, "TABLE", _schema(table), other, table)
    db.renew(*(table for table in aside.tables if table not in full))
    if aside.pairs_of:
        within, (of_hosts, of_pairs) = _schema(aside.pairs_of), aside.taken_out
        of_those = (f"{column} IN (FROM {within}.{of_hosts})" for column in ("a_id", "b_id"))
        db.execute(f"DELETE FROM {aside.pairs_of} WHERE {' OR '.join(of_those)}")
        db.execute(f"INSERT INTO {aside.pairs_of} FROM {within}.{of_pairs}")


def _put_back_rows(db: Database, aside: Aside) -> None:
    db.execute("DELETE FROM stages")
    for row in aside.stages:
        db.execute("INSERT INTO stages VALUES (?, ?, ?::TIMESTAMP, ?, ?)", row)
    db.execute("DELETE FROM meta WHERE list_contains($keys, key)", {"keys": aside.keys})
    put_values(db, "meta", aside.meta)
    if dict(db.rows("SELECT name, value FROM settings")) != aside.settings:
        foreign_keys.release(db, "internal.settings")
        db.execute("DELETE FROM settings")
        put_values(db, "settings", aside.settings)
    for statement in aside.macros:
        if MACRO.fullmatch(statement) and len(db.con.extract_statements(statement)) == 1:
            db.execute(statement)


def _holds_good(db: Database, aside: Aside) -> bool:
    """Whether what is aside are the results of the last run, and all there."""
    stands = {(within, name) for within, name, _ in db.rows(STANDS)}
    return (
        aside.version >= SAME_RESULTS
        and aside.last_run == db.value(LAST_RUN)
        and stands.issuperset(aside.beside())
    )


def _forget(db: Database, aside: Aside) -> None:
    db.drop(*(f"{within}.{name}" for within, name in aside.beside()))
    db.execute("DELETE FROM meta WHERE key = $key", {"key": ASIDE})


def _rename(db: Database, others: dict[str, str]) -> None:
    """Give tables of results other names. With an index or a trigger DuckDB renames none: triggers
    go, as they do with a table that is made anew.
    """
    full = schema.with_schema(*others)
    foreign_keys.release(db, *full)
    for trigger, within, table, _ in db.rows(foreign_keys.TRIGGERS):
        if f"{within}.{table}" in full:
            db.execute(f"DROP TRIGGER {identifier(trigger)} ON {within}.{table}")
    indexed = db.column(
        "SELECT table_name FROM duckdb_indexes() WHERE database_name = current_database()"
    )
    for table, name in zip(others, full, strict=True):
        if table in indexed:
            rename(db, "TABLE", _schema(table), table, others[table])
        else:
            db.execute(f"ALTER TABLE {name} RENAME TO {others[table]}")


def _free(stands: list[tuple[Any, ...]], names: Collection[str]) -> list[str]:
    """``name_before``, or with a number where somebody has that."""
    taken = {name.lower() for _, name, _ in stands}
    numbers = ["", *(f"_{number}" for number in range(2, len(taken) + 3))]
    return [
        next(other for number in numbers if (other := f"{name}_before{number}") not in taken)
        for name in names
    ]


def _schema(table: str) -> str:
    return schema.with_schema(table)[0].partition(".")[0]


def _read(db: Database) -> Aside | None:
    """What is put aside, if anything is; where somebody else wrote that, nothing that is there."""
    text = db.value("SELECT value FROM meta WHERE key = $key", {"key": ASIDE})
    if text is None:
        return None
    try:
        aside = Aside(**json.loads(text))
        ours = set(aside.tables) | {aside.pairs_of} <= {*schema.detected(), None}
        if ours and all(NAME.fullmatch(name) for _, name in aside.beside()):
            return aside
    except (ValueError, TypeError, AttributeError):
        pass
    return Aside(last_run=-1)


def _write(db: Database, aside: Aside) -> None:
    put_values(db, "meta", {ASIDE: json.dumps(asdict(aside))})
