"""Links of the generated crawl: added to it, not changing it; as such sites have them;
no oracle.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from replicadb.synthetic.crawl.generate import generate
from replicadb.synthetic.crawl.synthetic_links import joined

pytestmark = pytest.mark.slow

BASE = ["url", "ip", "fingerprint", "timestamp", "status", "mime", "length"]
HOST = "^https?://([^/]+)"


@pytest.fixture(scope="module")
def crawls(tmp_path_factory):
    made = {}

    def make(profile: str):
        if profile not in made:
            made[profile] = made_with_links(tmp_path_factory.mktemp(profile), 700, profile)
        return made[profile]

    return make


def made_with_links(folder, hosts: int, profile: str):
    """The crawl, gold, and what generate says of them."""
    result = generate(folder, hosts, profile=profile, seed=6, links=True)
    return pl.read_parquet(result.crawl), pl.read_csv(result.gold_csv), result


def one_by_one(crawl: pl.DataFrame) -> pl.DataFrame:
    """host, to, target: each out-link."""
    return (
        crawl.filter(pl.col("links").is_not_null())
        .select(
            pl.col("url").str.extract(HOST).alias("host"),
            "url",
            target=pl.col("links").str.json_decode(pl.List(pl.String)),
        )
        .explode("target")
        .drop_nulls()
        .with_columns(to=pl.col("target").str.extract(HOST))
    )


@pytest.mark.parametrize("profile", ["ordinary", "themes", "parked"])
def test_links_only_add_to_the_crawl(tmp_path, profile):
    linked, gold, result = made_with_links(tmp_path / "linked", 200, profile)
    plain = generate(tmp_path / "plain", 200, profile=profile, seed=6)
    assert linked.columns == [*BASE, "links", "canonical", "title", "redirect"]
    assert linked.filter(pl.col("status") == 200).select(BASE).equals(pl.read_parquet(plain.crawl))
    assert (
        gold.equals(pl.read_csv(plain.gold_csv))
        and result.urls == len(linked) == linked["url"].n_unique()
    )


def test_only_pages_have_links_and_only_redirects_lead_elsewhere(crawls):
    linked, _, _ = crawls("themes")
    page = (linked["mime"] == "text/html").fill_null(False)
    assert (linked["links"].is_not_null() == page).all() and linked.filter(~page)[
        "canonical"
    ].null_count() == (~page).sum()
    redirects = linked.filter(pl.col("status") != 200)
    assert set(redirects["status"]) == {301, 302} and redirects["fingerprint"].null_count() == len(
        redirects
    )
    assert redirects["redirect"].null_count() == 0 and linked["redirect"].null_count() == len(
        linked
    ) - len(redirects)


def test_internal_links_lead_to_pages_of_the_site(crawls):
    for profile, least in (("ordinary", 0.8), ("themes", 0.9)):
        linked, _, _ = crawls(profile)
        links = one_by_one(linked)
        inside = links.filter(pl.col("host") == pl.col("to"))
        assert 0.4 < len(inside) / len(links) < 0.7
        assert inside["target"].is_in(linked["url"].implode()).mean() > least


def test_copies_share_the_links_of_their_text_and_unrelated_hosts_hardly_any(crawls):
    linked, gold, _ = crawls("ordinary")
    links = (
        one_by_one(linked).filter(pl.col("host") != pl.col("to")).select("host", "target").unique()
    )
    links = links.filter(pl.len().over("target") <= 20)
    sets = dict(links.group_by("host").agg("target").iter_rows())
    sets = {host: set(targets) for host, targets in sets.items() if len(targets) > 20}
    overlap = lambda a, b: len(sets[a] & sets[b]) / min(len(sets[a]), len(sets[b]))
    copies = [overlap(a, b) for a, b, *_ in gold.iter_rows() if a in sets and b in sets]
    hosts = sorted(sets)
    rng = np.random.default_rng(0)
    unrelated = [
        overlap(hosts[i], hosts[j]) for i, j in rng.integers(0, len(hosts), (500, 2)) if i != j
    ]
    assert np.median(copies) > 0.4 and np.median(unrelated) < 0.05


def test_popular_targets_are_heavy_tailed(crawls):
    counts = (
        one_by_one(crawls("ordinary")[0])
        .filter(pl.col("host") != pl.col("to"))
        .group_by("to")
        .agg(pl.col("host").n_unique())["host"]
        .sort()
    )
    assert counts[-1] > 100 and counts.median() <= 2


def test_canonical_links_name_the_page_itself_mostly_and_at_times_an_unrelated_host(crawls):
    linked, gold, _ = crawls("ordinary")
    canonical = linked.filter(pl.col("canonical").is_not_null()).with_columns(
        host=pl.col("url").str.extract(HOST), to=pl.col("canonical").str.extract(HOST)
    )
    assert 0.3 < len(canonical) / len(linked) < 0.7
    assert (canonical["url"] == canonical["canonical"]).mean() > 0.8
    pairs = {
        frozenset(pair)
        for pair in canonical.filter(pl.col("host") != pl.col("to"))
        .select("host", "to")
        .iter_rows()
    }
    replicas = {frozenset(pair[:2]) for pair in gold.iter_rows()}
    assert len(pairs & replicas) >= 5 and len(pairs - replicas) >= 4


def test_redirects_join_copies_and_unrelated_hosts(crawls):
    linked, gold, _ = crawls("ordinary")
    redirects = linked.filter(pl.col("redirect").is_not_null()).select(
        a=pl.col("url").str.extract(HOST), b=pl.col("redirect").str.extract(HOST)
    )
    pairs = {frozenset(pair) for pair in redirects.filter(pl.col("a") != pl.col("b")).iter_rows()}
    replicas = {frozenset(pair[:2]) for pair in gold.iter_rows()}
    assert len(pairs & replicas) >= 3 and len(pairs - replicas) >= 10


def test_reformatted_pages_keep_their_links_and_translations_keep_some(crawls):
    linked, gold, _ = crawls("themes")
    pages = linked.filter(pl.col("mime") == "text/html").with_columns(
        host=pl.col("url").str.extract(HOST)
    )
    outside = (
        one_by_one(linked).filter(pl.col("host") != pl.col("to")).group_by("host").agg("target")
    )
    sets = {host: set(targets) for host, targets in outside.iter_rows()}
    content = {
        host: set(prints) for host, prints in pages.group_by("host").agg("fingerprint").iter_rows()
    }
    pairs = [(a, b) for a, b, cause, _ in gold.iter_rows() if cause == "reformatted"]
    assert pairs and all(not content[a] & content[b] for a, b in pairs)
    # A copy may name the original in its internal links, which then count as links outside.
    assert (
        np.median([len(sets[a] & sets[b]) / min(len(sets[a]), len(sets[b])) for a, b in pairs])
        > 0.7
    )


def test_joined_is_the_plain_loop():
    rng = np.random.default_rng(1)
    found = [
        (rng.integers(0, 9, k), pl.Series([f"u{part}-{i}" for i in range(k)], dtype=pl.String))
        for part, k in enumerate((12, 0, 7))
    ]
    expected = [
        ", ".join(
            f'"{u}"' for rows, urls in found for r, u in zip(rows, urls, strict=True) if r == row
        )
        for row in range(10)
    ]
    assert joined(10, found).to_list() == expected
