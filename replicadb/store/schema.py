"""The schema of the file: made when it is new, brought up to date when an older version made it.

Invariant: a database that opens has the tables and views that this version knows.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import threading
import warnings
from collections.abc import Collection
from typing import TYPE_CHECKING

import duckdb

from replicadb.errors import DataError
from replicadb.store import foreign_keys
from replicadb.store.connecting import first_line
from replicadb.store.older_schemas import (
    ASIDE,
    FIRST,
    INTERNAL,
    SAME_RESULTS,
    SCHEMAS_APART,
    SINCE,
    number_of,
    stood,
)
from replicadb.store.quoting import identifier
from replicadb.store.renaming import rename
from replicadb.store.statements import statements
from replicadb.version import __version__

if TYPE_CHECKING:
    from replicadb.store.database import Database

APPLICATION = "replicadb"
APART = ("details", "history", "page_level")
"""Schemas of what else people ask for: what stands behind the replicas, what was run, and single
pages. No two schemas have a name in common.
"""
LOADED = "schema/10_loaded"
NAMED = "schema/12_named_runs"
DECIDED = "schema/13_given_decisions"
IDENTIFIERS = "schema/14_identifiers"
TIMES = "schema/15_capture_times"
BESIDE = (NAMED, DECIDED, IDENTIFIERS, TIMES)
"""Tables that an upgrade leaves as they are, or makes where they are missing."""
DETECTED = ("schema/20_compared", "schema/22_pairs", "schema/24_decisions")
RESULTS = (*DETECTED, "schema/26_page_methods", "schema/28_rewrites")
VIEWS = (
    "schema/30_views",
    "schema/36_run_views",
    "schema/40_explanations",
    "schema/50_page_views",
    "schema/52_start_here",
    "schema/54_identifier_views",
    "schema/60_view_comments",
    "schema/62_macro_comments",
    "schema/64_loaded_comments",
)
EVERYTHING = (LOADED, *BESIDE, *RESULTS, *VIEWS)
LENGTHS = "migrations/39_revisit_lengths"
MIGRATIONS = ("migrations/09_hashes", "migrations/11_assets", "migrations/13_revisits", LENGTHS)
SCHEMA_VERSION = 40
MADE_IN = re.compile(r"CREATE (?:OR REPLACE )?(TABLE|VIEW|MACRO) (?:IF NOT EXISTS )?(\w+)\.")
"""The kind and the schema in the statement that makes a table, view or macro."""
STANDS = """
    SELECT 'TABLE', schema_name, table_name, NULL
    FROM duckdb_tables()
    WHERE database_name = current_database() AND NOT internal
    UNION ALL
    SELECT 'VIEW', schema_name, view_name, comment
    FROM duckdb_views()
    WHERE database_name = current_database() AND NOT internal
    UNION ALL
    SELECT 'MACRO', schema_name, function_name, max(comment)
    FROM duckdb_functions()
    WHERE database_name = current_database() AND NOT internal
    GROUP BY ALL
    ORDER BY ALL"""
PARTNERS = f"""
    SELECT table_name
    FROM duckdb_tables()
    WHERE database_name = current_database() AND schema_name = '{FIRST}'
        AND table_name = 'partners' AND starts_with(comment, 'Method robust: ')"""
"""The older table that upgrades by schemas 17 to 21 forgot; without the comment, somebody's."""
IN_THE_WAY = (
    duckdb.CatalogException,
    duckdb.DependencyException,
    duckdb.BinderException,
    duckdb.ConversionException,
    duckdb.ConstraintException,
)
"""What DuckDB says where it meets what is not expected in a file that it can read."""
ANYTHING = (
    *(
        f"SELECT count(*) FROM duckdb_{kind}() WHERE database_name = current_database()"
        " AND NOT internal"
        for kind in ("tables", "views", "functions", "types", "schemas")
    ),
    "SELECT count(*) FROM duckdb_sequences() WHERE database_name = current_database()",
)
"""What is in a file that is somebody else's."""
CHANGING = threading.Lock()
"""Held by a thread that makes or upgrades a file; DuckDB's lock shuts other processes out."""
SAME_LOADS = 5
"""Databases of this version differ in what detection makes alone: what was loaded is kept, and
detection is to be run again.
"""


def results() -> dict[str, str]:
    """The tables of results, and the file of ``sql/schema`` that makes each."""
    return {table: stem for stem in RESULTS for table in statements(stem)}


def detected() -> list[str]:
    """The tables that detection fills."""
    return [table for table, stem in results().items() if stem in DETECTED]


def with_schema(*tables: str) -> list[str]:
    """Tables of results with the schemas that they stand in: ``internal.settings``."""
    made = _made("TABLE", *RESULTS)
    return [f"{made[table][0]}.{table}" for table in tables]


def check(db: Database) -> None:
    """Make the tables of a new file, or see to it that those of an old one are as they should be.

    Raises:
        DataError: no database of replicadb, an empty one that may not be written, one of a newer
            version, or of an older one that cannot be brought up to date.
    """
    if _version(db) == SCHEMA_VERSION:
        db.look_up_in_own()
        return
    with CHANGING:
        version = _version(db)  # another thread may have been faster
        if version is None:
            _make(db)
        elif version < SCHEMA_VERSION:
            _bring_up_to_date(db, version)
        else:
            db.look_up_in_own()


def _version(db: Database) -> int | None:
    """The schema version of a file that can be used; None: it is empty."""
    found = _facts(db)
    if found is None:
        return None
    if found.get("application") != APPLICATION:
        raise _foreign(db)
    db.interrupted = ASIDE in found
    version = number_of(found.get("schema_version", "0"), db.path)
    if version > SCHEMA_VERSION:
        raise DataError(
            f"{db.path}: made by a newer replicadb (schema {version}, this one knows "
            f"{SCHEMA_VERSION}); upgrade with: pip install -U replicadb"
        )
    if version < SAME_LOADS:
        raise DataError(
            f"{db.path}: made by an older replicadb (schema {version}, this one needs"
            f" {SCHEMA_VERSION}); load the crawl into a new file: replicadb load NEW SOURCE"
        )
    return version


def qualified(catalog: str, schema: str) -> str:
    """A schema of that attached database, as a search path has it."""
    return f"{identifier(catalog)}.{schema}"


def _facts(db: Database) -> dict[str, str] | None:
    """The table meta, where this version or an older one has it; None in an empty file."""
    for schema in (INTERNAL, "main"):
        with contextlib.suppress(*IN_THE_WAY):  # not there, or somebody else's of that name
            return dict(db.rows(f"SELECT key, value FROM {schema}.meta"))
    # Asked last: in a new connection DuckDB takes 10 ms to list tables, and 20 to list functions.
    if not db.new and any(db.value(query) for query in ANYTHING):
        raise _foreign(db)
    return None


def _foreign(db: Database) -> DataError:
    return DataError(
        f"{db.path}: a DuckDB database, but not one of replicadb; choose another file name"
    )


def _make(db: Database) -> None:
    """Every table and view, empty."""
    if db.read_only:
        raise DataError(
            f"{db.path}: an empty database; load a crawl first: replicadb load {db.path} SOURCE"
        )
    with db.transaction():
        make_schemas(db)
        for stem in EVERYTHING:
            db.run(stem)
        db.execute(
            "INSERT INTO meta VALUES ('application', ?), ('schema_version', ?), ('created_by', ?)",
            [APPLICATION, str(SCHEMA_VERSION), __version__],
        )


def _bring_up_to_date(db: Database, version: int) -> None:
    """What an older version loaded is kept and completed, and so are named runs and what people
    made; what it detected is made anew, empty, unless views alone differ. All of it or nothing.
    """
    if db.read_only:
        raise DataError(
            f"{db.path}: made by an older replicadb (schema {version}, this one needs"
            f" {SCHEMA_VERSION}); bring it up to date: replicadb {_bringing(db, version)}"
        )
    try:
        with db.transaction():
            make_schemas(db)
            if version >= SAME_RESULTS:
                put_aside = _put_aside(db, version)
                _with_views_of_this_version(db)
            else:
                moved = _moved(db, version)
                dropped = _dropped(db, version, moved)
                foreign_keys.release(db, *dropped)
                put_aside = _put_aside(db, version)
                _to_this_version(db, version, moved, dropped)
    except IN_THE_WAY as error:
        raise DataError(
            f"{db.path}: made by an older replicadb (schema {version}), and what somebody made in"
            f" it is in the way of an upgrade: {first_line(error)}; nothing was changed; drop or"
            " rename that in the duckdb shell, or load the crawl into a new file"
        ) from error
    if version < SAME_RESULTS:
        warnings.warn(
            f"{db.path}: made by an older replicadb; what was loaded is kept, what was detected"
            " is gone: detect again",
            stacklevel=2,
        )
    for (kind, name), other in put_aside.items():
        warnings.warn(
            f"{db.path}: {name} is a {kind.lower()} of replicadb's now; what you had there is"
            f" {other}",
            stacklevel=2,
        )


def _bringing(db: Database, version: int) -> str:
    """The command that brings a file up to date and changes as little as can be."""
    if version < SAME_RESULTS:
        return f"detect {db.path}"
    return f'sql {db.path} --write "FROM start_here"'


def _with_views_of_this_version(db: Database) -> None:
    for stem in (LENGTHS, *BESIDE, *VIEWS):
        db.run(stem)
    db.execute("UPDATE meta SET value = ? WHERE key = 'schema_version'", [str(SCHEMA_VERSION)])


def _to_this_version(
    db: Database, version: int, moved: Collection[str], dropped: Collection[str]
) -> None:
    """Every step of an upgrade, once the names that it needs are free."""
    _move(db, version, moved)
    for table in dropped:
        db.execute(f"DROP TABLE IF EXISTS {table}")
    for _, statement in _made("TABLE", *DETECTED).values():
        db.execute(statement)
    db.run("functions/30_digests")
    for stem in (*MIGRATIONS, *BESIDE, *VIEWS):
        db.run(stem)
    for name in statements(LOADED):
        if name.endswith("_comment"):  # what was moved has lost it
            db.run(LOADED, only=name)
    db.execute("DELETE FROM stages")
    db.execute(
        "DELETE FROM meta WHERE key IN ('detected_data', 'detected_from', 'pairs_basis',"
        " 'pairs_waiting', 'detected_decisions', 'detected_constants')"
        " OR starts_with(key, 'counts.')"
    )
    db.execute("UPDATE meta SET value = ? WHERE key = 'schema_version'", [str(SCHEMA_VERSION)])


def make_schemas(db: Database) -> None:
    """Every schema that is not there yet; names are looked up in all of them."""
    for name in (INTERNAL, *APART):
        db.execute(f"CREATE SCHEMA IF NOT EXISTS {name}")
    db.look_up_in_own()


def _moved(db: Database, version: int) -> list[str]:
    """The tables that older versions had in ``main`` and that stand elsewhere now, and those that
    an upgrade by one of them forgot there.
    """
    stands = {(schema, name) for kind, schema, name, _ in _all(db) if kind == "TABLE"}
    return [
        name
        for name, (schema, _) in _made("TABLE", LOADED, NAMED, *RESULTS).items()
        if schema != FIRST
        and (FIRST, name) in stands
        and (
            stood(name, schema, version) == FIRST
            or ((schema, name) not in stands and SINCE[name] <= version and name not in detected())
        )
    ]


def _dropped(db: Database, version: int, moved: Collection[str]) -> list[str]:
    """The tables that an upgrade drops, where they stand: those that are made anew or moved, and
    those that are no more.
    """
    dropped = [f"{schema}.{name}" for name, (schema, _) in _made("TABLE", *DETECTED).items()]
    dropped += [f"{FIRST}.{name}" for name in moved]
    if db.column("SELECT key FROM meta WHERE key = 'pairs_waiting'"):
        dropped.append(f"{stood('pair_features', INTERNAL, version)}.kept_pairs")
    if version < SINCE["shared_neighbours"]:
        if where := stood("partners", INTERNAL, version):
            dropped.append(f"{where}.partners")
    elif db.column(PARTNERS):
        dropped.append(f"{FIRST}.partners")
    return dropped


def _move(db: Database, version: int, moved: Collection[str]) -> None:
    """Put what older versions had in ``main`` where it stands now. DuckDB cannot move a table, so
    rows are copied, with columns that somebody added. Views are dropped, and made anew later.
    """
    stands = {(where, name): said for kind, where, name, said in _all(db) if kind == "VIEW"}
    for name, (schema, _) in _made("VIEW", *VIEWS).items():
        ours = stands.get((FIRST, name)) is not None and stood(name, schema, version) == FIRST
        if ours and schema != FIRST:
            db.execute(f"DROP VIEW main.{name}")
    for name, (schema, statement) in _made("TABLE", LOADED, NAMED, *RESULTS).items():
        if name in detected() or schema == FIRST:
            continue
        if name in moved or version < SCHEMAS_APART:
            db.execute(statement)
        if name in moved:
            _copy(db, name, schema)


def _copy(db: Database, name: str, schema: str) -> None:
    """Rows and further columns of a table of ``main`` into that of the same name in a schema."""
    there = {column for column, *_ in db.rows(f"DESCRIBE {schema}.{name}")}
    for column, kind, *_ in db.rows(f"DESCRIBE main.{name}"):
        if column not in there:
            db.execute(f"ALTER TABLE {schema}.{name} ADD COLUMN {identifier(column)} {kind}")
    db.execute(f"INSERT INTO {schema}.{name} BY NAME FROM main.{name}")


def _put_aside(db: Database, version: int) -> dict[tuple[str, str], str]:
    """What somebody made where this version has something of that name gets another name; both
    names by kind and name. A view of ``main``, or a macro, that says nothing of itself is none of
    ours.
    """
    ours = {
        (kind == "MACRO", schema, name): kind
        for kind in ("TABLE", "VIEW", "MACRO")
        for name, (schema, _) in _made(kind, *EVERYTHING).items()
    }
    stands = _all(db)
    taken = {(schema, name.lower()) for _, schema, name, _ in stands}
    found = {}
    for kind, schema, name, comment in stands:
        now = ours.get((kind == "MACRO", schema, name.lower()))
        unsaid = comment is None and kind != "TABLE" and schema == FIRST
        had = kind == "MACRO" or (kind == now and stood(name.lower(), schema, version) == schema)
        if now is None or (had and not unsaid):
            continue
        other = next(
            other
            for number in itertools.count(1)
            if (schema, (other := f"{name}_before_{number}").lower()) not in taken
        )
        rename(db, kind, schema, name, other)
        where = "" if schema == FIRST else f"{schema}."
        found[now, f"{where}{name}"] = f"{where}{other}"
    return found


def _all(db: Database) -> list[tuple[str, str, str, str | None]]:
    """Kind, schema, name and comment of every table, view and macro in the file."""
    return db.rows(STANDS)


def _made(kind: str, *stems: str) -> dict[str, tuple[str, str]]:
    """What those files make of a kind: schema and statement by name."""
    found = {}
    for stem in stems:
        for name, statement in statements(stem).items():
            made = MADE_IN.search(statement)
            if made and made[1] == kind:
                found[name] = (made[2], statement)
    return found
