"""The thesis' own tables: one global threshold for all transitions, and its two by five folds.

Invariant: as of the paper's tables (paper_tables.py). Source: Carvalho (2014), master's thesis,
sections 4.2 and 4.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.arrays import Floats
from replicadb.detection.evidence import PAPER_FEATURES
from replicadb.evaluation import published_figures
from replicadb.evaluation.context import INNER, OUTER, Context
from replicadb.evaluation.judge import Judge
from replicadb.evaluation.methods.carvalho import (
    BEST_THRESHOLDS,
    THESIS,
    at_best,
    dominates,
    learn,
    without,
)
from replicadb.evaluation.paper_tables import (
    auc_inside,
    auc_of,
    quick_schedule,
    without_obvious,
)
from replicadb.evaluation.table_shape import Row, with_intervals

SOURCE = {"source": "Carvalho (2014), master's thesis"}
SCHEME = (
    " Learned from all candidates and scored there, not out of fold; the thesis' are means of its"
    " two by five folds."
)
"""Said of the tables by threshold and by feature."""


def thesis_tables(context: Context, judge: Judge, whole: bool) -> dict[str, dict[str, Any]]:
    """Table 4.1; with ``whole`` Table 4.2 and the two by five folds, too."""
    found = {"4.1": thresholds(context, judge)}
    if whole:
        found |= {"4.2": features(context, judge), "2 x 5 folds": two_by_five(context, judge)}
    return {number: table | SOURCE for number, table in found.items()}


def thresholds(context: Context, judge: Judge) -> dict[str, Any]:
    """Table 4.1 of the thesis: AUC under one global threshold for all transitions; Pareto of both
    beside it.
    """
    rows, printed = [], []
    for value, (pu, nu) in published_figures.THESIS_TABLE_4_1.items():
        by_pu, by_nu = (learn(context, data, cut=value, **THESIS).end for data in ("PU", "NU"))
        scores = (by_pu, by_nu, dominates(context, "frequency", by_pu, by_nu))
        rows.append([str(value), *(auc_of(context, judge, each, "frequency") for each in scores)])
        printed.append([str(value), pu, nu, None])
    return with_intervals(
        "Table 4.1 of the thesis: AUC by global threshold",
        ["threshold", "PU", "NU", "PU+NU"],
        rows,
        printed,
        "One threshold on alpha(x, -) for all transitions; the thesis' PU+NU at its best ones, 0.6"
        " for PU and 0.5 for NU, is 0.9763." + SCHEME + without_obvious(context),
    )


def features(context: Context, judge: Judge) -> dict[str, Any]:
    """Table 4.2: as the paper's Table 2, under the best global thresholds."""
    rows: list[Row] = []
    for name in published_figures.THESIS_TABLE_4_2:
        alone, others = (
            ((name,), without(name)) if name in PAPER_FEATURES else (PAPER_FEATURES, PAPER_FEATURES)
        )
        scores = [
            learn(context, data, features=chosen, cut=cut, **THESIS).end
            for chosen in (alone, others)
            for data, cut in BEST_THRESHOLDS.items()
        ]
        rows.append([name, *(auc_of(context, judge, each, "frequency") for each in scores)])
    return with_intervals(
        "Table 4.2 of the thesis: AUC by feature under its best global thresholds",
        ["feature", "alone PU", "alone NU", "all except PU", "all except NU"],
        rows,
        [[name, *values] for name, values in published_figures.THESIS_TABLE_4_2.items()],
        "PU at 0.6, NU at 0.5; the row – is all five features together. Bins by frequency, schedule"
        f" batch.{SCHEME}{without_obvious(context)}",
    )


def two_by_five(context: Context, judge: Judge) -> dict[str, Any]:
    """AUC by the thesis' folds: mean, least and most of the ten runs."""
    schedule = quick_schedule(context)
    runs = {name: _areas(context, judge, name, schedule) for name in IN_FOLDS}
    rows = [[name, *_mean_and_range(areas)] for name, areas in runs.items()]
    return with_intervals(
        "Table 2 x 5 folds: AUC as the thesis cross-validates",
        ["method", "mean", "least", "most"],
        rows,
        [[name, published_figures.THESIS_AUC[name], None, None] for name in IN_FOLDS],
        f"{OUTER} outer folds, one to learn from and one to be scored; of the learning one, one of"
        f" {INNER} inner folds is left out in turn. All obvious replicas and non-replicas are added"
        " each time. That inner folds are left out in turn is our reading: the thesis says that"
        f" there are five. Bins are cut on all candidates; schedule {schedule}."
        f"{without_obvious(context)}",
    )


IN_FOLDS = ("paper", "paper-pu", "paper-nu", "thesis-best", "thesis-pu-0.6", "thesis-nu-0.5")
"""Methods of the registry that the thesis' folds are run for."""


def _areas(context: Context, judge: Judge, name: str, schedule: str) -> list[float]:
    """The AUC of each run in which it is defined."""
    found = []
    for fold in ((outer, inner) for outer in range(OUTER) for inner in range(INNER)):
        bins = "frequency" if name.startswith("thesis") else None
        scores = _scored(context, name, fold, schedule)[context.patterns(bins).index]
        found.append(auc_inside(context, judge, scores, fold))
    return [area for area in found if area is not None]


def _scored(context: Context, name: str, fold: tuple[int, int], schedule: str) -> Floats:
    """(m,) scores of a method of IN_FOLDS that learned without a fold."""
    if name.startswith("thesis"):
        pu, nu = at_best(context, fold)
    else:
        pu, nu = (learn(context, data, schedule=schedule, fold=fold).end for data in ("PU", "NU"))
    if "-pu" in name:
        return pu
    if "-nu" in name:
        return nu
    return dominates(context, "frequency" if name.startswith("thesis") else None, pu, nu, fold)


def _mean_and_range(areas: list[float]) -> list[float | None]:
    if not areas:
        return [None] * 3
    return [round(float(value), 7) for value in (np.mean(areas), min(areas), max(areas))]
