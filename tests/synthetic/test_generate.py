"""The generated crawl: what is promised of it holds, and it is hard for the right reasons.

Tries crawl_file, draws, frames, hosts, lengths, link_targets, paths, profiles, pseudo_names,
redirects, sites, visits and web, too.
"""

import hashlib
import os
import subprocess
import sys
from dataclasses import fields, replace

import duckdb
import numpy as np
import polars as pl
import pytest
from evaluation.reference import candidate_table, tpr_at_fpr

from replicadb.errors import UsageError
from replicadb.evaluation.normpaths import normpaths
from replicadb.synthetic.crawl.draws import group_sizes, hex40, mix, unit
from replicadb.synthetic.crawl.generate import PROFILES, generate
from replicadb.synthetic.crawl.hosts import CAUSES, FORKS
from replicadb.synthetic.crawl.pseudo_names import SUFFIXES

pytestmark = pytest.mark.slow

CAUSES_OF_PAIRS = set(CAUSES) - {""}
HOSTS = 200
"""Of a crawl of which nothing is counted."""


@pytest.fixture(scope="module")
def crawls(tmp_path_factory):
    made = {}

    def make(profile: str, hosts: int = HOSTS, seed: int = 1):
        if (profile, hosts, seed) not in made:
            made[profile, hosts, seed] = generate(
                tmp_path_factory.mktemp(profile), hosts, profile=profile, seed=seed
            )
        return made[profile, hosts, seed]

    return make


@pytest.fixture(scope="module")
def paired(crawls):
    """A connection with the tables crawl_pages and crawl_pairs of a crawl."""
    made = {}

    def make(profile: str, hosts: int = HOSTS):
        if (profile, hosts) not in made:
            made[profile, hosts] = duckdb.connect()
            candidate_table(made[profile, hosts], crawls(profile, hosts).crawl)
        return made[profile, hosts]

    return make


def digests(result):
    return [
        hashlib.sha256(p.read_bytes()).hexdigest()
        for p in (result.crawl, result.hosts_csv, result.gold_csv)
    ]


def obvious_pairs(hosts):
    """Pairs of names that are www and non-www, or that differ in the suffix alone."""
    ends = "|".join(s.replace(".", r"\.") for s in sorted(SUFFIXES, key=len, reverse=True))
    frame = pl.DataFrame({"host": hosts}).with_columns(
        bare=pl.col("host").str.strip_prefix("www."), www=pl.col("host").str.starts_with("www.")
    )
    frame = frame.with_columns(stem=pl.col("host").str.replace(rf"\.({ends})$", ""))
    www = frame.join(frame, on="bare", suffix="_b").filter(pl.col("host") < pl.col("host_b"))
    suffix = frame.join(frame, on="stem", suffix="_b").filter(pl.col("host") < pl.col("host_b"))
    return set(www.select("host", "host_b").iter_rows()) | set(
        suffix.select("host", "host_b").iter_rows()
    )


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_keeps_the_promises_of_its_files(crawls, profile):
    result = crawls(profile)
    crawl, gold, addresses = (
        pl.read_parquet(result.crawl),
        pl.read_csv(result.gold_csv),
        pl.read_csv(result.hosts_csv),
    )
    assert crawl.columns == ["url", "ip", "fingerprint", "timestamp", "status", "mime", "length"]
    host = crawl["url"].str.extract("^https?://([a-z0-9.-]+)/")
    assert (host.null_count(), host.n_unique(), result.hosts) == (0, HOSTS, HOSTS)
    assert result.urls == len(crawl) == crawl["url"].n_unique()
    assert crawl["fingerprint"].str.contains("^[0-9a-f]{40}$").all()
    assert crawl["timestamp"].is_sorted()
    assert addresses.columns == ["host", "ip"] and set(addresses["host"]) <= set(host)
    assert addresses["ip"].str.contains(r"^(\d{1,3}\.){3}\d{1,3}$").all()
    assert (
        gold.columns == ["host_a", "host_b", "cause", "label"]
        and (gold["host_a"] < gold["host_b"]).all()
    )
    assert set(gold["host_a"]) | set(gold["host_b"]) <= set(host)
    assert (
        set(gold["cause"]) <= CAUSES_OF_PAIRS
        and len(gold) == result.replica_pairs
        and ((gold["label"] == "near-replica") == (gold["cause"] == "version")).all()
    )


def test_gold_holds_all_pairs_of_each_group(crawls):
    gold = pl.read_csv(crawls("ordinary", 1200).gold_csv)
    partners = {}
    for a, b, *_ in gold.iter_rows():
        partners.setdefault(a, {a}).add(b)
        partners.setdefault(b, {b}).add(a)
    assert all(partners[a] == partners[b] for a, b, *_ in gold.iter_rows())
    assert set(gold["cause"]) == CAUSES_OF_PAIRS - set(FORKS)


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_threads(tmp_path, crawls):
    code = (
        "import sys; from replicadb.synthetic.crawl.generate import generate;"
        f" generate(sys.argv[1], {HOSTS}, profile='demo', seed=1)"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        check=True,
        env={**os.environ, "POLARS_MAX_THREADS": "3", "OMP_NUM_THREADS": "3"},
    )
    files = [
        hashlib.sha256((tmp_path / f).read_bytes()).hexdigest()
        for f in ("crawl.parquet", "hosts.csv", "gold.csv")
    ]
    assert pl.thread_pool_size() != 3 and files == digests(crawls("demo"))


def test_another_seed_gives_another_crawl(tmp_path, crawls):
    other = generate(tmp_path, HOSTS, profile="demo", seed=2)
    assert all(a != b for a, b in zip(digests(crawls("demo")), digests(other), strict=True))


def test_csv_and_parquet_hold_the_same_rows(tmp_path):
    a, b = generate(tmp_path / "a", 100, seed=3), generate(tmp_path / "b", 100, seed=3, fmt="csv")
    rows = pl.read_csv(b.crawl, schema_overrides={"fingerprint": pl.String})
    assert (
        pl.read_parquet(a.crawl)
        .select("url", "ip", "fingerprint", "length")
        .cast(pl.String)
        .equals(rows.select("url", "ip", "fingerprint", "length").cast(pl.String))
    )


@pytest.mark.parametrize("urls", [2_000, 40_000])
def test_the_number_of_urls_can_be_asked_for(tmp_path, urls):
    assert generate(tmp_path, HOSTS, urls=urls).urls == pytest.approx(urls, rel=0.15)


def test_few_obvious_pairs_are_at_most_thirty_however_large(crawls):
    result = crawls("few-obvious", 600)
    names = pl.read_parquet(result.crawl)["url"].str.extract("://([^/]+)").unique().to_list()
    assert 10 <= len(obvious_pairs(names)) <= 30


def test_some_obvious_looking_pairs_are_different_sites_that_share_a_page(crawls, paired):
    result, con = crawls("ordinary", 1200), paired("ordinary", 1200)
    gold = set(pl.read_csv(result.gold_csv).select("host_a", "host_b").iter_rows())
    candidates = {(a, b) for a, b, _ in con.execute("FROM crawl_pairs").fetchall()}
    names = [h for (h,) in con.execute("SELECT DISTINCT host FROM crawl_pages").fetchall()]
    obvious = obvious_pairs(names) & candidates
    assert 0.01 < len(obvious - gold) / len(obvious) < 0.15


def test_parked_hosts_share_one_page_in_large_groups(paired):
    largest = paired("parked").execute(
        "SELECT max(n) FROM (SELECT count(DISTINCT host) n FROM crawl_pages WHERE path = '/' GROUP"
        " BY fingerprint)"
    )
    assert largest.fetchall()[0][0] >= 20


def test_shared_hosting_puts_unrelated_sites_on_one_address(crawls):
    sizes = pl.read_csv(crawls("shared-hosting").hosts_csv)["ip"].value_counts()["count"]
    assert sizes.max() >= 50


def test_sparse_crawls_see_less_of_large_sites(crawls, paired):
    def mean_overlap(profile):
        con = paired(profile, 1200)
        con.register("gold", pl.read_csv(crawls(profile, 1200).gold_csv).to_arrow())
        return con.execute(
            """WITH n AS (SELECT host, count(DISTINCT path) AS n FROM crawl_pages GROUP BY host)
            SELECT avg(shared / least(a.n, b.n)) FROM gold JOIN crawl_pairs USING (host_a, host_b)
            JOIN n AS a ON a.host = host_a JOIN n AS b ON b.host = host_b WHERE least(a.n,
                b.n) > 10"""
        ).fetchall()[0][0]

    assert mean_overlap("sparse") < mean_overlap("ordinary")


def test_a_hosts_own_duplicates_are_there(paired):
    groups = paired("ordinary").execute(
        "SELECT count(*) FROM (SELECT 1 FROM crawl_pages GROUP BY host, fingerprint HAVING count(*)"
        " > 1)"
    )
    assert groups.fetchall()[0][0] > 200


def fullpath(con) -> pl.DataFrame:
    """Cosine of path vectors, docs/method.md#fullpath, of the candidate pairs."""
    con.execute("""CREATE OR REPLACE TEMP TABLE paths AS
        WITH held AS (SELECT DISTINCT host, path FROM crawl_pages),
        df AS (SELECT path, count(*) AS df FROM held GROUP BY path HAVING count(*) <= 100)
        SELECT host, path, 1 + ln(max(df) OVER () / df) AS w FROM held JOIN df USING (path)""")
    return pl.from_arrow(
        con.sql("""
        WITH norm AS (SELECT host, sqrt(sum(w * w)) AS norm FROM paths GROUP BY host),
        dot AS (SELECT host_a, host_b, sum(a.w * b.w) AS dot FROM crawl_pairs
                JOIN paths AS a ON a.host = host_a JOIN paths AS b ON b.host = host_b
                AND a.path = b.path GROUP BY ALL)
        SELECT host_a, host_b, coalesce(dot / (a.norm * b.norm), 0) AS fullpath FROM crawl_pairs
        LEFT JOIN dot USING (host_a, host_b) LEFT JOIN norm AS a ON a.host = host_a
        LEFT JOIN norm AS b ON b.host = host_b
        ORDER BY host_a, host_b""").to_arrow_table()
    )


@pytest.mark.parametrize("profile", ["ordinary", "sparse"])
def test_simple_scores_do_not_find_the_replicas(crawls, paired, profile):
    result, con = crawls(profile, 1200), paired(profile, 1200)
    gold = pl.read_csv(result.gold_csv)
    scored = fullpath(con).join(
        pl.from_arrow(normpaths(con, "crawl_pages", "crawl_pairs")), on=["host_a", "host_b"]
    )
    scored = scored.join(gold, on=["host_a", "host_b"], how="left")
    labels = scored["cause"].is_not_null().to_numpy()
    assert len(labels) > 8_000 and 0.01 < labels.mean() < 0.06
    assert labels.sum() > 0.85 * len(gold)
    assert tpr_at_fpr(scored["normpaths"].to_numpy(), labels, 0.001) <= 0.3
    assert tpr_at_fpr(scored["fullpath"].to_numpy(), labels, 0.001) <= 0.8


def test_a_profile_of_ones_own_is_taken(tmp_path):
    tame = replace(
        PROFILES["ordinary"],
        template=0.0,
        affiliate=0.0,
        syndicated=0.0,
        scripts=0.0,
        parked=0.0,
        noisy_obvious=0.0,
    )
    result = generate(tmp_path, HOSTS, profile=tame)
    con = duckdb.connect()
    candidate_table(con, result.crawl)
    gold = set(pl.read_csv(result.gold_csv).select("host_a", "host_b").iter_rows())
    unrelated = {(a, b) for a, b, _ in con.execute("FROM crawl_pairs").fetchall()} - gold
    assert len(unrelated) <= 2  # the twins, of which there are always a few
    assert all(f.name in type(tame).__dataclass_fields__ for f in fields(tame))


@pytest.mark.parametrize("call", [{"profile": "odd"}, {"fmt": "xml"}, {"hosts": 3}])
def test_what_cannot_be_generated_is_refused(tmp_path, call):
    with pytest.raises(UsageError):
        generate(tmp_path, **{"hosts": 50, **call})


def test_draws_are_functions_of_their_arguments():
    h = mix(7, np.arange(10_000))
    assert (h[5000:] == mix(7, np.arange(5000, 10_000))).all()
    assert abs(unit(h).mean() - 0.5) < 0.02 and len(np.unique(hex40(h))) == 10_000
    sizes = group_sizes(np.random.default_rng(0), 1000, 3, 40)
    assert sizes.sum() <= 1000 and sizes.min() >= 3 and sizes.max() <= 40
