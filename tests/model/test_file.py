"""The model's file: whole or refused in one line, the same bytes for the same model; and when a
model is made anew.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.model import model_file


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "some.model"
    model_file.write(
        path,
        {"what": "test"},
        {"a": np.arange(5, dtype=np.uint32), "empty": np.zeros(0), "b": np.array([[1.5, 2.5]])},
    )
    return path


def test_what_is_written_is_read(written):
    found = model_file.ModelFile(written, verify=True)
    assert (
        found.header["what"] == "test"
        and found.arrays["a"].tolist() == [0, 1, 2, 3, 4]
        and found.arrays["b"].tolist() == [[1.5, 2.5]]
    )
    assert (
        len(found.arrays["empty"]) == 0
        and not found.arrays["a"].flags.writeable
        and os.listdir(written.parent) == ["some.model"]
    )


def refused(path) -> str:
    with pytest.raises(DataError) as error:
        model_file.ModelFile(path)
    assert "\n" not in str(error.value) and str(path) in str(error.value)
    return str(error.value)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_file_with_any_bit_turned_or_cut_anywhere_is_refused(written, place, bit):
    whole = bytearray(written.read_bytes())
    at = int(place * len(whole))
    path = written.with_name("damaged.model")
    path.write_bytes(whole[:at])
    refused(path)
    used = model_file.START.size + int.from_bytes(whole[16:24], "little")
    if not (
        12 <= at < 16 or used <= at < -(-used // 64) * 64
    ):  # between header and arrays nothing is said
        whole[at] ^= 1 << bit
        path.write_bytes(whole)
        refused(path)


def test_another_format_and_no_model_at_all(written, tmp_path):
    assert "no such model" in refused(tmp_path / "missing.model")
    (tmp_path / "text").write_text("host_a,host_b\n")
    assert "no model of replicadb" in refused(tmp_path / "text")
    data = bytearray(written.read_bytes())
    data[8] = 99
    written.write_bytes(data)
    assert "format 99" in refused(written)


def test_the_same_detection_gives_the_same_bytes(loaded, ordinary, tmp_path):
    db, model = ordinary  # of two threads
    shutil.copy(loaded("ordinary"), tmp_path / "1.duckdb")
    with replicadb.open(tmp_path / "1.duckdb", threads=1) as other:
        other.detect()
        other.model(tmp_path / "1.model")
    assert (tmp_path / "1.model").read_bytes() == Path(f"{db.database.path}.model").read_bytes()
    pairs = db.sql("SELECT host_a, host_b FROM replicas LIMIT 50")
    assert replicadb.open_model(tmp_path / "1.model").score(pairs).equals(model.score(pairs))


@pytest.fixture
def small(tmp_path, crawled):
    shutil.copy(crawled, tmp_path / "web.duckdb")
    with replicadb.open(tmp_path / "web.duckdb") as db:
        yield db


def test_a_model_is_made_once_and_again_when_it_is_stale_or_damaged(small, tmp_path):
    made = []
    small.detect()
    kept = tmp_path / "web.duckdb.model"
    small.model(progress=made.append)
    assert made and kept.is_file()
    made.clear()
    small.model(progress=made.append)
    assert not made
    kept.write_bytes(kept.read_bytes()[:-1])
    small.model(progress=made.append)
    assert made
    made.clear()
    small.detect(min_probability=0.1)
    assert small.model(progress=made.append).decision.min_probability == 0.1 and made


def test_a_file_of_somebody_else_is_left_alone(small, tmp_path):
    small.detect()
    (tmp_path / "web.duckdb.model").write_text("mine")
    assert small.model().n == 5
    assert (tmp_path / "web.duckdb.model").read_text() == "mine"


def test_in_memory_and_where_nothing_can_be_written(tmp_path, crawled, monkeypatch):
    shutil.copy(crawled.with_name("crawl.csv"), tmp_path)
    with replicadb.open(":memory:") as db:
        db.load(tmp_path / "crawl.csv")
        db.detect()
        model = db.model()
    assert model.score([("example.com", "www.example.com")])[
        "known"
    ].all()  # the database is gone, the model is not
    shutil.copy(crawled, tmp_path / "web.duckdb")
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.detect()
        monkeypatch.setattr(os, "access", lambda *_: False)
        assert db.model().n == 5 and not (tmp_path / "web.duckdb.model").exists()


def test_what_there_is_no_model_of(small, tmp_path):
    with pytest.raises(DataError, match="find them first"):
        small.model()
    small.detect(method="paper")
    with pytest.raises(UsageError, match="robust"):
        small.model()
    small.detect()
    small.database.execute(
        "DELETE FROM settings WHERE name = 'log_odds_constant'"
    )  # as an older replicadb left it
    with pytest.raises(DataError, match="older replicadb"):
        small.model()
    (tmp_path / "more.csv").write_text("url,digest\nhttp://more.net/,sha1:aa\n")
    small.load(tmp_path / "more.csv")
    with pytest.raises(DataError, match="bring it up to date"):
        small.model()


def test_info_tells_versions_settings_and_checksum(ordinary):
    _, model = ordinary
    told = json.loads(json.dumps(model.info))
    assert (
        told["replicadb"] == replicadb.__version__
        and told["settings"]["method"] == "robust"
        and len(told["sha256"]) == 64
    )
    assert told["counts"]["hosts"] == model.n and told["counts"]["candidate_pairs"] > 0
