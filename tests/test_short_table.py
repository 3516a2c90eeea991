"""What Python shows of a database and of results: one line, and a short table in a notebook."""

from __future__ import annotations

import re

import pytest

import replicadb
from replicadb.errors import UsageError
from replicadb.short_table import in_a_line, short_table

TEXT = re.compile("<[^>]*>")


def test_text_is_no_markup_and_numbers_have_their_thousands_apart():
    found = short_table("<b>", [("a<b", 12345), ("c", None), ("d", "x & y")], ["1 < 2"])
    assert found.startswith("<table><caption>&lt;b&gt;</caption>") and "12,345" in found
    assert "x &amp; y" in found and found.endswith("<ul><li>1 &lt; 2</li></ul>")


def test_one_is_singular_in_a_line():
    assert in_a_line([("hosts to drop", 1), ("replicas estimated", 1), ("held back", 1)]) == (
        "1 host to drop, 1 replica estimated, 1 held back"
    )
    assert in_a_line([("obvious replicas", 1)]) == "1 obvious replica"


@pytest.mark.slow
def test_a_database_says_what_is_in_it(write, tmp_path):
    path = tmp_path / "web.duckdb"
    with replicadb.open(path) as web:
        assert repr(web) == f"<ReplicaDB {path}: 0 loads, 0 sites, 0 URLs>"
        rows = [f"http://{host}/{n},c{n}\n" for host in ("a.com", "www.a.com") for n in range(600)]
        loaded = web.load(write("crawl.csv", "url,digest\n" + "".join(rows)))
        assert repr(loaded).startswith("<LoadResult: read 1,200 = kept 1,200 + replaced 0")
        assert "1,200" in TEXT.sub(" ", loaded._repr_html_())
        found = web.detect(min_probability=0.0001)
        assert repr(found).startswith("<DetectResult: 2 hosts, 600 dup-clusters, 1 candidate pair,")
        assert all(note in TEXT.sub("", found._repr_html_()) for note in found.notes)
        assert repr(web) == (
            f"<ReplicaDB {path}: 1 load, 2 sites, 1,200 URLs, 1 candidate pair, 1 flagged pair,"
            " 1 host to drop>"
        )
        assert web._repr_html_().count("<tr>") == 6
        with pytest.raises(UsageError, match="top is -1; give 0 or more"):
            web.replicas(-1)
    assert repr(web) == f"<ReplicaDB {path}: closed>"
