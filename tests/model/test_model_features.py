"""Features of any pair are those that sql/detect/40_pair_features gives it."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import replicadb

pytestmark = pytest.mark.slow


def test_features_of_pairs_that_were_no_candidates_are_those_that_sql_gives_them(
    tmp_path, loaded, ordinary
):
    """Pairs that share a path and no content are candidates under --candidates either alone."""
    _, model = ordinary
    shutil.copy(loaded("ordinary"), tmp_path / "web.duckdb")
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.detect(candidates="either")
        stored = db.sql("SELECT * FROM candidate_pairs WHERE shared = 0 ORDER BY ALL LIMIT 150")
    assert len(stored) == 150 and (stored["fullpath"] > 0).all()
    for row in stored.to_dicts():
        found = model.score_pair(row["host_a"], row["host_b"])
        assert not found.known and found.shared == 0
        for name, value in found.features.items():
            assert value == row[name] or (row[name] is None and np.isnan(value)), name
