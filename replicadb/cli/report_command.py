"""``replicadb report``: what a detection found, as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, Memory, Quiet, Threads

Out = Annotated[
    Path, typer.Argument(metavar="OUT.html", help="The page to write.", show_default=False)
]
Pairs = Annotated[
    int,
    typer.Option("--pairs", min=1, max=100_000, help="Pairs of the ranking in it, at most."),
]
Explained = Annotated[
    int,
    typer.Option(
        "--explained",
        min=0,
        max=10_000,
        help=(
            "Pairs that carry a full explanation, at most: those that decide what is dropped and"
            " the first, then those nearest to where flags end."
        ),
    ),
]


def report(
    db: DB,
    out: Out,
    pairs: Pairs = 10_000,
    explained: Explained = 2_000,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Write one self-contained page about what was found: replicas and why, groups, thresholds,
    what was loaded and left out.

    It needs no gold and no connection, and works by keyboard, in the dark and on a phone. The
    database is not changed.
    """
    messages.must_exist(db)
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        written = web.report(
            out, pairs=pairs, explained=explained, say=lambda line: messages.say(line, quiet)
        )
    messages.say(f"the page is {out}, {_size(written)}", quiet)


def _size(n: int) -> str:
    return f"{n / 1e6:,.1f} MB" if n >= 100_000 else f"{n / 1000:,.0f} kB"
