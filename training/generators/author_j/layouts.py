"""The lines of the schemes, by engine and dialect, ready to be filled."""

from __future__ import annotations

from string import Formatter
from typing import NamedTuple

from training.generators.author_j.schemes import SCHEMES


class Line(NamedTuple):
    """One kind of page of a scheme."""

    weight: float
    """0 for a page that every site has."""
    edits: float
    path: str
    title: str
    fields: tuple[str, ...]
    """The names of what is to be filled in, in order of need."""


def _lines(text: str) -> tuple[Line, ...]:
    lines = []
    for row in text.strip().splitlines():
        start, _, name = row.partition(" |")
        weight, edits, path = start.split(maxsplit=2)
        often = 0.0 if weight == "*" else float(weight)
        named = (field for _, field, _, _ in Formatter().parse(path + name) if field)
        fields = tuple(dict.fromkeys(named))
        lines.append(Line(often, float(edits), path, name.strip(), fields))
    return tuple(lines)


def _dialects(text: str) -> tuple[tuple[Line, ...], ...]:
    common, *dialects = text.split("--\n")
    return tuple(_lines(common) + _lines(dialect) for dialect in dialects or [""])


ENGINES = {name: _dialects(text) for name, text in SCHEMES.items()}
"""Of each engine, the dialects; of each dialect, its lines."""
