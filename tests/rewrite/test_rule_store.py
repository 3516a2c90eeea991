"""Rules in the database: what was learned is what is stored and applied."""

from __future__ import annotations

import pytest

from replicadb.rewrite import rule_store
from tests.rewrite.crawls import PAGES, PLANTED, loaded, table


@pytest.mark.slow
def test_the_database_keeps_rules_and_forms_as_the_rewriter_has_them(web, write):
    rows = [
        (f"http://a.example{path}", f"c{i}")
        for paths in PLANTED["param"][:2]
        for i, path in enumerate(paths)
    ]
    db = loaded(web, write, rows)
    counts = web.learn_rewrites()
    assert counts["saved"] == len(PAGES) and counts["wrong"] == 0
    rewriter = web.rewriter()
    forms = db.rows("SELECT url, canonical FROM canonical_urls")
    assert forms and all(rewriter.canonical(url) == canonical for url, canonical in forms)
    assert not rule_store.stale(db)
    web.detect()
    assert web.info()["reduction"]["removed_by_rules"] == len(PAGES)
    web.load(write("more.csv", table([("http://c.example/", "c")])))
    assert rule_store.stale(db)
