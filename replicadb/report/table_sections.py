"""The paper's Tables 2 to 5: what was measured, and below each figure what was published.

Invariant: finished HTML, each text escaped; a published row without a counterpart is kept,
so is a row of ours that the paper does not have.
"""

from __future__ import annotations

from typing import Any

from replicadb.report.safe_text import cell, clean, esc, is_number, rate
from replicadb.report.table_html import table

ROWS_SHOWN = 200
"""Rows of a table at most."""


def paper_table(number: str, found: dict[str, Any]) -> str:
    """One of the paper's tables: what was measured, and what was published where it has the same
    place, below each figure.
    """
    columns, rows = (
        list(found.get("columns") or []),
        [list(r) for r in found.get("rows") or []][:ROWS_SHOWN],
    )
    published, spread = _published_rows(found.get("published")), found.get("intervals") or []
    by_label = {clean(row[0]): row for row in published if row}
    used, cells = set(), []
    for place, row in enumerate(rows):
        theirs = by_label.get(clean(row[0])) if row else None
        if theirs is not None:
            used.add(clean(row[0]))
        cells.append(
            [
                _both(
                    value,
                    theirs[i] if theirs is not None and i < len(theirs) else None,
                    i,
                    _interval(spread, place, i),
                )
                for i, value in enumerate(row)
            ]
        )
    for label, theirs in by_label.items():
        if label not in used:
            cells.append(
                [
                    _both(None if i else theirs[0], value if i else None, i)
                    for i, value in enumerate(theirs)
                ]
            )
    key = '<span class="pub">in italics: published, on another crawl.</span> ' if published else ""
    key += "Small figures: 95% intervals. " if spread else ""
    title = clean(found.get("title") or "")
    caption = title if title.lower().startswith("table") else f"Table {number}. {title}"
    first = next(
        (i for i in range(1, len(columns)) if any(len(r) > i and is_number(r[i]) for r in rows)), 1
    )
    return table(
        caption,
        [str(c) for c in columns],
        cells,
        kind="paper",
        numbers=first,
        note=key + (esc(found["note"], 1000) if found.get("note") else ""),
    )


def _published_rows(published: Any) -> list[list[Any]]:
    rows = published.get("rows") if isinstance(published, dict) else published
    return [list(r) for r in rows or () if isinstance(r, list | tuple)][:ROWS_SHOWN]


def _interval(rows: list[Any], row: int, column: int) -> str:
    """The 95 % interval of a cell, finished; '' where there is none."""
    cells = rows[row] if row < len(rows) else ()
    bounds = cells[column] if column < len(cells) else None
    return f'<small class="ci">{rate(bounds[0], 3)}–{rate(bounds[1], 3)}</small>' if bounds else ""


def _both(ours: Any, theirs: Any, place: int, spread: str = "") -> str:
    if place == 0:
        return f"<bdi>{esc(cell(ours))}</bdi>"
    below = (
        ""
        if theirs is None or (cell(theirs) == cell(ours) and not is_number(theirs))
        else f'<small class="pub">{esc(cell(theirs))}</small>'
    )
    return f"{esc(cell(ours))}{spread}{below}"
