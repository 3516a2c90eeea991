"""A database written anew is the same database, in less space."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import replicadb
from replicadb.errors import LockedError
from replicadb.store.compacting import compact, free_bytes

ROWS = "".join(f"http://h{n % 50}.com/{n},{n}-{'x' * 900}-{n * n}\n" for n in range(2500))


@pytest.fixture(autouse=True)
def _little_is_worth_it(monkeypatch):
    """Small databases are mostly empty tables."""
    monkeypatch.setattr("replicadb.store.compacting.LEAST_FREE", 0.1)


@pytest.fixture(scope="module")
def with_more(detected, tmp_path_factory) -> Path:
    """A detection, and a large load on top of it; copy it before you change it."""
    folder = tmp_path_factory.mktemp("more")
    path = Path(shutil.copy(detected, folder / "web.duckdb"))
    (folder / "big.csv").write_text("url,digest\n" + ROWS)
    with replicadb.open(path) as web:
        web.load(folder / "big.csv", label="big")
    return path


@pytest.fixture(scope="module")
def with_room(with_more, tmp_path_factory) -> Path:
    """The same once that load has left again; copy it before you change it."""
    path = Path(shutil.copy(with_more, tmp_path_factory.mktemp("room") / "web.duckdb"))
    with replicadb.open(path) as web:
        web.unload("big")
    return path


@pytest.fixture
def loaded(with_room, tmp_path) -> Path:
    return Path(shutil.copy(with_room, tmp_path / "web.duckdb"))


def contents(path: Path) -> dict[str, list]:
    with replicadb.open(path, read_only=True) as web:
        tables = web.database.column(
            "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE NOT internal"
            " ORDER BY ALL"
        )
        found = {table: web.database.rows(f"FROM {table}") for table in tables}
        for view in ("replicas", "flagged_hosts", "descriptions"):
            found[view] = sorted(map(repr, web.database.rows(f"FROM main.{view}")))
        return found


@pytest.mark.slow
def test_free_space_goes_back_to_the_disk_and_nothing_else_changes(loaded):
    before, size = contents(loaded), loaded.stat().st_size
    assert free_bytes(loaded) > 0.1 * size and compact(loaded)
    assert loaded.stat().st_size < 0.9 * size and contents(loaded) == before
    assert not compact(loaded) and sorted(p.name for p in loaded.parent.glob("*.part")) == []


def test_a_database_that_is_open_elsewhere_stays_as_it_is(loaded, monkeypatch):
    before = loaded.read_bytes()

    def locked(*_, **__):
        raise LockedError("in use")

    monkeypatch.setattr("replicadb.store.compacting.connect", locked)
    with pytest.raises(LockedError):
        compact(loaded)
    assert loaded.read_bytes() == before


@pytest.mark.slow
def test_unload_says_what_became_of_the_space(cli, with_more, tmp_path):
    path = Path(shutil.copy(with_more, tmp_path / "web.duckdb"))
    answer = cli("unload", path, "big")
    assert answer.code == 0 and "took out 1 file of big\nthe file has " in answer.err
    assert f"run detect again: replicadb detect {path}" in answer.err
    answer = cli("unload", path, "crawl")
    assert answer.code == 0 and "took out 1 file of crawl\n" in answer.err
