"""The files and folders that COPY and EXPORT DATABASE would write, by the statement's own words.

Invariant: the statement is read by DuckDB's tokenizer, so comments and quotes hide nothing; where
one of the two names what it writes in another way than as a plain text, that is refused.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator

import duckdb

from replicadb.errors import UsageError

COMMENT = duckdb.token_type.comment
QUOTED = re.compile(r"'((?:[^']|'')*)'")
DOLLARS = re.compile(r"(\$\w*\$)(.*)\1", re.S)
ADDRESS = re.compile(r"file:(//(localhost)?)?(?=/)")
"""What stands before the path in file:///path, which DuckDB takes as it is."""


def targets(statements: str) -> list[str]:
    """What they write, in their order.

    Raises:
        UsageError: a file is named by a variable, a parameter, an expression or a bare name.
    """
    return [_file(target) for target in map(_target, _each(statements)) if target is not None]


def _each(statements: str) -> Iterator[list[str]]:
    """The words of each statement but for comments and what stands in brackets."""
    raw, depth = statements.encode(), 0  # places are of bytes
    tokens = duckdb.tokenize(statements)
    starts = [at for at, _ in tokens]
    words: list[str] = []
    for (start, kind), end in zip(tokens, [*starts, len(raw)][1:], strict=True):
        word = raw[start:end].decode(errors="replace").strip()
        if kind == COMMENT:
            continue
        if word == ";":
            yield words
            words = []
            continue
        if not depth:
            words.append(word)
        depth += (word == "(") - (word == ")")
    yield words


def _target(words: list[str]) -> str | None:
    """The word by which a statement names what it writes; None where it writes nothing."""
    plain = [word.upper() for word in words]
    if "COPY" in plain:
        copied = plain.index("COPY")
        if plain[copied + 1 : copied + 3] == ["FROM", "DATABASE"] or "TO" not in plain[copied:]:
            return None
        at = plain.index("TO", copied)
    elif "EXPORT" in plain and "DATABASE" in plain:
        at = plain.index("TO") if "TO" in plain else plain.index("DATABASE")
    else:
        return None
    texts = itertools.takewhile(lambda word: word.startswith("'"), words[at + 2 :])
    return "\n".join([*words[at + 1 : at + 2], *texts]) or None  # 'one'\n'text' is one for DuckDB


def _file(text: str) -> str:
    """The name in a text, 'like this' or $$like this$$, as DuckDB opens it."""
    if quoted := QUOTED.fullmatch(text):
        name = quoted[1].replace("''", "'")
    elif between := DOLLARS.fullmatch(text):
        name = between[2]
    else:
        raise UsageError("what is to be written is named by a plain text: COPY ... TO 'FILE'")
    return os.path.expanduser(ADDRESS.sub("", name))
