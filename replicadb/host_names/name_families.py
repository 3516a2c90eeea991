"""Families by pattern: where the hosts below a name are copies of one host, a rule for all of them,
with its exceptions and its error on hosts that it was not learned from.

Invariant: a copy is a host that the last detection drops for the rule's host; every other host that
is known below the name is an exception, and is in no list but as one that stays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from replicadb.changeable import is_number
from replicadb.errors import DataError, UsageError, need_count
from replicadb.explanation.lookup import rows_of
from replicadb.learning.intervals import wilson
from replicadb.stage_constants import ALIASES
from replicadb.store.database import Database
from replicadb.store.run_log import need_detection
from replicadb.store.site_spellings import known_host
from replicadb.store.statements import statements

STEM = "names/20_families"
NAMES = "functions/65_names"
SCHEMA = pa.schema(
    [
        ("pattern", pa.string()),
        ("keep", pa.string()),
        ("hosts", pa.int64()),
        ("copies", pa.int64()),
        ("exceptions", pa.int64()),
        ("held_out", pa.int64()),
        ("wrong", pa.int64()),
        ("error", pa.float64()),
        ("error_at_most", pa.float64()),
        ("expected_wrong", pa.float64()),
        ("pages", pa.int64()),
    ]
)


@dataclass(frozen=True)
class Family:
    """A rule: hosts of a pattern are copies of one host."""

    pattern: str
    """``*.`` and a name."""
    keep: str
    """The host that they are copies of."""
    hosts: int
    """Known hosts of the pattern but for that one."""
    copies: int
    held_out: int
    """Of them that were held out when the rest gave the rule all the same."""
    wrong: int
    """Of those, that are no copies."""
    expected_wrong: float | None
    """How many of the copies the detection expects to be none. None under method paper."""
    pages: int
    """Of the copies."""
    exceptions: list[str]
    """Hosts of the pattern that are no copies, the kept one among them where it is of it."""
    bare_is_copy: bool
    """Whether the name itself, which no pattern ``*.`` reaches, is a copy, too."""
    www_apart: bool = False
    """Whether names that differ by ``www`` and a number alone go to several hosts."""
    ports_apart: list[str] = field(default_factory=list)
    """Copies that have no port in common with the kept host, the bare name among them."""
    other_port: bool = False
    """Whether the kept host is known at other ports than those of the schemes alone."""

    def row(self) -> dict[str, Any]:
        """As SCHEMA has it."""
        return {
            **{name: getattr(self, name) for name in SCHEMA.names if hasattr(self, name)},
            "exceptions": len(self.exceptions),
            "error": self.wrong / self.held_out if self.held_out else None,
            "error_at_most": wilson(self.wrong, self.held_out)[1],
        }


@dataclass(frozen=True)
class Families:
    """All rules, of nested patterns one, and how such rules do."""

    rules: list[Family]
    held_out: int
    """Hosts held out of a fold in which the rest gave a rule, that one among the others or not."""
    wrong: int
    hosts: int
    """Hosts that stand below a name."""
    places: int
    """Rows that were counted: of each host one for each name above it."""

    def table(self) -> pa.Table:
        """A row a rule, what reaches most first."""
        return pa.Table.from_pylist([rule.row() for rule in self.rules], schema=SCHEMA)


def families(
    db: Database,
    host: str | None = None,
    min_hosts: int | None = None,
    max_error: float | None = None,
    announce: Callable[[int, int], None] = lambda hosts, places: None,
) -> Families:
    """Find the families of the last detection.

    Args:
        host: only the rules that it is a copy, the kept host or an exception of; in any spelling.
        min_hosts: copies below a name from which it is a family.
        max_error: the share of its hosts that may be no copies, at most.
        announce: called with hosts and rows before the work.

    Raises:
        DataError: no detection yet, an unknown host, or sites that are no hosts. UsageError: a
            number that is out of range.
    """
    need_detection(db)
    given = {
        "min_hosts": need_count(
            "min_hosts", ALIASES.min_hosts if min_hosts is None else min_hosts, 1
        ),
        "max_error": error_share(ALIASES.max_error if max_error is None else max_error),
        "most_labels": ALIASES.most_labels,
        "folds": ALIASES.folds,
    }
    need_host_names(db)
    name = None if host is None else known_host(db, host)
    sql = statements(STEM)
    with db.temporary():
        (cost,) = rows_of(db, sql["cost"], given)
        announce(cost["hosts"], cost["places"])
        db.run_once(NAMES)
        for step in ("family_hosts", "family_rules", "as_narrow", "widest"):
            db.run(STEM, given, only=step)
        rules = [Family(**_known(row)) for row in rows_of(db, sql["rules"], given)]
        (overall,) = rows_of(db, sql["overall"], given)
    if name is not None:
        rules = [rule for rule in rules if name == rule.keep or _reaches(rule, name)]
    return Families(rules, **overall, **cost)


def error_share(given: float) -> float:
    """The share of hosts that may be exceptions.

    Raises:
        UsageError: it is none.
    """
    if not (is_number(given) and 0 <= given < 1):
        raise UsageError(f"max_error is {given!r}; give a share from 0 on, below 1")
    return float(given)


def need_host_names(db: Database) -> None:
    """Raises DataError where sites are no hosts, so that no pattern of host names is of them."""
    if (site := db.value("SELECT value FROM meta WHERE key = 'site'")) != "host":
        raise DataError(
            f"{db.path}: its sites are no hosts (--site {site}), and a pattern is of host names;"
            " load it anew with --site host"
        )


def _known(row: dict[str, Any]) -> dict[str, Any]:
    lists = {name: row[name] or [] for name in ("exceptions", "ports_apart")}
    return row | lists | {"pages": row["pages"] or 0}


def _reaches(rule: Family, host: str) -> bool:
    return host.endswith(rule.pattern[1:])
