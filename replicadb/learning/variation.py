"""How far a crawl goes each way in which weights vary between crawls, by what people decided on it
(docs/robust.md#variation).

The same evidence says more on one web than on another. Teaching crawls differ so in a few
directions, which the prior holds (``prior.Prior.variation``). A score of decided pairs tells how
far this crawl goes each way, where they could not tell hundreds of weights.

Source: a Gaussian prior of low rank over a model's weights, learned on other tasks: Evgeniou and
Pontil (2004), "Regularized multi-task learning"; Ando and Zhang (2005), "A framework for learning
predictive structures from multiple tasks and unlabeled data".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from replicadb.arrays import Array, Floats, Values, Whole
from replicadb.learning.class_prior import logistic

RIDGE = 2.0
"""How firmly a crawl is held to the prior: over the variance of teaching crawls each way."""
PLACE = 3.0
"""Standard deviation of the log odds that all pairs may be off together, which is not taken on: the
curve of probabilities learns it by itself.
"""
STEPS, SETTLED = 50, 1e-9


def additions(
    variation: Mapping[str, Floats],
    features: Sequence[str],
    bins: Whole,
    log_odds: Values,
    replica: Array,
    mass: Values,
) -> list[Floats]:
    """What decided pairs add to the weights of single features.

    Minimises over ways z and a place c, with s = log_odds + c + sum over features of z's part of
    the variation in the pair's bin: sum of mass [ln(1 + e^s) - replica s] + RIDGE / 2 |z|^2 +
    (c / PLACE)^2 / 2.

    Args:
        variation: per feature, (ways, bins). features: those of the model, in its order.
        bins: (n, features) ints, as the model has them.
        log_odds: (n,) of being a replica, the share of replicas in this crawl included.
        replica: (n,) bool. mass: (n,) what each decided pair counts for.

    Returns:
        Per feature that varies, (bins,) match weight to add; 0 for pairs that count for nothing.

    Complexity: O(n ways^2) a step of Newton's; some ten steps.
    """
    names = [name for name in features if name in variation]
    place = {name: j for j, name in enumerate(features)}
    of_pairs = np.sum([variation[name][:, bins[:, place[name]]].T for name in names], axis=0)
    moved = _fitted(np.column_stack([of_pairs, np.ones(len(bins))]), log_odds, replica, mass)
    return [moved[:-1] @ variation[name] for name in names]


def _fitted(columns: Floats, log_odds: Values, replica: Array, mass: Values) -> Floats:
    """Logistic regression from known log odds, held to 0 by a ridge, the last column by PLACE."""
    known, true = np.asarray(log_odds, float), np.asarray(replica, float)
    weight = np.asarray(mass, float)
    ridge = np.full(columns.shape[1], RIDGE)
    ridge[-1] = PLACE**-2

    def loss(moved: Floats) -> float:
        s = known + columns @ moved
        return float(weight @ (np.logaddexp(0, s) - true * s) + ridge @ moved**2 / 2)

    moved = np.zeros(columns.shape[1])
    current = loss(moved)
    for _ in range(STEPS):
        p = logistic(known + columns @ moved)
        slope = columns.T @ (weight * (p - true)) + ridge * moved
        curvature = (columns.T * (weight * p * (1 - p))) @ columns + np.diag(ridge)
        step, size = -np.linalg.solve(curvature, slope), 1.0
        while (value := loss(moved + size * step)) > current and size > SETTLED:
            size /= 2
        if current - value < SETTLED:
            break
        moved, current = moved + size * step, value
    return moved
