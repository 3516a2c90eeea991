"""``replicadb recheck``: dropped hosts due for another look."""

from __future__ import annotations

from typing import Annotated

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, Memory, Quiet, Threads
from replicadb.counted import counted
from replicadb.stage_constants import COPIES

Out = Annotated[
    str,
    typer.Argument(
        metavar="[OUT]",
        help=(
            "File; its ending picks csv, tsv, json, jsonl, parquet or sqlite; .gz behind that of a"
            " text packs it. - is csv."
        ),
    ),
]
Days = Annotated[
    int | None,
    typer.Option(
        "--days",
        min=0,
        help=(f"Due so many days after a host's newest capture. Default: {COPIES.recheck_days}."),
    ),
]
Pages = Annotated[
    int | None,
    typer.Option(
        "--pages",
        min=0,
        help=f"URLs to fetch first of each host. Default: {COPIES.recheck_pages}.",
    ),
]
At = Annotated[
    str | None,
    typer.Option("--at", metavar="TIME", help="Count days to there (UTC). Default: now."),
]


def recheck(
    db: DB,
    out: Out = "-",
    days: Days = None,
    pages: Pages = None,
    at: At = None,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """List the dropped hosts that are due for another look, with the URLs to fetch first: a host
    that is not crawled any more may have changed, and nobody sees it.

    Fetch the URLs, load what came back, and detect again.
    """
    from replicadb.export import writers
    from replicadb.export.file_formats import format_of
    from replicadb.store.own_sources import refuse_source

    messages.must_exist(db)
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        messages.warn_stale(web, quiet)
        chosen = format_of(out)
        refuse_source(web.database, out)
        frame = web.recheck(days=days, pages=pages, at=at)
        dropped = web.database.value("SELECT count(*) FROM members WHERE host_id <> canonical_id")
    writers.write(frame.to_arrow().to_reader(), out, chosen)
    hosts, urls = frame["host"].n_unique(), frame["url"].drop_nulls().len()
    messages.say(
        f"{hosts:,} of {counted(dropped, 'dropped host')} {'is' if hosts == 1 else 'are'} due, in"
        f" {counted(frame['group_id'].n_unique(), 'group')}; {counted(urls, 'URL')} to fetch first",
        quiet,
    )
