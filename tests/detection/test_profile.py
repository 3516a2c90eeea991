"""detect --profile, and limits on a database that has not changed.

Tries profiling, too.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import replicadb
from replicadb.errors import LimitError
from replicadb.store import profiling

from .crawls import pairs_alone


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("profile")
    rows = [f"http://h{h}.com/p{p},{h // 3}-{p}" for h in range(12) for p in range(5)]
    (folder / "crawl.csv").write_text("url,digest\n" + "\n".join(rows) + "\n")
    with replicadb.open(folder / "web.duckdb") as db:
        db.load(folder / "crawl.csv")
    return folder / "web.duckdb"


@pytest.fixture
def web(loaded, tmp_path):
    return shutil.copy(loaded, tmp_path)


@pytest.mark.slow
def test_the_profile_lists_the_stages_that_ran_with_seconds_rows_and_peak(web, cli):
    answer = cli("detect", web, "--profile", "--quiet")
    assert answer.code == 0 and answer.err == ""
    lines = answer.out.splitlines()
    assert lines[0].split() == ["stage", "seconds", "rows", "peak", "MB"]
    stages = [
        re.fullmatch(r"(\d\d_\w+) +([\d.]+) +([\d,]+) +([\d,]+)", line)
        for line in lines[1:-1]
        if line[0] != " "
    ]
    assert [m[1] for m in stages] == [
        "10_dup_clusters",
        "20_pair_features",
        "30_non_replicas",
        "50_patterns",
        "60_scores",
        "70_replica_groups",
    ]
    with replicadb.open(web, read_only=True) as db:
        pairs = db.database.value("SELECT count(*) FROM pair_features")
    assert int(stages[1][3]) == pairs and all(int(m[4].replace(",", "")) > 20 for m in stages)
    steps = [
        line.split(": ")[1].split()[0] for line in lines if line.startswith("  40_pair_features: ")
    ]
    assert steps == [] or set(steps) <= {
        "features",
        "host_norms",
        "common_addresses",
        "host_addresses",
    }
    assert lines[-1].startswith("in all")
    answer = cli("detect", web, "--profile")  # without work it is of nothing
    assert [line.split()[0] for line in answer.out.splitlines()] == ["stage", "in"]


@pytest.mark.slow
def test_a_lower_limit_is_checked_though_nothing_changed(web):
    """Of candidates by content: test_runs.py."""
    settings = {"candidates": "either"}
    with replicadb.open(web) as db, pairs_alone():
        expected = db.detect(**settings).counts["expected_pairs"]
        assert expected > 1
        with pytest.raises(LimitError, match=f"{expected:,} candidate pairs would come"):
            db.detect(max_pairs=expected - 1, **settings)
        assert db.detect(max_pairs=expected, **settings).stages_run == []


def test_a_system_that_does_not_tell_the_peak_gets_what_there_is(tmp_path, monkeypatch):
    for status in ("Name: python\nVmRSS: 5 kB\n", None):
        if status:
            (tmp_path / "status").write_text(status)
        monkeypatch.setattr(profiling, "STATUS", tmp_path / ("status" if status else "nowhere"))
        with profiling.measured("a stage", True) as found:
            pass
        assert found.peak > 1_000_000
