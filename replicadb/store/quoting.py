"""Names and texts from outside, as they may stand in an SQL statement where no parameter may."""

from __future__ import annotations


def identifier(name: str) -> str:
    """A name of a column, table or database as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"
