"""A few facts as a line, or as a small HTML table: what Python and a notebook show of a database or
a result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

PLURAL = re.compile(r"(?<![su])s\b")
"""The end of what is counted, as in ``hosts to drop`` and ``obvious replicas``."""


def short_table(title: str, rows: Iterable[tuple[str, object]], notes: Iterable[str] = ()) -> str:
    """A caption, a row for each fact, numbers with their thousands apart; notes below."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:right'>{escape(_text(value))}</td></tr>"
        for name, value in rows
    )
    below = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f"<table><caption>{escape(title)}</caption><tbody>{cells}</tbody></table>" + (
        f"<ul>{below}</ul>" if below else ""
    )


def in_a_line(rows: Iterable[tuple[str, int]]) -> str:
    """What is counted, by its plural, and how many there are: ``1 load, 2 candidate pairs``."""
    return ", ".join(f"{n:,} {PLURAL.sub('', name, 1) if n == 1 else name}" for name, n in rows)


def _text(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else str(value)
