"""Rules in the database: what was learned is what is stored and applied."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import replicadb
from replicadb.rewrite import rule_store
from tests.rewrite.crawls import PAGES, PLANTED, table

pytestmark = pytest.mark.slow


ROWS = [
    (f"http://a.example{path}", f"c{i}")
    for paths in PLANTED["param"][:2]
    for i, path in enumerate(paths)
]
"""A host that has each page with a parameter more."""


@pytest.fixture(scope="module")
def learned(tmp_path_factory) -> tuple[Path, dict[str, Any]]:
    """A database of their crawl, closed, and what was learned of it; copy it before you change
    it.
    """
    folder = tmp_path_factory.mktemp("rules")
    (folder / "crawl.csv").write_text(table(ROWS))
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / "crawl.csv")
        return folder / "web.duckdb", web.learn_rewrites()


@pytest.fixture
def web(learned, tmp_path) -> Iterator[replicadb.ReplicaDB]:
    """A copy of it, opened."""
    with replicadb.open(shutil.copy(learned[0], tmp_path)) as opened:
        yield opened


def test_all_of_the_pages_are_saved_and_none_is_taken_for_another(learned):
    _, counts = learned
    assert counts["saved"] == len(PAGES) and counts["wrong"] == 0


def test_the_database_has_the_forms_that_the_rewriter_gives(web):
    rewriter, forms = web.rewriter(), web.database.rows("SELECT url, canonical FROM canonical_urls")
    assert forms and all(rewriter.canonical(url) == canonical for url, canonical in forms)


def test_a_detection_says_how_many_urls_the_rules_remove(web):
    web.detect()
    assert web.info()["reduction"]["removed_by_rules"] == len(PAGES)


def test_rules_are_stale_once_more_is_loaded(web, write):
    assert not rule_store.stale(web.database)
    web.load(write("more.csv", table([("http://c.example/", "c")])))
    assert rule_store.stale(web.database)
