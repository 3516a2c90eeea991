"""The result of the last detection, kept whole until another one has ended.

Invariant: stopped at any moment, the database answers as before: ranking, flags, groups, evidence
and settings are all of one detection that has finished (docs/method.md#promise-2). Where none has,
there is nothing to keep, and the next detection goes on after the stages that are done.
"""

from __future__ import annotations

from collections.abc import Sequence

from replicadb.detection import incremental, kinds
from replicadb.detection.stage import Stage
from replicadb.store import put_aside
from replicadb.store.database import Database
from replicadb.store.run_log import LAST_STAGE, detected_data


def keep(db: Database, stages: Sequence[Stage]) -> None:
    """Have the results of the last detection put aside, where it has finished, before its first
    stage is forgotten.
    """
    finished = db.value("SELECT count(*) FROM stages WHERE stage = ?", [LAST_STAGE])
    if db.keeps_results and finished and detected_data(db):
        counts = [f"counts.{stage.name}" for stage in stages]
        put_aside.begin(db, [*counts, *incremental.KEYS], kinds.MACROS)
