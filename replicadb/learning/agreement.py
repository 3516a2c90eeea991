"""Whether pairs are one thing, from how many of their compared parts agree: a mixture of two
beta-binomials whose shares are found from the pairs themselves.

Invariant: shapes are given, only the share of each component is estimated (by EM); a pair of which
nothing was compared has no probability.

Source: Griffiths (1973), "Maximum likelihood estimation for the beta-binomial distribution", for
the likelihood; Saerens et al. (2002), Eq. 2.9, for the shares.
"""

from __future__ import annotations

import math

import numpy as np

from replicadb.arrays import Floats, Values

NEAR = 1e-9
MOST_PASSES = 1000
_log_gamma = np.frompyfunc(math.lgamma, 1, 1)
Shape = tuple[float, float]


def log_likelihood(agree: Floats, compared: Floats, shape: Shape) -> Floats:
    """Of ``agree`` among ``compared``, but for the binomial coefficient, which both components
    have.

    Args:
        agree, compared: whole numbers, (n_pairs,).
        shape: of the Beta distribution of the share.
    """
    a, b = shape
    return _log_beta(agree + a, compared - agree + b) - _log_beta(a, b)


def probabilities(
    agree: Values, compared: Values, one: Shape, other: Shape, pseudo_count: float
) -> Floats:
    """The probability of the first component for each pair; NaN where nothing was compared.

    Args:
        one, other: shapes of the two components.
        pseudo_count: pairs of each that are assumed beside those seen.
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
