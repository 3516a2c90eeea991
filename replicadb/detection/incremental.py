"""What of the last detection's pairs still holds after a further load: those of two hosts nothing
of which is another.

Always true here: what is kept is what a fresh database would measure (sql/detect/24_incremental
says why), and only while the set of hosts is the same, since with it every rarity changes; after
any commit pair_features holds pairs of one detection: between stages 10 and 20 those that may be
kept wait in kept_pairs.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import duckdb

from replicadb.detection import compared
from replicadb.settings import Settings
from replicadb.store.database import Database
from replicadb.store.statements import statements
from replicadb.version import __version__

EDITION = 2
"""Of the features that pairs have: raised when the same data and settings give others than before,
or other digests.
"""
WORTH = 4
"""Pairs are kept where at most one host in so many is touched: half of the hosts have three
quarters of the pairs, so there would be little to keep.
"""
KEYS = ["pairs_basis", "pairs_waiting"]
"""Keys of meta: what pair_features were made from; whether some wait in kept_pairs."""
SETTINGS = (
    "path_max_hosts",
    "candidates",
    "min_shared",
    "max_cluster_hosts",
    "reference",
    "clusters",
)
"""Those that the features of pairs hang on."""


def set_aside(db: Database, settings: Settings) -> None:
    """After stage 10: pairs that may still hold wait in kept_pairs; where none can, they are
    dropped (before others need the space).
    """
    waiting = _waiting(db)
    if _found(db) == _basis(db, settings) and _few(db, _moved(db)) and (waiting or _movable(db)):
        if not waiting:
            db.execute("ALTER TABLE pair_features RENAME TO kept_pairs")
            db.execute("INSERT INTO meta VALUES ('pairs_waiting', 'yes')")
            db.run("schema/20_detected", only="pair_features")
        return
    drop(db)
    db.renew("pair_features", "host_digests")


def take_up(db: Database, settings: Settings) -> dict[str, int] | None:
    """In stage 20, when all that pairs of all hosts are made of is at hand: put the pairs that
    still hold back into pair_features, and let only the hosts be compared that are touched.

    Returns:
        The parameters that :func:`compared.first_hosts` gives; None where all pairs have to be
        made.
    """
    db.run("detect/24_incremental", only="digests")
    if not _waiting(db):
        return None
    db.run("detect/24_incremental", only="touched")
    if (
        _found(db) != _basis(db, settings)
        or not _few(db, db.value("SELECT count(*) FROM first_hosts"))
        or _indexed(db, "kept_pairs")
    ):
        drop(db)
        return None
    db.run("detect/24_incremental", only="drop_pairs")
    db.execute("DROP TABLE pair_features")
    db.execute("ALTER TABLE kept_pairs RENAME TO pair_features")
    db.execute("DELETE FROM meta WHERE key = 'pairs_waiting'")
    return compared.first_hosts(db)


def drop(db: Database) -> None:
    """What may have been set aside holds no more."""
    if _waiting(db):
        db.execute("DROP TABLE kept_pairs")
    db.execute("DELETE FROM meta WHERE list_contains($keys, key)", {"keys": KEYS})


def remember(db: Database, settings: Settings) -> None:
    """At the end of stage 20: keep the digests for the next detection; with a reference load there
    are too few pairs to keep.
    """
    db.renew("host_digests")
    db.execute("DELETE FROM meta WHERE key = 'pairs_basis'")
    if settings.reference is None:
        for name in ("norms", "remember"):
            db.run("detect/24_incremental", only=name)
        db.execute("INSERT INTO meta VALUES ('pairs_basis', ?)", [_basis(db, settings)])
    db.execute("DROP VIEW IF EXISTS norms")
    db.execute("DROP TABLE IF EXISTS digests")


def _basis(db: Database, settings: Settings) -> str:
    """A digest of what all pairs hang on: the set of hosts, settings, versions."""
    hosts: list[Any] = list(
        db.rows("SELECT count(*), coalesce(sum(hash(host_id)), 0)::VARCHAR FROM hosts")[0]
    )
    values = settings.as_dict()
    return hashlib.sha256(
        json.dumps(
            [
                hosts,
                {name: values[name] for name in SETTINGS},
                EDITION,
                __version__,
                duckdb.__version__,
            ]
        ).encode()
    ).hexdigest()


def _few(db: Database, touched: int) -> bool:
    return touched * WORTH <= db.value("SELECT count(*) FROM hosts")


def _moved(db: Database) -> int:
    db.run("detect/24_incremental", only="norms")
    moved = db.value(statements("detect/24_incremental")["moved"])
    db.execute("DROP VIEW norms")
    return moved


def _waiting(db: Database) -> bool:
    """Whether there are pairs set aside."""
    return db.value("SELECT value FROM meta WHERE key = 'pairs_waiting'") is not None


def _found(db: Database) -> str | None:
    """What the pairs that there are were made from."""
    return db.value("SELECT value FROM meta WHERE key = 'pairs_basis'")


def _movable(db: Database) -> bool:
    """Whether pair_features can be renamed: not where somebody has made an index on it, or has a
    table of that name.
    """
    return not _indexed(db, "pair_features") and not db.value(
        "SELECT count(*) FROM duckdb_tables() WHERE database_name = current_database() AND"
        " table_name = 'kept_pairs'"
    )


def _indexed(db: Database, table: str) -> bool:
    return (
        db.value(
            "SELECT count(*) FROM duckdb_indexes() WHERE database_name = current_database() AND"
            " table_name = $table",
            {"table": table},
        )
        > 0
    )
