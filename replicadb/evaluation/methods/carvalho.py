"""The published method and its parts: PU and NU learners, EM, their combination, and the thesis'
thresholds.

Invariant: bins are cut on all candidates, learning happens on patterns with counts, and a
combination of features is the same learner on fewer columns. Ties stay ties: unlike ``detect
--method paper``, no other evidence parts pairs of equal dominance. Source: the paper sections 3.2
to 3.5; the thesis, Table 4.1; docs/method.md#rules to docs/method.md#ranking.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from replicadb.arrays import Bools, Floats, Ints
from replicadb.detection.evidence import FEATURES
from replicadb.evaluation.context import Context
from replicadb.evaluation.methods.method import Method, Scored, out_of_fold
from replicadb.learning import em, pareto

THRESHOLDS = tuple(round(0.1 * i, 1) for i in range(1, 10))
BEST_THRESHOLDS = {"PU": 0.6, "NU": 0.5}
"""Of Table 4.1 of the thesis; those of all thresholds are in that table (tables.thresholds)."""
RANK_CONSTANT = 60
"""k of reciprocal rank fusion, 1 / (k + rank) (Cormack, Clarke & Buettcher, 2009)."""


@dataclass(frozen=True)
class Learned:
    """One learner's likelihoods alpha(x, +) per pattern."""

    start: Floats
    """(m,) before any transition."""
    end: Floats
    """(m,) after the last."""
    passes: int
    moved: int
    seconds: float


def learn(
    context: Context,
    data: str,
    *,
    features: tuple[str, ...] = FEATURES,
    cut: str | float = "own",
    discretise: str | None = None,
    fold: int | None = None,
) -> Learned:
    """Learn from PU or NU data, the features and the cut given; remembered in the context.

    Args:
        fold: leave the candidates of this fold (``Context.pair_fold``) out of the training set; N
            stays whole.
    """
    key = ("learned", data, features, cut, discretise or context.settings.discretise, fold)
    if key not in context.memo:
        patterns = context.patterns(discretise)
        columns = [FEATURES.index(name) for name in features]
        bins, at = np.unique(patterns.bins[:, columns], axis=0, return_inverse=True)
        obvious, unlabelled = _counts(context, patterns.index, len(patterns.bins), fold)
        obvious, unlabelled, non_replicas = (
            np.bincount(at.ravel(), n, len(bins)).astype(np.int64)
            for n in (obvious, unlabelled, patterns.non_replicas)
        )
        counts = np.column_stack(
            (unlabelled, obvious) if data == "PU" else (non_replicas, unlabelled)
        )
        started = time.perf_counter()
        result = em.transitions(
            bins, counts, unlabelled, data=data, cut=cut, min_support=context.settings.min_support
        )
        context.memo[key] = Learned(
            1 - result.alpha_initial[at.ravel()],
            1 - result.alpha[at.ravel()],
            result.n_iter,
            int(result.moved.sum()),
            time.perf_counter() - started,
        )
    found: Learned = context.memo[key]
    return found


def _counts(context: Context, index: Ints, m: int, fold: int | None) -> tuple[Ints, Ints]:
    """Obvious replicas and unlabelled candidates of each pattern, (m,) each, those of a fold left
    out.
    """
    training = np.ones(context.n, bool) if fold is None else context.pair_fold != fold
    obvious, unlabelled = (
        np.bincount(index[training & which], minlength=m)
        for which in (context.obvious, ~context.obvious)
    )
    return obvious, unlabelled


def _scores(context: Context, data: str, when: str, fold: int | None, **how: Any) -> Floats:
    """(m,) likelihoods of one learner before ("start") or after ("end") its transitions."""
    learned = learn(context, data, fold=fold, **how)
    return learned.start if when == "start" else learned.end


def _both(context: Context, when: str, fold: int | None, **how: Any) -> tuple[Floats, Floats]:
    return _scores(context, "PU", when, fold, **how), _scores(context, "NU", when, fold, **how)


def dominates(
    context: Context,
    discretise: str | None,
    pu: Floats,
    nu: Floats,
    fold: int | None = None,
) -> Floats:
    """(m,) how many candidates (of a fold) each pattern dominates (paper section 3.5)."""
    return pareto.dominance(
        pu, nu, np.bincount(_inside(context, discretise, fold), minlength=len(pu))
    ).astype(float)


def _inside(context: Context, discretise: str | None, fold: int | None) -> Ints:
    """The pattern of every candidate, or of a fold's."""
    index = context.patterns(discretise).index
    return index if fold is None else index[context.pair_fold == fold]


def reciprocal(context: Context, pu: Floats, nu: Floats, fold: int | None = None) -> Floats:
    """(m,) 1 / (60 + rank by PU) + 1 / (60 + rank by NU) among all candidates or a fold's; tied
    ones share their mean rank.
    """
    n = np.bincount(_inside(context, None, fold), minlength=len(pu))

    def ranks(scores: Floats) -> Floats:
        values, at = np.unique(-scores, return_inverse=True)
        each = np.bincount(at, n, len(values))
        mean: Floats = (np.cumsum(each) - (each - 1) / 2)[at]
        return mean

    return 1 / (RANK_CONSTANT + ranks(pu)) + 1 / (RANK_CONSTANT + ranks(nu))


def _one(data: str, when: str, context: Context, cut: str | float = "own") -> Scored:
    """A single learner; flagged where its likelihood passes one half."""

    def score(fold: int | None) -> Floats:
        return _scores(context, data, when, fold, cut=cut)

    return _spread(context, None, score, score(None) > 0.5)


def _pareto(
    context: Context, *, when: str = "end", discretise: str | None = None, **how: Any
) -> Scored:
    """PU and NU by dominance; flagged where both likelihoods pass one half."""

    def score(fold: int | None) -> Floats:
        return dominates(
            context,
            discretise,
            *_both(context, when, fold, discretise=discretise, **how),
            fold=fold,
        )

    pu, nu = _both(context, when, None, discretise=discretise, **how)
    return _spread(context, discretise, score, (pu > 0.5) & (nu > 0.5))


def _spread(
    context: Context,
    discretise: str | None,
    score: Callable[[int | None], Floats],
    flagged: Bools | None = None,
) -> Scored:
    """From patterns to candidates; score(fold) gives (m,) scores, fold None learns from all."""
    index = context.patterns(discretise).index
    by_fold = out_of_fold(context, lambda fold: score(fold)[index])
    return Scored(score(None)[index], None if flagged is None else flagged[index], by_fold)


def _reciprocal(context: Context) -> Scored:
    return _spread(
        context, None, lambda fold: reciprocal(context, *_both(context, "end", fold), fold=fold)
    )


def _threshold(value: float, context: Context) -> Scored:
    return _pareto(context, cut=value)


def _variant(how: dict[str, Any], context: Context) -> Scored:
    return _pareto(context, **how)


def without(name: str) -> tuple[str, ...]:
    """The five features but one."""
    return tuple(feature for feature in FEATURES if feature != name)


METHODS = (
    Method(
        "paper", "published method, PU+NU, Pareto (Carvalho 2017)", "paper", partial(_variant, {})
    ),
    Method("paper-pu", "published method, PU data alone", "paper", partial(_one, "PU", "end")),
    Method("paper-nu", "published method, NU data alone", "paper", partial(_one, "NU", "end")),
    Method(
        "paper-pu-start",
        "published method, PU data alone, before EM",
        "paper",
        partial(_one, "PU", "start"),
    ),
    Method(
        "paper-nu-start",
        "published method, NU data alone, before EM",
        "paper",
        partial(_one, "NU", "start"),
    ),
    Method(
        "paper-start",
        "published method, PU+NU, before EM",
        "paper",
        partial(_variant, {"when": "start"}),
    ),
    Method(
        "paper-projected",
        "published method, projected cut",
        "paper",
        partial(_variant, {"cut": "projected"}),
    ),
    Method(
        "paper-mdl",
        "published method, bins by MDL",
        "paper",
        partial(_variant, {"discretise": "mdl"}),
    ),
    *(
        Method(
            f"thesis-{value}",
            f"published method, global threshold {value} (thesis)",
            "paper",
            partial(_threshold, value),
        )
        for value in THRESHOLDS
    ),
    *(
        Method(
            f"thesis-{data.lower()}-{value}",
            f"published method, {data} data alone, global threshold {value} (the thesis' best)",
            "paper",
            partial(_one, data, "end", cut=value),
        )
        for data, value in BEST_THRESHOLDS.items()
    ),
    Method(
        "reciprocal-ranks", "published method, PU and NU by reciprocal ranks", "paper", _reciprocal
    ),
    *(
        Method(
            f"without-{name}",
            f"published method without {name}",
            "left-out",
            partial(_variant, {"features": without(name)}),
        )
        for name in FEATURES
    ),
)
