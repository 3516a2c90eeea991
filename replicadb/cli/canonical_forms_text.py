"""What ``replicadb rewrite compare`` prints: learned rules and other ways to one form for each URL,
side by side.
"""

from __future__ import annotations

from typing import Any

from replicadb.cli.grid import aligned

HEADINGS = (
    "method",
    "rules",
    "rewritten",
    "removed",
    "share",
    "planted",
    "wrong",
    "error",
    "hosts joined",
    "wrongly",
    "URLs/s",
)


def text_of(result: dict[str, Any]) -> str:
    """The comparison as a table to read."""
    head = f"{result['urls']:,} URLs, {result['duplicates']:,} duplicates within hosts" + (
        f", {result['planted']:,} planted" if result["planted"] is not None else ""
    )
    rows = [HEADINGS, *map(_cells, result["methods"])]
    notes = [
        (
            "removed: duplicates that go rightly, and as a share of those that could go; planted:"
            " share of the planted ones that go;"
        ),
        (
            "wrong: URLs that go though the one of their host that is kept has other content, and"
            " as a share of all that go (error);"
        ),
        (
            "hosts joined: URLs that go for one of another host (www.NAME and NAME) with their"
            " content, wrongly: with other content; URLs/s: of the function alone."
        ),
    ]
    notes += [f"{row['method']}: {row['version']}" for row in result["methods"] if row["version"]]
    notes += [
        f"{name}: not installed, left out; pip install 'replicadb[compare]'"
        for name in result["missing"]
    ]
    return "\n".join([head, "", aligned(rows), "", *notes])


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    """A method's row of the table, by HEADINGS."""
    return (
        row["method"],
        _cell(row["rules"]),
        _cell(row["rewritten"]),
        _cell(row["removed"]),
        _percent(row["share"]),
        _percent(row["planted_share"]),
        _cell(row["wrong"]),
        _percent(row["error"], 2),
        _cell(row["joined"]),
        _cell(row["wrongly_joined"]),
        _cell(row["urls_per_second"]),
    )


def _cell(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _percent(value: float | None, digits: int = 1) -> str:
    return "" if value is None else f"{100 * value:.{digits}f} %"
