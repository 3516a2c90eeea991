"""``replicadb pages signals``, ``train`` and ``classify``: pairs of pages by many signals.

Invariant: standard output carries the rows, the rules or the JSON and nothing else; the
database is not changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, Memory, Quiet, Threads
from replicadb.counted import counted
from replicadb.errors import UsageError
from replicadb.store.own_sources import refuse_source

if TYPE_CHECKING:
    from replicadb.page_pairs.pair_list import Pairs

PAIRS = Annotated[
    Path,
    typer.Argument(
        metavar="PAIRS",
        help="CSV with url_a and url_b; query, label and cause are used where they are there.",
        show_default=False,
    ),
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help=(
            "Of the compression distances: zlib, or isal (faster; pip install isal). Default: zlib."
        ),
    ),
]
Level = Annotated[
    int | None,
    typer.Option("--level", help="Of compression: zlib 1 to 9, isal 0 to 3. Default: 6, and 2."),
]
QueryColumn = Annotated[
    str,
    typer.Option(
        "--query-column",
        metavar="NAME",
        help=(
            "Column of the query that found both pages; with it, the text around its words is"
            " compared too."
        ),
    ),
]
LabelColumn = Annotated[
    str,
    typer.Option(
        "--label-column",
        metavar="NAME",
        help="Column of labels: duplicate or not (1 or 0); rows with others are left out.",
    ),
]
Model = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="FILE",
        help=(
            "The classifier, a JSON file. Default: beside the database, web.duckdb has"
            " web.pages.json."
        ),
        show_default=False,
    ),
]


def signals(
    db: DB,
    pairs: PAIRS,
    engine: EngineName = None,
    level: Level = None,
    query_column: QueryColumn = "query",
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Every signal of pairs of URLs, as CSV: distances of what was fetched and, where rendered, of
    what a browser shows.

    Those that begin with same: 0 or 1; simhash in bits, 0 to 64; all others are distances, 0
    (equal) to 1. Empty: not known.
    """
    from replicadb.export import writers

    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        table, found = web.page_signals(
            pairs, engine=engine or "zlib", level=level, query=query_column
        )
        _tell_unknown(found, quiet)
        writers.write(table.to_reader(), "-", "csv")


Labelled = Annotated[
    Path | None,
    typer.Argument(
        metavar="[LABELLED]",
        help=(
            "CSV with url_a, url_b and label (duplicate or not); query where known. Without it"
            " exact and obvious pairs teach."
        ),
        show_default=False,
    ),
]
Groups = Annotated[
    str,
    typer.Option(
        "--groups",
        metavar="NAMES",
        help=(
            "Groups of signals, by commas: F fetched, R rendered, FS and RS snippets of both, X"
            " headings, blocks and their order, U the two URLs (ours); or single signals by name."
            " auto: F,R,RS,X, with FS for RS where nothing is rendered; without labels F,R,X."
        ),
    ),
]
Test = Annotated[
    list[Path] | None,
    typer.Option(
        "--test",
        metavar="OTHER",
        help=(
            "Judge the pairs of this labelled file with what was learned, too (the paper's"
            " Table 5): of pages of this database, so load both crawls into it. May be given"
            " several times."
        ),
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help=(
            "Write a self-contained HTML page with the paper's Tables 2 to 5 and Figures 1 to"
            " 3, too."
        ),
    ),
]
Tables = Annotated[
    bool,
    typer.Option(
        "--tables",
        help=(
            "The numbers of those tables and figures without the page; takes about ten times as"
            " long."
        ),
    ),
]
Seeds = Annotated[
    int,
    typer.Option(
        "--seeds", min=1, max=99, help="Repetitions of cross-validation; the median counts."
    ),
]
Folds = Annotated[int, typer.Option("--folds", min=2, max=100, help="Of cross-validation.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="The first of the seeds.")]
Split = Annotated[
    str,
    typer.Option(
        "--split",
        help=(
            "pages: pairs that share a page stay in one fold; random: as the paper did, but"
            " rows of one pair stay together; auto:"
            " pages, unless most pairs hang together."
        ),
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="The result as one JSON object.")]


def train(
    db: DB,
    labelled: Labelled = None,
    groups: Groups = "auto",
    model: Model = None,
    test: Test = None,
    report: Report = None,
    tables: Tables = False,
    seeds: Seeds = 9,
    folds: Folds = 10,
    seed: Seed = 0,
    split: Split = "auto",
    engine: EngineName = None,
    level: Level = None,
    query_column: QueryColumn = "query",
    label_column: LabelColumn = "label",
    as_json: AsJson = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Learn which pairs of pages are duplicates: rules (RIPPER) and a decision tree,
    cross-validated; prints them and how good they are.
    """
    from replicadb.cli.pages_text import text_of
    from replicadb.page_pairs.pair_files import model_beside

    path = model or model_beside(db)
    _refuse_labels(path, labelled, *(test or []))
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        refuse_source(web.database, path)
        classifier, result = web.train_pages(
            labelled,
            engine=engine or "zlib",
            level=level,
            query=query_column,
            label=label_column,
            tests=test or [],
            page=report,
            tables=tables,
            say=lambda line: messages.say(line, quiet),
            groups=groups,
            folds=folds,
            seeds=seeds,
            seed=seed,
            split=split,
        )
    replaced = " (in place of the one that was there)" if Path(path).exists() else ""
    classifier.save(path)
    messages.show(json.dumps(result, indent=1, allow_nan=False) if as_json else text_of(result))
    if labelled is None:
        messages.say(
            "note: no labels; cross-validated on the pairs that it was taught by, which are easier"
            " than yours: judge it with --test LABELLED",
            quiet,
        )
    advice = f"try next: replicadb pages classify {db} PAIRS{f' --model {path}' if model else ''}"
    messages.say(f"the classifier is {path}{replaced}; {advice}", quiet)
    if report:
        messages.say(f"the page is {report}", quiet)


def _refuse_labels(path: Path, *files: Path | None) -> None:
    """Raises UsageError where the classifier would be written over a file of labels."""
    if path.exists() and any(file and file.exists() and file.samefile(path) for file in files):
        raise UsageError(f"{path}: has the labels to learn from; name another file")


Judged = Annotated[
    Path | None,
    typer.Argument(
        metavar="[PAIRS]",
        help=(
            "CSV with url_a and url_b; query, label and cause are used where they are there. Not"
            " needed with --rules."
        ),
        show_default=False,
    ),
]
Rules = Annotated[
    bool, typer.Option("--rules", help="Print the classifier's rules and tree instead.")
]


def classify(
    db: DB,
    pairs: Judged = None,
    model: Model = None,
    engine: EngineName = None,
    level: Level = None,
    query_column: QueryColumn = "query",
    rules: Rules = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Judge pairs of URLs by a classifier that pages train made, as CSV: judgement, probability,
    and what rules and tree say.

    rule: number of the first rule that holds, 0 for none. Where no pair has what the classifier
    asks for, as where it was trained on rendered pages and none is rendered here, it refuses.
    Empty: one of the pages is not in the database, or without its content.
    """
    from replicadb.export import writers
    from replicadb.page_pairs import page_classifier as classifiers
    from replicadb.page_pairs.pair_files import model_beside

    path = model or model_beside(db)
    if rules:
        messages.show(classifiers.load(path).text())
        return
    if pairs is None:
        raise UsageError("pages classify takes a CSV of pairs; what was learned: --rules")
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        table, found = web.classify_pages(
            pairs, path, engine=engine, level=level, query=query_column
        )
        _tell_unknown(found, quiet)
        _tell_lacking(found, quiet)
        writers.write(table.to_reader(), "-", "csv")


def _tell_unknown(pairs: Pairs, quiet: bool) -> None:
    unknown: Any = pairs.unknown
    if unknown:
        messages.say(
            f"note: {unknown:,} {'URL' if unknown == 1 else 'URLs'} of the pairs "
            f"{'is' if unknown == 1 else 'are'} not in the database; their fields are empty",
            quiet,
        )


def _tell_lacking(pairs: Pairs, quiet: bool) -> None:
    from replicadb.page_pairs.pair_files import LACKING_SIGNALS

    for kind, n in pairs.lacking.items():
        messages.say(
            f"note: {n:,} of {counted(len(pairs), 'pair')} {'has' if n == 1 else 'have'} no signals"
            f" of {kind}, which the classifier asks for; {LACKING_SIGNALS[kind][1]}",
            quiet,
        )
