"""All figures of one method: METRICS for everything, for non-obvious replicas and by cause; flags; folds; curves.

Always true here: every method is measured on the same pairs by the same resamples. A figure that is not defined
(no replica, too few pairs) is None, never NaN. Source: METHOD section 9, the paper section 4.1.2.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np

from replicadb.evaluation import standing as s
from replicadb.evaluation.context import Context, hashed
from replicadb.evaluation.methods import Scored
from replicadb.evaluation.reduction import SIZES, DuplicateUrls, detection_rate, reduction
from replicadb.evaluation.standing import Resamples, Standing, interval, stand

RATES = (0.0001, 0.001, 0.005, 0.01)
"""False-positive rates at which the true-positive rate is given."""
INTERVAL_RATES = (0.001, 0.005)
TOPS = (10, 100, 1000)
PARTS = 20
"""Parts that pairs are split into for the signed-rank test: five folds alone cannot reach the 5 % level."""


class Judge:
    """Measures methods on one context. Make it once; :meth:`figures` is called for each method."""

    def __init__(self, context: Context) -> None:
        self.context = context
        gold = context.gold
        self.replica_rows = np.flatnonzero(context.truth)
        self.groups = gold.group[context.gold_row[self.replica_rows]]
        self.hidden = ~context.obvious[self.replica_rows]
        self.causes = gold.cause[context.gold_row[self.replica_rows]]
        self.others = context.compared & ~context.truth
        self.hidden_others = self.others & ~context.obvious
        self.resamples = Resamples.draw(int(gold.group.max(initial=-1)) + 1, context.seed)
        in_gold = np.isin(np.arange(len(gold.label)), context.gold_row)
        self.missed = tuple(int(((gold.label == label) & ~in_gold).sum()) if gold.labelled else 0 for label in (1, 0))
        """Labelled replicas and non-replicas that are no candidates; average precision counts them below all others."""

    @cached_property
    def urls(self) -> DuplicateUrls:
        return DuplicateUrls.of(self.context)

    @cached_property
    def host_times(self) -> np.ndarray | None:
        """(R, hosts) uint8, how often each host counts in each resample: as often as its replica group, others by
        Poisson(1). None with fewer than two groups.
        """
        gold, times = self.context.gold, self.resamples.times
        if times.shape[1] < 2:
            return None
        result = (
            np.random.default_rng([self.context.seed, 5])
            .poisson(1, (len(times), self.context.n_ids))
            .astype(np.uint8)
        )
        known = (gold.group >= 0) & (gold.low >= 0)
        for side in (gold.low, gold.high):
            result[:, side[known]] = times[:, gold.group[known]]
        return result

    @cached_property
    def part(self) -> np.ndarray:
        """(n,) int64, a part by seeded hash of the pair; replicas of one group share theirs."""
        context = self.context
        owner = context.a << 32 | context.b
        owner[self.replica_rows] = self.groups
        return (hashed(owner >> 32, owner & 0xFFFFFFFF, context.seed + 3) % np.uint64(PARTS)).astype(np.int64)

    def figures(self, scored: Scored) -> dict[str, Any]:
        """The measured part of a method's entry in the result."""
        scores = np.asarray(scored.scores, float)
        replicas, others = scores[self.replica_rows], np.sort(scores[self.others])
        everything = stand(replicas, others, self.missed)
        hidden = stand(replicas[self.hidden], np.sort(scores[self.hidden_others]), self.missed)
        rows, curve = reduction(self.context, self.urls, scores, others, self.host_times)
        rates, spread = self.detection_rates(everything, self.groups)
        hidden_rates, hidden_spread = self.detection_rates(hidden, self.groups[self.hidden])
        return {
            "all": self.metrics(everything, self.groups),
            "non_obvious": self.metrics(hidden, self.groups[self.hidden]),
            "by_cause": {
                cause: self._of_cause(replicas[self.causes == cause], others)
                for cause in sorted(set(self.causes) - {""})
            },
            "flagged": None if scored.flagged is None else self.flags(scored.flagged),
            "roc": s.roc(everything),
            "roc_non_obvious": s.roc(hidden),
            "precision_recall": s.precision_recall(everything),
            "rr": rows,
            "rr_curve": curve,
            "rdr": rates,
            "rdr_intervals": spread,
            "rdr_non_obvious": hidden_rates,
            "rdr_non_obvious_intervals": hidden_spread,
            "folds": self.folds(scored),
        }

    def metrics(self, standing: Standing, groups: np.ndarray) -> dict[str, Any]:
        """METRICS of one standing, with bootstrap intervals over replica groups and over the other pairs."""
        true, false = standing.true, standing.false
        with_missed = (np.append(true, standing.missed[0]), np.append(false, standing.missed[1]))
        found: dict[str, Any] = {
            "n": standing.replicas + standing.others,
            "replicas": standing.replicas,
            "auc": _defined(s.auc(true, false)),
            "average_precision": _defined(s.average_precision(*with_missed)),
            "tpr": {_name(rate): _defined(s.tpr_at(true, false, rate)) for rate in RATES},
            "precision_at": {str(n): _defined(s.precision_at(true, false, n)) for n in TOPS},
            "intervals": None,
        }
        if len(np.unique(groups)) < 2 or not standing.others:
            return found
        (drawn,) = s.resampled(
            standing,
            groups,
            self.resamples,
            [partial(s.many_figures, rates=RATES, tops=TOPS, missed=standing.missed)],
        )
        names = [
            "auc",
            "average_precision",
            *(("tpr", _name(r)) for r in RATES),
            *(("precision_at", str(n)) for n in TOPS),
        ]
        spread = {name: interval(column) for name, column in zip(names, drawn.T, strict=True)}
        found["intervals"] = {
            "auc": spread["auc"],
            "average_precision": spread["average_precision"],
            **{
                of: {name[1]: pair for name, pair in spread.items() if name[0] == of}
                for of in ("tpr", "precision_at")
            },
        }
        return found

    def detection_rates(self, standing: Standing, groups: np.ndarray) -> tuple[dict[str, Any], dict[str, Any]]:
        """RDR by k, and its intervals over replica groups."""
        rates: dict[str, Any] = {}
        spread: dict[str, Any] = {}
        for k in SIZES:
            each = detection_rate(standing, k)
            rates[str(k)] = None if each is None else _defined(each.mean())
            spread[str(k)] = None
            if each is not None and len(np.unique(groups)) > 1:
                size = self.resamples.times.shape[1]
                sums = [np.bincount(groups, weights, size) for weights in (each, np.ones(len(each)))]
                total, many = (self.resamples.times @ sum_of_group for sum_of_group in sums)
                spread[str(k)] = interval(total / np.where(many > 0, many, np.nan))
        return rates, spread

    def _of_cause(self, replicas: np.ndarray, others: np.ndarray) -> dict[str, Any]:
        standing = stand(replicas, others)
        return {
            "replicas": len(replicas),
            "tpr": {_name(rate): _defined(s.tpr_at(standing.true, standing.false, rate)) for rate in INTERVAL_RATES},
        }

    def flags(self, flagged: np.ndarray) -> dict[str, Any]:
        """The method's own decision: precision among compared pairs, recall over all of the gold."""
        context, gold = self.context, self.context.gold
        hit, wrong = flagged & context.truth, int((flagged & self.others).sum())
        groups = gold.group[context.gold_row[hit]]
        size = self.resamples.times.shape[1]
        each = self.resamples.times @ np.column_stack(
            [np.bincount(groups, minlength=size), np.bincount(gold.group[gold.label == 1], minlength=size)]
        )
        errors = np.random.default_rng([context.seed, 4]).poisson(wrong, len(each))
        hits, of = each[:, 0], each[:, 1]
        many = size > 1
        true = int(hit.sum())
        return {
            "pairs": int((flagged & context.compared).sum()),
            "pairs_in_all": int(flagged.sum()),
            "precision": _ratio(true, true + wrong),
            "recall": _ratio(true, gold.replicas),
            "fpr": _ratio(wrong, int(self.others.sum())),
            "wrong": wrong,
            "intervals": {
                "precision": interval(hits / np.where(hits + errors > 0, hits + errors, np.nan)) if many else None,
                "recall": interval(hits / np.where(of > 0, of, np.nan)) if many else None,
            },
        }

    def folds(self, scored: Scored) -> list[dict[str, Any]] | None:
        """METRICS-lite of each fold, non-obvious replicas apart; ``cross_validated`` where the fold was not trained
        on.
        """
        context, cross_validated = self.context, scored.by_fold is not None
        scores = np.asarray(scored.by_fold if cross_validated else scored.scores, float)
        fold_of = context.pair_fold if scored.fold_of is None else scored.fold_of
        if context.n_folds < 2:
            return None
        result = []
        for fold in range(context.n_folds):
            inside = fold_of == fold
            lite: dict[str, Any] = {"fold": fold, "cross_validated": cross_validated}
            for name, others, shown in (
                ("all", self.others, np.ones(len(self.hidden), bool)),
                ("non_obvious", self.hidden_others, self.hidden),
            ):
                rows = self.replica_rows[shown]
                standing = stand(scores[rows[inside[rows]]], np.sort(scores[others & inside]))
                lite[name] = {
                    "replicas": standing.replicas,
                    "auc": _defined(s.auc(standing.true, standing.false)),
                    "average_precision": _defined(s.average_precision(standing.true, standing.false)),
                    "tpr": {
                        _name(rate): _defined(s.tpr_at(standing.true, standing.false, rate))
                        for rate in INTERVAL_RATES
                    },
                }
            result.append(lite)
        return result

    def by_part(self, scores: np.ndarray) -> dict[str, np.ndarray]:
        """AUC and average precision of non-obvious replicas in each of PARTS parts, (PARTS,) each; NaN where not
        defined.
        """
        found = np.full((2, PARTS), np.nan)
        rows = self.replica_rows[self.hidden]
        others = np.flatnonzero(self.hidden_others)
        others = others[np.lexsort((scores[others], self.part[others]))]
        ends = np.searchsorted(self.part[others], np.arange(PARTS + 1))
        for part in range(PARTS):
            standing = stand(scores[rows[self.part[rows] == part]], scores[others[ends[part] : ends[part + 1]]])
            found[:, part] = s.auc(standing.true, standing.false), s.average_precision(standing.true, standing.false)
        return {"auc": found[0], "average_precision": found[1]}


def _name(rate: float) -> str:
    return f"{rate:.4f}".rstrip("0")


def _defined(value) -> float | None:
    return None if value is None or np.isnan(value) else round(float(value), 7)


def _ratio(a: int, b: int) -> float | None:
    return a / b if b else None
