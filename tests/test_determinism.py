"""Same input, same answer, bit for bit, whatever the number of threads (DESIGN promise 3)."""

from __future__ import annotations

import pytest

import replicadb
from replicadb.evaluation.synth import generate

TABLES = ("hosts", "origins", "urls", "host_ips", "dup_clusters", "cluster_hosts", "shared_paths", "host_stats", "candidates",
          "labels", "pair_features", "cuts", "patterns", "pair_patterns", "em_history", "pattern_scores", "pair_scores",
          "evidence_weights", "ranking", "members")


def tables_of(crawl, path, threads: int, method: str) -> dict[str, list[tuple]]:
    with replicadb.open(path, threads=threads) as web:
        web.load(crawl)
        web.detect(method=method)
        assert web.database.value("SELECT current_setting('threads')") == threads
        return {table: web.database.rows(f"FROM {table} ORDER BY ALL") for table in TABLES}


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """Large enough that a table has several row groups, so that two threads do share the work."""
    return generate(tmp_path_factory.mktemp("crawl"), hosts=1_200, urls=140_000, profile="ordinary", seed=3).crawl


@pytest.mark.parametrize("method", ["paper", "robust"])
def test_one_thread_and_two_give_the_same_tables(crawl, tmp_path, method):
    one, two = (tables_of(crawl, tmp_path / f"{n}.duckdb", n, method) for n in (1, 2))
    assert len(one["urls"]) > 122_880
    assert len(one["ranking"]) > 1_000
    for table in TABLES:
        assert one[table] == two[table], table
