"""After a further load of known hosts only the pairs of touched hosts are made anew, and the result is that of a fresh database."""

from __future__ import annotations

import contextlib
import random
import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from feature_reference import draw_rows

import replicadb
from replicadb import kept, pairs, pipeline

LATER = "20230101000000"
EITHER = {"candidates": "either", "min_shared": 2, "max_cluster_hosts": 30, "path_max_hosts": 40}


@pytest.fixture(scope="module")
def crawl(tmp_path_factory) -> Path:
    """A folder with crawl.parquet, of links, titles, assets and addresses, and web.duckdb, loaded and detected from it."""
    folder = tmp_path_factory.mktemp("kept")
    write(folder / "crawl.parquet", draw_rows(11, n_hosts=70))
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / "crawl.parquet", all_types=True)
        web.detect()
    return folder


def write(path: Path, rows: list[dict]) -> Path:
    pl.DataFrame(rows, infer_schema_length=None).drop("scheme", "host", "path", strict=False).write_parquet(path)
    return path


def rows_of(crawl: Path, host: str, n: int) -> list[dict]:
    """Some pages of a host, to be fetched again."""
    rows = [row for row in pl.read_parquet(crawl / "crawl.parquet").to_dicts() if row["url"].split("/")[2] == host and row["status"] == "200" and row["fingerprint"]]
    return sorted(rows, key=lambda row: row["url"])[:n]


def hosts_of(crawl: Path) -> list[str]:
    with replicadb.open(crawl / "web.duckdb", read_only=True) as web:
        return web.database.column("SELECT host FROM hosts JOIN host_stats USING (host_id) WHERE n_shared_clusters > 3 ORDER BY host")


def found(web: replicadb.ReplicaDB) -> list[tuple]:
    return web.database.rows("SELECT * EXCLUDE (rank), rank FROM replicas ORDER BY rank") + web.database.rows("FROM members ORDER BY ALL")


def again(crawl: Path, folder: Path, loads: list[Path], **settings) -> tuple[dict, list[tuple], list[tuple]]:
    """Counts of the last detection after these loads, each detected; what it found; and what a fresh database finds."""
    with replicadb.open(shutil.copy(crawl / "web.duckdb", folder / "grown.duckdb")) as web:
        web.detect(**settings)
        for load in loads:
            web.load(load, all_types=True)
            counts = web.detect(**settings).counts
        assert web.database.column("SELECT table_name FROM duckdb_tables() WHERE table_name = 'kept_pairs'") == []
        grown = found(web)
    with replicadb.open(folder / "fresh.duckdb") as web:
        for load in [crawl / "crawl.parquet", *loads]:
            web.load(load, all_types=True)
        web.detect(**settings)
        return counts, grown, found(web)


CHANGES = {
    "content": lambda row, other: {"fingerprint": "ab" * 20},
    "content that another has": lambda row, other: {"fingerprint": other["fingerprint"]},
    "unknown content": lambda row, other: {"fingerprint": None},
    "title": lambda row, other: {"title": "Another title"},
    "title that another has": lambda row, other: {"title": other["title"] or "Home"},
    "length": lambda row, other: {"length": 77},
    "type": lambda row, other: {"mime": "image/png"},
    "address": lambda row, other: {"ip": "192.0.2.77"},
    "address that another has": lambda row, other: {"ip": other["ip"] or "192.0.1.1"},
    "links": lambda row, other: {"links": ["http://somewhere.else.net/", other["url"]]},
    "canonical link": lambda row, other: {"canonical": other["url"]},
    "new page": lambda row, other: {"url": row["url"] + "x"},
    "page at a path that another has": lambda row, other: {"url": "/".join(row["url"].split("/")[:3] + other["url"].split("/")[3:])},
}


@pytest.mark.parametrize("settings", [{}, EITHER], ids=["content", "either"])
@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_the_result_is_that_of_a_fresh_database(crawl, tmp_path, monkeypatch, change, settings):
    monkeypatch.setattr(kept, "WORTH", 1)
    first, *_, other = hosts_of(crawl)
    rows = [row | CHANGES[change](row, beside) | {"timestamp": LATER} for row, beside in zip(rows_of(crawl, first, 4), rows_of(crawl, other, 4), strict=False)]
    counts, grown, fresh = again(crawl, tmp_path, [write(tmp_path / "later.parquet", rows)], **settings)
    assert grown == fresh
    assert 0 < counts["touched_hosts"] < 70


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_loads_one_after_another_give_what_they_give_together(crawl, tmp_path, monkeypatch, seed):
    monkeypatch.setattr(kept, "WORTH", 1)
    monkeypatch.setattr(pairs, "SLICE_ROWS", 500)
    draw, hosts = random.Random(seed), hosts_of(crawl)
    loads = []
    for number in range(3):
        rows = []
        for host in draw.sample(hosts, draw.choice((1, 1, 2, 5))):
            beside = rows_of(crawl, draw.choice(hosts), 9)
            rows += [row | draw.choice([*CHANGES.values()])(row, draw.choice(beside)) | {"timestamp": f"202{4 + number}0101000000"}
                     for row in rows_of(crawl, host, 9) if draw.random() < 0.5]
        loads.append(write(tmp_path / f"{number}.parquet", rows or rows_of(crawl, hosts[0], 1)))
    counts, grown, fresh = again(crawl, tmp_path, loads, **draw.choice(({}, EITHER, {"candidates": "path"}, {"method": "paper"})))
    assert grown == fresh and "touched_hosts" in counts


def test_only_pairs_of_touched_hosts_are_made_anew(crawl, tmp_path, monkeypatch):
    """A page that nobody else has comes to one host: that is touched, and those that it links to. Rows of others are the very rows, which a mark shows."""
    host = hosts_of(crawl)[0]
    row = rows_of(crawl, host, 1)[0] | {"url": f"http://{host}/nobody/else/has/this-long-path", "fingerprint": "cd" * 20, "title": None, "links": None,
                                        "canonical": None, "ip": None, "mime": "text/html", "timestamp": LATER}
    with replicadb.open(shutil.copy(crawl / "web.duckdb", tmp_path)) as web:
        db = web.database
        db.execute("UPDATE pair_features SET nmatch = 0.123")
        web.load(write(tmp_path / "later.parquet", [row]), all_types=True)
        assert 1 <= web.detect().counts["touched_hosts"] < 12
        marked = "SELECT count(*) FROM pair_features JOIN hosts ON host_id IN (a_id, b_id) WHERE host = $host AND (nmatch = 0.123::FLOAT) = $marked"
        assert db.value(marked, {"host": host, "marked": True}) == 0 < db.value(marked, {"host": host, "marked": False})
        assert db.value("SELECT count(*) FROM pair_features WHERE nmatch = 0.123::FLOAT") > 100


def test_pages_fetched_again_without_a_change_touch_nothing(crawl, tmp_path):
    host = hosts_of(crawl)[0]
    loads = [write(tmp_path / f"{year}.parquet", [row | {"timestamp": f"{year}0101000000"} for row in rows_of(crawl, host, 20)]) for year in (2023, 2024)]
    with replicadb.open(shutil.copy(crawl / "web.duckdb", tmp_path)) as web:
        web.load(loads[0], all_types=True)
        web.detect()
        before = found(web)
        web.load(loads[1], all_types=True)
        result = web.detect()
        assert result.counts["touched_hosts"] == 0 and "20_pair_features" in result.stages_run
        assert found(web) == before and before


@pytest.mark.parametrize("stage", ["10_dup_clusters", "20_pair_features"])
def test_stopped_in_between_the_next_detection_goes_on_also_after_more_loads(crawl, tmp_path, monkeypatch, stage):
    monkeypatch.setattr(kept, "WORTH", 1)
    hosts = hosts_of(crawl)
    loads = [write(tmp_path / f"{n}.parquet", [row | {"fingerprint": f"{n}d" * 20, "timestamp": f"202{n}0101000000"} for row in rows_of(crawl, hosts[n], 3)]) for n in (3, 4)]
    with replicadb.open(shutil.copy(crawl / "web.duckdb", tmp_path / "grown.duckdb")) as web:
        for load in loads:
            web.load(load, all_types=True)
            with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
                patch.setattr(pipeline, "STAGES", tuple(replace(s, run=stopping(s.run)) if s.name == stage else s for s in pipeline.STAGES))
                web.detect()
        if stage == "20_pair_features":
            assert web.database.value("SELECT count(*) FROM pair_features") == 0  # what may be kept waits elsewhere
        assert 2 <= web.detect().counts["touched_hosts"] < 70
        grown = found(web)
    with replicadb.open(tmp_path / "fresh.duckdb") as web:
        for load in [crawl / "crawl.parquet", *loads]:
            web.load(load, all_types=True)
        web.detect()
        assert found(web) == grown


def stopping(run):
    def work_and_stop(db, settings):
        run(db, settings)
        raise KeyboardInterrupt
    return work_and_stop


@pytest.mark.parametrize("settings", [{"min_shared": 2}, {"reference": "later"}, {"max_cluster_hosts": 5}, {"path_max_hosts": 3}])
def test_pairs_of_other_settings_are_not_kept(crawl, tmp_path, monkeypatch, settings):
    monkeypatch.setattr(kept, "WORTH", 1)
    load = write(tmp_path / "later.parquet", [row | {"fingerprint": "ef" * 20, "timestamp": LATER} for row in rows_of(crawl, hosts_of(crawl)[0], 2)])
    with replicadb.open(shutil.copy(crawl / "web.duckdb", tmp_path / "grown.duckdb")) as web:
        web.load(load, all_types=True, label="later")
        with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
            patch.setattr(pipeline, "STAGES", tuple(replace(s, run=stopping(s.run)) if s.name[:2] == "20" else s for s in pipeline.STAGES))
            web.detect()  # with the old settings, stopped while pairs wait
        assert "touched_hosts" not in web.detect(**settings).counts
        grown = found(web)
        assert web.database.column("SELECT table_name FROM duckdb_tables() WHERE table_name = 'kept_pairs'") == []
    with replicadb.open(tmp_path / "fresh.duckdb") as web:
        web.load(crawl / "crawl.parquet", all_types=True)
        web.load(load, all_types=True, label="later")
        web.detect(**settings)
        assert found(web) == grown and (grown or "reference" in settings)


def test_a_host_that_comes_or_goes_changes_every_rarity_and_nothing_is_kept(crawl, tmp_path):
    rows = rows_of(crawl, hosts_of(crawl)[0], 3)
    new = write(tmp_path / "new.parquet", [row | {"url": row["url"].replace(row["url"].split("/")[2], "a-new-host.com")} for row in rows])
    with replicadb.open(shutil.copy(crawl / "web.duckdb", tmp_path)) as web:
        before = found(web)
        web.load(new, all_types=True, label="new")
        assert "touched_hosts" not in web.detect().counts and found(web) != before
        web.unload("new")
        assert "touched_hosts" not in web.detect().counts and found(web) == before
