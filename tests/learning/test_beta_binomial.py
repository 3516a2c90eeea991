"""The mixture of two beta-binomials: against sums by hand, and planted shares come back."""

from __future__ import annotations

import math

import numpy as np

from replicadb.learning.beta_binomial import log_likelihood, probabilities

ONE, OTHER = (9.0, 1.0), (0.3, 1.2)


def test_the_likelihood_is_the_mean_of_the_binomial_over_the_beta():
    k, n, (a, b) = 3, 5, (2.0, 3.0)
    share = (np.arange(200_000) + 0.5) / 200_000
    density = share ** (a - 1) * (1 - share) ** (b - 1)
    mean = (share**k * (1 - share) ** (n - k) * density).sum() / density.sum()
    found = log_likelihood(np.array([float(k)]), np.array([float(n)]), (a, b))[0]
    assert math.isclose(math.exp(found), mean, rel_tol=1e-6)


def test_what_was_not_compared_has_no_probability_and_changes_no_other():
    alone = probabilities([5, 0], [5, 5], ONE, OTHER, 2.0)
    among = probabilities([5, 0, 0], [5, 5, 0], ONE, OTHER, 2.0)
    assert np.isnan(among[2]) and np.array_equal(alone, among[:2])


def test_planted_pairs_come_back_and_thin_ones_lean_on_the_crowd():
    rng = np.random.default_rng(7)
    n = rng.integers(5, 40, 400)
    one = np.arange(400) < 360
    k = rng.binomial(n, np.where(one, 0.97, 0.05))
    found = probabilities(k, n, ONE, OTHER, 2.0)
    assert ((found > 0.5) == one).all()
    thin = probabilities([*k, 1], [*n, 1], ONE, OTHER, 2.0)[-1]
    assert thin > 0.95 > probabilities([1], [1], ONE, OTHER, 2.0)[0]
