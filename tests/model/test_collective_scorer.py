"""A model gives every pair what detection gave it, whatever the evidence and settings; and to a new
host of a group what it gets once it is loaded.

Tries known_pairs, too.
"""

from __future__ import annotations

import shutil

import numpy as np
import polars as pl
import pytest

import replicadb
from replicadb.detection import collective
from replicadb.model import Host
from replicadb.model.known_pairs import Candidates

from .crawls import CASES, sparse_farm

pytestmark = pytest.mark.slow


def assert_scored_as_ranked(db, model) -> None:
    """The ranked pairs, and no others, are known to the model, and it gives them what the ranking
    has: looked up, and worked out anew.
    """
    ranked = db.sql(
        "SELECT host_a, host_b, strength, probability, flagged, kind FROM replicas ORDER BY rank"
    )
    scored = model.score(ranked.select("host_a", "host_b"))
    assert len(ranked) > 100 and ranked["flagged"].any() and not ranked["flagged"].all()
    assert scored.drop("known", "shared").equals(ranked)
    assert scored["known"].all()
    nobody = Candidates(
        {
            "candidate_start": np.zeros(model.n + 1, np.int64),
            "candidate_other": np.zeros(0, np.uint32),
            "candidate_strength": np.zeros(0, np.int32),
        }
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model.scorer, "candidates", nobody)
        scored = model.score(ranked.select("host_a", "host_b"))
    assert scored.drop("known", "shared").equals(ranked) and not scored["known"].any()
    hosts = db.sql("SELECT host FROM hosts ORDER BY host")["host"].to_list()
    every = [(a, b) for i, a in enumerate(hosts) for b in hosts[i + 1 :]]
    known = model.score(every).filter("known")
    assert set(known.select("host_a", "host_b").rows()) == set(
        ranked.select("host_a", "host_b").rows()
    )


@pytest.mark.parametrize("profile", CASES)
def test_pairs_that_detect_scored_come_out_equal(by_case, profile):
    assert_scored_as_ranked(*by_case(profile))


def test_pairs_of_an_ordinary_crawl_come_out_equal(ordinary):
    assert_scored_as_ranked(*ordinary)


@pytest.fixture(scope="module")
def farm(tmp_path_factory):
    """A database of a large group, detected."""
    folder = tmp_path_factory.mktemp("farm")
    with replicadb.open(folder / "web.duckdb") as db:
        db.load(sparse_farm(folder))
        db.detect()
        yield db


def test_pairs_of_a_large_group_come_out_equal(farm):
    """Where there was more than one pass."""
    passed = "SELECT count(*) FROM shared_neighbours WHERE common >= $enough AND added > 0"
    assert farm.database.value(passed, {"enough": collective.MIN_COMMON}) > 100
    assert_scored_as_ranked(farm, farm.model())


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


def test_pairs_of_near_duplicate_clusters_come_out_equal(edited):
    assert_scored_as_ranked(*edited)


def test_a_new_host_of_a_large_group_is_scored_nearly_as_once_it_is_loaded(farm, tmp_path):
    """Nearly: detection goes over it again as its neighbours become surer, a model does once."""
    pages = farm.sql(
        "SELECT path, fingerprint_kind || ':' || fingerprint AS fingerprint FROM pages WHERE"
        " host = 'farm7.example'"
    ).to_dicts()
    whole = farm.sql(
        "SELECT host_a, host_b, strength, flagged FROM replicas WHERE host_a = 'farm7.example'"
        " OR host_b = 'farm7.example' ORDER BY rank"
    )
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.load(sparse_farm(tmp_path, left_out="farm7.example"))
        db.detect()
        found = db.model().score(whole.select("host_a", "host_b"), [Host("farm7.example", pages)])
    assert whole["flagged"].sum() > 10 and not found["known"].any()
    assert (found["strength"] - whole["strength"]).abs().median() < 0.5
    # The crawl without the host has a curve of its own: flags by that of the crawl with it, for
    # pairs that stand apart from where these begin by more than match weights differ.
    least = whole.filter("flagged")["strength"].min()
    apart = (whole["strength"] - least).abs() > 0.5
    agree = (found["strength"] >= least) == whole["flagged"]
    assert apart.sum() > 15 and agree.filter(apart).mean() > 0.9


def test_a_new_member_of_a_farm_is_known_by_its_neighbours(farm):
    """It shares a few pages with each of a farm's hosts, which are copies of each other."""
    few = [f"few{i}.com" for i in range(8)]
    flagged = "SELECT count(*) FROM replicas WHERE flagged AND host_a LIKE 'few%'"
    assert farm.database.value(flagged) > 20
    model = farm.model()
    new = Host(
        "new.example",
        [
            (f"/{p}", f"sha1:{p + 50_000:040x}" if p % 3 else f"sha1:{p + 90_000:040x}")
            for p in range(12)
        ],
    )
    found = model.lookup(new)
    assert {match.host for match in found} == set(few)
    pair = model.score_pair(new, found[0].host)
    assert pair.contributions["shared_neighbours"] > 0 and pair.strength == found[0].strength
    table = model.score(
        pl.DataFrame(
            {"host_a": [match.host for match in found], "host_b": ["new.example"] * len(found)}
        ),
        [new],
    )
    assert table["strength"].to_list() == [match.strength for match in found]
