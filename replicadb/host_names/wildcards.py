"""Wildcards: names below which hosts answer as one site, by all their pages together.

Invariant: no two hosts are paired, so the cost is that of their pages; and what a host is, alike or
an exception, goes by pages at paths that another host below the name has. Source:
docs/drops.md#wildcards, sql/names/25_wildcards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from replicadb.errors import DataError, need_count
from replicadb.explanation.lookup import rows_of
from replicadb.host_names.name_families import NAMES, error_share, need_host_names
from replicadb.learning.intervals import wilson
from replicadb.near_duplicates.loaded_contents import stage_near_contents
from replicadb.stage_constants import ALIASES
from replicadb.store.database import Database
from replicadb.store.site_spellings import known_host
from replicadb.store.statements import statements
from replicadb.web.urls import given_host, refanged, spellings

STEM = "names/25_wildcards"
STEPS = (
    "wildcard_pages",
    "wildcard_paths",
    "wildcard_hosts",
    "wildcard_rules",
    "as_narrow",
    "widest",
)
NUMBERS = ("most_labels", "agree_share", "compared_share", "least_contents")
"""Of ALIASES, those that no option changes."""
LEAST_HOSTS = 2
"""Of a wildcard: one host is like no other. A family may be of one, by the same setting."""
SCHEMA = pa.schema(
    [
        ("pattern", pa.string()),
        ("name", pa.string()),
        ("hosts", pa.int64()),
        ("compared", pa.int64()),
        ("alike", pa.int64()),
        ("exceptions", pa.int64()),
        ("error", pa.float64()),
        ("error_at_most", pa.float64()),
        ("pages", pa.int64()),
        ("pages_compared", pa.int64()),
        ("pages_agree", pa.int64()),
        ("contents", pa.int64()),
    ]
)


@dataclass(frozen=True)
class Wildcard:
    """A rule: hosts of a pattern answer as one site."""

    pattern: str
    """``*.`` and a name."""
    name: str
    """The host that stands for all: the name itself where it is alike, else ``www.`` and it, else
    the alike host of most pages.
    """
    hosts: int
    """Known hosts of the pattern."""
    compared: int
    """Of them, with a page at a path that another one has."""
    alike: int
    """Of those, whose pages there are the usual ones."""
    pages: int
    """Of all hosts, a path once a host, where its content is known."""
    pages_compared: int
    """Of them, at paths that several hosts have."""
    pages_agree: int
    """Of those, with the content that most have there, two at least."""
    contents: int
    """Different ones of these contents."""
    exceptions: list[str]
    """Hosts that were compared and are not alike."""

    def row(self) -> dict[str, Any]:
        """As SCHEMA has it; error = the share of exceptions, with Wilson's bound, 95 %."""
        wrong = len(self.exceptions)
        return {
            **{name: getattr(self, name) for name in SCHEMA.names if hasattr(self, name)},
            "exceptions": wrong,
            "error": wrong / self.compared,
            "error_at_most": wilson(wrong, self.compared)[1],
        }


@dataclass(frozen=True)
class Wildcards:
    """All rules, of nested patterns one."""

    rules: list[Wildcard]
    looked_at: int
    """Hosts below a name with enough others."""
    rows: int
    """Pages that were read: of each host once for each such name above it."""

    def table(self) -> pa.Table:
        """A row a rule, that of most alike hosts first."""
        return pa.Table.from_pylist([rule.row() for rule in self.rules], schema=SCHEMA)


def wildcards(
    db: Database,
    host: str | None = None,
    min_hosts: int | None = None,
    max_error: float | None = None,
    announce: Callable[[int, int], None] = lambda hosts, rows: None,
) -> Wildcards:
    """Find the wildcards of a crawl, detected or not.

    Args:
        host: only the rules whose pattern it is of, or whose name it is; in any spelling. A pattern
            and the name in it may be given, too, though no page of that name is known.
        min_hosts: alike hosts below a name from which it is a wildcard, two at least; None what the
            settings say.
        max_error: the share of compared hosts that may be exceptions, at most.
        announce: called with hosts and rows of pages before these are read.

    Raises:
        DataError: nothing is loaded, an unknown host, or sites that are no hosts. UsageError: a
            number that is out of range.
    """
    given = {
        "min_hosts": need_count(
            "min_hosts",
            max(ALIASES.min_hosts, LEAST_HOSTS) if min_hosts is None else min_hosts,
            LEAST_HOSTS,
        ),
        "max_error": error_share(ALIASES.max_error if max_error is None else max_error),
        **{name: getattr(ALIASES, name) for name in NUMBERS},
    }
    if not db.value("SELECT count(*) FROM hosts"):
        raise DataError(f"{db.path}: no URLs in it yet; begin with: replicadb load {db.path} FILE")
    need_host_names(db)
    name = None if host is None else _asked_for(db, host)
    sql = statements(STEM)
    with db.temporary():
        db.run(STEM, given, only="wildcard_names")
        (cost,) = rows_of(db, sql["cost"], given)
        announce(cost["looked_at"], cost["rows"])
        stage_near_contents(db)
        db.run_once(NAMES)
        for step in STEPS:
            db.run(STEM, given, only=step)
        rules = [
            Wildcard(**row | {"exceptions": row["exceptions"] or []})
            for row in rows_of(db, sql["wildcards"], given)
        ]
    if name is not None:
        rules = [r for r in rules if name == r.name or f".{name}".endswith(r.pattern[1:])]
    return Wildcards(rules, **cost)


def _asked_for(db: Database, given: str) -> str:
    """The host as it is named here, or a name below which hosts stand.

    Raises:
        DataError: there is none, nor a host below it.
    """
    given = given.strip().removeprefix("*.")
    try:
        return known_host(db, given)
    except DataError:
        for name in spellings(refanged(given_host(given))):
            if db.value("SELECT count(*) FROM hosts WHERE ends_with(host, '.' || ?)", [name]):
                return name
        raise
