"""Other names for what somebody made.

Invariant: a table keeps its rows, indexes and comments; foreign keys that refer to it go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from replicadb.store import foreign_keys
from replicadb.store.quoting import identifier, literal

if TYPE_CHECKING:
    from replicadb.store.database import Database

INDEXED = re.compile(r'(.*?) ON (?:(?:"(?:[^"]|"")*"|[^\s".(]+)\.?)+(.*)', re.S)
"""A statement that makes an index: what stands before its table and after it."""
MACRO = """
    SELECT parameters, macro_definition
    FROM duckdb_functions()
    WHERE database_name = current_database() AND schema_name = $schema AND function_name = $name
        AND (function_type = 'table_macro') = $table
    ORDER BY len(parameters)"""


def rename(db: Database, kind: str, schema: str, name: str, other: str) -> None:
    """Give a table, with its indexes, a view or a macro another name. DuckDB renames no macro: it
    is made anew, and defaults of its parameters, which DuckDB does not tell, are gone.
    """
    before, after = f"{schema}.{identifier(name)}", f"{schema}.{identifier(other)}"
    if kind != "MACRO":
        foreign_keys.release(db, f"{schema}.{name}", because="what it refers to is renamed")
        indexes = db.rows(foreign_keys.INDEXES, {"schema": schema, "name": name})
        for index, *_ in indexes:  # with one DuckDB renames no table
            db.execute(f"DROP INDEX {schema}.{identifier(index)}")
        db.execute(f"ALTER {kind} {before} RENAME TO {identifier(other)}")
        for index, statement, comment in indexes:
            _, begin, of, _ = INDEXED.split(statement)  # a match is all of it
            db.execute(f"{begin} ON {after}{of}")
            if comment is not None:
                db.execute(f"COMMENT ON INDEX {schema}.{identifier(index)} IS {literal(comment)}")
        return
    for table in (False, True):
        versions = db.rows(MACRO, {"schema": schema, "name": name, "table": table})
        if versions:
            db.execute(f"DROP MACRO {'TABLE ' * table}{before}")
            made = (
                f"({', '.join(map(identifier, parameters))}) AS {'TABLE ' * table}{definition}"
                for parameters, definition in versions
            )
            db.execute(f"CREATE MACRO {after}{', '.join(made)}")
