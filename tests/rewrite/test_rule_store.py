"""Rules in the database: what was learned is what is stored and applied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import replicadb
from replicadb.rewrite import rule_store
from tests.rewrite.crawls import PAGES, PLANTED, loaded, table

pytestmark = pytest.mark.slow


ROWS = [
    (f"http://a.example{path}", f"c{i}")
    for paths in PLANTED["param"][:2]
    for i, path in enumerate(paths)
]
"""A host that has each page with a parameter more."""


@pytest.fixture(scope="module")
def learned(tmp_path_factory) -> Iterator[tuple[replicadb.ReplicaDB, dict[str, Any]]]:
    """Their crawl and what was learned of it."""
    crawl = tmp_path_factory.mktemp("rules") / "crawl.csv"
    crawl.write_text(table(ROWS))
    with replicadb.open(":memory:") as web:
        web.load(crawl)
        yield web, web.learn_rewrites()


def test_all_of_the_pages_are_saved_and_none_is_taken_for_another(learned):
    _, counts = learned
    assert counts["saved"] == len(PAGES) and counts["wrong"] == 0


def test_the_database_has_the_forms_that_the_rewriter_gives(learned):
    web, _ = learned
    rewriter, forms = web.rewriter(), web.database.rows("SELECT url, canonical FROM canonical_urls")
    assert forms and all(rewriter.canonical(url) == canonical for url, canonical in forms)


def test_a_detection_says_how_many_urls_the_rules_remove(learned):
    web, _ = learned
    web.detect()
    assert web.info()["reduction"]["removed_by_rules"] == len(PAGES)


def test_rules_are_stale_once_more_is_loaded(web, write):
    db = loaded(web, write, ROWS)
    web.learn_rewrites()
    assert not rule_store.stale(db)
    web.load(write("more.csv", table([("http://c.example/", "c")])))
    assert rule_store.stale(db)
