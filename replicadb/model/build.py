"""A model made of what detection stored, and written; the model of a database, made where it is
missing or stale.

Invariant: the database is read, never changed (temporary tables aside); the key of a model
is that of the detection's last stage, so that a model is stale exactly when a detection with other
data or settings has run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from replicadb.constant_tables import all_changed
from replicadb.errors import DataError, UsageError
from replicadb.model import model_file
from replicadb.model.model import Model
from replicadb.model.model_arrays import Progress, arrays_of
from replicadb.model.pair_classifier import tables_of
from replicadb.model.shared_items import ITEM_KINDS
from replicadb.store.atomic_file import is_duckdb
from replicadb.store.database import Database
from replicadb.store.run_log import LAST_STAGE, came_since, need_detection, nothing_loaded
from replicadb.store.scratch_folder import scratch_folder
from replicadb.version import __version__

EDITION = 3
"""Of what a model says of a detection: raised when it is another than before."""
KIND_SETTINGS = ("kinds.", "robust.may_be")
"""Constants that models go by when they score."""
MEMORY = 3 * 10**9
"""Bytes of DuckDB's while a model is made; more spills to disk."""


def key_of(db: Database, current: str, detected: str | None) -> str:
    """What tells this detection's model from others.

    Args:
        current, detected: keys of what is loaded and of what the last detection saw
            (``run_log.data_key``, ``detected_data``).

    Raises:
        DataError: no detection, nothing loaded any more, or loads or another version came since.
            UsageError: it was not by method robust.
    """
    stage = db.value("SELECT key FROM stages WHERE stage = ?", [LAST_STAGE])
    need_detection(db)
    if empty := nothing_loaded(db):
        raise DataError(f"{db.path}: {empty}")
    if current != detected:
        raise DataError(
            f"{db.path}: {came_since(db)} since the last detection; bring it up to date:"
            f" replicadb detect {db.path}"
        )
    if settings_of(db)["method"] != "robust":
        raise UsageError(
            f"models are for method robust; detect with it first: replicadb detect {db.path}"
            " --method robust"
        )
    if other := _looked_at_otherwise(db):
        raise DataError(
            f"{db.path}: detected with another {other} than is in force, and models say what pairs"
            f" look like by what is; bring it up to date: replicadb detect {db.path}"
        )
    if not db.value("SELECT count(*) FROM evidence_weights"):
        raise DataError(
            f"{db.path}: no candidate pairs, so nothing to score by; load more of the crawl"
        )
    return hashlib.sha256(f"{model_file.FORMAT}.{EDITION} {stage}".encode()).hexdigest()


def _looked_at_otherwise(db: Database) -> str | None:
    """A constant of kinds, from a file of settings, that the last detection had otherwise."""
    text = db.value("SELECT value FROM meta WHERE key = 'detected_constants'")
    had, has = json.loads(text or "{}"), all_changed()
    differ = (key for key in sorted({*had, *has}) if had.get(key) != has.get(key))
    return next((key for key in differ if key.startswith(KIND_SETTINGS)), None)


def open_for(db: Database, key: str, progress: Progress | None = None) -> Model:
    """The model of a database, from the file beside it (NAME.model); made anew where that is
    missing, damaged or of other data or settings. In a folder that cannot be written, and for a
    database in memory, it is a temporary file, gone when the model is.

    Raises:
        DataError: the disk is full.
    """
    path = Path(f"{db.path}.model")
    with contextlib.suppress(DataError):
        found = model_file.ModelFile(path)
        if found.header.get("key") == key:
            return Model(found)
    if (
        db.path != ":memory:"
        and os.access(path.parent, os.W_OK)
        and (not path.exists() or model_file.is_model(path))
    ):
        write_model(db, path, key, progress)
        return Model(model_file.ModelFile(path, verify=False))
    with scratch_folder() as folder:
        write_model(db, Path(folder) / "model", key, progress)
        # mapped, so it stays while it is used
        return Model(model_file.ModelFile(Path(folder) / "model", verify=False))


def settings_of(db: Database) -> dict[str, Any]:
    """The settings of the last detection."""
    settings: dict[str, Any] = json.loads(
        db.value("SELECT settings FROM runs WHERE command = 'detect' ORDER BY run_id DESC LIMIT 1")
    )
    return settings


def write_model(db: Database, path: str | Path, key: str, progress: Progress | None = None) -> None:
    """Make the model and write it.

    Raises:
        DataError: the file cannot be written. UsageError: there is a database in its place.
    """
    if is_duckdb(path):
        raise UsageError(f"{path}: is a DuckDB database; name another file")
    report = progress or (lambda doing: None)
    settings = settings_of(db)
    with _limited_memory(db):
        arrays, units = arrays_of(db, settings, report)
        report("reading the tables of evidence")
        classifier = tables_of(db, settings)
    counts = {
        "hosts": len(arrays["weight"]),
        "urls": int(db.value("SELECT count(*) FROM urls")),
        "pages": len(arrays["page_path"]),
        "candidate_pairs": int(db.value("SELECT count(score_id) FROM ranking")),
        "entries": len(arrays["item"]),
        "single_contents": len(arrays["single"]),
        **{
            name: int(arrays["item_bounds"][kind + 1] - arrays["item_bounds"][kind])
            for kind, name in enumerate(ITEM_KINDS)
        },
    }
    header = {
        "application": "replicadb model",
        "replicadb": __version__,
        "duckdb": duckdb.__version__,
        "key": key,
        "settings": settings,
        "counts": counts,
        "units": units,
        "decision": classifier,
        "site": db.value("SELECT value FROM meta WHERE key = 'site'") or "host",
    }
    report("writing")
    model_file.write(path, header, arrays)


@contextlib.contextmanager
def _limited_memory(db: Database) -> Iterator[None]:
    """While inside, DuckDB takes MEMORY at most, since the arrays stand beside it; where it cannot
    spill, it keeps its limit.
    """
    before = db.value("SELECT current_setting('memory_limit')")
    number, unit = before.split()
    much = (
        float(number) * {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}.get(unit, 1)
        > MEMORY
    )
    if much and os.access(Path(db.path).resolve().parent, os.W_OK):
        db.execute("SET memory_limit = $limit", {"limit": f"{MEMORY}B"})
    try:
        yield
    finally:
        db.execute("SET memory_limit = $limit", {"limit": before})
