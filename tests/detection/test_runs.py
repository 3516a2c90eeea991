"""What runs again and what does not, what a refusal or a stop leaves behind, and counts that are
those of the tables.

Tries pipeline, run_log and stage, too.
"""

from __future__ import annotations

import itertools
import json
import shutil
from dataclasses import replace

import duckdb
import pytest

import replicadb
from replicadb.detection import pipeline
from replicadb.detection.stage import Stage
from replicadb.errors import DataError, LimitError, UsageError

from .crawls import NAMES, only_pairs, pairs, state, stopping_at

# -- what runs again
# -------------------------------------------------------------------------------------------


def idle(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """The same stages, which do no work."""
    return tuple(replace(stage, run=lambda db, settings: {}) for stage in stages)


@pytest.mark.slow
def test_a_second_run_with_the_same_settings_does_nothing(small):
    """Nor does it report any; the first reports the start of each stage and what it found."""
    reported = []
    first = small.detect(report=lambda *stage: reported.append(stage))
    assert list(dict.fromkeys(stage for stage, _ in reported)) == NAMES
    assert [stage for stage, text in reported if text] == [
        name for name in NAMES if name not in ("30_non_replicas", "50_patterns")
    ]  # of method paper
    assert "hosts" in dict(reported)["10_dup_clusters"]
    assert "candidate pairs" in dict(reported)["20_pair_features"]
    reported.clear()
    assert first.stages_run == NAMES and [stage.stage for stage in first.profile] == NAMES
    before = state(small)
    second = small.detect(report=lambda *stage: reported.append(stage))
    assert second.stages_run == reported == [] and second.counts == first.counts
    assert state(small) == before


@pytest.mark.slow
def test_another_setting_starts_where_it_must(small, monkeypatch):
    """One setting after the other is put to another value; the stages do no work."""
    monkeypatch.setattr(pipeline, "STAGES", idle(pipeline.STAGES))
    monkeypatch.setattr(pipeline, "notes_of", lambda *_: [])
    assert small.detect().stages_run == NAMES
    settings = {}
    for change, stage in (
        ({"min_probability": 0.5}, "60"),
        ({"bins": 4}, "50"),
        ({"path_max_hosts": 5}, "10"),
        ({"candidates": "either"}, "20"),
        ({"max_cluster_hosts": 7}, "20"),
        ({"method": "paper", "min_probability": None, "bins": None}, "30"),
        ({"seed": 4}, "30"),
        ({"max_cluster_hosts": None}, "20"),  # of this method there is no limit where none is named
    ):
        settings |= change
        given = {name: value for name, value in settings.items() if value is not None}
        run = small.detect(**given).stages_run
        assert run == [name for name in NAMES if name[:2] >= stage], change
    assert small.detect(**given).stages_run == []


@pytest.mark.slow
def test_more_pairs_than_allowed_are_refused_with_advice_and_earlier_results_stay(lasting):
    lasting.detect()
    before, counted = state(lasting), lasting.database.value("SELECT count(*) FROM runs")
    with pytest.raises(
        LimitError,
        match=(
            r"candidate pairs would come .* --max-pairs 10; raise it, or lower --max-cluster-hosts"
        ),
    ):
        lasting.detect(max_pairs=10)
    assert state(lasting) == before
    assert lasting.database.value("SELECT count(*) FROM runs") == counted
    assert lasting.detect().stages_run == []


@pytest.mark.slow
def test_stages_taken_up_give_the_tables_of_a_run_from_scratch(lasting, loaded):
    """From where the methods part. From the candidates on: test_incremental.py."""
    lasting.detect()
    changes = {"method": "paper", "discretise": "width"}
    with replicadb.open(shutil.copy(loaded / "web.duckdb", "fresh.duckdb"), threads=1) as fresh:
        for web in (lasting, fresh):
            web.detect(**changes)
        assert state(lasting) == state(fresh)


@pytest.mark.slow
def test_new_data_run_everything_again_and_the_same_file_nothing(small, tmp_path, monkeypatch):
    """The stages after the pairs do no work."""
    monkeypatch.setattr(pipeline, "STAGES", pipeline.STAGES[:2] + idle(pipeline.STAGES[2:]))
    monkeypatch.setattr(pipeline, "notes_of", lambda *_: [])
    small.detect()
    small.load(tmp_path / "crawl.csv")
    assert small.detect().stages_run == []
    (tmp_path / "more.csv").write_text("url,digest\nhttp://new.com/p0001,0001\n")
    small.load(tmp_path / "more.csv", label="more")
    assert small.detect().stages_run == NAMES
    assert any("new.com" in pair for pair in pairs(small))


def test_detection_goes_on_after_the_file_was_closed(small_detected):
    with replicadb.open(shutil.copy(small_detected, "web.duckdb")) as web:
        assert web.detect().stages_run == []


@pytest.mark.slow
def test_runs_record_settings_and_versions_and_counts_that_are_those_of_the_tables(small):
    done = small.detect(method="paper", seed=3)
    small.detect(method="paper", seed=3)
    rows = small.sql("SELECT * FROM runs WHERE command = 'detect' ORDER BY run_id").to_dicts()
    assert len(rows) == 2
    for row, stages in zip(rows, (NAMES, []), strict=True):
        values = list(row.values())
        assert (
            replicadb.__version__ in values and duckdb.__version__ in values and row["seconds"] >= 0
        )
        settings, recorded = json.loads(row["settings"]), json.loads(row["counts"])
        assert (
            settings["method"] == "paper"
            and settings["seed"] == 3
            and settings["max_cluster_hosts"] == 0
        )
        assert recorded == done.counts | {"stages_run": stages}
    counts, value = done.counts, small.database.value
    assert {"dup_clusters", "PU_transitions_per_pass", "NU_transitions_per_pass"} <= counts.keys()
    assert counts["hosts"] == value("SELECT count(*) FROM hosts")
    assert (
        counts["candidate_pairs"]
        == value("SELECT count(*) FROM candidate_pairs")
        == value("SELECT count(*) FROM replicas")
    )
    assert counts["obvious_replicas"] == value("SELECT count(*) FROM obvious_replicas") > 3
    assert counts["obvious_non_replicas"] == value("SELECT count(*) FROM non_replicas") > 3
    assert counts["flagged_pairs"] == value("SELECT count(*) FROM replicas WHERE flagged") >= 3
    assert counts["flagged_hosts"] == value("SELECT count(*) FROM flagged_hosts")
    assert counts["replica_groups"] == value("SELECT count(*) FROM replica_groups")
    assert counts["expected_pairs"] >= counts["candidate_pairs"]


# -- limits


@pytest.mark.slow
def test_a_refusal_after_a_new_load_leaves_the_earlier_results_too(small_detected, tmp_path):
    (tmp_path / "more.csv").write_text("url,digest\nhttp://late.com/,zzz\n")
    with replicadb.open(shutil.copy(small_detected, tmp_path), threads=1) as web:
        before = state(web)
        web.load(tmp_path / "more.csv")
        with pytest.raises(LimitError):
            web.detect(max_pairs=10)
        assert state(web) == before


@pytest.mark.slow
@pytest.mark.parametrize(("candidates", "expected"), [("either", 10)])
def test_the_limit_is_on_the_pairs_summed_over_clusters_and_paths(five, candidates, expected):
    only_pairs(five, candidates=candidates, max_cluster_hosts=2)
    with pytest.raises(LimitError, match=f"{expected} candidate pairs"):
        only_pairs(five, candidates=candidates, max_pairs=expected - 1)
    found = only_pairs(five, candidates=candidates, max_pairs=expected)
    assert found["expected_pairs"] == expected


@pytest.mark.parametrize(
    "settings",
    [
        {"method": "magic"},
        {"min_shared": 0},
        {"bins": 0},
        {"min_support": 0},
        {"path_max_hosts": 1},
        {"max_pairs": -1},
        {"seed": 1.5},
        {"alpha": 0.0},
        {"alpha": 1.0},
        {"min_probability": 0.0},
        {"prior_strength": 0.0},
    ],
)
def test_settings_that_cannot_be_meant_are_refused_before_any_work(five, settings):
    before = five.database.rows("FROM stages")
    with pytest.raises(UsageError):
        five.detect(**settings)
    assert five.database.rows("FROM stages") == before


def test_a_setting_that_there_is_not_is_refused(five):
    with pytest.raises(TypeError, match="nonsense"):
        five.detect(nonsense=1)


# -- interrupted


@pytest.mark.slow
def test_a_detection_stopped_again_and_again_goes_on_where_it_was(small, monkeypatch):
    """That it does once the file was closed, too: test_last_result.py."""
    for stage, error in zip(NAMES, itertools.cycle([KeyboardInterrupt, RuntimeError])):
        with monkeypatch.context() as patch, pytest.raises(error):
            stopping_at(stage, error, patch)
            small.detect()
        assert small.database.column("SELECT stage FROM stages ORDER BY stage") == [
            name for name in NAMES if name < stage
        ]
        assert not any(
            small.database.value(f"SELECT count(*) FROM {table}")
            for s in pipeline.STAGES
            if s.name >= stage
            for table in s.tables
        )
        with pytest.raises(DataError, match="detect"):
            small.replicas()
    assert small.detect().stages_run == NAMES[-1:]
    assert len(small.replicas()) > 30
