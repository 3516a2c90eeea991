"""``replicadb explain``: why two hosts are replicas, or are none."""

from __future__ import annotations

import json
from typing import Annotated

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, AsJson, Memory, Threads

HostA = Annotated[
    str, typer.Argument(metavar="HOST_A", help="A host, in any spelling.", show_default=False)
]
HostB = Annotated[str, typer.Argument(metavar="HOST_B", help="Another.", show_default=False)]
Pages = Annotated[
    int,
    typer.Option(
        "--pages", min=0, help="Pages that they share, and pages that differ: so many each."
    ),
]


def explain(
    db: DB,
    host_a: HostA,
    host_b: HostB,
    as_json: AsJson = False,
    pages: Pages = 5,
    memory_limit: Memory = None,
    threads: Threads = None,
) -> None:
    """Say why two hosts are replicas or are none: what speaks for it and against, which pages they
    share, which of the two stays.

    All of it is from the last detection, for candidates and for any other two hosts.
    """
    from replicadb.cli.explain_text import text_of

    messages.must_exist(db)
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        found = web.explain(host_a, host_b, pages=pages)
    typer.echo(json.dumps(found, indent=1, allow_nan=False) if as_json else text_of(found, str(db)))
