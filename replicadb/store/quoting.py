"""Names and texts from outside, as SQL takes them for what they are."""

from __future__ import annotations

import re


def identifier(name: str) -> str:
    """A name of a column, table or database as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def file_name(path: object) -> str:
    """A path as DuckDB's functions that read files take it for that very file, not for a pattern:
    ``h[1].csv`` would be read from h1.csv.
    """
    return re.sub(r"[\[*?{]", r"[\g<0>]", str(path))


def literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"
