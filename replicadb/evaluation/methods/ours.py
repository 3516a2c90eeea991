"""Method robust, as ``detect`` runs it, and its five-feature variant."""

from __future__ import annotations

import numpy as np

from replicadb import evidence
from replicadb.evaluation.context import Context
from replicadb.evaluation.methods import Method, Scored


def robust(context: Context) -> Scored:
    """The default method: all evidence there is, and its own decision."""
    return _scored(context, evidence.score_pairs(context.db, context.settings))


def robust_paths(context: Context) -> Scored:
    """The variant on the paper's five features, usable at crawl time."""
    return _scored(context, evidence.score_pairs(context.db, context.settings.with_changes(evidence="paths")))


def _scored(context: Context, table) -> Scored:
    a, b, score, flagged = (table.column(name).to_numpy() for name in ("a_id", "b_id", "score", "flagged"))
    return Scored(
        context.aligned(a, b, score.astype(float), -np.inf), context.aligned(a, b, flagged.astype(bool), False)
    )


METHODS = (
    Method("robust", "robust (the default)", "ours", robust),
    Method("robust-paths", "robust, the paper's five features only", "ours", robust_paths),
)
