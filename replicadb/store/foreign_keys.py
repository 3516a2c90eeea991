"""Foreign keys of somebody's on tables that are dropped and made anew.

DuckDB drops no table that a foreign key refers to, nor renames it, and takes no foreign key from a
table. What the key holds fast is to go, so the table that has the key is made anew without it.

Invariant: rows, their order, comments, indexes, triggers and what else constrains such a table are
as they were, and so are tables whose foreign keys refer to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from replicadb.store.quoting import identifier, literal

if TYPE_CHECKING:
    from replicadb.store.database import Database

KEYS = """
    SELECT schema_name, table_name, referenced_table, constraint_text
    FROM duckdb_constraints()
    WHERE database_name = current_database() AND constraint_type = 'FOREIGN KEY'"""
MADE = """
    SELECT sql, comment
    FROM duckdb_tables()
    WHERE database_name = current_database() AND schema_name = $schema AND table_name = $name"""
COLUMNS = """
    SELECT i.column_name, d.comment, i.is_generated = 'NEVER'
    FROM information_schema.columns AS i
    JOIN duckdb_columns() AS d
        ON (d.database_name, d.schema_name, d.table_name, d.column_name)
            = (i.table_catalog, i.table_schema, i.table_name, i.column_name)
    WHERE i.table_catalog = current_database() AND i.table_schema = $schema AND i.table_name = $name
    ORDER BY i.ordinal_position"""
INDEXES = """
    SELECT index_name, sql, comment
    FROM duckdb_indexes()
    WHERE database_name = current_database() AND schema_name = $schema AND table_name = $name"""
TRIGGERS = """
    SELECT trigger_name, schema_name, table_name, sql
    FROM duckdb_triggers()
    WHERE database_name = current_database()"""
Table = tuple[str, str]
"""A table's schema and name; the name in small letters, where it is looked up."""


def release(db: Database, *tables: str, because: str = "what it refers to is made anew") -> None:
    """Make tables with a foreign key on one of ``tables`` (``internal.settings``) anew without it,
    inside a transaction, which warns of each once it is done.

    A foreign key never leaves its schema. One of such a table on itself goes, too: DuckDB takes
    rows that refer to each other one at a time only.
    """
    if not tables:
        return
    keys = [
        ((schema, name), (schema, referenced.lower()), text)
        for schema, name, referenced, text in db.rows(KEYS)
    ]
    going = {name.lower() for name in tables}
    lost = [(table, text) for table, on, text in keys if ".".join(on) in going]
    if not lost:
        return
    anew = _with_those_that_refer(keys, {table for table, _ in lost})
    lost += [(one, text) for one, on, text in keys if one in anew and on == _looked_up(one)]
    triggers = db.rows(TRIGGERS)
    later: list[str] = []
    for number, table in enumerate(anew):
        without = [text for one, text in lost if one == table]
        later += _made_anew(db, table, without, f"rows_kept_{number}")
    db.for_people("")  # names in a statement of theirs mean what they meant to them
    for name, schema, table, _ in triggers:
        db.con.execute(f"DROP TRIGGER {identifier(name)} ON {_qualified((schema, table))}")
    for number, table in enumerate(anew):
        db.con.execute(f"CREATE TEMP TABLE rows_kept_{number} AS FROM {_qualified(table)}")
    for table in reversed(anew):
        db.con.execute(f"DROP TABLE {_qualified(table)}")
    for statement in (*later, *(sql for *_, sql in triggers)):
        db.con.execute(statement)
    for number, _ in enumerate(anew):
        db.con.execute(f"DROP TABLE temp.rows_kept_{number}")
    for (schema, name), text in dict.fromkeys(lost):
        db.warn(f"{schema}.{name} is kept without its {text}: {because}")


def _with_those_that_refer(
    keys: list[tuple[Table, Table, str]], tables: Collection[Table]
) -> list[Table]:
    """Those tables and all that refer to them, each after those that it refers to."""
    refers: dict[Table, set[Table]] = {}
    for table, on, _ in keys:
        refers.setdefault(_looked_up(table), set()).update({on} - {_looked_up(table)})
    named = {_looked_up(table): table for table, _, _ in keys}
    found: dict[Table, Table] = {}
    for one in TopologicalSorter(refers).static_order():
        if one in named and (named[one] in tables or refers[one] & found.keys()):
            found[one] = named[one]
    return list(found.values())


def _made_anew(db: Database, table: Table, without: Collection[str], rows: str) -> Iterator[str]:
    """The statements that make a table as it is, but for some constraints, of kept rows."""
    named, where = _qualified(table), dict(zip(("schema", "name"), table, strict=True))
    [(made, comment)] = db.rows(MADE, where)
    for text in without:  # constraints stand after the columns
        before, _, after = made.rpartition(f", {text}")
        made = before + after
    yield made
    columns = db.rows(COLUMNS, where)
    filled = ", ".join(identifier(name) for name, _, filled in columns if filled)
    yield f"INSERT INTO {named} ({filled}) SELECT {filled} FROM temp.{rows}"
    said = [(f"TABLE {named}", comment)]
    said += [(f"COLUMN {named}.{identifier(name)}", text) for name, text, _ in columns]
    for name, statement, text in db.rows(INDEXES, where):
        yield statement
        said.append((f"INDEX {identifier(table[0])}.{identifier(name)}", text))
    for what, text in said:
        if text is not None:
            yield f"COMMENT ON {what} IS {literal(text)}"


def _qualified(table: Table) -> str:
    return ".".join(map(identifier, table))


def _looked_up(table: Table) -> Table:
    schema, name = table
    return schema, name.lower()
