"""A crawl of three copies whose pages bear hostile titles and paths, and a review of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest
from report.sample import HOSTILE

import replicadb

HOSTS = ("a.com", "b.net", "c.org")


@pytest.fixture(scope="session")
def hostile(tmp_path_factory) -> Path:
    """A database of the crawl, detected; copy it before you change it."""
    rows = [
        {"url": f"http://{host}/{n}", "digest": f"p{n}", "title": f"page {n}"}
        for host in HOSTS
        for n in range(9)
    ]
    rows += [
        {
            "url": f"http://{host}/<b>x</b>'\"&{n}\u202egnp",
            "digest": f"{host} {n}",
            "title": f"{HOSTILE}{host}\u202egnp",
        }
        for host in HOSTS
        for n in range(2)
    ]
    path = tmp_path_factory.mktemp("page") / "c.parquet"
    pl.DataFrame(rows).write_parquet(path)
    with replicadb.open(path.with_suffix(".duckdb"), threads=1) as web:
        web.load(path)
        web.detect()
    return path.with_suffix(".duckdb")


@pytest.fixture(scope="module")
def loaded(hostile, tmp_path_factory):
    """Opened where the page's server runs: one thread alone may use it at a time."""
    copy = shutil.copy(hostile, tmp_path_factory.mktemp("own"))
    with replicadb.open(copy, threads=1) as web:
        yield web


@pytest.fixture
def web(loaded):
    yield loaded
    loaded.database.execute("DELETE FROM decisions")
