"""The prior that is shipped."""

from __future__ import annotations

import numpy as np
import pytest

from replicadb.learning import prior


@pytest.mark.parametrize("name", ["pages", "files", "paths"])
def test_the_prior_loads_and_its_shapes_agree(name):
    known = prior.load(name)
    tables = known.tables
    assert list(tables.n_bins) == [len(cuts) + 2 for cuts in known.cuts.values()]
    assert [w.shape for w in tables.single] == [(n,) for n in tables.n_bins]
    for cuts in known.cuts.values():
        assert np.isfinite(cuts).all() and (np.diff(cuts) > 0).all()
    for (j, k), weights in tables.pairs.items():
        assert 0 <= j < k < len(tables.n_bins) and weights.shape == (
            tables.n_bins[j],
            tables.n_bins[k],
        )
    for weights in (*tables.single, *tables.pairs.values(), np.array(tables.intercept)):
        assert np.isfinite(weights).all() and np.abs(weights).max() < 20


def test_the_paths_prior_has_the_papers_five_features_and_nothing_else():
    assert set(prior.load("paths").features) == {"ndist", "nmatch", "ip4", "ip3", "fullpath"}
    names = {"ndist", "nmatch", "ip4", "ip3"}
    assert not names & set(
        prior.load("files").features
    )  # obvious replicas are defined by them (docs/robust.md#why-robust)


@pytest.mark.parametrize("name", ["pages", "files"])
def test_more_shared_pages_say_more_for_a_replica(name):
    """All else at its least, then at its most: a prior that says otherwise was not learned."""
    known = prior.load(name)
    least, most = np.ones((1, len(known.cuts)), int), np.array([known.tables.n_bins]) - 1
    for name in ("asset_containment", "asset_resemblance", "link_overlap", "linked", "canonical"):
        if name in known.cuts:
            least[0, known.features.index(name)] = 0
    assert known.tables.score(most)[0] > 3
    assert known.tables.score(least)[0] < -3
