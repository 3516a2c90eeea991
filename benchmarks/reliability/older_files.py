"""Files of older schemas, made of one of this version: every table, view and macro where it stood
then, and none that came later.

Invariant: rows are as they were, and tables have the columns of now; views that stood
elsewhere are stale ones of the same name.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from replicadb.store.older_schemas import FIRST, INTERNAL, SINCE, stood
from replicadb.store.schema import APART, STANDS


def lay_out(path: Path, version: int) -> None:
    """Lay a file out as a version had it, 5 or later."""
    with duckdb.connect(str(path)) as con:
        stands = con.execute(STANDS).fetchall()
        for kind, schema, name, _ in sorted(stands, key=lambda row: row[0], reverse=True):
            where = stood(name, schema, version) if name in SINCE else schema
            if where == schema:
                continue
            if where and kind == "TABLE":
                con.execute(f"CREATE TABLE {where}.{name} AS FROM {schema}.{name}")
            tables = kind == "MACRO" and name not in ("host_named", "kind_of", "may_be")
            con.execute(f"DROP {kind} {'TABLE ' * tables}{schema}.{name}")
            if where and kind == "VIEW":
                con.execute(f"CREATE VIEW {where}.{name} AS SELECT 1 AS stale")
                con.execute(f"COMMENT ON VIEW {where}.{name} IS 'stale'")
        for schema, name in ((INTERNAL, "meta"), *((schema, "runs") for schema in APART)):
            if stood(name, schema, version) == FIRST:
                con.execute(f"DROP SCHEMA {schema}")
        meta = f"{stood('meta', INTERNAL, version)}.meta"
        con.execute(f"UPDATE {meta} SET value = '{version}' WHERE key = 'schema_version'")
