"""Detection as a whole: what runs again and what does not, what is ranked how, what is refused, what never breaks."""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import duckdb
import polars as pl
import pytest
from conftest import CRAWL

import replicadb
from replicadb import pipeline
from replicadb.errors import DataError, LimitError, UsageError
from replicadb.settings import CHOICES

NAMES = [stage.name for stage in pipeline.STAGES]
RESULTS = [table for stage in pipeline.STAGES for table in stage.tables]
METHODS = pytest.mark.parametrize("method", ["robust", "paper"])


def csv_of(rows, header: str = "url,ip,digest") -> str:
    return header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


def small_web(seed: int = 5, sites: int = 14) -> str:
    """Sites in pairs of copies (some obvious by name), others that share a few pages; with and without addresses.

    No home pages: the path / alone would make every pair of so few hosts share a path, and no obvious non-replicas.
    """
    draw = random.Random(seed)
    rows = []
    for site in range(sites):
        pages = [f"{site:02d}{page:02d}" for page in range(draw.randint(3, 12))]
        ip = f"10.0.{site % 4}.{site}" if site % 3 else ""
        hosts = {0: (f"site{site}.com", f"www.site{site}.com"), 1: (f"site{site}.com", f"site{site}.org"),
                 2: (f"site{site}.com", f"mirror{site}.net")}.get(site % 4, (f"site{site}.com",))
        for host in hosts:
            kept = [page for page in pages if draw.random() < 0.85] or pages
            rows += [(f"http://{host}/p{page}", ip, page) for page in kept]
            rows += [(f"http://{host}/common{i}", ip, f"ff{i:02d}") for i in range(4) if draw.random() < 0.3]
            rows.append((f"http://{host}/{host}", ip, f"aa{host.encode().hex()}"))
    return csv_of(rows)


def opened(folder: Path, crawl: str, database: str = ":memory:", **settings):
    """A database of that crawl, detected when there are settings for it."""
    (folder / "crawl.csv").write_text(crawl)
    web = replicadb.open(database if database == ":memory:" else folder / database, threads=1)
    web.load(folder / "crawl.csv")
    if settings:
        web.detect(**settings)
    return web


def state(web) -> dict[str, list]:
    return {table: web.database.rows(f"FROM {table} ORDER BY ALL") for table in [*RESULTS, "settings"]}


def pairs(web, view: str = "candidate_pairs") -> set[tuple[str, str]]:
    return set(web.database.rows(f"SELECT host_a, host_b FROM {view}"))


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> Path:
    """A folder with crawl.csv, the small web, and web.duckdb, loaded from it; do not change them."""
    folder = tmp_path_factory.mktemp("loaded")
    opened(folder, small_web(), "web.duckdb").close()
    return folder


@pytest.fixture
def small(tmp_path, loaded):
    """The small web in a database of one's own."""
    shutil.copytree(loaded, tmp_path, dirs_exist_ok=True)
    with replicadb.open(tmp_path / "web.duckdb", threads=1) as web:
        yield web


@pytest.fixture(scope="module")
def lasting(tmp_path_factory):
    """The small web once for many tests; each detects what it needs."""
    with opened(tmp_path_factory.mktemp("lasting"), small_web()) as web:
        yield web


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    """The small web with each method's results, kept as rows."""
    found = {}
    with opened(tmp_path_factory.mktemp("ranked"), small_web()) as web:
        for method in ("paper", "robust"):
            web.detect(method=method)
            found[method] = web.replicas()
    return found


# -- what runs again ----------------------------------------------------------------------------------------


@METHODS
def test_a_second_run_with_the_same_settings_does_nothing(small, method):
    first = small.detect(method=method)
    assert first.stages_run == NAMES and list(first.stage_seconds) == NAMES
    before = state(small)
    second = small.detect(method=method)
    assert second.stages_run == [] and second.counts == first.counts
    assert state(small) == before


@pytest.mark.parametrize(("changes", "stage"), [
    ({"method": "paper"}, "60"), ({"min_probability": 0.5}, "60"), ({"bins": 4}, "50"), ({"seed": 4}, "30"),
    ({"candidates": "either"}, "20"), ({"max_cluster_hosts": 7}, "20"), ({"path_max_hosts": 5}, "10")])
def test_another_setting_starts_where_it_must(lasting, changes, stage):
    lasting.detect()
    assert lasting.detect(**changes).stages_run == [name for name in NAMES if name[:2] >= stage]
    assert lasting.detect(**changes).stages_run == []


def test_limits_that_change_no_result_run_nothing_again(lasting):
    lasting.detect()
    assert lasting.detect(max_pairs=10_000).stages_run == []


def test_stages_taken_up_give_the_tables_of_a_run_from_scratch(tmp_path):
    with opened(tmp_path, small_web(), method="robust") as web:
        for i, changes in enumerate([{"method": "paper", "discretise": "width"}, {"seed": 9, "candidates": "either"}]):
            web.detect(**changes)
            folder = tmp_path / str(i)
            folder.mkdir()
            with opened(folder, small_web(), **changes) as fresh:
                assert state(fresh) == state(web), changes


def test_new_data_run_everything_again_and_the_same_file_nothing(small, tmp_path):
    small.detect()
    small.load(tmp_path / "crawl.csv")
    assert small.detect().stages_run == []
    (tmp_path / "more.csv").write_text("url,digest\nhttp://new.com/p0001,0001\n")
    small.load(tmp_path / "more.csv", label="more")
    assert small.detect().stages_run == NAMES
    assert any("new.com" in pair for pair in pairs(small))
    small.unload("more")
    assert small.detect().stages_run == NAMES
    assert not any("new.com" in pair for pair in pairs(small))


def test_detection_goes_on_after_the_file_was_closed(tmp_path):
    opened(tmp_path, small_web(), "web.duckdb", method="robust").close()
    with replicadb.open(tmp_path / "web.duckdb") as web:
        assert web.detect().stages_run == []


def test_runs_record_settings_counts_and_versions(small):
    done = small.detect(method="paper", seed=3)
    small.detect(method="paper", seed=3)
    rows = small.sql("SELECT * FROM runs WHERE command = 'detect' ORDER BY run_id").to_dicts()
    assert len(rows) == 2
    for row, stages in zip(rows, (NAMES, []), strict=True):
        values = list(row.values())
        assert replicadb.__version__ in values and duckdb.__version__ in values and row["seconds"] >= 0
        settings, counts = json.loads(row["settings"]), json.loads(row["counts"])
        assert settings["method"] == "paper" and settings["seed"] == 3 and settings["max_cluster_hosts"] == 1000
        assert counts == done.counts | {"stages_run": stages}
    assert {"hosts", "dup_clusters", "candidate_pairs", "obvious_replicas", "PU_transitions_per_pass", "NU_transitions_per_pass",
            "flagged_pairs"} <= done.counts.keys()


def test_each_stage_reports_its_start_and_what_it_found(small):
    told = []
    small.detect(report=lambda stage, text: told.append((stage, text)))
    assert list(dict.fromkeys(stage for stage, _ in told)) == NAMES
    assert [stage for stage, text in told if text] == [name for name in NAMES if name != "40_pair_features"]
    assert "hosts" in dict(told)["10_dup_clusters"] and "candidate pairs" in dict(told)["20_candidate_pairs"]


# -- the counts are those of the tables ---------------------------------------------------------------------


@METHODS
def test_the_counts_are_those_of_the_tables(lasting, method):
    counts = lasting.detect(method=method).counts
    value = lasting.database.value
    assert counts["hosts"] == value("SELECT count(*) FROM hosts")
    assert counts["candidate_pairs"] == value("SELECT count(*) FROM candidate_pairs") == value("SELECT count(*) FROM replicas")
    assert counts["obvious_replicas"] == value("SELECT count(*) FROM obvious_replicas") > 3
    assert counts["obvious_non_replicas"] == value("SELECT count(*) FROM labels WHERE label = -1") > 3
    assert counts["flagged_pairs"] == value("SELECT count(*) FROM replicas WHERE flagged") > 3
    assert counts["flagged_hosts"] == value("SELECT count(*) FROM flagged_hosts")
    assert counts["replica_groups"] == value("SELECT count(*) FROM replica_groups")
    assert counts["expected_pairs"] >= counts["candidate_pairs"]


# -- every configuration of the published method ------------------------------------------------------------


@pytest.mark.parametrize("discretise", CHOICES["discretise"])
@pytest.mark.parametrize("schedule", CHOICES["schedule"])
def test_every_configuration_of_the_published_method_ranks_every_candidate(lasting, discretise, schedule):
    web = lasting
    for cut, aggregate in itertools.product(CHOICES["cut"], CHOICES["aggregate"]):
        web.detect(method="paper", discretise=discretise, schedule=schedule, cut=cut, aggregate=aggregate)
        found = web.replicas()
        n = web.database.value("SELECT count(*) FROM candidates")
        assert len(found) == n > 50 and found["rank"].to_list() == list(range(1, n + 1))
        for column in ("pu_score", "nu_score"):
            assert found[column].null_count() == 0 and found[column].is_between(0, 1).all()
        first, second = {"pareto": ("pu_score", "nu_score"), "pu": ("pu_score",) * 2, "nu": ("nu_score",) * 2}[aggregate]
        dominated, free = by_brute_force(list(zip(found[first], found[second], strict=True)))
        assert found["dominates"].to_list() == dominated and found["frontier"].to_list() == free
        assert {row[0] for row in web.database.rows("SELECT DISTINCT learner FROM em_history")} == {"PU", "NU"}


def by_brute_force(points):
    """How many each dominates, and whether it is dominated by none."""
    def beats(a, b):
        return a[0] >= b[0] and a[1] >= b[1] and a != b

    weight = Counter(points)
    dominated = {a: sum(n for b, n in weight.items() if beats(a, b)) for a in weight}
    free = {a: not any(beats(b, a) for b in weight) for a in weight}
    return [dominated[p] for p in points], [free[p] for p in points]


# -- the ranking --------------------------------------------------------------------------------------------


def test_robust_has_no_pu_and_nu_scores_and_dominates_by_strength(ranked):
    found = ranked["robust"]
    assert found["pu_score"].null_count() == found["nu_score"].null_count() == len(found)
    dominated, free = by_brute_force([(s, s) for s in found["strength"]])
    assert found["dominates"].to_list() == dominated and found["frontier"].to_list() == free
    assert found["probability"].is_between(0, 1).all()


@METHODS
def test_score_is_the_share_of_candidates_ranked_below(ranked, method):
    found, n = ranked[method], len(ranked[method])
    assert found["rank"].to_list() == list(range(1, n + 1))
    assert found["score"].to_list() == pytest.approx([(n - rank) / n for rank in range(1, n + 1)], abs=1e-15)
    assert found["score"].is_between(0, 1).all()


WRONG_PLACES = """
SELECT count(*) FROM (
    SELECT r.rank, row_number() OVER (ORDER BY s.dominates DESC, s.strength DESC, f.evidence * f.containment DESC, f.shared DESC,
                                               f.ndist, a.host, b.host) AS place
    FROM ranking AS r
    JOIN pattern_scores AS s USING (score_id)
    JOIN pair_features AS f ON f.a_id = r.a_id AND f.b_id = r.b_id AND f.label >= 0
    JOIN hosts AS a ON a.host_id = r.a_id
    JOIN hosts AS b ON b.host_id = r.b_id)
WHERE rank <> place"""
"""The documented order of sql/70 by a window over the whole table."""


@METHODS
def test_the_order_is_dominance_then_evidence_then_names(lasting, method):
    lasting.detect(method=method)
    assert lasting.database.value(WRONG_PLACES) == 0


def test_the_order_holds_for_many_pairs_in_several_threads(tmp_path):
    """A pair's place in the sorted table is its rank, so the order of rows must survive a parallel sort and insert."""
    draw = random.Random(1)
    hosts = 785
    frame = [(f"http://h{h}.com/", "c0") for h in range(hosts)]
    frame += [(f"http://h{h}.com/p{c}", f"c{c}") for c in range(1, 60) for h in draw.sample(range(hosts), 40)]
    pl.DataFrame(frame, schema=["url", "fingerprint"], orient="row").write_parquet(tmp_path / "crawl.parquet")
    with replicadb.open(tmp_path / "web.duckdb", threads=3, memory_limit="300MB") as web:
        web.load(tmp_path / "crawl.parquet")
        assert web.detect(method="paper").counts["candidate_pairs"] == hosts * (hosts - 1) // 2 > 300_000
        assert web.database.rows("SELECT count(*), min(rank), max(rank), count(DISTINCT rank) FROM ranking") == [
            (hosts * (hosts - 1) // 2, 1, hosts * (hosts - 1) // 2, hosts * (hosts - 1) // 2)]
        assert web.database.value(WRONG_PLACES) == 0


@METHODS
def test_groups_hold_direct_copies_of_the_host_that_is_kept(lasting, method):
    small = lasting
    small.detect(method=method)
    flagged = pairs(small, "(FROM replicas WHERE flagged)")
    rows = small.database.rows("SELECT host, canonical_host FROM flagged_hosts")
    assert rows and all(tuple(sorted(row)) in flagged for row in rows)
    assert len({host for host, _ in rows}) == len(rows)
    assert not {host for host, _ in rows} & {kept for _, kept in rows}
    sizes = dict(small.database.rows("SELECT host, n_urls FROM host_stats JOIN hosts USING (host_id)"))
    for kept, members in small.database.rows("SELECT canonical_host, members FROM replica_groups"):
        if len(members) == 2:
            assert kept == min(members, key=lambda h: (-sizes[h], len(h), h))


# -- which pairs are candidates -----------------------------------------------------------------------------


WEB = csv_of([
    ("http://a.com/", "", "01"), ("http://a.com/x", "", "02"), ("http://a.com/y", "", "03"), ("http://a.com/only", "", "0a"),
    ("http://b.com/", "", "01"), ("http://b.com/x", "", "02"), ("http://b.com/z", "", "04"),
    ("http://c.com/c", "", "01"), ("http://c.com/x", "", "05"),
    ("http://d.com/y", "", "06"), ("http://d.com/z", "", "07"),
    ("http://e.com/e", "", "08"), ("http://e.com/f", "", "08"),
])


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("five"), WEB) as web:
        yield web


@pytest.mark.parametrize(("settings", "wanted"), [
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
])
def test_candidates_share_content_a_path_or_either(five, settings, wanted):
    five.detect(**settings)
    assert pairs(five) == pairs(five, "replicas") == {(f"{a}.com", f"{b}.com") for a, b in wanted.split()}
    capped = "max_cluster_hosts" in settings
    for a, b, n in five.database.rows("SELECT host_a, host_b, shared FROM candidate_pairs"):
        assert n == {("a.com", "b.com"): 2 - capped, ("a.com", "c.com"): 1, ("b.com", "c.com"): 1}.get((a, b), 0)


def test_clusters_on_too_many_hosts_are_listed_with_their_cost(tmp_path):
    rows = [(f"http://h{h}.com/parked", "", "ee") for h in range(6)] + [(f"http://h{h}.com/rare", "", "dd") for h in range(2)]
    with opened(tmp_path, csv_of(rows), max_cluster_hosts=5) as web:
        assert web.database.rows("SELECT fingerprint, hosts, urls, pairs, example_path FROM skipped_clusters") == [
            ("ee", 6, 6, 15, "/parked")]
        assert pairs(web) == {("h0.com", "h1.com")}
        found = web.detect(max_cluster_hosts=6)
        assert found.counts["skipped_clusters"] == 0 and found.counts["candidate_pairs"] == 15
        assert web.database.rows("FROM skipped_clusters") == []
        assert web.detect(max_cluster_hosts=1).counts["candidate_pairs"] == 0
        assert {row[0] for row in web.database.rows("SELECT fingerprint FROM skipped_clusters")} == {"dd", "ee"}
        assert web.detect(max_cluster_hosts=0).counts["candidate_pairs"] == 15
        assert web.database.rows("FROM skipped_clusters") == []


# -- limits -------------------------------------------------------------------------------------------------


def test_more_pairs_than_allowed_are_refused_with_advice_and_earlier_results_stay(small):
    small.detect(max_cluster_hosts=3)
    before, counted = state(small), small.database.value("SELECT count(*) FROM runs")
    with pytest.raises(LimitError, match=r"candidate pairs would come .* --max-pairs 10; raise it, or lower --max-cluster-hosts"):
        small.detect(max_pairs=10)
    assert state(small) == before
    assert small.database.value("SELECT count(*) FROM runs") == counted
    assert small.detect(max_cluster_hosts=3).stages_run == []


def test_a_refusal_after_a_new_load_leaves_the_earlier_results_too(small, tmp_path):
    small.detect()
    before = state(small)
    (tmp_path / "more.csv").write_text("url,digest\nhttp://late.com/,zzz\n")
    small.load(tmp_path / "more.csv")
    with pytest.raises(LimitError):
        small.detect(max_pairs=10)
    assert state(small) == before


@pytest.mark.parametrize(("candidates", "expected"), [("content", 4), ("path", 6), ("either", 10)])
def test_the_limit_is_on_the_pairs_summed_over_clusters_and_paths(five, candidates, expected):
    five.detect(candidates=candidates, max_cluster_hosts=2)
    with pytest.raises(LimitError, match=f"{expected} candidate pairs"):
        five.detect(candidates=candidates, max_pairs=expected - 1)
    assert five.detect(candidates=candidates, max_pairs=expected).counts["expected_pairs"] == expected


@pytest.mark.parametrize("settings", [
    {"method": "magic"}, {"min_shared": 0}, {"bins": 0}, {"min_support": 0}, {"path_max_hosts": 1}, {"max_pairs": -1}, {"seed": 1.5},
    {"threshold": 0.0}, {"threshold": 1.0}, {"min_probability": 0.0}, {"prior_strength": 0.0}, {"complete_copy": 1.1}, {"nonsense": 1}])
def test_settings_that_cannot_be_meant_are_refused_before_any_work(five, settings):
    before = five.database.rows("FROM stages")
    with pytest.raises(UsageError):
        five.detect(**settings)
    assert five.database.rows("FROM stages") == before


# -- labels -------------------------------------------------------------------------------------------------


OBVIOUS = {("example.com", "www.example.com"): "www", ("example.com", "example.net"): "suffix", ("exemplo.br", "exemplo.gov.br"): "suffix",
           ("shop.example.co.uk", "shop.example.uk"): "suffix",
           ("example.com", "example.local"): "suffix", ("example.local", "example.net"): "suffix"}  # no rule: the last label is the suffix
HOSTS = ("example.com", "www.example.com", "example.net", "exemplo.gov.br", "exemplo.br", "shop.example.uk", "shop.example.co.uk",
         "example.github.io", "example.local", "10.0.0.1", "10.0.0.2", "www2.example.com", "ww.example.com",
         "xn--bcher-kva.de", "example.com.evil.org")


def test_obvious_replicas_differ_by_www_or_by_public_suffix_only(tmp_path):
    with opened(tmp_path, csv_of([(f"http://{host}/", "", "01") for host in HOSTS]), method="robust") as web:
        assert len(pairs(web)) == len(HOSTS) * (len(HOSTS) - 1) // 2
        found = {(a, b): why for a, b, why in web.database.rows("SELECT host_a, host_b, why FROM obvious_replicas")}
        assert found == OBVIOUS
        assert set(web.database.rows("SELECT host_a, host_b FROM replicas WHERE obvious")) == set(OBVIOUS)


def test_names_alone_make_no_obvious_replica(tmp_path):
    rows = [("http://example.com/", "", "01"), ("http://www.example.com/", "", "02"), ("http://other.com/", "", "02")]
    with opened(tmp_path, csv_of(rows), method="robust") as web:
        assert web.database.rows("FROM obvious_replicas") == []


def negatives_of(web) -> set[tuple[str, str]]:
    return set(web.database.rows("""SELECT a.host, b.host FROM labels JOIN hosts AS a ON a.host_id = a_id
                                    JOIN hosts AS b ON b.host_id = b_id WHERE label = -1"""))


@pytest.mark.parametrize("negatives", CHOICES["negatives"])
def test_obvious_non_replicas_share_nothing_and_are_those_of_the_seed(tmp_path, negatives):
    rows = [(f"http://h{h:02d}.com/p{p}", "", f"{h // 2:02d}{p}") for h in range(60) for p in range(h % 7, h % 7 + 2)]
    with opened(tmp_path, csv_of(rows)) as web:
        drawn = {}
        for seed in (0, 1, 0):
            web.detect(seed=seed, negatives=negatives)
            drawn.setdefault(seed, negatives_of(web))
            assert negatives_of(web) == drawn[seed]
        assert drawn[0] != drawn[1] and len(drawn[0]) == web.database.value("SELECT count(*) FROM candidates") // 2
        content, paths = ({f"h{h:02d}.com": {row[i] for row in
                           [(d, u.split("/", 3)[3]) for u, _, d in rows if u.startswith(f"http://h{h:02d}.com")]} for h in range(60)} for i in (0, 1))
        assert all(a < b and not content[a] & content[b] for a, b in drawn[0] | drawn[1])
        sharing = [pair for pair in drawn[0] | drawn[1] if paths[pair[0]] & paths[pair[1]]]
        assert bool(sharing) == (negatives == "content")
        assert not pairs(web) & (drawn[0] | drawn[1])


def test_no_more_obvious_non_replicas_than_asked_for(small):
    small.detect(max_negatives=3)
    assert len(negatives_of(small)) == 3
    small.detect(max_negatives=0)
    assert negatives_of(small) == set()


# -- crawls that are hardly any -----------------------------------------------------------------------------


ODD = {
    "one URL": ([("http://a.com/", "10.0.0.1", "01")], 1, 0),
    "one host": ([("http://a.com/", "10.0.0.1", "01"), ("http://a.com/x", "10.0.0.1", "01")], 1, 0),
    "two hosts that share nothing": ([("http://a.com/", "", "01"), ("http://b.com/", "", "02")], 2, 0),
    "two hosts with one page": ([("http://a.com/", "", "01"), ("http://b.com/", "", "01")], 2, 1),
    "obvious pairs only": ([(f"http://{w}a{i}.com/", "", i) for i in range(4) for w in ("", "www.")], 8, 4),
    "no fingerprints": ([(f"http://h{i}.com/", "10.0.0.1", "") for i in range(5)], 5, 0),
    "no addresses": ([(f"http://h{i}.com/{p}", "", f"{i // 2}{p}") for i in range(6) for p in range(3)], 6, 3),
    "the same pages everywhere": ([(f"http://h{i}.com/{p}", "10.0.0.1", f"0{p}") for i in range(7) for p in range(4)], 7, 21),
    "one page, a host with one URL": ([("http://big.com/" + str(p), "", p) for p in range(30)] + [("http://one.com/", "", "7")], 2, 1),
    "addresses as hosts": ([("http://10.0.0.1/", "10.0.0.1", "01"), ("http://[2001:db8::1]/", "2001:db8::1", "01")], 2, 1),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ODD)
def test_crawls_that_are_hardly_any_are_detected_all_the_same(tmp_path, name):
    rows, hosts, wanted = ODD[name]
    with opened(tmp_path, csv_of(rows)) as web:
        for settings in ({"method": "robust"}, {"method": "paper"}, *[{"candidates": "either"}] * (name == "no fingerprints")):
            found = web.detect(**settings)
            n = found.counts["candidate_pairs"]
            assert found.counts["hosts"] == hosts and (n == wanted or "candidates" in settings)
            replicas = web.replicas()
            assert replicas["rank"].to_list() == list(range(1, n + 1))
            assert replicas["score"].to_list() == pytest.approx([(n - rank) / n for rank in range(1, n + 1)])
            assert web.detect(**settings).stages_run == []
            assert web.flagged_hosts().height == found.counts["flagged_hosts"] and web.groups().height == found.counts["replica_groups"]


def test_nothing_loaded_is_nothing_to_detect(web):
    with pytest.raises(DataError, match="load a crawl first"):
        web.detect()
    assert web.database.rows("FROM runs") == []


def test_a_crawl_unloaded_leaves_nothing_to_detect(tmp_path):
    (tmp_path / "crawl.csv").write_text(CRAWL)
    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(tmp_path / "crawl.csv", label="crawl")
        web.detect()
        web.unload("crawl")
        with pytest.raises(DataError, match="load a crawl first"):
            web.detect()


# -- interrupted --------------------------------------------------------------------------------------------


def stopping_at(stage: str, error: type[BaseException], monkeypatch) -> None:
    """The stage does its work and then stops, before its transaction ends."""
    def instead(run):
        def work_and_stop(db, settings):
            run(db, settings)
            raise error
        return work_and_stop

    monkeypatch.setattr(pipeline, "STAGES", tuple(replace(s, run=instead(s.run)) if s.name == stage else s for s in pipeline.STAGES))


def test_a_detection_stopped_again_and_again_goes_on_where_it_was(tmp_path, monkeypatch):
    opened(tmp_path, small_web(), "web.duckdb").close()
    for stage, error in zip(NAMES, itertools.cycle([KeyboardInterrupt, RuntimeError])):
        with replicadb.open(tmp_path / "web.duckdb") as web:
            with monkeypatch.context() as patch, pytest.raises(error):
                stopping_at(stage, error, patch)
                web.detect()
            assert web.database.column("SELECT stage FROM stages ORDER BY stage") == [name for name in NAMES if name < stage]
            assert not any(web.database.value(f"SELECT count(*) FROM {table}") for s in pipeline.STAGES if s.name >= stage for table in s.tables)
            with pytest.raises(DataError, match="detect"):
                web.replicas()
    with replicadb.open(tmp_path / "web.duckdb") as web:
        assert web.detect().stages_run == NAMES[-1:]
        assert len(web.replicas()) > 30


@pytest.mark.parametrize("changes", [{"min_shared": 2}, {"method": "paper"}])
def test_the_first_stage_to_run_again_keeps_the_earlier_results_when_stopped(lasting, monkeypatch, changes):
    lasting.detect()
    before = state(lasting)
    stage = "60_scores" if "method" in changes else "20_candidate_pairs"
    with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
        stopping_at(stage, KeyboardInterrupt, patch)
        lasting.detect(**changes)
    assert state(lasting) == before
    assert lasting.detect().stages_run == []
    assert lasting.detect(**changes).stages_run == [name for name in NAMES if name >= stage]
