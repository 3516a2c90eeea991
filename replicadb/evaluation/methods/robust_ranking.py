"""Method robust, as ``detect`` runs it, and its five-feature variant.

Invariant: a crawl's candidates only adjust what robust knows beforehand, so its folds differ
by their obvious replicas (and by what content teaches the five features); the share of replicas is
of all candidates. Without obvious replicas a fold holds nothing out that robust learns from, so
there are no folds.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from replicadb.arrays import Bools, Floats
from replicadb.detection import decoys, kinds, robust_method
from replicadb.evaluation.context import Context
from replicadb.evaluation.methods.method import Method, Scored, out_of_fold
from replicadb.settings import PAIR_KINDS


def robust(evidence_of: str | None, context: Context) -> Scored:
    """The default method and its own decision, as the last detection was run; or on the five
    features alone, usable at crawl time.
    """
    settings = context.settings.with_changes(evidence=evidence_of)
    evidence_of = settings.evidence

    def without(fold: int) -> Floats:
        inside = context.pair_fold == fold
        held_out = pa.table(
            {
                "low": np.minimum(context.a, context.b)[inside],
                "high": np.maximum(context.a, context.b)[inside],
            }
        )
        with context.db.registered("held_out", held_out):
            training = (
                "(least(a_id, b_id), greatest(a_id, b_id)) NOT IN (SELECT low, high FROM held_out)"
            )
            return _scored(context, robust_method.score_pairs(context.db, settings, training))[0]

    scores, flagged, probability = _scored(context, robust_method.score_pairs(context.db, settings))
    flagged &= ~_left_out(context, kinds.left_out(settings))
    learns = context.obvious.any() or evidence_of == "five"
    gathered = out_of_fold(context, without) if learns else None

    def folds() -> Floats:
        assert gathered is not None
        with decoys.dealt_once(context.db):
            return gathered()

    return Scored(scores, flagged, folds if gathered else None, probability=probability)


def _scored(context: Context, table: pa.Table) -> tuple[Floats, Bools, Floats]:
    """Scores, flags and probabilities of the candidates."""
    a, b, score, flagged, probability = (
        table.column(name).to_numpy()
        for name in ("a_id", "b_id", "score", "flagged", "probability")
    )
    return (
        context.aligned(a, b, score.astype(float), -np.inf),
        context.aligned(a, b, flagged.astype(bool), False),
        context.aligned(a, b, probability.astype(float), 0.0),
    )


def _left_out(context: Context, left_out: list[str]) -> Bools:
    """(n,) whether a candidate is of a kind that the detection was not asked to flag."""
    kind = kinds.kinds_of(lambda name: context.column(name).astype(np.float32), context.n)
    found: Bools = np.isin(kind, [PAIR_KINDS.index(one) for one in left_out])
    return found


METHODS = (
    Method("robust", "robust (the default)", "ours", partial(robust, None)),
    Method(
        "robust-paths", "robust, the paper's five features only", "ours", partial(robust, "five")
    ),
)
