"""What the report of a crawl counts, against plain queries and against what is known of a crawl
made for it: two families of copies that one host ties together.

Tries group_graphs, ranked_pairs and strengths, too.
"""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import pytest

import replicadb
from replicadb.explanation import explain
from replicadb.findings import collect
from replicadb.findings.group_graphs import bridges, group_graphs, places
from replicadb.findings.strengths import strengths
from replicadb.report.own_crawl.groups_section import groups_section


def crawl() -> str:
    """Four copies of one site, four of another, and a host that has the pages of both."""
    one, other = [f"a{i}" for i in range(40)], [f"b{i}" for i in range(40)]
    sites = {f"left{i}.com": one for i in range(4)} | {f"right{i}.net": other for i in range(4)}
    sites |= {"hub.org": one + other}
    sites |= {f"other{i}.org": [f"o{i}x{j}" for j in range(10)] for i in range(30)}
    rows = [f"http://{host}/{page},sha1:{page}" for host, pages in sites.items() for page in pages]
    return "\n".join(["url,digest", *rows])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A database of the crawl in two loads, closed."""
    folder = tmp_path_factory.mktemp("findings")
    first, *rows = crawl().splitlines()
    with replicadb.open(folder / "web.duckdb") as opened:
        for name, some in (("a", rows[:200]), ("b", rows[200:])):
            (folder / f"{name}.csv").write_text("\n".join([first, *some]))
            opened.load(folder / f"{name}.csv", label=name)
        opened.detect(min_probability=0.3)
    return folder / "web.duckdb"


@pytest.fixture(scope="module")
def web(made):
    with replicadb.open(made, read_only=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def found(web):
    return collect(web.database)


@pytest.mark.slow
def test_hosts_that_were_unloaded_since_leave_the_others_their_places(made, tmp_path):
    with replicadb.open(shutil.copy(made, tmp_path)) as web:
        before = web.database.value("SELECT count(*) FROM replicas")
        web.unload("b")
        pairs = collect(web.database)["ranking"]
        assert 0 < len(pairs["rows"]) < before
        assert set(pairs["explained"]["rank"]) <= {row["rank"] for row in pairs["rows"]}
        web.unload("a")
        assert web.drop_shares().lines() == ["drops nothing: every load was taken out again"]


def test_it_is_json_and_nothing_is_written(web, found):
    json.dumps(found, allow_nan=False)
    before = web.database.value("SELECT count(*) FROM runs")
    assert web.database.temporaries == {} and before == len(found["runs"]) == 3
    assert [run["command"] for run in found["runs"]] == ["detect", "load", "load"]


def test_totals_are_those_of_the_views(web, found):
    totals = found["totals"]
    flagged = web.replicas(flagged=True)
    assert totals["flagged"] == len(flagged) == 20
    assert totals["wrong"] == pytest.approx(float((1 - flagged["probability"]).sum()), abs=1e-4)
    assert totals["least_probability"] == flagged["probability"].min()
    drops = web.flagged_hosts()
    assert (totals["dropped"], totals["saved_urls"]) == (len(drops), drops["urls"].sum())
    assert [row["host"] for row in found["drops"]] == sorted(drops["host"])


@pytest.mark.slow
def test_what_another_threshold_would_flag(web, found):
    for row in found["strengths"]["others"][::4]:
        pairs = web.sql("SELECT * FROM replicas WHERE probability >= $x", {"x": row["x"]})
        hosts = set(pairs["host_a"]) | set(pairs["host_b"])
        assert (row["pairs"], row["hosts"]) == (len(pairs), len(hosts))
        assert row["wrong"] == pytest.approx(float((1 - pairs["probability"]).sum()), abs=1e-4)
    bins = found["strengths"]["histogram"]
    assert sum(one["n"] for one in bins) == found["totals"]["candidates"]
    assert sum(one["flagged"] for one in bins) == 20


@pytest.mark.slow
def test_what_decides_is_explained_first_then_what_is_near_the_end_of_flags(web, monkeypatch):
    monkeypatch.setattr("replicadb.findings.ranked_pairs.TOP", 0)
    ranking = collect(web.database, pairs=15, explained=10)["ranking"]
    assert [row["rank"] for row in ranking["rows"]] == list(range(1, 16))
    chosen = ranking["explained"]["rank"]
    decided = {
        frozenset(pair) for pair in web.flagged_hosts().select("host", "canonical_host").rows()
    }
    decides = [frozenset((row["host_a"], row["host_b"])) in decided for row in ranking["rows"]]
    assert len(chosen) == 10
    assert sum(decides[rank - 1] for rank in chosen) == min(10, sum(decides))
    others = [rank for rank in chosen if not decides[rank - 1]]
    assert others == sorted(others, reverse=True)  # nearest to rank 20, where flags end


def test_a_host_that_ties_two_halves_together_is_seen(found):
    (group,) = found["groups"]["drawn"]
    names = [node["host"] for node in group["nodes"]]
    assert (group["canonical_host"], group["hosts"], len(group["edges"])) == ("hub.org", 9, 20)
    (bridge,) = group["bridges"]
    assert [names[at] for at in bridge["nodes"]] == ["hub.org"] and bridge["parts"] == [4, 4]


def test_bridges_are_hosts_and_edges_that_alone_tie_two_halves():
    def tied(n: int, *edges: tuple[int, int]) -> np.ndarray:
        found = np.zeros((n, n), bool)
        for a, b in edges:
            found[a, b] = found[b, a] = True
        return found

    one, other = [(0, 1), (1, 2), (0, 2)], [(3, 4), (4, 5), (3, 5)]
    assert bridges(tied(6, *one, *other, (2, 3))) == [
        {"nodes": [2], "parts": [3, 2]},
        {"nodes": [3], "parts": [3, 2]},
        {"nodes": [2, 3], "parts": [3, 3]},
    ]
    assert bridges(tied(6, *one, *other, (2, 3), (1, 4))) == []
    assert bridges(tied(4, (0, 1), (0, 2), (0, 3))) == []  # a star: no half has two hosts
    assert bridges(tied(0)) == [] and bridges(tied(1)) == []


def test_places_are_within_the_picture_and_the_same_each_time():
    tied = np.ones((7, 7), bool) & ~np.eye(7, dtype=bool)
    at = places(tied)
    assert at.shape == (7, 2) and at.min() == 0 and at.max() == 1
    assert (at == places(tied)).all()
    far = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1)) + np.eye(7)
    assert far.min() > 0.15
    assert places(np.zeros((1, 1), bool)).tolist() == [[0.5, 0.5]]
    assert places(np.zeros((0, 0), bool)).shape == (0, 2)


@pytest.mark.slow
def test_groups_are_bounded(web, monkeypatch):
    monkeypatch.setattr("replicadb.findings.group_graphs.HOSTS", 3)
    monkeypatch.setattr("replicadb.findings.group_graphs.OUTSIDE", 2)
    (group,) = group_graphs(web.database)["drawn"]
    assert group["hosts"] == 9
    assert [node["part"] for node in group["nodes"]] == ["keep", "drop", "drop"]


def test_without_detection_there_is_what_was_loaded(crawled):
    with replicadb.open(crawled, read_only=True) as opened:
        found = collect(opened.database)
    assert not found["detected"] and len(found["runs"]) == 1 and "ranking" not in found


@pytest.mark.slow
def test_method_paper_has_its_plane_and_passes(detected):
    with replicadb.open(detected, read_only=True) as opened:
        found = collect(opened.database)
        rows = opened.replicas()
    assert sum(cell["n"] for cell in found["strengths"]["plane"]) == len(rows)
    assert any(cell["frontier"] for cell in found["strengths"]["plane"])
    assert {row["learner"] for row in found["strengths"]["passes"]} == {"PU", "NU"}
    assert found["totals"]["wrong"] is None
    assert {row["wrong"] for row in found["strengths"]["others"]} == {None}
    patterns = set(found["ranking"]["explained"]["score_id"])
    assert set(found["ranking"]["explained"]["rules"]) == patterns


@pytest.fixture(scope="module")
def corrected(tmp_path_factory):
    """Copies, versions, and decisions of every kind on them; and what the detection counted."""
    rows = [
        f"http://{host}/s{n}/{key}{n}.html,{key}{n if n < same else f'{host}{n}'},"
        f"{'Part' if n < same or key != 'c' else host} {n},{900 + n + (n >= same) * 7 * len(rest)}"
        for host, key, same, rest in (
            *((f"copy{i}.com", "a", 20, "") for i in range(4)),
            *((f"like{i}.net", "b", 12 + i, "") for i in range(5)),
            *((f"year{i}.org", "c", 7 + i, "x" * i) for i in range(4)),
        )
        for n in range(20)
    ]
    rows += [f"http://own{i}.org/{i}-{n},o{i}x{n},,9" for i in range(30) for n in range(9)]
    file = tmp_path_factory.mktemp("corrected") / "crawl.csv"
    file.write_text("\n".join(["url,digest,title,length", *rows]))
    with replicadb.open(":memory:", threads=1) as web:
        web.load(file)
        web.decide("copy0.com", "copy1.com", False)
        web.decide("copy2.com", "own3.org", True)
        web.decide("own1.org", "own2.org", True)
        web.pin("like0.net", "never")
        web.detect(min_probability=0.05)
        yield web


@pytest.mark.slow
def test_flags_and_thresholds_go_by_decisions_and_kinds(corrected):
    found = collect(corrected.database)
    (run,) = [run for run in found["runs"] if run["command"] == "detect"]
    flagged = corrected.replicas(flagged=True)
    assert found["totals"]["flagged"] == len(flagged)
    assert round(found["totals"]["wrong"], 1) == run["counts"]["expected_wrong_flags"]
    assert round(found["totals"]["replicas"]) == run["counts"]["estimated_replicas"]
    assert found["totals"]["least_probability"] >= 0.05  # of what evidence alone flags
    assert sum(run["counts"]["left_out"].values()) > 0  # else it tries no kinds
    explained = found["ranking"]["explained"]
    said_of = list(zip(explained["rank"], explained["verdict"], strict=True))
    kinds = {re.sub(r"[\w-]+\.[a-z]{3}\b|[\d.]+", "", verdict): rank for rank, verdict in said_of}
    for rank in kinds.values():  # the last of each kind
        row = found["ranking"]["rows"][rank - 1]
        again = explain(corrected.database, row["host_a"], row["host_b"])["verdict"]
        assert dict(said_of)[rank] == again
    assert len(kinds) >= 8
    said = " ".join(explained["verdict"])
    assert "as was decided (they were no candidates)" in said
    assert "like0.net never will be, as was decided" in said
    first, *_, some, few = found["strengths"]["others"]
    assert first["x"] == 0.05 and first["pairs"] == len(flagged) > some["pairs"] > few["pairs"]
    assert first["wrong"] == pytest.approx(found["totals"]["wrong"], abs=1e-6)
    (group,) = (g for g in found["groups"]["drawn"] if g["nodes"][0]["host"] == "own1.org")
    assert [(e["strength"], e["probability"]) for e in group["edges"]] == [(None, 1.0)]
    assert "1 and 2: decided, probability 1" in groups_section(found["groups"])
    corrected.detect(min_probability=some["x"])
    again = strengths(corrected.database)["flags"]
    assert (some["pairs"], round(some["wrong"], 6)) == (again["flagged"], round(again["wrong"], 6))
