"""Which pairs are candidates, and which of them are labelled without being asked."""

from __future__ import annotations

import shutil

import pyarrow as pa
import pytest
from conftest import rest_slow, sha1

import replicadb
from replicadb.detection import blocking, pair_features
from replicadb.settings import Settings
from replicadb.store.statements import statements

from .crawls import csv_of, only_pairs, opened, pairs, state

# -- which pairs are candidates
# --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "wanted"),
    rest_slow(
        [
            ({"candidates": "content"}, "ab ac bc"),
            ({"candidates": "content", "min_shared": 2}, "ab"),
            ({"candidates": "content", "max_cluster_hosts": 2}, "ab"),
            ({"candidates": "path"}, "ab ac ad bc bd"),
            ({"candidates": "path", "path_max_hosts": 2}, "ab ad bd"),
            ({"candidates": "either", "min_shared": 2}, "ab ac bc"),
            ({"candidates": "either", "min_shared": 4}, "ab"),
        ],
        2,
    ),
)
def test_candidates_share_content_a_path_or_either(five, settings, wanted):
    only_pairs(five, **settings)
    assert pairs(five) == {(f"{a}.com", f"{b}.com") for a, b in wanted.split()}
    capped = "max_cluster_hosts" in settings
    by_content, by_path = (1 if capped else 4), (3 if "path_max_hosts" in settings else 6)
    expected = blocking.expected_pairs(five.database, Settings().with_changes(**settings))
    of = {"content": by_content, "path": by_path, "either": by_content + by_path}
    assert expected == of[settings["candidates"]]
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
        assert only_pairs(web, max_cluster_hosts=0)["candidate_pairs"] == 15
        assert web.database.rows("FROM skipped_clusters") == []


@pytest.mark.slow
def test_copies_on_too_many_hosts_stand_beside_the_one_that_has_most_of_their_pages(tmp_path):
    """Six sites have four pages of one site, of which one is lost here and there; others are none:
    two pages, three of seven, and two pages of the site with one more.
    """

    def site(name: str, lost: int, own: int = 0) -> list[tuple[str, str, str]]:
        pages = [(f"{p}", f"a{p}") for p in range(4) if p != lost]
        return [
            (f"http://{name}.com/{path}", "", digest)
            for path, digest in pages + [(f"own{i}", f"{name}{i}") for i in range(own)]
        ]

    rows = [row for i in range(6) for row in site(f"h{5 - i}", lost=i if i < 3 else 9)]
    rows += site("more", lost=9, own=5) + site("few", lost=3)[:2] + site("half", lost=0, own=3)
    with opened(tmp_path, csv_of(rows)) as web:
        found = web.detect(max_cluster_hosts=4)
        assert web.database.rows("FROM mass_copies") == [
            ("h0.com", "h1.com", 4, 4),
            ("h0.com", "h2.com", 4, 4),
            ("h0.com", "h3.com", 3, 3),
            ("h0.com", "h4.com", 3, 3),
            ("h0.com", "h5.com", 3, 3),
            ("h0.com", "half.com", 3, 6),
        ]
        others = [web.copies_of(f"{name}.com")["mass_copies"] for name in ("h0", "h5", "more")]
        assert others == [6, 6, 0]
        (note,) = [note for note in found.notes if "mass_copies" in note]
        assert note.startswith("of 6 hosts half of the pages or more stand on too many hosts")
        for like_host, host, *_ in web.database.rows("FROM mass_copies"):
            web.decide(like_host, host, True)
        notes = web.detect(max_cluster_hosts=4).notes
        assert web.database.value("SELECT count(*) FROM flagged_hosts") == 6
        assert not [note for note in notes if "mass_copies" in note]
        assert web.copies_of("h0.com")["mass_copies"] == 0
        only_pairs(web, max_cluster_hosts=0)
        assert web.database.rows("FROM mass_copies") == []


@pytest.mark.slow
def test_likely_copies_are_of_two_groups_at_most_and_of_hosts_that_were_not_compared(tmp_path):
    """``small`` has pages of a large site, and three of its own that five others have; ``x0`` and
    ``x1`` have further pages in common, so they are compared with each other. No likely copies are
    a host of 40 pages, one with less than half of its pages in common with any host, one with two
    pages of each of two, and hosts that share files. Pages that a likely copy shares count though
    another host has more pages: hosts of sites k and l have four pages in common, and for these a
    host of l, which is larger, is that of most pages.
    """
    pages = {f"large{n}": [f"a{i}" for i in range(9)] for n in range(6)}
    pages["small"] = [f"a{i}" for i in range(4)] + ["b0", "b1", "b2"]
    pages |= {f"of{n}": ["b0", "b1", "b2"] for n in range(5)}
    pages |= {f"x{n}": [f"c{i}" for i in range(8)] for n in range(6)}
    for host in ("x0", "x1"):
        pages[host] += [f"d{i}" for i in range(6)]
    pages["both"] = [f"a{i}" for i in range(3)] + [f"c{i}" for i in range(4)]
    pages["all"] = [*pages["large0"], *pages["x2"], *(f"own{i}" for i in range(23))]
    pages["mixed"] = ["a0", "a1", "a2", "c0", "c1", "c2", "own"]
    pages["two"] = ["a0", "a1", "b0", "own two"]
    pages |= {f"s{n}": [f"f{i}.js" for i in range(5)] + [f"own s{n}"] for n in range(6)}
    pages |= {f"k{n}": [f"p{i}" for i in range(10)] for n in range(6)}
    pages |= {f"l{n}": [f"p{i}" for i in range(4)] + [f"q{i}" for i in range(9)] for n in range(6)}
    rows = [(f"http://{host}.com/{p}", "", p) for host, found in pages.items() for p in found]
    with opened(tmp_path, csv_of(rows)) as web:
        web.detect(max_cluster_hosts=4)
        assert web.database.value("SELECT count(*) FROM skipped_clusters") == 9 + 3 + 8 + 5 + 19
        of = dict(web.database.rows("SELECT host, like_host FROM mass_copies"))
        likes = {"large0.com": ("large", "small"), "small.com": ("of",), "x0.com": ("both", "x")}
        likes |= {f"{site}0.com": tuple(f"{site}{n}" for n in range(1, 6)) for site in "kl"}
        wanted = {
            f"{host}.com": like for like, names in likes.items() for host in pages
            if host.startswith(names) and f"{host}.com" != like
        }  # fmt: skip
        assert of == wanted
        shared = (
            "SELECT like_host, pages, shared FROM mass_copies WHERE host IN ('k5.com', 'l5.com')"
        )
        assert web.database.rows(shared) == [("k0.com", 10, 10), ("l0.com", 13, 13)]
        asked = ("small", "large1", "of1", "x0", "x1", "x2", "all")
        found = [web.copies_of(f"{host}.com") for host in asked]
        assert [each["mass_copies"] for each in found] == [11, 6, 5, 5, 5, 6, 0]
        assert [copy["host"] for copy in found[3]["copies"]] == ["x1.com"]


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


ALONE = {"apart.com": "one", "www.apart.com": "other", "third.com": "other"}
"""Hosts by their page, of which the first two have their names in common alone."""


@pytest.mark.slow
def test_obvious_replicas_differ_by_www_or_public_suffix_or_both_only(tmp_path):
    """And are candidates: names alone make none."""
    hosts = dict.fromkeys(HOSTS, "the same") | ALONE
    rows = [(f"http://{host}/", "", sha1(page)) for host, page in hosts.items()]
    with opened(tmp_path, csv_of(rows)) as web:
        only_pairs(web, 5)
        of_names = {pair for pair in pairs(web) if not ALONE.keys() & {*pair}}
        assert len(of_names) == len(HOSTS) * (len(HOSTS) - 1) // 2
        assert pairs(web) - of_names == {("third.com", "www.apart.com")}
        found = {
            (a, b): why
            for a, b, why in web.database.rows("SELECT host_a, host_b, why FROM obvious_replicas")
        }
        assert found == OBVIOUS
        assert set(web.database.rows("SELECT host_a, host_b FROM replicas WHERE obvious")) == set(
            OBVIOUS
        )


# -- what is left out where there is nothing
# --------------------------------------------------------------------------------

EMPTY = {
    "detect/35_shared_evidence": (
        "tokens",
        "named_places",
        "directed_pairs",
        "main_languages",
        "token_norms",
    ),
    "detect/38_country_sites": ("country_sites",),
    "detect/40_pair_features": ("compared_addresses", "host_addresses", "common_addresses"),
    "detect/70_replica_groups": ("branch_words",),
    "detect/74_drops": ("lost_texts",),
}
"""The tables that are made empty by a statement no_ where they would be, by file."""


def test_a_small_crawl_does_not_plan_what_it_has_nothing_of_and_comes_out_the_same(
    small, monkeypatch
):
    """It has addresses, one a host, and nothing else beside contents."""
    ran = {label for stage in small.detect().profile for label in stage.statements}
    for stem, tables in EMPTY.items():
        for table in tables:
            there = table in ("compared_addresses", "host_addresses")
            assert (f"{stem}: {table}" in ran) == there, table
            assert (f"{stem}: no_{table}" in ran) != there, table
    found = state(small)
    always = {stem: dict.fromkeys(tables, ()) for stem, tables in blocking.PREPARED.items()}
    monkeypatch.setattr(blocking, "PREPARED", always)
    query = statements(pair_features.STEM)["features"]
    assert query.count("FROM compared\n") == 1
    with small.database.temporary():
        small.database.execute("CREATE TEMP TABLE host_norms AS SELECT 0.0 AS asset_weight")
        assert "FROM compared\n" not in pair_features._features(small.database)
    monkeypatch.setattr(pair_features, "_features", lambda _: query)
    small.database.execute("DELETE FROM stages")
    planned = {label for stage in small.detect().profile for label in stage.statements}
    assert "detect/35_shared_evidence: tokens" in planned - ran
    assert state(small) == found


def test_what_is_made_empty_has_the_columns_of_what_is_made(small_detected, tmp_path):
    drops = pa.table({"host_id": pa.array([1], pa.int32()), "keep_id": pa.array([2], pa.int32())})
    with replicadb.open(shutil.copy(small_detected, tmp_path), threads=1) as web:
        db, parameters = web.database, blocking.parameters_of(Settings(), non_replicas=False)
        parameters |= {"same_words": 0.5, "least_words": 1, "alike_names": 0.5, "low": 0, "high": 9}
        with db.temporary(), db.registered("chosen_drops", drops):
            blocking.prepare(db, parameters | blocking.every_host(db))
            opened_pairs = db.value("SELECT sum(below) FROM cluster_keys")
            assert opened_pairs == blocking.expected_pairs(db, Settings()) > 0
            for macros in ("functions/50_edition_names", "functions/55_branch_names"):
                db.run_once(macros)
            for stem, name in (
                ("detect/22_candidate_pairs", "content_pairs"),
                ("detect/70_replica_groups", "flagged_pairs"),
                ("detect/70_replica_groups", "branded_pairs"),
                ("detect/74_drops", "chosen_pages"),
                ("near_duplicates/05_url_texts", "none_borrowed"),
            ):
                db.run(stem, parameters | {"above": 0}, only=name)
            for stem, tables in EMPTY.items():
                for table in tables:
                    db.run(stem, parameters, only=table)
                    shape = db.rows(f"DESCRIBE {table}")
                    db.run(stem, only=f"no_{table}")
                    assert db.rows(f"DESCRIBE {table}") == shape, table
                    assert db.value(f"SELECT count(*) FROM {table}") == 0
                    db.run(stem, parameters, only=table)
            empty = db.rows("DESCRIBE borrowed_texts")
            db.run("near_duplicates/05_url_texts", only="borrowed_texts")
            assert db.rows("DESCRIBE borrowed_texts") == empty
