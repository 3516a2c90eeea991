"""A crawl whose every page has small edits: equal fingerprints find no replica in it,
near-duplicate clusters find them.
"""

from __future__ import annotations

import pytest

import replicadb
from replicadb.synthetic.crawl.generate import generate

pytestmark = pytest.mark.slow


def flagged(web, **settings) -> set[tuple[str, str]]:
    web.detect(**settings)
    return set(web.replicas(flagged=True).select("host_a", "host_b").rows())


def test_near_duplicate_clusters_find_what_edits_hide(tmp_path):
    plain = generate(tmp_path / "plain", 100, 2500, "demo", seed=4, content=True)
    edited = generate(
        tmp_path / "edited", 100, 2500, "demo", seed=4, content=True, page_edits="small"
    )
    with replicadb.open(tmp_path / "plain.duckdb") as web:
        web.load(plain.crawl)
        found = flagged(web)
    with replicadb.open(tmp_path / "edited.duckdb") as web:
        web.load(edited.crawl, content=True)
        assert flagged(web) == set()
        web.fingerprint("minhash")
        near = flagged(web, clusters="minhash")
    assert len(found) >= 5 and len(near & found) >= 0.9 * len(found)
