"""Stages 10 to 40 against the slow reference of reference.py: dup-clusters, candidate
pairs, features, evidence.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from who_runs import say

import replicadb
from replicadb.detection.evidence import EVIDENCE

from .crawls import only_pairs
from .drawn_crawl import ENDINGS, draw_rows
from .plain_forms import CAP, PATH_MAX
from .reference import Reference

MAY_BE_NULL = {piece.name for piece in EVIDENCE if piece.null} - {"similarity"}
"""Hosts that share content stand in dup-clusters: here similarity is always known."""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """A loaded and detected crawl beside its reference."""
    rows = draw_rows(1)
    folder = tmp_path_factory.mktemp("features")
    frame = pl.DataFrame(rows, infer_schema_length=None)
    frame.drop("scheme", "host", "path").write_parquet(folder / "crawl.parquet")
    with replicadb.open(folder / "web.duckdb") as web:
        assert web.load(folder / "crawl.parquet", all_types=True).kept == len(
            [r for r in rows if r["status"] == "200"]
        )
        say(web)
        only_pairs(web, 3, method="paper", max_cluster_hosts=CAP, path_max_hosts=PATH_MAX)
        yield web.database, Reference(rows)


def test_dup_clusters_are_the_fingerprints_of_two_or_more_urls(found):
    db, reference = found
    clusters = {
        r[0]: r[1:]
        for r in db.rows("SELECT fingerprint, n_urls, n_hosts, weight, page FROM dup_clusters")
    }
    assert {page for *_, page in clusters.values()} == {True, False}
    assert clusters == {
        f: (
            len(urls),
            len(reference.cluster_hosts[f]),
            reference.cluster_weight[f],
            reference.cluster_page[f],
        )
        for f, urls in reference.clusters.items()
    }
    paths = db.rows(
        "SELECT fingerprint, host, path FROM cluster_hosts JOIN dup_clusters USING (cluster_id)"
        " JOIN hosts USING (host_id)"
    )
    assert sorted(paths) == sorted(
        (f, h, p) for f, at in reference.cluster_path.items() for h, p in at.items()
    )
    assert any(len(hosts) > CAP for hosts in reference.cluster_hosts.values())


def test_host_stats_count_what_each_host_has(found):
    db, reference = found
    for host, rank, urls, paths, sections, *sums in db.rows(
        """SELECT host, host_rank, n_urls, n_paths, n_sections, n_clusters, weight,
            exclusive_weight, asset_weight, path_weight2, page_path_weight2, tail_weight
               FROM host_stats JOIN hosts USING (host_id)"""
    ):
        assert host == reference.hosts[rank - 1]
        assert urls == sum(r["host"] == host for r in reference.rows)
        assert paths == len(reference.at[host])
        assert min(sections, 64) == reference.sections(host)
        assert sums == [
            reference.n_clusters[host],
            reference.host_weight[host],
            reference.host_exclusive[host],
            reference.host_asset_weight[host],
            reference.path_norm2[host],
            reference.page_path_norm2[host],
            sum(reference.tail_weight.get(t, 0) for t in reference.tails[host]),
        ]


def test_candidate_pairs_are_those_that_share_a_cluster_within_the_cap(found):
    db, reference = found
    assert set(db.rows("SELECT host_a, host_b FROM candidate_pairs")) == reference.pairs()


def test_every_column_of_evidence_has_a_reference(found):
    db, reference = found
    columns = {
        r[0]
        for r in db.rows(
            "SELECT column_name FROM duckdb_columns() WHERE table_name = 'pair_features'"
        )
    }
    assert columns == {"a_id", "b_id", "label", *reference.features(*next(iter(reference.pairs())))}


@pytest.mark.slow
def test_every_feature_is_what_the_reference_says(found):
    db, reference = found
    names = list(reference.features(*next(iter(reference.pairs()))))
    rows = db.rows(f"SELECT host_a, host_b, {', '.join(names)} FROM candidate_pairs")
    assert rows
    for a, b, *values in rows:
        expected = reference.features(a, b)
        for name, value in zip(names, values, strict=True):
            if expected[name] is None or value is None:
                assert value is None and expected[name] is None, (a, b, name)
            else:
                assert value == pytest.approx(
                    float(np.float32(expected[name])), rel=3e-7, abs=1e-12
                ), (a, b, name)
    for name, column in zip(names, zip(*(row[2:] for row in rows), strict=True), strict=True):
        if name == "countries_agree":  # titles are known here: tests/detection/test_country_sites
            assert set(column) == {None}
            continue
        assert len(set(column)) > 3, f"{name} hardly varies here, so this test says little of it"
        assert (None in column) == (name in MAY_BE_NULL), name


def test_labels_are_obvious_by_name_and_unrelated_hosts_by_content_and_path(found):
    db, reference = found
    pairs = reference.pairs()
    unrelated = db.rows(
        "SELECT a.host, b.host FROM non_replicas JOIN hosts AS a ON a.host_id = a_id JOIN hosts AS"
        " b ON b.host_id = b_id"
    )
    assert unrelated
    for a, b in unrelated:
        assert not any(a in hosts and b in hosts for hosts in reference.cluster_hosts.values())
        assert not any(
            p in reference.content[b] for p in reference.content[a] if p in reference.path_weight2
        )
    found_labels = set(db.rows("SELECT host_a, host_b FROM obvious_replicas"))
    assert found_labels == {(a, b) for a, b in pairs if obvious(a, b)}


def obvious(a: str, b: str) -> bool:
    def stem(host: str) -> tuple[str, str] | None:
        for ending in sorted(ENDINGS, key=len, reverse=True):
            if host.endswith("." + ending):
                return host.removesuffix("." + ending).removeprefix("www."), ending
        return None

    x, y = stem(a), stem(b)
    return "www." + a == b or "www." + b == a or bool(x and y and x[0] == y[0] and x[1] != y[1])


def test_of_a_host_with_many_addresses_the_rarest_are_compared(web, write, monkeypatch):
    """a and b have sixty addresses of everybody's behind two of their own; c has everybody's."""
    rows = [f"http://{host}.example/{n},sha1:{n}" for host in "abc" for n in range(6)]
    own = {"a": ["9.1.1.1", "9.2.2.2"], "b": ["9.1.1.1", "9.2.2.2"], "c": []}
    ips = [
        f"{host}.example,{ip}"
        for host in own
        for ip in (*(f"1.{n}.0.1" for n in range(60)), *own[host])
    ]
    crawl = write("c.csv", "\n".join(["url,digest", *rows]))
    web.load(crawl, hosts=write("ips.csv", "\n".join(["host,ip", *ips])))
    only_pairs(web, method="paper")
    found = web.database.rows("SELECT host_a, host_b, ip4 FROM details.candidate_pairs")
    assert {a[0] + b[0]: value for a, b, value in found} == {"ab": 1.0, "ac": 0.5, "bc": 0.5}
    with web.database.temporary():
        web.database.run(
            "detect/40_pair_features", {"most_addresses": 50}, only="compared_addresses"
        )
        rows = web.database.rows(
            "SELECT count(*), bool_or(address LIKE '9.%') FROM compared_addresses WHERE kind = 4"
            " GROUP BY host_id ORDER BY host_id"
        )
    assert rows == [(50, True), (50, True), (50, False)]


def test_links_count_alike_in_one_file_and_in_several(web, write):
    """Each of a's four pages links to b. Then they are captured again: all of them, as they were;
    two of them, which link nowhere any more. A page of c links to d, and is then captured again
    alone: its six pictures stay, and keep none of its links.
    """

    def row(url: str, digest: str, links: str | None = None) -> dict:
        return {"url": f"http://{url}", "digest": f"{digest:0>40}", "links": links and [links]}

    a, b = (
        [row(f"{host}.com/{n}", f"{n}", links) for n in range(4)]
        for host, links in (("a", "http://b.com/"), ("b", None))
    )
    c, d = row("c.com/", "f", "http://d.com/"), row("d.com/", "f")
    pictures = [row(f"c.com/{n}.png", f"e{n}") for n in range(6)]

    def linked() -> list[float]:
        only_pairs(web)
        found = "SELECT linked FROM details.candidate_pairs ORDER BY host_a"
        return web.database.column(found)

    def load(name: str, year: int, rows: list[dict]) -> None:
        rows = [row | {"timestamp": f"{year}0101000000"} for row in rows]
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(
            crawl := write(f"{name}.parquet", b"")
        )
        web.load(crawl, label=name)

    load("first", 2025, [*a[::2], *b[::2], c, d, *pictures])
    load("second", 2025, [*a[1::2], *b[1::2]])
    assert linked() == pytest.approx([4 / 5, 1 / 8])
    load("again", 2026, [*a, *b, c])
    assert linked() == pytest.approx([4 / 5, 1 / 8])
    web.unload("again")
    load("changed", 2026, [row | {"links": None} for row in a[:2]])
    assert linked() == pytest.approx([2 / 5, 1 / 8])
    web.unload("changed")
    assert linked() == pytest.approx([4 / 5, 1 / 8])
