"""Titles, lengths and links of the generated crawl: parts of the content, kept by copies whose
bytes differ; added to it, not changing it; and no oracle.

Tries lengths and synthetic_links, too.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest

from replicadb.synthetic.crawl.draws import mix
from replicadb.synthetic.crawl.generate import PROFILES, generate
from replicadb.synthetic.crawl.hosts import FORKS
from replicadb.synthetic.crawl.lengths import normal
from replicadb.synthetic.crawl.synthetic_links import joined
from replicadb.synthetic.crawl.titles import MISSING, USUAL

pytestmark = pytest.mark.slow

ORDINARY = PROFILES["ordinary"]


BASE = ["url", "ip", "fingerprint", "timestamp", "status", "mime", "length"]
HOST = "^https?://([^/]+)"
HOSTS = {"ordinary": 750, "themes": 900, "parked": 450, "paper": 50}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The crawl of a profile with its links, and gold."""
    made = {}

    def make(profile: str):
        if profile not in made:
            folder = tmp_path_factory.mktemp(profile)
            made[profile] = made_with_links(folder, HOSTS[profile], profile)[:2]
        return made[profile]

    return make


def made_with_links(folder, hosts: int, profile):
    """The crawl, gold, and what generate says of them."""
    result = generate(folder, hosts, profile=profile, seed=6, links=True)
    return pl.read_parquet(result.crawl), pl.read_csv(result.gold_csv), result


@pytest.fixture(scope="module")
def crawls(whole):
    """The pages of a profile's crawl with their hosts, and gold."""
    return lambda profile: (fetched(whole(profile)[0]), whole(profile)[1])


def fetched(crawl: pl.DataFrame) -> pl.DataFrame:
    host = pl.col("url").str.extract("://([^/]+)")
    return crawl.filter(pl.col("status") == 200).with_columns(host=host)


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
    result = generate(tmp_path, 250, profile=rates, seed=2, links=True)
    found = versions(fetched(pl.read_parquet(result.crawl)), pl.read_csv(result.gold_csv))
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


def test_lengths_can_say_nothing_beyond_the_content_and_all_else_stays(tmp_path):
    (plain, gold, _), (honest, _, _) = (
        made_with_links(tmp_path / str(honest), 80, replace(ORDINARY, honest_lengths=honest))
        for honest in (False, True)
    )
    assert plain.drop("length").equals(honest.drop("length"))
    found = versions(fetched(plain), gold).filter(pl.col("cause").is_not_null())
    assert len(found) > 100 and (found["ratio"] < 0.03).mean() < 0.1


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


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    made = [
        generate(tmp_path / name, 30, profile="themes", seed=4, links=True).crawl.read_bytes()
        for name in "ab"
    ]
    assert made[0] == made[1]


# -- links
# -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def links_of(whole):
    """host, to, target of each out-link of a profile's crawl."""
    return cache(lambda profile: one_by_one(whole(profile)[0]))


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


def test_links_only_add_to_the_crawl(tmp_path):
    linked, gold, result = made_with_links(tmp_path / "linked", 30, "themes")
    plain = generate(tmp_path / "plain", 30, profile="themes", seed=6)
    assert linked.columns == [*BASE, "links", "canonical", "title", "redirect"]
    assert linked.filter(pl.col("status") == 200).select(BASE).equals(pl.read_parquet(plain.crawl))
    assert (
        gold.equals(pl.read_csv(plain.gold_csv))
        and result.urls == len(linked) == linked["url"].n_unique()
    )


def test_only_pages_have_links_and_only_redirects_lead_elsewhere(whole):
    linked, _ = whole("themes")
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


def test_internal_links_lead_to_pages_of_the_site(whole, links_of):
    linked, _ = whole("ordinary")
    links = links_of("ordinary")
    inside = links.filter(pl.col("host") == pl.col("to"))
    assert 0.4 < len(inside) / len(links) < 0.7
    assert inside["target"].is_in(linked["url"].implode()).mean() > 0.8


def test_copies_share_the_links_of_their_text_and_unrelated_hosts_hardly_any(whole, links_of):
    _, gold = whole("ordinary")
    links = (
        links_of("ordinary")
        .filter(pl.col("host") != pl.col("to"))
        .select("host", "target")
        .unique()
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


def test_popular_targets_are_heavy_tailed(links_of):
    counts = (
        links_of("ordinary")
        .filter(pl.col("host") != pl.col("to"))
        .group_by("to")
        .agg(pl.col("host").n_unique())["host"]
        .sort()
    )
    assert counts[-1] > 100 and counts.median() <= 2


def test_canonical_links_name_the_page_itself_mostly_and_at_times_an_unrelated_host(whole):
    linked, gold = whole("ordinary")
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


def test_redirects_join_copies_and_unrelated_hosts(whole):
    linked, gold = whole("ordinary")
    redirects = linked.filter(pl.col("redirect").is_not_null()).select(
        a=pl.col("url").str.extract(HOST), b=pl.col("redirect").str.extract(HOST)
    )
    pairs = {frozenset(pair) for pair in redirects.filter(pl.col("a") != pl.col("b")).iter_rows()}
    replicas = {frozenset(pair[:2]) for pair in gold.iter_rows()}
    assert len(pairs & replicas) >= 3 and len(pairs - replicas) >= 10


def test_reformatted_pages_keep_their_links_and_translations_keep_some(whole, links_of):
    linked, gold = whole("themes")
    pages = linked.filter(pl.col("mime") == "text/html").with_columns(
        host=pl.col("url").str.extract(HOST)
    )
    outside = (
        links_of("themes").filter(pl.col("host") != pl.col("to")).group_by("host").agg("target")
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
