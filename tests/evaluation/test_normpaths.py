"""NormPaths and the candidate table against loops in plain Python."""

from collections import defaultdict
from itertools import combinations

import duckdb
import numpy as np
import polars as pl
import pytest

from evaluation.reference import candidate_table
from replicadb.errors import UsageError
from replicadb.evaluation.normpaths import normpaths
from replicadb.synthetic.crawl.generate import generate


def tables(seed: int):
    rng = np.random.default_rng(seed)
    pages = pl.DataFrame(
        {
            "host": [f"h{i}.com" for i in rng.integers(0, 15, 400)],
            "path": [f"/{i}" for i in rng.integers(0, 9, 400)],
            "fingerprint": [f"f{i}" for i in rng.integers(0, 4, 400)],
        }
    )
    hosts = sorted(set(pages["host"]))
    pairs = pl.DataFrame(
        list(combinations(hosts, 2))[::2], schema=["host_a", "host_b"], orient="row"
    )
    con = duckdb.connect()
    con.register("pages", pages.to_arrow())
    con.register("pairs", pairs.to_arrow())
    return con, pages, pairs


def slow_normpaths(pages, pairs, longest):
    lists = defaultdict(set)
    for host, path, fingerprint in pages.iter_rows():
        lists[path, fingerprint].add(host)
    return {
        (a, b): sum(
            1 / len(hosts) for hosts in lists.values() if {a, b} <= hosts and len(hosts) <= longest
        )
        for a, b in pairs.iter_rows()
    }


@pytest.mark.parametrize(("seed", "longest"), [(0, 1000), (1, 1000), (2, 6), (3, 1)])
def test_normpaths_sums_one_over_the_length_of_each_shared_list(monkeypatch, seed, longest):
    monkeypatch.setattr("replicadb.evaluation.normpaths.LONGEST_LIST", longest)
    con, pages, pairs = tables(seed)
    found = {(a, b): s for a, b, s in pl.from_arrow(normpaths(con, "pages", "pairs")).iter_rows()}
    expected = slow_normpaths(pages, pairs, longest)
    assert found == pytest.approx(expected, abs=1e-9)
    assert list(found) == sorted(expected)


def test_normpaths_does_not_depend_on_threads_or_repeated_rows():
    con, _, _ = tables(5)
    con.execute("CREATE TABLE twice AS FROM pages UNION ALL FROM pages")
    con.execute("SET threads = 1")
    one = normpaths(con, "twice", "pairs")
    con.execute("SET threads = 4")
    assert one.equals(normpaths(con, "pages", "pairs"))


def test_names_of_tables_are_names_and_nothing_else():
    con, _, _ = tables(6)
    with pytest.raises(UsageError):
        normpaths(con, 'pages" --', "pairs")
    with pytest.raises(duckdb.Error):
        normpaths(con, "pages; DROP TABLE pairs", "pairs")


@pytest.mark.slow
def test_candidate_pairs_are_the_hosts_that_share_a_fingerprint(tmp_path):
    crawl = generate(tmp_path, 60, profile="demo", seed=4).crawl
    con = duckdb.connect()
    n = candidate_table(con, crawl)
    held = defaultdict(set)
    for url, fingerprint in (
        pl.read_parquet(crawl)
        .filter(pl.col("mime") == "text/html")
        .select("url", "fingerprint")
        .iter_rows()
    ):
        held[url.split("/")[2]].add(fingerprint)
    expected = {
        (a, b): len(held[a] & held[b])
        for a, b in combinations(sorted(held), 2)
        if held[a] & held[b]
    }
    assert {(a, b): k for a, b, k in con.execute("FROM crawl_pairs").fetchall()} == expected
    assert n == len(expected) > 0


def test_urls_are_taken_apart_at_the_host(tmp_path):
    pl.DataFrame(
        {
            "url": ["http://A.com", "https://u@b.org:81/x?y=/z#f", "http://c.net?q", "mailto:x"],
            "fingerprint": ["f"] * 4,
            "status": [200] * 4,
            "mime": ["text/html"] * 4,
        }
    ).write_csv(tmp_path / "crawl.csv")
    con = duckdb.connect()
    assert candidate_table(con, tmp_path / "crawl.csv") == 3
    rows = con.execute("SELECT host, path FROM crawl_pages ORDER BY host").fetchall()
    assert rows == [("a.com", "/"), ("b.org", "/x?y=/z"), ("c.net", "/?q")]
