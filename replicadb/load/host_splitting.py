"""The public suffix list as a table, so that a million host names are split in one join.

Invariant: rules are in their IDNA ASCII form, as stored hosts are. Source: publicsuffix.org,
as shipped by the package publicsuffixlist.
"""

from __future__ import annotations

from functools import cache

import can_ada
import pyarrow as pa
from publicsuffixlist import PSLFILE

from replicadb.store.database import Database


@cache
def rules() -> pa.Table:
    """The list as ``(rule, kind, private)``; kind is normal, wildcard (its ``*.`` cut off) or
    exception (``!``).
    """
    private, rows = False, []
    with open(PSLFILE, encoding="utf-8") as lines:
        for line in lines:
            if "===BEGIN PRIVATE" in line:
                private = True
            rule = line.split()[0] if line.strip() and not line.startswith("//") else None
            if rule is None:
                continue
            kind = (
                "wildcard"
                if rule.startswith("*.")
                else "exception"
                if rule.startswith("!")
                else "normal"
            )
            bare = rule.removeprefix("*.").removeprefix("!")
            rows.append(
                (bare if bare.isascii() else can_ada.idna_encode(bare).decode(), kind, private)
            )
    return pa.table(
        [list(column) for column in zip(*rows, strict=True)], names=["rule", "kind", "private"]
    )


def stage_rules(db: Database) -> None:
    """Show the list to the connection as ``public_suffixes``; once is enough."""
    db.register("public_suffixes", rules())


def split_names(db: Database, host_names: str) -> None:
    """Make the temporary table ``names`` (host_name, domain, suffix, name) for the query's host
    names.

    Needs :func:`stage_rules` before.
    """
    db.execute(f"CREATE OR REPLACE TEMP VIEW name_queue AS {host_names}")
    db.run("load/30_host_names")
