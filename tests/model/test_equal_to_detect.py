"""A model gives every pair what detection gave it, whatever the evidence and settings; and pairs
that were none by the same formulas.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import replicadb
from replicadb.detection import collective
from replicadb.model import Host, pair_scorer
from replicadb.model import model as scoring
from replicadb.model.known_pairs import Candidates

pytestmark = pytest.mark.slow


def assert_scored_as_ranked(db, model) -> None:
    """The ranked pairs, and no others, are known to the model, and it gives them what the ranking
    has: looked up, and worked out anew.
    """
    ranked = db.sql(
        "SELECT host_a, host_b, strength, probability, flagged FROM replicas ORDER BY rank"
    )
    scored = model.score(ranked.select("host_a", "host_b"))
    assert len(ranked) > 100 and ranked["flagged"].any() and not ranked["flagged"].all()
    assert scored.drop("known").equals(ranked)
    assert scored["known"].all()
    anew = scoring.Model(model.file)
    anew.scorer.candidates = Candidates(
        {
            "candidate_start": np.zeros(model.n + 1, np.int64),
            "candidate_other": np.zeros(0, np.uint32),
            "candidate_strength": np.zeros(0, np.int32),
        }
    )
    scored = anew.score(ranked.select("host_a", "host_b"))
    assert scored.drop("known").equals(ranked) and not scored["known"].any()
    hosts = db.sql("SELECT host FROM hosts ORDER BY host")["host"].to_list()
    every = [(a, b) for i, a in enumerate(hosts) for b in hosts[i + 1 :]]
    known = model.score(every).filter("known")
    assert set(known.select("host_a", "host_b").rows()) == set(
        ranked.select("host_a", "host_b").rows()
    )


CASES = {
    "themes": {},
    "few-obvious": {"evidence": "paths"},
    "shared-hosting": {"evidence": "paths", "candidates": "path"},
    "parked": {
        "candidates": "either",
        "max_cluster_hosts": 8,
        "path_max_hosts": 12,
        "min_shared": 2,
        "min_probability": 0.2,
    },
}


@pytest.mark.parametrize(("profile", "settings"), CASES.items(), ids=CASES)
def test_pairs_that_detect_scored_come_out_equal(tmp_path, loaded, profile, settings):
    shutil.copy(loaded(profile), tmp_path / "web.duckdb")
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.detect(**settings)
        assert_scored_as_ranked(db, db.model())


def test_pairs_of_an_ordinary_crawl_come_out_equal(ordinary):
    assert_scored_as_ranked(*ordinary)


def sparse_farm(folder, sites: int = 60, left_out: str | None = None) -> Path:
    """A farm of which 15 % were crawled, in a web of 300 sites; the rows of one host go to another
    file.
    """
    draw = np.random.default_rng(1)
    rows = [
        {"url": f"http://farm{i}.example/{p}", "digest": f"sha1:{p + 1:040x}"}
        for i in range(sites)
        for p in range(40)
        if draw.random() < 0.15
    ]
    rows += [
        {"url": f"http://farm{i}.example/licence{k}", "digest": f"sha1:{k + 100:040x}"}
        for i in range(sites)
        for k in range(2)
    ]
    rows += [
        {"url": f"http://own{i}.example/{p}", "digest": f"sha1:{10_000 + i * 10 + p:040x}"}
        for i in range(300)
        for p in range(5)
    ]
    pl.DataFrame([row for row in rows if row["url"].split("/")[2] != left_out]).write_parquet(
        folder / "crawl.parquet"
    )
    return folder / "crawl.parquet"


def test_pairs_of_a_large_group_come_out_equal(tmp_path):
    """Where company was asked more than once."""
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.load(sparse_farm(tmp_path))
        db.detect()
        assert (
            db.database.value(
                "SELECT count(*) FROM partners WHERE common >= $enough AND added > 0",
                {"enough": collective.MIN_COMMON},
            )
            > 100
        )
        assert_scored_as_ranked(db, db.model())


def test_a_new_host_of_a_large_group_is_scored_as_once_it_is_loaded(tmp_path):
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.load(sparse_farm(tmp_path))
        db.detect()
        pages = db.sql(
            "SELECT path, fingerprint_kind || ':' || fingerprint AS fingerprint FROM pages WHERE"
            " host = 'farm7.example'"
        ).to_dicts()
        whole = db.sql(
            "SELECT host_a, host_b, strength, flagged FROM replicas WHERE host_a = 'farm7.example'"
            " OR host_b = 'farm7.example' ORDER BY rank"
        )
    (tmp_path / "web.duckdb").unlink()
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.load(sparse_farm(tmp_path, left_out="farm7.example"))
        db.detect()
        found = db.model().score(whole.select("host_a", "host_b"), [Host("farm7.example", pages)])
    assert whole["flagged"].sum() > 10 and not found["known"].any()
    assert (found["strength"] - whole["strength"]).abs().median() < 0.3
    assert (found["flagged"] == whole["flagged"]).mean() > 0.9


def test_pairs_of_old_and_new_hosts_come_out_equal(tmp_path, loaded):
    shutil.copy(loaded("ordinary"), tmp_path / "web.duckdb")
    with replicadb.open(tmp_path / "web.duckdb") as db:
        copies = db.sql(
            "SELECT 'http://new' || (urls.host_id % 60) || '.example' || path AS url,"
            " fingerprint_kind || ':' || fingerprint AS digest FROM urls JOIN origins USING"
            " (origin_id) WHERE urls.host_id < 90"
        )
        copies.write_parquet(tmp_path / "copies.parquet")
        (old,) = db.sql("SELECT name FROM loads WHERE name LIKE '%crawl.parquet'")["name"]
        db.load(tmp_path / "copies.parquet")
        db.detect(reference=old)
        assert_scored_as_ranked(db, db.model())


def test_features_of_pairs_that_were_no_candidates_are_those_that_sql_gives_them(
    tmp_path, loaded, ordinary
):
    """Pairs that share a path and no content are candidates under --candidates either alone."""
    _, model = ordinary
    shutil.copy(loaded("ordinary"), tmp_path / "web.duckdb")
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.detect(candidates="either")
        stored = db.sql("SELECT * FROM candidate_pairs WHERE shared = 0 ORDER BY ALL LIMIT 150")
    assert len(stored) == 150 and (stored["fullpath"] > 0).all()
    for row in stored.to_dicts():
        found = model.score_pair(row["host_a"], row["host_b"])
        assert not found.known and found.shared == 0
        for name, value in found.features.items():
            assert value == row[name] or (row[name] is None and np.isnan(value)), name


def test_the_explanation_is_that_of_evidence_of(ordinary):
    db, model = ordinary
    for a, b in db.sql(
        "SELECT host_a, host_b FROM replicas WHERE rank % 97 = 1 ORDER BY rank"
    ).rows():
        told = dict(
            db.sql("SELECT feature, contribution FROM evidence_of($a, $b)", {"a": a, "b": b}).rows()
        )
        found = model.score_pair(a, b)
        assert found.contributions == pytest.approx(told, abs=1e-9)
        assert sum(told.values()) + model.decision.lookup.tables.intercept == pytest.approx(
            found.strength, abs=1e-6
        )


def test_one_pair_is_scored_as_many_are_and_either_way_round(ordinary, monkeypatch):
    db, model = ordinary
    hosts = db.sql("SELECT host FROM hosts ORDER BY host")["host"].to_list()
    draw = np.random.default_rng(3)
    pairs = [(hosts[i], hosts[j]) for i, j in draw.integers(0, len(hosts), (300, 2)) if i != j]
    many = model.score(pairs)
    assert (
        model.score([(b, a) for a, b in pairs])
        .drop("host_a", "host_b")
        .equals(many.drop("host_a", "host_b"))
    )
    for row in many.head(40).to_dicts():
        one = model.score_pair(row["host_a"], row["host_b"])
        assert (one.strength, one.probability, one.flagged, one.known) == (
            row["strength"],
            row["probability"],
            row["flagged"],
            row["known"],
        )
    monkeypatch.setattr(pair_scorer, "PIECE_ENTRIES", 50)
    monkeypatch.setattr(pair_scorer, "PIECE_PAIRS", 7)
    assert model.score(pairs).equals(many)


def test_pairs_come_as_any_table_and_leave_in_their_order(ordinary):
    db, model = ordinary
    frame = db.sql("SELECT host_b, rank, host_a FROM replicas ORDER BY hash(rank) LIMIT 1500")
    found = model.score(frame)
    assert found["host_a"].equals(frame["host_a"]) and found["host_b"].equals(frame["host_b"])
    assert model.score(frame.to_arrow()).equals(found)
    assert model.score(frame.select("host_a", "host_b").rows()).equals(found)
    assert model.score([]).columns == [
        "host_a",
        "host_b",
        "strength",
        "probability",
        "flagged",
        "known",
    ]


def test_rows_that_are_no_pair_keep_their_place_with_nulls(ordinary):
    db, model = ordinary
    ((a, b),) = db.sql("SELECT host_a, host_b FROM replicas LIMIT 1").rows()
    found = model.score(
        pl.DataFrame({"host_a": [a, a, None, a, a.upper()], "host_b": [a, b, b, "", b]})
    )
    assert found["strength"].is_null().to_list() == [True, False, True, True, False]
    assert found["strength"][4] == found["strength"][1] and found["host_a"].to_list() == [
        a,
        a,
        None,
        a,
        a.upper(),
    ]
