"""The demo's names: a person can tell them apart, and nothing else of the crawl changes."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from replicadb.synthetic.crawl import readable_names
from replicadb.synthetic.crawl.generate import PROFILES, generate


@pytest.mark.slow
def test_readable_names_change_nothing_but_host_names(tmp_path):
    rows = []
    for readable in (True, False):
        profile = replace(PROFILES["demo"], readable=readable)
        crawl = pl.read_parquet(generate(tmp_path / str(readable), 60, 600, profile, seed=5).crawl)
        parts = crawl.with_columns(path=pl.col("url").str.extract("://[^/]+(.*)"))
        rows.append(parts.select("ip", "fingerprint", "length", "path").sort(pl.all()))
        assert crawl["url"].str.extract("://([^/]+)").n_unique() == 60
    assert rows[0].equals(rows[1])


def test_names_are_distinct_two_words_each_even_when_words_run_out():
    words = set(readable_names.FIRST), set(readable_names.SECOND)
    assert not words[0] & words[1]
    assert len(words[0]) == len(readable_names.FIRST) and len(words[1]) == len(
        readable_names.SECOND
    )
    many = len(words[0]) * len(words[1]) + 10
    for n in (100, many):
        names = readable_names.brands(3, n)
        assert len(names) == names.n_unique() == n and names.str.contains("^[a-z0-9]+$").all()
    assert readable_names.brands(3, 5).equals(readable_names.brands(3, many)[:5])
