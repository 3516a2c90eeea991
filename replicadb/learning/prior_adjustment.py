"""The robust learner: what is known beforehand about evidence, adjusted by the obvious replicas of
this crawl.

Always true here: a pair's strength is a sum of table entries (``boosting.Tables``), so each
contribution can be shown; and without any obvious replica the tables are the prior's.

How it learns without labels. The prior is a likelihood ratio p(evidence | replica) / p(evidence |
non-replica). The share of replicas among a crawl's likely candidates is estimated with that ratio
held fixed (:func:`probabilities`), which gives each pattern a probability. Obvious replicas then
correct the weights of single features (:func:`adjust`): they pull as positives, as far as they can
be believed (names err: translations stand under country suffixes, and how many of a crawl's obvious
replicas are some is estimated in the same way), while all other candidates keep the probability
that they had, so that only what the obvious replicas contradict moves. Obvious replicas are
*defined* by their names, so names and addresses are no evidence here (docs/method.md#why-robust).
"""

from __future__ import annotations

import numpy as np

from replicadb.errors import UsageError
from replicadb.learning.additive_model import Tables

MAX_STEPS = 50
NEAR, DECIMALS = 1e-10, 9
"""Log odds of the share that are as good as equal; its digits."""
SLIGHT = 0.01
"""Patterns that together bend the loss by less than this part of the ridge are left out of the
curvature: nearly all of a large crawl are others beyond doubt. So each bin's curvature is right to
a hundredth, and steps lead to the same place.
"""
FEW = (10.0, 990.0)
"""What is assumed of the share of replicas before any pair is seen: one in a hundred
(docs/method.md#candidates has 0.0043), as if 1,000 candidates had said so. Large crawls decide for
themselves, a small one cannot make half of its pairs replicas.
"""


LIKELY = -3.0
"""Strength from which a candidate may be a replica; of the replicas that taught the prior, one in a
thousand lies below.
"""
FEW_LIKELY = (1.0, 9.0)
"""What is assumed of the share of replicas among the candidates that may be some, as FEW."""
NAMED = (9.0, 1.0)
"""The same of the obvious replicas: nine in ten, as if ten of them had said so."""
FEW_OBVIOUS = 5
"""Obvious replicas; with fewer, nothing in the crawl corrects what is known beforehand, and the
user is told.
"""
OF_FILES = "asset_containment"
"""Evidence that only crawls of every file type are weighed by, where strangers on one theme share
nearly all of their files.
"""


def least_probability(features, usual: float, files: float) -> float:
    """From which probability a pair is flagged.

    Args:
        features: the names of the evidence that counted.
        usual, files: the settings min_probability and files_probability.
    """
    return files if OF_FILES in features else usual


def replica_share(log_ratio, n, assumed: tuple[float, float] = FEW) -> tuple[float, np.ndarray]:
    """The share of replicas among the candidates, and each pattern's probability, from likelihood
    ratios.

    The most likely class prior, with L = p(x | replica) / p(x | non-replica) held fixed and
    pseudo-counts: where EM would end (share <- mean of share L / (share L + 1 - share)), found by
    Newton's steps within a bracket, since the likelihood has one peak and EM takes ever smaller
    steps where replicas are few. Source: Saerens, Latinne and Decaestecker (2002), "Adjusting the
    outputs of a classifier to new a priori probabilities".

    Args:
        log_ratio: (n_patterns,) ln L. n: (n_patterns,) candidates of each pattern. assumed:
            pseudo-counts of replicas and others.

    Returns:
        The share in (0, 1), or 0 where there are no candidates, and (n_patterns,) probabilities.
    """
    log_ratio, n = np.clip(np.asarray(log_ratio, float), -50, 50), np.asarray(n, float)
    total = n.sum() + sum(assumed)
    if not n.sum():
        return 0.0, np.zeros(len(log_ratio))
    low, high, share = -50.0, 50.0, float(np.log(assumed[0] / assumed[1]))  # log odds of the share
    while high - low > NEAR:
        p, own = logistic(log_ratio + share), float(logistic(share))
        gap = p @ n + assumed[0] - own * total
        low, high = (share, high) if gap > 0 else (low, share)
        slope = (p * (1 - p)) @ n - own * (1 - own) * total
        step = share - gap / slope if slope else low
        if abs(step - share) <= NEAR:
            share = step
            break
        share = step if low < step < high else (low + high) / 2
    share = round(share, DECIMALS)  # the last digits are the BLAS's
    return float(logistic(share)), logistic(log_ratio + share)


def probabilities(strength, n, tail: float | None) -> tuple[float, np.ndarray]:
    """What turns strengths into log odds of being a replica, and each pattern's probability.

    How many of a crawl's candidates share a default page or a script and nothing else says nothing
    of the others, but moves every likelihood ratio against *all* other candidates, by orders of
    magnitude between crawls. So the share of replicas is estimated among the candidates that may be
    some (from LIKELY on), with ratios against such others alone.

    Args:
        strength: (n_patterns,) log likelihood ratios against all others. n: (n_patterns,)
            candidates of each pattern.
        tail: ln of the part of all others, over the part of replicas, that has a strength of LIKELY
            at least, where the ratios were learned; None where they were learned from this very
            crawl, whose others need no such care.

    Returns:
        Log odds to add, and (n_patterns,) probabilities.
    """
    strength, n = np.clip(np.asarray(strength, float), -50, 50), np.asarray(n, float)
    if tail is None:
        share, probability = replica_share(strength, n)
        return (float(np.log(share / (1 - share))) if share else -50.0), probability
    near = strength >= LIKELY
    share, _ = replica_share(strength[near] + tail, n[near], FEW_LIKELY)
    share = share or FEW_LIKELY[0] / sum(FEW_LIKELY)
    offset = tail + float(np.log(share / (1 - share)))
    return offset, probabilities_at(strength, offset)


def probabilities_at(strength, offset: float) -> np.ndarray:
    """Each pattern's probability, (n_patterns,), where ``offset`` is what :func:`probabilities`
    found.
    """
    return logistic(np.clip(np.asarray(strength, float), -50, 50) + offset)


def adjust(
    bins, log_odds, obvious, others, n_bins, strength: float = 30.0, believed=1.0
) -> list[np.ndarray]:
    """What the obvious replicas add to the weights of single features.

    Minimises over additions d, with s = log_odds + d, and for each class its own q,
    logistic(log_odds) for others and ``believed`` for obvious replicas: sum over both of [q ln(1 +
    e^-s) + (1 - q) ln(1 + e^s)] + strength / 2 |d|^2 (labels that may err: Natarajan et al. 2013).

    Args:
        bins: (n_patterns, n_features) ints, 0 for NULL, else 1 ... n_bins[j] - 1.
        log_odds: (n_patterns,) log odds of being a replica so far, the share of replicas in this
            crawl included.
        obvious, others: (n_patterns,) counts of obvious replicas and of all other candidates.
        strength: how many obvious replicas it takes, roughly, to move a bin's weight by one.
        believed: (n_patterns,) the probability that an obvious replica of that pattern is a
            replica; 1 takes names for proof.

    Returns:
        Per feature, (n_bins[j],) log odds to add; all 0 without obvious replicas.

    Raises:
        UsageError: shapes that do not fit, a bin out of range, negative counts, strength not above
            0.

    Complexity: O(n_patterns n_features^2) a Newton step; about six steps.
    """
    bins, log_odds = np.asarray(bins), np.asarray(log_odds, float)
    obvious, others = np.asarray(obvious, float), np.asarray(others, float)
    _check(bins, log_odds, obvious, others, n_bins, strength)
    start = np.concatenate([[0], np.cumsum(n_bins)]).astype(np.int64)
    change = np.zeros(start[-1])
    if obvious.sum():
        columns = np.add(bins.T, start[:-1, None], dtype=np.int32)
        everything, against = (
            obvious + others,
            others * (1 - logistic(log_odds)) + obvious * (1 - np.asarray(believed)),
        )  # ln(1 + e^s) = s + ln(1 + e^-s)

        def loss(d: np.ndarray) -> float:
            s = log_odds + _summed(columns, d)
            return float(
                everything @ (np.maximum(-s, 0) + np.log(1 + np.exp(-np.abs(s))))
                + against @ s
                + strength / 2 * d @ d
            )

        current = loss(change)
        for _ in range(MAX_STEPS):
            p = logistic(log_odds + _summed(columns, change))
            slope = _gathered(columns, everything * (p - 1) + against, start) + strength * change
            step = -np.linalg.solve(
                _curvature(columns, everything * p * (1 - p), start, SLIGHT * strength)
                + strength * np.eye(len(change)),
                slope,
            )
            size = 1.0
            while size > 1e-6 and (value := loss(change + size * step)) > current:
                size /= 2
            if size <= 1e-6:
                break
            gained, change, current = current - value, change + size * step, value
            if gained < 1e-9 * (1 + abs(current)):
                break
    return [change[start[j] : start[j + 1]] for j in range(len(n_bins))]


def adjusted(tables: Tables, additions: list[np.ndarray]) -> Tables:
    """The tables with something added to the weights of single features."""
    return Tables(
        tables.n_bins,
        tables.intercept,
        [w + d for w, d in zip(tables.single, additions, strict=True)],
        dict(tables.pairs),
    )


def logistic(s) -> np.ndarray:
    """Log odds to probabilities."""
    return 1 / (1 + np.exp(-np.maximum(s, -700.0)))  # without overflow


def _summed(columns: np.ndarray, d: np.ndarray) -> np.ndarray:
    total = np.zeros(columns.shape[1])
    for column in columns:
        total += d[column]
    return total


def _gathered(columns: np.ndarray, weight: np.ndarray, start: np.ndarray) -> np.ndarray:
    return sum(np.bincount(column, weight, start[-1]) for column in columns)


def _curvature(
    columns: np.ndarray, weight: np.ndarray, start: np.ndarray, slight: float
) -> np.ndarray:
    """(d, d): how the loss bends, from counts of each two bins together; patterns of so slight a
    weight in all are left out.
    """
    d, result = int(start[-1]), np.zeros((int(start[-1]), int(start[-1])))
    rising = np.sort(weight)
    counting = np.flatnonzero(
        weight >= rising[min(np.searchsorted(np.cumsum(rising), slight), len(rising) - 1)]
    )
    columns, weight = columns[:, counting], weight[counting]
    for j, first in enumerate(columns):
        for k in range(j, len(columns)):
            wide = int(start[k + 1] - start[k])
            block = np.bincount(
                (first - start[j]) * wide + columns[k] - start[k],
                weight,
                int(start[j + 1] - start[j]) * wide,
            )
            block = block.reshape(-1, wide)
            result[start[j] : start[j + 1], start[k] : start[k + 1]] = block
            result[start[k] : start[k + 1], start[j] : start[j + 1]] = block.T
    return result


def _check(bins, log_odds, obvious, others, n_bins, strength) -> None:
    if (
        bins.ndim != 2
        or bins.shape != (len(obvious), len(n_bins))
        or not len(obvious) == len(others) == len(log_odds)
    ):
        raise UsageError(
            "bins must be (n_patterns, n_features) with one log odds and one count of each kind per"
            " pattern"
        )
    if (np.asarray(n_bins) < 2).any() or (bins < 0).any() or (bins >= np.asarray(n_bins)).any():
        raise UsageError(
            "a bin lies outside of its feature's bins; each feature has NULL's and one more at"
            " least"
        )
    if not (obvious >= 0).all() or not (others >= 0).all() or not strength > 0:
        raise UsageError("counts must not be negative, and the strength must be above 0")
