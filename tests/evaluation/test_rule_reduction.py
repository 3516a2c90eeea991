"""What rewrite rules remove, by hand: one URL of each form stays, whatever was loaded first."""

from __future__ import annotations

import itertools

import replicadb
from replicadb.evaluation.scratch import Scratch

PAGES = {"/1": "aa", "/2": "aa", "/3": "bb", "/form": "cc"}
CASES = {"new": (1, 1), "form": (2, 3)}
"""The form that the first three get; how many URLs are then removed, and wrong."""
FORMS = """
    SELECT url_id, origin || '/' || regexp_extract(host, '[a-z]+') AS canonical
    FROM urls JOIN hosts USING (host_id) JOIN origins USING (origin_id)
    WHERE path <> '/form'"""


def test_the_least_url_stays_where_none_has_the_form(write):
    """Else the one that has it, though its content is another. A host for each order."""
    wanted, rows = {}, ["url,digest"]
    for form, found in CASES.items():
        for n, order in enumerate(itertools.permutations(PAGES)):
            wanted[host := f"{form}{n}.example"] = found
            rows += [f"http://{host}{path},{PAGES[path]} of {host}" for path in order]
    with replicadb.open(":memory:", threads=1) as web:
        web.load(write("crawl.csv", "\n".join(rows)))
        with Scratch(web.database) as scratch, scratch.temporary():
            scratch.detect_until_features()
            scratch.execute(f"CREATE TEMP TABLE reduced_forms AS {FORMS}")
            scratch.run("evaluate/10_reduction", only="url_reduction")
            query = "SELECT host, removed, wrong FROM url_reduction JOIN hosts USING (host_id)"
            found = {host: tuple(numbers) for host, *numbers in scratch.rows(query)}
    assert found == wanted
