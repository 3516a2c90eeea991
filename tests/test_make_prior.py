"""What teaches the prior is made without a prior."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from replicadb.learning import prior
from replicadb.learning.additive_model import Tables
from replicadb.synthetic.crawl.generate import PROFILES


def test_pair_tables_for_the_prior_need_none(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    make_prior = pytest.importorskip("make_prior")
    monkeypatch.delitem(sys.modules, "make_prior")

    def missing(*_):
        raise FileNotFoundError("no prior here")

    monkeypatch.setattr(prior, "load", missing)
    table = make_prior.pair_table(
        tmp_path, "small", PROFILES["demo"], 100, 3, links=False, all_types=False
    )
    assert len(table) > 10 and table["group"].count() > 0
    assert {*make_prior.CONTENT, *make_prior.PATHS} <= set(table.columns)


def test_what_is_never_unknown_where_it_was_taught_speaks_as_its_lowest_bin_where_it_is(
    monkeypatch,
):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    make_prior = pytest.importorskip("make_prior")
    tables = Tables(
        (3, 3),
        0.0,
        [np.array([9.0, 1.0, 2.0]), np.array([5.0, 3.0, 4.0])],
        {(0, 1): np.arange(9.0).reshape(3, 3)},
    )
    make_prior.speak_as_lowest(tables, np.array([True, False]))
    assert tables.single[0].tolist() == [1, 1, 2] and tables.single[1].tolist() == [5, 3, 4]
    assert tables.pairs[0, 1].tolist() == [[3, 4, 5], [3, 4, 5], [6, 7, 8]]
