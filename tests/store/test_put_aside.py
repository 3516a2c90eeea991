"""What was put aside and left: by a version to come or gone, by hand, by who cannot write."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

import replicadb
from replicadb.errors import DataError, LockedError
from replicadb.store import database, put_aside
from replicadb.store.older_schemas import ASIDE


@pytest.fixture(scope="module")
def made(detected_robust, tmp_path_factory) -> Path:
    """A database in which what the last detection ranked is aside: with no pair, as if the one
    after it had been stopped. Copy it before you open it.
    """
    path = Path(shutil.copy(detected_robust, tmp_path_factory.mktemp("left") / "web.duckdb"))
    with replicadb.open(path, threads=1) as web:
        db = web.database
        with db.transaction():
            put_aside.begin(db, ["counts.60_scores"], [])
            put_aside.renew(db, "ranking", "left_out", "members")
            db.execute("DELETE FROM stages WHERE stage >= '60'")
            db.execute("DELETE FROM meta WHERE key = 'counts.60_scores'")
    return path


@pytest.fixture
def left(made, tmp_path) -> Path:
    return Path(shutil.copy(made, tmp_path / "web.duckdb"))


def holds(web) -> tuple:
    """Ranked pairs, members of groups, finished stages, tables beside those of a new file."""
    db, three = web.database, ("ranking", "members", "stages")
    beside = "SELECT table_name FROM duckdb_tables() WHERE table_name ~ '.*_before.*' ORDER BY ALL"
    return (*(db.value(f"SELECT count(*) FROM {name}") for name in three), db.column(beside))


@pytest.fixture(scope="module")
def before(detected_robust) -> tuple:
    with replicadb.open(detected_robust, read_only=True) as web:
        found = holds(web)
    assert found[0] and found[1] and not found[3]
    return found


@pytest.mark.parametrize("read_only", [False, True])
def test_who_opens_the_database_next_finds_it_put_back(left, before, read_only):
    with replicadb.open(left, read_only=read_only) as web:
        assert holds(web) == before
        assert web.database.read_only is read_only
        assert web.database.rows("SELECT key FROM meta WHERE key = $key", {"key": ASIDE}) == []
        assert web.database.value("SELECT count(*) FROM meta WHERE key = 'counts.60_scores'")


def test_a_reader_that_may_not_write_is_told_what_brings_it_back(left, before, monkeypatch):
    connect = database.connect

    def refused(error):
        def connect_to_read(path, read_only):
            if not read_only:
                raise error
            return connect(path, read_only)

        return connect_to_read

    for error, said in (
        (DataError("no right to write"), "comes back when it can be opened to write: no right"),
        (LockedError("in use"), "in use"),
    ):
        with monkeypatch.context() as patch, pytest.raises(type(error), match=said):
            patch.setattr(database, "connect", refused(error))
            replicadb.open(left, read_only=True)
    with replicadb.open(left, read_only=True) as web:
        assert holds(web) == before


def test_where_opening_fails_the_file_is_let_go(left, before, monkeypatch):
    """Another process can open it while the error is at hand."""

    def full(*_):
        raise duckdb.IOException("No space left on device")

    with monkeypatch.context() as patch, pytest.raises(duckdb.IOException) as failed:
        patch.setattr(put_aside, "_put_back_rows", full)
        replicadb.open(left)
    assert failed.traceback
    with duckdb.connect(str(left), config={"threads": 1}) as con:  # in other settings
        assert con.execute("SELECT count(*) FROM internal.ranking").fetchall() == [(0,)]
    with replicadb.open(left) as web:
        assert holds(web) == before


@pytest.fixture(scope="module")
def urls(detected_robust) -> list[tuple]:
    with replicadb.open(detected_robust, read_only=True) as web:
        return web.database.rows("FROM internal.urls ORDER BY ALL")


NEWER = """INSERT INTO history.runs (run_id, command)
    SELECT max(run_id) + 1, 'detect' FROM history.runs"""


@pytest.mark.parametrize(
    ("values", "statement"),
    [
        ({}, NEWER),
        ({}, "DROP TABLE internal.ranking_before"),
        ({"version": 5}, ""),
        ({"tables": {"ranking": 'x"; DROP TABLE internal.urls; --'}}, ""),
        ({"tables": {"urls": "ranking_before"}}, ""),
        ({"tables": {"ranking": "urls"}}, ""),
        ({"tables": {"ranking": "1_before"}}, ""),
        ({"pairs_of": "pair_features", "taken_out": ["hosts", "urls"]}, ""),
        ({"version": "31"}, ""),
        ({"stages": [["60_scores"]]}, ""),
        ({"stages": None}, ""),
        ({"meta": []}, ""),
        ({"macros": [1]}, ""),
        ({"macros": ["CREATE OR REPLACE MACRO internal.mine() AS ("]}, ""),
        ({"tables": None}, ""),
        ({"of_another_version": 1}, ""),
        (None, ""),
    ],
)
def test_what_does_not_hold_good_is_not_put_back_and_nothing_else_changes(
    left, before, urls, monkeypatch, values, statement
):
    """Another version went on, the rows are gone, older tables, or nothing that we wrote. The file
    says so: its row of meta is read with other values in it.
    """
    if statement:
        with duckdb.connect(str(left)) as con:
            con.execute(statement)
    read = SimpleNamespace(
        dumps=json.dumps, loads=lambda text: json.loads("none" if values is None else text) | values
    )
    monkeypatch.setattr(put_aside, "json", read)
    with replicadb.open(left, threads=1) as web:
        assert web.database.rows("FROM internal.urls ORDER BY ALL") == urls
        assert holds(web)[:3] == (0, 0, before[2] - 2)
        assert not web.database.rows("SELECT key FROM meta WHERE key = $key", {"key": ASIDE})
        assert values or statement == "" or not holds(web)[3]
        if statement.startswith("DROP"):
            web.detect()
            assert holds(web)[:3] == before[:3]


def test_what_cannot_be_put_back_keeps_nobody_from_opening_the_database(left, before, monkeypatch):
    """Something that somebody made is in the way; the next detection makes all anew."""

    def in_the_way(*_):
        raise duckdb.DependencyException("entries depend on it")

    with monkeypatch.context() as patch:
        patch.setattr(put_aside, "_put_back_rows", in_the_way)
        with replicadb.open(left, threads=1) as web:
            assert holds(web) == (0, 0, before[2] - 2, [])
    with replicadb.open(left, threads=1) as web:
        web.detect()
        assert holds(web) == before


@pytest.mark.parametrize(
    "macro",
    [
        "DROP TABLE internal.urls",
        "CREATE OR REPLACE MACRO internal.may_be() AS 1; DROP TABLE internal.urls",
        "CREATE OR REPLACE MACRO main.may_be() AS 1",
    ],
)
def test_no_statement_of_a_file_is_run_but_one_that_makes_a_macro(left, before, macro):
    made = "CREATE OR REPLACE MACRO internal.may_be() AS '0.25'::DOUBLE"
    with duckdb.connect(str(left)) as con:
        query = "SELECT value FROM internal.meta WHERE key = ?"
        values = json.loads(con.execute(query, [ASIDE]).fetchall()[0][0])
        text = json.dumps(values | {"macros": [macro, made]})
        con.execute("UPDATE internal.meta SET value = ? WHERE key = ?", [text, ASIDE])
    with replicadb.open(left, threads=1) as web:
        assert holds(web) == before
        assert web.database.value("SELECT count(*) FROM urls")
        assert web.database.value("SELECT internal.may_be()") == 0.25
