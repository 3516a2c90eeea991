"""Decisions bind flags, ranking, groups and hosts to drop; without any all is as ever."""

from __future__ import annotations

import polars as pl
import pytest

import replicadb
from replicadb.detection import robust_method
from replicadb.detection.pipeline import STAGES
from replicadb.detection.stage import stage_key
from replicadb.learning.calibration import taught
from replicadb.settings import Settings
from tests.conftest import rest_slow

METHODS = pytest.mark.parametrize("web", rest_slow(["robust", "paper"]), indirect=True)
ROBUST = pytest.mark.parametrize("web", ["robust"], indirect=True)
VIEWS = ("replicas", "flagged_hosts", "replica_groups", "held_hosts")


def site(host: str, name: str, pages: int = 20) -> list[dict]:
    return [
        {
            "url": f"http://{host}/{name}-{n}/about-{n}.html",
            "digest": f"{name}-{n}",
            "title": f"{name} {n}",
            "length": 1000 + 37 * n,
        }
        for n in range(pages)
    ]


@pytest.fixture(scope="module")
def webs(tmp_path_factory):
    """Four copies of a farm, whose largest is kept; two twins; and hosts of their own."""
    rows = [*site("farm0.com", "farm", 24)]
    rows += [row for n in (1, 2, 3) for row in site(f"farm{n}.org", "farm")]
    rows += [*site("twin.com", "twin"), *site("twin.net", "twin")]
    rows += [row for n in range(30) for row in site(f"own{n}.org", f"own{n}", 4)]
    path = tmp_path_factory.mktemp("decided") / "c.parquet"
    pl.DataFrame(rows).write_parquet(path)
    webs = {}

    def of(method: str) -> replicadb.ReplicaDB:
        if method not in webs:
            webs[method] = replicadb.open(":memory:", threads=1)
            webs[method].load(path)
        return webs[method]

    yield of
    for web in webs.values():
        web.close()


@pytest.fixture
def web(webs, request):
    web = webs(request.param)
    web.settings = {"method": request.param} | ({"first": 7} if request.param == "paper" else {})
    yield web
    for table in ("decisions", "pins"):
        web.database.execute(f"DELETE FROM {table}")


def detect(web):
    return web.detect(**web.settings)


def results(web) -> list:
    return [web.database.rows(f"FROM {view}") for view in VIEWS]


def kept(web) -> dict[str, str]:
    return dict(web.database.rows("SELECT host, canonical_host FROM flagged_hosts"))


def pair(web, a: str, b: str) -> dict:
    return web.sql("FROM replicas WHERE host_a = ? AND host_b = ?", [a, b]).to_dicts()[0]


@pytest.mark.slow
@METHODS
def test_taken_back_decisions_leave_everything_as_it_was(web):
    detect(web)
    before = results(web)
    web.decide("twin.com", "twin.net", False)
    web.pin("farm3.org", "keep")
    detect(web)
    assert results(web) != before
    web.remove_decision("twin.com", "twin.net")
    web.remove_decision("farm3.org")
    assert detect(web).stages_run == ["60_scores", "70_replica_groups"]
    assert results(web) == before
    assert not detect(web).stages_run


def test_the_keys_of_stages_know_of_decisions_only_where_there_are_some():
    scores = next(stage for stage in STAGES if stage.name == "60_scores")
    features = next(stage for stage in STAGES if stage.name == "20_pair_features")
    keys = [stage_key("k", scores, Settings(), digest) for digest in ("", "a", "b")]
    assert keys[0] == stage_key("k", scores, Settings()) and len(set(keys)) == 3
    assert stage_key("k", features, Settings(), "a") == stage_key("k", features, Settings())


@pytest.mark.slow
@METHODS
def test_a_pair_decided_to_be_none_is_not_flagged_nor_dropped(web):
    web.decide("twin.com", "twin.net", False)
    result = detect(web)
    assert result.counts["decided_pairs"] == 1
    found = pair(web, "twin.com", "twin.net")
    assert not found["flagged"] and "twin.net" not in kept(web) and "twin.com" not in kept(web)
    assert not {"twin.com", "twin.net"} & set(web.sql("FROM held_hosts")["host"])
    if web.settings["method"] == "robust":
        assert found["probability"] == found["score"] == 0 and found["kind"] is None
        assert found["rank"] == web.database.value("SELECT count(*) FROM ranking")
        assert web.sql("FROM given_decisions")["by_evidence"][0] > 0.9


@pytest.mark.slow
@METHODS
def test_a_pair_that_was_no_candidate_is_added_with_its_reason(web, tmp_path):
    detect(web)
    before = web.database.value("SELECT count(*) FROM replicas")
    web.decide("own3.org", "own4.org", True, note="their owner says so")
    detect(web)
    found = pair(web, "own3.org", "own4.org")
    assert found["flagged"] and found["kind"] == "replica" and found["strength"] is None
    assert web.database.value("SELECT count(*) FROM replicas") == before + 1
    (row,) = web.sql("FROM flagged_hosts WHERE host = 'own4.org'").to_dicts()
    assert row["canonical_host"] == "own3.org" and row["why"] == "decided"
    if web.settings["method"] == "robust":
        assert found["rank"] == 1 and found["probability"] == row["probability"] == 1
    explained = web.explain("own4.org", "own3.org")
    assert (
        "are flagged as replicas, as was decided (they were no candidates)" in explained["verdict"]
    )
    assert explained["decision"]["note"] == "their owner says so" and explained["evidence"] == []
    (copy,) = web.copies_of("own3.org")["copies"]
    assert (copy["host"], copy["why"]) == ("own4.org", "as was decided")
    pytest.importorskip("vl_convert")
    web.report(tmp_path / "report.html")
    assert "own4.org" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.slow
@ROBUST
def test_a_decision_that_the_evidence_follows_changes_no_group(web):
    detect(web)
    before = web.database.rows("SELECT host, canonical_host FROM flagged_hosts ORDER BY ALL")
    for n in (1, 2):
        web.decide(f"farm{n}.org", f"farm{n + 1}.org", True)
    detect(web)
    assert before == web.database.rows(
        "SELECT host, canonical_host FROM flagged_hosts ORDER BY ALL"
    )
    assert web.sql("FROM given_decisions")["bound"].to_list() == [True, True]


@pytest.mark.slow
@ROBUST
def test_hosts_decided_to_be_none_are_not_joined_through_others(web):
    detect(web)
    assert kept(web)["farm1.org"] == kept(web)["farm2.org"] == "farm0.com"
    web.decide("farm1.org", "farm2.org", False)
    detect(web)
    groups = [
        set(members) for (members,) in web.database.rows("SELECT members FROM replica_groups")
    ]
    assert not any({"farm1.org", "farm2.org"} <= group for group in groups)
    why = dict(web.database.rows("SELECT host, why FROM held_hosts"))
    assert why == {"farm2.org": "decided: it is no replica of another host of that group"}


@pytest.mark.slow
@ROBUST
def test_a_decision_joins_what_the_evidence_keeps_apart(web):
    web.decide("twin.net", "farm2.org", True)
    detect(web)
    together = next(
        set(members)
        for (members,) in web.database.rows("SELECT members FROM replica_groups")
        if "farm2.org" in members
    )
    assert "twin.net" in together


@pytest.mark.slow
@ROBUST
def test_a_contradiction_through_others_is_noted_and_being_apart_counts(web):
    web.decide("farm1.org", "own1.org", True)
    web.decide("own1.org", "own2.org", True)
    web.decide("farm1.org", "own2.org", False)
    result = detect(web)
    assert any(
        note.startswith("contradiction: farm1.org and own2.org are decided to be no replicas")
        for note in result.notes
    )
    groups = [
        set(members) for (members,) in web.database.rows("SELECT members FROM replica_groups")
    ]
    assert not any({"farm1.org", "own2.org"} <= group for group in groups)


@pytest.mark.slow
@ROBUST
def test_a_host_to_keep_is_kept_of_its_group_and_says_why(web):
    web.pin("farm3.org", "keep")
    detect(web)
    found = kept(web)
    assert {host for host, to in found.items() if to == "farm3.org"} == {
        "farm0.com",
        "farm1.org",
        "farm2.org",
    }
    assert set(
        web.sql("FROM flagged_hosts WHERE canonical_host = 'farm3.org'")["kept_because"]
    ) == {"decided: it is to be kept"}
    web.pin("farm1.org", "keep")
    detect(web)
    assert not {"farm1.org", "farm3.org"} & set(kept(web))


@pytest.mark.slow
@ROBUST
def test_a_host_that_is_never_to_be_flagged_is_in_no_flagged_pair(web):
    web.pin("twin.net", "never")
    web.decide("twin.net", "own5.org", True)
    result = detect(web)
    hosts = web.sql("FROM replicas WHERE flagged")
    assert "twin.net" not in {*hosts["host_a"], *hosts["host_b"]}
    assert any("twin.net is never to be flagged" in note for note in result.notes)
    assert web.sql("FROM given_decisions WHERE label = 'replica'")["bound"].to_list() == [False]


@pytest.mark.slow
@ROBUST
def test_what_a_person_decided_is_not_held_back(web):
    """A host whose pages stand nowhere else goes all the same."""
    web.decide("twin.com", "own6.org", True)
    detect(web)
    assert kept(web)["own6.org"] == "twin.com"
    assert web.sql("FROM flagged_hosts WHERE host = 'own6.org'")["elsewhere"].to_list() == [0]


@pytest.mark.slow
@ROBUST
def test_exports_follow(web, tmp_path):
    web.decide("own3.org", "own4.org", True)
    web.decide("twin.com", "twin.net", False)
    detect(web)
    for what in ("hosts", "pairs", "groups"):
        web.export(tmp_path / f"{what}.csv", what, min_probability=0.9)
        text = (tmp_path / f"{what}.csv").read_text()
        assert "own4.org" in text and "twin.net" not in text


@ROBUST
@pytest.mark.slow
def test_a_model_is_made_of_the_evidence_alone(web, tmp_path):
    web.decide("own3.org", "own4.org", True)
    detect(web)
    candidates = web.database.value("SELECT count(*) FROM pair_features")
    assert web.model(tmp_path / "m.model").header["counts"]["candidate_pairs"] == candidates


@ROBUST
@pytest.mark.slow
def test_decisions_teach_the_curve_where_the_evidence_chose_the_pairs(web, monkeypatch):
    """A list of what somebody knew is no sample of what is likely: it moves no curve."""
    heard = []

    def listening(curve, strength, replica, mass):
        heard.append((replica.tolist(), mass.tolist()))
        return taught(curve, strength, replica, mass)

    monkeypatch.setattr(robust_method.calibration, "taught", listening)
    for source in ("list.csv", "review"):
        web.decide("farm1.org", "farm2.org", False, source=source)
        web.decide("farm1.org", "farm3.org", True, source=source)
        web.decide("own1.org", "own3.org", True, source=source)  # no candidate teaches nothing
        detect(web)
        web.database.execute("DELETE FROM decisions")
    (_, stated), (classes, drawn) = heard
    assert stated == [0.0, 0.0] and sorted(classes) == [False, True]
    assert drawn == pytest.approx([2**-0.5] * 2, abs=1e-4), "two decided pairs of one host"


@pytest.mark.slow
def test_a_web_without_candidates_has_what_was_decided(tmp_path):
    pl.DataFrame([*site("a.com", "a"), *site("b.com", "b")]).write_parquet(tmp_path / "c.parquet")
    with replicadb.open(":memory:", threads=1) as web:
        web.load(tmp_path / "c.parquet")
        for method in ("robust", "paper"):
            web.decide("a.com", "b.com", True)
            web.detect(method=method)
            assert kept(web) == {"b.com": "a.com"}
            web.remove_decision("a.com", "b.com")
            web.detect(method=method)
            assert kept(web) == {}


@pytest.mark.slow
def test_with_a_reference_load_decisions_bind_too(tmp_path):
    for name, rows in (
        ("old", [*site("old.com", "x"), *site("else.com", "z")]),
        ("new", [*site("new1.org", "x"), *site("new2.org", "x"), *site("new3.org", "y")]),
    ):
        pl.DataFrame(rows).write_parquet(tmp_path / f"{name}.parquet")
    with replicadb.open(":memory:", threads=1) as web:
        for name in ("old", "new"):
            web.load(tmp_path / f"{name}.parquet", label=name)
        web.decide("new1.org", "new2.org", False)
        web.decide("new3.org", "else.com", True)
        web.detect(reference="old", min_probability=0.0001)
        found = kept(web)
        assert found["new3.org"] == "else.com"
        assert len({"new1.org", "new2.org"} & set(found)) == 1
