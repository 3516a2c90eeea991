"""What ``replicadb pages train`` prints: how good the classifiers are, the paper's tables where
wanted, and the rules.

Invariant: numbers stand as in the JSON, in percent; published figures stand beside one's own
and are named so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replicadb.cli.grid import aligned
from replicadb.counted import counted

Rows = list[Any]
HEAD = ("", "RIPPER: P", "R", "F", "tree: P", "R", "F", "mean F", "published")


def text_of(result: dict[str, Any]) -> str:
    """The whole text of a result of :func:`replicadb.page_pairs.page_training.train`."""
    row = [result["groups"], *_cells(result)]
    return "\n\n".join(
        [
            _headline(result),
            "This set of signals\n" + aligned([HEAD[:8], row]),
            *(
                f"{title}\n{aligned(rows(result[key]))}"
                for key, title, rows in TABLES
                if result.get(key)
            ),
            "Rules and tree, learned from all pairs (duplicates/others):\n\n" + result["rules"],
        ]
    )


def _with_published(table: Rows) -> Rows:
    return [HEAD, *([row["name"], *_cells(row), _published(row)] for row in table)]


def _with_snippets(table: Rows) -> Rows:
    return [
        ("", "F", "F with FS", "published", "with FS"),
        *(
            [
                row["name"],
                _percent(row["f"]),
                _percent(row["f_with_fs"]),
                *(f"{v:.1f}" if v is not None else "-" for v in row["published"]),
            ]
            for row in table
        ),
    ]


def _on_other_pairs(table: Rows) -> Rows:
    return [
        (*HEAD[:8], "both"),
        *([row["test"], *_cells(row), _percent(row["both"]["f"])] for row in table),
    ]


def _by_rising_cost(table: Rows) -> Rows:
    return [
        ("", "mean F", "quartiles"),
        *(
            [
                "+ " + ", ".join(row["added"]),
                _percent(row["f"]),
                f"{_percent(row['low'])} to {_percent(row['high'])}",
            ]
            for row in table
        ),
    ]


TABLES: tuple[tuple[str, str, Callable[[Rows], Rows]], ...] = (
    ("table_2", "Table 2: single signals, on the pairs that have them", _with_published),
    ("table_3", "Table 3: groups of signals", _with_published),
    ("table_4", "Table 4: with the snippets of fetched bodies (FS)", _with_snippets),
    ("table_5", "Table 5: trained here, tested on other pairs", _on_other_pairs),
    ("figure_3", "Figure 3: signals added by rising cost", _by_rising_cost),
)
"""Of a result: key, title, and what makes rows of texts of it."""


def _headline(result: dict[str, Any]) -> str:
    how = (
        "pairs that share a page stay together"
        if result["split"] == "pages"
        else "pairs split at random"
    )
    return (
        f"{result['pairs']:,} pairs, {result['duplicates']:,} duplicates; {result['folds']}-fold"
        f" cross-validation, {counted(result['seeds'], 'seed')}, {how};"
        f" compression {result['engine']}"
    )


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        _percent((row.get(name) or {}).get(key))
        for name in ("ripper", "tree")
        for key in ("precision", "recall", "f")
    ] + [_percent(row.get("f"))]


def _published(row: dict[str, Any]) -> str:
    return f"{row['published'][-1]:.1f}" if row.get("published") else "-"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"
