"""Class prior: the share of replicas among a crawl's candidates, and probabilities from it.

A strength is a log likelihood ratio, ln p(evidence | replica) / p(evidence | non-replica). The
share of replicas is found with the ratios held fixed; together they give each pattern of evidence
its probability (docs/robust.md#class-prior). Patterns are distinct rows of bins, with counts.

Source: Saerens, Latinne and Decaestecker (2002), "Adjusting the outputs of a classifier to new a
priori probabilities", Eq. 2.9: the EM iteration whose fixed point is computed here.
"""

from __future__ import annotations

import numpy as np

from replicadb.arrays import Floats, Values
from replicadb.settings import CONSTANTS

NEAR, DECIMALS = 1e-10, 9
"""Log odds of the share that are as good as equal; its digits."""
LIKELY = CONSTANTS.likely
"""Strength from which a candidate may be a replica: a near candidate."""
PSEUDO_COUNTS = CONSTANTS.pseudo_counts
PSEUDO_COUNTS_LIKELY = CONSTANTS.pseudo_counts_likely
PSEUDO_COUNTS_NAMED = CONSTANTS.pseudo_counts_named
"""Replicas and others that are assumed: of all candidates, near candidates, obvious replicas."""
CLIP = 50.0
"""Log odds beyond which nothing changes any more."""


def replica_share(
    log_ratio: Values, n: Values, assumed: tuple[float, float] = PSEUDO_COUNTS
) -> tuple[float, Floats]:
    """The share of replicas among the candidates, and each pattern's probability, from likelihood
    ratios L = p(x | replica) / p(x | non-replica) that are held fixed.

    It is the most likely class prior, with pseudo-counts: the fixed point of EM,
    share <- mean of share L / (share L + 1 - share). The likelihood has one peak, so Newton's steps
    within a bracket find it; EM takes ever smaller steps where replicas are few.

    Args:
        log_ratio: (n_patterns,) ln L. n: (n_patterns,) candidates of each pattern. assumed:
            pseudo-counts of replicas and others.

    Returns:
        The share in (0, 1), or 0 where there are no candidates, and (n_patterns,) probabilities.
    """
    ratio: Floats = np.clip(np.asarray(log_ratio, float), -CLIP, CLIP)
    counts: Floats = np.asarray(n, float)
    total = counts.sum() + sum(assumed)
    if not counts.sum():
        return 0.0, np.zeros(len(ratio))
    low, high, share = -CLIP, CLIP, float(np.log(assumed[0] / assumed[1]))  # log odds of the share
    while high - low > NEAR:
        p, prior = logistic(ratio + share), float(logistic(share))
        gap = p @ counts + assumed[0] - prior * total
        low, high = (share, high) if gap > 0 else (low, share)
        slope = (p * (1 - p)) @ counts - prior * (1 - prior) * total
        step = share - gap / slope if slope else low
        if abs(step - share) <= NEAR:
            share = step
            break
        share = step if low < step < high else (low + high) / 2
    share = round(share, DECIMALS)  # the last digits are the BLAS's
    return float(logistic(share)), logistic(ratio + share)


def probabilities(
    strength: Values, n: Values, tail: float | None, known: tuple[float, float] = (0.0, 0.0)
) -> tuple[float, Floats]:
    """The offset from strength to log odds of being a replica, and each pattern's probability.

    Crawls differ by orders of magnitude in how many candidates share a default page or a script and
    nothing else. Such candidates move every likelihood ratio against *all* other candidates. So the
    share of replicas is estimated among the candidates of LIKELY strength or more, with ratios
    against such others alone.

    Args:
        strength: (n_patterns,) log likelihood ratios against all others. n: (n_patterns,)
            candidates of each pattern.
        tail: ln of the part of all others, over the part of replicas, that has a strength of LIKELY
            at least, in the crawls that the ratios were learned from (``Prior.tail``). None where
            that was this very crawl: then all candidates count.
        known: near candidates beside those of ``n`` whose class is known, replicas and others: each
            is a member of its class for what it counts, and no more (with ``tail``).

    Returns:
        Log odds to add, and (n_patterns,) probabilities.
    """
    clipped: Floats = np.clip(np.asarray(strength, float), -CLIP, CLIP)
    counts: Floats = np.asarray(n, float)
    if tail is None:
        share, probability = replica_share(clipped, counts)
        return (float(np.log(share / (1 - share))) if share else -CLIP), probability
    near = clipped >= LIKELY
    assumed = (PSEUDO_COUNTS_LIKELY[0] + known[0], PSEUDO_COUNTS_LIKELY[1] + known[1])
    share, _ = replica_share(clipped[near] + tail, counts[near], assumed)
    share = share or assumed[0] / sum(assumed)
    offset = tail + float(np.log(share / (1 - share)))
    return offset, probabilities_at(clipped, offset)


def probabilities_at(strength: Values, offset: float) -> Floats:
    """Each pattern's probability, (n_patterns,); ``offset`` as :func:`probabilities` finds it."""
    return logistic(np.clip(np.asarray(strength, float), -CLIP, CLIP) + offset)


def logistic(s: Floats | float) -> Floats:
    """Log odds to probabilities."""
    result: Floats = 1 / (1 + np.exp(-np.maximum(s, -700.0)))  # without overflow
    return result
