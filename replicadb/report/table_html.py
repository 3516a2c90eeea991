"""What all tables of the page are made of, and small tables of facts.

Invariant: every function returns finished HTML in which each foreign text is escaped; every
table has a caption, header cells with a scope, and scrolls by itself where the window is narrow;
None shows as a dash.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replicadb.report.safe_text import NOTHING, count, esc, is_number, percent


def table(
    caption: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    kind: str = "",
    numbers: int = 1,
    note: str = "",
) -> str:
    """A table of finished cells.

    Args:
        caption: plain text. head: plain texts. rows: finished HTML; the first cell of a row is its
            header.
        kind: classes. numbers: the first column of numbers (aligned to the right). note: finished
            HTML below.
    """
    top = "".join(
        f'<th scope="col"{_right(i >= numbers)}>{esc(h)}</th>' for i, h in enumerate(head)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{c}</th>' if i == 0 else f"<td{_right(i >= numbers)}>{c}</td>"
            for i, c in enumerate(row)
        )
        + "</tr>\n"
        for row in rows
    )
    below = f'<p class="note">{note}</p>' if note else ""
    return (
        '<div class="block"><div class="scroll" tabindex="0" role="region"'
        f' aria-label="{esc(caption)}">'
        f'<table class="{kind}"><caption>{esc(caption)}</caption>'
        f"<thead><tr>{top}</tr></thead>\n<tbody>\n{body}</tbody></table></div>{below}</div>\n"
    )


def _right(yes: bool) -> str:
    return ' class="n"' if yes else ""


def details(summary: str, inner: str) -> str:
    """Numbers that open on demand (and are printed)."""
    return f"<details><summary>{esc(summary)}</summary>\n{inner}</details>\n" if inner else ""


def facts(caption: str, rows: Sequence[tuple[str, str, str]]) -> str:
    """Quantity, here, published: plain texts."""
    return table(
        caption,
        ["", "this crawl", "published"],
        [
            [esc(name), esc(ours), f'<span class="pub">{esc(theirs)}</span>']
            for name, ours, theirs in rows
        ],
        kind="facts",
    )


def pairs(rows: Sequence[tuple[str, str]]) -> str:
    """Name and value, as a description list of plain texts."""
    return (
        '<dl class="facts">'
        + "".join(f"<div><dt>{esc(k)}</dt><dd><bdi>{esc(v)}</bdi></dd></div>" for k, v in rows)
        + "</dl>\n"
    )


def share(part: Any, whole: Any) -> str:
    """A count with its share of another."""
    if not is_number(part):
        return NOTHING
    return f"{count(part)} ({percent(part / whole)})" if is_number(whole) and whole else count(part)


def get(value: Any, *path: str) -> Any:
    """What lies at a path of keys in nested dicts; None where any of them is missing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value
