"""From feature values to bins: where to cut, and which bin a value falls into.

The convention that every cut in the project follows:

- ``cuts`` are ascending floats. Value v is right of cut c when v > c, so bins are closed on the
  right.
- NULL (NaN) is in bin 0; a value is in bin 1 + the number of cuts below it.
- A cut lies half way between two neighbouring values, but for the zero's own, which is 0 itself,
  and for those of equal width, which go by the range alone.
- Values come as distinct values with counts; replicated rows and counts are the same thing.

Source: docs/method.md#discretisation. Fayyad & Irani (1993), "Multi-interval discretization of
continuous-valued attributes for classification learning" (the paper's choice, §3.1); Dougherty,
Kohavi & Sahami (1995), "Supervised and unsupervised discretization of continuous features" (the
thesis' choice: equal width, equal frequency).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np

from replicadb.arrays import Floats, Ints, Values, Whole
from replicadb.errors import UsageError
from replicadb.learning.entropy import entropy, entropy_mass
from replicadb.settings import Settings

MAX_BINS = 8
"""Bins of a feature unless given otherwise, NULL's not counted."""


def mdl_cuts(
    values: Values, counts: Values, *, max_bins: int = MAX_BINS, zero_own_bin: bool = False
) -> Floats:
    """Cut where it parts the classes, as long as the cut pays for its own description.

    An interval of N examples, k classes and entropy E is cut into two (k1, E1; k2, E2) at the least
    weighted entropy when, with all logarithms natural, gain > [ln(N - 1) + ln(3^k - 2) - (k E - k1
    E1 - k2 E2)] / N.

    Args:
        values: (n,) floats, in any order; repeats are added up and NaN is left out.
        counts: (n, n_classes) non-negative ints, examples with that value by class.
        max_bins: most bins, zero's own included. The cuts with the largest gain (in nats over all
            examples of the interval) come first, so fewer bins are a coarser version of more.
        zero_own_bin: give 0 a bin of its own and cut only among the other values.

    Returns:
        (n_cuts,) float64, ascending; empty when no cut pays.

    Raises:
        UsageError: shapes that do not fit, infinite values, negative counts, max_bins below 1.

    Complexity: O(n log n), then O(n) per cut. Departure: the bound ``max_bins``; equal gains take
    the smaller cut.
    """
    return _with_zero(_mdl, values, counts, max_bins, zero_own_bin)


def equal_width_cuts(
    values: Values, counts: Values, *, max_bins: int = MAX_BINS, zero_own_bin: bool = False
) -> Floats:
    """Cut the range of the values into ``max_bins`` of the same width. Arguments, result and errors
    as :func:`mdl_cuts`.

    ``counts``, (n, any number), only matter where a row is 0: the value does not occur.
    """
    return _with_zero(_equal_width, values, counts, max_bins, zero_own_bin)


def equal_frequency_cuts(
    values: Values, counts: Values, *, max_bins: int = MAX_BINS, zero_own_bin: bool = False
) -> Floats:
    """Cut at the quantiles k / ``max_bins`` of the examples of all classes. Arguments, result and
    errors as :func:`mdl_cuts`.

    The cut for k follows the first value that brings the examples to at least k N / max_bins. Equal
    values are never parted, so a value with many examples swallows several quantiles and there are
    fewer bins.
    """
    return _with_zero(_equal_frequency, values, counts, max_bins, zero_own_bin)


def cap_bins(n_bins: Values, limit: int = Settings.max_patterns) -> Ints:
    """The most bins each feature may keep so that all of them multiplied stay within a limit.

    The feature with most bins gives up one at a time (the last of equals), none goes below 2 unless
    it began there. Cut again with what is returned as ``max_bins`` (less one where NULL's bin was
    counted in).

    Args:
        n_bins: (n_features,) ints of 1 or more, bins of each feature, NULL's included where it
            occurs.
        limit: most patterns.

    Returns:
        (n_features,) int64, at most ``n_bins``.

    Raises:
        UsageError: a feature without bins, or a limit that two bins a feature exceed.
    """
    given: Whole = np.asarray(n_bins)
    if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer) or (given < 1).any():
        raise UsageError("n_bins must be a list of integers of 1 or more, one per feature")
    bins = given.astype(np.int64)
    while np.prod(bins.astype(float)) > limit:
        widest = len(bins) - 1 - int(np.argmax(bins[::-1]))
        if bins[widest] <= 2:
            raise UsageError(
                f"{len(bins)} features of 2 bins exceed {limit:,} patterns; use fewer features"
            )
        bins[widest] -= 1
    return bins


def _mdl(values: Floats, counts: Ints, max_bins: int) -> list[float]:
    # The counts of any interval are one subtraction.
    cumulative = np.vstack([np.zeros(counts.shape[1], np.int64), np.cumsum(counts, axis=0)])
    waiting: list[tuple[float, int, int, int]] = []
    cuts: list[float] = []

    def consider(start: int, stop: int) -> None:
        found = _paying_cut(cumulative, start, stop)
        if found is not None:
            heapq.heappush(waiting, (-found[0], start, stop, found[1]))

    consider(0, len(values))
    while waiting and len(cuts) < max_bins - 1:
        _, start, stop, at = heapq.heappop(waiting)
        cuts.append(_between(values[at - 1], values[at]))
        consider(start, at)
        consider(at, stop)
    return sorted(cuts)


def _paying_cut(cumulative: Ints, start: int, stop: int) -> tuple[float, int] | None:
    """(gain in nats, first value right of the cut) of the interval's best cut, if MDL
    accepts it.
    """
    if stop - start < 2:
        return None
    whole = cumulative[stop] - cumulative[start]
    left = cumulative[start + 1 : stop] - cumulative[start]
    right = whole - left
    n = int(whole.sum())
    mass = entropy_mass(left) + entropy_mass(right)
    best = int(np.argmin(np.round(mass / n, 12)))
    gain = float(entropy_mass(whole) - mass[best])
    k, k1, k2 = ((c > 0).sum() for c in (whole, left[best], right[best]))
    entropies = [float(entropy(c)) for c in (whole, left[best], right[best])]
    delta = np.log(3.0**k - 2) - (k * entropies[0] - k1 * entropies[1] - k2 * entropies[2])
    return (gain, start + 1 + best) if gain > np.log(n - 1) + delta else None


def _equal_width(values: Floats, counts: Ints, max_bins: int) -> list[float]:
    low, high = float(values[0]), float(values[-1])
    return [low + (high - low) * k / max_bins for k in range(1, max_bins)] if high > low else []


def _equal_frequency(values: Floats, counts: Ints, max_bins: int) -> list[float]:
    cumulative = np.cumsum(counts.sum(axis=1))
    # Whole numbers: k N / max_bins <= cumulative, multiplied out.
    reached = np.searchsorted(cumulative * max_bins, cumulative[-1] * np.arange(1, max_bins))
    return [_between(values[i], values[i + 1]) for i in np.unique(reached) if i + 1 < len(values)]


def _between(a: float, b: float) -> float:
    """A cut that has a on its left and b on its right, even where no number lies between them."""
    middle = a + (b - a) / 2
    return float(middle if a <= middle < b else a)


def _with_zero(
    method: Callable[[Floats, Ints, int], list[float]],
    given: Values,
    given_counts: Values,
    max_bins: int,
    zero_own_bin: bool,
) -> Floats:
    """Check and collapse the values, set zero apart if wanted, and cut the rest."""
    values, counts = _distinct(given, given_counts)
    if max_bins < 1:
        raise UsageError(f"max_bins is {max_bins}; give 1 or more")
    if not len(values):
        return np.zeros(0)
    if not zero_own_bin or not (values == 0).any():
        return _ascending(method(values, counts, max_bins))
    around = [0.0] if values[-1] > 0 else []
    if values[0] < 0:
        around.append(float(np.nextafter(0.0, -1.0)))
    rest = values != 0
    own = max_bins - len(around)
    if not around or own < 1:
        return _ascending(around[: max_bins - 1])
    return _ascending([*around, *method(values[rest], counts[rest], own)])


def _ascending(cuts: list[float]) -> Floats:
    return np.unique(np.array(cuts, float))


def _distinct(given: Values, given_counts: Values) -> tuple[Floats, Ints]:
    """Distinct ascending values that occur, with their counts added up."""
    values: Floats = np.asarray(given, float)
    counts: Whole = np.asarray(given_counts)
    if values.ndim != 1 or counts.ndim != 2 or len(counts) != len(values) or not counts.shape[1]:
        raise UsageError("values must have shape (n,) and counts (n, n_classes)")
    if not np.issubdtype(counts.dtype, np.integer) or (counts.size and counts.min() < 0):
        raise UsageError("counts must be integers of 0 or more")
    if np.isinf(values).any():
        raise UsageError("values must be finite, or NaN for NULL")
    occurs = ~np.isnan(values) & (counts.sum(axis=1) > 0)
    distinct, index = np.unique(values[occurs], return_inverse=True)
    added = np.zeros((len(distinct), counts.shape[1]), np.int64)
    np.add.at(added, index, counts[occurs].astype(np.int64))
    return distinct, added
