"""The small web, loaded."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import rest_slow

import replicadb

from .crawls import csv_of, opened, small_web
from .three_copies import APART, FIRST


@pytest.fixture(scope="session")
def loaded(tmp_path_factory) -> Path:
    """A folder with crawl.csv, the small web, and web.duckdb, loaded from it; do not
    change them.
    """
    folder = tmp_path_factory.mktemp("loaded")
    opened(folder, small_web(), "web.duckdb").close()
    return folder


@pytest.fixture
def small(tmp_path, loaded):
    """The small web in a database of one's own."""
    shutil.copytree(loaded, tmp_path, dirs_exist_ok=True)
    with replicadb.open(tmp_path / "web.duckdb", threads=1) as web:
        yield web


@pytest.fixture(scope="session")
def small_detected(loaded, tmp_path_factory) -> Path:
    """A database of the small web, detected by default; copy it before you change it."""
    path = Path(shutil.copy(loaded / "web.duckdb", tmp_path_factory.mktemp("detected")))
    with replicadb.open(path, threads=1) as web:
        web.detect()
    return path


@pytest.fixture(scope="module")
def lasting(tmp_path_factory, small_detected):
    """The small web once for many tests; each detects what it needs."""
    copy = shutil.copy(small_detected, tmp_path_factory.mktemp("lasting"))
    with replicadb.open(copy, threads=1) as web:
        yield web


WEB = csv_of(
    [
        ("http://a.com/", "", "01"),
        ("http://a.com/x", "", "02"),
        ("http://a.com/y", "", "03"),
        ("http://a.com/only", "", "0a"),
        ("http://b.com/", "", "01"),
        ("http://b.com/x", "", "02"),
        ("http://b.com/z", "", "04"),
        ("http://c.com/c", "", "01"),
        ("http://c.com/x", "", "05"),
        ("http://d.com/y", "", "06"),
        ("http://d.com/z", "", "07"),
        ("http://e.com/e", "", "08"),
        ("http://e.com/f", "", "08"),
    ]
)


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("five"), WEB) as web:
        yield web


@pytest.fixture(scope="session", params=rest_slow(["robust", "paper"]))
def ranked(request, tmp_path_factory, small_detected):
    """The small web, detected by a method; do not change it."""
    copy = shutil.copy(small_detected, tmp_path_factory.mktemp("ranked"))
    with replicadb.open(copy, threads=1) as web:
        web.detect(method=request.param)
        yield web


@pytest.fixture(scope="session")
def three_copies(tmp_path_factory) -> Path:
    """A database of FIRST and APART, detected under the name before; copy it before you change
    it.
    """
    folder = tmp_path_factory.mktemp("three")
    with opened(folder, csv_of([*FIRST, APART]), "web.duckdb") as web:
        web.detect(name="before", min_probability=0.001)
    return folder / "web.duckdb"
