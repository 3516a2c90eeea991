"""Where the work is cut changes nothing: slices of hosts, batches of pairs, the sample that tables
are adjusted on.
"""

from __future__ import annotations

import itertools
import shutil
import weakref
from pathlib import Path

import polars as pl
import pytest

import replicadb
from replicadb.detection import (
    blocking,
    crawl_weights,
    name_similarity,
    pair_scoring,
    pipeline,
)
from replicadb.settings import Constants

from .crawls import only_pairs, pairs_alone
from .drawn_crawl import draw_rows

pytestmark = pytest.mark.slow

RESULTS = [table for stage in pipeline.STAGES for table in stage.tables]
KINDS = [
    ({"method": "paper", "max_cluster_hosts": 0}, 85),
    (
        {"reference": "one", "candidates": "either"}
        | {"min_shared": 2, "max_cluster_hosts": 9, "path_max_hosts": 12},
        130,
    ),
]
"""Settings, and rows of a slice that make more than five."""


@pytest.fixture(scope="module")
def linked(tmp_path_factory) -> Path:
    """A crawl with links, canonical links, titles, assets, several addresses; in two loads that
    have hosts in common.
    """
    rows = draw_rows(7, n_hosts=28)
    folder = tmp_path_factory.mktemp("linked")
    frame = pl.DataFrame(rows, infer_schema_length=None).drop("scheme", "host", "path")
    half = sorted({row["host"] for row in rows})[::2]
    first = pl.Series([row["host"] in half or i % 97 == 0 for i, row in enumerate(rows)])
    frame.filter(first).write_parquet(folder / "one.parquet")
    frame.filter(~first).write_parquet(folder / "two.parquet")
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(folder / "one.parquet", all_types=True, label="one")
        web.load(folder / "two.parquet", all_types=True, label="two")
    return folder / "web.duckdb"


def state(path: Path, settings: dict) -> dict[str, list]:
    """Every table that detection fills, rows sorted; ranking as it lies, since its rows' places are
    ranks.
    """
    with replicadb.open(shutil.copy(path, "copy.duckdb"), threads=1) as web:
        db = web.database
        with pairs_alone(5):  # groups are made of no slices
            web.detect(**settings)
        left = db.column("SELECT table_name FROM duckdb_tables() WHERE temporary") + db.column(
            "SELECT view_name FROM duckdb_views() WHERE temporary AND NOT internal"
        )
        assert set(left) <= {"old_hosts"}
        found = {table: db.rows(f"FROM {table} ORDER BY ALL") for table in RESULTS}
        return found | {
            "places": db.rows("SELECT rowid, * FROM ranking ORDER BY rowid"),
            "counts": db.rows("SELECT key, value FROM meta WHERE key LIKE 'counts.%' ORDER BY key"),
        }


def compared_in_turn(monkeypatch) -> list[weakref.ref]:
    """From now on the pairs of a slice are gone before those of the next come; one entry of each
    slice.
    """
    made, compare = [], name_similarity.Names.with_similarity

    def with_similarity(names, pairs):
        assert not any(table() for table in made)
        found = compare(names, pairs)
        made.append(weakref.ref(found))
        return found

    monkeypatch.setattr(name_similarity.Names, "with_similarity", with_similarity)
    return made


@pytest.mark.parametrize(("settings", "rows"), KINDS)
def test_slices_and_batches_do_not_show_and_a_slice_goes_before_the_next_comes(
    linked, settings, rows, monkeypatch
):
    usual = state(linked, settings)
    assert len(usual["pair_features"]) > 50
    assert not usual["shared_neighbours"], "with a reference load they would be half known"
    cut, slices = [], blocking.slices
    monkeypatch.setattr(
        blocking, "slices", lambda *given: cut.extend(found := slices(*given)) or found
    )
    monkeypatch.setattr(blocking, "SLICE_ROWS", rows)
    monkeypatch.setattr(name_similarity, "BATCH", 7)
    monkeypatch.setattr(name_similarity, "LOOKED_UP", 5)
    monkeypatch.setattr(pair_scoring, "BATCH", 11)
    made = compared_in_turn(monkeypatch)
    other = state(linked, settings)
    assert len(made) > 5
    assert (
        len(cut) > 5
        and all(low <= high for low, high in cut)
        and all(a[1] + 1 == b[0] for a, b in itertools.pairwise(cut))
    )
    for table in usual:
        assert other[table] == usual[table], table


def test_a_sample_to_adjust_on_is_the_same_in_any_order_of_loading(linked, tmp_path, monkeypatch):
    monkeypatch.setattr(crawl_weights, "CONSTANTS", Constants(learn_from=60))
    adjusted, patterns = [], crawl_weights.example_patterns
    monkeypatch.setattr(
        crawl_weights,
        "example_patterns",
        lambda *given: adjusted.append(found := patterns(*given)) or found,
    )
    results = []
    shutil.copy(linked, tmp_path / "1.duckdb")
    for threads, order in ((1, ()), (2, ("two", "one"))):
        with replicadb.open(tmp_path / f"{threads}.duckdb", threads=threads) as web:
            for name in order:
                web.load(linked.parent / f"{name}.parquet", all_types=True, label=name)
            counted = only_pairs(web, 5, candidates="either")
            assert counted["obvious_replicas"] > 0
            assert web.database.value("SELECT count(*) FROM shared_neighbours") > 0
            views = ("replicas ORDER BY rank", "evidence_weights ORDER BY ALL")
            results.append((*(web.sql(f"FROM {view}") for view in views), counted))
    (first, weights, counts), (second, other, _) = results
    assert first.equals(second) and weights.equals(other)
    bins, n, obvious = adjusted[0]
    assert len(bins) < counts["candidate_pairs"] / 3 and obvious.sum() == counts["obvious_replicas"]
    assert n.sum() == pytest.approx(counts["candidate_pairs"])  # the sample stands for all
