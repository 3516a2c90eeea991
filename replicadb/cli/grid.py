"""Tables of texts in a terminal: columns under each other where they fit, else row by row.

Invariant: nothing is cut off; where standard output is no terminal, every table is wide.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from replicadb.export.writers import terminal_width

Row = list[str]


def grid(
    head: Row, rows: list[Row], left: tuple[int, ...] = (0,), kept: Collection[int] = ()
) -> str:
    """Columns under each other, those of ``left`` to the left, the others to the right; columns
    without an entry are left out, unless they name the one after them (``kept``). Row by row on a
    terminal that is too narrow.
    """
    kept = [i for i in range(len(head)) if i == 0 or i in kept or any(row[i] for row in rows)]
    widths = {i: max(len(row[i]) for row in [head, *rows]) for i in kept}
    rule = [
        "-" * len(head[i]) if i in left and i else "-" * widths.get(i, 0) for i in range(len(head))
    ]
    lines = [
        "  ".join(
            line[i].ljust(widths[i]) if i in left else line[i].rjust(widths[i]) for i in kept
        ).rstrip()
        for line in [head, rule, *rows]
    ]
    if _fit(lines):
        return "\n".join(lines)
    return _row_by_row([head[i] for i in kept], [[row[i] for i in kept] for row in rows])


def aligned(table: Sequence[Sequence[str]]) -> str:
    """Rows under their header, the first column to the left, the others to the right; row by row on
    a terminal that is too narrow.
    """
    wide = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(w) if i == 0 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in table
    ]
    return "\n".join(lines) if _fit(lines) else _row_by_row(table[0], table[1:])


def figure(value: float | None) -> str:
    """A share or score to three digits; '' where there is none."""
    return "" if value is None else f"{value:.3f}"


def _fit(lines: list[str]) -> bool:
    return max(map(len, lines), default=0) <= terminal_width()


def _row_by_row(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A line a cell that is not empty, under its name; an empty line between rows."""
    longest = max(map(len, head))
    return "\n\n".join(
        "\n".join(
            f"{name.ljust(longest)}  {cell}" for name, cell in zip(head, row, strict=True) if cell
        )
        for row in rows
    )
