"""Bins and scores of many pairs at once, against the plain definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.learning import additive_model, prior
from replicadb.learning.additive_lookup import Lookup

from .reference import digitise

FLOATS = st.floats(width=32, allow_nan=True, allow_infinity=True)


@pytest.mark.slow
@given(
    st.lists(FLOATS, min_size=1, max_size=80),
    st.lists(st.floats(-10, 10, width=32), unique=True, max_size=20),
    st.data(),
)
def test_bins_are_those_of_the_definition(values, cuts, data):
    cuts = np.sort(np.array(cuts, float))
    values += data.draw(
        st.lists(st.sampled_from(cuts.tolist() or [0.0]), max_size=20)
    )  # values on a cut lie below it
    values += [
        float(np.nextafter(np.float32(v), np.float32(side)))
        for v in cuts
        for side in (-np.inf, np.inf)
    ]
    column = np.array(values, np.float32)
    lookup = Lookup({"x": cuts}, additive_model.Tables((len(cuts) + 2,)))
    found = lookup.bins([column])[0]
    expected = digitise(column.tolist(), cuts)
    assert (
        found.tolist()
        == expected
        == [int(lookup.bins([column[i : i + 1]])[0][0]) for i in range(len(column))]
    )


@pytest.mark.parametrize("name", ["pages", "files", "paths"])
def test_scores_are_those_of_the_tables(name):
    known = prior.load(name)
    rng = np.random.default_rng(1)
    bins = np.column_stack([rng.integers(0, n, 5_000) for n in known.tables.n_bins])
    found = Lookup(known.cuts, known.tables).score([column.astype(np.uint8) for column in bins.T])
    assert (
        np.allclose(found, known.tables.score(bins), rtol=0, atol=1e-9)
        and len(np.unique(found)) > 4_000
    )


def test_a_pair_scores_the_same_alone_and_among_others():
    known = prior.load("files")
    rng = np.random.default_rng(2)
    columns = [rng.random(300).astype(np.float32) * 3 for _ in known.cuts]
    model = Lookup(known.cuts, known.tables)
    together = model.score(model.bins(columns))
    alone = [
        model.score(model.bins([column[i : i + 1] for column in columns]))[0] for i in range(300)
    ]
    assert together.tolist() == alone


def test_pairs_of_features_may_have_many_bins():
    rng = np.random.default_rng(4)
    n_bins = (250, 254)
    tables = additive_model.Tables(
        n_bins, 0.5, [rng.normal(size=n) for n in n_bins], {(0, 1): rng.normal(size=n_bins)}
    )
    bins = np.column_stack([rng.integers(0, n, 2_000) for n in n_bins])
    found = Lookup(
        {name: np.arange(n - 2.0) for name, n in zip("xy", n_bins, strict=True)}, tables
    ).score([column.astype(np.uint8) for column in bins.T])
    assert np.allclose(found, tables.score(bins), rtol=0, atol=1e-9)
