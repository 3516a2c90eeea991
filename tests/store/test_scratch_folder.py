"""Temporary folders go with their process, or at the next start."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from replicadb.store import scratch_folder as module
from replicadb.store.scratch_folder import scratch_folder, sweep

HOLD = """
import os, signal
from replicadb.store.scratch_folder import scratch_folder
with scratch_folder() as folder:
    (folder / "large").write_bytes(b"x")
    print(folder, flush=True)
    input()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def temp(tmp_path, monkeypatch):
    """The folder for temporary files, in which no folder is too young to be swept."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(module, "YOUNG", -1.0)
    return tmp_path


def test_a_folder_goes_when_the_work_ends(temp):
    with scratch_folder() as folder:
        (folder / "file").write_text("x")
        assert folder.parent == temp
    assert not list(temp.iterdir())


def test_the_folder_of_a_killed_process_goes_at_the_next_start_and_a_living_one_stays(temp):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        folder = other.stdout.readline().strip()
        with scratch_folder():
            assert os.listdir(temp).count(os.path.basename(folder)) == 1
        other.communicate("\n")
        assert os.path.exists(folder)
        with scratch_folder():
            assert not os.path.exists(folder)


def test_what_is_not_ours_is_never_swept(temp):
    for name in ("replicadb-somebody", "other"):
        (temp / name).mkdir()
        (temp / name / "file").write_text("x")
    sweep(temp)
    assert sorted(os.listdir(temp)) == ["other", "replicadb-somebody"]
