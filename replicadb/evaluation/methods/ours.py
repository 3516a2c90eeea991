"""Method robust, as ``detect`` runs it, and its five-feature variant.

Always true here: a crawl's candidates only adjust what robust knows beforehand, so its folds differ by their obvious replicas (and by
what content teaches the five features); where there are none, what it knows beforehand is out of every fold.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from replicadb import evidence
from replicadb.evaluation.context import Context
from replicadb.evaluation.methods import Method, Scored


def robust(evidence_of: str, context: Context) -> Scored:
    """The default method: all evidence there is (or the five features alone, usable at crawl time), and its own decision."""
    settings = context.settings.with_changes(evidence=evidence_of)
    scores, flagged = _scored(context, evidence.score_pairs(context.db, settings))
    fold_of = _folds(context)
    by_fold = np.empty_like(scores)
    for fold in range(context.n_folds if context.n_folds > 1 else 0):
        learned, _ = _scored(context, evidence.score_pairs(context.db, settings, f"{_fold(context)} <> {fold}"))
        by_fold[fold_of == fold] = learned[fold_of == fold]
    return Scored(scores, flagged, by_fold if context.n_folds > 1 else None, fold_of)


def _fold(context: Context) -> str:
    """The fold of a candidate in SQL, by seeded hash of the pair."""
    return f"hash(a_id, b_id, {int(context.seed)}) % {int(context.n_folds)}"


def _folds(context: Context) -> np.ndarray:
    table = context.db.arrow(f"SELECT a_id, b_id, ({_fold(context)})::BIGINT AS fold FROM pair_features")
    return context.aligned(*(table.column(name).to_numpy() for name in ("a_id", "b_id", "fold")), 0)


def _scored(context: Context, table) -> tuple[np.ndarray, np.ndarray]:
    a, b, score, flagged = (table.column(name).to_numpy() for name in ("a_id", "b_id", "score", "flagged"))
    return context.aligned(a, b, score.astype(float), -np.inf), context.aligned(a, b, flagged.astype(bool), False)


METHODS = (
    Method("robust", "robust (the default)", "ours", partial(robust, "content")),
    Method("robust-paths", "robust, the paper's five features only", "ours", partial(robust, "paths")),
)
