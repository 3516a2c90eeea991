"""url_gold.csv of generated crawls: every further URL of a page, of its host, with its content,
once.
"""

from __future__ import annotations

import polars as pl
import pytest

import replicadb
from replicadb.evaluation.rule_reduction import EPSILONS, RuleReduction
from replicadb.evaluation.scratch import Scratch
from replicadb.synthetic.crawl import generate
from replicadb.synthetic.crawl.paths import VARIED

pytestmark = pytest.mark.slow


def read(made) -> tuple[pl.DataFrame, pl.DataFrame]:
    return pl.read_parquet(made.crawl), pl.read_csv(made.url_gold)


@pytest.fixture(
    scope="module",
    params=[("ordinary", True), ("paper", False), ("erring", False)],
    ids=lambda param: param[0],
)
def planted(request, tmp_path_factory):
    """A small crawl of a profile, the first with links (which only add to it: test_titles.py)."""
    profile, links = request.param
    folder = tmp_path_factory.mktemp(profile)
    return generate.generate(folder, 80, urls=2_000, seed=3, profile=profile, links=links)


def test_planted_urls_are_in_the_crawl_with_the_page_that_they_repeat(planted):
    crawl, gold = read(planted)
    assert (
        gold.columns == ["further_url", "duplicate_of", "kind"]
        and len(gold) == planted.further_urls > 50
    )
    assert gold["further_url"].n_unique() == len(gold) and set(gold["kind"].unique()) == set(VARIED)
    digest = dict(crawl.select("url", "fingerprint").iter_rows())
    assert all(
        digest[url] == digest[page] and url != page and url.split("/")[:3] == page.split("/")[:3]
        for url, page, _ in gold.iter_rows()
    )
    assert not set(gold["further_url"]) & set(gold["duplicate_of"])


def test_kinds_say_how_the_url_was_made(planted):
    _, gold = read(planted)
    says = {
        "session": lambda u, p: u.rpartition("=")[2].isdigit() and len(u) > len(p),
        "tracking": lambda u, p: u[-2] == "=" and u[-1] in "01234",
        "print": lambda u, p: u.endswith("=1"),
        "slash": lambda u, p: u == p + "/",
        "index": lambda u, p: u.startswith(p + "index."),
        "order": lambda u, p: sorted(u) == sorted(p),
    }
    assert all(says[kind](url, page) for url, page, kind in gold.iter_rows())


def test_pieces_make_one_file_with_one_header(tmp_path, monkeypatch):
    monkeypatch.setattr(generate, "ROWS_AT_A_TIME", 500)
    crawl, gold = read(generate.generate(tmp_path, 50, urls=2_000, seed=2))
    assert (
        gold["further_url"].n_unique() == len(gold) > 50
        and set(gold["further_url"]) <= set(crawl["url"])
        and "kind" not in set(gold["kind"])
    )


def test_static_sites_have_none_but_the_header(tmp_path):
    made = generate.generate(tmp_path, 50, seed=2, profile="themes")
    assert made.further_urls == 0 and made.url_gold.read_text() == "further_url,duplicate_of,kind\n"


def test_rules_of_profile_erring_err_and_those_of_paper_do_not(tmp_path):
    """So that the share of errors that one allows matters, as in the paper's Table 3."""
    removed = {}
    for profile in ("paper", "erring"):
        made = generate.generate(tmp_path / profile, 60, 2_000, profile, seed=3)
        with replicadb.open(tmp_path / f"{profile}.duckdb", threads=1) as web:
            web.load(made.crawl)
            with Scratch(web.database) as scratch:
                scratch.detect_until_features()
                n_ids = scratch.value("SELECT max(host_id) + 1 FROM hosts")
                removed[profile] = [
                    int(RuleReduction.of(scratch, n_ids, epsilon).removed.sum())
                    for epsilon in EPSILONS
                ]
    assert removed["paper"][0] == removed["paper"][1] > 100
    assert removed["erring"][1] > 1.5 * removed["erring"][0] > 100
