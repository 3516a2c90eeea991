"""Titles and lengths of the generated crawl: parts of the content, kept by copies whose bytes
differ, and no oracle.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from replicadb.synthetic.crawl.draws import mix
from replicadb.synthetic.crawl.generate import PROFILES, generate
from replicadb.synthetic.crawl.hosts import FORKS
from replicadb.synthetic.crawl.lengths import normal
from replicadb.synthetic.crawl.titles import MISSING, USUAL

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def crawls(tmp_path_factory):
    made = {}

    def make(profile: str, honest: bool = True):
        if (profile, honest) not in made:
            rates = replace(PROFILES[profile], honest_lengths=honest)
            result = generate(
                tmp_path_factory.mktemp(profile),
                300 if profile == "paper" else 900,
                profile=rates,
                seed=6,
                links=True,
            )
            pages = (
                pl.read_parquet(result.crawl)
                .filter(pl.col("status") == 200)
                .with_columns(host=pl.col("url").str.extract("://([^/]+)"))
            )
            made[profile, honest] = pages, pl.read_csv(result.gold_csv)
        return made[profile, honest]

    return make


def versions(pages: pl.DataFrame, gold: pl.DataFrame, causes: tuple[str, ...] = ()) -> pl.DataFrame:
    """Pages of copies, and of unrelated hosts (cause null), that stand at one tail and differ:
    cause, ratio of lengths, same title.
    """
    html = (
        pages.filter(pl.col("mime") == "text/html")
        .with_columns(tail=pl.col("url").str.extract("([^/]*/?)$"))
        .filter(pl.col("tail").str.len_chars() > 3)
    )
    once = html.filter(pl.len().over("host", "tail") == 1, pl.len().over("tail") < 30)
    both = once.join(once, on="tail", suffix="_b").filter(
        pl.col("host") < pl.col("host_b"), pl.col("fingerprint") != pl.col("fingerprint_b")
    )
    both = both.join(gold, left_on=["host", "host_b"], right_on=["host_a", "host_b"], how="left")
    found = both.select(
        "cause",
        ratio=(pl.col("length") / pl.col("length_b")).log().abs(),
        same=pl.col("title") == pl.col("title_b"),
        host="host",
        host_b="host_b",
    )
    return found.filter(pl.col("cause").is_in(causes)) if causes else found


def sharing(pages: pl.DataFrame) -> pl.DataFrame:
    """Pairs of hosts with a content in common that fewer than thirty have: host, host_b."""
    held = pages.select("host", "fingerprint").unique().filter(pl.len().over("fingerprint") < 30)
    return held.join(held, on="fingerprint", suffix="_b").select("host", "host_b").unique()


@pytest.mark.parametrize("profile", ["ordinary", "themes", "parked", "paper"])
def test_equal_content_has_equal_length_and_title(crawls, profile):
    each = (
        crawls(profile)[0]
        .group_by("fingerprint")
        .agg(pl.col("length").n_unique(), pl.col("title").fill_null("?").n_unique())
    )
    assert each["length"].max() == each["title"].max() == 1


def test_only_pages_have_titles_and_nearly_all_of_them(crawls):
    pages, _ = crawls("themes")
    html = pages["mime"] == "text/html"
    assert pages.filter(~html)["title"].null_count() == (~html).sum()
    assert 0.01 < pages.filter(html)["title"].is_null().mean() < 0.06
    titles = pages["title"].drop_nulls()
    assert (
        (titles == titles.str.strip_chars()).all()
        and titles.str.len_chars().min() > 0
        and not titles.str.contains("  ").any()
    )


def test_versions_of_a_page_keep_its_length_and_title_and_different_pages_do_not(crawls):
    pages, gold = crawls("ordinary")
    found = versions(pages, gold)
    copies, others = (
        found.filter(pl.col("cause").is_in(["www", "suffix", "load-balanced"])),
        found.filter(pl.col("cause").is_null()),
    )
    unrelated = others.join(
        sharing(pages), on=["host", "host_b"], how="anti"
    )  # who share content may have versions of a network's page
    assert (
        (copies["ratio"] < 0.01).mean() > 0.8
        and 0.25 < (copies["ratio"] == 0).mean() < 0.6
        and copies["same"].mean() > 0.85
    )
    assert (copies["ratio"] > 0.03).sum() > 0
    assert 0.02 < (unrelated["ratio"] < 0.03).mean() < 0.2 and 0.03 < others["same"].mean() < 0.3


def test_renamed_copies_put_their_own_name_in_and_keep_the_rest(crawls):
    found = versions(*crawls("ordinary"))
    shares = (
        found.filter(pl.col("cause").is_in(["farm", "franchise", "clone"]))
        .group_by("host", "host_b")
        .agg(pl.len(), pl.col("same").mean())
        .filter(pl.col("len") >= 5)["same"]
    )
    assert 0.1 < (shares < 0.2).mean() < 0.9 and (shares > 0.8).sum() > 0


def test_another_markup_moves_lengths_a_few_per_cent_and_leaves_titles(crawls):
    found = versions(*crawls("themes"), causes=("reformatted",))
    assert len(found) > 100 and (found["ratio"] == 0).mean() < 0.1
    assert (found["ratio"] < 0.1).mean() > 0.8 and found["same"].mean() > 0.6


def test_translations_have_other_lengths_and_titles_mostly(tmp_path):
    rates = replace(PROFILES["themes"], translation=0.6, started_from=0.0, template=0.0)
    result = generate(tmp_path, 400, profile=rates, seed=2, links=True)
    pages = (
        pl.read_parquet(result.crawl)
        .filter(pl.col("status") == 200)
        .with_columns(host=pl.col("url").str.extract("://([^/]+)"))
    )
    found = versions(pages, pl.read_csv(result.gold_csv))
    apart = found.filter(pl.col("cause").is_null())
    pairs = (
        apart.group_by("host", "host_b")
        .agg(pl.len(), pl.col("same").mean(), pl.col("ratio").median())
        .filter(pl.col("len") >= 8)
    )
    assert (
        len(pairs) > 20
        and 0.5 < (pairs["same"] < 0.05).mean() < 0.95
        and (pairs["same"] > 0.8).mean() < 0.1
    )  # those have one title for all pages
    assert 0.08 < pairs["ratio"].median() < 0.35


def test_some_titles_are_on_many_hosts_and_some_hosts_have_one_title(crawls):
    pages, _ = crawls("ordinary")
    titled = pages.filter(pl.col("title").is_not_null())
    hosts = dict(titled.group_by("title").agg(pl.col("host").n_unique()).iter_rows())
    assert max(hosts[title] for title in USUAL) > 50 and any(
        hosts.get(title, 0) > 3 for title in MISSING
    )
    each = (
        titled.group_by("host").agg(pl.len(), pl.col("title").n_unique()).filter(pl.col("len") > 20)
    )
    assert 0.01 < (each["title"] <= 3).mean() < 0.15
    assert (each["title"] / each["len"]).median() > 0.5


def test_parked_pages_of_a_lot_have_one_title(crawls):
    pages, _ = crawls("parked")
    homes = pages.filter(
        pl.col("url").str.count_matches("/") == 3, pl.col("url").str.ends_with("/")
    )
    lots = (
        homes.group_by("fingerprint")
        .agg(pl.col("host").n_unique(), pl.col("title").first())
        .filter(pl.col("host") > 12)
    )
    assert len(lots) >= 3 and lots["title"].null_count() < len(lots)


def test_lengths_can_say_nothing_beyond_the_content_and_all_else_stays(crawls):
    plain, gold = crawls("ordinary", honest=False)
    honest, _ = crawls("ordinary")
    assert plain.drop("length").equals(honest.drop("length"))
    found = versions(plain, gold)
    assert (found.filter(pl.col("cause").is_not_null())["ratio"] < 0.03).mean() < 0.1


def test_lengths_are_spread_as_pages_are(crawls):
    lengths = crawls("ordinary")[0]["length"]
    assert (
        lengths.min() > 300
        and lengths.quantile(0.1) < 1_200
        and lengths.quantile(0.9) > 10_000
        and lengths.max() < 60_000
    )


def test_normal_is_standard_normal():
    z = normal(mix(np.arange(200_000), 1))
    assert (
        abs(z.mean()) < 0.01
        and abs(z.std() - 0.99) < 0.01
        and abs((z < -1).mean() - 0.1587) < 0.005
    )


def test_forks_hardly_rename(crawls):
    found = versions(*crawls("themes"), causes=FORKS)
    assert found["same"].mean() > 0.6


@pytest.mark.parametrize("fmt", ["parquet", "csv"])
def test_the_same_seed_gives_the_same_bytes(tmp_path, fmt):
    made = [
        generate(
            tmp_path / name, 120, profile="themes", seed=4, links=True, fmt=fmt
        ).crawl.read_bytes()
        for name in "ab"
    ]
    assert made[0] == made[1]
