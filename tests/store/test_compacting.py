"""A database written anew is the same database, in less space."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import replicadb
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


WRITER = """
import sys, replicadb
try:
    with replicadb.open(sys.argv[1]) as web:
        input("here")
except replicadb.LockedError:
    print("locked")"""


def writer(path: Path) -> subprocess.Popen:
    """Another process that has the file open to write until it gets a line."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_nobody_writes_into_the_old_file_while_the_new_one_takes_its_place(loaded, monkeypatch):
    """What they wrote would be gone with it."""
    answers = []

    def slow(part):
        answers.append(writer(loaded).communicate("\n")[0].strip())

    monkeypatch.setattr("replicadb.store.atomic_file.sync_file", slow)
    assert compact(loaded) and answers == ["locked"]


def test_a_database_that_is_open_elsewhere_stays_as_it_is(cli, with_more, tmp_path, monkeypatch):
    """And what was taken out of it is out: the command did its work."""
    path = Path(shutil.copy(with_more, tmp_path / "web.duckdb"))
    others = []

    def opened_first(file):
        others.append(writer(file))
        assert others[0].stdout.read(4) == "here"
        return compact(file)

    monkeypatch.setattr("replicadb.store.compacting.compact", opened_first)
    answer = cli("unload", path, "big")
    others[0].communicate("\n")
    assert answer.code == 0 and "took out 1 file of big\nrun detect again" in answer.err
    with replicadb.open(path, read_only=True) as web:
        assert "big" not in [load["name"] for load in web.info()["loads"]]


def test_a_database_with_a_log_stays_as_it_is(loaded):
    """The log belongs to the old file."""
    Path(f"{loaded}.wal").touch()
    assert not compact(loaded)


@pytest.mark.slow
def test_unload_says_what_became_of_the_space(cli, with_more, tmp_path):
    path = Path(shutil.copy(with_more, tmp_path / "web.duckdb"))
    answer = cli("unload", path, "big")
    assert answer.code == 0 and "took out 1 file of big\nthe file has " in answer.err
    assert f"run detect again: replicadb detect {path}" in answer.err
    answer = cli("unload", path, "crawl")
    assert answer.code == 0 and "took out 1 file of crawl\n" in answer.err
