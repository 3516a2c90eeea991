"""A share of the campaigns (docs/reliability.md): fixed seeds, some seconds."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys

import pytest

from benchmarks.reliability import bulk, campaign, disk_faults
from benchmarks.reliability.bulk import FORMATS, Bulk
from benchmarks.reliability.fuzz import MUTATIONS, Fuzz, mutated

pytestmark = pytest.mark.slow


def test_damaged_files_are_kept_rejected_or_refused(tmp_path):
    fuzz = Fuzz(tmp_path)
    seen = {fuzz.trial(random.Random(f"0 {number}")) for number in range(60)}
    assert {"kept", "refused", "read"} <= seen


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_every_record_of_many_mutated_ones_is_told(tmp_path, format, monkeypatch):
    monkeypatch.setattr(bulk, "DISTINCT", 500)
    many = Bulk(tmp_path, format, 1_000)
    assert many.trial(random.Random(4)) == format and many.records >= 600


@pytest.mark.skipif(not disk_faults.available(), reason="needs Linux and a C compiler")
def test_a_disk_does_what_it_is_told(tmp_path):
    library = tmp_path / "disk_faults.so"
    disk_faults.compile_to(library)
    program = (
        "import os, sys; from pathlib import Path; from benchmarks.reliability import disk_faults;"
        "folder = Path(sys.argv[1]); disk_faults.arm(folder, sys.argv[2], 4, 7);"
        "f = os.open(folder / 'f', os.O_RDWR | os.O_CREAT); os.write(f, b'a' * 9); os.fsync(f);"
        "os.write(f, b'b' * 9); os.write(f, b'c' * 9)"
    )
    found = {}
    for mode in ("count", "kill", "torn", "full", "broken", "cut"):
        folder = tmp_path / mode
        folder.mkdir()
        ended = subprocess.run(
            [sys.executable, "-c", program, folder, mode],
            env={**os.environ, "LD_PRELOAD": str(library)},
            capture_output=True,
            text=True,
        )
        found[mode] = ended.returncode, (folder / "f").read_bytes(), ended.stderr
    three = b"a" * 9 + b"b" * 9
    assert found["count"][:2] == (0, three + b"c" * 9)
    assert found["kill"][:2] == (-9, three)
    assert found["torn"][0] == -9 and found["torn"][1].startswith(three)
    assert "No space left" in found["full"][2] and found["full"][1] == three
    assert "Input/output error" in found["broken"][2]
    assert found["cut"][0] == -9 and found["cut"][1] in (b"a" * 9, three)


def test_a_mutation_follows_from_its_seed():
    for mutate in MUTATIONS:
        results = [mutate(b"a,1\nb,2\n", random.Random(3)) for _ in range(2)]
        assert results[0] == results[1]
    assert len({mutated(b"a,1\nb,2\n" * 9, random.Random(n)) for n in range(50)}) > 40


def test_a_broken_promise_is_counted_and_told(capsys):
    def trial(draw):
        if draw.random() < 0.5:
            raise campaign.Failed("it broke")
        return "held"

    chosen = argparse.Namespace(trials=20, minutes=None, seed=1, only=None)
    assert campaign.run("sample", trial, chosen) == 1
    out, err = capsys.readouterr()
    failed = err.count("it broke")
    assert 0 < failed < 20 and f"failed {failed}; held {20 - failed}" in out
