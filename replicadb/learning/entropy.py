"""The best entropy cut: for each example x the alpha that parts D_x into a positive and a negative
side best.

Invariants:

- Every path computes E(O_f) by one formula, :func:`split_entropy`, from integer counts, and
  compares it rounded to 12 decimals. So the fast paths and a plain scan agree, ties included.
- A cut f is the alpha of an example in D_x; the sides are alpha <= f and alpha > f, and neither is
  empty.
- No cut is NaN (D_x of one class, or of one alpha). Comparisons with NaN are false, so x stays.

Source: the paper §3.3, Definition 3.3, Eq. 6 and 7. Departures: it prints "minimises E(O) -
E(O_f)", which would be the worst cut; we minimise E(O_f), as the sentence before it says
(docs/method.md#cut).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.arrays import Bools, Floats, Ints, Values, Whole
from replicadb.errors import UsageError
from replicadb.learning.rules import DECIMALS, RulePool, as_bins

Counts = Ints | Floats
"""Whole numbers; as floats where products of matrices made them."""

_SEGMENT = 32
"""Neighbours in the order of alpha that are judged together before any of them by itself."""

_CELLS = 1 << 18
"""Cells (x, y) held at once; 10,000 patterns peak at 25 MB with it (measured)."""

_MARGIN = 1e-11
"""A segment is skipped only when it is worse than the best by more than rounding could hide."""


@dataclass(frozen=True)
class Cuts:
    """The best cuts of m examples, and what lies on their two sides."""

    cut: Floats
    """(m,) float64, alpha_min(x); NaN where there is no cut."""
    entropy: Floats
    """(m,) float64, E(O_f) of that cut, in nats, 12 decimals; NaN where there is no cut."""
    left: Ints
    """(m, 2) int64, negative and positive examples of D_x with alpha <= cut."""
    right: Ints
    """(m, 2) int64, negative and positive examples of D_x with alpha > cut."""


def entropy(counts: Values) -> Floats:
    """E(O), Eq. 6: the entropy in nats, (...), of label counts (..., n_classes). 0 ln 0 = 0, and
    the entropy of an empty list is 0.
    """
    given: Ints = np.asarray(counts)
    mean: Floats = entropy_mass(given) / np.maximum(given.sum(axis=-1), 1)
    return mean


def entropy_mass(counts: Ints) -> Floats:
    """|O| E(O), (...), of label counts (..., n_classes): h(n) - sum h(n_c), with h(n) = n ln n."""
    of_classes: Floats = n_ln_n(counts).sum(axis=-1)
    return n_ln_n(counts.sum(axis=-1)) - of_classes


def split_entropy(left: Counts, total: Counts) -> Floats:
    """E(O_f), Eq. 7: the weighted entropy in nats of two sides.

    Args:
        left: (..., 2) counts with alpha <= f.
        total: (..., 2) counts of the whole list, broadcast against ``left``.

    Returns:
        (...) float64 in [0, ln 2].

    The formula is Eq. 7 over Eq. 6 multiplied out, with h(n) = n ln n:
    E = [h(L) - h(L-) - h(L+) + h(R) - h(R-) - h(R+)] / |O|. A pure side gives exactly 0.
    """
    right = total - left
    sides = _mass(left[..., 0], left[..., 1]) + _mass(right[..., 0], right[..., 1])
    mean: Floats = sides / np.maximum(total.sum(axis=-1), 1)
    return mean


def projected_cuts(pool: RulePool, x: Values | None = None, *, ties: str = "smallest") -> Cuts:
    """Best cuts when the examples of D_x are scored by x's rules only (docs/method.md#cut-readings,
    *projected*).

    Then y is known by which items it shares with x: at most 2^F - 1 kinds, whose alpha and counts
    come from the supports inside x.

    Args:
        x: (m, n_features) bins; default the pool's patterns.
        ties: which of equally good cuts: ``smallest`` (PU) or ``largest`` (NU), the one that
            moves fewer.

    Complexity: O(m F 2^F).
    """
    _check_ties(ties)
    ids = pool.antecedent_ids if x is None else pool.index(x)
    step = max(1, _CELLS >> pool.n_features)
    blocks = (ids[i : i + step] for i in range(0, len(ids), step))
    return _join(
        [_best_of_rows(pool.alpha_by_overlap(b), pool.counts_by_overlap(b), ties) for b in blocks]
    )


def own_cuts(
    pool: RulePool,
    x: Values | None = None,
    *,
    alpha: Values | None = None,
    ties: str = "smallest",
) -> Cuts:
    """Best cuts when each example of D_x is scored by its own rules (docs/method.md#cut-readings,
    *own*; the paper's method).

    Args:
        x: (m, n_features) bins; default the pool's patterns.
        alpha: (n_patterns,) alpha of the pool's patterns, when the caller has it already.
        ties: which of equally good cuts: ``smallest`` (PU) or ``largest`` (NU), the one that
            moves fewer.

    E(O_f) is concave in the counts on the left of the cut, so over a run of neighbours in alpha
    order it is least in a corner of the box between the counts at its two ends. Runs whose corners
    are all worse than the best cut known at the ends of runs are skipped: that is exact,
    and few are left.

    Complexity: O(m n) to see who shares an item with whom, by blocks of x; entropies for a few per
    cent of it.
    """
    _check_ties(ties)
    rows = pool.bins if x is None else as_bins(x, n_features=pool.n_features)
    line = _AlphaLine(pool, pool.alpha() if alpha is None else alpha)
    step = max(1, _CELLS // max(1, line.length))
    return _join([line.cut(rows[i : i + step], ties) for i in range(0, len(rows), step)])


class OneCut:
    """:func:`own_cuts` of one example at a time, on a pool that moves: no blocks, no segments.

    Only alpha and labels change from call to call. Which patterns lie in D_x does not, so it is
    kept, and n ln n is looked up. It finds the same cut; at up to a few hundred patterns it is ten
    times as quick.
    """

    def __init__(self, pool: RulePool, ties: str):
        _check_ties(ties)
        self._bins, self._first = pool.bins, ties == "smallest"
        counts = pool.counts.sum(axis=1)
        self._occurs = counts > 0
        self._mass = n_ln_n(np.arange(int(counts.sum()) + 1))
        self._near: dict[int, tuple[Ints, Ints]] = {}

    def near(self, row: int) -> Ints:
        """(m,) the patterns that share an item with the pattern ``row``, rising; some may have no
        example.
        """
        return self._both(row)[0]

    def _both(self, row: int) -> tuple[Ints, Ints]:
        """Those, and those of them that are in D_x."""
        if row not in self._near:
            near = np.flatnonzero((self._bins == self._bins[row]).any(axis=1))
            self._near[row] = near, near[self._occurs[near]]
        return self._near[row]

    def cut(self, row: int, alpha: Floats, counts: Ints) -> float:
        """alpha_min of a pattern; NaN where there is no cut.

        Args:
            alpha: (n_patterns,). counts: (n_patterns, 2), of the training set as it is now.
        """
        near = self._both(row)[1]
        values = alpha[near]
        order = np.argsort(values, kind="stable")
        values = values[order]
        left = np.cumsum(counts[near[order]], axis=0)
        total = left[-1] if len(left) else np.zeros(2, np.int64)
        places = np.flatnonzero(values[:-1] < values[1:])
        if not len(places) or not total.all():  # one alpha, or one class
            return float("nan")
        left = left[places]
        sides = np.concatenate([left, total - left])
        n, classes = self._mass[sides.sum(axis=1)], self._mass[sides]
        mass = n - (classes[:, 0] + classes[:, 1])
        value = np.round((mass[: len(places)] + mass[len(places) :]) / total.sum(), DECIMALS)
        best = value.argmin() if self._first else len(value) - 1 - value[::-1].argmin()
        return float(values[places[best]])


class _AlphaLine:
    """The examples in ascending order of alpha, in segments; cuts are places on this line."""

    def __init__(self, pool: RulePool, given: Values):
        alpha: Floats = np.asarray(given, float)
        counts = pool.counts
        if alpha.shape != (len(counts),):
            raise UsageError(f"alpha must have shape ({len(counts)},), one per pattern of the pool")
        rows = np.flatnonzero(counts.sum(axis=1))
        rows = rows[np.argsort(alpha[rows], kind="stable")]
        pad = -len(rows) % _SEGMENT if len(rows) else _SEGMENT
        self.length = len(rows) + pad
        self.alpha = np.append(alpha[rows], np.full(pad, np.inf))
        # Padding has no items (-1) and no examples, so it is in no D_x and at the end of the line.
        self.unknown = pool.bins.max(axis=0, initial=0) + 1
        items = np.vstack([pool.bins[rows], np.full((pad, pool.n_features), -1)]).T
        self.items: Whole = items.astype(np.min_scalar_type(-1 - self.unknown.max()))
        # Whole numbers below 2^53: sums of them as floats are exact in any order of addition.
        self.counts = np.vstack([counts[rows], np.zeros((pad, 2))]).reshape(-1, _SEGMENT, 2)
        # Only the last of equal alphas is a cut.
        self.ends = np.append(self.alpha[:-1] < self.alpha[1:], False).reshape(-1, _SEGMENT)

    def shares(self, x: Ints) -> Bools:
        """(m, length) bool: whether y shares an item with x, that is, is in D_x."""
        items: Whole = np.minimum(x, self.unknown).astype(self.items.dtype)
        shared: Bools = items[:, :1] == self.items[0]
        for j in range(1, items.shape[1]):
            shared |= items[:, j : j + 1] == self.items[j]
        return shared

    def cut(self, x: Ints, ties: str) -> Cuts:
        shares = self.shares(x)
        inside = shares.reshape(len(x), -1, _SEGMENT)
        sums = np.matmul(inside.transpose(1, 0, 2).astype(float), self.counts)
        after = np.cumsum(sums.transpose(1, 0, 2), axis=1)
        before = np.concatenate([np.zeros_like(after[:, :1]), after[:, :-1]], axis=1)
        total = after[:, -1:]
        row, segment = np.nonzero(self._worth_a_look(before, after, total))
        left = before[row, segment][:, None] + np.cumsum(
            inside[row, segment][..., None] * self.counts[segment], axis=1
        )
        value = _rounded(left, total[row], self.ends[segment])
        return self._choose(shares, row, segment, value, left, total[:, 0], ties)

    def _worth_a_look(self, before: Floats, after: Floats, total: Floats) -> Bools:
        """(m, n_segments) bool: whether the segment could hold the best cut (see
        :func:`own_cuts`).
        """
        at_end = split_entropy(after, total)
        allowed = self.ends[:, -1] & _two_sided(after, total)
        known = np.where(allowed, at_end, np.inf).min(axis=1, keepdims=True)
        corners = [
            split_entropy(before, total),
            at_end,
            split_entropy(np.stack([before[..., 0], after[..., 1]], axis=-1), total),
            split_entropy(np.stack([after[..., 0], before[..., 1]], axis=-1), total),
        ]
        best: Bools = np.minimum.reduce(corners) <= known + _MARGIN
        return best

    def _choose(
        self,
        shares: Bools,
        row: Ints,
        segment: Ints,
        value: Floats,
        left: Floats,
        total: Floats,
        ties: str,
    ) -> Cuts:
        """Of the places judged, the best of each x; ties to the first or the last."""
        least = np.full(len(total), np.inf)
        np.minimum.at(least, row, value.min(axis=1))
        hit, offset = np.nonzero(np.isfinite(value) & (value == least[row][:, None]))
        if ties == "largest":
            hit, offset = hit[::-1], offset[::-1]
        owner, first = np.unique(row[hit], return_index=True)
        hit, offset = hit[first], offset[first]
        place = segment[hit] * _SEGMENT + offset
        # The place may hold an alpha that D_x does not have: the cut is the last one that it has up
        # to there.
        up_to = shares[owner] & (np.arange(self.length) <= place[:, None])
        last = self.length - 1 - np.argmax(up_to[:, ::-1], axis=1)
        return _fill(
            total.astype(np.int64), owner, self.alpha[last], least[owner], left[hit, offset]
        )


def _best_of_rows(alpha: Floats, counts: Ints, ties: str) -> Cuts:
    """Best cut of each row by plain scan: alpha (m, k), counts (m, k, 2). Entries of count 0 are
    ignored.
    """
    alpha = np.where(counts.sum(axis=-1) > 0, alpha, np.inf)
    order = np.argsort(alpha, axis=1, kind="stable")
    alpha = np.take_along_axis(alpha, order, axis=1)
    left = np.cumsum(np.take_along_axis(counts, order[..., None], axis=1), axis=1)
    total = counts.sum(axis=1)
    candidate = np.zeros(alpha.shape, bool)
    candidate[:, :-1] = alpha[:, :-1] < alpha[:, 1:]
    value = _rounded(left, total[:, None], candidate)
    if ties == "largest":
        place = value.shape[1] - 1 - np.argmin(value[:, ::-1], axis=1)
    else:
        place = np.argmin(value, axis=1)
    rows = np.arange(len(value))
    owner = np.flatnonzero(np.isfinite(value[rows, place]))
    place = place[owner]
    return _fill(total, owner, alpha[owner, place], value[owner, place], left[owner, place])


def _fill(total: Ints, owner: Ints, cut: Floats, value: Floats, left: Counts) -> Cuts:
    """Cuts of the rows ``owner``, none for the others."""
    cuts, values = np.full((2, len(total)), np.nan)
    lefts = np.zeros((len(total), 2), np.int64)
    # A list of one class has E = 0 everywhere: any cut would be as good as none.
    both = (total[owner] > 0).all(axis=1)
    owner = owner[both]
    cuts[owner], values[owner], lefts[owner] = cut[both], value[both], left[both]
    return Cuts(cuts, values, lefts, total - lefts)


def _join(parts: list[Cuts]) -> Cuts:
    if not parts:
        none = np.zeros((0, 2), np.int64)
        return Cuts(np.zeros(0), np.zeros(0), none, none)
    return Cuts(
        np.concatenate([part.cut for part in parts]),
        np.concatenate([part.entropy for part in parts]),
        np.concatenate([part.left for part in parts]),
        np.concatenate([part.right for part in parts]),
    )


def _rounded(left: Counts, total: Counts, candidate: Bools) -> Floats:
    """E(O_f) to 12 decimals where f is a candidate with two sides, infinite elsewhere."""
    value = np.round(split_entropy(left, total), DECIMALS) + 0.0
    return np.where(candidate & _two_sided(left, total), value, np.inf)


def _two_sided(left: Counts, total: Counts) -> Bools:
    n, every = left.sum(axis=-1), total.sum(axis=-1)
    both: Bools = (n > 0) & (n < every)
    return both


def _mass(a: Counts, b: Counts) -> Floats:
    """(a + b) times the entropy of counts a and b; symmetric to the last bit, so that ties are
    kept.
    """
    return n_ln_n(a + b) - (n_ln_n(a) + n_ln_n(b))


def n_ln_n(n: Counts) -> Floats:
    """h(n) of counts, as their shape; 0 ln 0 = 0."""
    logs: Floats = np.log(np.maximum(n, 1))
    return n * logs


def _check_ties(ties: str) -> None:
    if ties not in ("smallest", "largest"):
        raise UsageError(f"unknown ties {ties!r}; use 'smallest' or 'largest'")
