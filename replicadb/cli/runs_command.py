"""``replicadb runs`` and ``diff``: detections that were given a name, side by side."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, AsJson, Memory, Quiet, Threads
from replicadb.cli.sql_command import Output, SqlFormat, show_or_write
from replicadb.counted import counted
from replicadb.detection.stage import stale

if TYPE_CHECKING:
    from replicadb.detection.run_diff import RunDiff

Forget = Annotated[
    str | None,
    typer.Option("--forget", metavar="NAME", help="Take that run out instead."),
]


def runs(
    db: DB,
    forget: Forget = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """List the detections that were given a name (detect --name), and the current one: when, with
    which settings, over which loads, and what they flagged.
    """
    from replicadb.detection import named_runs
    from replicadb.store.compacting import compact

    messages.must_exist(db)
    if forget is not None:
        with replicadb.open(db) as web:
            web.forget_run(forget)
        compact(db)
        messages.say(f"forgot {forget}", quiet)
        return
    with replicadb.open(db, read_only=True) as web:
        found = named_runs.listed(web.database)
        since = stale(web.database)
        messages.warn_stale(web, quiet)
    for run in found:
        run["settings"] = named_runs.changed_settings(run["settings"])
    if as_json:
        messages.show(json.dumps(found, indent=2, default=str))
        return
    if not found:
        messages.say(f"no detection yet: replicadb detect {db} --name NAME", quiet)
    for run in found:
        run["since"] = since if run["name"] == named_runs.CURRENT else None
    messages.show("\n".join(map(_line, found)))


def _line(run: dict[str, Any]) -> str:
    from replicadb.detection.named_runs import in_words

    given = ", ".join(f"{name} {in_words(run['settings'], name)}" for name in run["settings"])
    loads = run["loads"]
    of = ", ".join(loads[:3]) + (f" and {len(loads) - 3:,} more" if len(loads) > 3 else "")
    return (
        f"{run['name']} ({run['detected_at']:%Y-%m-%d %H:%M}; {given or 'default settings'}; loads:"
        f" {of or 'none'}): {counted(run['candidate_pairs'], 'candidate pair')},"
        f" {run['flagged_pairs']:,} flagged, {counted(run['flagged_hosts'], 'host')} to drop"
        + (f"; {run['since']} since" if run["since"] else "")
    )


Before = Annotated[
    str, typer.Argument(metavar="RUN", help="A name that detect was given.", show_default=False)
]
After = Annotated[
    str,
    typer.Argument(metavar="[RUN]", help="Another; current is the last detection."),
]

Hosts = Annotated[
    bool,
    typer.Option("--hosts", help="The hosts that are now dropped or no longer, in place of pairs."),
]


def diff(
    db: DB,
    before: Before,
    after: After = "current",
    hosts: Hosts = False,
    format: SqlFormat = None,
    output: Output = "-",
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Say what changed from one detection to another: the pairs that one of them flags and the
    other does not, each with the reason; or the hosts to drop.
    """
    from replicadb.store.own_sources import refuse_source

    messages.must_exist(db)
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        refuse_source(web.database, output)
        found = web.diff(before, after)
        if "current" in (before, after):
            messages.warn_stale(web, quiet)
    _tell(found, quiet)
    shown = found.dropped if hosts else found.table
    show_or_write(shown.to_reader(), output, format)


def _tell(found: RunDiff, quiet: bool) -> None:
    """The counts, and what differs for all pairs."""
    n = found.counts
    kept = n["flagged"] - n["now_flagged"]
    dropped = n["dropped"] - n["now_dropped"]
    messages.say(
        f"{found.before} -> {found.after}: {counted(kept, 'pair')} flagged by both,"
        f" {n['now_flagged']:,} now flagged, {n['no_longer_flagged']:,} no longer;"
        f" {counted(dropped, 'host')} dropped by both"
        f" ({n['for_another_host']:,} for another host), {n['now_dropped']:,} now dropped,"
        f" {n['no_longer_dropped']:,} no longer",
        quiet,
    )
    for title, text in (
        ("settings", found.settings),
        (f"loads of {found.after} alone", ", ".join(found.came)),
        (f"loads of {found.before} alone", ", ".join(found.went)),
    ):
        if text:
            messages.say(f"{title}: {text}", quiet)
