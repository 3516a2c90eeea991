"""A share of the campaigns (docs/reliability.md): fixed seeds, some seconds."""

from __future__ import annotations

import argparse
import random

import pytest

from benchmarks.reliability import campaign
from benchmarks.reliability.fuzz import MUTATIONS, Fuzz, mutated

pytestmark = pytest.mark.slow


def test_damaged_files_are_kept_rejected_or_refused(tmp_path):
    fuzz = Fuzz(tmp_path)
    seen = {fuzz.trial(random.Random(f"0 {number}")) for number in range(150)}
    assert {"kept", "refused", "read"} <= seen


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
