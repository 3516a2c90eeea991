"""Between which hosts pairs are made: all of them, or those of a reference load and the new ones
(sql/detect/20_comparison_order).

Always true here: each host has a place in the order of comparison, and a pair is made at the lower
of its two; so whatever hosts stand first, slices over their places make their pairs and no other.
"""

from __future__ import annotations

from replicadb.errors import UsageError
from replicadb.store.database import Database

EVERY = ("every_host", "every_cluster", "every_path", "every_tail")
FIRST = ("places", "first_compared", "first_clusters", "first_paths", "first_tails")
"""Statements of sql/detect/20_comparison_order.sql."""
VIEWS = ("compared_hosts", "compared_clusters", "compared_paths", "compared_tails")
TABLES = ("old_hosts", "first_hosts", "places")


def every_host(db: Database) -> dict[str, int]:
    """Every host is compared with every other. Returns the parameters ``last``, the last place at
    which pairs are made, and ``above``: the higher of a pair's two places is above it.
    """
    _run(db, EVERY)
    return {"last": 2**31 - 1, "above": 0}


def first_hosts(db: Database) -> dict[str, int]:
    """Only the hosts in the temporary table first_hosts (host_id) are compared, with each other and
    with all; returns as :func:`every_host`.
    """
    _run(db, FIRST)
    return {"last": db.value("SELECT count(*) FROM first_hosts"), "above": 0}


def with_reference(db: Database, reference: str) -> dict[str, int]:
    """Only hosts of that load are compared with hosts that are not of it; returns as
    :func:`every_host`.

    Raises:
        UsageError: there is no such load.
    """
    old_hosts(db, reference)
    _run(db, ("new_hosts",))
    first = first_hosts(db)
    return first | {"above": first["last"]}


def old_hosts(db: Database, reference: str) -> None:
    """Make the temporary table old_hosts (host_id): the hosts of the load with that label.

    Raises:
        UsageError: there is no such load.
    """
    names = db.column("SELECT name FROM loads ORDER BY load_id")
    if reference not in names:
        raise UsageError(
            f"no load is called {reference!r}; there are:"
            f" {', '.join(repr(name) for name in names[:20])}"
        )
    db.run("detect/20_comparison_order", {"reference": reference}, only="old_hosts")


def forget(db: Database) -> None:
    """Drop what the functions above made."""
    for view in VIEWS:
        db.execute(f"DROP VIEW IF EXISTS {view}")
    for table in TABLES:
        db.execute(f"DROP TABLE IF EXISTS {table}")


def _run(db: Database, names: tuple[str, ...]) -> None:
    for name in names:
        db.run("detect/20_comparison_order", only=name)
