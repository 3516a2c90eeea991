"""Markdown for the reference: paragraphs of lines of at most 100 characters, and tables."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

MADE_BY = "Made by `python -m replicadb.cli.reference`."
_ROLE = re.compile(r":(?:class|meth|func|attr|mod|data):`~?([^`]+)`")
_METHOD = re.compile(r"docs/method\.md#([a-z0-9-]+)")


def paragraph(text: str, indent: str = "") -> str:
    """One paragraph, wrapped; ``indent`` stands before its lines but the first."""
    return textwrap.fill(
        " ".join(text.split()),
        100,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def plain(text: str) -> str:
    """A docstring's marks as Markdown's: names in backticks, sections of the method as links."""
    text = _ROLE.sub(r"`\1`", text).replace("``", "`")
    return _METHOD.sub(r"[\1](../method.md#\1)", text)


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table; a bar in a cell is no border."""
    cells = [head, ("---",) * len(head), *rows]
    lines = (
        " | ".join(" ".join(cell.replace("|", r"\|").split()) for cell in row) for row in cells
    )
    return "\n".join(re.sub(r" {2,}", " ", f"| {line} |") for line in lines)
