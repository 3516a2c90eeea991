"""A large crawl is made in pieces: the same crawl, in order, whole or not at all."""

from __future__ import annotations

from datetime import timedelta

import polars as pl
import pytest

from replicadb.synthetic.crawl import generate
from replicadb.synthetic.crawl.crawl_file import CrawlFile

pytestmark = pytest.mark.slow


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(generate, "ROWS_AT_A_TIME", 700)


@pytest.mark.parametrize(("fmt", "links"), [("parquet", True), ("csv", False)])
def test_pieces_make_one_crawl(tmp_path, monkeypatch, fmt, links):
    read = (
        pl.read_parquet if fmt == "parquet" else lambda path: pl.read_csv(path, infer_schema=False)
    )
    whole = generate.generate(tmp_path / "whole", 40, seed=2, fmt=fmt, links=links)
    monkeypatch.setattr(generate, "ROWS_AT_A_TIME", 700)
    pieces = generate.generate(tmp_path / "pieces", 40, seed=2, fmt=fmt, links=links)
    a, b = read(whole.crawl), read(pieces.crawl)
    assert a.columns == b.columns and a.schema == b.schema and len(b) == pieces.urls
    assert b["timestamp"].is_sorted() and b["url"].n_unique() == len(b)
    assert whole.gold_csv.read_bytes() == pieces.gold_csv.read_bytes()
    # Which pages are repeated under another URL is drawn anew; everything else is the same.
    same = [
        name
        for name in ("url", "fingerprint", "links", "canonical", "redirect")
        if name in a.columns
    ]
    both = a.select(same).join(b.select(same), on=same, how="semi", nulls_equal=True)
    assert len(both) > 0.94 * max(len(a), len(b))


def test_pieces_are_the_same_bytes_again(tmp_path, small_pieces):
    made = [generate.generate(tmp_path / name, 40, seed=2).crawl.read_bytes() for name in "ab"]
    assert made[0] == made[1]


def test_replicas_are_crawled_at_different_times(tmp_path, small_pieces):
    result = generate.generate(tmp_path, 80, seed=2)
    times = (
        pl.read_parquet(result.crawl)
        .group_by(host=pl.col("url").str.extract("://([^/]+)"))
        .agg(pl.col("timestamp").min())
    )
    gold = (
        pl.read_csv(result.gold_csv)
        .join(times, left_on="host_a", right_on="host")
        .join(times, left_on="host_b", right_on="host", suffix="_b")
    )
    assert ((gold["timestamp"] - gold["timestamp_b"]).abs() > timedelta(days=4)).mean() > 0.3


@pytest.mark.parametrize("fmt", ["parquet", "csv"])
def test_a_file_has_its_name_only_when_it_is_whole(tmp_path, fmt):
    with pytest.raises(KeyError), CrawlFile(tmp_path / "crawl", fmt) as file:
        file.write(pl.DataFrame({"url": ["a"]}))
        raise KeyError
    assert list(tmp_path.iterdir()) == []
