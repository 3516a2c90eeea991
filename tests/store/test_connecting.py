"""Opening the file: somebody else's, odd names, bounds of memory, what a killed process left.

Tries database, too.
"""

from __future__ import annotations

import errno
import os
import signal

import duckdb
import pytest

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.store import connecting
from replicadb.store.database import Database

FOREIGN = (
    "CREATE TABLE t AS SELECT 1 AS a",
    "CREATE VIEW pages AS SELECT 42 AS x",
    "CREATE SCHEMA other; CREATE VIEW other.replicas AS SELECT 1 AS x",
    "CREATE MACRO evidence_of(a) AS a",
    "CREATE SEQUENCE s",
    "CREATE TYPE mood AS ENUM ('a')",
    "CREATE SCHEMA internal",
    "CREATE TABLE meta (key VARCHAR, value VARCHAR)",
)


@pytest.mark.slow
@pytest.mark.parametrize("made", FOREIGN)
def test_a_database_with_anything_of_somebody_else_s_stays_as_it_is(tmp_path, made):
    path = tmp_path / "foreign.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(made)
    before = path.read_bytes()
    with pytest.raises(DataError, match="not one of replicadb"):
        replicadb.open(path)
    assert path.read_bytes() == before


@pytest.mark.slow
def test_an_empty_database_of_duckdb_is_taken(tmp_path):
    duckdb.connect(str(tmp_path / "empty.duckdb")).close()
    with replicadb.open(tmp_path / "empty.duckdb") as web:
        assert web.info()["urls"] == 0


@pytest.mark.parametrize("limit", ["-1", "0", "1MB", "1 KB", "lots", "-5GB", ""])
def test_a_memory_limit_that_cannot_be_meant_is_refused(limit):
    with pytest.raises(UsageError, match=f"memory limit '{limit}' is"):
        replicadb.open(":memory:", memory_limit=limit)


@pytest.mark.parametrize("threads", [0, -1, 257, 1.5, "2", True])
def test_a_number_of_threads_that_cannot_be_meant_is_refused(threads):
    with pytest.raises(UsageError, match=f"threads {threads!r}: give a whole number from 1 to 256"):
        replicadb.open(":memory:", threads=threads)


def test_the_least_memory_limit_makes_a_database(tmp_path):
    with replicadb.open(tmp_path / "small.duckdb", memory_limit="17MB", threads=1) as web:
        assert web.info()["urls"] == 0


def test_a_database_whose_name_is_no_utf8_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"a\\xff.duckdb: the name is no UTF-8"):
        replicadb.open(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.duckdb"))


@pytest.mark.slow
def test_what_a_killed_process_had_spilled_goes_when_the_file_is_opened_to_write(tmp_path):
    path, spilled = tmp_path / "web.duckdb", tmp_path / "web.duckdb.tmp"
    replicadb.open(path).close()
    spilled.mkdir(exist_ok=True)
    for name in ("duckdb_temp_storage_DEFAULT-0.tmp", "somebody.txt"):
        (spilled / name).write_text("x")
    replicadb.open(path, read_only=True).close()
    assert len(list(spilled.iterdir())) == 2
    replicadb.open(path).close()
    assert [left.name for left in spilled.iterdir()] == ["somebody.txt"]


@pytest.mark.slow
@pytest.mark.usefixtures("truly_new")
def test_a_new_file_and_a_database_in_memory_answer_alike(tmp_path, write):
    crawl = write("crawl.csv", "url,digest\nhttp://a.example/,x\nhttp://b.example/,x\n")
    answers = []
    for place in (":memory:", tmp_path / "web.duckdb"):
        with replicadb.open(place) as web:
            web.load(crawl)
            tables = "FROM duckdb_tables() SELECT schema_name, sql ORDER BY ALL"
            answers.append((web.sql("FROM pages").rows(), web.database.rows(tables)))
    assert answers[0] == answers[1] and len(answers[0][0]) == 2
    assert not [*tmp_path.glob("*memory*")]


@pytest.mark.slow
def test_a_new_log_and_a_new_database_have_their_names_on_the_disk(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr("replicadb.store.database.sync_folder", synced.append)
    monkeypatch.setattr("replicadb.store.database.connect", connecting.connect)  # no copy
    with Database(tmp_path / "web.duckdb") as db:
        assert synced == [tmp_path]
        for key in ("a", "b"):
            with db.transaction():
                db.execute("INSERT INTO meta VALUES (?, '')", [key])
        assert synced == [tmp_path], "the log had its name"
        db.execute("CHECKPOINT")
        with db.transaction():
            db.execute("INSERT INTO meta VALUES ('c', '')")
        assert synced == [tmp_path, tmp_path]


@pytest.mark.slow
@pytest.mark.usefixtures("truly_new")
@pytest.mark.parametrize("there", [True, False], ids=["a new log's", "of a log that goes"])
def test_a_folder_whose_names_the_disk_cannot_keep_is_told_in_a_line(
    there, cli, write, monkeypatch
):
    def fails(folder):
        if (folder / "web.duckdb.wal").exists() is there:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("replicadb.store.database.sync_folder", fails)
    answer = cli("load", "web.duckdb", write("a.csv", "url,digest\nhttp://a.com/,x\n"))
    assert answer.code == 1 and "REPLICADB_DEBUG" not in answer.err
    assert answer.err.splitlines()[-1].startswith("replicadb: ")
    assert "Input/output error" in answer.err


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (KeyboardInterrupt(), True),
        (duckdb.InterruptException("INTERRUPT Error: Interrupted!"), True),
        (RuntimeError("Query interrupted"), True),  # what DuckDB's client makes of a signal
        (RuntimeError("a.csv: Query interrupted"), False),
        (duckdb.IOException("IO Error: no such file"), False),
    ],
)
def test_each_form_of_an_interrupt_is_one(error, expected):
    assert connecting.interrupted(error) is expected


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_waits_for_the_end_of_a_commit(number):
    done = []

    def stop(*_):
        raise KeyboardInterrupt

    before = signal.signal(number, stop)
    try:
        with pytest.raises(KeyboardInterrupt), connecting.interrupts_held():
            signal.raise_signal(number)
            done.append("commit")
    finally:
        signal.signal(number, before)
    assert done == ["commit"]
