"""``replicadb pages render``: what pages look like in a browser, replayed from their archive.

Invariant: standard output has nothing; what was done is reported on standard error.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, Memory, Quiet, Threads
from replicadb.counted import counted
from replicadb.under_way import under_way

REASONS = 5  # shown of what was rejected


Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="WARC...",
        help="WARC, ARC or WACZ files, patterns or folders: the pages, and what they load.",
        show_default=False,
    ),
]
Browser = Annotated[
    str | None,
    typer.Option(
        "--browser",
        metavar="PATH",
        help=(
            "A Chromium or Chrome. Default: $REPLICADB_CHROMIUM, one in PATH, or playwright's own."
        ),
    ),
]
Only = Annotated[
    Path | None,
    typer.Option(
        "--only", metavar="URLS.csv", help="Render the pages in this file's column url alone."
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit", metavar="N", help="Render at most so many pages; the next run goes on."
    ),
]
Timeout = Annotated[
    float,
    typer.Option(
        "--timeout",
        metavar="S",
        help="Seconds after which a page that does not come to rest is taken as it stands.",
    ),
]
Delay = Annotated[
    float,
    typer.Option(
        "--delay",
        metavar="S",
        help=(
            "Seconds of its own time that each document has for scripts and redirects; a"
            " refresh that comes later is not followed. They pass as fast as the browser can."
        ),
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        help="Browsers at the same time. Default: one a core, at most 8.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Render again what was rendered before.")]


def page_render(
    db: DB,
    sources: Sources,
    browser: Browser = None,
    only: Only = None,
    limit: Limit = None,
    timeout: Timeout = 20.0,
    delay: Delay = 5.0,
    workers: Workers = None,
    force: Force = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Replay archived pages in a headless Chromium, nothing from the network, and keep what it
    shows beside what was fetched.

    Pages of the database that were loaded with --content and are in the archive. Redirects by
    refresh and script are followed, frames grafted in where they stand, pictures left out. A run
    that was stopped goes on where it was.
    """
    messages.must_exist(db)
    with (
        replicadb.open(db, memory_limit=memory_limit, threads=threads) as web,
        under_way("", unit="pages rendered") as work,
    ):
        result = web.render_pages(
            *sources,
            progress=lambda done, due: work.reached(done, due),
            browser=browser,
            only=str(only) if only else None,
            limit=limit,
            timeout=timeout,
            delay=delay,
            workers=workers,
            force=force,
        )
    if result.problems:
        messages.say(f"note: {result.problems:,} records of the archive could not be read", quiet)
    if only and not (result.rendered or result.rejected or result.rendered_before):
        messages.say(
            f"note: no URL of {only} is a page of the archive that the database has with content",
            quiet,
        )
    if result.not_loaded:
        messages.say(
            f"note: {result.not_loaded:,} of the archive's {result.archived:,} pages are not in the"
            " database with content",
            quiet,
        )
    if result.rendered_before and not force:
        messages.say(
            f"{counted(result.rendered_before, 'page')} rendered before (--force renders again)",
            quiet,
        )
    for reason, n in sorted(result.reasons.items(), key=lambda item: (-item[1], item[0]))[:REASONS]:
        messages.say(f"note: {counted(n, 'page')}: {reason}", quiet)
    messages.say(result.line(), quiet)
