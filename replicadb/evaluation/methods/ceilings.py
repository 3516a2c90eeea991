"""What the evidence allows at best: learners that are given the true labels.

Invariant: a pair is scored by what was learned from the other folds, and (but for
``booster-pairs``) a replica group lies in one fold with all its pairs (``Context.group_fold``), so
nothing is recognised, only generalised. Learning sees compared pairs only. Source:
docs/method.md#upper-bound; the paper section 4.1.3 (upper bound).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from replicadb.arrays import Bools, Floats, Ints
from replicadb.detection.evidence import PAPER_FEATURES
from replicadb.evaluation.context import Context
from replicadb.evaluation.methods.method import Method, NotHere, Scored
from replicadb.learning.discretise import mdl_cuts
from replicadb.learning.rules import RulePool
from replicadb.web.digests import Hashes

MOST_BINS = 1_000
"""Of a feature; MDL itself stops far earlier."""
MOST_NEGATIVES = 100_000
"""Non-replicas that a booster is trained on at most, sampled by seeded hash."""


def upper_bound(context: Context) -> Scored:
    """The paper's rules with the true labels, cross-fitted by replica group: each fold's bins are
    cut by MDL, and its rules learned, on the labels of the others.

    Raises:
        NotHere: a fold leaves nothing to learn from.
    """
    values = np.column_stack([context.column(name) for name in PAPER_FEATURES])

    def score(train: Bools, held_out: Bools) -> Floats:
        labels = np.column_stack([~context.truth[train], context.truth[train]]).astype(np.int64)
        if not len(labels):
            raise NotHere("no labelled pair to learn from outside of a fold")
        cuts = [
            mdl_cuts(values[train, j], labels, max_bins=MOST_BINS)
            for j in range(len(PAPER_FEATURES))
        ]
        bins = np.column_stack([_bins(values[:, j], cuts[j]) for j in range(len(PAPER_FEATURES))])
        patterns, at = np.unique(bins[train], axis=0, return_inverse=True)
        counts = np.zeros((len(patterns), 2), np.int64)
        np.add.at(counts, at.ravel(), labels)
        pool = RulePool.from_patterns(patterns, counts, min_support=context.published.min_support)
        wanted, place = np.unique(bins[held_out], axis=0, return_inverse=True)
        found: Floats = (1 - pool.alpha(pool.index(wanted)))[place.ravel()]
        return found

    return _cross_fitted(context, score)


def _bins(values: Floats, cuts: Floats) -> Ints:
    """(n,) the bin of each value, as :mod:`replicadb.learning.discretise` describes."""
    bins = 1 + np.searchsorted(cuts, values, side="left")
    return np.where(np.isnan(values), 0, bins).astype(np.int64)


def booster(which: str, context: Context, by_pair: bool = False) -> Scored:
    """Gradient-boosted trees (scikit-learn) on the five features or on all evidence, cross-fitted.

    Args:
        by_pair: folds of single pairs, so that the model has seen other pairs of the same replica
            group: more than can be hoped for on new sites.

    Raises:
        NotHere: scikit-learn is missing, or a fold leaves too few replicas or non-replicas to learn
            from.
    """
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise NotHere("needs scikit-learn: pip install 'replicadb[evaluate]'") from error
    names = [
        name
        for name in (PAPER_FEATURES if which == "five" else context.evidence)
        if _varies(context.column(name))
    ]
    if not names:
        raise NotHere("no evidence varies")
    table = np.column_stack([context.column(name) for name in names]).astype(np.float32)
    weight = context.hashes(2)

    def score(train: Bools, held_out: Bools) -> Floats:
        rows = _sample(np.flatnonzero(train), context.truth, weight)
        if min(np.bincount(context.truth[rows], minlength=2)) < 2:
            raise NotHere("too few replicas or non-replicas to learn from in each fold")
        model = HistGradientBoostingClassifier(
            max_iter=150,
            learning_rate=0.1,
            max_leaf_nodes=15,
            min_samples_leaf=20,
            l2_regularization=1.0,
            early_stopping=False,
            random_state=context.seed,
        )
        # scikit-learn refuses a column of which it sees no value
        known = ~np.isnan(table[rows]).all(axis=0)
        if not known.any():
            raise NotHere("no evidence is known outside of a fold")
        model.fit(table[np.ix_(rows, known)], context.truth[rows])
        found: Floats = model.decision_function(table[np.ix_(held_out, known)])
        return found

    with threadpool_limits(1):  # its threads wait by spinning, which is slow where cores are shared
        return _cross_fitted(
            context,
            score,
            context.pair_fold if by_pair else None,
            f"learned from the gold's labels on {', '.join(names)}",
        )


def _cross_fitted(
    context: Context,
    score: Callable[[Bools, Bools], Floats],
    fold_of: Ints | None = None,
    note: str | None = None,
) -> Scored:
    """Score each fold by what the others teach; scores of different folds are made comparable by
    their false-positive rates.

    Args:
        score: (mask of the training pairs, mask of the pairs to score) -> scores of the latter.
        fold_of: (n,) the fold of each pair; by replica group unless given.
    """
    if context.n_folds < 2:
        raise NotHere("needs two folds or more")
    fold_of = context.group_fold if fold_of is None else fold_of
    raw, common = np.zeros((2, context.n))
    for fold in range(context.n_folds):
        held_out = fold_of == fold
        if held_out.any():
            raw[held_out] = score(context.compared & ~held_out, held_out)
            common[held_out] = -_share_above(
                raw[held_out], raw[held_out & context.compared & ~context.truth]
            )
    return Scored(common, None, lambda: raw, fold_of, note)


def _share_above(scores: Floats, others: Floats) -> Floats:
    """(n,) the false-positive rate at each score, ties half: models of different folds agree on it,
    not on their scores.
    """
    others = np.sort(others)
    above, down_to = (
        len(others) - np.searchsorted(others, scores, side) for side in ("right", "left")
    )
    return (above + down_to) / (2 * max(1, len(others)))


def _varies(values: Floats) -> bool:
    """Whether a column says anything: two known values or more (all addresses may be unknown)."""
    known = values[~np.isnan(values)]
    return len(known) > 0 and bool(known.min() < known.max())


def _sample(rows: Ints, truth: Bools, weight: Hashes) -> Ints:
    """All replicas among the rows and at most MOST_NEGATIVES others."""
    others = rows[~truth[rows]]
    if len(others) > MOST_NEGATIVES:
        others = others[np.argsort(weight[others], kind="stable")[:MOST_NEGATIVES]]
    return np.sort(np.concatenate([rows[truth[rows]], others]))


METHODS = (
    Method(
        "upper-bound",
        "upper bound of the rules on five features, true labels",
        "ceiling",
        upper_bound,
        needs_gold=True,
    ),
    Method(
        "booster",
        "gradient booster, all evidence, true labels",
        "ceiling",
        partial(booster, "all"),
        needs_gold=True,
    ),
    Method(
        "booster-pairs",
        "gradient booster, folds by pair (groups leak), all evidence, true labels",
        "ceiling",
        partial(booster, "all", by_pair=True),
        needs_gold=True,
    ),
    Method(
        "booster-five",
        "gradient booster, five features, true labels",
        "ceiling",
        partial(booster, "five"),
        needs_gold=True,
    ),
)
