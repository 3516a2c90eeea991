"""Decisions bind flags, ranking, groups and hosts to drop; without any all is as ever."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
from statement_cost import nested_joins

import replicadb
from replicadb.detection import notes, robust_method
from replicadb.detection.pipeline import STAGES
from replicadb.detection.stage import stage_key
from replicadb.learning.calibration import taught
from replicadb.settings import Settings
from replicadb.store.statements import statements
from tests.conftest import rest_slow

from .crawls import only_pairs

METHODS = pytest.mark.parametrize("made", rest_slow(["robust", "paper"]), indirect=True)
ROBUST = pytest.mark.parametrize("made", ["robust"], indirect=True)
VIEWS = ("replicas", "flagged_hosts", "replica_groups", "held_hosts")


class Made(NamedTuple):
    """A detected database: where it lies, and what was found by which settings."""

    path: Path
    settings: dict
    results: list
    kept: dict[str, str]
    result: replicadb.Result


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


FARMS = "followed parted joined contradicted pinned twice"
"""Four copies each, whose largest is kept."""
TWINS = "none joined never not-held"
CANDIDATES = 6 * len(FARMS.split()) + len(TWINS.split())


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> Path:
    """FARMS and TWINS, and hosts of their own, loaded; do not change it."""
    rows = [row for n in range(30) for row in site(f"own{n}.org", f"own{n}", 4)]
    for name in FARMS.split():
        rows += site(f"{name}0.com", f"farm-{name}", 24)
        rows += [row for n in (1, 2, 3) for row in site(f"{name}{n}.org", f"farm-{name}")]
    for name in TWINS.split():
        rows += [*site(f"{name}.com", f"twin-{name}"), *site(f"{name}.net", f"twin-{name}")]
    folder = tmp_path_factory.mktemp("decided")
    pl.DataFrame(rows).write_parquet(folder / "c.parquet")
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(folder / "c.parquet")
    return folder / "web.duckdb"


@pytest.fixture(scope="module")
def made(request, loaded, tmp_path_factory) -> Made:
    """The same detected: all pairs of FARMS and TWINS are flagged."""
    settings = {"method": request.param}
    if request.param == "paper":
        settings["first"] = CANDIDATES
    path = Path(shutil.copy(loaded, tmp_path_factory.mktemp("made")))
    with replicadb.open(path, threads=1) as web:
        result = web.detect(**settings)
        assert result.counts["candidate_pairs"] == result.counts["flagged_pairs"] == CANDIDATES
        return Made(path, settings, results(web), kept(web), result)


@pytest.fixture(scope="module")
def decided(made, tmp_path_factory) -> Made:
    """The same with decisions on it, detected; do not change it."""
    path = Path(shutil.copy(made.path, tmp_path_factory.mktemp("decided")))
    with replicadb.open(path, threads=1) as web:
        web.label(written(path.with_name("decisions.csv")))
        result = web.detect(**made.settings)
        return Made(path, made.settings, results(web), kept(web), result)


DECISIONS = (
    ("none.com", "none.net", False),
    ("own3.org", "own4.org", True),
    ("followed1.org", "followed2.org", True),
    ("followed2.org", "followed3.org", True),
    ("parted1.org", "parted2.org", False),
    ("joined.net", "joined2.org", True),
    ("contradicted1.org", "own1.org", True),
    ("own1.org", "own2.org", True),
    ("contradicted1.org", "own2.org", False),
    ("never.net", "own5.org", True),
    ("joined.com", "never.net", True),
    ("not-held.com", "own6.org", True),
)
PINS = (("pinned3.org", "keep"), ("twice1.org", "keep"), ("twice3.org", "keep"))
PINS += (("never.net", "never"),)
OVERRULED = {("never.net", "own5.org"), ("joined.com", "never.net")}
"""Decisions of a host that is never to be flagged."""
ADDED = 5
"""How many of these were no candidates and are now: not that of the host never to be flagged."""
BOUND = ADDED + 2


def written(path: Path) -> Path:
    """DECISIONS and PINS as a file."""
    rows = [("host_a", "host_b", "label", "note")]
    rows += [
        (one, other, "replica" if replica else "no replica", "their owner says so")
        for one, other, replica in DECISIONS
    ]
    rows += [(host, "", pin, "") for host, pin in PINS]
    path.write_text("".join(",".join(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def web(decided):
    """That database, to read."""
    with replicadb.open(decided.path, threads=1, read_only=True) as web:
        yield web


def results(web) -> list:
    return [web.database.rows(f"FROM {view}") for view in VIEWS]


def kept(web) -> dict[str, str]:
    return dict(web.database.rows("SELECT host, canonical_host FROM flagged_hosts"))


def groups(web) -> list[set[str]]:
    return [set(members) for (members,) in web.database.rows("SELECT members FROM replica_groups")]


def pair(web, a: str, b: str) -> dict:
    return web.sql("FROM replicas WHERE host_a = ? AND host_b = ?", [a, b]).to_dicts()[0]


def bound(web, host: str) -> list[bool]:
    return web.database.column(
        "SELECT bound FROM given_decisions WHERE label = 'replica' AND $host IN (host_a, host_b)",
        {"host": host},
    )


@pytest.mark.slow
@ROBUST
def test_taken_back_decisions_leave_everything_as_it_was(made, decided, tmp_path):
    assert decided.results != made.results
    with replicadb.open(shutil.copy(decided.path, tmp_path), threads=1) as web:
        for one, other, _ in DECISIONS:
            web.remove_decision(one, other)
        for host, _ in PINS:
            web.remove_decision(host)
        assert web.detect(**made.settings).stages_run == ["60_scores", "70_replica_groups"]
        assert results(web) == made.results
        assert not web.detect(**made.settings).stages_run


def test_the_keys_of_stages_know_of_decisions_only_where_there_are_some():
    scores = next(stage for stage in STAGES if stage.name == "60_scores")
    features = next(stage for stage in STAGES if stage.name == "20_pair_features")
    keys = [stage_key("k", scores, Settings(), digest) for digest in ("", "a", "b")]
    assert keys[0] == stage_key("k", scores, Settings()) and len(set(keys)) == 3
    assert stage_key("k", features, Settings(), "a") == stage_key("k", features, Settings())


@pytest.mark.slow
@METHODS
def test_a_pair_decided_to_be_none_is_not_flagged_nor_dropped(web, made, decided):
    assert decided.result.counts["decided_pairs"] == len(DECISIONS) - len(OVERRULED)
    found = pair(web, "none.com", "none.net")
    assert made.kept["none.net"] == "none.com" and not {"none.com", "none.net"} & set(kept(web))
    assert not found["flagged"]
    assert not {"none.com", "none.net"} & set(web.sql("FROM held_hosts")["host"])
    if made.settings["method"] == "robust":
        assert found["probability"] == found["score"] == 0 and found["kind"] is None
        last = web.sql("FROM replicas ORDER BY rank DESC LIMIT 2").select("host_a", "host_b")
        assert set(last.rows()) == {("none.com", "none.net"), ("parted1.org", "parted2.org")}
        by_evidence = "SELECT by_evidence FROM given_decisions WHERE host_a = 'none.com'"
        assert web.database.value(by_evidence) > 0.9


@pytest.mark.slow
@METHODS
def test_a_pair_that_was_no_candidate_is_added_with_its_reason(web, made):
    found = pair(web, "own3.org", "own4.org")
    assert found["flagged"] and found["kind"] == "replica" and found["strength"] is None
    assert web.database.value("SELECT count(*) FROM replicas") == CANDIDATES + ADDED
    (row,) = web.sql("FROM flagged_hosts WHERE host = 'own4.org'").to_dicts()
    assert row["canonical_host"] == "own3.org" and row["why"] == "decided"
    if made.settings["method"] == "robust":
        assert found["probability"] == row["probability"] == 1
        first = web.sql("FROM replicas ORDER BY rank LIMIT ?", [BOUND])
        assert (
            set(first.select("host_a", "host_b").rows())
            == {tuple(sorted(pair)) for *pair, replica in DECISIONS if replica} - OVERRULED
        )
    else:
        last = web.sql("FROM replicas ORDER BY rank DESC LIMIT ?", [ADDED])
        assert last["strength"].null_count() == ADDED and last["score"].to_list() == [0] * ADDED
    explained = web.explain("own4.org", "own3.org")
    assert (
        "are flagged as replicas, as was decided (they were no candidates)" in explained["verdict"]
    )
    assert explained["decision"]["note"] == "their owner says so" and explained["evidence"] == []
    (copy,) = web.copies_of("own3.org")["copies"]
    assert (copy["host"], copy["why"]) == ("own4.org", "as was decided")


@pytest.mark.slow
@ROBUST
def test_a_decision_that_the_evidence_follows_changes_no_group(web, made):
    of_farm = [
        {host: to for host, to in found.items() if host.startswith("followed")}
        for found in (made.kept, kept(web))
    ]
    assert of_farm[0] == of_farm[1] and len(of_farm[0]) == 3
    assert bound(web, "followed2.org") == [True, True]


@pytest.mark.slow
@ROBUST
def test_hosts_decided_to_be_none_are_not_joined_through_others(web, made):
    assert made.kept["parted1.org"] == made.kept["parted2.org"] == "parted0.com"
    assert not any({"parted1.org", "parted2.org"} <= group for group in groups(web))
    why = dict(web.database.rows("SELECT host, why FROM held_hosts WHERE host LIKE 'parted%'"))
    assert why == {"parted2.org": "decided: it is no replica of another host of that group"}


@pytest.mark.slow
@ROBUST
def test_a_decision_joins_what_the_evidence_keeps_apart(web):
    together = next(group for group in groups(web) if "joined2.org" in group)
    assert "joined.net" in together


@pytest.mark.slow
@ROBUST
def test_a_contradiction_through_others_is_noted_and_being_apart_counts(web, decided):
    said = "contradiction: contradicted1.org and own2.org are decided to be no replicas"
    assert any(note.startswith(said) for note in decided.result.notes)
    assert not any({"contradicted1.org", "own2.org"} <= group for group in groups(web))


@pytest.mark.slow
@ROBUST
def test_a_host_to_keep_is_kept_of_its_group_and_says_why(web):
    found = kept(web)
    assert {host for host, to in found.items() if to == "pinned3.org"} == {
        "pinned0.com",
        "pinned1.org",
        "pinned2.org",
    }
    assert set(
        web.sql("FROM flagged_hosts WHERE canonical_host = 'pinned3.org'")["kept_because"]
    ) == {"decided: it is to be kept"}
    assert not {"twice1.org", "twice3.org"} & set(found)


@pytest.mark.slow
@ROBUST
def test_a_host_that_is_never_to_be_flagged_is_in_no_flagged_pair(web, made, decided):
    assert made.kept["never.net"] == "never.com"
    hosts = web.sql("FROM replicas WHERE flagged")
    assert "never.net" not in {*hosts["host_a"], *hosts["host_b"]}
    assert any("never.net is never to be flagged" in note for note in decided.result.notes)
    assert bound(web, "never.net") == [False] * len(OVERRULED)


@pytest.mark.slow
@ROBUST
def test_what_a_person_decided_is_not_held_back(web):
    """A host whose pages stand nowhere else goes all the same."""
    assert kept(web)["own6.org"] == "not-held.com"
    assert web.sql("FROM flagged_hosts WHERE host = 'own6.org'")["elsewhere"].to_list() == [0]


@pytest.mark.slow
@ROBUST
def test_exports_follow(web, tmp_path):
    for what in ("hosts", "pairs", "groups"):
        web.export(tmp_path / f"{what}.csv", what, min_probability=0.9)
        text = (tmp_path / f"{what}.csv").read_text()
        assert "own4.org" in text and "none.net" not in text


@ROBUST
@pytest.mark.slow
def test_a_model_is_made_of_the_evidence_alone(web, tmp_path):
    candidates = web.database.value("SELECT count(*) FROM pair_features")
    assert candidates == CANDIDATES
    assert web.model(tmp_path / "m.model").header["counts"]["candidate_pairs"] == candidates


@ROBUST
@pytest.mark.slow
def test_decisions_teach_the_curve_where_the_evidence_chose_the_pairs(made, tmp_path, monkeypatch):
    """A list of what somebody knew is no sample of what is likely: it moves no curve."""
    heard = []

    def listening(curve, strength, replica, mass):
        heard.append((replica.tolist(), mass.tolist()))
        return taught(curve, strength, replica, mass)

    monkeypatch.setattr(robust_method.calibration, "taught", listening)
    with replicadb.open(shutil.copy(made.path, tmp_path), threads=1) as web:
        for source, other in (("list.csv", "list.csv"), ("review", "check")):
            web.decide("pinned1.org", "pinned2.org", False, source=source)
            web.decide("pinned1.org", "pinned3.org", True, source=other)
            web.decide("own1.org", "own3.org", True, source=source)  # no candidate, no lesson
            only_pairs(web, 5, **made.settings)
            web.database.execute("DELETE FROM decisions")
    (_, stated), (classes, drawn) = heard
    assert stated == [0.0, 0.0] and sorted(classes) == [False, True]
    assert drawn == pytest.approx([2**-0.5] * 2, abs=1e-4), "two decided pairs of one host"


@pytest.mark.slow
def test_a_web_without_candidates_has_what_was_decided(tmp_path):
    pl.DataFrame([*site("a.com", "a"), *site("b.com", "b")]).write_parquet(tmp_path / "c.parquet")
    with replicadb.open(":memory:", threads=1) as web:
        web.load(tmp_path / "c.parquet")
        web.decide("a.com", "b.com", True)
        for method in ("robust", "paper"):
            web.detect(method=method)
            assert kept(web) == {"b.com": "a.com"}


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
        assert not said_of_the_reference(web.detect(reference="old", min_probability=0.0001))
        found = kept(web)
        assert found["new3.org"] == "else.com"
        assert len({"new1.org", "new2.org"} & set(found)) == 1
        web.decide("old.com", "else.com", True)
        done = web.detect(reference="old", min_probability=0.0001)
        assert kept(web) == found and done.counts["flagged_pairs"] == len(
            web.replicas(flagged=True)
        )
        (note,) = said_of_the_reference(done)
        assert note.startswith("1 flagged pair is so by decision and of two hosts of old, of which")
        assert not notes._of_the_reference(web.database, Settings(), done.counts)


def said_of_the_reference(done):
    return [note for note in done.notes if "so by decision" in note]


@ROBUST
def test_pins_meet_pairs_by_no_nested_loop(made, tmp_path):
    with replicadb.open(shutil.copy(made.path, tmp_path / "web.duckdb"), threads=1) as web:
        db, sql = web.database, statements("detect/68_decided")
        with db.temporary():
            db.run_once("functions/60_hosts")
            assert nested_joins(db, sql["loaded_decisions"]) == set()
            assert nested_joins(db, sql["never"]) == set()
            db.run("detect/69_scores", only="likely_pairs")
            others = statements("detect/69_scores")["other_kinds"]
            assert nested_joins(db, others, {"kinds": ["thin"]}) == set()


@pytest.mark.slow
@METHODS
def test_a_dropped_host_has_the_place_and_the_probability_of_its_pair(web):
    rows = web.database.rows(
        """SELECT d.rank, d.probability, r.rank, r.probability
        FROM (
            FROM flagged_hosts SELECT host, canonical_host, rank, probability
            UNION ALL FROM held_hosts SELECT host, canonical_host, rank, probability
        ) AS d
        JOIN replicas AS r ON r.host_a = least(host, canonical_host)
            AND r.host_b = greatest(host, canonical_host)"""
    )
    assert len(rows) > 10 and all(row[:2] == row[2:] for row in rows)
