"""The model's file: whole or refused in one line."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replicadb.errors import DataError
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
