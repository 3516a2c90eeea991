"""Crawls that are hardly any never break a detection."""

from __future__ import annotations

import shutil

import pytest

import replicadb
from replicadb.errors import DataError

from .crawls import csv_of, opened

pytestmark = pytest.mark.slow

# -- crawls that are hardly any
# --------------------------------------------------------------------------------


ODD = {
    "one URL": ([("http://a.com/", "10.0.0.1", "01")], 1, 0),
    "obvious pairs only": (
        [(f"http://{w}a{i}.com/", "", i + 1) for i in range(4) for w in ("", "www.")],
        8,
        4,
    ),
    "no fingerprints": ([(f"http://h{i}.com/", "10.0.0.1", "") for i in range(5)], 5, 0),
    "the same pages everywhere": (
        [(f"http://h{i}.com/{p}", "10.0.0.1", f"0{p}") for i in range(7) for p in range(4)],
        7,
        21,
    ),
    "one page, a host with one URL": (
        [("http://big.com/" + str(p), "", p) for p in range(30)] + [("http://one.com/", "", "7")],
        2,
        1,
    ),
    "addresses as hosts": (
        [("http://10.0.0.1/", "10.0.0.1", "01"), ("http://[2001:db8::1]/", "2001:db8::1", "01")],
        2,
        1,
    ),
}


OF_ROBUST = ("one page, a host with one URL", "addresses as hosts")
"""The others are much like those of test_evidence.py, where method robust meets them."""


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ODD)
def test_crawls_that_are_hardly_any_are_detected_all_the_same(tmp_path, name):
    rows, hosts, wanted = ODD[name]
    with opened(tmp_path, csv_of(rows)) as web:
        for settings in (
            {"method": "robust" if name in OF_ROBUST else "paper"},
            *[{"candidates": "either"}] * (name == "no fingerprints"),
        ):
            found = web.detect(**settings)
            n = found.counts["candidate_pairs"]
            assert found.counts["hosts"] == hosts and (n == wanted or "candidates" in settings)
            odds = "SELECT count(*) FROM settings WHERE starts_with(name, 'log_odds_')"
            assert (web.database.value(odds) > 0) == (n > 0 and settings.get("method") != "paper")
            assert web.database.value("SELECT count(*) FROM ranking") == n
            replicas = web.replicas()
            assert replicas["rank"].to_list() == list(range(1, n + 1))
            score = replicas["score"].to_list()  # pairs that tie have the lowest of theirs
            assert score == sorted(score, reverse=True)
            assert all(0 <= s <= (n - rank) / n for rank, s in enumerate(score, 1))
            assert web.detect(**settings).stages_run == []
            assert (
                web.flagged_hosts().height == found.counts["flagged_hosts"]
                and web.groups().height == found.counts["replica_groups"]
            )


def test_nothing_loaded_is_nothing_to_detect(web):
    with pytest.raises(DataError, match="load a crawl first"):
        web.detect()
    assert web.database.rows("FROM runs") == []


def test_a_crawl_unloaded_leaves_nothing_to_detect(small_detected, tmp_path):
    with replicadb.open(shutil.copy(small_detected, tmp_path)) as web:
        web.unload(web.database.value("SELECT name FROM loads"))
        with pytest.raises(DataError, match="load a crawl first"):
            web.detect()
