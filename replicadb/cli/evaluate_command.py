"""``replicadb evaluate``: methods of detection against known replicas, as tables, JSON or a page.

Invariant: standard output carries the tables or the JSON and nothing else; the database is
not changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.exit_codes import ExitCode
from replicadb.cli.options import DB, AsJson, Memory, Quiet, Threads

Gold = Annotated[
    Path,
    typer.Argument(
        metavar="GOLD",
        help=(
            "Known pairs: CSV or Parquet with host_a, host_b and, where known, label (replica, not,"
            " ...), cause, ambiguous. Without label every row is a replica. If any row is labelled"
            " not, only pairs of the file are compared. If none is, every other candidate counts as"
            " a non-replica, but for those that rows connect through another host."
        ),
        show_default=False,
    ),
]


def _list_methods(names: list[str] | None) -> list[str] | None:
    """``--methods list``: the names, on standard output, before anything else is needed."""
    if names and "list" in split(names):
        from replicadb.evaluation.methods.method_registry import catalogue

        rows = [("name", "group", "what it is"), *catalogue()]
        wide = [max(len(row[i]) for row in rows) for i in range(2)]
        messages.show(
            "\n".join(
                f"{name:{wide[0]}}  {group:{wide[1]}}  {title}" for name, group, title in rows
            )
        )
        raise typer.Exit(ExitCode.DONE)
    return names


Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--methods",
        metavar="NAME",
        is_eager=True,
        callback=_list_methods,
        help=(
            "Only these methods, by commas or several times; ours, published, baselines, singles,"
            " left-out and ceilings stand for several; --methods list shows all names. Default:"
            " all."
        ),
    ),
]


def split(texts: list[str]) -> list[str]:
    """What stands between commas."""
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


Report = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Write a self-contained HTML page with tables and figures, too.",
    ),
]
Brief = Annotated[
    bool,
    typer.Option(
        "--brief",
        help=(
            "The verdict in a few lines, and the ten worst errors as URLs to open. Without"
            " --methods only the method that detect ran."
        ),
    ),
]
Folds = Annotated[
    int | None,
    typer.Option(
        "--folds",
        min=1,
        max=100,
        help="Of cross-validation; 1 for none. Default: 5, and with --brief none.",
    ),
]
Positive = Annotated[
    str,
    typer.Option(
        "--positive",
        metavar="LABELS",
        help=(
            "Labels that count as replicas, by commas. Rows labelled neither so nor not are"
            " left out."
        ),
    ),
]
WithAmbiguous = Annotated[
    bool, typer.Option("--with-ambiguous", help="Keep rows whose column ambiguous is 1.")
]
AsPublished = Annotated[
    bool,
    typer.Option(
        "--as-published",
        help=(
            "The paper's candidates and settings, whatever detect was given, and what became of"
            " each of its headlines here."
        ),
    ),
]
CrawlOrder = Annotated[
    str | None,
    typer.Option(
        "--crawl-order",
        metavar="path|time",
        help=(
            "Also say what a crawler would have saved that drops a host after some of its URLs:"
            " shortest paths first, or by the times of captures."
        ),
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of folds and bootstrap resamples.")]


def evaluate(
    db: DB,
    gold: Gold,
    as_json: AsJson = False,
    brief: Brief = False,
    report: Report = None,
    methods: Methods = None,
    folds: Folds = None,
    positive: Positive = "replica",
    with_ambiguous: WithAmbiguous = False,
    as_published: AsPublished = False,
    crawl_order: CrawlOrder = None,
    seed: Seed = 0,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Compare methods of detection with known replicas: AUC, precision, recall, reduction, and the
    paper's tables.

    Every method is measured on the same candidate pairs, with intervals, and without what was
    decided by label and review. The database is not changed.
    """
    from replicadb.cli.evaluate_text import brief_of, text_of
    from replicadb.evaluation.evaluate import left_out_text

    names, wanted = split(methods) if methods else None, tuple(split([positive]))
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        if brief and names is None:
            names = [_method_of(web)]
        result = web.evaluate(
            gold,
            methods=names,
            folds=folds or (1 if brief else 5),
            seed=seed,
            positive=wanted,
            with_ambiguous=with_ambiguous,
            as_published=as_published,
            crawl_order=crawl_order,
            tables=as_json or not brief,
            report=lambda line: messages.say(line, quiet),
            page=report,
        )
    text = brief_of if brief else text_of
    messages.show(json.dumps(result, indent=1, allow_nan=False) if as_json else text(result))
    left_out = left_out_text(result["methods"])
    if left_out:
        messages.say(f"note: left out: {left_out}", quiet)
    if report:
        messages.say(f"the page is {report}", quiet)


def _method_of(web: replicadb.ReplicaDB) -> str:
    """The method of the last detection, as methods of an evaluation are called."""
    last = web.info()["detection"]
    return "paper" if last and last["settings"]["method"] != "robust" else "robust"
