"""The robust learner: monotone evidence weights, learned from obvious replicas against all other candidates.

Always true here: more of an evidence never counts against a pair, a pair's strength is the sum of the weights of
its bins (so each contribution can be shown), and with no obvious replica at all the weights are the prior's.

Why it may learn from positive and unlabelled pairs alone: where the obvious replicas are a sample of the
replicas as far as the evidence goes, the odds of P against U rank as the odds of replica against non-replica do
(Elkan and Noto, 2008, section 2). Obvious replicas are *defined* by their names, so names and addresses are no
evidence here (METHOD section 7, 1); P and U get equal mass; evidence is the content's, weighted by rarity
(METHOD section 7, 3).

The model is logistic regression on thermometer-coded bins: crossing each bin's lower edge adds an increment of
0 or more, so each feature's weight is a rising step function. NULL has a bin of its own with a free weight. The
increments are drawn to a prior (ridge around it), which is what decides where obvious replicas are few.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.errors import UsageError

MAX_STEPS = 100
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Fit:
    """A learned model and how it came about."""

    weights: tuple[np.ndarray, ...]
    """Per feature, (n_bins,) log odds of each bin; bin 0 is NULL, bin 1 (the lowest) is 0 by definition."""
    intercept: float
    """Log odds of a pair with the lowest bin of everything, at equal mass of P and U."""
    n_iter: int
    """Newton steps made."""
    converged: bool
    """False when MAX_STEPS ended the search."""
    history: tuple[float, ...]
    """The objective after each step; it never rises."""


def fit(bins, positive, unlabelled, n_bins, prior=None, strength: float = 1.0) -> Fit:
    """Learn the weights of bins.

    Minimises the logistic loss of P (mass n_P) against U (scaled to the same mass), plus
    strength / 2 * sum of squared differences of the increments from the prior's, over increments >= 0.

    Args:
        bins: (n_patterns, n_features) ints, 0 for NULL, else 1 ... n_bins[j] - 1.
        positive, unlabelled: (n_patterns,) counts of obvious replicas and of all other candidates.
        n_bins: (n_features,) ints, bins of each feature with NULL's.
        prior: per feature, (n_bins,) weights to stay near; None is all 0.
        strength: how many obvious replicas the prior is worth, roughly.

    Returns:
        The fit. Without obvious replicas its weights are the prior's (made to rise).

    Raises:
        UsageError: shapes that do not fit, a bin out of range, negative counts, strength not above 0.

    Complexity: O(n_patterns d^2) a Newton step for d = sum of n_bins; about ten steps.
    """
    bins, positive, unlabelled = np.asarray(bins, np.int64), np.asarray(positive, float), np.asarray(unlabelled, float)
    _check(bins, positive, unlabelled, n_bins, prior, strength)
    start = _increments(prior, n_bins)
    if not positive.sum() or not unlabelled.sum():
        return Fit(_weights(start, n_bins), float(start[0]), 0, True, ())
    negative = unlabelled * (positive.sum() / unlabelled.sum())
    design = _thermometer(bins, n_bins)
    bounded = _bounded(n_bins)
    ridge = np.full(len(start), strength)
    ridge[0] = 1e-3  # the intercept goes where the data are
    theta, history = start.copy(), []
    current = _objective(design, positive, negative, theta, start, ridge)
    converged = False
    for _ in range(MAX_STEPS):
        step = _newton_step(design, positive, negative, theta, start, ridge, bounded)
        size = 1.0
        while size > 1e-6 and (value := _objective(design, positive, negative, theta + size * step, start, ridge)) > current:
            size /= 2
        if size <= 1e-6:  # no step helps: the end, if the slope there says so too
            converged = _residual(design, positive, negative, theta, start, ridge, bounded) <= 1e-6 * (1 + positive.sum() + negative.sum())
            break
        if current - value < TOLERANCE * (1 + abs(current)):
            converged = True
            break
        theta, current = theta + size * step, value
        theta[bounded] = np.maximum(theta[bounded], 0)  # a bound is met but for rounding
        history.append(current)
    return Fit(_weights(theta, n_bins), float(theta[0]), len(history), converged, tuple(history))


def strength_of(bins, weights) -> np.ndarray:
    """The strength of each pattern: the sum of its bins' weights, in a fixed order.

    Args:
        bins: (n_patterns, n_features) ints. weights: per feature, (n_bins,) floats.

    Returns:
        (n_patterns,) float64, log odds without the intercept.
    """
    total = np.zeros(len(bins))
    for column, weight in zip(np.asarray(bins).T, weights, strict=True):
        total += weight[column]
    return total


def replica_share(log_ratio, n, tolerance: float = 1e-9) -> tuple[float, np.ndarray]:
    """The share of replicas among the candidates, and each pattern's probability, from likelihood ratios.

    EM for the class prior alone: share <- mean of share L / (share L + 1 - share), with L = p(x | replica) /
    p(x | non-replica) held fixed. Source: Saerens, Latinne and Decaestecker (2002), "Adjusting the outputs of a
    classifier to new a priori probabilities".

    Args:
        log_ratio: (n_patterns,) ln L. n: (n_patterns,) candidates of each pattern.

    Returns:
        The share in (0, 1), or 0 where there are no candidates, and (n_patterns,) probabilities.
    """
    ratio, n = np.exp(np.clip(np.asarray(log_ratio, float), -50, 50)), np.asarray(n, float)
    if not n.sum():
        return 0.0, np.zeros(len(ratio))
    share = 0.05
    for _ in range(10_000):
        probability = share * ratio / (share * ratio + 1 - share)
        new = float(np.clip(probability @ n / n.sum(), 1e-9, 1 - 1e-9))
        if abs(new - share) <= tolerance:
            break
        share = new
    return share, probability


def calibrate(strength, probability, n) -> np.ndarray:
    """Probabilities that rise with the strength and agree with the given ones as well as a logistic curve can.

    Args:
        strength: (n_patterns,) floats, what candidates are ranked by. probability: (n_patterns,) in [0, 1].
        n: (n_patterns,) candidates of each pattern.

    Returns:
        (n_patterns,) float64. All the mean probability where the strengths do not differ.
    """
    strength, probability, n = (np.asarray(v, float) for v in (strength, probability, n))
    if not n.sum():
        return np.zeros(len(strength))
    mean = strength @ n / n.sum()
    spread = np.sqrt((strength - mean) ** 2 @ n / n.sum())
    if not spread > 0:
        return np.full(len(strength), probability @ n / n.sum())
    z = (strength - mean) / spread
    design, theta = np.column_stack([np.ones_like(z), z]), np.array([-3.0, 1.0])

    def loss(t: np.ndarray) -> float:
        s = design @ t
        return float(n @ (np.logaddexp(0, s) - probability * s) + 1e-6 * t @ t)

    for _ in range(MAX_STEPS):
        p = _logistic(design @ theta)
        hessian = design.T @ (design * (n * p * (1 - p))[:, None]) + 2e-6 * np.eye(2)
        step, size = np.linalg.solve(hessian, design.T @ (n * (probability - p)) - 2e-6 * theta), 1.0
        while size > 1e-6 and loss(theta + size * step) > loss(theta):
            size /= 2
        theta = theta + size * step
        if np.abs(size * step).max() < 1e-10:
            break
    if theta[1] <= 0:  # the strengths say nothing about the probabilities
        return np.full(len(strength), probability @ n / n.sum())
    return _logistic(theta[0] + theta[1] * z)


def _logistic(s) -> np.ndarray:
    return np.exp(-np.logaddexp(0, -s))  # without overflow at either end


def _thermometer(bins, n_bins) -> np.ndarray:
    """(n_patterns, 1 + sum(n_bins - 1)): intercept, then per feature NULL's indicator and one column per edge crossed."""
    columns = [np.ones(len(bins))]
    for j, n in enumerate(n_bins):
        columns.append((bins[:, j] == 0).astype(float))
        columns += [(bins[:, j] > edge).astype(float) for edge in range(1, n - 1)]
    return np.column_stack(columns)


def _bounded(n_bins) -> np.ndarray:
    """Which parameters are increments and so may not be negative (not the intercept, not NULL's weights)."""
    return np.concatenate([[False]] + [[False] + [True] * (n - 2) for n in n_bins])


def _increments(weights, n_bins) -> np.ndarray:
    """Weights per bin as parameters: intercept 0, then NULL's weight and the steps between bins, 0 at least."""
    parts: list[float] = [0.0]
    for j, n in enumerate(n_bins):
        w = np.zeros(n) if weights is None else np.asarray(weights[j], float)
        if w.shape != (n,):
            raise UsageError(f"the prior of feature {j} has {len(w)} bins where {n} are wanted")
        parts += [w[0] - w[1], *np.maximum(np.diff(w[1:]), 0)]
    return np.array(parts)


def _weights(theta, n_bins) -> tuple[np.ndarray, ...]:
    """Parameters back to one weight per bin."""
    result, at = [], 1
    for n in n_bins:
        result.append(np.concatenate([[theta[at]], [0.0], np.cumsum(theta[at + 1: at + n - 1])]))
        at += n - 1
    return tuple(result)


def _objective(design, positive, negative, theta, prior, ridge) -> float:
    s = design @ theta
    loss = positive @ np.logaddexp(0, -s) + negative @ np.logaddexp(0, s)
    return float(loss + 0.5 * ridge @ (theta - prior) ** 2)


def _residual(design, positive, negative, theta, prior, ridge, bounded) -> float:
    """How far the point is from satisfying the optimality conditions: 0 at the minimum over the bounds."""
    p = _logistic(design @ theta)
    gradient = design.T @ (negative * p - positive * (1 - p)) + ridge * (theta - prior)
    return float(np.abs(np.where(bounded & (theta <= 0), np.minimum(gradient, 0), gradient)).max())


def _newton_step(design, positive, negative, theta, prior, ridge, bounded) -> np.ndarray:
    """The step to the minimum of the local quadratic over the bounds, by coordinate descent."""
    p = _logistic(design @ theta)
    gradient = design.T @ (negative * p - positive * (1 - p)) + ridge * (theta - prior)
    hessian = design.T @ (design * ((positive + negative) * p * (1 - p))[:, None]) + np.diag(ridge)
    step, slope = np.zeros_like(theta), gradient.copy()
    for _ in range(200):
        largest = 0.0
        for j in range(len(theta)):
            change = -slope[j] / hessian[j, j]
            if bounded[j]:
                change = max(change, -theta[j] - step[j])
            if change:
                step[j] += change
                slope += hessian[:, j] * change
                largest = max(largest, abs(change))
        if largest < 1e-8:
            break
    return step


def _check(bins, positive, unlabelled, n_bins, prior, strength) -> None:
    if bins.ndim != 2 or bins.shape != (len(positive), len(n_bins)) or len(unlabelled) != len(positive):
        raise UsageError("bins must be (n_patterns, n_features) with one count of each kind per pattern")
    if (np.asarray(n_bins) < 2).any() or (bins < 0).any() or (bins >= np.asarray(n_bins)).any():
        raise UsageError("a bin lies outside of its feature's bins; each feature has NULL's and one more at least")
    if prior is not None and len(prior) != len(n_bins):
        raise UsageError(f"the prior has {len(prior)} features where {len(n_bins)} are wanted")
    if not (positive >= 0).all() or not (unlabelled >= 0).all() or not strength > 0:
        raise UsageError("counts must not be negative, and the prior's strength must be above 0")
