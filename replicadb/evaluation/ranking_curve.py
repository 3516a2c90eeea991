"""Where replicas stand among the others: one small summary from which every figure of a ranking
follows, and its interval.

Invariant: scores are compared, never added, so only their order counts; examples with equal
scores are never parted. Non-replicas between two neighbouring replica scores are
interchangeable, so they are counted, not kept: all figures and all bootstrap resamples cost what
the distinct replica scores cost. Source: docs/method.md#metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from replicadb.arrays import Float32s, Floats, Ints, Values
from replicadb.errors import UsageError

Figures = Callable[[Floats, Floats], Floats]
"""A figure of each resample: true and false, (r, S) both, to (r, ...)."""

RESAMPLES = 200
MOST_POINTS = 400
"""Of a curve that is drawn."""
LEVEL = 0.95
_CELLS = 1 << 22
"""Cells (resample, replica) held at once."""


@dataclass(frozen=True)
class RankingCurve:
    """Counts along the ranking, best first, in S = 2 K + 1 segments for K distinct replica scores.

    Even segments hold the non-replicas between two replica scores, odd ones those that tie with a
    replica score.
    """

    true: Floats
    """(S,) float64, replicas of each segment; 0 in even ones."""
    false: Floats
    """(S,) float64, non-replicas of each segment."""
    segment: Ints
    """(P,) int64, the segment of each replica."""
    missed: tuple[int, int] = (0, 0)
    """Replicas and non-replicas below all others (labelled pairs that are no candidates); only
    average precision counts them.
    """

    @property
    def replicas(self) -> int:
        return int(self.true.sum())

    @property
    def others(self) -> int:
        return int(self.false.sum())


def curve_of(
    replica_scores: Values, others_ascending: Values, missed: tuple[int, int] = (0, 0)
) -> RankingCurve:
    """Summarise a ranking.

    Args:
        replica_scores: (P,) floats, scores of the replicas.
        others_ascending: (N,) floats, scores of the others, ascending.
        missed: see :class:`RankingCurve`.

    Raises:
        UsageError: a score is NaN.

    Complexity: O(P log P + K log N).
    """
    replicas: Floats = np.asarray(replica_scores, float)
    others: Floats = np.asarray(others_ascending, float)
    if np.isnan(replicas).any() or (len(others) and np.isnan(others[-1])):
        raise UsageError("scores must be numbers")
    values, at = np.unique(-replicas, return_inverse=True)
    above = len(others) - np.searchsorted(others, -values, "right")
    down_to = len(others) - np.searchsorted(others, -values, "left")
    false, true = np.zeros((2, 2 * len(values) + 1))
    false[1::2] = down_to - above
    false[0::2] = np.append(above, len(others)) - np.append(0, down_to)
    true[1::2] = np.bincount(at, minlength=len(values))
    return RankingCurve(true, false, 2 * at + 1, missed)


# -- figures: true, false are (..., S), the result (...)
# ---------------------------------------------------


def auc(true: Floats, false: Floats) -> Floats:
    """Probability that a random replica is above a random other, ties half; NaN without one of the
    classes.
    """
    above = np.cumsum(true, axis=-1) - true / 2
    pairs = true.sum(axis=-1) * false.sum(axis=-1)
    area: Floats = np.sum(false * above, axis=-1) / np.where(pairs > 0, pairs, np.nan)
    return area


def average_precision(true: Floats, false: Floats) -> Floats:
    """Sum over distinct scores of precision there times the recall gained there; NaN without
    replicas.
    """
    found, all_found = np.cumsum(true, axis=-1), np.cumsum(true + false, axis=-1)
    precision = found / np.where(all_found > 0, all_found, 1)
    total = true.sum(axis=-1)
    mean: Floats = np.sum(true * precision, axis=-1) / np.where(total > 0, total, np.nan)
    return mean


def tpr_at(true: Floats, false: Floats, fpr: float) -> Floats:
    """True-positive rate at a false-positive rate, on the line between two distinct scores; NaN
    without one of the classes.
    """
    x, y = _from_nothing(false), _from_nothing(true)
    others, replicas = x[..., -1:], y[..., -1]
    found = _on_line(x / np.where(others > 0, others, np.nan), y, fpr)
    rate = found / np.where(replicas > 0, replicas, np.nan)
    return np.where(others[..., 0] > 0, rate, np.nan)


def precision_at(true: Floats, false: Floats, n: int) -> Floats:
    """Share of replicas among the n best; of a tie at the border its expected value. NaN with fewer
    pairs than n.
    """
    x = _from_nothing(true + false)
    return np.where(x[..., -1] >= n, _on_line(x, _from_nothing(true), n) / n, np.nan)


def many_figures(
    true: Floats,
    false: Floats,
    rates: Sequence[float],
    tops: Sequence[int],
    missed: tuple[int, int],
) -> Floats:
    """AUC, average precision, TPR at each rate and precision at each top of resamples: the above,
    from one cumulation.

    Args:
        true, false: (R, S). missed: see :class:`RankingCurve`; for average precision only.

    Returns:
        (R, 2 + rates + tops) float64, NaN where not defined.
    """
    found = np.full((len(true), 2 + len(rates) + len(tops)), np.nan)
    # Resamples are few, corners are many.
    for row, (t, f) in enumerate(zip(true, false, strict=True)):
        y, x = _from_nothing(t), _from_nothing(f)
        replicas, others, both = y[-1], x[-1], x + y
        if replicas:
            found[row, 1] = np.sum(t * (y[1:] / np.maximum(both[1:], 1))) / (replicas + missed[0])
            if missed[0]:
                last = (replicas + missed[0]) / (both[-1] + sum(missed))
                found[row, 1] += missed[0] * last / (replicas + missed[0])
        if replicas and others:
            found[row, 0] = np.sum(f * (y[:-1] + y[1:])) / (2 * replicas * others)
            for i, rate in enumerate(rates):
                found[row, 2 + i] = _at(x / others, y / replicas, rate)
        for i, n in enumerate(tops):
            if both[-1] >= n:
                found[row, 2 + len(rates) + i] = _at(both, y, n) / n
    return found


def _at(x: Floats, y: Floats, at: float) -> float:
    """:func:`_on_line` for one line."""
    last = int(np.searchsorted(x, at, "right")) - 1
    if last >= len(x) - 1 or x[last] == at:
        return float(y[last])
    return float(y[last] + (at - x[last]) / (x[last + 1] - x[last]) * (y[last + 1] - y[last]))


def _on_line(x: Floats, y: Floats, at: float) -> Floats:
    """y on the line through the corners (x, y), both rising along the last axis; the top where the
    line is upright.
    """
    last = np.clip((x <= at).sum(axis=-1) - 1, 0, x.shape[-1] - 1)[..., None]
    following = np.minimum(last + 1, x.shape[-1] - 1)
    x0, x1, y0, y1 = (
        np.take_along_axis(v, i, -1)[..., 0]
        for v, i in ((x, last), (x, following), (y, last), (y, following))
    )
    rise = np.where(x1 > x0, (y1 - y0) / np.where(x1 > x0, x1 - x0, 1), 0)
    on_line: Floats = y0 + np.maximum(at - x0, 0) * rise
    return on_line


def _from_nothing(counts: Floats) -> Floats:
    return np.concatenate([np.zeros_like(counts[..., :1]), np.cumsum(counts, axis=-1)], axis=-1)


def measurable(rate: float, others: int) -> bool:
    """Whether so many non-replicas are enough to measure a false-positive rate: one of them must
    not be more than it. A rate of 0 can be measured with any.
    """
    return others * rate >= 1 - 1e-9 if rate else others > 0


def rates_of(curve: RankingCurve, rates: tuple[float, ...]) -> dict[str, float | None]:
    """True-positive rates by false-positive rate; None where that cannot be measured."""
    return {
        f"{rate:.4f}".rstrip("0"): defined(tpr_at(curve.true, curve.false, rate))
        if measurable(rate, curve.others)
        else None
        for rate in rates
    }


def share(a: int, b: int) -> float | None:
    """a / b; None of nothing."""
    return a / b if b else None


def defined(value: float | Floats | None) -> float | None:
    """A figure as JSON has it; NaN is None."""
    return None if value is None or np.isnan(value) else round(float(value), 7)


# -- curves
# ------------------------------------------------------------------------------------------------


def roc(curve: RankingCurve) -> list[list[float]]:
    """[[fpr, tpr], ...] from (0, 0) to (1, 1), at most MOST_POINTS corners: evenly spread in tpr,
    in fpr and in log fpr.
    """
    x, y = _from_nothing(curve.false), _from_nothing(curve.true)
    if not x[-1] or not y[-1]:
        return []
    x, y = x / x[-1], y / y[-1]
    kept = _spread(
        x,
        np.concatenate(
            [np.logspace(-5, 0, MOST_POINTS // 2 - 2), np.linspace(0, 1, MOST_POINTS // 8)]
        ),
    )
    kept = np.union1d(kept, _spread(y, np.linspace(0, 1, MOST_POINTS // 4)))
    return _points(x, y, np.unique(np.r_[0, kept, len(x) - 1]))


def precision_recall(curve: RankingCurve) -> list[list[float]]:
    """[[recall, precision], ...], one for each distinct replica score, at most
    MOST_POINTS.
    """
    true, found = np.cumsum(curve.true)[1::2], np.cumsum(curve.true + curve.false)[1::2]
    if not len(true):
        return []
    recall = true / true[-1]
    return _points(recall, true / found, _spread(recall, np.linspace(0, 1, MOST_POINTS)))


def _spread(values: Floats, grid: Floats) -> Ints:
    """Places of an ascending list: all of them if few, else the last at or below each point of the
    grid.
    """
    if len(values) <= MOST_POINTS // 2:
        return np.arange(len(values))
    return np.unique(np.clip(np.searchsorted(values, grid, "right") - 1, 0, None))


def _points(x: Floats, y: Floats, places: Ints) -> list[list[float]]:
    return [
        [round(float(a), 7), round(float(b), 7)] for a, b in zip(x[places], y[places], strict=True)
    ]


# -- intervals
# -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Resamples:
    """How often each replica group counts in each bootstrap resample; shared by all methods, so
    differences are paired.
    """

    times: Floats
    """(R, G) float64, multinomial: each resample draws as many groups as there are."""
    seed: int

    @classmethod
    def draw(cls, n_groups: int, seed: int) -> Resamples:
        """Args: n_groups of replicas; with fewer than two of them there is no interval."""
        rng = np.random.default_rng([seed, 1])
        times = (
            rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=RESAMPLES)
            if n_groups
            else np.zeros((RESAMPLES, 0))
        )
        return cls(times.astype(float), seed)


def resampled(
    curve: RankingCurve, group: Values, resamples: Resamples, figures: Sequence[Figures]
) -> list[Floats]:
    """Figures of bootstrap resamples: replica groups by their times, each other pair a Poisson(1)
    number of times.

    Args:
        group: (P,) ints, the group of each replica. figures: functions of (true, false), each (r,
            S), to (r, ...).

    Returns:
        For each figure (R, ...) floats.
    """
    rng = np.random.default_rng([resamples.seed, 2])
    order = np.argsort(curve.segment, kind="stable")
    starts = np.flatnonzero(np.diff(curve.segment[order], prepend=-1))
    odd, some = curve.segment[order][starts], np.flatnonzero(curve.false)
    step = max(1, _CELLS // max(1, len(order) + len(curve.true)))
    parts: list[list[Floats]] = [[] for _ in figures]
    for at in range(0, len(resamples.times), step):
        times = resamples.times[at : at + step]
        true, false = np.zeros((2, len(times), len(curve.true)))
        true[:, odd] = np.add.reduceat(times[:, np.asarray(group)[order]], starts, axis=1)
        false[:, some] = rng.poisson(curve.false[some], (len(times), len(some)))
        for part, figure in zip(parts, figures, strict=True):
            part.append(figure(true, false))
    return [np.concatenate(part) for part in parts]


def interval(values: Floats | Float32s) -> list[float] | None:
    """The middle 95 % of resampled figures (percentiles); None when too few are defined."""
    known = values[~np.isnan(values)]
    if len(known) < len(values) / 2 or not len(known):
        return None
    tail = 100 * (1 - LEVEL) / 2
    return [round(float(v), 6) for v in np.percentile(known, [tail, 100 - tail])]
