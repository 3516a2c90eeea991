"""Biased SVM: positive and unlabelled examples, unlabelled ones taken as negatives that may be
wrong cheaply.

Invariant: it is trained on patterns with weights, so its cost does not grow with the pairs;
C+ and C- are chosen without a single negative, by recall^2 / Pr[predicted positive] on held-out P
and U. Needs scikit-learn (extra ``evaluate``). Source: Liu et al. (2003), "Building text
classifiers using positive and unlabeled examples"; docs/method.md#biased-svm.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from replicadb.arrays import Floats, Ints
from replicadb.evaluation.context import Context
from replicadb.evaluation.methods.method import NotHere, Scored, out_of_fold

if TYPE_CHECKING:
    from sklearn.svm import SVC

KERNELS = ("linear", "rbf")
MASSES = (10.0, 100.0, 1000.0)
"""C- times the number of unlabelled examples."""
RATIOS = (0.3, 1.0, 3.0, 10.0)
"""C+ times the number of positives, over that; C+ is far above C- throughout, for P is small and U
large.
"""
HELD_OUT = 3
"""One pair in so many is held out for the choice."""
ROUNDS = 10
MOST_STEPS = 20_000
"""Of the solver, for each fit."""

Examples = tuple[Floats, Ints, Ints]
"""Features of the patterns, (m, d); positives and unlabelled examples of each, (m,)."""
Options = tuple[str, float, float]
"""Kernel, mass and ratio."""
DEFAULT: Options = ("rbf", MASSES[1], 1.0)
"""Where there is too little to choose by."""


def biased_svm(context: Context) -> Scored:
    """One SVM, as Liu et al. have it."""
    return _cross_validated(
        context,
        lambda examples, options: (_fit(*examples, *options).decision_function(examples[0]), ""),
    )


def biased_svm_em(context: Context) -> Scored:
    """The same built anew in each EM round: unlabelled pairs on its positive side become positive
    (the paper's baseline).
    """
    return _cross_validated(context, _transitions)


def _transitions(examples: Examples, options: Options) -> tuple[Floats, str]:
    """Scores of the patterns, and how many rounds it took."""
    table, positive, unlabelled = examples
    for round_number in range(1, ROUNDS + 1):
        scores = _fit(table, positive, unlabelled, *options).decision_function(table)
        moves = (scores > 0) & (unlabelled > 0)
        if not moves.any() or moves[unlabelled > 0].all() or round_number == ROUNDS:
            break
        positive, unlabelled = (
            np.where(moves, positive + unlabelled, positive),
            np.where(moves, 0, unlabelled),
        )
    return scores, f"; {round_number} rounds"


def _cross_validated(
    context: Context, learn: Callable[[Examples, Options], tuple[Floats, str]]
) -> Scored:
    """Learned from all candidates, and again without each fold's; bins, kernel, C+ and C- are
    chosen once.
    """
    index, examples = context.patterns().index, _examples(context)
    options, chosen = _choose(context, examples[0], index)
    scores, more = learn(examples, options)
    by_fold = out_of_fold(context, lambda fold: learn(_examples(context, fold), options)[0][index])
    return Scored(scores[index], None, by_fold, note=chosen + more)


def _examples(context: Context, fold: int | None = None) -> Examples:
    """(m, d) features of the patterns in [0, 1], their positives, and their unlabelled examples
    outside of a fold.

    A feature is its bin's place among the bins; an unknown address (bin 0) is an indicator of its
    own.
    """
    patterns = context.patterns()
    place = np.maximum(patterns.bins - 1, 0) / np.maximum(patterns.bins.max(axis=0) - 1, 1)
    unknown = (patterns.bins == 0).astype(float)
    counts = [
        np.bincount(patterns.index[which], minlength=len(patterns.bins))
        for which in (context.obvious, ~context.obvious & context.training(fold))
    ]
    if not counts[0].any() or not counts[1].any():
        raise NotHere("needs obvious replicas and other candidates to learn from")
    return np.column_stack([place, unknown[:, unknown.any(axis=0)]]), counts[0], counts[1]


def _choose(context: Context, table: Floats, index: Ints) -> tuple[Options, str]:
    """The kernel, mass and ratio with the highest recall^2 / Pr[predicted positive] on held-out P
    and U.
    """
    held = context.hashes(5) % np.uint64(HELD_OUT) == 0
    counted = {
        (obvious, out): np.bincount(
            index[(context.obvious == obvious) & (held == out)], minlength=len(table)
        )
        for obvious in (True, False)
        for out in (True, False)
    }
    p, u = counted[True, True], counted[False, True]
    if not p.any() or not counted[True, False].any() or not counted[False, False].any():
        return DEFAULT, "C+ and C- not chosen: too few obvious replicas"
    best, chosen = -1.0, DEFAULT
    for options in product(KERNELS, MASSES, RATIOS):
        examples = (table, counted[True, False], counted[False, False])
        predicted = _fit(*examples, *options).decision_function(table) > 0
        share = (p + u)[predicted].sum() / (p + u).sum()
        criterion = (p[predicted].sum() / p.sum()) ** 2 / share if share else 0.0
        if criterion > best:
            best, chosen = criterion, options
    n_p, n_u = int(context.obvious.sum()), int((~context.obvious).sum())
    return (
        chosen,
        (
            f"{chosen[0]} kernel, C- = {chosen[1] / n_u:.3g}, C+ ="
            f" {chosen[1] * chosen[2] / n_p:.3g}, chosen on held-out P and U"
        ),
    )


def _fit(
    table: Floats, positive: Ints, unlabelled: Ints, kernel: str, mass: float, ratio: float
) -> SVC:
    """A soft-margin SVM on weighted patterns: a pattern with both kinds of example is
    there twice.
    """
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import SVC
    except ImportError as error:
        raise NotHere("needs scikit-learn: pip install 'replicadb[evaluate]'") from error
    p, u = np.flatnonzero(positive), np.flatnonzero(unlabelled)
    weight = np.concatenate(
        [positive[p] * (mass * ratio / positive.sum()), unlabelled[u] * (mass / unlabelled.sum())]
    )
    label = np.concatenate([np.ones(len(p)), -np.ones(len(u))])
    model = SVC(C=1.0, kernel=kernel, gamma="scale", max_iter=MOST_STEPS, cache_size=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(table[np.concatenate([p, u])], label, sample_weight=weight)
