"""The public suffix list as a table, so that a million host names are split in one join.

Source: publicsuffix.org, as shipped by the package publicsuffixlist.
"""

from __future__ import annotations

from functools import cache

import pyarrow as pa

from replicadb.store.database import Database
from replicadb.web.domains import public_suffixes


@cache
def rules() -> pa.Table:
    """The list as ``(rule, kind, private)``, as :func:`public_suffixes` has it."""
    names = ["rule", "kind", "private"]
    columns = [list(column) for column in zip(*public_suffixes(), strict=True)]
    return pa.table(columns, names=names)


@cache
def most_labels() -> int:
    """Of a rule of the list."""
    return int(max(rule.count(".") + 1 for rule in rules().column("rule").to_pylist()))


def stage_rules(db: Database) -> None:
    """Show the list to the connection as ``public_suffixes``; once is enough."""
    db.register("public_suffixes", rules())


def split_names(db: Database, host_names: str) -> None:
    """Make the temporary table ``names`` (host_name, domain, suffix, name) for the query's host
    names.

    Needs :func:`stage_rules` before.
    """
    db.execute(f"CREATE OR REPLACE TEMP VIEW name_queue AS {host_names}")
    db.run("load/30_host_names", {"most_labels": most_labels()})
