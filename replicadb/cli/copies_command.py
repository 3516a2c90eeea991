"""``replicadb copies-of`` and ``watch``: the copies of a host, and what is new about them."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.host_files import hosts_here, hosts_in
from replicadb.cli.options import DB, AsJson, Memory, Quiet, Threads
from replicadb.cli.query_command import Format
from replicadb.cli.settings_file import without_idle
from replicadb.errors import UsageError
from replicadb.export.list_formats import NAMES

OneOrMore = Annotated[
    list[str],
    typer.Argument(
        metavar="HOST...",
        help=(
            "Hosts, in any spelling; @FILE reads them from a file, one a line, or the column host"
            " or domain of a table."
        ),
        show_default=False,
    ),
]
Hosts = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[HOST...]",
        help="Hosts, in any spelling; @FILE reads them from a file. Default: those watched before.",
        show_default=False,
    ),
]
TOP = 20
Top = Annotated[
    int | None,
    typer.Option(
        "--top",
        min=1,
        help=f"So many copies of each kind at most, in the text. Default: {TOP}.",
    ),
]
All = Annotated[
    bool, typer.Option("--all", help="Every host that shares something, unlikely ones too.")
]
Out = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write the copies there as a table; - is stdout."
    ),
]
As = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="TOOL",
        help=f"The known copies as a list that a tool takes, to -o or stdout: {NAMES}.",
    ),
]
MinProbability = Annotated[
    float | None,
    typer.Option(
        "--min-probability",
        help="In the file only copies as probable; with --as those not flagged, too.",
    ),
]
Look = Annotated[
    bool,
    typer.Option(
        "--look",
        help="Only look: no host is watched by it, and what is new now is new next time, too.",
    ),
]

Stop = Annotated[
    bool,
    typer.Option("--stop", help="Watch these hosts no more, also those that were unloaded."),
]


def copies_of(
    db: DB,
    hosts: OneOrMore,
    top: Top = None,
    all: All = False,
    out: Out = None,
    tool: As = None,
    format: Format = None,
    min_probability: MinProbability = None,
    as_json: AsJson = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Tell the copies of a host: known and likely ones, partial ones, and kits in a folder of
    another site; each with its probability, why, and who was first, where that is known.

    Of several hosts one after the other; as JSON a list. With -o a table of all of them, with --as
    a list for another tool.
    """
    from replicadb.cli.copies_text import copies_text
    from replicadb.explanation import copies_of as find

    given: dict[str, Any] = {
        "out": out,
        "tool": tool,
        "format": format,
        "min_probability": min_probability,
        "as_json": as_json,
        "top": top,
        "all": all,
    }
    given = without_idle(given, _refuse_idle, beside=("out", "tool", "as_json"))
    to_file = given["out"] is not None or given["tool"] is not None
    messages.must_exist(db)
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        messages.warn_stale(web, quiet)
        names = hosts_here(web.database, hosts, quiet)
        if to_file:
            made = web.export_copies(
                given["out"] or "-",
                *names,
                name=given["tool"],
                unlikely=bool(given["all"]),
                min_probability=given["min_probability"],
                format=given["format"],
            )
            for line in made.lines(given["out"] or "-"):
                messages.say(line, quiet)
            return
        found = find(web.database, names, unlikely=bool(given["all"]))
        if not given["as_json"]:
            texts = (copies_text(each, given["top"] or TOP) for each in found)
            _print(texts, between="\n\n")
        elif len(hosts) == 1 and not hosts[0].startswith("@"):
            typer.echo(json.dumps(next(found), indent=1))
        else:
            texts = (textwrap.indent(json.dumps(each, indent=1), " ") for each in found)
            _print(texts, before="[\n", between=",\n", after="\n]")


def _refuse_idle(given: Mapping[str, Any]) -> None:
    """Raises UsageError: options of copies-of that do nothing beside the others."""
    to_file = given.get("out") is not None or given.get("tool") is not None
    if given.get("as_json") and to_file:
        raise UsageError("--json prints; with -o choose the form by the file's ending or --format")
    if not to_file and not (given.get("format") is given.get("min_probability") is None):
        raise UsageError("--format and --min-probability go with -o or --as")
    if given.get("top") is not None and (to_file or given.get("as_json")):
        raise UsageError("--top is of the text; -o, --as and --json have all")
    if given.get("all") and given.get("tool") is not None:
        raise UsageError(
            "--all goes without --as, whose list has known copies; --min-probability lists more"
        )
    if given.get("tool") is not None:
        from replicadb.export.tool_lists import refuse_format

        refuse_format(str(given["tool"]), given.get("format"))


def _print(texts: Iterable[str], between: str, before: str = "", after: str = "") -> None:
    """Print texts as they come: those of a thousand hosts are long."""
    for text in texts:
        typer.echo(before + text, nl=False)
        before = between
    typer.echo(after)


def watch(
    db: DB,
    hosts: Hosts = None,
    look: Look = False,
    stop: Stop = False,
    as_json: AsJson = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Report what is new about the copies of hosts since the last report: new ones, those that
    became likelier or less so, and those that are none any more.
    """
    from replicadb.cli.copies_text import watch_text
    from replicadb.explanation import watch as find

    def show(found: list[dict[str, Any]]) -> None:
        typer.echo(json.dumps(found, indent=1) if as_json else watch_text(found, look))
        sys.stdout.flush()

    def refuse(given: Mapping[str, Any]) -> None:
        if given.get("stop") and (given.get("look") or given.get("as_json")):
            raise UsageError("--stop goes with neither --look nor --json")

    options: dict[str, Any] = {"stop": stop, "look": look, "as_json": as_json}
    options = without_idle(options, refuse, beside=("stop",))
    look, as_json = bool(options["look"]), bool(options["as_json"])
    messages.must_exist(db)
    if stop:
        with replicadb.open(db, memory_limit=memory_limit, threads=threads) as web:
            for name in web.stop_watching(*hosts_in(hosts or (), "HOST")):
                messages.say(f"{name}: watched no more", quiet)
        return
    with replicadb.open(db, read_only=look, memory_limit=memory_limit, threads=threads) as web:
        messages.warn_stale(web, quiet)
        names = hosts_here(web.database, hosts or (), quiet)
        find(web.database, names, remember=not look, report=show)
