"""Boosted evidence tables: an additive model of single pieces of evidence and of pairs of them.

Invariant: a score is an intercept, plus one weight for each feature's bin, plus one weight
for each pair of features' bins; nothing else. So every contribution can be shown, and a model is a
handful of tables. The model is learned as small trees (at most three splits, so at most two
features on a path) by second-order gradient boosting on counts of distinct patterns; the trees are
added up into the tables. No random draw: the same counts give the same tables.

Sources: Lou, Caruana, Gehrke and Hooker (2013), "Accurate intelligible models with pairwise
interactions" (the model); Chen and Guestrin (2016), "XGBoost", section 2.2 (gain and leaf weight).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from replicadb.arrays import Bools, Floats, Ints, Values, Whole
from replicadb.errors import UsageError

RATE = 0.15
"""Of a tree's values that is added in its round."""
LEAST = 1.0
"""Sum of p (1 - p) in a leaf at the least."""
MOST_CELLS = 8192
"""Of a table in which several features are counted at once; it stays in a core's cache."""


@dataclass
class Tables:
    """A model. Bins count from 0 (NULL's) to n_bins[j] - 1."""

    n_bins: tuple[int, ...]
    intercept: float = 0.0
    """Log odds where all else adds nothing."""
    single: list[Floats] = field(default_factory=list)
    """Per feature, (n_bins[j],) log odds of each bin."""
    pairs: dict[tuple[int, int], Floats] = field(default_factory=dict)
    """For features j < k, (n_bins[j], n_bins[k]) log odds of both bins together."""

    def __post_init__(self) -> None:
        self.single = self.single or [np.zeros(n) for n in self.n_bins]

    def score(self, bins: Values) -> Floats:
        """The log odds of each pattern.

        Args:
            bins: (n_patterns, n_features) ints.

        Returns:
            (n_patterns,) float64, summed in a fixed order.
        """
        rows: Whole = np.asarray(bins)
        total = np.full(len(rows), self.intercept)
        for j, weight in enumerate(self.single):
            total += weight[rows[:, j]]
        for (j, k), weight in self.pairs.items():
            total += weight[rows[:, j], rows[:, k]]
        return total


def boost(
    bins: Values,
    positive: Values,
    negative: Values,
    n_bins: Iterable[int],
    rounds: int = 400,
    ridge: float = 5.0,
    pairs: Collection[tuple[int, int]] | None = None,
    known: Values | None = None,
    rising: Collection[int] = (),
) -> Tables:
    """Learn tables from counted patterns.

    Minimises the logistic loss of the counts; each round adds RATE times the best tree of three
    splits. No leaf moves a score by more than 1 in a round, so the loss never rises, however rare
    one class is (a Newton step from p near 0 would overshoot, and leave a leaf too sure of itself
    to be split again).

    Args:
        bins: (n_patterns, n_features) ints, 0 for NULL, else 1 ... n_bins[j] - 1.
        positive, negative: (n_patterns,) counts or masses, 0 or more.
        n_bins: (n_features,) ints, with NULL's.
        rounds: trees to add.
        ridge: penalty on a leaf's squared weight, in examples of variance 1.
        pairs: the pairs of features j < k that may be used together; None: any.
        known: (n_patterns,) log odds that the tables are to be added to; None: those of the two
            classes, which become the intercept.
        rising: features of which a higher bin (NULL aside) may never lower the score, whatever the
            others are.

    Raises:
        UsageError: shapes that do not fit, a bin out of range, a negative count, or a class without
            mass.

    Complexity: O(rounds n_patterns n_features).
    """
    rows: Ints = np.asfortranarray(bins, np.int64)  # a feature's bins side by side
    ours: Floats = np.asarray(positive, float)
    others: Floats = np.asarray(negative, float)
    sizes = tuple(int(n) for n in n_bins)
    _check(rows, ours, others, sizes)
    mass = ours + others
    tables = Tables(sizes, float(np.log(ours.sum() / others.sum())) if known is None else 0.0)
    score: Floats = (
        np.full(len(rows), tables.intercept) if known is None else np.array(known, float)
    )
    grower = _Grower(rows, sizes, ridge, LEAST, 1 / RATE, pairs, rising)
    for _ in range(rounds):
        tree = grower.grow(*_derivatives(score, ours, mass))
        if tree is None:
            break
        score += RATE * add_tree(tables, tree, RATE, rows)
    return tables


def _derivatives(score: Floats, positive: Floats, mass: Floats) -> tuple[Floats, Floats]:
    """Of the logistic loss at a score: the falling gradient and the hessian, (n_patterns,) each."""
    p = np.exp(-np.logaddexp(0, -score))
    return positive - mass * p, mass * p * (1 - p)


@dataclass(frozen=True)
class _Split:
    """Bins up to ``edge`` go left; NULL (bin 0) goes left or right as ``null_left`` says."""

    feature: int
    edge: int
    null_left: bool
    gain: float
    left: float
    right: float

    def goes_left(self, n_bins: int) -> Bools:
        """(n_bins,) bool."""
        side = np.arange(n_bins) <= self.edge
        side[0] = self.null_left
        return side


_Tree = tuple[_Split, _Split | None, _Split | None]
"""The root, and the splits of its left and right side."""


class _Grower:
    """Finds the best tree for given gradients; holds what does not change from round to round."""

    def __init__(
        self,
        rows: Ints,
        sizes: tuple[int, ...],
        ridge: float,
        least: float,
        most: float,
        pairs: Collection[tuple[int, int]] | None = None,
        rising: Collection[int] = (),
    ) -> None:
        self.rows, self.sizes, self.ridge, self.least, self.most, self.rising = (
            rows,
            sizes,
            ridge,
            least,
            most,
            frozenset(rising),
        )
        self.start = np.concatenate([[0], np.cumsum(sizes)])
        self.joint = list(_joint(rows, sizes))
        every = range(len(sizes))
        self.together = [
            [k for k in every if pairs is None or j == k or (min(j, k), max(j, k)) in pairs]
            for j in every
        ]
        """For each feature those that may be below it in a tree."""

    def grow(self, gradient: Floats, hessian: Floats) -> _Tree | None:
        """The best tree, or None where no split helps; gradient and hessian of the loss, (n_rows,)
        each.
        """
        whole = self._histogram(gradient, hessian, None)
        root = self._best(whole, range(len(self.together)), (-self.most, self.most))
        if root is None:
            return None
        left_side = root.goes_left(self.sizes[root.feature])[self.rows[:, root.feature]]
        fewer_left = left_side.sum() * 2 <= len(left_side)
        some = self._histogram(
            gradient, hessian, np.flatnonzero(left_side if fewer_left else ~left_side)
        )
        rest = whole - some
        left, right = (some, rest) if fewer_left else (rest, some)
        # No leaf may cross it, where the two sides are of a feature that rises.
        middle = (root.left + root.right) / 2
        bounds = (
            ((-self.most, middle), (middle, self.most))
            if root.feature in self.rising
            else ((-self.most, self.most),) * 2
        )
        below = self.together[root.feature]
        return root, self._best(left, below, bounds[0]), self._best(right, below, bounds[1])

    def _histogram(self, gradient: Floats, hessian: Floats, rows: Ints | None) -> Floats:
        """(2, bins of all features): sums of gradient and hessian by (feature, bin)."""
        result = np.zeros((2, int(self.start[-1])))
        if rows is not None:
            gradient, hessian = gradient[rows], hessian[rows]
        for features, shape, column in self.joint:
            cell = column if rows is None else column[rows]
            for sums, weight in zip(result, (gradient, hessian), strict=True):
                cube = np.bincount(cell, weight, math.prod(shape)).reshape(shape)
                for axis, j in enumerate(features):
                    others = tuple(k for k in range(len(shape)) if k != axis)
                    sums[self.start[j] : self.start[j + 1]] = cube.sum(axis=others)
        return result

    def _best(
        self, histogram: Floats, allowed: Iterable[int], bound: tuple[float, float]
    ) -> _Split | None:
        """The split by an allowed feature that lowers the loss most, both weights within the bound;
        ties go to the first feature and edge.
        """
        best = None
        for j in allowed:
            g, h = histogram[:, self.start[j] : self.start[j + 1]]
            total_g, total_h = g.sum(), h.sum()
            for null_left in (True, False):
                left_g, left_h = np.cumsum(g[1:])[:-1], np.cumsum(h[1:])[:-1]  # edges 1 ... n - 2
                edges = np.arange(1, len(g) - 1)
                if null_left:  # NULL alone on the left is an edge of its own
                    left_g, left_h = np.r_[0.0, left_g] + g[0], np.r_[0.0, left_h] + h[0]
                    edges = np.r_[0, edges]
                right_g, right_h = total_g - left_g, total_h - left_h
                fits = (left_h >= self.least) & (right_h >= self.least)
                if j in self.rising:
                    fits &= (left_g / (left_h + self.ridge) <= right_g / (right_h + self.ridge)) | (
                        edges == 0
                    )  # NULL is neither low nor high
                if not fits.any():
                    continue
                gain = np.where(
                    fits,
                    left_g**2 / (left_h + self.ridge)
                    + right_g**2 / (right_h + self.ridge)
                    - total_g**2 / (total_h + self.ridge),
                    -np.inf,
                )
                i = int(np.argmax(gain))
                if gain[i] > 1e-9 and (best is None or gain[i] > best.gain * (1 + 1e-12)):
                    best = _Split(
                        j,
                        int(edges[i]),
                        null_left,
                        float(gain[i]),
                        self._weight(left_g[i], left_h[i], bound),
                        self._weight(right_g[i], right_h[i], bound),
                    )
        return best

    def _weight(self, gradient: float, hessian: float, bound: tuple[float, float]) -> float:
        return float(np.clip(gradient / (hessian + self.ridge), *bound))


def _joint(rows: Ints, sizes: tuple[int, ...]) -> Iterator[tuple[range, tuple[int, ...], Ints]]:
    """Neighbouring features that are counted in one pass: their numbers, their sizes, and the cell
    of each pattern, (n_patterns,), in a table of MOST_CELLS at most.
    """
    first = 0
    while first < len(sizes):
        last = first + 1
        while last < len(sizes) and math.prod(sizes[first : last + 1]) <= MOST_CELLS:
            last += 1
        features, shape = range(first, last), sizes[first:last]
        yield features, shape, np.ravel_multi_index(tuple(rows.T[first:last]), shape)
        first = last


def add_tree(tables: Tables, tree: _Tree, rate: float, bins: Ints) -> Floats:
    """Add a tree to the tables, ``rate`` times; returns its values, (n_patterns,)."""
    root, *children = tree
    side = root.goes_left(tables.n_bins[root.feature])
    value = np.zeros(len(bins))
    for child, mine, weight in zip(children, (side, ~side), (root.left, root.right), strict=True):
        here = mine[bins[:, root.feature]]
        if child is None:
            tables.single[root.feature][mine] += rate * weight
            value[here] += weight
            continue
        leaf = np.where(child.goes_left(tables.n_bins[child.feature]), child.left, child.right)
        value[here] += leaf[bins[here, child.feature]]
        _add_product(tables, root.feature, mine, child.feature, rate * leaf)
    return value


def _add_product(tables: Tables, j: int, where: Bools, k: int, weight: Floats) -> None:
    """Add ``weight`` over feature k's bins wherever feature j's bin is in ``where``."""
    if j == k:
        tables.single[j] += where * weight
        return
    low, high = min(j, k), max(j, k)
    table = tables.pairs.setdefault(
        (low, high), np.zeros((tables.n_bins[low], tables.n_bins[high]))
    )
    table += np.outer(where, weight) if j == low else np.outer(weight, where)


def _check(bins: Ints, positive: Floats, negative: Floats, n_bins: tuple[int, ...]) -> None:
    if (
        bins.ndim != 2
        or bins.shape != (len(positive), len(n_bins))
        or len(negative) != len(positive)
    ):
        raise UsageError(
            "bins must be (n_patterns, n_features) with one count of each class per pattern"
        )
    if min(n_bins, default=0) < 2 or (bins < 0).any() or (bins >= np.array(n_bins)).any():
        raise UsageError(
            "a bin lies outside of its feature's bins; each feature has NULL's and one more at"
            " least"
        )
    if (
        not (positive >= 0).all()
        or not (negative >= 0).all()
        or not 0 < positive.sum() < np.inf
        or not 0 < negative.sum() < np.inf
    ):
        raise UsageError("counts must not be negative or infinite, and both classes need some mass")
