"""The benchmarks' own pieces: the bare script makes detect's very table, fits find planted slopes,
plots are well-formed.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import duckdb
import numpy as np
import polars as pl
import pytest

import replicadb
from replicadb.synthetic.crawl.generate import generate

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(autouse=True)
def _beside(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_the_bare_script_makes_each_pair_and_feature_that_detect_makes(tmp_path):
    import bare

    generate(tmp_path / "c", hosts=250, profile="demo", seed=5)
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
        alike = " AND ".join(
            f"(o.{n} IS NOT DISTINCT FROM t.{n} OR abs(o.{n} - t.{n}) <= 1e-5 *"
            f" greatest(abs(t.{n}), 1))"
            for n in names
        )
        ours, both, equal = con.execute(
            f"""SELECT (SELECT count(*) FROM web.pair_features), count(*), count(*) FILTER ({alike})
            FROM pair_features AS o JOIN web.pair_features AS t USING (a_id, b_id)"""
        ).fetchall()[0]
        assert ours == both == equal > 300
        con.execute("UPDATE pair_features SET fullpath = fullpath + 0.01")
    assert [line.split(":")[0] for line in bare.compare(database, out)] == ["fullpath"]


@pytest.mark.parametrize("script", ["real.py", "other_accuracy.py"])
def test_a_benchmark_says_how_it_is_called(script):
    done = subprocess.run(
        [sys.executable, BENCHMARKS / script, "--help"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and done.stdout.startswith("usage: ") and not done.stderr


def test_a_folder_without_a_labelled_crawl_is_told(tmp_path):
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "real.py", tmp_path],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2 and f"no urls.parquet and no gold.csv in {tmp_path}" in done.stderr


@pytest.mark.filterwarnings("error")
def test_the_mean_of_no_figure_is_none_and_no_warning():
    from other_accuracy import means

    assert means([[1.0, np.nan, np.nan], [3.0, 5.0, np.nan]]) == pytest.approx(
        [2.0, 5.0, np.nan], nan_ok=True
    )


def test_slopes_are_those_that_the_points_were_made_with():
    from measure import Usage
    from scale import Point, slopes

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
    import plot

    root = ElementTree.fromstring(plot.svg([plot.Panel("URLs", "seconds", [("load", points)])]))
    circles = [mark for mark in root if mark.tag.endswith("circle")]
    assert len(circles) == len(points)
    assert all(
        plot.LEFT <= float(mark.get("cx")) <= plot.LEFT + plot.WIDTH
        and plot.TOP <= float(mark.get("cy")) <= plot.TOP + plot.HEIGHT
        for mark in circles
    )


def test_a_process_that_fails_stops_the_benchmark_unless_it_may_refuse():
    import measure

    assert measure.process([sys.executable, "-c", "raise SystemExit(3)"], refusal=3) is None
    with pytest.raises(SystemExit, match="exit code 3"):
        measure.process([sys.executable, "-c", "raise SystemExit(3)"])
    used = measure.process([sys.executable, "-c", "b'x' * 80_000_000"])
    assert 80 < used.peak_mb < 200 and used.wall > 0


def test_a_second_detection_that_is_not_the_fresh_one_stops_the_benchmark(tmp_path):
    import new_data

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
    new_data._must_agree(one, same)
    with pytest.raises(SystemExit, match="2 rows"):
        new_data._must_agree(one, other)
    assert new_data._changed(one, other) == [("shared", 0), ("reach", 1), ("any of them", 1)]


# -- crawls by another hand
# -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hand", "scenario"),
    [
        ("other_webs", "tiny"),
        ("other_webs", "docs"),
        ("other_webs", "theme_demo"),
        ("third_webs", "tiny"),
        ("third_webs", "static_all_types"),
        ("fourth_webs", "tiny"),
        ("fourth_webs", "static_pages"),
        ("fifth_webs", "docs"),
        ("fifth_webs", "cdn"),
        ("sixth_webs", "gateways"),
        ("sixth_webs", "docs_versions"),
    ],
)
def test_webs_by_another_hand_are_the_same_each_time_and_have_replicas(tmp_path, hand, scenario):
    webs = importlib.import_module(hand)
    first, again, other = (
        webs.write(tmp_path / name, scenario, seed) for name, seed in (("a", 3), ("b", 3), ("c", 4))
    )
    assert (
        first.crawl.read_bytes() == again.crawl.read_bytes() != other.crawl.read_bytes()
        and first.gold.read_bytes() == again.gold.read_bytes()
    )
    gold = pl.read_csv(first.gold)
    hosts = set(pl.read_parquet(first.crawl)["url"].str.split("/").list.get(2))
    assert (gold["host_a"] < gold["host_b"]).all() and set(gold["label"]) <= {
        "replica",
        "unclear",
        "near-replica",
    }
    assert (
        set(gold["host_a"]) | set(gold["host_b"]) <= hosts
        and (gold["label"] == "replica").sum() > 3
    )
    assert first.all_types == (
        scenario in ("theme_demo", "static_all_types", "static_pages", "cdn", "gateways")
    )
