"""What a crawler would have saved: the beginning of a crawl against one loaded by itself, and the
counts by hand.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from detection.crawls import only_pairs

import replicadb
from replicadb.cli.evaluate_text import text_of
from replicadb.errors import UsageError
from replicadb.evaluation.crawl_order import STEPS, CrawlBeginning, crawl_order
from replicadb.evaluation.gold import read_gold

PAGES = 15
"""Of each copy; the last of b2 is its own."""
GOLD = "host_a,host_b,label\na1.org,a2.org,replica\nb1.org,b2.org,replica\nc1.org,c2.org,not\n"


def captures() -> pl.DataFrame:
    """Four pairs of copies, of which longer paths were fetched first, and a host of its own."""
    rows = [
        (
            f"http://{name}{n}.org/{'p' * page}",
            f"{name}{n if (name, n, page) == LAST else ''}{page}",
        )
        for name in "abcd"
        for n in (1, 2)
        for page in range(1, PAGES + 1)
    ]
    rows += [(f"http://own{n}.net/{n}", f"own{n}") for n in range(150)]
    return pl.DataFrame(rows, schema=["url", "digest"], orient="row").with_columns(
        timestamp=2_000_000_000 - pl.col("url").str.len_chars()
    )


LAST = ("b", 2, PAGES)


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    folder = tmp_path_factory.mktemp("order")
    captures().write_parquet(folder / "c.parquet")
    (folder / "gold.csv").write_text(GOLD)
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(folder / "c.parquet")
        web.detect()
        yield web, read_gold(web.database, folder / "gold.csv"), folder / "gold.csv"


@pytest.mark.slow
def test_urls_not_fetched_are_counted_by_what_the_gold_says_and_stand_in_the_text(web, monkeypatch):
    """The database is as it was."""
    assert STEPS[:5] == (1, 2, 3, 5, 10)
    monkeypatch.setattr("replicadb.evaluation.crawl_order.STEPS", (10, 20))
    runs = web[0].database.rows("FROM runs")
    how = {"methods": ["robust"], "folds": 1, "tables": False}
    result = web[0].evaluate(web[2], crawl_order="path", **how)
    found = result["crawl_order"]
    assert (found["urls"], found["hosts"]) == (8 * PAGES + 150, 158)
    assert [step["seen"] for step in found["steps"]] == [10], "no host has 20"
    ten = found["steps"][-1]
    left = PAGES - 10
    assert (ten["dropped"], ten["saved"]) == (4, 4 * left)
    assert (ten["replicas"], ten["wrong"], ten["other"]) == (2 * left, left, left)
    assert ten["best"] == 2 * left
    assert "Fetches saved while crawling: 270 URLs of 158 hosts" in text_of(result)
    assert "of non-replicas  contents lost  best" in text_of(result)
    assert web[0].database.rows("FROM runs") == runs


@pytest.mark.slow
def test_what_is_lost_is_a_content_that_nothing_fetched_has(web):
    database = web[0].database
    ids = dict(database.rows("SELECT host, host_id FROM hosts"))
    with CrawlBeginning(database, 10, by_time=False) as beginning:
        for host, lost in (("a2.org", 0), ("b2.org", 1)):
            assert beginning.unfetched(np.array([ids[host]])) == (PAGES - 10, lost)
        both = np.array([ids["b1.org"], ids["b2.org"]])
        assert beginning.unfetched(both) == (2 * (PAGES - 10), 2 * (PAGES - 10))


@pytest.mark.parametrize(("by_time", "first"), [(False, range(1, 4)), (True, range(13, 16))])
def test_a_beginning_is_the_shortest_paths_or_the_earliest_captures(web, by_time, first):
    with CrawlBeginning(web[0].database, 3, by_time) as beginning:
        paths = beginning.column(
            "SELECT path FROM urls JOIN hosts USING (host_id) WHERE host = 'a1.org' ORDER BY path"
        )
    assert paths == ["/" + "p" * n for n in first]


@pytest.mark.slow
def test_a_beginning_is_judged_as_if_no_more_had_been_loaded(web, tmp_path):
    most = 3
    ranking = "FROM replicas SELECT host_a, host_b, score, probability, flagged,"
    ranking += " identifier_overlap ORDER BY ALL"
    said = "INSERT INTO internal.identifiers SELECT 1, host_id, 'mail', 'a@b.net', 1 FROM hosts"
    with web[0].database.transaction():  # of later pages, for all that is known
        web[0].database.execute(f"{said} WHERE host IN ('a1.org', 'a2.org')")
    with CrawlBeginning(web[0].database, most, by_time=False) as beginning:
        beginning.detect()
        found = beginning.rows(ranking)
    first = captures().filter(
        pl.col("url").str.len_chars().rank("ordinal").over(pl.col("url").str.split("/").list[2])
        <= most
    )
    first.write_parquet(tmp_path / "first.parquet")
    with replicadb.open(tmp_path / "first.duckdb", threads=1) as alone:
        alone.load(tmp_path / "first.parquet")
        only_pairs(alone, 5)
        assert found and found == alone.database.rows(ranking)


@pytest.mark.slow
def test_an_order_that_is_not_there_is_refused(web, tmp_path):
    with pytest.raises(UsageError, match="give one of path, time"):
        crawl_order(web[0].database, web[1], "depth")
    captures().drop("timestamp").write_parquet(tmp_path / "c.parquet")
    with replicadb.open(":memory:") as timeless:
        timeless.load(tmp_path / "c.parquet")
        gold = read_gold(timeless.database, web[2])
        with pytest.raises(UsageError, match="no capture here has a time"):
            crawl_order(timeless.database, gold, "time")
    said: list[str] = []
    with pytest.raises(UsageError, match="give one of path, time"):
        web[0].evaluate(web[2], crawl_order="depth", report=said.append)
    assert said == []  # before the work
