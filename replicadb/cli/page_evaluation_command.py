"""``replicadb pages evaluate``: every page method, every signal and their combination against pairs
of pages that are known.

Always true here: the table or the JSON goes to standard output and nothing else does; the database
is not changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, Memory, Quiet, Threads

HEADER = (
    "",
    "judged by",
    "precision",
    "recall",
    "F",
    "95 % of F",
    "best F",
    "break-even",
    "avg. prec.",
)


def evaluate(
    db: DB,
    gold: Annotated[
        Path,
        typer.Argument(
            metavar="GOLD",
            help=(
                "CSV with url_a, url_b and label (duplicate or not); where it has content_label,"
                " the page methods are judged by that, query for snippets."
            ),
            show_default=False,
        ),
    ],
    label_column: Annotated[
        str, typer.Option("--label-column", metavar="NAME", help="Column of labels for signals.")
    ] = "label",
    content_column: Annotated[
        str,
        typer.Option(
            "--content-column",
            metavar="NAME",
            help=(
                "Column of labels for the page methods: the same main text, whatever stands around"
                " it. Where the file has none, the other."
            ),
        ),
    ] = "content_label",
    folds: Annotated[
        int,
        typer.Option(
            "--folds", min=2, max=100, help="Of the cross-validation of combined signals."
        ),
    ] = 10,
    seeds: Annotated[
        int, typer.Option("--seeds", min=1, max=99, help="Its repetitions; the median counts.")
    ] = 9,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The first of the seeds.")] = 0,
    work: Annotated[
        bool,
        typer.Option(
            "--work/--no-work",
            help="Also run each method over all pages of the database, for time and candidates.",
        ),
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Everything, curves included, as one JSON object.")
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help=(
                "Write a self-contained HTML page with the tables and the precision/recall curves,"
                " too."
            ),
        ),
    ] = None,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Precision, recall and F of every page method, signal and combination on pairs that you know,
    with break-even points and curves.

    A signal is shown at its best threshold on these very pairs, a method at its own and at its
    best; combined signals out of fold.
    """
    messages.must_exist(db)
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        found = web.evaluate_pages(
            gold,
            label=label_column,
            content_label=content_column,
            folds=folds,
            seeds=seeds,
            seed=seed,
            all_pairs=work,
            page=report,
            say=lambda line: messages.say(line, quiet),
        )
    typer.echo(json.dumps(found, indent=2) if as_json else text_of(found))


def text_of(found: dict[str, Any]) -> str:
    """The result as tables."""
    rows = [HEADER, *(_cells(row) for row in found["rows"])]
    lines = [
        f"{found['pairs']:,} pairs, {found['duplicates']:,} duplicates"
        + (
            f", {found['content_duplicates']:,} of one content"
            if found["content_duplicates"] is not None
            else ""
        )
        + (
            f"; {found['unknown_urls']:,} URLs are not in the database"
            if found["unknown_urls"]
            else ""
        ),
        "",
    ]
    lines += table(rows)
    if found["unknown_signals"]:
        lines += ["", "known of no pair: " + ", ".join(found["unknown_signals"])]
    if work := found.get("work"):
        rows = [("all pages", "seconds", "pages", "candidates", "matches")]
        rows += [
            (
                w["name"],
                f"{w['seconds']:.1f}",
                f"{w.get('pages', 0):,}",
                f"{_candidates(w):,}",
                f"{w['pairs']:,}",
            )
            for w in work
        ]
        lines += ["", *table(rows)]
    return "\n".join(lines)


def _candidates(work: dict[str, Any]) -> int:
    """Pairs that a method's filters, bands or index left to be looked at."""
    return next(
        (
            work[name]
            for name in ("positional_pairs", "prefix_pairs", "candidates", "pairs")
            if name in work
        ),
        0,
    )


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    decided = row.get("at_bar") or row.get("best") or {}
    if row["kind"] == "combined":
        both = [row[name] for name in ("ripper", "tree") if name in row]
        mean = {key: sum(one[key] for one in both) / len(both) for key in ("precision", "recall")}
        return (
            f"signals {row['name']}",
            row["gold"],
            f"{mean['precision']:.3f}",
            f"{mean['recall']:.3f}",
            f"{row['f']:.3f}",
            "",
            "",
            "",
            "",
        )
    interval = decided.get("f_interval")
    return (
        row["name"],
        row["gold"],
        *(_number(decided.get(key)) for key in ("precision", "recall", "f")),
        f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else "",
        _number((row.get("best") or {}).get("f")),
        _number(row.get("break_even")),
        _number(row.get("average_precision")),
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def table(rows: list[tuple[str, ...]]) -> list[str]:
    """Rows under their header, the first column to the left, the others to the right."""
    wide = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(w) if i == 0 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in rows
    ]
