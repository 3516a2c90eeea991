"""What ``replicadb review`` shows of a pair: the verdict, the strongest grounds, and pages side by
side, or one under the other where the terminal is too narrow for both.

Invariant: what a crawl wrote is shown with control characters made visible, and no line is wider
than the terminal. What is longer goes on in the next line, MOST_LINES of a text at most.
"""

from __future__ import annotations

import textwrap
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
MOST_LINES = 5
"""Of one text, such as a URL; the last of a longer one ends with an ellipsis."""
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
    return "\n".join(part for line in lines for part in _wrapped(visible(line), width))


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
        yield from both(row["url_a"], row["url_b"], "=", width)
    yield f"same path, other content: {differing['n']:,}"
    for row in differing["first"]:
        yield from both(row["url_a"], row["url_b"], "≠", width)
        if row["title_a"] or row["title_b"]:
            titles = (row["title_a"] or "(no title)", row["title_b"] or "(no title)")
            yield from both(*titles, " ", width)


def both(one: str, other: str, between: str, width: int) -> list[str]:
    """Two texts in two columns of one line, or one under the other where they are too long."""
    one, other = visible(one), visible(other)
    half = max((width - 7) // 2, 8)
    if max(len(one), len(other)) <= half:
        return [f"  {one:<{half}} {between} {other}"]
    return [f"  {one}", f"{between} {other}"]


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of that width at most, broken at blanks where there are any; those that follow stand
    further in.
    """
    lines = textwrap.wrap(
        text, max(width, 8), subsequent_indent="    ", break_on_hyphens=False
    ) or [""]
    if len(lines) > MOST_LINES:
        lines = lines[:MOST_LINES]
        lines[-1] = lines[-1][: max(width, 8) - 1] + "…"
    return lines
