"""Decisions taken into the database, listed, taken back; and what in them contradicts itself.

Invariant: a pair has one decision and a host one pin, by name. A decision stands until somebody
takes it back; one that contradicts it is refused and reported. What is written is written whole, in
one transaction, or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from replicadb.decisions.decision_files import COLUMNS, SCHEMA, decision_rows
from replicadb.errors import DataError, UsageError
from replicadb.given_file import name_of
from replicadb.learning.star_clusters import components
from replicadb.store.database import Database
from replicadb.store.distinct import map_distinct
from replicadb.store.statements import statements
from replicadb.web.urls import parse_url, spellings

FILE, STORED = "decisions/10_decision_file", "decisions/20_stored_decisions"
SHOWN = 5
"""Contradictions that are reported in full."""


@dataclass
class LabelResult:
    """What became of decisions that were given."""

    read: int = 0
    taken: int = 0
    known: int = 0
    """Decided so before."""
    undecided: int = 0
    """Rows without a label."""
    unused: int = 0
    """Rows in internal.unused_decisions."""
    problems: list[tuple[int, str]] = field(default_factory=list)
    """The first of those: number of the row, and why."""
    notes: list[str] = field(default_factory=list)
    """What a careful person would want to know, a line each."""


def take_file(db: Database, path: str | Path, replace: bool = False) -> LabelResult:
    """Take the decisions of a file.

    Args:
        replace: one that contradicts an earlier decision takes its place.

    Raises:
        DataError: the file cannot be read, or is no table of decisions.
    """
    return _take(db, decision_rows(path), name_of(path), replace)


def take(
    db: Database,
    decision: str,
    host_a: str,
    host_b: str = "",
    note: str = "",
    source: str = "label",
    replace: bool = False,
) -> LabelResult:
    """Take one decision: replica or no replica of two hosts, keep or never of one.

    Raises:
        DataError: a host that is not here, with the nearest name, or an earlier decision that says
            otherwise. UsageError: one host twice.
    """
    for host in filter(None, (host_a, host_b)):
        known_host(db, host)
    cells = dict(zip(COLUMNS, (host_a, host_b, decision, note, "", source), strict=True))
    row = {"position": 1, **cells, "problem": None}
    result = _take(db, pa.Table.from_pylist([row], schema=SCHEMA), source, replace, keeps=False)
    if result.problems:
        wrong = result.problems[0][1]
        kind = DataError if "earlier" in wrong else UsageError
        raise kind(f"{' and '.join(filter(None, (host_a, host_b)))}: {wrong}")
    return result


def _take(
    db: Database, rows: pa.Table, source: str, replace: bool, keeps: bool = True
) -> LabelResult:
    """Rows as SCHEMA has them; ``keeps``: what is unused is kept in the database."""
    site = db.value("SELECT value FROM meta WHERE key = 'site'")
    sql = statements(FILE)
    with db.transaction(), db.temporary(), db.registered("given_rows", rows):
        map_distinct(
            db,
            "SELECT host_a FROM given_rows UNION SELECT host_b FROM given_rows",
            "host_forms",
            ("text", "segment", "host"),
            _forms,
        )
        given = {"by_segment": site == "host+1", "source": source, "replacing": replace}
        names = ["resolved_hosts", "judged_decisions"]
        names += ["replaced_decisions", "replaced_pins"] if replace else []
        names += ["taken_decisions", "taken_pins"]
        names += ["older_rejects", "rejects"] if keeps else []
        for name in names:
            db.run(FILE, given, only=name)
        outcomes = dict(db.rows(sql["outcomes"]))
        result = LabelResult(
            read=len(rows),
            **{name: outcomes.get(name, 0) for name in ("taken", "known", "undecided", "unused")},
            problems=db.rows(sql["problems"]),
        )
        first, unknown = db.rows(sql["unknown_hosts"])[0]
    if unknown:
        nearest = db.value(statements(STORED)["nearest"], {"given": first})
        result.notes.append(
            f"{unknown:,} of the hosts {'is' if unknown == 1 else 'are'} not loaded, as {first}"
            + (f" (the nearest name here: {nearest})" if nearest else "")
            + "; what was decided of "
            + ("it waits until it is" if unknown == 1 else "them waits until they are")
        )
    result.notes += contradictions(db)
    return result


def _forms(text: str) -> tuple[str | None, str | None]:
    """What a text may mean: host with first path segment, host; None where it is none."""
    *others, host = spellings(text)
    if not text or parse_url(f"http://{host.partition('/')[0]}/")[1] is None:
        return None, None
    return next((form for form in others if "/" in form and "://" not in form), None), host


def known_host(db: Database, given: str) -> str:
    """The host as it is named here.

    Raises:
        DataError: there is none of that name; with the nearest one.
    """
    for form in spellings(given):
        if db.value("SELECT count(*) FROM hosts WHERE host = ?", [form]):
            return form
    given = name_of(given)
    nearest = db.value(statements(STORED)["nearest"], {"given": given.strip().lower()})
    raise DataError(
        f"{db.path}: no host {given} here" + (f"; the nearest name: {nearest}" if nearest else "")
    )


def remove(db: Database, host_a: str, host_b: str | None = None) -> None:
    """Take a decision back: that on a pair, or the pin of a host.

    Raises:
        DataError: there is none.
    """
    forms = [_stored_name(db, host) for host in (host_a, host_b) if host is not None]
    given = dict(zip("ab", sorted(forms, key=str.encode), strict=False))
    sql = statements(STORED)["removed_pin" if host_b is None else "removed_pair"]
    with db.transaction():
        if not db.rows(sql, given):
            raise DataError(
                f"{db.path}: nothing was decided of {' and '.join(forms)}; see: replicadb label"
                f" {db.path} --list"
            )


def _stored_name(db: Database, given: str) -> str:
    """As decisions name a host, whether it is loaded or not."""
    forms = spellings(given)
    for form in forms:
        if db.value("SELECT count(*) FROM hosts WHERE host = ?", [form]):
            return form
    return forms[-1]


def listed() -> str:
    """The query of all decisions in the shape of a file of decisions."""
    return statements(STORED)["listed"]


def digest(db: Database) -> str:
    """Of all that binds a detection; '' where nothing was decided."""
    return str(db.value(statements(STORED)["digest"]))


def contradictions(db: Database) -> list[str]:
    """What is decided twice over: pairs that are no replicas and are tied to each other by others
    that are, and replicas of which a host is never to be flagged. A line each, few of many.
    """
    (chains, n), pinned = _through_others(db), _with_pins(db)
    lines = [*chains, *pinned][:SHOWN]
    if n + len(pinned) > SHOWN:
        lines.append(f"and {n + len(pinned) - SHOWN:,} more contradictions like these")
    if together := db.value(statements(STORED)["apart_in_one_group"]):
        lines.append(
            f"decided to be no replicas, and in one group of the last detection: {together:,}"
            f" pair{'' if together == 1 else 's'}; detect again to part them"
        )
    return lines


def _through_others(db: Database) -> tuple[list[str], int]:
    """The first SHOWN, and how many there are."""
    column = db.arrays("SELECT host_a, host_b, replica FROM decisions ORDER BY host_a, host_b")
    yes = column["replica"].astype(bool)
    if yes.all() or not yes.any():
        return [], 0
    hosts, number = np.unique(
        np.concatenate([column["host_a"], column["host_b"]]).astype(str), return_inverse=True
    )
    a, b = number[: len(yes)], number[len(yes) :]
    part = components(a[yes], b[yes], len(hosts))
    lines = []
    rows = np.flatnonzero(~yes & (part[a] == part[b]))
    for row in rows[:SHOWN]:
        inside = yes & (part[a] == part[a[row]])
        chain = _chain(a[inside], b[inside], int(a[row]), int(b[row]))
        lines.append(
            f"contradiction: {hosts[a[row]]} and {hosts[b[row]]} are decided to be no replicas,"
            f" and replicas through others: {' = '.join(hosts[chain])}; they are held apart"
        )
    return lines, len(rows)


def _chain(a: np.ndarray, b: np.ndarray, start: int, goal: int) -> list[int]:
    """A shortest chain of decided replicas from one host to another, breadth first."""
    before, front = {start: start}, [start]
    while front and goal not in before:
        left = np.concatenate([a[np.isin(a, front)], b[np.isin(b, front)]])
        right = np.concatenate([b[np.isin(a, front)], a[np.isin(b, front)]])
        front = []
        for one, other in zip(left.tolist(), right.tolist(), strict=True):
            if other not in before:
                before[other] = one
                front.append(other)
    chain = [goal]
    while chain[-1] != start:
        chain.append(before[chain[-1]])
    return chain[::-1]


def _with_pins(db: Database) -> list[str]:
    return [
        f"contradiction: {a} and {b} are decided to be replicas, and {host} is never to be"
        " flagged; they are not flagged"
        for a, b, host in db.rows(
            "SELECT d.host_a, d.host_b, p.host FROM decisions AS d JOIN pins AS p"
            " ON p.host IN (d.host_a, d.host_b) AND p.pin = 'never' WHERE d.replica"
            " ORDER BY d.host_a, d.host_b, p.host"
        )
    ]
