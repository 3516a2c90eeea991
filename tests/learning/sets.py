"""Hypothesis strategies for small training sets, and the two ways to write one down."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

# derandomize: entropies are compared at 12 decimals, so a run must not depend on luck.
MODERATE = settings(max_examples=36, deadline=None, derandomize=True)
FEW = settings(max_examples=12, deadline=None, derandomize=True)


@st.composite
def training_sets(draw, max_examples=14, max_features=4):
    """A list of (pattern, label); few bins, so that items are shared and alphas tie."""
    n_features = draw(st.integers(2, max_features))
    pattern = st.tuples(*[st.integers(0, 2)] * n_features)
    return draw(st.lists(st.tuples(pattern, st.integers(0, 1)), min_size=1, max_size=max_examples))


def collapse(examples):
    """(bins, counts) with the distinct patterns in sorted order."""
    patterns = sorted({x for x, _ in examples})
    counts = [[sum(e == (x, label) for e in examples) for label in (0, 1)] for x in patterns]
    return np.array(patterns), np.array(counts)


def random_patterns(n, seed, n_features=5, n_bins=6, heavy=200):
    """Skewed bins and counts of n distinct patterns or fewer."""
    rng = np.random.default_rng(seed)
    bins = np.unique((rng.random((n, n_features)) ** 2 * n_bins).astype(int), axis=0)
    total = np.floor(rng.pareto(0.8, len(bins)) * 20).clip(0, heavy).astype(np.int64) + 1
    positive = rng.binomial(total, np.clip(rng.random(len(bins)) * bins[:, -1] / n_bins, 0, 1))
    positive[rng.random(len(bins)) < 0.5] = 0
    return bins, np.column_stack([total - positive, positive])
