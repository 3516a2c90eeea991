"""What the evidence allows at best: learners that are given the true labels.

Always true here: a pair is scored by what was learned from the other folds, and a replica group lies in one fold with
all its pairs (``Context.group_fold``), so nothing is recognised, only generalised. Learning sees compared pairs only.
Source: METHOD sections 4, 7 and 9; the paper section 4.1.3 (upper bound).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from replicadb.evaluation.context import FEATURES, Context, hashed
from replicadb.evaluation.methods import Method, NotHere, Scored
from replicadb.learning.rules import RulePool

MOST_NEGATIVES = 200_000
"""Non-replicas that a booster is trained on at most, sampled by seeded hash."""


def upper_bound(context: Context) -> Scored:
    """The paper's rules with the true labels, cross-fitted by replica group."""
    patterns = context.patterns()

    def score(fold: int | None) -> np.ndarray:
        train = context.compared if fold is None else context.compared & (context.group_fold != fold)
        counts = np.column_stack([np.bincount(patterns.index[train & (context.truth == label)], minlength=len(patterns.bins))
                                  for label in (False, True)])
        pool = RulePool.from_patterns(patterns.bins, counts, min_support=context.settings.min_support)
        return (1 - pool.alpha())[patterns.index]

    if context.n_folds < 2:
        return Scored(score(None), note="not cross-fitted: one fold")
    return Scored(np.choose(context.group_fold, [score(fold) for fold in range(context.n_folds)]))


def booster(which: str, folds: str, context: Context) -> Scored:
    """Gradient-boosted trees (scikit-learn) on the evidence columns, cross-fitted by replica group or by pair.

    Raises:
        NotHere: scikit-learn is missing, or too few folds have both classes.
    """
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError as error:
        raise NotHere("needs scikit-learn: pip install 'replicadb[evaluate]'") from error
    names = FEATURES if which == "five" else context.evidence
    table = np.column_stack([context.column(name) for name in names]).astype(np.float32)
    fold_of = context.group_fold if folds == "group" else context.pair_fold
    if context.n_folds < 2:
        raise NotHere("needs two folds or more")
    scores = np.zeros(context.n)
    weight = hashed(context.a, context.b, context.seed + 2)
    for fold in range(context.n_folds):
        train = context.compared & (fold_of != fold)
        rows = _sample(np.flatnonzero(train), context.truth, weight)
        if len(np.unique(context.truth[rows])) < 2:
            raise NotHere("too few replicas or non-replicas to learn from in each fold")
        model = HistGradientBoostingClassifier(max_iter=150, learning_rate=0.1, max_leaf_nodes=15, min_samples_leaf=20,
                                               l2_regularization=1.0, early_stopping=False, random_state=context.seed)
        model.fit(table[rows], context.truth[rows])
        held_out = fold_of == fold
        scores[held_out] = model.decision_function(table[held_out]) if held_out.any() else 0
    return Scored(scores, note=f"learned from the gold's labels on {', '.join(names)}")


def _sample(rows: np.ndarray, truth: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """All replicas among the rows and at most MOST_NEGATIVES others."""
    others = rows[~truth[rows]]
    if len(others) > MOST_NEGATIVES:
        others = others[np.argsort(weight[others], kind="stable")[:MOST_NEGATIVES]]
    return np.sort(np.concatenate([rows[truth[rows]], others]))


METHODS = (
    Method("upper-bound", "upper bound: the rules with true labels", "ceiling", upper_bound, needs_gold=True),
    Method("booster", "gradient booster on all evidence, true labels", "ceiling", partial(booster, "all", "group"), needs_gold=True),
    Method("booster-five", "gradient booster on the five features, true labels", "ceiling", partial(booster, "five", "group"), needs_gold=True),
)
