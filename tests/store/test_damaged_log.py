"""A log with a damaged end, as a power cut leaves it: what was committed before is there."""

from __future__ import annotations

import shutil
import warnings

import pytest
from conftest import FORGET

from replicadb.errors import DataError
from replicadb.store.database import Database


@pytest.fixture
def torn(tmp_path):
    """A database whose log ends in a commit that is there in part."""
    path = tmp_path / "web.duckdb"
    with Database(path) as db:
        db.con.execute("CHECKPOINT")
        log = path.with_name(path.name + ".wal")
        ends = []
        for number in range(2):
            with db.transaction():
                db.execute("INSERT INTO meta VALUES (?, ?)", [f"given {number}", "x" * 9000])
            ends.append(log.stat().st_size)
        folder = tmp_path / "after"
        folder.mkdir()
        for file in (path, log):
            shutil.copy(file, folder)
    log = folder / log.name
    data = bytearray(log.read_bytes())
    middle = (ends[0] + ends[1]) // 2
    data[middle : middle + 512] = bytes(512)
    log.write_bytes(data)
    return folder / path.name, bytes(data)


def test_what_was_committed_before_is_there_and_the_log_is_kept(torn):
    path, log = torn
    with pytest.warns(UserWarning, match="log was damaged from byte"), Database(path) as db:
        assert db.column("SELECT key FROM meta WHERE key LIKE 'given%'") == ["given 0"]
    assert path.with_name(path.name + ".wal.damaged").read_bytes() == log
    with Database(path) as db:  # mended for good
        assert db.column("SELECT key FROM meta WHERE key LIKE 'given%'") == ["given 0"]


def test_a_command_that_reads_alone_says_what_mends_it(torn):
    path, log = torn
    with pytest.raises(DataError, match="the next command that writes"):
        Database(path, read_only=True)
    assert path.with_name(path.name + ".wal").read_bytes() == log


@pytest.fixture
def older(tmp_path):
    """A database whose log is back from before the last checkpoint but one."""
    path = tmp_path / "web.duckdb"
    log = path.with_name(path.name + ".wal")
    with Database(path) as db:
        db.con.execute("CHECKPOINT")
        with db.transaction():
            db.execute("INSERT INTO meta VALUES ('given', 'x')")
        shutil.copy(log, tmp_path / "kept")
        db.con.execute("CHECKPOINT")
    shutil.move(tmp_path / "kept", log)
    return path, log


def test_a_log_of_before_a_checkpoint_is_put_aside(older):
    path, log = older
    data = log.read_bytes()
    with pytest.warns(UserWarning, match="its log is of before the last checkpoint"):
        Database(path).close()
    with Database(path, read_only=True) as db:
        assert db.value("SELECT value FROM meta WHERE key = 'given'") == "x"
    assert log.with_name(log.name + ".damaged").read_bytes() == data and not log.exists()


def test_a_command_that_reads_alone_leaves_an_older_log(older):
    path, log = older
    with pytest.raises(DataError, match="of before the last checkpoint, as after a power cut; the"):
        Database(path, read_only=True)
    assert log.exists()


def test_a_log_of_after_the_file_is_no_older_one(older, tmp_path):
    """As where somebody copied an old file over it: to put that log away would lose commits."""
    path, log = older
    with pytest.warns(UserWarning), Database(path) as db:
        old = tmp_path / "old"
        shutil.copy(path, old)
        for key in ("a", "b"):
            db.con.execute("CHECKPOINT")
            with db.transaction():
                db.execute("INSERT INTO meta VALUES (?, '')", [key])
        newer = log.read_bytes()
    shutil.copy(old, path)
    log.write_bytes(newer)
    with pytest.raises(DataError, match="newer version of this database"):
        Database(path)
    assert log.read_bytes() == newer


def test_a_log_that_a_full_disk_keeps_is_named_and_taken_in_later(tmp_path, monkeypatch):
    path = tmp_path / "web.duckdb"
    Database(path).close()
    full = type(shutil.disk_usage(tmp_path))(10**9, 10**9, 0)
    db = Database(path)
    db.execute("INSERT INTO meta VALUES ('mine', 'kept')")
    db.execute(FORGET)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: full)
    with pytest.warns(UserWarning, match=r"the disk is full, .* stands in .*web\.duckdb\.wal"):
        db.close()
    monkeypatch.undo()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Database(path) as db:
            assert db.value("SELECT value FROM meta WHERE key = 'mine'") == "kept"
            db.execute("DELETE FROM meta WHERE key = 'mine'")
    assert not (tmp_path / "web.duckdb.wal").exists()
