"""When a model is made, and what there is none of; the same detection gives the same bytes.

Tries model_arrays, too.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

import replicadb
from replicadb.errors import DataError, UsageError


@pytest.fixture
def found(tmp_path, detected_robust):
    shutil.copy(detected_robust, tmp_path / "web.duckdb")
    with replicadb.open(tmp_path / "web.duckdb") as db:
        yield db


@pytest.mark.slow
def test_a_model_is_made_once_and_again_when_it_is_stale_or_damaged(found, tmp_path):
    made = []
    file = tmp_path / "web.duckdb.model"
    found.model(progress=made.append)
    assert made and file.is_file()
    made.clear()
    found.model(progress=made.append)
    assert not made
    file.write_bytes(file.read_bytes()[:-1])
    found.model(progress=made.append)
    assert made
    made.clear()
    found.detect(min_probability=0.1)
    assert found.model(progress=made.append).classifier.min_probability == 0.1 and made


@pytest.mark.slow
def test_the_same_detection_gives_the_same_bytes(loaded, ordinary, tmp_path):
    """By one thread and by two."""
    db, model = ordinary  # of two threads
    shutil.copy(loaded("ordinary"), tmp_path / "1.duckdb")
    with replicadb.open(tmp_path / "1.duckdb", threads=1) as other:
        other.detect()
        other.model(tmp_path / "1.model")
    assert (tmp_path / "1.model").read_bytes() == Path(f"{db.database.path}.model").read_bytes()
    pairs = db.sql("SELECT host_a, host_b FROM replicas LIMIT 50")
    assert replicadb.open_model(tmp_path / "1.model").score(pairs).equals(model.score(pairs))


@pytest.mark.slow
def test_a_file_of_somebody_else_is_left_alone(found, tmp_path):
    (tmp_path / "web.duckdb.model").write_text("mine")
    assert found.model().n == 5
    assert (tmp_path / "web.duckdb.model").read_text() == "mine"


@pytest.mark.slow
def test_in_memory_and_where_nothing_can_be_written(found, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)
        assert found.model().n == 5 and not (tmp_path / "web.duckdb.model").exists()
    monkeypatch.setattr(found.database, "path", ":memory:")
    model = found.model()
    found.close()
    assert model.score([("example.com", "www.example.com")])[
        "known"
    ].all()  # the database is gone, the model is not
    assert not list(tmp_path.glob("*.model"))


@pytest.mark.slow
def test_what_there_is_no_model_of(crawled, detected, found, tmp_path):
    for path, error, said in (
        (crawled, DataError, "find them first"),
        (detected, UsageError, "robust"),
    ):
        copy = shutil.copy(path, tmp_path / f"{said[:4]}.duckdb")
        with replicadb.open(copy) as small, pytest.raises(error, match=said):
            small.model()
    found.database.execute(
        "DELETE FROM settings WHERE name = 'log_odds_constant'"
    )  # as an older replicadb left it
    with pytest.raises(DataError, match="older replicadb"):
        found.model()
    (tmp_path / "more.csv").write_text("url,digest\nhttp://more.net/,sha1:aa\n")
    found.load(tmp_path / "more.csv")
    with pytest.raises(DataError, match="bring it up to date"):
        found.model()


def test_info_has_versions_settings_and_checksum(tiny):
    model = tiny
    info = json.loads(json.dumps(model.info))
    assert (
        info["replicadb"] == replicadb.__version__
        and info["settings"]["method"] == "robust"
        and len(info["sha256"]) == 64
    )
    assert info["counts"]["hosts"] == model.n and info["counts"]["candidate_pairs"] > 0
