"""What the tests of explanations share: one crawl, detected by two methods."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import replicadb
from tests.conftest import CRAWL
from tests.explanation import books


@pytest.fixture(scope="session")
def by_robust(tmp_path_factory) -> Iterator[replicadb.ReplicaDB]:
    """CRAWL and the crawl of ``books``, the loads old and new among it, detected by method robust
    and open to read.
    """
    folder = tmp_path_factory.mktemp("by_robust")
    pl.DataFrame(books.books()).write_parquet(folder / "books.parquet")
    (folder / "some.csv").write_text(CRAWL + books.AT_TWO_SCHEMES)
    (folder / "near.jsonl").write_text("\n".join(map(json.dumps, books.near_copies())))
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(folder / "books.parquet", folder / "some.csv")
        for name, rows in books.LOADS.items():
            (folder / f"{name}.csv").write_text("\n".join(["url,digest,title,length", *rows]))
            web.load(folder / f"{name}.csv", label=name)
        web.load(folder / "near.jsonl", content=True)
        web.detect()
    with replicadb.open(folder / "web.duckdb", threads=1, read_only=True) as web:
        yield web


@pytest.fixture(scope="session")
def copied(by_robust, tmp_path_factory) -> Path:
    """A copy of that database; copy it before you change it."""
    return Path(shutil.copy(by_robust.database.path, tmp_path_factory.mktemp("copied")))


@pytest.fixture(scope="session")
def by_paper(by_robust, tmp_path_factory) -> Iterator[replicadb.ReplicaDB]:
    """The same after detection by method paper, open to read."""
    path = shutil.copy(by_robust.database.path, tmp_path_factory.mktemp("by_paper"))
    with replicadb.open(path, threads=1) as web:
        web.detect(method="paper")
    with replicadb.open(path, threads=1, read_only=True) as web:
        yield web
