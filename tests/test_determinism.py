"""Same input, same answer, bit for bit, whatever the number of threads
(docs/method.md#promise-3)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import replicadb
from replicadb.synthetic.crawl.generate import generate

pytestmark = pytest.mark.slow

LOADED = ("hosts", "links", "outlinks", "origins", "urls", "host_ips")
DETECTED = (
    "dup_clusters",
    "cluster_hosts",
    "shared_paths",
    "shared_tails",
    "host_stats",
    "pair_features",
    "non_replicas",
    "cuts",
    "patterns",
    "em_history",
    "pattern_scores",
    "evidence_weights",
    "evidence_interactions",
    "shared_neighbours",
    "ranking",
    "members",
)
SETTINGS = {"paper": {"method": "paper"}, "robust": {}}


def all_tables(crawl, path, threads: int) -> dict[str, dict[str, pa.Table]]:
    """By settings (the first of them with what was loaded) and table, in the order of
    all columns. Several threads share the work from 2,048 rows on, in place of 122,880.
    """
    found: dict[str, dict[str, pa.Table]] = {}
    with replicadb.open(path, threads=threads) as web:
        if threads > 1:
            web.database.con.execute("PRAGMA verify_parallelism")
        web.load(crawl)
        assert web.database.value("SELECT current_setting('threads')") == threads
        for name, settings in SETTINGS.items():
            web.detect(**settings)
            found[name] = {
                table: web.database.arrow(f"FROM {table} ORDER BY ALL")
                for table in DETECTED + LOADED * (not found)
            }
    return found


@pytest.fixture(scope="module")
def one_and_four(tmp_path_factory):
    """A crawl whose tables, that of pairs too, have several pieces of 2,048 rows, so that threads
    do share the work.
    """
    folder = tmp_path_factory.mktemp("crawl")
    crawl = generate(folder, hosts=160, urls=6_500, profile="template", seed=3, links=True).crawl
    return [all_tables(crawl, folder / f"{n}.duckdb", n) for n in (1, 4)]


@pytest.mark.parametrize("settings", SETTINGS)
def test_one_thread_and_four_give_the_same_tables(one_and_four, settings):
    one, four = (found[settings] for found in one_and_four)
    assert all(len(one[table]) > 3 * 2048 for table in ("urls", "outlinks") if settings == "paper")
    assert len(one["ranking"]) > 2048
    for table in one:
        assert one[table].equals(four[table]), table


def test_the_order_of_rows_and_files_changes_nothing(tmp_path):
    rng = np.random.default_rng(1)
    rows = [
        f"{scheme}://h{h}.com/p{p},d{int(rng.integers(0, 40)) if p < 6 else h * 100 + p}"
        f"{'' if rng.random() < 0.7 else scheme}"
        for h in range(16)
        for p in range(12)
        for scheme in ("http", "https")
    ]
    results = []
    for name, order in (("a", range(len(rows))), ("b", rng.permutation(len(rows)))):
        half = len(rows) // 2
        for part, chosen in (("1", order[:half]), ("2", order[half:])):
            (tmp_path / f"{name}{part}.csv").write_text(
                "url,digest\n" + "".join(rows[i] + "\n" for i in chosen)
            )
        with replicadb.open(tmp_path / f"{name}.duckdb") as web:
            web.load(tmp_path / f"{name}1.csv", tmp_path / f"{name}2.csv")
            web.detect()
            results.append(web.replicas())
    assert results[0].equals(results[1])
