"""Tables with their single features set apart score as before."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.learning import additive_model
from replicadb.learning.additive_model import Tables
from training.purify import purified


@st.composite
def models(draw) -> Tables:
    """Tables of two or three features, with any weights for each of their pairs."""
    n_bins = tuple(draw(st.lists(st.integers(2, 4), min_size=2, max_size=3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    single = [rng.normal(0, 2, n) for n in n_bins]
    pairs = {
        (j, k): rng.normal(0, 2, (n_bins[j], n_bins[k]))
        for j, k in product(range(len(n_bins)), repeat=2)
        if j < k
    }
    return Tables(n_bins, float(rng.normal()), single, pairs)


@settings(max_examples=30, deadline=None)
@given(models(), st.integers(0, 2**32))
def test_purified_keeps_the_score_and_centres_every_table(tables, seed):
    everywhere = np.array(list(product(*map(range, tables.n_bins))))
    mass = np.random.default_rng(seed).integers(1, 50, len(everywhere))
    pure = purified(tables, everywhere, mass)
    assert pure.score(everywhere) == pytest.approx(tables.score(everywhere), abs=1e-9)
    for j, weights in enumerate(pure.single):
        assert np.bincount(everywhere[:, j], mass) @ weights == pytest.approx(
            0, abs=1e-6 * mass.sum()
        )
    for (j, k), weights in pure.pairs.items():
        density = np.zeros(weights.shape)
        np.add.at(density, (everywhere[:, j], everywhere[:, k]), mass)
        for axis in (0, 1):
            assert (weights * density).sum(axis) / density.sum(axis) == pytest.approx(0, abs=1e-6)
    again = purified(pure, everywhere, mass)
    assert again.score(everywhere) == pytest.approx(pure.score(everywhere), abs=1e-9)


@pytest.mark.slow
def test_purified_keeps_the_score_where_combinations_are_missing_and_keeps_the_strongest_pairs():
    n_bins, rng = (5, 4, 6), np.random.default_rng(7)
    bins = np.array(list(product(*map(range, n_bins))))
    together = rng.normal(0, 1.5, n_bins[:2])[bins[:, 0], bins[:, 1]]
    mass = 200.0 / (1 + np.exp(-together)), 200.0 / (1 + np.exp(together))
    seen = bins[::3]
    tables = additive_model.boost(bins, *mass, n_bins)
    before = tables.score(bins)
    pure = purified(tables, seen, np.ones(len(seen)))
    assert pure.score(bins) == pytest.approx(before, abs=1e-9)
    assert tables.score(bins).tolist() == before.tolist()  # what was given is left as it was
    variance = {
        jk: (pure.pairs[jk][seen[:, jk[0]], seen[:, jk[1]]] ** 2).mean() for jk in pure.pairs
    }
    kept = purified(tables, seen, np.ones(len(seen)), keep=1)
    assert list(kept.pairs) == [max(variance, key=variance.get)] == [(0, 1)]
    assert purified(tables, seen, np.ones(len(seen)), keep=0).pairs == {}
