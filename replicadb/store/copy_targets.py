"""The files and folders that somebody's statement would write, by its own words.

Invariant: the statement is read by DuckDB's tokenizer, so comments and quotes hide nothing; where
COPY names what it writes in another way than as a plain text, that is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import duckdb

from replicadb.errors import UsageError

COMMENT = duckdb.token_type.comment
TEXT = duckdb.token_type.string_const


def targets(statement: str) -> list[str]:
    """What COPY ... TO and EXPORT DATABASE write, in their order.

    Raises:
        UsageError: COPY names its file by a variable, a parameter, an expression or a bare name.
    """
    words = list(_words(statement))
    plain = [word.upper() for word, _ in words]
    found = []
    for i, word in enumerate(plain[:-1]):
        export = word == "DATABASE" and plain[i - 1] == "EXPORT"
        copy = word == "TO" and "COPY" in plain[:i] and not _of_database(plain[:i])
        if not (export or copy):
            continue
        target, is_text = words[i + 1]
        if not is_text or target[0] not in "'$":
            raise UsageError(
                "COPY names the file that it writes as a plain text: COPY ... TO 'FILE'"
            )
        found.append(_file(target))
    return found


def _of_database(words: list[str]) -> bool:
    """Whether the last COPY among the words is COPY FROM DATABASE, which writes no file."""
    last = len(words) - words[::-1].index("COPY")
    return words[last : last + 2] == ["FROM", "DATABASE"]


def _words(statement: str) -> Iterator[tuple[str, bool]]:
    """The statement's words but for comments, and whether each is a text in quotes."""
    raw = statement.encode()  # places are of bytes
    tokens = duckdb.tokenize(statement)
    starts = [at for at, _ in tokens]
    for (start, kind), end in zip(tokens, [*starts, len(raw)][1:], strict=True):
        if kind != COMMENT:
            yield raw[start:end].decode(errors="replace").strip(), kind == TEXT


def _file(text: str) -> str:
    """The name in a text, 'like this' or $$like this$$; of an address file:///that the path."""
    if text.startswith("'"):
        name = text[1:-1].replace("''", "'")
    else:
        tag = text[: text.index("$", 1) + 1]
        name = text[len(tag) : -len(tag)]
    return unquote(urlsplit(name).path) if name.startswith("file:") else name
