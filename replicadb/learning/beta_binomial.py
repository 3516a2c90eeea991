"""Mixture of two beta-binomials: of which component a pair is, from how many of its compared parts
agree (docs/drops.md#aliases).

Invariant: the shapes of both components are given, and only their shares are estimated, by EM. A
pair of which nothing was compared has no probability.

Source: Griffiths (1973), "Maximum likelihood estimation for the beta-binomial distribution", for
the likelihood; Saerens et al. (2002), Eq. 2.9, for the shares.
"""

from __future__ import annotations

import math

import numpy as np

from replicadb.arrays import Floats, Values

NEAR = 1e-9
"""A change of the share that ends EM."""
MOST_PASSES = 1000
_log_gamma = np.frompyfunc(math.lgamma, 1, 1)
Shape = tuple[float, float]


def log_likelihood(agree: Floats, compared: Floats, shape: Shape) -> Floats:
    """Log likelihood of ``agree`` among ``compared``, (n_pairs,) float64, without the binomial
    coefficient, which both components have.

    Args:
        agree, compared: (n_pairs,) whole numbers.
        shape: the two shapes of the Beta distribution of the share that agrees.
    """
    a, b = shape
    return _log_beta(agree + a, compared - agree + b) - _log_beta(a, b)


def probabilities(
    agree: Values, compared: Values, one: Shape, other: Shape, pseudo_count: float
) -> Floats:
    """The probability that each pair is of the first component, (n_pairs,) float64; NaN where
    nothing was compared.

    Args:
        agree, compared: (n_pairs,) whole numbers.
        one, other: shapes of the two components.
        pseudo_count: pairs of each component that are assumed beside those seen.
    """
    k, n = np.asarray(agree, float), np.asarray(compared, float)
    seen = n > 0
    ratio = log_likelihood(k, n, one) - log_likelihood(k, n, other)
    share, found = 0.5, np.full(len(n), np.nan)
    for _ in range(MOST_PASSES):
        found[seen] = 1 / (1 + np.exp(-(ratio[seen] + math.log(share / (1 - share)))))
        after = (found[seen].sum() + pseudo_count) / (seen.sum() + 2 * pseudo_count)
        if abs(after - share) < NEAR:
            break
        share = after
    return found


def _log_beta(a: Floats | float, b: Floats | float) -> Floats:
    return np.asarray(_log_gamma(a) + _log_gamma(b) - _log_gamma(np.add(a, b)), float)
