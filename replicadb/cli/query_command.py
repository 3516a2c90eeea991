"""``replicadb export`` and ``info``: what the database holds, as files and in words.

The commands open the database for reading alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import replicadb
from replicadb.cli import messages, settings_file
from replicadb.cli.info_text import info_text, settings_text
from replicadb.cli.options import DB, AsJson, Memory, Quiet, Threads
from replicadb.cli.settings_file import without_idle
from replicadb.counted import counted
from replicadb.errors import UsageError
from replicadb.export.list_formats import NAMES
from replicadb.stage_constants import DROPS
from replicadb.store.run_log import loads_since

Out = Annotated[
    str,
    typer.Argument(
        metavar="OUT",
        help=(
            "File; its ending picks csv, tsv, json, jsonl, parquet or sqlite; .gz behind that of a"
            " text packs it. - is standard output."
        ),
    ),
]
What = Annotated[
    Literal["hosts", "pairs", "groups"],
    typer.Option("--what", help="hosts (to drop, with the one to keep), pairs or groups."),
]
Top = Annotated[int | None, typer.Option("--top", help="Only the first N rows.")]
MinProbability = Annotated[
    float | None,
    typer.Option(
        "--min-probability",
        help="Only rows with this probability or more, 0 to 1; of a group, its weakest member's.",
    ),
]
MinScore = Annotated[
    float | None,
    typer.Option(
        "--min-score",
        help=(
            "Only rows with this score or more: the share of candidates ranked below, 0 where all"
            " tie. It is a place; --min-probability cuts by how sure one is."
        ),
    ),
]
MaxDropShare = Annotated[
    float | None,
    typer.Option(
        "--max-drop-share",
        min=0,
        max=1,
        metavar="SHARE",
        help=(
            "With --what hosts: refuse a list that drops more of the crawl's hosts or URLs, or of a"
            f" domain, suffix, load or language of {DROPS.large_part} hosts or more, or all of a"
            f" suffix, load or language of {DROPS.worth_telling} or more. Default:"
            f" {DROPS.most_dropped}, of crawls of {DROPS.large_part} hosts or more."
        ),
    ),
]
Check = Annotated[
    int | None,
    typer.Option(
        "--check",
        metavar="N",
        min=1,
        help=(
            "Write N of the drops for a look instead, rather those where a mistake would lose much;"
            " label takes the file with its labels filled in."
        ),
    ),
]
As = Annotated[
    str | None,
    typer.Option(
        "--as", metavar="TOOL", help=f"The hosts to drop as a list that a tool takes: {NAMES}."
    ),
]
AllSettings = Annotated[
    bool,
    typer.Option(
        "--settings",
        help="Every setting instead: its value, and whether that is the default's or a file's.",
    ),
]
Format = Annotated[
    Literal["csv", "tsv", "json", "jsonl", "parquet"] | None,
    typer.Option(
        "--format", "-f", help="Default: what the file's ending picks; csv to standard output."
    ),
]
All = Annotated[bool, typer.Option("--all", help="With --what pairs: unflagged candidates too.")]
OF_TWO_STATES = (
    "note: rows are those of that detection, but for hosts that are loaded no more; shares are of"
    " what is loaded now"
)


def export(
    db: DB,
    out: Out,
    what: What = "hosts",
    tool: As = None,
    format: Format = None,
    top: Top = None,
    min_probability: MinProbability = None,
    min_score: MinScore = None,
    all: All = False,
    max_drop_share: MaxDropShare = None,
    check: Check = None,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Write flagged hosts, pairs or groups to a file, whole or not at all."""
    given: dict[str, Any] = {
        "check": check,
        "what": what,
        "all": all,
        "tool": tool,
        "format": format,
        "max_drop_share": max_drop_share,
    }
    given = without_idle(given, _refuse_idle, beside=("check", "what", "all", "tool"))
    what, all = given["what"] or "hosts", bool(given["all"])
    check, tool, format = given["check"], given["tool"], given["format"]
    max_drop_share = given["max_drop_share"]
    if tool is None:
        _refuse_no_format(out, format)
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        messages.warn_stale(web, quiet)
        chosen: dict[str, Any] = {
            "top": top,
            "min_probability": min_probability,
            "min_score": min_score,
        }
        if check is not None:
            _tell_check(web.check(out, check, **chosen), db, out, quiet)
            return
        shares = web.drop_shares(**chosen) if what == "hosts" and not all else None
        if shares and shares.table.num_rows and loads_since(web.database):
            messages.say(OF_TWO_STATES, quiet)
        if tool is not None:
            shares = shares or web.drop_shares(**chosen)
            shares.refuse(max_drop_share)
            made = web.export_list(out, tool, format=format, **chosen)
            for line in [*made.lines(), *shares.more_than_half()]:
                messages.say(line, quiet)
            return
        if shares:
            shares.refuse(max_drop_share)
        rows = web.export(out, what, unflagged=all, format=format, **chosen)
    for line in shares.lines() if shares else []:
        messages.say(line, quiet)
    if out != "-":
        messages.say(f"{counted(rows, 'row')} to {out}", quiet)


def _tell_check(rows: int, db: Path, out: str, quiet: bool) -> None:
    messages.say(
        f"{rows:,} of the drops to {out} for a look; with labels filled in: replicadb label {db}"
        f" {out}",
        quiet or out == "-",
    )


def _refuse_idle(given: Mapping[str, Any]) -> None:
    """Raises UsageError: options of export that do nothing beside the others."""
    of_hosts = given.get("what") in (None, "hosts") and not given.get("all")
    listed = given.get("tool") is not None
    if given.get("check") is not None and (
        not of_hosts or listed or given.get("format") is not None
    ):
        raise UsageError("--check goes with --what hosts, without --as and --format")
    if given.get("check") is not None and given.get("max_drop_share") is not None:
        raise UsageError("--check is a sample to look at, and --max-drop-share a guard of the list")
    if given.get("max_drop_share") is not None and not of_hosts:
        raise UsageError("--max-drop-share goes with --what hosts, of which it is a guard")
    if listed and not of_hosts:
        raise UsageError("--as is a list of hosts to drop; leave out --what and --all")
    if listed:
        from replicadb.export.tool_lists import refuse_format

        refuse_format(str(given["tool"]), given.get("format"))


def _refuse_no_format(out: str, format: str | None) -> None:
    """Raises UsageError where nothing says the format."""
    from replicadb.export.file_formats import format_of

    try:
        format_of(out, format)
    except UsageError as error:
        if format is not None:
            raise
        raise UsageError(
            f"{error}; or say --format, or --as for a list that a tool reads, as in --as surt"
        ) from error


def info(
    db: DB,
    as_json: AsJson = False,
    settings: AllSettings = False,
) -> None:
    """What the database holds, what was left out and why, whether the detection is up to date, and
    which settings of replicadb.toml are in force.
    """
    with replicadb.open(db, read_only=True) as web:
        facts = web.info()
    file = settings_file.CURRENT
    facts["settings_file"] = {
        "path": file.path or None,
        "says": settings_file.in_force(file),
        "of_detection": settings_file.of_detection(file),
    }
    if settings:
        facts["settings"] = [
            dict(zip(("table", "name", "value", "from"), row, strict=True))
            for row in settings_file.every_setting(file)
        ]
    if as_json:
        messages.show(json.dumps(facts, indent=2))
        return
    messages.show(settings_text(facts["settings"]) if settings else info_text(facts))
