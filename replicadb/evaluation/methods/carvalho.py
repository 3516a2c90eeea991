"""The published method and its parts: PU and NU learners, EM, their combination, and the thesis'
variants.

Invariant: the methods called ``paper`` run with the settings of the last detection by a published
method, else with the paper's own; ``thesis`` and the others are what their names say. Bins are cut
on all candidates, learning happens on patterns with counts, and a combination of features is the
same learner on fewer columns. Ties stay ties: unlike ``detect --method paper``, no other evidence
parts pairs of equal dominance. Source: the paper sections 3.2
to 3.5; the thesis, Table 4.1; docs/method.md#rules to docs/method.md#ranking.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from replicadb.arrays import Bools, Floats, Ints
from replicadb.detection.evidence import PAPER_FEATURES
from replicadb.detection.published_method import flags, schedule_of
from replicadb.evaluation.context import Context, Fold
from replicadb.evaluation.methods.method import Method, Scored, out_of_fold
from replicadb.learning import em, pareto
from replicadb.settings import Settings

THRESHOLDS = tuple(round(0.1 * i, 1) for i in range(1, 10))
BEST_THRESHOLDS = {"PU": 0.6, "NU": 0.5}
"""Of Table 4.1 of the thesis; those of all thresholds are in that table (tables.thresholds)."""
THESIS: dict[str, Any] = {"discretise": "frequency", "schedule": "batch"}
"""How the thesis' variants run here: its bins know no label. Its labels turn one at a time, which
on so many patterns takes minutes for each threshold; here they turn in batches.
"""
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
    features: tuple[str, ...] = PAPER_FEATURES,
    cut: str | float | None = None,
    schedule: str | None = None,
    discretise: str | None = None,
    fold: Fold = None,
) -> Learned:
    """Learn from PU or NU data, the features given; remembered in the context.

    Args:
        cut, schedule, discretise: None: as ``Context.published`` says.
        fold: learn from the unlabelled candidates of ``Context.training`` alone; P and N stay
            whole, as the paper adds them to the folds (section 4.1.2).
    """
    settings = context.published.with_changes(discretise=discretise)
    cut = cut or (settings.alpha if settings.cut == "global" else settings.cut)
    schedule = schedule or schedule_of(settings, int((~context.obvious).sum()))
    key = ("learned", data, features, cut, schedule, settings.discretise, fold)
    if key not in context.memo:
        patterns = context.patterns(discretise)
        columns = [PAPER_FEATURES.index(name) for name in features]
        bins, at = np.unique(patterns.bins[:, columns], axis=0, return_inverse=True)
        obvious, unlabelled = _counts(context, patterns.index, len(patterns.bins), fold)
        order = None
        if schedule == "example":
            order = at.ravel()[patterns.index[_in_order(context, fold)]]
        obvious, unlabelled, non_replicas = (
            np.bincount(at.ravel(), n, len(bins)).astype(np.int64)
            for n in (obvious, unlabelled, patterns.non_replicas)
        )
        counts = np.column_stack(
            (unlabelled, obvious) if data == "PU" else (non_replicas, unlabelled)
        )
        started = time.perf_counter()
        result = em.transitions(
            bins,
            counts,
            unlabelled,
            data=data,
            cut=cut,
            schedule=schedule,
            order=order,
            min_support=settings.min_support,
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


def _in_order(context: Context, fold: Fold) -> Ints:
    """The unlabelled candidates outside of a fold, in the order of their names, as detection has
    them (``order`` of :func:`replicadb.learning.em.transitions`).
    """
    return np.flatnonzero(~context.obvious & context.training(fold))


def _counts(context: Context, index: Ints, m: int, fold: Fold) -> tuple[Ints, Ints]:
    """Obvious replicas of each pattern, and its unlabelled candidates outside of a fold, (m,)."""
    obvious, unlabelled = (
        np.bincount(index[which], minlength=m)
        for which in (context.obvious, ~context.obvious & context.training(fold))
    )
    return obvious, unlabelled


def _scores(context: Context, data: str, when: str, fold: Fold, **how: Any) -> Floats:
    """(m,) likelihoods of one learner before ("start") or after ("end") its transitions."""
    learned = learn(context, data, fold=fold, **how)
    return learned.start if when == "start" else learned.end


def _both(context: Context, when: str, fold: Fold, **how: Any) -> tuple[Floats, Floats]:
    return _scores(context, "PU", when, fold, **how), _scores(context, "NU", when, fold, **how)


def dominates(
    context: Context,
    discretise: str | None,
    pu: Floats,
    nu: Floats,
    fold: Fold = None,
) -> Floats:
    """(m,) how many candidates (of a fold) each pattern dominates (paper section 3.5)."""
    return pareto.dominance(
        pu, nu, np.bincount(_inside(context, discretise, fold), minlength=len(pu))
    ).astype(float)


def _inside(context: Context, discretise: str | None, fold: Fold) -> Ints:
    """The pattern of every candidate, or of a fold's."""
    index = context.patterns(discretise).index
    return index[context.tested(fold)]


def reciprocal(context: Context, pu: Floats, nu: Floats, fold: Fold = None) -> Floats:
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


def _one(data: str, when: str, context: Context, **how: Any) -> Scored:
    """A single learner; flagged where its likelihood passes one half."""
    discretise = how.get("discretise")

    def score(fold: Fold) -> Floats:
        return _scores(context, data, when, fold, **how)

    return _spread(context, discretise, score, score(None) > 0.5)


def _paper(context: Context) -> Scored:
    """The published method as the last detection ran it; its note says how that differs from the
    paper's own.
    """
    aggregate, n = context.published.aggregate, context.published.first
    scored = _pareto(context)
    flagged = scored.flagged
    if aggregate != "pareto":
        scored = _one(aggregate.upper(), "end", context)
    if n is not None:
        flagged = _first(context, scored.scores, n)
    return replace(scored, flagged=flagged, note=differences(context))


def _first(context: Context, scores: Floats, n: int) -> Bools:
    """(n,) the first n, pairs of equal scores in the order that detection gives them."""
    index = context.patterns().index
    pu, nu = _both(context, "end", None)
    strength = {"pareto": pu + nu, "pu": pu, "nu": nu}[context.published.aggregate][index]
    tie = (context.column("evidence") * context.column("containment")).astype(np.float32)
    a, b = (context.place[hosts] for hosts in (context.a, context.b))
    keys = (b, a, context.column("ndist"), -context.column("shared"), -tie, -strength, -scores)
    flagged = np.zeros(context.n, bool)
    flagged[np.lexsort(keys)[:n]] = True
    return flagged


def differences(context: Context) -> str | None:
    """How the published method as it runs here differs from the paper to the letter, in a line."""
    here, letter = context.published, Settings(method="paper")
    names = ["candidates", "min_shared", "max_cluster_hosts", "clusters", "assets", "reference"]
    names += ["discretise", "cut", "aggregate", "min_support", "first"]
    found = [
        f"{name} {getattr(here, name)}"
        for name in names
        if getattr(here, name) != getattr(letter, name) and (name != "assets" or here.assets)
    ]
    schedule = schedule_of(here, int((~context.obvious).sum()))
    found += [f"schedule {schedule}"] if schedule != "example" else []
    return f"not the paper's: {', '.join(found)}" if found else None


def _pareto(
    context: Context, *, when: str = "end", discretise: str | None = None, **how: Any
) -> Scored:
    """PU and NU by dominance; flagged where both likelihoods pass one half."""

    def score(fold: Fold) -> Floats:
        return dominates(
            context,
            discretise,
            *_both(context, when, fold, discretise=discretise, **how),
            fold=fold,
        )

    pu, nu = _both(context, when, None, discretise=discretise, **how)
    return _spread(context, discretise, score, flags(pu, nu))


def _best_thresholds(context: Context) -> Scored:
    """The thesis' best: PU and NU each under its own global threshold, by dominance."""

    def score(fold: Fold) -> Floats:
        return dominates(context, "frequency", *at_best(context, fold), fold=fold)

    return _spread(context, "frequency", score, flags(*at_best(context, None)))


def at_best(context: Context, fold: Fold = None, **how: Any) -> tuple[Floats, Floats]:
    """(m,) likelihoods of PU and of NU, each under the thesis' best global threshold."""
    pu, nu = (
        _scores(context, data, "end", fold, cut=value, **THESIS, **how)
        for data, value in BEST_THRESHOLDS.items()
    )
    return pu, nu


def _spread(
    context: Context,
    discretise: str | None,
    score: Callable[[Fold], Floats],
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


def _variant(how: dict[str, Any], context: Context) -> Scored:
    return _pareto(context, **how)


def without(name: str) -> tuple[str, ...]:
    """The five features but one."""
    return tuple(feature for feature in PAPER_FEATURES if feature != name)


METHODS = (
    Method("paper", "published method, PU+NU, Pareto (Carvalho 2017)", "paper", _paper),
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
        "published method, projected cut, labels turn in batches",
        "paper",
        partial(_variant, {"cut": "projected", "schedule": "batch"}),
    ),
    Method(
        "paper-batch",
        "published method, labels turn in batches",
        "paper",
        partial(_variant, {"schedule": "batch"}),
    ),
    Method(
        "paper-frequency",
        "published method, bins by equal frequency, labels turn in batches",
        "paper",
        partial(_variant, THESIS | {"cut": "own"}),
    ),
    *(
        Method(
            f"thesis-{value}",
            f"thesis, global threshold {value}",
            "paper",
            partial(_variant, THESIS | {"cut": value}),
        )
        for value in THRESHOLDS
    ),
    *(
        Method(
            f"thesis-{data.lower()}-{value}",
            f"thesis, {data} data alone, global threshold {value} (its best)",
            "paper",
            partial(_one, data, "end", cut=value, **THESIS),
        )
        for data, value in BEST_THRESHOLDS.items()
    ),
    Method("thesis-best", "thesis, PU at 0.6 and NU at 0.5, Pareto", "paper", _best_thresholds),
    Method(
        "reciprocal-ranks", "published method, PU and NU by reciprocal ranks", "paper", _reciprocal
    ),
    *(
        Method(
            f"without-{name}",
            f"published method without {name}, labels turn in batches",
            "left-out",
            partial(_variant, {"features": without(name), "schedule": "batch"}),
        )
        for name in PAPER_FEATURES
    ),
)
