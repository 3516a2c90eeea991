"""Which pairs are candidates, and which of them are labelled without being asked."""

from __future__ import annotations

import pytest
from conftest import rest_slow

from .crawls import csv_of, only_pairs, opened, pairs

# -- which pairs are candidates
# --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "wanted"),
    rest_slow(
        [
            ({"candidates": "content"}, "ab ac bc"),
            ({"candidates": "content", "min_shared": 2}, "ab"),
            ({"candidates": "content", "min_shared": 3}, ""),
            ({"candidates": "content", "max_cluster_hosts": 2}, "ab"),
            ({"candidates": "path"}, "ab ac ad bc bd"),
            ({"candidates": "path", "min_shared": 2}, "ab"),
            ({"candidates": "path", "path_max_hosts": 2}, "ab ad bd"),
            ({"candidates": "either"}, "ab ac ad bc bd"),
            ({"candidates": "either", "min_shared": 2}, "ab ac bc"),
            ({"candidates": "either", "min_shared": 4}, "ab"),
        ],
        3,
    ),
)
def test_candidates_share_content_a_path_or_either(five, settings, wanted):
    only_pairs(five, **settings)
    assert pairs(five) == {(f"{a}.com", f"{b}.com") for a, b in wanted.split()}
    capped = "max_cluster_hosts" in settings
    for a, b, n in five.database.rows("SELECT host_a, host_b, shared FROM candidate_pairs"):
        assert n == {
            ("a.com", "b.com"): 2 - capped,
            ("a.com", "c.com"): 1,
            ("b.com", "c.com"): 1,
        }.get((a, b), 0)


@pytest.mark.slow
def test_clusters_on_too_many_hosts_are_listed_with_their_cost(tmp_path):
    rows = [(f"http://h{h}.com/parked", "", "ee") for h in range(6)] + [
        (f"http://h{h}.com/rare", "", "dd") for h in range(2)
    ]
    with opened(tmp_path, csv_of(rows)) as web:
        only_pairs(web, max_cluster_hosts=5)
        assert web.database.rows(
            "SELECT fingerprint, hosts, urls, pairs, example_path FROM skipped_clusters"
        ) == [("ee", 6, 6, 15, "/parked")]
        assert pairs(web) == {("h0.com", "h1.com")}
        found = only_pairs(web, max_cluster_hosts=6)
        assert found["skipped_clusters"] == 0 and found["candidate_pairs"] == 15
        assert web.database.rows("FROM skipped_clusters") == []
        assert only_pairs(web, max_cluster_hosts=1)["candidate_pairs"] == 0
        assert {
            row[0] for row in web.database.rows("SELECT fingerprint FROM skipped_clusters")
        } == {"dd", "ee"}
        assert only_pairs(web, max_cluster_hosts=0)["candidate_pairs"] == 15
        assert web.database.rows("FROM skipped_clusters") == []


# -- labels


OBVIOUS = {
    ("example.com", "www.example.com"): "www",
    ("example.com", "example.net"): "suffix",
    ("exemplo.br", "exemplo.gov.br"): "suffix",
    ("shop.example.co.uk", "shop.example.uk"): "suffix",
    ("example.com", "example.local"): "suffix",
    ("example.local", "example.net"): "suffix",
    ("example.net", "www.example.com"): "www and suffix",
    ("example.local", "www.example.com"): "www and suffix",
}  # no rule: the last label is the suffix
HOSTS = (
    "example.com",
    "www.example.com",
    "example.net",
    "exemplo.gov.br",
    "exemplo.br",
    "shop.example.uk",
    "shop.example.co.uk",
    "example.github.io",
    "example.local",
    "10.0.0.1",
    "10.0.0.2",
    "www2.example.com",
    "ww.example.com",
    "www.com",
    "wwwexample.org",
    "xn--bcher-kva.de",
    "example.com.evil.org",
)


@pytest.mark.slow
def test_obvious_replicas_differ_by_www_or_public_suffix_or_both_only(tmp_path):
    with opened(
        tmp_path, csv_of([(f"http://{host}/", "", "01") for host in HOSTS]), method="robust"
    ) as web:
        assert len(pairs(web)) == len(HOSTS) * (len(HOSTS) - 1) // 2
        found = {
            (a, b): why
            for a, b, why in web.database.rows("SELECT host_a, host_b, why FROM obvious_replicas")
        }
        assert found == OBVIOUS
        assert set(web.database.rows("SELECT host_a, host_b FROM replicas WHERE obvious")) == set(
            OBVIOUS
        )


@pytest.mark.slow
def test_names_alone_make_no_obvious_replica(tmp_path):
    rows = [
        ("http://example.com/", "", "01"),
        ("http://www.example.com/", "", "02"),
        ("http://other.com/", "", "02"),
    ]
    with opened(tmp_path, csv_of(rows)) as web:
        assert only_pairs(web)["candidate_pairs"] == 1
        assert web.database.rows("FROM obvious_replicas") == []
