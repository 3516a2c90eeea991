"""learning.variation: what decided pairs add, against a general minimiser and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from replicadb.learning import prior
from replicadb.learning.variation import PLACE, RIDGE, additions

FEATURES = ("one", "fixed", "other")


@pytest.fixture
def problem():
    """Two ways in which the weights of two of three features vary, and forty decided pairs."""
    rng = np.random.default_rng(5)
    variation = {"one": rng.normal(size=(2, 4)), "other": rng.normal(size=(2, 3))}
    bins = np.column_stack([rng.integers(0, n, 40) for n in (4, 2, 3)])
    log_odds = rng.normal(size=40)
    replica = rng.random(40) < 1 / (1 + np.exp(-log_odds))
    return variation, bins, log_odds, replica, rng.uniform(0.2, 1, 40)


def test_it_is_where_the_loss_is_least(problem):
    variation, bins, log_odds, replica, mass = problem

    def loss(z):
        s = log_odds + z[2]
        for i in range(len(s)):
            for k in range(2):
                s[i] += z[k] * (variation["one"][k, bins[i, 0]] + variation["other"][k, bins[i, 2]])
        each = np.logaddexp(0, s) - replica * s
        return mass @ each + RIDGE / 2 * (z[:2] @ z[:2]) + (z[2] / PLACE) ** 2 / 2

    z = minimize(loss, np.zeros(3), tol=1e-12).x
    found = additions(variation, FEATURES, bins, log_odds, replica, mass)
    for added, name in zip(found, ("one", "other"), strict=True):
        np.testing.assert_allclose(added, z[:2] @ variation[name], atol=1e-4)
    assert np.abs(found[0]).max() > 0.1


def test_pairs_that_count_for_nothing_add_nothing(problem):
    variation, bins, log_odds, replica, mass = problem
    for added in additions(variation, FEATURES, bins, log_odds, replica, 0 * mass):
        assert not added.any()


def test_many_pairs_find_the_way_that_a_crawl_goes(problem):
    variation, *_ = problem
    rng = np.random.default_rng(6)
    bins = np.column_stack([rng.integers(0, n, 20_000) for n in (4, 2, 3)])
    log_odds = rng.normal(size=len(bins))
    gone = {name: np.array([0.8, -0.5]) @ rows for name, rows in variation.items()}
    truth = log_odds + 1.5 + gone["one"][bins[:, 0]] + gone["other"][bins[:, 2]]
    replica = rng.random(len(bins)) < 1 / (1 + np.exp(-truth))
    found = additions(variation, FEATURES, bins, log_odds, replica, np.ones(len(bins)))
    for added, name in zip(found, ("one", "other"), strict=True):
        np.testing.assert_allclose(added, gone[name], atol=0.15)


@pytest.mark.parametrize("name", ["pages", "files"])
def test_the_shipped_priors_vary_in_eight_ways_in_what_crawls_teach_and_one_in_owners(name):
    shipped = prior.load(name)
    sizes = dict(zip(shipped.features, shipped.tables.n_bins, strict=True))
    by_hand = {"known_pages", "plain_resemblance", "names_alike", "network_alike"}
    by_hand |= {"link_overlap", "countries_agree"}
    assert shipped.variation.keys() == sizes.keys() - by_hand
    assert all(rows.shape == (9, sizes[piece]) for piece, rows in shipped.variation.items())
    taught = {piece: np.abs(rows).max(1) > 0 for piece, rows in shipped.variation.items()}
    assert taught.pop("identifier_overlap").tolist() == [False] * 8 + [True]
    assert all(way.tolist()[8:] == [False] for way in taught.values())
    place = shipped.features.index("identifier_overlap")
    assert not shipped.tables.single[place].any()
    assert not any(place in pair for pair in shipped.tables.pairs)
    assert not prior.load("paths").variation
