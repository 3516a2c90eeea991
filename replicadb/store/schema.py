"""The schema of the file: made when it is new, brought up to date when an older version made it.

Invariant: a database that opens has the tables and views that this version knows.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import warnings
from typing import TYPE_CHECKING

import duckdb

from replicadb.errors import DataError
from replicadb.store.quoting import identifier
from replicadb.store.statements import statements
from replicadb.version import __version__

if TYPE_CHECKING:
    from replicadb.store.database import Database

APPLICATION = "replicadb"
INTERNAL = "internal"
"""The schema of tables that are not meant for people: ``SHOW TABLES`` leaves them out."""
FIRST = "main"
"""The schema of the dozen things that a person wants first: what ``SHOW TABLES`` shows."""
APART = ("details", "history", "page_level")
"""Schemas of what else people ask for: what stands behind the replicas, what was run, and single
pages. No two schemas have a name in common.
"""
LOADED = "schema/10_loaded"
NAMED = "schema/12_named_runs"
DECIDED = "schema/13_given_decisions"
IDENTIFIERS = "schema/14_identifiers"
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
MIGRATIONS = ("migrations/09_hashes", "migrations/11_assets", "migrations/13_revisits")
SCHEMA_VERSION = 22
SCHEMAS_APART = 10
"""From this version on most tables stand in INTERNAL."""
PEOPLE_S_APART = 16
"""From this version on what is meant for people but not first stands in APART. Since then ``main``
has in it what it has now, and else what somebody made there, of whatever name.
"""
MADE_IN = re.compile(r"CREATE (?:OR REPLACE )?(TABLE|VIEW) (?:IF NOT EXISTS )?(\w+)\.")
"""The kind and the schema in the statement that makes a table or view."""
ANYTHING = (
    *(
        f"SELECT count(*) FROM duckdb_{kind}() WHERE database_name = current_database()"
        " AND NOT internal"
        for kind in ("tables", "views", "functions", "types", "schemas")
    ),
    "SELECT count(*) FROM duckdb_sequences() WHERE database_name = current_database()",
)
"""What is in a file that is somebody else's."""
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


def check(db: Database) -> None:
    """Make the tables of a new file, or see to it that those of an old one are as they should be.

    Raises:
        DataError: no database of replicadb, an empty one that may not be written, one of a newer
            version, or of an older one that cannot be brought up to date.
    """
    found = _facts(db)
    if found is None:
        _make(db)
        return
    if found.get("application") != APPLICATION:
        raise _foreign(db)
    version = int(found.get("schema_version", 0))
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
    if version < SCHEMA_VERSION:
        _bring_up_to_date(db, version)
    else:
        db.look_up_in_own()


def qualified(catalog: str, schema: str) -> str:
    """A schema of that attached database, as a search path has it."""
    return f"{identifier(catalog)}.{schema}"


def _facts(db: Database) -> dict[str, str] | None:
    """The table meta, where this version or an older one has it; None in an empty file."""
    for schema in (INTERNAL, "main"):
        with contextlib.suppress(duckdb.Error):  # not there, or somebody else's of that name
            return dict(db.rows(f"SELECT key, value FROM {schema}.meta"))
    # Asked last: in a new connection DuckDB takes 10 ms to list tables.
    if any(db.value(query) for query in ANYTHING):
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
        for stem in (LOADED, NAMED, DECIDED, IDENTIFIERS, *RESULTS, *VIEWS):
            db.run(stem)
        db.execute(
            "INSERT INTO meta VALUES ('application', ?), ('schema_version', ?), ('created_by', ?)",
            [APPLICATION, str(SCHEMA_VERSION), __version__],
        )


def _bring_up_to_date(db: Database, version: int) -> None:
    """What an older version loaded is kept and completed, and so are named runs; what it detected
    is made anew, empty.
    """
    if db.read_only:
        raise DataError(
            f"{db.path}: made by an older replicadb (schema {version}, this one needs"
            f" {SCHEMA_VERSION}); bring it up to date: replicadb detect {db.path}"
        )
    with db.transaction():
        make_schemas(db)
        if version < PEOPLE_S_APART:
            _move(db, all_of_them=version < SCHEMAS_APART)
        put_aside = _put_aside(db)
        if db.column("SELECT key FROM meta WHERE key = 'pairs_waiting'"):
            db.execute(f"DROP TABLE IF EXISTS {INTERNAL}.kept_pairs")
        for table, (where, statement) in _made("TABLE", DETECTED, (INTERNAL, *APART)).items():
            db.execute(f"DROP TABLE IF EXISTS {where}.{table}")
            db.execute(statement)
        db.run("functions/30_digests")
        for stem in ("functions/10_hashes", *MIGRATIONS, NAMED, DECIDED, IDENTIFIERS, *VIEWS):
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
    warnings.warn(
        f"{db.path}: made by an older replicadb; what was loaded is kept, what was detected"
        " is gone: detect again",
        stacklevel=2,
    )
    for name, other in put_aside.items():
        warnings.warn(
            f"{db.path}: {name} is a view of replicadb's now; what you had there is {other}",
            stacklevel=2,
        )


def make_schemas(db: Database) -> None:
    """Every schema that is not there yet; names are looked up in all of them."""
    for name in (INTERNAL, *APART):
        db.execute(f"CREATE SCHEMA IF NOT EXISTS {name}")
    db.look_up_in_own()


def _move(db: Database, all_of_them: bool) -> None:
    """Put what older versions had in ``main`` where it stands now. DuckDB cannot move a table, so
    rows are copied. Views are dropped, and made anew later.

    Args:
        all_of_them: a version that had everything in ``main``: make those tables that it had not.
    """
    now = (INTERNAL, *APART) if all_of_them else APART
    tables = set(_in_main(db, "table"))
    views = set(_in_main(db, "view", "true" if all_of_them else "comment IS NOT NULL"))
    for name in {*_made("VIEW", VIEWS, now)} & views:
        db.execute(f"DROP VIEW main.{name}")
    for name, (schema, statement) in _made("TABLE", (LOADED, NAMED, *RESULTS), now).items():
        if name in tables or all_of_them:
            db.execute(statement)
        if name in tables:
            if name not in detected():
                db.execute(f"INSERT INTO {schema}.{name} BY NAME FROM main.{name}")
            db.execute(f"DROP TABLE main.{name}")
    if all_of_them:
        for name in ("kept_pairs", "partners"):
            db.execute(f"DROP TABLE IF EXISTS main.{name}")
    db.execute(f"DROP TABLE IF EXISTS {INTERNAL}.partners")  # now shared_neighbours


def _put_aside(db: Database) -> dict[str, str]:
    """What somebody made in ``main`` that has the name of a view of this version gets another one;
    it is there by the name it had. A view that says nothing of itself is no view of ours.
    """
    kinds = dict.fromkeys(_in_main(db, "view", "comment IS NULL"), "VIEW")
    kinds |= dict.fromkeys(_in_main(db, "table"), "TABLE")
    taken = {name.lower() for kind in ("view", "table") for name in _in_main(db, kind)}
    found = {}
    for name, kind in kinds.items():
        if name.lower() in _made("VIEW", VIEWS, (FIRST,)):
            found[name] = next(
                other
                for number in itertools.count(1)
                if (other := f"{name}_before_{number}").lower() not in taken
            )
            db.execute(f"ALTER {kind} main.{identifier(name)} RENAME TO {identifier(found[name])}")
    return found


def _in_main(db: Database, kind: str, which: str = "true") -> list[str]:
    """The tables or views that stand in ``main``."""
    return db.column(
        f"SELECT {kind}_name FROM duckdb_{kind}s() WHERE database_name = current_database()"
        f" AND schema_name = 'main' AND NOT internal AND {which}"
    )


def _made(
    kind: str, stems: tuple[str, ...], schemas: tuple[str, ...]
) -> dict[str, tuple[str, str]]:
    """What those files make in those schemas: schema and statement by name."""
    found = {}
    for stem in stems:
        for name, statement in statements(stem).items():
            made = MADE_IN.search(statement)
            if made and made[1] == kind and made[2] in schemas:
                found[name] = (made[2], statement)
    return found
