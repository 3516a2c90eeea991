"""Versions of a site as other years have it (near-replicas), and sites that hardly go beyond their
theme.

Tries themes, too.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from replicadb.synthetic.crawl.generate import PROFILES, generate

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    made = generate(
        tmp_path_factory.mktemp("versions"), 400, profile="versions", seed=8, links=True
    )
    rows = (
        pl.read_parquet(made.crawl)
        .filter(pl.col("status") == 200)
        .with_columns(host=pl.col("url").str.extract("://([^/]+)"))
    )
    return rows.with_columns(page=pl.col("mime") == "text/html"), pl.read_csv(made.gold_csv)


def shared(rows: pl.DataFrame, pairs: pl.DataFrame, column: str, page: bool) -> pl.Series:
    """Per pair the share that both hosts have of what the smaller one has of that column."""
    sets = (
        rows.filter(pl.col("page") == page)
        .drop_nulls(column)
        .group_by("host")
        .agg(pl.col(column).unique())
    )
    both = pairs.join(sets, left_on="host_a", right_on="host").join(
        sets, left_on="host_b", right_on="host", suffix="_b"
    )
    other = pl.col(column + "_b")
    return both.select(
        pl.col(column).list.set_intersection(other).list.len()
        / pl.min_horizontal(pl.col(column).list.len(), other.list.len())
    ).to_series()


def test_a_version_keeps_most_pictures_and_files_some_titles_and_few_pages(crawl):
    rows, gold = crawl
    versions = gold.filter(pl.col("cause") == "version")
    assert len(versions) > 20
    files, pages, titles = (
        shared(rows, versions, *what)
        for what in (("fingerprint", False), ("fingerprint", True), ("title", True))
    )
    assert 0.6 < files.median() < 0.99 and files.min() > 0.1
    assert pages.median() < 0.3 < files.median() - pages.median()
    assert 0.2 < titles.median() < 0.95


def test_what_an_older_version_lacks_the_newer_ones_have(crawl):
    """Of two versions' pictures and files one has fewer, and nearly all of them are among the
    other's.
    """
    rows, gold = crawl
    tails = rows.filter(~pl.col("page")).select(
        "host", "page", tail=pl.col("url").str.extract("([^/]+)$")
    )
    versions = gold.filter(pl.col("cause") == "version")
    n = tails.group_by("host").agg(n=pl.col("tail").n_unique())
    sizes = versions.join(n, left_on="host_a", right_on="host").join(
        n, left_on="host_b", right_on="host", suffix="_b"
    )
    ratio = sizes.select(pl.min_horizontal("n", "n_b") / pl.max_horizontal("n", "n_b")).to_series()
    assert (
        shared(tails, versions, "tail", False).median() > 0.97 > ratio.median()
        and ratio.min() < 0.8
    )


def test_some_sites_hardly_go_beyond_their_theme(tmp_path):
    """A page or three, and not one link of their own: such blogs look alike and are no replicas."""
    pages, links = {}, {}
    for begun in (0.0, 0.9):
        made = generate(
            tmp_path / str(begun),
            250,
            profile=replace(PROFILES["versions"], begun=begun),
            seed=9,
            links=True,
        )
        gold = pl.read_csv(made.gold_csv)
        rows = pl.read_parquet(made.crawl).with_columns(
            host=pl.col("url").str.extract("://([^/]+)")
        )
        single = rows.filter(
            (pl.col("mime") == "text/html")
            & ~pl.col("host").is_in([*gold["host_a"], *gold["host_b"]])
        )
        pages[begun] = single.group_by("host").len()["len"].median()
        targets = single.select(
            "host", pl.col("links").str.json_decode(pl.List(pl.String))
        ).explode("links")
        outside = targets.filter(pl.col("links").str.extract("://([^/]+)") != pl.col("host"))
        links[begun] = outside.group_by("host").agg(pl.col("links").n_unique())["links"].median()
    assert pages[0.9] < 0.85 * pages[0.0] and links[0.9] < 0.85 * links[0.0]


def test_other_profiles_have_neither(tmp_path):
    made = generate(tmp_path, 300, profile="themes", seed=8)
    assert "version" not in pl.read_csv(made.gold_csv)["cause"].to_list()


def test_gold_says_which_pairs_are_near_replicas(crawl):
    _, gold = crawl
    assert gold.filter(pl.col("cause") == "version")["label"].unique().to_list() == ["near-replica"]
    assert gold.filter(pl.col("cause") != "version")["label"].unique().to_list() == ["replica"]
