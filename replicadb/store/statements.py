"""The named SQL of ``sql/``, each file checked against its header.

Invariant: a folder is a stage and a number is a place in it; a file's statements stand in
the order in which they run; and no statement names a table or a ``$parameter`` that the file's
header does not (``-- reads:``, ``-- writes:``, ``-- parameters:``), so a header can be believed.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

LISTS = ("reads", "writes", "parameters")
"""What a header says of its file, a line each; ``none`` is the empty list."""

_NAME = re.compile(r"^-- name: *([a-z0-9_]+) *$", re.M)
_LIST = re.compile(r"^-- ([a-z]+): *(.*(?:\n--   .*)*)$", re.M)
_FILL = re.compile(r"^( *)-- fill: *([a-z_.]+)\.([a-z_]+)(?:\((\w+)\))?$", re.M)
_COMMENT = re.compile(r"--.*$", re.M)
_TEXT = re.compile(r"'(?:[^']|'')*'")
_PARAMETER = re.compile(r"\$([a-z_0-9]+)")
_DEFINED = re.compile(r"\b([a-z_][a-z_0-9]*)(?: *\([^()]*\))? +AS +(?:NOT +)?(?:MATERIALIZED +)?\(")
_TABLE = re.compile(
    r"\b(FROM|JOIN|INTO|UPDATE|DESCRIBE|SUMMARIZE|(?:TABLE|VIEW)(?: +IF(?: +NOT)? +EXISTS)?)\s+"
    r"(?:(?:internal|main|details|history|page_level)\.)?"
    r"([a-z_][a-z_0-9]*)\b(?!\s*\(\s*[^)a-z_]|\.)"
)
_AFTER_COMMA = re.compile(
    r"\bFROM\s+[a-z_.]+(?:\s+AS\s+[a-z_]+)?((?:\s*,\s*[a-z_.]+(?:\s+AS\s+[a-z_]+)?)+)(?=\s)"
)
_FUNCTIONS = frozenset({"unnest", "range", "generate_series", "read_csv", "read_parquet"})
_WORDS = frozenset({"select", "values", "lateral", "set", "as", "on", "if", "with"})


@dataclass(frozen=True)
class File:
    """One file of ``sql/``."""

    statements: dict[str, str]
    """By name, in the order in which they stand and run."""
    header: dict[str, tuple[str, ...]]
    """The three lists of LISTS."""


def sql_folder() -> Path:
    """The folder of SQL files: inside an installed wheel, or beside the package in a checkout."""
    inside = Path(__file__).parents[1] / "sql"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "sql"


def statements(stem: str) -> dict[str, str]:
    """The named statements of ``sql/<stem>.sql``, as in ``detect/40_pair_features``, in their
    order.

    A statement begins at its line ``-- name: object`` and ends where the next one begins. Comments
    inside stay, so that DuckDB shows them in errors. In place of a line ``-- fill:`` with the name
    of a function, and its argument in parentheses, stands what that function returns: statements
    that are made from a catalogue name where it is.

    Raises:
        KeyError: no such file, a header without its lists, a name twice, or a statement that its
            header does not cover.
    """
    return read(stem).statements


@cache
def read(stem: str) -> File:
    """The file ``sql/<stem>.sql``, checked; errors as :func:`statements` raises them."""
    path = sql_folder() / f"{stem}.sql"
    if not path.is_file():
        raise KeyError(f"no SQL file {stem}.sql")
    header, *parts = _NAME.split(path.read_text("utf-8"))
    named: dict[str, str] = {}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        if name in named:
            raise KeyError(f"{stem}.sql: {name} stands twice")
        named[name] = _FILL.sub(_filled, body.strip()).rstrip(";")
    lists = header_lists(header)
    if lacking := [name for name in LISTS if name not in lists]:
        raise KeyError(f"{stem}.sql: its header has no list {', '.join(lacking)}")
    for name, statement in named.items():
        if missing := unnamed(statement, lists):
            raise KeyError(f"{stem}.sql: {name} names {', '.join(missing)}, the header does not")
    return File(named, lists)


def _filled(mark: re.Match[str]) -> str:
    indent, module, function, argument = mark.groups()
    text = getattr(import_module(module), function)(*([argument] if argument else []))
    return textwrap.indent(text, indent)


def header_lists(header: str) -> dict[str, tuple[str, ...]]:
    """What a header says that its file reads, writes and takes, by LISTS."""
    found = {}
    for name, text in _LIST.findall(header):
        if name in LISTS:
            plain = re.sub(r"\([^)]*\)", "", text.replace("\n--", " "))
            items = [item.strip() for item in plain.split(",")]
            found[name] = tuple(item for item in items if item and item != "none")
    return found


def unnamed(statement: str, lists: dict[str, tuple[str, ...]]) -> list[str]:
    """Tables and parameters of a statement that its file's header does not name, sorted."""
    plain = _TEXT.sub("''", _COMMENT.sub("", statement))
    parameters = set(_PARAMETER.findall(plain)) - set(lists.get("parameters", ()))
    known = {*lists.get("reads", ()), *lists.get("writes", ())}
    return sorted(tables_of(plain) - known) + sorted(f"${name}" for name in parameters)


def tables_of(plain: str) -> set[str]:
    """Tables and views that a statement without comments and texts names; its CTEs are none."""
    found = {name for _, name in _TABLE.findall(plain)}
    for more in _AFTER_COMMA.findall(plain):
        names = (item.split()[0] for item in more.split(",") if item.strip())
        found |= {name.rpartition(".")[2] for name in names}
    return found - set(_DEFINED.findall(plain)) - _FUNCTIONS - _WORDS
