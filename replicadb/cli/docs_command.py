"""``replicadb docs``: the data dictionary of a database, from the comments that it carries."""

from __future__ import annotations

import difflib
import json
import textwrap
from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Any

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, AsJson
from replicadb.errors import DataError
from replicadb.store.database import Database
from replicadb.store.statements import statements

WIDTH = 98
"""Characters of a line."""
Name = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]", help="A table, view or macro. Default: all.", show_default=False
    ),
]
All = Annotated[bool, typer.Option("--all", help="Tables that are not meant for people, too.")]
Row = dict[str, Any]


def docs(db: DB, name: Name = None, all: All = False, as_json: AsJson = False) -> None:
    """Print what the tables, views, macros and columns of a database mean.

    Begin with: replicadb sql DB "FROM start_here"
    """
    with replicadb.open(db, read_only=True) as web:
        rows = dictionary(web.database, name, all)
    messages.show(json.dumps(rows, indent=1) if as_json else "\n\n".join(_parts(rows)))


def dictionary(db: Database, name: str | None = None, internals: bool = False) -> list[Row]:
    """A row for each table, view and macro (``column_name`` None), followed by those of its
    columns: kind, name, column_name, type, comment.

    Raises:
        DataError: none is called ``name``; with the nearest names.
    """
    asked = statements("examples/30_dictionary")["dictionary"]
    rows: list[Row] = db.arrow(asked, {"internals": internals or name is not None}).to_pylist()
    if name is None:
        return rows
    found = [row for row in rows if name.lower() in spellings(row["name"])]
    if not found:
        known = {spelled for row in rows for spelled in spellings(row["name"])}
        near = difflib.get_close_matches(name.lower(), known, 3, 0.4)
        raise DataError(
            f"{db.path}: no table, view or macro {name!r}; the nearest names:"
            f" {', '.join(near) or 'none'}"
        )
    return found


def spellings(name: str) -> set[str]:
    """How a name may be written: with its schema and without."""
    return {name, name.rpartition(".")[2]}


def _parts(rows: list[Row]) -> Iterator[str]:
    """The text of each table, view or macro."""
    for name, group in groupby(rows, key=lambda row: row["name"]):
        about = list(group)
        tables = [row for row in about if row["column_name"] is None]
        lines = [f"{name}  ({tables[0]['kind']})"] if tables else [name]
        for row in tables:
            lines += _wrapped(row["comment"], "  ")
        for row in about:
            if row["column_name"] is not None:
                lines.append(f"    {row['column_name']}  {row['type'] or ''}".rstrip())
                lines += _wrapped(row["comment"], " " * 8)
        yield "\n".join(lines)


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)
