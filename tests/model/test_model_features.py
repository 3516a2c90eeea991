"""Features of any pair are those that sql/detect/40_pair_features gives it."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from detection.crawls import only_pairs

import replicadb
from replicadb.model import Host

pytestmark = pytest.mark.slow


def test_features_of_pairs_that_were_no_candidates_are_those_that_sql_gives_them(
    tmp_path, loaded, ordinary
):
    """Pairs that share a path and no content are candidates under --candidates either alone."""
    _, model = ordinary
    shutil.copy(loaded("ordinary"), tmp_path / "web.duckdb")
    with replicadb.open(tmp_path / "web.duckdb") as db:
        only_pairs(db, candidates="either")
        stored = db.sql("SELECT * FROM candidate_pairs WHERE shared = 0 ORDER BY ALL LIMIT 150")
    assert len(stored) == 150 and (stored["fullpath"] > 0).all()
    for row in stored.to_dicts():
        found = model.score_pair(row["host_a"], row["host_b"])
        assert not found.known and found.shared == 0
        for name, value in found.features.items():
            assert value == row[name] or (row[name] is None and np.isnan(value)), name


def test_hosts_of_files_alone_are_weighed_as_sql_weighs_them(tmp_path, write):
    """Pairs of such hosts, of one with a host of pages, and with one of them new."""
    files = {
        (host, n): (f"{'x' if n < shared else host}{n}", 900 + n)
        for host, shared in (("img1", 18), ("img2", 12), ("img3", 2), ("site", 3))
        for n in range(20)
    }

    def rows(hosts: set[str]) -> str:
        return "url,fingerprint,mime,length\n" + "".join(
            f"http://{host}.net/{n}.png,{digest},image/png,{length}\n"
            for (host, n), (digest, length) in files.items()
            if host in hosts
        )

    pages = "".join(f"http://site.net/{n},site{n},text/html,500\n" for n in range(9))
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.load(write("old.csv", rows({"img1", "img3", "site"}) + pages))
        db.detect()
        before = db.model()
        db.load(write("new.csv", rows({"img2"})))
        db.detect()
        stored = db.sql(
            "SELECT c.*, r.strength FROM candidate_pairs AS c JOIN replicas AS r"
            " USING (host_a, host_b) ORDER BY ALL"
        ).to_dicts()
        model = db.model()
    assert len(stored) == 6 and sum(row["path_overlap"] is None for row in stored) == 3
    new = Host(
        "img2.net",
        [
            {"path": f"/{n}.png", "fingerprint": digest, "mime": "image/png", "length": length}
            for (host, n), (digest, length) in files.items()
            if host == "img2"
        ],
    )
    for row in stored:
        pair = row["host_a"], row["host_b"]
        found = model.score_pair(*pair)
        assert found.strength == pytest.approx(row["strength"], abs=1e-5), pair
        for name, value in found.features.items():
            assert value == pytest.approx(as_number(row[name]), nan_ok=True), (pair, name)
        if "img2.net" in pair:  # by idf it weighs among one host fewer
            anew = before.score_pair(*(new if name == "img2.net" else name for name in pair))
            for name in ("exclusive_evidence", "exclusive_containment", "path_overlap", "reach"):
                value = as_number(row[name])
                assert anew.features[name] == pytest.approx(value, nan_ok=True), (pair, name)


def test_what_hosts_that_are_not_compared_have_in_common_with_others_counts_as_in_detection(
    tmp_path, write
):
    """Of titles, links, addresses and what pages say of who runs them; and what is rare is counted
    among the compared ones. Hosts of pictures alone are not among them where pages are compared
    alone.
    """
    says = ",A title,192.0.2.{net},https://far.away/"
    pages = "".join(
        f"http://{host}.net/{n}/{'same' if n < 6 else host}.html,{n if n < 6 else host}-{n},"
        + says.format(net=1 + (host in ("three", "four")))
        + "\n"
        for host in ("one", "two", "three", "four")
        for n in range(9)
    )
    files = "".join(
        f"http://img{n}.net/{n}.png,img{n},image/png,A title,192.0.2.{n % 3},https://far.away/\n"
        for n in range(40)
    )
    with replicadb.open(tmp_path / "web.duckdb") as db:
        head = "url,fingerprint,mime,title,ip,links\n"
        db.load(write("crawl.csv", head + pages + files))
        said = "INSERT INTO internal.identifiers SELECT 1, host_id, 'mail', 'a@b.net', 1 FROM hosts"
        db.database.execute(f"{said} WHERE host NOT LIKE 'img%' OR host = 'img1.net'")
        db.detect(assets=False)
        model = db.model()
        assert model.n == 4 < db.sql("SELECT count(*) FROM hosts").item()
        stored = db.sql("FROM candidate_pairs").to_dicts()
    assert len(stored) == 6
    for name in ("title_overlap", "link_overlap", "identifier_overlap", "network_alike"):
        assert any(row[name] for row in stored), name
    for row in stored:
        found = model.score_pair(row["host_a"], row["host_b"])
        for name, value in found.features.items():
            assert value == pytest.approx(as_number(row[name]), nan_ok=True), name


def as_number(value: float | None) -> float:
    return np.nan if value is None else value
