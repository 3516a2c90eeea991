"""What ``replicadb pages train`` prints: how good the classifiers are, the paper's tables where
asked for, and the rules.

Invariant: numbers stand as in the JSON, in percent; published figures stand beside one's own
and are named so.
"""

from __future__ import annotations

from typing import Any

HEAD = ("", "P", "R", "F", "P", "R", "F", "mean F", "published")


def text_of(result: dict[str, Any]) -> str:
    """The whole text of a result of :func:`replicadb.page_pairs.page_training.train`."""
    parts = [
        _headline(result),
        _grid(
            "This set of signals",
            [
                ("", "RIPPER", "", "", "tree", "", "", "", ""),
                HEAD[:8],
                [result["groups"], *_cells(result)],
            ],
        ),
    ]
    for key, title in (
        ("table_2", "Table 2: single signals, on the pairs that have them"),
        ("table_3", "Table 3: groups of signals"),
    ):
        if result.get(key):
            parts.append(
                _grid(
                    title,
                    [HEAD, *([row["name"], *_cells(row), _published(row)] for row in result[key])],
                )
            )
    if result.get("table_4"):
        parts.append(
            _grid(
                "Table 4: with the snippets of fetched bodies (FS)",
                [
                    ("", "F", "F with FS", "published", "with FS"),
                    *(
                        [
                            row["name"],
                            _percent(row["f"]),
                            _percent(row["f_with_fs"]),
                            *(f"{v:.1f}" if v is not None else "-" for v in row["published"]),
                        ]
                        for row in result["table_4"]
                    ),
                ],
            )
        )
    if result.get("table_5"):
        parts.append(
            _grid(
                "Table 5: trained here, tested on other pairs",
                [
                    (*HEAD[:8], "both"),
                    *(
                        [row["test"], *_cells(row), _percent(row["both"]["f"])]
                        for row in result["table_5"]
                    ),
                ],
            )
        )
    if result.get("figure_3"):
        parts.append(
            _grid(
                "Figure 3: signals added by rising cost",
                [
                    ("", "mean F", "quartiles"),
                    *(
                        [
                            "+ " + ", ".join(row["added"]),
                            _percent(row["f"]),
                            f"{_percent(row['low'])} to {_percent(row['high'])}",
                        ]
                        for row in result["figure_3"]
                    ),
                ],
            )
        )
    parts.append(
        "Rules and tree, learned from all pairs (duplicates/others):\n\n" + result["rules"]
    )
    return "\n\n".join(parts)


def _headline(result: dict[str, Any]) -> str:
    how = (
        "pairs that share a page stay together"
        if result["split"] == "pages"
        else "pairs split at random"
    )
    return (
        f"{result['pairs']:,} pairs, {result['duplicates']:,} duplicates; {result['folds']}-fold"
        f" cross-validation, {result['seeds']} seeds, {how}; compression {result['engine']}"
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


def _grid(title: str, rows: list[Any]) -> str:
    """Rows of texts, the first column to the left, the others to the right."""
    wide = [max(len(row[i]) for row in rows if i < len(row)) for i in range(max(map(len, rows)))]
    lines = [
        "  ".join(
            cell.ljust(wide[i]) if i == 0 else cell.rjust(wide[i]) for i, cell in enumerate(row)
        ).rstrip()
        for row in rows
    ]
    return "\n".join([title, *lines])
