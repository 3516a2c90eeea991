"""``replicadb copies-of`` and ``watch``: the copies of a host, and what is new about them."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, AsJson, Memory, Quiet, Threads

Host = Annotated[
    str, typer.Argument(metavar="HOST", help="A host, in any spelling.", show_default=False)
]
Hosts = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[HOST...]",
        help="Hosts, in any spelling. Default: those watched before.",
        show_default=False,
    ),
]
Top = Annotated[int, typer.Option("--top", min=1, help="So many copies of each kind at most.")]
All = Annotated[
    bool, typer.Option("--all", help="Every host that shares something, unlikely ones too.")
]
Look = Annotated[
    bool, typer.Option("--look", help="Only look: what is told now is told again next time.")
]


def copies_of(
    db: DB,
    host: Host,
    top: Top = 20,
    all: All = False,
    as_json: AsJson = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Tell the copies of a host: known and likely ones, partial ones, and kits in a folder of
    another site; each with its probability, why, and who was first, where that is known.
    """
    from replicadb.cli.copies_text import copies_text

    messages.must_exist(db)
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        messages.warn_stale(web, quiet)
        found = web.copies_of(host, unlikely=all)
    typer.echo(json.dumps(found, indent=1) if as_json else copies_text(found, top))


def watch(
    db: DB,
    hosts: Hosts = None,
    look: Look = False,
    as_json: AsJson = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Tell what is new about the copies of hosts since they were last told: new ones, those that
    became likelier or less so, and those that are none any more.
    """
    from replicadb.cli.copies_text import watch_text
    from replicadb.explanation import watch as find

    def show(found: list[dict[str, Any]]) -> None:
        typer.echo(json.dumps(found, indent=1) if as_json else watch_text(found))
        sys.stdout.flush()

    messages.must_exist(db)
    with replicadb.open(db, read_only=look, memory_limit=memory_limit, threads=threads) as web:
        messages.warn_stale(web, quiet)
        find(web.database, hosts or (), remember=not look, report=show)
