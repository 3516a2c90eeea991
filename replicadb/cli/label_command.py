"""``replicadb label``: what people decide of pairs and hosts, in bulk and one by one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, Quiet
from replicadb.counted import counted
from replicadb.errors import DataError, UsageError
from replicadb.export import writers

if TYPE_CHECKING:
    from replicadb.decisions.decision_store import LabelResult

File = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FILE]",
        help=(
            "Decisions: csv, tsv, jsonl or parquet with host_a, host_b, label[, note]. Labels:"
            " replica, no replica (or yes, no); keep, never of host_a alone. Rows without one are"
            " left."
        ),
        show_default=False,
    ),
]
KeepHost = Annotated[
    list[str] | None,
    typer.Option(
        "--keep", metavar="HOST", help="Never drop this host; keep it of its group. Repeatable."
    ),
]
NeverHost = Annotated[
    list[str] | None,
    typer.Option("--never", metavar="HOST", help="Never flag this host. Repeatable."),
]
Note = Annotated[str, typer.Option("--note", help="Why, with --keep and --never.")]
Replace = Annotated[
    bool,
    typer.Option("--replace", help="What contradicts an earlier decision takes its place."),
]
Remove = Annotated[
    list[str] | None,
    typer.Option(
        "--remove",
        metavar="HOST[,HOST]",
        help="Take back the decision on two hosts, or the pin of one. Repeatable.",
    ),
]
ListAll = Annotated[bool, typer.Option("--list", help="Show all decisions.")]
ExportTo = Annotated[
    str,
    typer.Option(
        "--export", metavar="FILE", help="Write all decisions to a file that label reads again."
    ),
]


def label(
    db: DB,
    file: File = None,
    keep: KeepHost = None,
    never: NeverHost = None,
    note: Note = "",
    remove: Remove = None,
    replace: Replace = False,
    list_all: ListAll = False,
    export: ExportTo = "",
    quiet: Quiet = False,
) -> None:
    """Decide on pairs and hosts, for ever: detections, groups and exports go by it.

    Decisions stay when loads come and go. What contradicts another decision is reported, not taken.
    """
    if not (file or keep or never or remove or list_all or export):
        raise UsageError(
            "nothing to do; give a FILE, --keep, --never, --remove, --list or --export"
        )
    if note and not (keep or never):
        raise UsageError("--note goes with --keep or --never; a file has a column note")
    messages.must_exist(db)
    writing = bool(file or keep or never or remove)
    with replicadb.open(db, read_only=not writing) as web:
        for given in remove or []:
            host, _, other = given.partition(",")
            web.remove_decision(host, other or None)
            messages.say(f"taken back: {given}", quiet)
        for host in keep or []:
            _tell(web.pin(host, "keep", note=note, replace=replace), f"keep {host}", quiet)
        for host in never or []:
            _tell(web.pin(host, "never", note=note, replace=replace), f"never {host}", quiet)
        if file:
            _tell_file(web.label(file, replace=replace), str(file), db, quiet)
        if list_all or export:
            out = export or "-"
            chosen = writers.format_of(export) if export else writers.FITTING
            rows = writers.write(web.decision_reader(), out, chosen, "decisions")
            messages.say(f"{counted(rows, 'decision')} to {export}", quiet or not export)
        if writing:
            messages.warn_stale(web, quiet)


def _tell(result: LabelResult, what: str, quiet: bool) -> None:
    messages.say(f"{what}: decided{'' if result.taken else ' before, nothing changed'}", quiet)
    for line in result.notes:
        messages.say(f"note: {line}", quiet)


def _tell_file(result: LabelResult, file: str, db: Path, quiet: bool) -> None:
    """What became of the rows; contradictions and bad rows even when quiet.

    Raises:
        DataError: no row could be used.
    """
    for position, problem in result.problems:
        messages.say(f"row {position:,} {problem}")
    if result.unused > len(result.problems):
        messages.say(
            f"and {result.unused - len(result.problems):,} more rows; all of them: replicadb sql"
            f' {db} "FROM internal.unused_decisions"'
        )
    for line in result.notes:
        messages.say(f"note: {line}")
    messages.say(
        f"read {result.read:,} = taken {result.taken:,} + decided before {result.known:,} +"
        f" without label {result.undecided:,} + not used {result.unused:,}",
        quiet,
    )
    if result.unused and result.unused == result.read:
        raise DataError(f"{file}: no row of it could be used")
