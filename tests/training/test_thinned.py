"""Crawls made thin lose what a thin crawl lacks and nothing else; a seed draws the same again."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from training import pair_tables, thinned

CRAWL = pl.DataFrame(
    {
        "url": [f"http://h{host}.net/{'d/' * (n % 4)}{n}" for host in range(30) for n in range(60)],
        "fingerprint": [
            f"f{host % 7}-{n}" if n % 10 else None for host in range(30) for n in range(60)
        ],
    }
)


def made(kind: str, seed: int = 1) -> pl.DataFrame:
    return thinned.KINDS[kind](CRAWL, np.random.default_rng(seed))


def by_host(captures: pl.DataFrame) -> pl.Series:
    return captures.group_by(pl.col("url").str.extract(thinned.HOST, 1)).len()["len"]


@pytest.mark.parametrize("kind", thinned.KINDS)
def test_a_seed_draws_the_same_and_no_column_comes_or_goes(kind):
    assert made(kind).equals(made(kind)) and made(kind).columns == CRAWL.columns


@pytest.mark.parametrize("kind", ["shallow", "sampled", "home"])
def test_what_is_left_is_of_the_crawl(kind):
    left = made(kind)
    assert 0 < len(left) < len(CRAWL)
    assert len(left.join(CRAWL, on=CRAWL.columns, how="anti", nulls_equal=True)) == 0


def test_shallow_leaves_a_few_urls_a_host_and_home_the_shortest():
    assert by_host(made("shallow")).max() < 30 and by_host(made("home")).max() <= 3
    longest = made("home")["url"].str.len_chars().max()
    assert longest <= len("http://h29.net/44")


def test_noise_spares_unknown_contents_and_makes_no_two_alike():
    noisy = made("noisy")
    assert noisy["url"].equals(CRAWL["url"])
    assert noisy["fingerprint"].null_count() == CRAWL["fingerprint"].null_count()
    changed = noisy["fingerprint"].filter(noisy["fingerprint"].ne_missing(CRAWL["fingerprint"]))
    assert len(changed) > 100 and changed.n_unique() == len(changed)


def test_more_than_half_of_the_crawls_have_a_thin_twin_and_always_the_same():
    kinds = [pair_tables.twin_of("author_b", "plain", n) for n in range(500)]
    assert kinds == [pair_tables.twin_of("author_b", "plain", n) for n in range(500)]
    assert 0.5 < sum(kind is not None for kind in kinds) / 500 < 0.7
    assert {*kinds} == {None, *thinned.KINDS}
