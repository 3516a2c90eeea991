"""Detections that were given a name, each kept beside the current one.

Invariant: a named run is a copy that nothing changes afterwards, neither loads nor detections; the
same name again takes its place, or leaves it where data and settings are the same. The tables that
all else reads are those of the current detection.
"""

from __future__ import annotations

import json
from typing import Any

from replicadb.detection import pipeline
from replicadb.errors import DataError, UsageError
from replicadb.likely_meant import did_you_mean
from replicadb.settings import KEEP, OLD_VALUES, Settings
from replicadb.store.database import Database
from replicadb.store.run_log import detected_data

CURRENT = "current"
"""What the detection is called that all views show."""
LONGEST = 100
"""Characters of a name."""
FEW_NAMED = 3
"""Hosts of ``--keep`` that are shown by name."""
LAST = """
    SELECT run_id, started_at, version, settings::VARCHAR FROM runs
    WHERE command = 'detect' ORDER BY run_id DESC LIMIT 1"""
LISTED = """
    SELECT name, detected_at, version, settings, loads, candidate_pairs, flagged_pairs,
        flagged_hosts
    FROM named_runs ORDER BY run_id"""
SAME_THING = {"files_probability": "min_probability"}
"""A setting that follows another one is not reported beside it."""


def valid_name(name: str) -> str:
    """The name of a run, without blanks around it.

    Raises:
        UsageError: an empty, long, unprintable or reserved one.
    """
    name = name.strip() if isinstance(name, str) else ""
    if not name or len(name) > LONGEST or not name.isprintable():
        raise UsageError(f"a run's name has 1 to {LONGEST} printable characters")
    if name == CURRENT:
        raise UsageError(f"{CURRENT} is what the last detection is called; choose another name")
    return name


def keep(db: Database, name: str) -> None:
    """Put the current detection, which has just been done, aside under that name, in one
    transaction.
    """
    run_id, detected_at, version, settings = db.rows(LAST)[0]
    older = db.rows("SELECT run_id, key FROM named_runs WHERE name = ?", [name])
    key = current_key(db)
    if older and older[0][1] == key:
        return
    with db.transaction():
        db.run(
            "runs/10_named_run",
            {
                "run_id": run_id,
                "name": name,
                "detected_at": detected_at,
                "version": version,
                "settings": settings,
                "loads": db.column("SELECT name FROM loads ORDER BY load_id"),
                "key": key,
                "older": older[0][0] if older else None,
            },
        )


def forget(db: Database, name: str) -> None:
    """Take a named run out.

    Raises:
        DataError: there is none of that name. UsageError: it is the current one.
    """
    if name == CURRENT:
        raise UsageError(f"{name} is the last detection, which stays; name one of: detect --name")
    need(db, name)
    older = db.value("SELECT run_id FROM named_runs WHERE name = ?", [name])
    with db.transaction():
        for table in ("named_run_pairs", "named_run_hosts", "named_runs"):
            db.execute(f"DELETE FROM {table} WHERE run_id = ?", [older])


def need(db: Database, name: str, *meant: str) -> None:
    """Raises DataError where there is no named run of that name; ``meant`` may be meant, too."""
    names = db.column("SELECT name FROM named_runs ORDER BY run_id")
    if name not in names:
        there = f"there are: {', '.join(names)}" if names else "no detection was given a name yet"
        raise DataError(
            f"no run called {name!r}{did_you_mean(name, [*names, *meant])}; {there}"
            f" (replicadb detect {db.path} --name NAME)"
        )


def listed(db: Database) -> list[dict[str, Any]]:
    """Every named run in the order in which they were detected, then the current one, where there
    is one: name, detected_at (UTC), version, settings (all), loads, candidate_pairs, flagged_pairs,
    flagged_hosts.
    """
    names = ("name", "detected_at", "version", "settings", "loads")
    counts = ("candidate_pairs", "flagged_pairs", "flagged_hosts")
    found = [dict(zip(names + counts, row, strict=True)) for row in db.rows(LISTED)]
    if current_key(db) is not None:
        _, detected_at, version, settings = db.rows(LAST)[0]
        row = (CURRENT, detected_at, version, settings, _loads_of_current(db))
        found.append(dict(zip(names, row, strict=True)) | _counts(db))
    return [run | {"settings": json.loads(run["settings"])} for run in found]


def changed_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Those settings of a run that are no defaults: its method, where it is not robust, and what
    is not as that method has it; those that this version does not know aside.
    """
    default = Settings(method=settings["method"]).as_dict() | {"method": Settings.method}
    known = {
        name: OLD_VALUES.get(name, {}).get(value, value)
        for name, value in settings.items()
        if name in default
    }
    return {
        name: value
        for name, value in known.items()
        if value != default[name]
        and not (name in SAME_THING and value == settings.get(SAME_THING[name]))
    }


def in_words(settings: dict[str, Any], name: str) -> str:
    """A setting of a run for a person. Of many hosts that ``--keep`` names their number is enough:
    such a list may have all hosts that were kept before.
    """
    value = settings.get(name)
    if name != "keep" or value is None:
        return "none" if value is None else str(value)
    items = value.split(",")
    hosts = [item for item in items if item not in KEEP]
    if len(hosts) <= FEW_NAMED:
        return str(value)
    at = items.index(hosts[0])
    return ",".join([*items[:at], f"{len(hosts):,} hosts", *(i for i in items[at:] if i in KEEP)])


def current_key(db: Database) -> str | None:
    """The key of the current detection's last stage; None where none has finished."""
    key: str | None = db.value("SELECT key FROM stages WHERE stage = ?", [pipeline.STAGES[-1].name])
    return key if detected_data(db) else None


def _counts(db: Database) -> dict[str, int]:
    return {
        "candidate_pairs": db.value("SELECT count(score_id) FROM ranking"),
        "flagged_pairs": db.value("SELECT count(*) FROM ranking WHERE flagged"),
        "flagged_hosts": db.value("SELECT count(*) FROM members WHERE host_id <> canonical_id"),
    }


def _loads_of_current(db: Database) -> list[str]:
    """The loads that are there now and came before the last detection."""
    return db.column(
        "SELECT name FROM loads WHERE loaded_at <= (SELECT max(started_at) FROM runs WHERE command"
        " = 'detect') ORDER BY load_id"
    )
