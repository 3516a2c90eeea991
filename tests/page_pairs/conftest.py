"""A crawl whose page pairs have labels."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from page_database import with_pages

import replicadb
from benchmarks.accuracy.page_signals import RENDERED
from replicadb.store.arrow import insert_frame

from .edited_crawl import crawl


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A folder of web.duckdb, in which a quarter of the pages is not rendered, and pairs.csv."""
    folder = tmp_path_factory.mktemp("labelled")
    made, rows = crawl(np.random.default_rng(0))
    with replicadb.open(folder / "web.duckdb") as web:
        ids = with_pages(web, made)
        insert_frame(
            web.database,
            "rendered_pages",
            [
                (i, p["url"], p["title"], p["text"], p["body"], 1000, 0, 0, 0)
                for i, p in zip(ids, made, strict=True)
            ][:45],
            RENDERED,
        )
    (folder / "pairs.csv").write_text(
        "url_a,url_b,label,query\n"
        + "".join(f"{a},{b},{label},{query}\n" for a, b, label, query in rows)
    )
    return folder


@pytest.fixture
def labelled(stored, tmp_path):
    """The pairs, with their database beside them in the test's folder."""
    shutil.copy(stored / "web.duckdb", tmp_path)
    return shutil.copy(stored / "pairs.csv", tmp_path)
