"""The scratch of an evaluation: what is reused, what is made anew, and the file left alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import replicadb
from replicadb.evaluation.scratch import Scratch, shared_stages

pytestmark = pytest.mark.slow


def test_results_with_other_columns_than_this_version_has_are_made_anew(planted, tmp_path):
    copy = Path(shutil.copy(planted / "web.duckdb", tmp_path / "copy.duckdb"))
    with replicadb.open(copy, threads=1) as web:
        web.database.execute(
            "DROP VIEW candidate_pairs; DROP VIEW replicas; ALTER TABLE pair_features DROP COLUMN"
            " containment"
        )
        with Scratch(web.database) as scratch:
            scratch.detect_until_features()
            assert scratch.value("SELECT count(containment) FROM pair_features") > 0


def test_a_scratch_detects_by_its_own_method_whatever_found_the_last(detected):
    """By the published method, which scores PU."""
    scored = "SELECT count(*) FROM pattern_scores WHERE pu_score IS NOT NULL"
    with replicadb.open(detected, read_only=True, threads=1) as web:
        with Scratch(web.database) as scratch:
            counts = scratch.detect().counts
            assert counts["candidate_pairs"] == web.database.value("SELECT count(*) FROM ranking")
            assert counts["candidate_pairs"] > 0
            assert not scratch.value(scored)
        assert web.database.value(scored)


def test_a_scratch_reuses_what_is_up_to_date_and_leaves_the_file_alone(planted, tmp_path):
    copy = Path(shutil.copy(planted / "web.duckdb", tmp_path / "copy.duckdb"))
    before = copy.read_bytes()
    with replicadb.open(copy, threads=1) as web:
        scratch = Scratch(web.database)
        result = scratch.detect(method="paper", max_cluster_hosts=1000)
        assert {stage.name for stage in shared_stages()} & set(result.stages_run) == {
            "30_non_replicas"
        }  # method robust has none
        assert scratch.value("SELECT count(*) FROM non_replicas") > 0
        assert scratch.value("SELECT count(*) FROM ranking") == web.database.value(
            "SELECT count(*) FROM ranking"
        )
        scratch.close()
        assert (
            web.database.value("SELECT settings->>'method' FROM runs WHERE command = 'detect'")
            == "robust"
        )
        assert not web.database.value(
            "SELECT count(*) FROM pattern_scores WHERE pu_score IS NOT NULL"
        )
    assert copy.read_bytes() == before
