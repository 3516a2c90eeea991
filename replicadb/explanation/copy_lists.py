"""The copies of one's own hosts as rows of a table, or as a list that another tool takes.

Invariant: a list names no host that is asked about or pinned by --keep, none of the registered
domain of what it copies, no site that holds a copy in a folder alone, and none that the evidence
calls the original.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from itertools import islice

import pyarrow as pa

from replicadb.counted import counted
from replicadb.detection.stage import last_settings
from replicadb.explanation.copies import copies_of
from replicadb.explanation.lookup import Row, known_names
from replicadb.export import writers
from replicadb.export.file_formats import format_of
from replicadb.export.tool_lists import ToolList, write_list
from replicadb.store.database import Database

COLUMNS = {
    "host": pa.string(),
    "copy": pa.string(),
    "standing": pa.string(),
    "probability": pa.float64(),
    "kind": pa.string(),
    "left_out": pa.string(),
    "rank": pa.int64(),
    "pages": pa.int64(),
    "own_pages": pa.int64(),
    "its_pages": pa.int64(),
    "at_same_paths": pa.int64(),
    "folder": pa.string(),
    "in_folder": pa.int64(),
    "first_seen": pa.string(),
    "linked_from": pa.int64(),
    "direction": pa.string(),
    "grounds": pa.string(),
    "identifiers": pa.string(),
    "why": pa.string(),
}
"""Of the table: ``copy`` copies ``host``; the others as ``copies_of`` has them, lists as texts."""
CHOSEN = {
    "host": pa.string(),
    "canonical_host": pa.string(),
    "probability": pa.float64(),
    "group_id": pa.int64(),
    "why": pa.string(),
    "rank": pa.int64(),
}
"""What a list is made from, by the names of ``flagged_hosts``."""


@dataclass
class CopyList:
    """What was written of the copies of some hosts."""

    rows: int
    """Of the file."""
    hosts: int
    """Asked about."""
    made: ToolList | None = None
    """What is in the list, where it is one."""
    left_out: dict[str, tuple[int, str]] = field(default_factory=dict)
    """By reason: how many copies, and one of them."""
    reference: str | None = None
    """The load of ``detect --reference``: old hosts were compared with new ones alone."""

    def lines(self, out: str) -> list[str]:
        """What to say of it."""
        to = "" if out == "-" else f" to {out}"
        said = (
            self.made.lines()
            if self.made
            else [f"{counted(self.rows, 'copy', 'copies')} of {counted(self.hosts, 'host')}{to}"]
        )
        if self.reference is not None:
            said.append(
                f"copies that detect --reference {self.reference} did not look for are missing: it"
                " compared hosts of that load with others alone; detect without it compares all"
            )
        return said + [
            f"left out, {counted(n, 'host')}: {reason}, such as {example}"
            for reason, (n, example) in self.left_out.items()
        ]


def write_copies(
    db: Database,
    hosts: Iterable[str],
    out: str,
    name: str | None = None,
    unlikely: bool = False,
    least: float | None = None,
    wanted: str | None = None,
) -> CopyList:
    """Write the copies of hosts to a file, the likeliest of each host first.

    Args:
        hosts: in any spelling. out: a path, or ``-``. name: the list of a tool
            (:data:`replicadb.export.list_formats.FORMATS`); None = a table of COLUMNS. unlikely:
            all that share anything with them, too (of a table). least: only copies of this
            probability or more; a list then has those that are not flagged, too. wanted: the
            format; None goes by the ending.

    Raises:
        UsageError: no such list, ending or format. DataError: an unknown host, no detection yet, or
            the file cannot be written.
    """
    names = known_names(db, hosts)
    found = copies_of(db, names, unlikely)
    reference = last_settings(db).reference
    if name is None:
        form = format_of(out, wanted)
        rows = writers.write(_reader(found, least), out, form)
        return CopyList(rows, len(names), reference=reference)
    chosen, left_out = _chosen(found, set(names), least)
    with db.registered("copies_found", _batch(chosen, CHOSEN)):
        made = write_list(db, "FROM copies_found", {}, out, name, wanted, of_groups=False)
    return CopyList(made.rows, len(names), made, left_out, reference)


def _reader(found: Iterable[Row], least: float | None) -> pa.RecordBatchReader:
    """A table of COLUMNS, made as it is read."""
    rows = (
        {**copy, "host": each["host"], "copy": copy["host"]} | _texts(copy)
        for each in found
        for copy in each["copies"]
        if least is None or (copy["probability"] or 0) >= least
    )
    some = iter(lambda: list(islice(rows, writers.BATCH_ROWS)), [])
    batches = (_batch(batch, COLUMNS) for batch in some)
    return pa.RecordBatchReader.from_batches(pa.schema(list(COLUMNS.items())), batches)


def _batch(rows: list[Row], columns: dict[str, pa.DataType]) -> pa.RecordBatch:
    return pa.record_batch(
        {name: pa.array([row[name] for row in rows], kind) for name, kind in columns.items()}
    )


def _texts(copy: Row) -> dict[str, str]:
    return {
        "grounds": "; ".join(copy["grounds"]),
        "identifiers": ", ".join(f"{one['kind']} {one['value']}" for one in copy["identifiers"]),
    }


def _chosen(
    found: Iterable[Row], asked: Container[str], least: float | None
) -> tuple[list[Row], dict[str, tuple[int, str]]]:
    """The copies that go into a list, each once, for the host that it is the likeliest copy of, the
    likeliest first; and how many of the others there are by reason, with the likeliest of them.
    """
    listed: dict[str, Row] = {}
    others: dict[str, dict[str, int]] = defaultdict(dict)
    for each in found:
        for copy in each["copies"]:
            host, rank = copy["host"], copy["rank"]
            if host in asked:
                continue
            if reason := _reason(copy, least):
                others[reason][host] = min(rank, others[reason].get(host, rank))
            elif host not in listed or rank < listed[host]["rank"]:
                listed[host] = _listed(each, copy)
    left = {
        reason: sorted(hosts.keys() - listed.keys(), key=hosts.__getitem__)
        for reason, hosts in sorted(others.items(), key=lambda item: min(item[1].values()))
    }
    return sorted(listed.values(), key=lambda row: row["rank"]), {
        reason: (len(hosts), hosts[0]) for reason, hosts in left.items() if hosts
    }


def _listed(each: Row, copy: Row) -> Row:
    """A row of CHOSEN: a copy of a host that was asked about."""
    return {
        "host": copy["host"],
        "canonical_host": each["host"],
        "probability": copy["probability"],
        "group_id": None,
        "why": _compared(each["pages"], copy),
        "rank": copy["rank"],
    }


def _compared(pages: int, copy: Row) -> str:
    """What was compared of the so many pages of the host that was asked about, and how it came out;
    nothing in it is from the crawl.
    """
    if n := copy["own_pages"]:
        places = ", at the same paths" if " at the same paths" in copy["why"] else ""
        return f"{n:,} of its {counted(pages, 'page')}{places}"
    of = f"none of its {pages:,} pages" if pages > 1 else "no page"
    return f"{copy['why']}{', ' if copy['why'] else ''}{of} known to be equal"


def _reason(copy: Row, least: float | None) -> str | None:
    """Why a copy is in no list; None where it is."""
    if copy["same_domain"]:
        return "of the registered domain of what it copies"
    if copy["pinned"]:
        return "pinned by --keep"
    if copy["direction"] == "original":
        return "the original, by links, mail or dates"
    if copy["standing"] == "kit" or copy["folder_alone"]:
        return "a copy in a folder of another site"
    if least is None:
        return None if copy["standing"] == "known" else "not flagged (--min-probability lists them)"
    return None if (copy["probability"] or 0) >= least else "less probable than --min-probability"
