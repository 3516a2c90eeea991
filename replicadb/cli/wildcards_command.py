"""``replicadb wildcards``: names below which any host answers as one site."""

from __future__ import annotations

import json
from typing import Annotated

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.families_command import Out
from replicadb.cli.options import DB, AsJson, Memory, Quiet, Threads
from replicadb.counted import counted
from replicadb.errors import UsageError
from replicadb.stage_constants import ALIASES

OneHost = Annotated[
    str | None,
    typer.Option(
        "--host", metavar="HOST", help="Only wildcards of this host or pattern, in any spelling."
    ),
]
MinHosts = Annotated[
    int | None,
    typer.Option(
        "--min-hosts",
        min=2,
        help=f"Alike hosts from which a name is a wildcard. Default: {ALIASES.min_hosts}.",
    ),
]
MaxError = Annotated[
    float | None,
    typer.Option(
        "--max-error",
        help=f"Share of compared hosts that may be exceptions. Default: {ALIASES.max_error}.",
    ),
]


def wildcards(
    db: DB,
    out: Out = None,
    host: OneHost = None,
    min_hosts: MinHosts = None,
    max_error: MaxError = None,
    as_json: AsJson = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Find patterns such as *.example.org whose hosts answer as one site: what several of them have
    at one path is the same. So of each a few pages are enough.

    compared: hosts with a page at a path that another has; alike: those whose pages there are the
    usual ones; error_at_most: the bound of the share that is not, 95 %. name: the host that stands
    for all.
    """
    from replicadb.export import writers
    from replicadb.export.file_formats import format_of
    from replicadb.store.own_sources import refuse_source

    messages.must_exist(db)
    if as_json and out:
        raise UsageError("--json is a form of its own; leave out OUT")
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        if out:
            refuse_source(web.database, out)
        found = web.wildcards(
            host,
            min_hosts=min_hosts,
            max_error=max_error,
            announce=lambda hosts, rows: messages.say(
                f"{counted(hosts, 'host')} below names with enough others;"
                f" {counted(rows, 'page')} to look at",
                quiet,
            ),
        )
    if as_json:
        rules = [rule.row() | {"exceptions": rule.exceptions} for rule in found.rules]
        typer.echo(json.dumps({"wildcards": rules}, indent=1))
    elif found.rules or out:
        chosen = format_of(out) if out else writers.FITTING
        writers.write(found.table().to_reader(), out or "-", chosen)
    if not found.rules:
        messages.say("no wildcard: below no name do enough hosts answer alike", quiet)
        return
    alike = sum(rule.alike for rule in found.rules)
    exceptions = sum(len(rule.exceptions) for rule in found.rules)
    messages.say(
        f"{counted(len(found.rules), 'wildcard')}: {counted(alike, 'alike host')},"
        f" {counted(exceptions, 'exception')}",
        quiet,
    )
