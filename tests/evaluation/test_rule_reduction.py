"""What rewrite rules remove, by hand: one URL of each form stays, whatever was loaded first."""

from __future__ import annotations

import itertools

import pytest
from conftest import rest_slow

from replicadb.evaluation.scratch import Scratch

PAGES = {"/1": "aa", "/2": "aa", "/3": "bb", "/form": "cc"}
FORMS = "SELECT url_id, 'http://a.example/{}' AS canonical FROM urls WHERE path <> '/form'"


@pytest.mark.parametrize(("form", "wrong"), rest_slow([("new", 1), ("form", 3)]))
def test_the_least_url_stays_where_none_has_the_form(web, write, form, wrong):
    """Else the one that has it, though its content is another."""
    for n, order in enumerate(itertools.permutations(PAGES)):
        if n % 5:
            continue
        rows = "".join(f"http://a.example{path},sha1:{PAGES[path]}\n" for path in order)
        web.load(write(f"{n}.csv", "url,digest\n" + rows), label=str(n))
        with Scratch(web.database) as scratch, scratch.temporary():
            scratch.detect_until_features()
            scratch.execute(f"CREATE TEMP TABLE reduced_forms AS {FORMS.format(form)}")
            scratch.run("evaluate/10_reduction", only="url_reduction")
            found = scratch.rows("SELECT removed, wrong FROM url_reduction")
        assert found == [(2 if form == "form" else 1, wrong)]
        web.unload(str(n))
