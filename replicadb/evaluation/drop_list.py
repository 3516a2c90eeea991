"""The hosts to drop against known replicas: pairs may be right and the list wrong, where a host is
dropped for one that it is no copy of.

Invariant: every dropped host is counted once, by what the gold says of it and the host that is kept
in its place. Source: docs/drops.md#drops.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.arrays import Array, Ints
from replicadb.detection import pipeline
from replicadb.detection.stage import last_settings, stale
from replicadb.evaluation.context import find_pairs
from replicadb.evaluation.gold import Gold
from replicadb.evaluation.scratch import Scratch
from replicadb.store.database import Database

MEMBERS = "SELECT host_id, canonical_id FROM members WHERE host_id <> canonical_id"
HELD = "SELECT host_id, canonical_id FROM held"
UNJUDGED = ("ambiguous", "unclear", "unjudged")
"""Verdicts that say neither that it is a replica nor that it is none."""


def drop_list(db: Database, gold: Gold) -> dict[str, Any]:
    """What the gold says of the hosts that the last detection drops; of a detection made beside
    the database where that is missing or stale.

    Returns:
        ``method``; ``hosts`` dropped, of each ``by_verdict`` on host and kept host (replica, not,
        other labels by name, unjudged), so many; ``share`` of replicas among those with a verdict,
        and ``share_apart``, near-replicas and other labels apart; ``replica_stays``: hosts of
        which any replica stays; the same counts of the hosts held back as ``held``.
    """
    method, (dropped, held) = _lists(db)
    found = _counted(verdicts(gold, dropped))
    judged = sum(n for name, n in found.items() if name not in UNJUDGED)
    replicas, wrong = found.get("replica", 0), found.get("not", 0)
    return {
        "method": method,
        "hosts": len(dropped[0]),
        "by_verdict": found,
        "judged": judged,
        "share": replicas / judged if judged else None,
        "share_apart": replicas / (replicas + wrong) if replicas + wrong else None,
        "replica_stays": _replica_stays(gold, dropped[0]),
        "held": {"hosts": len(held[0]), "by_verdict": _counted(verdicts(gold, held))},
    }


def _lists(db: Database) -> tuple[str, list[tuple[Ints, Ints]]]:
    """The method that made it, and the hosts dropped and held back, each with the kept one."""
    last = pipeline.STAGES[-1].name
    done = db.value("SELECT count(*) FROM stages WHERE stage = ?", [last])
    if done and not stale(db):
        return last_settings(db).method, [_pairs(db, sql) for sql in (MEMBERS, HELD)]
    with Scratch(db) as scratch:
        scratch.detect()
        return "robust", [_pairs(scratch, sql) for sql in (MEMBERS, HELD)]


def _pairs(db: Database, sql: str) -> tuple[Ints, Ints]:
    found = db.arrays(sql)
    return found["host_id"].astype(np.int64), found["canonical_id"].astype(np.int64)


def verdicts(gold: Gold, hosts: tuple[Ints, Ints]) -> Array:
    """(n,) what the gold says of each host and its kept one."""
    low, high = np.minimum(*hosts), np.maximum(*hosts)
    row = find_pairs(low, high, gold.low, gold.high)
    unnamed = np.where(gold.labelled | gold.connects(low, high), "unjudged", "not")
    words: Array = np.where(row >= 0, gold.word[row], unnamed)
    return words


def _counted(words: Array) -> dict[str, int]:
    """How often each word stands there, the commonest first."""
    names, n = np.unique(words, return_counts=True)
    order = np.argsort(-n, kind="stable")
    return {str(names[i]): int(n[i]) for i in order}


def _replica_stays(gold: Gold, dropped: Ints) -> int:
    """Of the dropped hosts those with any replica, by gold, that is not dropped."""
    known = (gold.label == 1) & (gold.low >= 0)
    low, high = gold.low[known], gold.high[known]
    stays = [*low[~np.isin(high, dropped)], *high[~np.isin(low, dropped)]]
    return int(np.isin(dropped, stays).sum())
