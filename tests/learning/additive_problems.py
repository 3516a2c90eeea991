"""Problems for the additive model: drawn ones, and one with planted singles and pairs."""

from __future__ import annotations

import math
from itertools import product
from unittest import mock

import numpy as np
from hypothesis import strategies as st

from replicadb.learning import additive_model


@st.composite
def problems(draw, most=30):
    """bins, positive and negative counts (both classes there), bins per feature."""
    n_bins = draw(st.lists(st.integers(2, 4), min_size=1, max_size=3))
    pattern = st.tuples(*[st.integers(0, n - 1) for n in n_bins])
    bins = draw(st.lists(pattern, min_size=2, max_size=12, unique=True))
    counts = st.lists(st.integers(0, most), min_size=len(bins), max_size=len(bins)).filter(any)
    return np.array(bins), np.array(draw(counts)), np.array(draw(counts)), n_bins


def planted(seed: int, share: float = 0.5, n: int = 40_000):
    """Counts drawn by log odds of single bins and of one pair of features."""
    rng = np.random.default_rng(seed)
    n_bins = [5, 4, 6]
    bins = np.array(list(product(*map(range, n_bins))))
    single = [rng.normal(0, 1.5, size) for size in n_bins]
    together = rng.normal(0, 1.5, n_bins[:2])
    log_odds = (
        sum(w[b] for w, b in zip(single, bins.T, strict=True)) + together[bins[:, 0], bins[:, 1]]
    )
    mass = rng.multinomial(n, rng.dirichlet(np.ones(len(bins)) * 3))
    base = np.log(share / (1 - share)) - np.median(log_odds)
    positive = rng.binomial(mass, 1 / (1 + np.exp(-base - log_odds)))
    return bins, positive, mass - positive, n_bins


def losses(*problem, **how) -> list[float]:
    """The loss before and after each round, by the sum of the trees so far."""
    bins, positive, negative, _ = problem
    score = np.full(len(bins), math.log(positive.sum() / negative.sum()))
    found, add = [loss(positive, negative, score)], additive_model.add_tree

    def remember(tables, tree, rate, rows):
        nonlocal score
        value = add(tables, tree, rate, rows)
        score = score + rate * value
        found.append(loss(positive, negative, score))
        return value

    with mock.patch.object(additive_model, "add_tree", remember):
        tables = boosted(*problem, **how)
    assert np.allclose(tables.score(bins), score, atol=1e-9)
    return found


def loss(positive, negative, score) -> float:
    return float(positive @ np.logaddexp(0, -score) + negative @ np.logaddexp(0, score))


def boosted(
    *problem, least=additive_model.LEAST, rate=additive_model.RATE, **how
) -> additive_model.Tables:
    """``additive_model.boost`` where leaves may be smaller, or more of each tree is added."""
    with mock.patch.multiple(additive_model, LEAST=least, RATE=rate):
        return additive_model.boost(*problem, **how)
