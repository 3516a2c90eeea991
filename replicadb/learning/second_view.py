"""What a second view of the same pairs says of where replicas begin: the rate at which pairs are
alike in it, by match weight (docs/method.md#second-view).

Of pairs of one match weight a share are replicas. Of replicas a share is alike in the second view,
and of others another share, whatever their match weight. So the rate of alike pairs goes from the
one share to the other just where replicas begin, and no label is needed. What is assumed: given
what a pair is, the second view says nothing of its match weight.

Sources: Hui and Walter (1980), "Estimating the error rates of diagnostic tests" (two tests, no gold
standard; here the populations are the bins of match weights); Dempster, Laird and Rubin (1977),
"Maximum likelihood from incomplete data via the EM algorithm".
"""

from __future__ import annotations

import numpy as np

from replicadb.arrays import Floats, Values

FEWEST = 5
"""Alike pairs below which the view says nothing."""
DISPERSION, CLUSTERED = 3.0, 0.5
"""The variance of a count among n pairs is DISPERSION + CLUSTERED^2 n times the binomial one: pairs
of one host, and of one group, are not independent.
"""
REPLICAS, OTHERS = 0.3, 0.01
"""Shares that are alike before a pair is looked at. Each counts as one pair."""
STEPS = 60
"""Of expectation-maximisation."""
LEAST = 1e-6
"""The least share, and the least that is left of it."""


def log_likelihoods(pairs: Values, alike: Values, replicas: Floats) -> Floats:
    """The logarithm of the likelihood of each supposition of which pairs are replicas,
    (suppositions,), at the likeliest shares of alike pairs. A supposition by which replicas were
    alike less often than others is as unlikely as the worst.

    Args:
        pairs: (bins,) how many there are. alike: (bins,) how many of them are alike.
        replicas: (suppositions, bins) the share of each bin that are replicas.

    Complexity: O(suppositions bins), STEPS times.
    """
    n, k = np.asarray(pairs, float), np.asarray(alike, float)
    if k.sum() < FEWEST:
        return np.zeros(len(replicas))
    weight = 1 / (DISPERSION + CLUSTERED**2 * n)
    seen, unseen, others = weight * k, weight * (n - k), 1 - replicas
    r, o = np.full((len(replicas), 1), REPLICAS), np.full((len(replicas), 1), OTHERS)
    for _ in range(STEPS):  # concave in both shares: it ends at the likeliest, wherever it begins
        rate = replicas * r + others * o
        alike_each, not_alike = seen / rate, unseen / (1 - rate)
        r = _next(r, replicas, alike_each, not_alike, REPLICAS)
        o = _next(o, others, alike_each, not_alike, OTHERS)
    rate = replicas * r + others * o
    likely = np.log(rate) @ seen + np.log(1 - rate) @ unseen
    for share, before in ((r[:, 0], REPLICAS), (o[:, 0], OTHERS)):
        likely = likely + before * np.log(share) + (1 - before) * np.log(1 - share)
    found: Floats = np.where(r[:, 0] > o[:, 0], likely, likely.min())
    return found


def _next(share: Floats, mass: Floats, alike: Floats, others: Floats, before: float) -> Floats:
    """The share of a class that is alike, (suppositions, 1), one step on.

    Args:
        mass: (suppositions, bins) of each bin, the share in this class.
        alike, others: (suppositions, bins) weighed counts over the rate that is expected of them.
    """
    yes = (mass * alike).sum(axis=1, keepdims=True) * share
    no = (mass * others).sum(axis=1, keepdims=True) * (1 - share)
    return np.clip((yes + before) / (yes + no + 1), LEAST, 1 - LEAST)
