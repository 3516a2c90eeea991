"""``replicadb label``: what people decide of pairs and hosts, in bulk and one by one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.host_files import hosts_in
from replicadb.cli.options import DB, Quiet
from replicadb.cli.settings_file import without_idle
from replicadb.counted import and_more, counted
from replicadb.errors import DataError, UsageError
from replicadb.export import writers
from replicadb.export.file_formats import format_for_label
from replicadb.store.own_sources import refuse_source

if TYPE_CHECKING:
    from replicadb.decisions.decision_store import LabelResult

File = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FILE]",
        help=(
            "Decisions: csv, tsv, json, jsonl or parquet with host_a, host_b, label[, note];"
            " - is standard input."
            " Labels: replica, no replica (or yes, no); keep, never of host_a alone. Rows without"
            " one are left."
        ),
        show_default=False,
    ),
]
KeepHost = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="HOST",
        help=(
            "Never drop this host; keep it of its group. @FILE: those of a file. One that is not"
            " loaded waits until it is. Repeatable."
        ),
    ),
]
NeverHost = Annotated[
    list[str] | None,
    typer.Option(
        "--never", metavar="HOST", help="Never flag this host, or those of @FILE. Repeatable."
    ),
]
Replica = Annotated[
    list[str] | None,
    typer.Option("--replica", metavar="HOST,HOST", help="These two are replicas. Repeatable."),
]
NoReplica = Annotated[
    list[str] | None,
    typer.Option("--no-replica", metavar="HOST,HOST", help="These two are none. Repeatable."),
]
Note = Annotated[
    str, typer.Option("--note", help="Why, with --replica, --no-replica, --keep and --never.")
]
Replace = Annotated[
    bool,
    typer.Option("--replace", help="What contradicts an earlier decision takes its place."),
]
Remove = Annotated[
    list[str] | None,
    typer.Option(
        "--remove",
        metavar="HOST[,HOST]",
        help=(
            "Take back the decision on two hosts, or the pin of one, or those of @FILE. Repeatable."
        ),
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
    replica: Replica = None,
    no_replica: NoReplica = None,
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
    pairs = [(_two(text, "--replica"), True) for text in replica or []]
    pairs += [(_two(text, "--no-replica"), False) for text in no_replica or []]
    if not (file or pairs or keep or never or remove or list_all or export):
        raise UsageError(
            "nothing to do; give a FILE, --replica, --no-replica, --keep, --never, --remove, --list"
            " or --export"
        )
    decides = bool(pairs or keep or never)
    note = without_idle({"note": note}, lambda given: _refuse_idle(given, decides))["note"] or ""
    from replicadb.decisions import decision_store

    messages.must_exist(db)
    writing = bool(file or pairs or keep or never or remove)
    with replicadb.open(db, read_only=not writing) as web:
        if export:
            refuse_source(web.database, export)
        for given in remove or []:
            _take_back(web, given, quiet)
        for (one, other), is_replica in pairs:
            taken = web.decide(one, other, is_replica, note=note, replace=replace)
            what = "replicas" if is_replica else "no replicas"
            _tell(taken, f"{one} and {other} {what}", quiet)
        if keep or never:
            pins = {
                "keep": hosts_in(keep or (), "--keep"),
                "never": hosts_in(never or (), "--never"),
            }
            taken = decision_store.pin(web.database, pins, note=note, replace=replace)
            _tell(taken, _pinned(pins), quiet)
        if file:
            _tell_file(web.label(file, replace=replace), str(file), db, quiet)
        if list_all or export:
            out = export or "-"
            chosen = format_for_label(export) if export else writers.FITTING
            rows = writers.write(web.decision_reader(), out, chosen, "decisions")
            messages.say(f"{counted(rows, 'decision')} to {export}", quiet or not export)
        if writing:
            messages.warn_stale(web, quiet)


def _take_back(web: replicadb.ReplicaDB, given: str, quiet: bool) -> None:
    """Take back a decision, or the pins of the hosts of a file.

    Raises:
        DataError: nothing was decided of it, of a file: of none of its hosts.
    """
    if not given.startswith("@"):
        host, _, other = given.partition(",")
        web.remove_decision(host, other or None)
        messages.say(f"taken back: {given}", quiet)
        return
    names, missing = hosts_in([given], "--remove"), []
    for name in names:
        try:
            web.remove_decision(name)
        except DataError:
            missing.append(name)
    if len(missing) == len(names):
        raise DataError(f"{given}: no host of it is pinned; see: replicadb label DB --list")
    of = f"; not pinned: {and_more(missing)}" if missing else ""
    messages.say(f"taken back: {counted(len(names) - len(missing), 'pin')} of {given}{of}", quiet)


def _refuse_idle(given: Mapping[str, Any], decides: bool) -> None:
    """Raises UsageError: a note, and nothing that it could go with."""
    if given["note"] and not decides:
        raise UsageError(
            "--note goes with --replica, --no-replica, --keep or --never; a file has a column note"
        )


def _two(text: str, option: str) -> tuple[str, str]:
    """The hosts of ``HOST,HOST``.

    Raises:
        UsageError: there are not two.
    """
    hosts = [host.strip() for host in text.split(",")]
    if len(hosts) != 2 or not all(hosts):
        raise UsageError(f"{option} {text}: give two hosts, as in {option} a.example,b.example")
    return hosts[0], hosts[1]


def _pinned(pins: dict[str, list[str]]) -> str:
    """``keep a.example, never 500 hosts``."""
    return ", ".join(
        f"{pin} {hosts[0] if len(hosts) == 1 else counted(len(hosts), 'host')}"
        for pin, hosts in pins.items()
        if hosts
    )


def _tell(result: LabelResult, what: str, quiet: bool) -> None:
    before = f", {result.known:,} of them before" if result.known else ""
    messages.say(f"{what}: decided{before if result.taken else ' before, nothing changed'}", quiet)
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
            f"and {counted(result.unused - len(result.problems), 'more row')}; all of them:"
            f' replicadb sql {db} "FROM internal.unused_decisions"'
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
