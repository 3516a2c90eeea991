"""Incremental detection: after a further load, pairs of two unchanged hosts keep their features.

Invariant: what is kept is what a fresh database would compute (sql/detect/24_incremental
says why), and only while the set of hosts is the same, since every idf changes with it. After any
commit pair_features holds pairs of one detection: between stages 10 and 20 the pairs that may be
kept are stashed in kept_pairs.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import duckdb

from replicadb.detection import blocking
from replicadb.settings import Settings
from replicadb.store import foreign_keys, put_aside
from replicadb.store.database import Database
from replicadb.store.statements import statements
from replicadb.version import __version__

EDITION = 13
"""Of the features that pairs have: raised when the same data and settings give others than before,
or other digests.
"""
WORTH = 4
"""Pairs are kept where at most one host in so many is changed: half of the hosts have three
quarters of the pairs, so there would be little to keep.
"""
KEYS = ["pairs_basis", "pairs_waiting"]
"""Keys of meta: what pair_features were made from; whether some are stashed in kept_pairs."""
SETTINGS = (
    "path_max_hosts",
    "candidates",
    "min_shared",
    "max_cluster_hosts",
    "reference",
    "clusters",
)
"""Those that the features of pairs depend on."""
ON_TABLES = """
    SELECT table_name FROM duckdb_indexes() WHERE database_name = current_database()
    UNION ALL
    SELECT table_name FROM duckdb_triggers() WHERE database_name = current_database()"""


def stash(db: Database, settings: Settings) -> None:
    """After stage 10: move pairs that may still hold into kept_pairs. Where none can, drop them
    before others need the space.
    """
    stashed, found = _stashed(db), _found(db)
    same = found is not None and found == _basis(db, settings)
    if same and _few(db, _changed_norms(db)) and (stashed or _movable(db)):
        if not stashed:
            foreign_keys.release(db, "internal.pair_features")
            db.execute("ALTER TABLE pair_features RENAME TO kept_pairs")
            put_aside.moved(db, "pair_features", "kept_pairs")
            db.execute("INSERT INTO meta VALUES ('pairs_waiting', 'yes')")
            db.run("schema/22_pairs", only="pair_features")
        return
    drop(db)
    put_aside.renew(db, "pair_features", "host_digests")


def restore(db: Database, settings: Settings) -> dict[str, int] | None:
    """In stage 20, when all that pairs of all hosts are made of is at hand: move the pairs that
    still hold back into pair_features, and let only changed hosts be compared.

    Returns:
        The parameters that :func:`blocking.first_hosts` gives; None where all pairs have to be
        made.
    """
    for name in ("norms", "digests"):
        db.run("detect/24_incremental", only=name)
    if not _stashed(db):
        return None
    db.run("detect/24_incremental", only="changed")
    few = _few(db, db.value("SELECT count(*) FROM first_hosts"))
    if _found(db) != _basis(db, settings) or not few or _held(db, "kept_pairs"):
        drop(db)
        return None
    put_aside.take_out(db, "pair_features", "kept_pairs", "first_hosts")
    db.run("detect/24_incremental", only="drop_pairs")
    db.drop("internal.pair_features")
    foreign_keys.release(db, "internal.kept_pairs")
    db.execute("ALTER TABLE kept_pairs RENAME TO pair_features")
    db.execute("DELETE FROM meta WHERE key = 'pairs_waiting'")
    return blocking.first_hosts(db)


def drop(db: Database) -> None:
    """What may be stashed holds no more; until the end it may be put back."""
    if _stashed(db) and not put_aside.holds(db, "pair_features"):
        db.drop("internal.kept_pairs")
    db.execute("DELETE FROM meta WHERE list_contains($keys, key)", {"keys": KEYS})


def remember(db: Database, settings: Settings) -> None:
    """At the end of stage 20: store the digests for the next detection. With a reference load there
    are too few pairs to keep.
    """
    put_aside.renew(db, "host_digests")
    db.execute("DELETE FROM meta WHERE key = 'pairs_basis'")
    if settings.reference is None:
        db.run("detect/24_incremental", only="remember")
        db.execute("INSERT INTO meta VALUES ('pairs_basis', ?)", [_basis(db, settings)])


def _basis(db: Database, settings: Settings) -> str:
    """A digest of what all pairs depend on: the set of hosts, settings, versions."""
    hosts: list[Any] = list(
        db.rows("SELECT count(*), coalesce(sum(hash(host_id)), 0)::VARCHAR FROM hosts")[0]
    )
    values = settings.as_dict()
    used = {name: values[name] for name in SETTINGS} | {"assets": settings.reads_assets}
    basis = [hosts, used, EDITION, __version__, duckdb.__version__]
    return hashlib.sha256(json.dumps(basis).encode()).hexdigest()


def _few(db: Database, changed: int) -> bool:
    return bool(changed * WORTH <= db.value("SELECT count(*) FROM hosts"))


def _changed_norms(db: Database) -> int:
    with db.temporary():
        db.run("detect/24_incremental", only="norms")
        return int(db.value(statements("detect/24_incremental")["changed_norms"]))


def _stashed(db: Database) -> bool:
    """Whether there are pairs in kept_pairs."""
    return db.value("SELECT value FROM meta WHERE key = 'pairs_waiting'") is not None


def _found(db: Database) -> str | None:
    """What the pairs that there are were made from."""
    found: str | None = db.value("SELECT value FROM meta WHERE key = 'pairs_basis'")
    return found


def _movable(db: Database) -> bool:
    """Whether pair_features can be renamed: not where somebody has made an index or a trigger on
    it, or has a table or view of the other name.
    """
    taken = db.value(f"SELECT count(*) FROM ({put_aside.STANDS}) WHERE table_name = 'kept_pairs'")
    return not taken and not _held(db, "pair_features")


def _held(db: Database, table: str) -> bool:
    """Whether somebody's index or trigger is on it: with one DuckDB renames no table."""
    return bool(
        db.value(f"SELECT count(*) FROM ({ON_TABLES}) WHERE table_name = $table", {"table": table})
    )
