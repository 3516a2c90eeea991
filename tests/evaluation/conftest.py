"""What files of this room share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import kept_open

import replicadb
from replicadb.evaluation.context import Context
from replicadb.evaluation.gold import read_gold
from replicadb.evaluation.scratch import Scratch
from replicadb.synthetic.crawl.generate import generate

from .evaluated import FOLDS, QUICK


@pytest.fixture(scope="session")
def planted(tmp_path_factory) -> Iterator[Path]:
    """A folder with gold.csv and web.duckdb, 160 hosts, detected by the default method; do not
    change it.
    """
    folder = tmp_path_factory.mktemp("planted")
    crawl = generate(folder, 160, urls=5_000, profile="demo", seed=12)
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(crawl.crawl)
        web.detect()
    with kept_open(folder / "web.duckdb"):
        yield folder


@pytest.fixture(scope="session")
def context(planted):
    with replicadb.open(planted / "web.duckdb", read_only=True, threads=1) as web:
        scratch = Scratch(web.database)
        scratch.detect_until_features()
        yield Context(scratch, read_gold(scratch, planted / "gold.csv"), 3, 0)


@pytest.fixture(scope="session")
def result(planted):
    with replicadb.open(planted / "web.duckdb", read_only=True, threads=1) as web:
        return web.evaluate(planted / "gold.csv", methods=QUICK, folds=FOLDS)
