"""``replicadb pages evaluate``: every page method, every signal and their combination against pairs
of pages that are known.

Invariant: the table or the JSON goes to standard output and nothing else does; the database
is not changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, Memory, Quiet, Threads
from replicadb.cli.page_evaluation_text import text_of

Gold = Annotated[
    Path,
    typer.Argument(
        metavar="GOLD",
        help=(
            "CSV with url_a, url_b and label (duplicate or not); where it has content_label,"
            " the page methods are judged by that, query for snippets."
        ),
        show_default=False,
    ),
]
LabelColumn = Annotated[
    str, typer.Option("--label-column", metavar="NAME", help="Column of labels for signals.")
]
ContentColumn = Annotated[
    str,
    typer.Option(
        "--content-column",
        metavar="NAME",
        help=(
            "Column of labels for the page methods: the same main text, whatever stands around"
            " it. Where the file has no content_label, the other."
        ),
    ),
]
Folds = Annotated[
    int,
    typer.Option("--folds", min=2, max=100, help="Of the cross-validation of combined signals."),
]
Seeds = Annotated[
    int, typer.Option("--seeds", min=1, max=99, help="Its repetitions; the median counts.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="The first of the seeds.")]
Work = Annotated[
    bool,
    typer.Option(
        "--work/--no-work",
        help="Also run each method over all pages of the database, for time and candidates.",
    ),
]
AsPublished = Annotated[
    bool,
    typer.Option(
        "--as-published",
        help=(
            "Also measure as the three papers on pages do, and say what became of their"
            " conclusions here."
        ),
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Everything, curves included, as one JSON object.")
]
Report = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help=(
            "Write a self-contained HTML page with the tables and the precision/recall curves, too."
        ),
    ),
]


def evaluate(
    db: DB,
    gold: Gold,
    label_column: LabelColumn = "label",
    content_column: ContentColumn = "content_label",
    folds: Folds = 10,
    seeds: Seeds = 9,
    seed: Seed = 0,
    work: Work = True,
    as_published: AsPublished = False,
    as_json: AsJson = False,
    report: Report = None,
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
            as_published=as_published,
            page=report,
            say=lambda line: messages.say(line, quiet),
        )
    messages.show(json.dumps(found, indent=2) if as_json else text_of(found))
