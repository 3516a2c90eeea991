"""The schema of the file: made when it is new, brought up to date when an older version made it.

Always true here: a database that opens has the tables and views that this version knows.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import duckdb

from replicadb.errors import DataError
from replicadb.version import __version__

if TYPE_CHECKING:
    from replicadb.store.database import Database

APPLICATION = "replicadb"
SCHEMA_VERSION = 9
SAME_LOADS = 5
"""Databases of this version differ in what detection makes alone: what was loaded is kept, and
detection is to be run again.
"""
DETECTED = (
    "settings",
    "dup_clusters",
    "cluster_hosts",
    "near_contents",
    "shared_paths",
    "shared_tails",
    "host_stats",
    "pair_features",
    "host_digests",
    "non_replicas",
    "cuts",
    "patterns",
    "em_history",
    "pattern_scores",
    "evidence_weights",
    "evidence_interactions",
    "partners",
    "ranking",
    "members",
)
"""The tables of sql/schema/20_detected that detection fills."""


def check(db: Database) -> None:
    try:
        found = dict(db.rows("SELECT key, value FROM meta"))
    except duckdb.Error:  # no such table, or somebody else's of that name
        if db.column(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"
        ):
            raise DataError(
                f"{db.path}: a DuckDB database, but not one of replicadb; choose another file name"
            ) from None
        if db.read_only:
            raise DataError(
                f"{db.path}: an empty database; load a crawl first: replicadb load {db.path} SOURCE"
            ) from None
        with db.transaction():
            for stem in (
                "schema/10_loaded",
                "schema/20_detected",
                "schema/30_views",
                "schema/60_comments",
            ):
                db.run(stem)
            db.execute(
                "INSERT INTO meta VALUES ('application', ?), ('schema_version', ?),"
                " ('created_by', ?)",
                [APPLICATION, str(SCHEMA_VERSION), __version__],
            )
        return
    if found.get("application") != APPLICATION:
        raise DataError(
            f"{db.path}: a DuckDB database, but not one of replicadb; choose another file name"
        )
    version = int(found.get("schema_version", 0))
    if SAME_LOADS <= version < SCHEMA_VERSION:
        _forget_detection(db, version)
    elif version < SCHEMA_VERSION:
        raise DataError(
            f"{db.path}: made by an older replicadb (schema {version}, this one needs"
            f" {SCHEMA_VERSION}); load the crawl into a new file: replicadb load NEW SOURCE"
        )
    if version > SCHEMA_VERSION:
        raise DataError(
            f"{db.path}: made by a newer replicadb (schema {version}, this one knows "
            f"{SCHEMA_VERSION}); upgrade with: pip install -U replicadb"
        )


def _forget_detection(db: Database, version: int) -> None:
    """Bring a database whose loads are as this version has them up to date: tables of results
    are made anew, empty.
    """
    if db.read_only:
        raise DataError(
            f"{db.path}: made by an older replicadb (schema {version}, this one needs"
            f" {SCHEMA_VERSION}); bring it up to date: replicadb detect {db.path}"
        )
    with db.transaction():
        if db.column("SELECT key FROM meta WHERE key = 'pairs_waiting'"):
            db.execute("DROP TABLE kept_pairs")
        for table in DETECTED:
            db.execute(f"DROP TABLE IF EXISTS {table}")
            db.run("schema/20_detected", only=table)
        db.run("functions/30_digests")
        for stem in (
            "functions/10_hashes",
            "migrations/09_hashes",
            "schema/30_views",
            "schema/60_comments",
        ):
            db.run(stem)
        db.execute("DELETE FROM stages")
        db.execute(
            "DELETE FROM meta WHERE key IN ('detected_data', 'detected_from', 'pairs_basis',"
            " 'pairs_waiting') OR starts_with(key, 'counts.')"
        )
        db.execute("UPDATE meta SET value = ? WHERE key = 'schema_version'", [str(SCHEMA_VERSION)])
    warnings.warn(
        f"{db.path}: made by an older replicadb; what was loaded is kept, what was detected"
        " is gone: detect again",
        stacklevel=2,
    )
