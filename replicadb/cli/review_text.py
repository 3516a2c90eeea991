"""What ``replicadb review`` shows of a pair: the verdict, the strongest grounds, and pages side by
side.

Invariant: what a crawl wrote is shown with control characters made visible, and no line is wider
than the terminal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicadb.cli.explain_text import PICTURES, named_identifier
from replicadb.counted import counted
from replicadb.explanation.words import languages
from replicadb.visible_text import visible

GROUNDS = 4
"""Pieces of evidence that are shown: for, against, not known."""
OWNERS = 3
"""Accounts, addresses and wallets that are shown."""
KEYS = "y replica · n no replica · s skip · u undo · q quit"


def text_of(found: dict[str, Any], width: int) -> str:
    """The pair as text.

    Args:
        width: of the terminal, in characters.
    """
    said = languages(found.get("languages", ()))
    lines = [
        found["verdict"] + ".",
        *_grounds(found),
        *([said] if said else []),
        *_owners(found),
        *_pages(found, width),
    ]
    return "\n".join(
        _cut(visible(line), width) if i else visible(line) for i, line in enumerate(lines)
    )


def _grounds(found: dict[str, Any]) -> Iterator[str]:
    weighed = [row for row in found["evidence"] if row["contribution"]]
    known = [row for row in weighed if row["value"] is not None]
    for rows in (
        [row for row in known if row["contribution"] > 0],
        [row for row in known if row["contribution"] < 0],
        [row for row in weighed if row["value"] is None],
    ):
        yield from (f"  {row['contribution']:+6.2f}  {row['words']}" for row in rows[:GROUNDS])
    if not weighed:
        yield from (f"          {row['words']}" for row in found["evidence"][:GROUNDS])


def _owners(found: dict[str, Any]) -> Iterator[str]:
    """What both say of who runs them, the rarest first."""
    said = [row for row in found["identifiers"] if row["kind"] not in PICTURES]
    if said:
        named = (f"{named_identifier(row)} ({row['hosts']:,} hosts)" for row in said[:OWNERS])
        yield f"both say: {', '.join(named)}"


def _pages(found: dict[str, Any], width: int) -> Iterator[str]:
    shared, differing = found["pages"]["shared"], found["pages"]["differing"]
    files = shared.get("files", 0)
    yield f"same content: {counted(shared['n'], 'pair')} of pages" + (
        f", {files:,} of files" if files else ""
    )
    for row in shared["first"]:
        yield side_by_side(row["url_a"], row["url_b"], "=", width)
    yield f"same path, other content: {differing['n']:,}"
    for row in differing["first"]:
        yield side_by_side(row["url_a"], row["url_b"], "≠", width)
        if row["title_a"] or row["title_b"]:
            yield side_by_side(row["title_a"] or "", row["title_b"] or "", " ", width)


def side_by_side(one: str, other: str, between: str, width: int) -> str:
    """Two texts in two columns of one line."""
    half = max((width - 7) // 2, 8)
    return f"  {_cut(visible(one), half):<{half}} {between} {_cut(visible(other), half)}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 1)] + "…"
