"""Wilcoxon's signed-rank test for paired figures, and the correction for many tests.

Invariant: zero differences are left out, tied absolute differences share their mean rank. Up
to EXACT pairs the p value counts all sign patterns exactly, ties included; beyond, it is SciPy's
normal approximation with the correction for ties. SciPy's own exact test gives the same numbers
where nothing is tied; with ties it only approximates beyond 13 pairs, and evaluate has 20 parts.
Source: Wilcoxon (1945), as used in the paper section 4.1.2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from replicadb.arrays import Floats, Ints
from replicadb.errors import UsageError

EXACT = 50
"""Pairs; more than evaluate ever compares."""


def wilcoxon(a: ArrayLike, b: ArrayLike) -> float | None:
    """Two-sided p value of the hypothesis that paired differences a - b are symmetric about 0.

    Args:
        a, b: (n,) floats; pairs with NaN are left out.

    Returns:
        p in (0, 1]; None when no pair differs.

    Raises:
        UsageError: more than EXACT pairs, and SciPy (extra ``evaluate``) is not installed.

    Complexity: O(n^3) exact (n <= 50), O(n log n) else.
    """
    difference = np.asarray(a, float) - np.asarray(b, float)
    difference = np.round(difference[~np.isnan(difference)], 12)
    difference = difference[difference != 0]
    if not len(difference):
        return None
    if len(difference) > EXACT:
        return _by_scipy(difference)
    _, at, counts = np.unique(np.abs(difference), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    doubled = (2 * last - counts + 1)[at]  # twice the mean rank, a whole number
    positive = int(doubled[difference > 0].sum())
    smaller = min(positive, int(doubled.sum()) - positive)
    return min(1.0, 2 * _share_at_most(doubled, smaller))


def _by_scipy(difference: Floats) -> float:
    try:
        from scipy import stats
    except ImportError as error:
        raise UsageError(
            f"a signed-rank test of more than {EXACT} pairs needs SciPy:"
            " pip install 'replicadb[evaluate]'"
        ) from error
    return float(stats.wilcoxon(difference, method="asymptotic").pvalue)


def holm(p_values: list[float | None]) -> list[float | None]:
    """p values corrected for the number of tests, by Holm's step-down method: the chance of any
    false alarm in the family stays below the level, however the tests depend on each other.

    Args:
        p_values: of one family of tests; None (nothing differs) counts as a test with p = 1.

    Returns:
        As many, each at least as high as it was, in the same order; None stays None.

    Source: Holm (1979), "A simple sequentially rejective multiple test procedure".
    """
    p = np.array([1.0 if value is None else value for value in p_values])
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return [
        None if value is None else float(c) for value, c in zip(p_values, corrected, strict=True)
    ]


def _share_at_most(doubled: Ints, limit: int) -> float:
    """Share of the 2^n sign patterns whose doubled rank sum of positive signs is at
    most the limit.
    """
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled.tolist():
        ways[rank:] = ways[rank:] + ways[:-rank]
        ways /= 2  # the share rather than the number, so nothing overflows
    return float(ways[: limit + 1].sum())
