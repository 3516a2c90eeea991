"""The benchmarks' own pieces: the bare script makes columns that detect makes, fits find planted
slopes, plots are well-formed.
"""

from __future__ import annotations

import runpy
import sys
from xml.etree import ElementTree

import duckdb
import polars as pl
import pytest

import replicadb
from benchmarks import measure, plot
from benchmarks.measure import Usage
from benchmarks.speed import bare, new_data
from benchmarks.speed.scale import Point, slopes
from replicadb.synthetic.crawl.generate import generate


@pytest.mark.slow
def test_the_bare_script_makes_each_pair_that_detect_makes_with_equal_columns(tmp_path):
    generate(tmp_path / "c", hosts=150, profile="demo", seed=5)
    database, out = tmp_path / "web.duckdb", tmp_path / "bare.duckdb"
    with replicadb.open(database) as db:
        db.load(tmp_path / "c" / "crawl.parquet")
        db.detect(max_cluster_hosts=0)
    bare.make(database, out)
    assert bare.compare(database, out) == []
    with duckdb.connect(str(out)) as con:
        con.execute(f"ATTACH '{database}' AS web (READ_ONLY)")
        names = [
            row[0]
            for row in con.execute("SELECT column_name FROM (DESCRIBE pair_features)").fetchall()
        ]
        assert names == ["a_id", "b_id", "label", "shared", *bare.COLUMNS]
        alike = " AND ".join(
            f"(o.{n} IS NOT DISTINCT FROM t.{n} OR abs(o.{n} - t.{n}) <= 1e-5 *"
            f" greatest(abs(t.{n}), 1))"
            for n in names
        )
        ours, bare_pairs, both, equal = con.execute(
            f"""SELECT (SELECT count(*) FROM web.internal.pair_features),
                (SELECT count(*) FROM pair_features), count(*), count(*) FILTER ({alike})
            FROM pair_features AS o JOIN web.internal.pair_features AS t USING (a_id, b_id)"""
        ).fetchall()[0]
        assert ours == bare_pairs == both == equal > 300
        con.execute("UPDATE pair_features SET fullpath = fullpath + 0.01")
    assert [line.split(":")[0] for line in bare.compare(database, out)] == ["fullpath"]


def test_slopes_are_those_that_the_points_were_made_with():
    points = [
        Point(
            series,
            urls,
            pairs,
            Usage(1 + urls * 2e-6, 0, 0, 100),
            Usage(3 + urls * 4e-6 + pairs * 5e-6, 0, 1, 200),
            1,
        )
        for series, urls, pairs in (
            ("size", 10**6, 10**5),
            ("size", 3 * 10**6, 10**6),
            ("size", 10**7, 9 * 10**6),
            ("pairs", 10**6, 10**6),
            ("pairs", 10**6, 4 * 10**6),
        )
    ]
    lines = {
        line.split(" | ")[0].strip("| "): [cell.strip(" |") for cell in line.split(" | ")[1:]]
        for line in slopes(points).splitlines()
    }
    assert lines["load, s"][:3] == ["2.00", "", "1.00"]
    assert lines["detect, s"][:3] == ["4.00", "5.00", "3.00"]
    assert lines["detect, peak memory, MB"][3:] == ["0.00", "0.00"] or lines[
        "detect, peak memory, MB"
    ][3:] == ["-0.00", "-0.00"]


@pytest.mark.parametrize(
    "points", [[(1, 10)], [(1, 2), (3, 4), (30, 500)], [(0.05, 0.2), (0.1, 0.19)]]
)
def test_a_plot_is_well_formed_and_holds_each_point(points):
    root = ElementTree.fromstring(plot.svg([plot.Panel("URLs", "seconds", [("load", points)])]))
    circles = [mark for mark in root if mark.tag.endswith("circle")]
    assert len(circles) == len(points)
    assert all(
        plot.LEFT <= float(mark.get("cx")) <= plot.LEFT + plot.WIDTH
        and plot.TOP <= float(mark.get("cy")) <= plot.TOP + plot.HEIGHT
        for mark in circles
    )


@pytest.mark.slow
def test_a_process_that_fails_stops_the_benchmark_unless_it_may_refuse():
    assert measure.process([sys.executable, "-c", "raise SystemExit(3)"], refusal=3) is None
    with pytest.raises(SystemExit, match="exit code 3"):
        measure.process([sys.executable, "-c", "raise SystemExit(3)"])
    used = measure.process([sys.executable, "-c", "b'x' * 80_000_000"])
    assert 80 < used.peak_mb < 200 and used.wall > 0


def test_a_second_detection_that_is_not_the_fresh_one_stops_the_benchmark(tmp_path):
    one, same, other = (tmp_path / f"{name}.parquet" for name in ("one", "same", "other"))
    for path, rank in ((one, 1), (same, 1), (other, 2)):
        pl.DataFrame(
            {
                "host_a": ["a"],
                "host_b": ["b"],
                "rank": [rank],
                "shared": [1],
                "reach": [0.5 / rank],
                "strength": [0.0],
            }
        ).write_parquet(path)
    new_data.must_agree(one, same)
    with pytest.raises(SystemExit, match="2 rows"):
        new_data.must_agree(one, other)
    assert new_data.changed_pairs(one, other) == [("shared", 0), ("reach", 1), ("any of them", 1)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["speed.detect", "speed.load", "speed.new_data", "speed.versus_splink", "reliability.kernels"],
)
def test_who_asks_for_help_starts_no_run(name, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", [name, "--help"])
    monkeypatch.delitem(sys.modules, f"benchmarks.{name}", raising=False)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(f"benchmarks.{name}", run_name="__main__")
    assert not ended.value.code and f"python -m benchmarks.{name}" in capsys.readouterr().out
