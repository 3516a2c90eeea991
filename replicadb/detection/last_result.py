"""The result of the last detection, kept whole until another one has ended.

Invariant: stopped at any moment, the database answers as before: ranking, flags, groups, evidence
and settings are all of one detection that has finished (docs/method.md#promise-2). Where none has,
there is nothing to keep, and the next detection goes on after the stages that are done.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from replicadb.constant_tables import changed_constants
from replicadb.detection import incremental, kinds
from replicadb.detection.stage import Stage, detected_data
from replicadb.settings import CONSTANTS
from replicadb.stage_constants import KIND_NUMBERS
from replicadb.store import put_aside
from replicadb.store.database import Database
from replicadb.store.run_log import LAST_STAGE


def keep(db: Database, stages: Sequence[Stage]) -> None:
    """Have the results of the last detection put aside, where it has finished, before its first
    stage is forgotten.
    """
    finished = db.value("SELECT count(*) FROM stages WHERE stage = ?", [LAST_STAGE])
    if db.keeps_results and finished and detected_data(db):
        keys = [f"counts.{stage.name}" for stage in stages]
        put_aside.begin(db, [*keys, *incremental.KEYS], _macros(db))


def _macros(db: Database) -> list[str]:
    """The statements that make the macros of kinds as the last detection had them."""
    text = db.value("SELECT value FROM meta WHERE key = 'detected_constants'")
    changed: dict[str, Any] = json.loads(text or "{}")

    def had(table: str, constants: Any, *names: str) -> dict[str, Any]:
        usual = {name: type(constants).__dataclass_fields__[name].default for name in names}
        return {name: changed.get(f"{table}.{name}", usual[name]) for name in names}

    numbers = had("kinds", KIND_NUMBERS, *KIND_NUMBERS.__dataclass_fields__)
    with (
        changed_constants(KIND_NUMBERS, numbers),
        changed_constants(CONSTANTS, had("robust", CONSTANTS, "may_be")),
    ):
        return [kinds.macro(), kinds.least()]
