"""No command writes a result over a crawl file that was loaded."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import replicadb
from replicadb.errors import UsageError
from replicadb.store.atomic_file import is_duckdb

WRITE = (
    ("export", "x.duckdb", "crawl.csv"),
    ("export", "x.duckdb", "crawl.csv", "--as", "urls"),
    ("export", "x.duckdb", "crawl.csv", "--check", "5"),
    ("sql", "x.duckdb", "FROM hosts", "-o", "crawl.csv"),
    ("sql", "x.duckdb", "COPY hosts TO 'crawl.csv' (FORMAT csv)", "--files"),
    ("label", "x.duckdb", "--export", "crawl.csv"),
    ("aliases", "x.duckdb", "crawl.csv"),
    ("families", "x.duckdb", "crawl.csv"),
    ("recheck", "x.duckdb", "crawl.csv"),
    ("rewrite", "export", "x.duckdb", "crawl.csv", "--format", "json"),
    ("diff", "x.duckdb", "one", "-o", "crawl.csv"),
    ("model", "export", "x.duckdb", "crawl.csv"),
    ("report", "x.duckdb", "crawl.html"),
    ("pages", "train", "x.duckdb", "--model", "crawl.csv"),
    ("pages", "train", "x.duckdb", "--report", "crawl.html"),
    ("pages", "evaluate", "x.duckdb", "gold.csv", "--report", "crawl.html"),
)


@pytest.fixture(scope="module")
def of_crawl(detected, tmp_path_factory) -> Path:
    """A detection whose source is crawl.csv in the folder where somebody is."""
    copy = Path(shutil.copy(detected, tmp_path_factory.mktemp("own") / "x.duckdb"))
    with replicadb.open(copy) as db:
        db.database.execute("UPDATE sources SET source = 'crawl.csv'")
    return copy


@pytest.fixture
def path(of_crawl, tmp_path) -> Path:
    """A database that was loaded from crawl.csv here, and from a file that is gone."""
    (tmp_path / "crawl.csv").write_text("precious")
    (tmp_path / "crawl.html").symlink_to("crawl.csv")
    return Path(shutil.copy(of_crawl, tmp_path / "x.duckdb"))


@pytest.mark.parametrize("command", WRITE, ids=" ".join)
def test_no_command_writes_over_a_file_that_was_loaded(cli, path, command):
    answer = cli(*command)
    assert answer.code == 2, answer
    assert "is a crawl file that x.duckdb was loaded from; name another file" in answer.err
    assert Path("crawl.csv").read_text() == "precious"


@pytest.mark.parametrize(
    "command",
    [
        ("rewrite", "export", "x.duckdb", "x.duckdb", "--format", "json"),
        ("pages", "train", "x.duckdb", "--model", "x.duckdb"),
        ("export", "x.duckdb", "x.duckdb", "--format", "csv"),
        ("export", "x.duckdb", "x.duckdb", "--as", "hosts"),
        ("sql", "x.duckdb", "FROM hosts", "-o", "x.duckdb", "--format", "csv"),
    ],
    ids=" ".join,
)
def test_no_command_writes_over_a_database(cli, path, command):
    answer = cli(*command)
    assert answer.code == 2, answer
    assert "x.duckdb: is a DuckDB database; name another file" in answer.err
    assert is_duckdb(path)


def test_a_file_is_known_by_any_name_and_only_while_it_is_there(path, tmp_path):
    with replicadb.open(path, read_only=True) as db:
        for name in (tmp_path / "crawl.csv", "./crawl.csv"):
            with pytest.raises(UsageError, match="name another file"):
                db.export(name)
        os.unlink("crawl.csv")
        assert db.export("crawl.csv")
        assert db.export("other.csv")


def test_it_is_known_from_another_folder_and_its_folder_is_spared(cli, path, tmp_path, monkeypatch):
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    answer = cli("export", path, "../crawl.csv")
    assert answer.code == 2 and "is a crawl file that" in answer.err
    for statement in ("COPY hosts TO '..' (PER_THREAD_OUTPUT, OVERWRITE)", "EXPORT DATABASE '..'"):
        answer = cli("sql", path, statement, "--files")
        assert answer.code == 2 and "name another f" in answer.err
    assert (tmp_path / "crawl.csv").read_text() == "precious"
    assert cli("sql", path, "EXPORT DATABASE 'new'", "--files").code == 0


def test_a_statement_may_read_a_file_that_was_loaded(cli, path):
    statement = "COPY (FROM read_text('crawl.csv')) TO 'other.csv'"
    assert cli("sql", path, statement, "--files").code == 0
    assert "precious" in Path("other.csv").read_text()
