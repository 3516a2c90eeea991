"""``replicadb families``: patterns of names whose hosts are copies of one host."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, AsJson, Memory, Quiet, Threads
from replicadb.counted import and_more, counted
from replicadb.errors import UsageError
from replicadb.stage_constants import ALIASES

if TYPE_CHECKING:
    from replicadb.host_names.name_families import Families, Family

Out = Annotated[
    str | None,
    typer.Argument(
        metavar="[OUT]",
        help=(
            "File; its ending picks csv, tsv, json, jsonl, parquet or sqlite. - is csv. Default: a"
            " table."
        ),
        show_default=False,
    ),
]
OneHost = Annotated[
    str | None,
    typer.Option("--host", metavar="HOST", help="Only the families of this host, in any spelling."),
]
MinHosts = Annotated[
    int | None,
    typer.Option(
        "--min-hosts",
        min=1,
        help=f"Copies below a name from which it is a family. Default: {ALIASES.min_hosts}.",
    ),
]
MaxError = Annotated[
    float | None,
    typer.Option(
        "--max-error",
        help=f"Share of its hosts that may be no copies. Default: {ALIASES.max_error}.",
    ),
]
As = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="TOOL",
        help="As a list with exceptions: nutch-host, httrack or ublock.",
    ),
]


def families(
    db: DB,
    out: Out = None,
    host: OneHost = None,
    min_hosts: MinHosts = None,
    max_error: MaxError = None,
    as_list: As = None,
    as_json: AsJson = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Find patterns such as *.example.org whose hosts are copies of one host: a rule for each, with
    its exceptions and its error on hosts that were held out.

    error: of the hosts held out, the share that is no copy; error_at_most: its bound, 95 %.
    """
    from replicadb.export import writers
    from replicadb.export.file_formats import format_of, refuse_no_text
    from replicadb.host_names import family_lists
    from replicadb.store.own_sources import refuse_source

    messages.must_exist(db)
    if as_list:
        family_lists.need_list(as_list)
        refuse_no_text(out or "-", as_list)
    if as_json and (as_list or out):
        raise UsageError("--json is a form of its own; leave out --as and OUT")
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        if out:
            refuse_source(web.database, out)
        messages.warn_stale(web, quiet)
        found = web.families(
            host,
            min_hosts=min_hosts,
            max_error=max_error,
            announce=lambda hosts, places: messages.say(
                f"{counted(hosts, 'host')} below"
                f" {'its registered name' if hosts == 1 else 'their registered names'};"
                f" {counted(places, 'place')} to look",
                quiet,
            ),
        )
    if as_json:
        typer.echo(json.dumps(_as_json(found), indent=1))
    elif as_list:
        writers.write(family_lists.lines(found.rules, as_list).to_reader(), out or "-", "lines")
        left: dict[str, list[str]] = {}
        for rule in found.rules:
            if why := family_lists.why_not(rule, as_list):
                left.setdefault(why, []).append(rule.pattern)
        for why, patterns in left.items():
            many = counted(len(patterns), "family", "families")
            messages.say(f"left out, {many}: {why}, such as below {patterns[0]}")
    elif found.rules or out:
        chosen = format_of(out) if out else writers.FITTING
        writers.write(found.table().to_reader(), out or "-", chosen)
    _summary(found, quiet)


def _summary(found: Families, quiet: bool) -> None:
    if not found.rules:
        messages.say("no family: below no name are there enough copies of one host", quiet)
        return
    copies = sum(rule.copies for rule in found.rules)
    stay = sum(len(rule.exceptions) for rule in found.rules)
    messages.say(
        f"{counted(len(found.rules), 'family', 'families')}: {counted(copies, 'copy', 'copies')},"
        f" {counted(stay, 'exception')}",
        quiet,
    )
    if untested := [rule.pattern for rule in found.rules if not rule.held_out]:
        messages.say(
            f"untested, as without one of their hosts too few are left: {and_more(untested)}", quiet
        )
    if found.held_out:
        messages.say(
            f"held out: {found.wrong:,} of {found.held_out:,} hosts"
            f" ({100 * found.wrong / found.held_out:.1f} %) would be taken for copies and are none",
            quiet,
        )


def _as_json(found: Families) -> dict[str, object]:
    def rule(one: Family) -> dict[str, object]:
        return one.row() | {"exceptions": one.exceptions, "bare_is_copy": one.bare_is_copy}

    return {"held_out": found.held_out, "wrong": found.wrong, "families": [*map(rule, found.rules)]}
