"""The shape of the papers' tables: rows of figures, their intervals, what was published.

Invariant: a table's rows, its intervals and its published rows have the same shape and order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from replicadb.evaluation import published_figures

Row = list[Any]
"""The cells of a table's row: a name, then figures or None."""


class Figure(NamedTuple):
    """A table's cell that has an interval."""

    value: float | None
    interval: list[float] | None


def with_intervals(
    title: str, columns: list[str], rows: list[Row], printed: list[Row] | None, note: str
) -> dict[str, Any]:
    """A table of Figures: their values as rows, their intervals in rows of the same shape."""
    values, spread = (
        [
            [getattr(cell, of, other) for cell, other in zip(row, rest, strict=True)]
            for row, rest in zip(rows, blank, strict=True)
        ]
        for of, blank in (("value", rows), ("interval", [[None] * len(row) for row in rows]))
    )
    return table(title, columns, values, printed, note) | {"intervals": spread}


def table(
    title: str, columns: list[str], rows: list[Row], printed: list[Row] | None, note: str
) -> dict[str, Any]:
    return {
        "title": title,
        "columns": columns,
        "rows": rows,
        "published": printed,
        "source": published_figures.SOURCE,
        "note": note,
    }
