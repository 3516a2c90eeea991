"""Same input, same answer, bit for bit, whatever the number of threads (DESIGN promise 3)."""

from __future__ import annotations

import numpy as np
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


def test_the_order_of_rows_and_files_changes_nothing(tmp_path):
    rng = np.random.default_rng(1)
    rows = [f"{scheme}://h{h}.com/p{p},d{int(rng.integers(0, 40)) if p < 6 else h * 100 + p}{'' if rng.random() < 0.7 else scheme}"
            for h in range(30) for p in range(12) for scheme in ("http", "https")]
    results = []
    for name, order in (("a", range(len(rows))), ("b", rng.permutation(len(rows)))):
        half = len(rows) // 2
        for part, chosen in (("1", order[:half]), ("2", order[half:])):
            (tmp_path / f"{name}{part}.csv").write_text("url,digest\n" + "".join(rows[i] + "\n" for i in chosen))
        with replicadb.open(tmp_path / f"{name}.duckdb") as web:
            web.load(tmp_path / f"{name}1.csv", tmp_path / f"{name}2.csv")
            web.detect()
            results.append(web.replicas())
    assert results[0].equals(results[1])
