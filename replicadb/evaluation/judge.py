"""All figures of one method: METRICS for everything, for non-obvious replicas and by cause; flags;
folds; curves.

Invariant: every method is measured on the same pairs by the same resamples. A figure that is
not defined (no replica, too few pairs) is None, never NaN. So is a true-positive rate at a
false-positive rate that the others are too few to measure (one of them is more than that share of
them); ``above_all``, the share of replicas above every other pair, is always there. Source:
docs/method.md#metrics, the paper section 4.1.2.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np

from replicadb.arrays import Bools, Floats, Ints
from replicadb.evaluation import ranking_curve as s
from replicadb.evaluation.context import Context, hashed
from replicadb.evaluation.methods.method import NotHere, Scored
from replicadb.evaluation.ranking_curve import (
    RankingCurve,
    Resamples,
    curve_of,
    defined,
    interval,
    rates_of,
    share,
)
from replicadb.evaluation.reduction import (
    SIZES,
    DuplicateUrls,
    HostResamples,
    detection_rate,
    reduction,
)
from replicadb.evaluation.reliability import reliability
from replicadb.evaluation.rule_reduction import EPSILONS, RuleReduction

RATES = (0.0001, 0.001, 0.005, 0.01)
"""False-positive rates at which the true-positive rate is given."""
FOLD_RATES = (0.001, 0.005)
TOPS = (10, 100, 1000)
PARTS = 20
"""Parts that pairs are split into for the signed-rank test: five folds alone cannot reach the 5 %
level.
"""


class Judge:
    """Measures methods on one context. Make it once; :meth:`figures` is called for each method.

    Args:
        with_rules: reduction by rewrite rules, too, which are learned for it.
    """

    def __init__(self, context: Context, with_rules: bool = True) -> None:
        self.context = context
        self.epsilons = EPSILONS if with_rules else ()
        gold = context.gold
        self.replica_rows = np.flatnonzero(context.truth)
        self.groups = gold.group[context.gold_row[self.replica_rows]]
        self.non_obvious = ~context.obvious[self.replica_rows]
        self.causes = gold.cause[context.gold_row[self.replica_rows]]
        self.others = context.compared & ~context.truth
        self.non_obvious_others = self.others & ~context.obvious
        self.resamples = Resamples.draw(int(gold.group.max(initial=-1)) + 1, context.seed)
        everything = np.ones(len(gold.label), bool)
        self.missed = self._missed(everything, everything)
        """Labelled replicas and non-replicas that are no candidates; average precision counts them
        below all others.
        """

        self.gold_groups = {
            "all": gold.group[gold.label == 1],
            "non_obvious": gold.group[(gold.label == 1) & ~gold.obvious],
        }
        """The replica group of each replica of the gold, candidate or not."""

    def _missed(self, replicas: Bools, others: Bools) -> tuple[int, int]:
        """How many of these replicas and others (by row of a labelled gold) are no candidates."""
        gold = self.context.gold
        unseen = ~np.isin(np.arange(len(gold.label)), self.context.gold_row) & gold.labelled
        n_replicas = (unseen & replicas & (gold.label == 1)).sum()
        return int(n_replicas), int((unseen & others & (gold.label == 0)).sum())

    @cached_property
    def urls(self) -> DuplicateUrls:
        return DuplicateUrls.of(self.context)

    @cached_property
    def replicated_hosts(self) -> Bools:
        """By host_id, as :attr:`urls`: the hosts of the gold's replicas."""
        gold, found = self.context.gold, np.zeros(len(self.urls.all), bool)
        for side in (gold.low, gold.high):
            hosts = side[(gold.label == 1) & (side >= 0)]
            found[hosts[hosts < len(found)]] = True
        return found

    @cached_property
    def rules(self) -> dict[float, RuleReduction]:
        """Rewrite rules learned from the crawl, by epsilon; arrays as long as those of
        :attr:`urls`.
        """
        return {
            epsilon: RuleReduction.of(self.context.db, len(self.urls.all), epsilon)
            for epsilon in self.epsilons
        }

    @cached_property
    def host_resamples(self) -> HostResamples | None:
        """Each host counts as often as its replica group, others by Poisson(1). None with fewer
        than two groups.
        """
        gold, times = self.context.gold, self.resamples.times
        if times.shape[1] < 2:
            return None
        place = self.context.place
        drawn = (
            np.random.default_rng([self.context.seed, 5])
            .poisson(1, (len(times), int(place.max(initial=-1)) + 1))
            .astype(np.uint8)
        )
        result = drawn[:, place]
        known = (gold.group >= 0) & (gold.low >= 0)
        for side in (gold.low, gold.high):
            result[:, side[known]] = times[:, gold.group[known]]
        return HostResamples.of(result, self.urls, self.rules)

    @cached_property
    def part(self) -> Ints:
        """(n,) int64, a part by seeded hash of the pair; replicas of one group share theirs."""
        context = self.context
        owner = context.place[context.a] << 32 | context.place[context.b]
        owner[self.replica_rows] = self.groups
        return (
            hashed(owner >> 32, owner & 0xFFFFFFFF, context.seed + 3) % np.uint64(PARTS)
        ).astype(np.int64)

    def figures(self, scored: Scored) -> dict[str, Any]:
        """The measured part of a method's entry in the result."""
        scores = np.asarray(scored.scores, float)
        replicas, others = scores[self.replica_rows], np.sort(scores[self.others])
        everything = curve_of(replicas, others, self.missed)
        part, part_others = self.non_obvious, np.sort(scores[self.non_obvious_others])
        hidden = ~self.context.gold.obvious
        non_obvious = curve_of(replicas[part], part_others, self._missed(hidden, hidden))
        rows, curve, curve_both = self._reduction(scores, others, rules=self.rules)
        non_obvious_rows, non_obvious_curve, _ = self._reduction(
            scores, part_others, ~self.context.obvious
        )
        rates, spread = self.detection_rates(everything, self.groups)
        non_obvious_rates, non_obvious_spread = self.detection_rates(non_obvious, self.groups[part])
        return {
            "all": self.metrics(everything, self.groups),
            "non_obvious": self.metrics(non_obvious, self.groups[part]),
            "by_cause": {
                cause: self._of_cause(cause, scored, others)
                for cause in sorted(set(self.causes.tolist()) - {""})
            },
            "flagged": None if scored.flagged is None else self.flags(scored.flagged),
            "reliability": self._reliability(scored),
            "roc": s.roc(everything),
            "roc_non_obvious": s.roc(non_obvious),
            "precision_recall": s.precision_recall(everything),
            "precision_recall_non_obvious": s.precision_recall(non_obvious),
            "rr": rows,
            "rr_non_obvious": non_obvious_rows,
            "rr_curve": curve,
            "rr_curve_both": curve_both,
            "rr_curve_non_obvious": non_obvious_curve,
            "rdr": rates,
            "rdr_intervals": spread,
            "rdr_non_obvious": non_obvious_rates,
            "rdr_non_obvious_intervals": non_obvious_spread,
            "folds": self.folds(scored),
        }

    def _reliability(self, scored: Scored) -> dict[str, Any] | None:
        """What its probabilities are worth, on the pairs that are compared."""
        if scored.probability is None:
            return None
        rows = np.concatenate([self.replica_rows, np.flatnonzero(self.others)])
        replica = np.arange(len(rows)) < len(self.replica_rows)
        missed = self.context.gold.replicas - len(self.replica_rows)
        return reliability(scored.probability[rows], replica, missed)

    def _reduction(
        self,
        scores: Floats,
        others: Floats,
        among: Bools | None = None,
        rules: dict[float, RuleReduction] | None = None,
    ) -> tuple[list[dict[str, Any]], list[list[float]], list[list[float]]]:
        """RR by the pairs ``among``, with intervals over hosts, and its curves."""
        return reduction(self.context, self.urls, scores, others, self.host_resamples, among, rules)

    def metrics(self, curve: RankingCurve, groups: Ints) -> dict[str, Any]:
        """METRICS of one curve, with bootstrap intervals over replica groups and over the other
        pairs.
        """
        true, false = curve.true, curve.false
        with_missed = (np.append(true, curve.missed[0]), np.append(false, curve.missed[1]))
        found: dict[str, Any] = {
            "n": curve.replicas + curve.others,
            "replicas": curve.replicas,
            "others": curve.others,
            "auc": defined(s.auc(true, false)),
            "average_precision": defined(s.average_precision(*with_missed)),
            "above_all": defined(s.tpr_at(true, false, 0.0)),
            "tpr": rates_of(curve, RATES),
            "precision_at": {str(n): defined(s.precision_at(true, false, n)) for n in TOPS},
            "intervals": None,
        }
        if len(np.unique(groups)) < 2 or not curve.others:
            return found
        (drawn,) = s.resampled(
            curve,
            groups,
            self.resamples,
            [partial(s.many_figures, rates=(0.0, *RATES), tops=TOPS, missed=curve.missed)],
        )
        auc, average_precision, above_all, *spread = (interval(column) for column in drawn.T)
        found["intervals"] = {
            "auc": auc,
            "average_precision": average_precision,
            "above_all": above_all,
        }
        for of, values in (("tpr", spread[: len(RATES)]), ("precision_at", spread[len(RATES) :])):
            pairs = zip(found[of].items(), values, strict=True)
            found["intervals"][of] = {
                name: None if value is None else spread for (name, value), spread in pairs
            }
        return found

    def detection_rates(
        self, curve: RankingCurve, groups: Ints
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """RDR by k, and its intervals over replica groups."""
        rates: dict[str, Any] = {}
        spread: dict[str, Any] = {}
        for k in SIZES:
            each = detection_rate(curve, k)
            rates[str(k)] = None if each is None else defined(each.mean())
            spread[str(k)] = None
            if each is not None and len(np.unique(groups)) > 1:
                size = self.resamples.times.shape[1]
                sums = [
                    np.bincount(groups, weights, size) for weights in (each, np.ones(len(each)))
                ]
                total, many = (self.resamples.times @ sum_of_group for sum_of_group in sums)
                spread[str(k)] = interval(total / np.where(many > 0, many, np.nan))
        return rates, spread

    def _of_cause(self, cause: str, scored: Scored, others: Floats) -> dict[str, Any]:
        """How the replicas of one cause stand among all others (those of other causes left out),
        what they save, and how many are flagged.

        A wrong flag has no cause, so precision of a cause is that of its ranking: average precision
        and precision at n.
        """
        gold, scores, flagged = self.context.gold, np.asarray(scored.scores, float), scored.flagged
        inside = self.causes == cause
        of_cause = (gold.label == 1) & (gold.cause == cause)
        rows, known = self.replica_rows[inside], gold.group[of_cause]
        missed = self._missed(of_cause, np.ones(len(of_cause), bool))
        curve = curve_of(scores[rows], others, missed)
        metrics, rates = (
            self.metrics(curve, self.groups[inside]),
            self.detection_rates(curve, self.groups[inside]),
        )
        among = np.zeros(self.context.n, bool)
        among[rows] = True
        found = {
            name: metrics[name]
            for name in ("replicas", "auc", "average_precision", "above_all", "tpr", "precision_at")
        }
        found |= {"flagged_recall": None, "rdr": rates[0], "rdr_intervals": rates[1]}
        found["rr"] = self._reduction(scores, others, among)[0]
        spread = {
            name: pair for name, pair in (metrics["intervals"] or {}).items() if name in found
        }
        if flagged is not None:
            hits = self.groups[inside & flagged[self.replica_rows]]
            found["flagged_recall"], spread["flagged_recall"] = (
                share(len(hits), len(known)),
                self._spread_of_share(hits, known),
            )
        return found | {"intervals": spread or None}

    def flags(self, flagged: Bools) -> dict[str, Any]:
        """The method's own decision: precision among compared pairs, recall over all of the gold;
        and the same without obvious pairs.
        """
        chosen = flagged & ~self.context.obvious
        non_obvious = self._decision(chosen, self.non_obvious_others, "non_obvious")
        return self._decision(flagged, self.others, "all") | {
            "pairs_in_all": int(flagged.sum()),
            "non_obvious": non_obvious,
        }

    def _decision(self, flagged: Bools, others: Bools, part: str) -> dict[str, Any]:
        context, known = self.context, self.gold_groups[part]
        hit, wrong, negatives = (
            flagged & context.truth,
            int((flagged & others).sum()),
            int(others.sum()),
        )
        groups, true = context.gold.group[context.gold_row[hit]], int(hit.sum())
        hits = self._times(groups)
        errors = np.random.default_rng([context.seed, 4]).poisson(wrong, len(hits))
        many = self.resamples.times.shape[1] > 1
        return {
            "pairs": int((flagged & context.compared).sum()),
            "precision": share(true, true + wrong) if negatives else None,
            "recall": share(true, len(known)),
            "fpr": share(wrong, negatives),
            "wrong": wrong,
            "intervals": {
                "precision": interval(hits / np.where(hits + errors > 0, hits + errors, np.nan))
                if many and negatives
                else None,
                "recall": self._spread_of_share(groups, known),
                "fpr": interval(errors / negatives) if many and negatives else None,
            },
        }

    def _times(self, groups: Ints) -> Floats:
        """(R,) how many of the replicas of these groups each resample has."""
        n = self.resamples.times.shape[1]
        times: Floats = self.resamples.times @ np.bincount(groups, minlength=n)
        return times

    def _spread_of_share(self, some: Ints, of: Ints) -> list[float] | None:
        """Interval of a share of replicas, both given by their groups; None with fewer than two
        groups.
        """
        whole = self._times(of)
        return (
            interval(self._times(some) / np.where(whole > 0, whole, np.nan))
            if len(np.unique(of)) > 1
            else None
        )

    def candidate_recall(self) -> list[float] | None:
        """Interval of the share of the gold's replicas that are candidates."""
        return self._spread_of_share(self.groups, self.gold_groups["all"])

    def folds(self, scored: Scored) -> list[dict[str, Any]] | None:
        """METRICS-lite of each fold, non-obvious replicas apart; ``cross_validated`` where the fold
        was not trained on.
        """
        context = self.context
        if context.n_folds < 2:
            return None
        try:
            by_fold = scored.by_fold() if scored.by_fold else None
        except NotHere:  # a fold has all that it learns from
            by_fold = None
        cross_validated = by_fold is not None
        scores = np.asarray(by_fold if cross_validated else scored.scores, float)
        fold_of = context.pair_fold if scored.fold_of is None else scored.fold_of
        result = []
        for fold in range(context.n_folds):
            inside = fold_of == fold
            lite: dict[str, Any] = {"fold": fold, "cross_validated": cross_validated}
            for name, others, shown in (
                ("all", self.others, np.ones(len(self.non_obvious), bool)),
                ("non_obvious", self.non_obvious_others, self.non_obvious),
            ):
                rows = self.replica_rows[shown]
                curve = curve_of(scores[rows[inside[rows]]], np.sort(scores[others & inside]))
                lite[name] = {
                    "replicas": curve.replicas,
                    "auc": defined(s.auc(curve.true, curve.false)),
                    "average_precision": defined(s.average_precision(curve.true, curve.false)),
                    "tpr": rates_of(curve, FOLD_RATES),
                }
            result.append(lite)
        return result

    def by_part(self, scores: Floats) -> dict[str, Floats]:
        """AUC and average precision of non-obvious replicas in each of PARTS parts, (PARTS,) each;
        NaN where not defined.
        """
        found = np.full((2, PARTS), np.nan)
        rows = self.replica_rows[self.non_obvious]
        others = np.flatnonzero(self.non_obvious_others)
        others = others[np.lexsort((scores[others], self.part[others]))]
        ends = np.searchsorted(self.part[others], np.arange(PARTS + 1))
        for part in range(PARTS):
            curve = curve_of(
                scores[rows[self.part[rows] == part]], scores[others[ends[part] : ends[part + 1]]]
            )
            found[:, part] = (
                s.auc(curve.true, curve.false),
                s.average_precision(curve.true, curve.false),
            )
        return {"auc": found[0], "average_precision": found[1]}
