"""The section on the paper's headlines: published, here, and what became of each.

Invariant: it stands on the page only where it was asked for (``evaluate --as-published``). Source:
``replicadb.evaluation.headlines``.
"""

from __future__ import annotations

from typing import Any

from replicadb.report import table_html
from replicadb.report.safe_text import esc, is_number


def headlines_section(lines: Any) -> str:
    """A headline a row; '' where there are none."""
    rows = [
        [
            esc(str(line.get("claim", ""))),
            esc(f"{line.get('figure')}: {line.get('first')}, {line.get('second')}"),
            _both(line.get("published")),
            _both(line.get("here")),
            esc(str(line.get("verdict", ""))),
        ]
        for line in lines or ()
        if isinstance(line, dict)
    ]
    if not rows:
        return ""
    head = ["headline", "figures of", "published", "here", "verdict"]
    return table_html.table("What became of the paper's headlines", head, rows, numbers=9)


def _both(figures: Any) -> str:
    """Two figures, a dash for what is not known."""
    found = figures if isinstance(figures, list | tuple) else ()
    return ", ".join(f"{value:.4f}" if is_number(value) else "–" for value in found)
