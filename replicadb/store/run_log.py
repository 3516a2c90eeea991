"""The log of what was done to a database (the table ``runs``), and the digest of what is loaded in
it.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from typing import Any

import duckdb

from replicadb.errors import DataError
from replicadb.store.database import Database
from replicadb.store.older_schemas import ASIDE
from replicadb.store.schema import SAME_LOADS
from replicadb.version import __version__

LAST_STAGE = "70_replica_groups"
"""Its row in ``stages`` says that a detection is done."""


def record(
    db: Database, command: str, started: float, settings: dict[str, Any], counts: dict[str, Any]
) -> None:
    """Add one row to ``runs``. started is seconds since 1970; settings and counts are
    kept as JSON.
    """
    db.execute(
        "INSERT INTO runs (run_id, command, started_at, seconds, version, duckdb, settings, counts)"
        " SELECT coalesce(max(run_id), 0) + 1, ?, make_timestamp((? * 1000000)::BIGINT), ?, ?, ?,"
        " ?, ? FROM runs",
        [
            command,
            started,
            time.time() - started,
            __version__,
            duckdb.__version__,
            json.dumps(settings),
            json.dumps(counts),
        ],
    )


def in_a_line(counts: Mapping[str, Any]) -> str:
    """Counts as a person reads them, in one line."""
    return ", ".join(f"{name.replace('_', ' ')} {_shown(value)}" for name, value in counts.items())


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"({in_a_line(value)})"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def need_detection(db: Database) -> None:
    """Raises DataError where no detection has finished, or the last one has yet to be put back."""
    if db.value("SELECT count(*) FROM meta WHERE key = $key", {"key": ASIDE}):
        raise DataError(
            f"{db.path}: its last detection was stopped, or is under way; what was found before is"
            " back when the database is opened again"
        )
    if db.value("SELECT count(*) FROM stages WHERE stage = ?", [LAST_STAGE]):
        return
    if db.value("SELECT count(*) FROM stages"):
        raise DataError(
            f"{db.path}: its detection was stopped before it was done; the same command again does"
            f" the rest: replicadb detect {db.path}"
        )
    raise DataError(
        f"{db.path}: no replicas in it yet; find them first: replicadb detect {db.path}"
    )


def nothing_loaded(db: Database) -> str | None:
    """What to do where all that was loaded is gone; None where something is there."""
    if db.value("SELECT count(*) FROM urls"):
        return None
    return f"nothing is loaded any more; load a crawl first: replicadb load {db.path} SOURCE"


def detected_data(db: Database) -> str | None:
    """The data key of the last finished detection; differs from :func:`data_key` when loads came or
    went since, or another version of replicadb.
    """
    key: str | None = db.value("SELECT value FROM meta WHERE key = 'detected_data'")
    return key


def loads_since(db: Database) -> bool:
    """Whether loads came or went since the last finished detection, by whatever version."""
    detected = detected_data(db)
    version = db.value(
        "SELECT version FROM runs WHERE command = 'detect' ORDER BY run_id DESC LIMIT 1"
    )
    return detected not in (None, data_key(db), data_key(db, version))


def came_since(db: Database) -> str | None:
    """What the last finished detection did not see, in a few words: loads or another version of
    replicadb; None where nothing came, or none has finished.
    """
    if loads_since(db):
        return "loads came or went"
    if detected_data(db) not in (None, data_key(db)):
        return "another version of replicadb came"
    return None


def data_key(db: Database, version: str | None = None) -> str:
    """A digest of what is loaded: the sources in order, and how each was taken; and of a version of
    replicadb, None: of this one.
    """
    sources = db.rows(
        "SELECT source_id, sha256, kept, replaced, skipped, rejected FROM sources ORDER BY"
        " source_id"
    )
    return hashlib.sha256(
        json.dumps([SAME_LOADS, version or __version__, sources]).encode()
    ).hexdigest()
