"""The classifier of a model, from the part of its header that holds it."""

from __future__ import annotations

import numpy as np

from replicadb.model.pair_classifier import PairClassifier


def test_a_model_from_before_names_shared_neighbours_otherwise(tiny):
    tables = dict(tiny.header["decision"])
    now = PairClassifier(tables)
    tables["partners"] = tables.pop("shared_neighbours")
    before = PairClassifier(tables)
    values = [np.zeros(1, np.int16) for _ in now.stacked.lookup.features]
    assert (before.stacked.lookup.score(values) == now.stacked.lookup.score(values)).all()
