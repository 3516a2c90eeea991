"""Decisions taken into the database, listed, taken back; and what in them contradicts itself.

Invariant: a pair has one decision and a host one pin, by name. A decision stands until somebody
takes it back; one that contradicts it is refused and reported. What is written is written whole, in
one transaction, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from replicadb.decisions.decision_files import COLUMNS, SCHEMA, decision_rows
from replicadb.errors import DataError, UsageError
from replicadb.given_file import PIPED, name_of
from replicadb.learning.star_clusters import components
from replicadb.store.database import Database
from replicadb.store.distinct import map_distinct
from replicadb.store.site_spellings import known_host, spellings_in
from replicadb.store.statements import statements
from replicadb.web.urls import given_host, host_name, spellings

FILE, STORED = "decisions/10_decision_file", "decisions/20_stored_decisions"
SHOWN = 5
"""Contradictions that are reported in full."""
LONGEST_CHAIN = 10
"""Hosts of a chain that are named."""


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
    """Take the decisions of a file, or of standard input (``-``).

    Args:
        replace: one that contradicts an earlier decision takes its place.

    Raises:
        DataError: the file cannot be read, or is no table of decisions.
    """
    source = PIPED if str(path) == "-" else name_of(path)
    return _take(db, decision_rows(path), source, replace)


def take(
    db: Database,
    decision: str,
    host_a: str,
    host_b: str = "",
    note: str = "",
    source: str = "label",
    replace: bool = False,
) -> LabelResult:
    """Take one decision: replica or no replica of two hosts.

    Raises:
        DataError: a host that is not here, with the nearest names, or an earlier decision that says
            otherwise. UsageError: one host twice.
    """
    for host in (host_a, host_b):
        try:
            known_host(db, host)
        except DataError as error:
            raise DataError(
                f"{error}; a pair in a file waits until its hosts are loaded: replicadb label"
                f" {db.path} FILE"
            ) from error
    given = [(host_a, host_b, decision, note, "", source)]
    return _take(db, _table(given), source, replace, file=False)


def pin(
    db: Database, hosts: Mapping[str, Iterable[str]], note: str = "", replace: bool = False
) -> LabelResult:
    """Pin hosts, all of them or none. A host that is not loaded waits until it is.

    Args:
        hosts: by pin, keep or never.

    Raises:
        DataError: hosts that are pinned otherwise, a few of them and how many. UsageError: what is
            no host, or is to have both pins.
    """
    given = [
        (host, "", str(pin), note, "", "label")
        for pin in hosts
        for host in map(given_host, hosts[pin])
    ]
    return _take(db, _table(given), "label", replace, file=False)


def _table(given: Iterable[tuple[str, ...]]) -> pa.Table:
    """Rows as SCHEMA has them.

    Raises:
        DataError: a cell that is no UTF-8, as a shell may give it.
    """
    rows = [
        {"position": position, **dict(zip(COLUMNS, cells, strict=True)), "problem": None}
        for position, cells in enumerate(given, 1)
    ]
    try:
        return pa.Table.from_pylist(rows, schema=SCHEMA)
    except UnicodeEncodeError as error:
        raise DataError(f"{error.object}: is no UTF-8") from error


def _refusal(rows: pa.Table, result: LabelResult) -> DataError | UsageError:
    """Of decisions of which some cannot be taken, so that none is: how many, a few, why the first
    cannot.
    """
    bad = rows.take([position - 1 for position, _ in result.problems]).to_pylist()
    names = [" and ".join(filter(None, (row["host_a"], row["host_b"]))) or "''" for row in bad]
    wrong = result.problems[0][1].replace("host_a is no host", "is no host")
    if "of this file" in wrong:
        wrong = "is to be kept and never to be flagged; give one of the two"
    text = f"{names[0]}: {wrong}"
    if result.unused > 1:
        more = result.unused - len(bad)
        text = (
            f"{result.unused:,} of {result.read:,} cannot be decided so, and nothing was:"
            f" {', '.join(dict.fromkeys(names))}{f' and {more:,} more' if more else ''}; {text}"
        )
    return DataError(text) if "earlier" in wrong else UsageError(text)


def _take(
    db: Database, rows: pa.Table, source: str, replace: bool, file: bool = True
) -> LabelResult:
    """Rows as SCHEMA has them. Of a file what is unused is kept in the database; else all of them
    are taken or none.
    """
    site = db.value("SELECT value FROM meta WHERE key = 'site'")
    sql = statements(FILE)
    with db.transaction(), db.temporary(), db.registered("given_rows", rows):
        map_distinct(
            db,
            "SELECT host_a FROM given_rows UNION SELECT host_b FROM given_rows",
            "host_forms",
            ("text", "segment", "host"),
            partial(_forms, meant=spellings_in(db)),
        )
        given = {"by_segment": site == "host+1", "source": source, "replacing": replace}
        names = ["resolved_hosts", "judged_decisions"]
        names += ["replaced_decisions", "replaced_pins"] if replace else []
        names += ["taken_decisions", "taken_pins"]
        names += ["older_rejects", "rejects"] if file else []
        for name in names:
            db.run(FILE, given, only=name)
        outcomes = dict(db.rows(sql["outcomes"]))
        result = LabelResult(
            read=len(rows),
            **{name: outcomes.get(name, 0) for name in ("taken", "known", "undecided", "unused")},
            problems=db.rows(sql["problems"]),
        )
        if result.unused and not file:
            raise _refusal(rows, result)
        first, unknown = db.rows(sql["unknown_hosts"])[0]
    if unknown:
        result.notes.append(
            f"{unknown:,} of the hosts {'is' if unknown == 1 else 'are'} not loaded, as {first}"
            + nearest_name(db, first)
            + "; what was decided of "
            + ("it waits until it is" if unknown == 1 else "them waits until they are")
        )
    result.notes += contradictions(db)
    return result


def _forms(text: str, meant: Callable[[str], tuple[str, ...]]) -> tuple[str | None, str | None]:
    """What a text may mean: host with first path segment, and the widest site; None where it is
    none.
    """
    if host_name(text) is None:
        return None, None
    forms = spellings(text)[:-1]
    return next((form for form in forms if "/" in form and "://" not in form), None), meant(text)[
        -1
    ]


def nearest_name(db: Database, given: str) -> str:
    """`` (the nearest name here: x)`` of a host that is not here, or nothing where none is."""
    nearest = db.value(statements(STORED)["nearest"], {"given": given.strip().lower()})
    return f" (the nearest name here: {nearest})" if nearest else ""


def remove(db: Database, host_a: str, host_b: str | None = None) -> None:
    """Take a decision back: that on a pair, or the pin of a host.

    Raises:
        DataError: there is none. UsageError: no host name.
    """
    given_names = (host_a,) if host_b is None else (host_a, host_b)
    forms = [_stored_name(db, given_host(host)) for host in given_names]
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
    forms = spellings_in(db)(given)
    for form in forms:
        if db.value("SELECT count(*) FROM hosts WHERE host = ?", [form]):
            return form
    return forms[-1]


def listed() -> str:
    """The query of all decisions in the shape of a file of decisions."""
    return statements(STORED)["listed"]


def anything(db: Database) -> bool:
    """Whether anything is decided that binds a detection."""
    return bool(db.value("SELECT EXISTS (FROM decisions) OR EXISTS (FROM pins)"))


def digest(db: Database) -> str:
    """Of all that binds a detection; '' where nothing was decided."""
    return str(db.value(statements(STORED)["digest"]))


def contradictions(db: Database) -> list[str]:
    """What is decided twice over: pairs that are no replicas and are tied to each other by others
    that are, and replicas of which a host is never to be flagged. A line each, few of many.
    """
    if not anything(db):
        return []
    (chains, n_chains), (pinned, n_pinned) = _through_others(db), _with_pins(db)
    lines = [*chains, *pinned][:SHOWN]
    if (n := n_chains + n_pinned) > SHOWN:
        lines.append(f"and {n - SHOWN:,} more contradictions like these")
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
            f" and replicas through others: {_in_words(hosts[chain])}; they are held apart"
        )
    return lines, len(rows)


def _in_words(chain: np.ndarray) -> str:
    """``a = b = c``; of a long chain its ends, and how many hosts stand between them."""
    if len(chain) <= LONGEST_CHAIN:
        return " = ".join(chain)
    ends = LONGEST_CHAIN // 2
    between = f"({len(chain) - 2 * ends:,} more)"
    return " = ".join([*chain[:ends], between, *chain[-ends:]])


def _chain(a: np.ndarray, b: np.ndarray, start: int, goal: int) -> list[int]:
    """A shortest chain of decided replicas from one host to another, breadth first.

    Complexity: O(n log n) for n decisions.
    """
    one, other = np.concatenate([a, b]), np.concatenate([b, a])
    order = np.argsort(one, kind="stable")
    one, other = one[order], other[order]
    before, front = {start: start}, [start]
    while front and goal not in before:
        first, last = (np.searchsorted(one, front, side) for side in ("left", "right"))
        following = []
        for host, begin, end in zip(front, first.tolist(), last.tolist(), strict=True):
            for found in other[begin:end].tolist():
                if found not in before:
                    before[found] = host
                    following.append(found)
        front = following
    chain = [goal]
    while chain[-1] != start:
        chain.append(before[chain[-1]])
    return chain[::-1]


def _with_pins(db: Database) -> tuple[list[str], int]:
    """The first SHOWN, and how many there are."""
    rows = db.rows(statements(STORED)["replicas_never_flagged"], {"most": SHOWN})
    lines = [
        f"contradiction: {a} and {b} are decided to be replicas, and {host} is never to be"
        " flagged; they are not flagged"
        for a, b, host, _ in rows
    ]
    return lines, rows[0][-1] if rows else 0
