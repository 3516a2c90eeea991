"""A stage of detection: run in one transaction, remembered by a key, stale when the key is another.

Invariant: a stage's key is a digest of the data, of the settings it depends on and of the
stage before it; so a stage whose key stands in ``stages`` need not run again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from replicadb.constant_tables import changed
from replicadb.decisions import decision_store
from replicadb.errors import DataError
from replicadb.near_duplicates import near_duplicate_run
from replicadb.settings import Settings
from replicadb.store import put_aside
from replicadb.store.database import Database
from replicadb.store.profiling import Measured, measured
from replicadb.store.run_log import came_since, data_key, detected_data


@dataclass(frozen=True)
class Stage:
    """One step of detection."""

    name: str
    """As in the ``stages`` table."""
    run: Callable[[Database, Settings], dict[str, Any]]
    """Does the work inside a transaction; returns counts to show and to record."""
    depends: tuple[str, ...] = ()
    """The settings whose change makes it run again (besides the data and the stages before it)."""
    tables: tuple[str, ...] = ()
    """The tables it fills, the one it is measured by first."""
    spares: tuple[str, ...] = ()
    """Tables, of its own and of later stages, that are not emptied before it: it sees to them."""
    decided: bool = False
    """Whether what people decided makes it run again."""
    constants: tuple[Any, ...] = ()
    """Constants whose change, by a file of settings, makes it run again."""
    numbers: tuple[tuple[Any, str], ...] = ()
    """The same of single ones: constants, and a name in them."""
    edition: int = 1
    """Raised when the same data and settings give something else than before, so that older results
    are made anew.
    """

    @property
    def title(self) -> str:
        """Its name for a person: ``pair features``."""
        return self.name[3:].replace("_", " ")


def run_stage(
    db: Database,
    stage: Stage,
    settings: Settings,
    key: str,
    following: Sequence[Stage],
    profile: bool = False,
    emptied: bool = False,
    before: Callable[[Database], None] = lambda db: None,
) -> tuple[dict[str, Any], Measured]:
    """One stage in one transaction. What stages after it made from older results is forgotten.

    Args:
        key: to remember it by.
        following: the stages after it.
        profile: whether its peak memory is measured anew.
        emptied: the stage before has just run, so those results are forgotten already.
        before: else, what is to be done in the transaction before they are.

    Returns:
        What it counted, and what it took.
    """
    started = time.time()
    older = (stage, *following)
    with measured(stage.name, profile) as measure, db.timed(measure.statements), db.transaction():
        if not emptied:
            before(db)
            stale = [one.name for one in older]
            db.execute("DELETE FROM stages WHERE list_contains($stale, stage)", {"stale": stale})
            db.execute(
                "DELETE FROM meta WHERE list_contains($stale, key)",
                {"stale": [f"counts.{name}" for name in stale]},
            )
            tables = (table for one in older for table in one.tables)
            put_aside.renew(db, *(table for table in tables if table not in stage.spares))
        counts = stage.run(db, settings)
        rows = db.value(f"SELECT count(*) FROM {stage.tables[0]}")
        measure.rows = rows
        db.execute(
            "INSERT INTO stages VALUES (?, ?, now()::TIMESTAMP, ?, ?)",
            [stage.name, key, time.time() - started, rows],
        )
        db.execute("INSERT INTO meta VALUES (?, ?)", [f"counts.{stage.name}", json.dumps(counts)])
    return counts, measure


def first_key(db: Database, settings: Settings) -> str:
    """What the first stage's key is made from: the data, whether assets are left out, and with
    ``clusters`` the run of ``fingerprint`` that found them.

    Raises:
        DataError: that method has not run, or loads came or went since.
    """
    key = data_key(db)
    if not settings.reads_assets and db.value("SELECT bool_or(asset) FROM urls"):
        key = _digest([key, "pages alone"])
    if settings.clusters is None:
        return key
    return _digest([key, settings.clusters, near_duplicate_run.current_key(db, settings.clusters)])


def stale(db: Database) -> str | None:
    """What came since the last finished detection, in a few words: loads, another version of
    replicadb, decisions, clusters; None where nothing did, or none has finished.
    """
    detected = detected_data(db)
    if came := came_since(db):
        return came
    bound = db.value("SELECT value FROM meta WHERE key = 'detected_decisions'") or ""
    if detected is not None and bound != decision_store.digest(db):
        return "decisions came or went"
    last = last_settings(db)
    if last.clusters is None or detected is None:
        return None
    with contextlib.suppress(DataError):  # its clusters are stale themselves
        from_what = db.value("SELECT value FROM meta WHERE key = 'detected_from'")
        if first_key(db, last) == from_what:
            return None
    return f"other clusters by {last.clusters} came"


def last_settings(db: Database) -> Settings:
    """Those of the last detection, as far as this version knows them."""
    text = db.value(
        "SELECT settings FROM runs WHERE command = 'detect' ORDER BY run_id DESC LIMIT 1"
    )
    known = Settings.__dataclass_fields__
    return Settings().with_changes(
        **{name: value for name, value in json.loads(text or "{}").items() if name in known}
    )


def stage_key(previous: str, stage: Stage, settings: Settings, decisions: str = "") -> str:
    """A stage's key: a digest of the key before it, of the settings it depends on, and of what
    people decided (``decision_store.digest``), where it goes by that.
    """
    values = settings.as_dict()
    parts: list[Any] = [previous, stage.name, {name: values[name] for name in stage.depends}]
    if stage.edition > 1:
        parts.append(stage.edition)
    if stage.decided and decisions:
        parts.append(decisions)
    parts += [other for constants in stage.constants if (other := changed(constants))]
    single = [(name, changed(constants)) for constants, name in stage.numbers]
    parts += [{name: others[name]} for name, others in single if name in others]
    return _digest(parts)


def _digest(parts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
