"""training.fit_variation: the directions in which crawls differ."""

from __future__ import annotations

import numpy as np

from training.fit_variation import WAYS, directions


def test_the_first_direction_is_the_one_in_which_crawls_differ_most():
    rng = np.random.default_rng(3)
    n_bins, way = (5, 4), rng.normal(size=9)
    gone = rng.normal(size=60)
    added = np.outer(gone, way) + rng.normal(size=(60, 9)) * 0.01
    sample = [np.column_stack([rng.integers(0, n, 30) for n in n_bins]) for _ in range(60)]
    found = directions(added, sample, ["a"] * 40 + ["b"] * 20, n_bins)
    assert found.shape == (WAYS, 9)
    assert abs(np.corrcoef(found[0], way)[0, 1]) > 0.99
    assert np.abs(found[1]).max() < 0.1 * np.abs(found[0]).max()


def test_authors_count_alike_but_for_the_root_of_their_crawls():
    """A hundred crawls of one author that go one way, and one of another that goes another."""
    sample = [np.array([[0], [1]])] * 101
    added = np.vstack([[[1.0, 0.0], [-1.0, 0.0]] * 50, [[0.0, 50.0]]])
    found = directions(added, sample, ["a"] * 100 + ["b"], (2,))
    assert abs(found[0, 1]) > abs(found[0, 0])
    alone = directions(added, sample, [str(i) for i in range(101)], (2,))
    assert abs(alone[0, 1]) < abs(found[0, 1])
