"""What teaches the prior is made without a prior."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from replicadb.evaluation.synth import PROFILES
from replicadb.learning import prior


def test_pair_tables_for_the_prior_need_none(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    make_prior = pytest.importorskip("make_prior")
    monkeypatch.delitem(sys.modules, "make_prior")

    def missing(*_):
        raise FileNotFoundError("no prior here")

    monkeypatch.setattr(prior, "load", missing)
    table = make_prior.pair_table(tmp_path, "small", PROFILES["demo"], 100, 3, links=False, all_types=False)
    assert len(table) > 10 and table["group"].count() > 0
    assert {*make_prior.CONTENT, *make_prior.PATHS} <= set(table.columns)
