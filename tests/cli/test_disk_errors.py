"""A disk that fails is told as that, and not as an error nobody expected."""

from __future__ import annotations

import errno

import duckdb
import pytest

import replicadb
from replicadb import cli
from replicadb.load.load import load
from replicadb.load.load_options import LoadOptions
from replicadb.store.database import Database

ERRORS = (
    duckdb.IOException('IO Error: Could not read from file "w.duckdb": Input/output error'),
    duckdb.FatalException("FATAL Error: fsync failed!"),
    duckdb.TransactionException('Failed to commit: Could not write file "w.duckdb.wal": x'),
    duckdb.TransactionException('Failed to commit: Could not fsync file "w.duckdb.wal": x'),
    OSError(errno.EIO, "Input/output error"),
)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_one_line_says_that_the_disk_failed(capsys, error):
    assert cli._unexpected(error) == 1
    err = capsys.readouterr().err
    assert err.startswith("replicadb: the disk failed: ") and err.count("\n") == 1
    assert "REPLICADB_DEBUG" not in err


def test_a_load_ends_with_the_error_that_made_the_database_unusable(tmp_path, monkeypatch):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(f"url,digest\nhttp://{name}.example/,{'a' * 40}\n")
    with Database(":memory:") as db:

        def broken(*_):
            monkeypatch.setattr(Database, "unusable", lambda self: True)
            raise duckdb.IOException("IO Error: Input/output error")

        monkeypatch.setattr("replicadb.load.load.stage", broken)
        with pytest.raises(duckdb.IOException, match="Input/output"):
            load(db, [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")], LoadOptions())


def test_a_folder_that_cannot_be_written_to_is_told(capsys):
    """The database's file can, but DuckDB makes its log beside it."""
    said = 'Failed to commit: Cannot open file "w.duckdb.wal": Permission denied'
    assert cli._unexpected(duckdb.TransactionException(said)) == 1
    err = capsys.readouterr().err
    assert "folder of the database must be one to write to" in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "advised"), [("detect", "lower --max-cluster-hosts"), ("load", "fewer --threads")]
)
def test_out_of_memory_advises_what_the_command_has(capsys, monkeypatch, command, advised):
    def no_memory(_):
        raise duckdb.OutOfMemoryException("Out of Memory Error: no block")

    monkeypatch.setattr(cli, "_command", no_memory)
    assert cli.run([command, "web.duckdb"]) == 3
    err = capsys.readouterr().err
    assert err.endswith(f"give more with --memory-limit, or {advised}\n")


def test_where_what_spills_has_no_room_space_is_asked_for_and_no_memory(capsys):
    said = "failed to offload data block of size 256.0 KiB (67.8 MiB/67.9 MiB used)."
    assert cli._unexpected(duckdb.OutOfMemoryException(f"Out of Memory Error: {said}")) == 1
    err = capsys.readouterr().err
    assert err.startswith("replicadb: no space left: ") and "free some beside the database" in err
    assert "--memory-limit" not in err and err.count("\n") == 1


def test_a_database_of_which_a_copy_was_broken_off_is_told(tmp_path, capsys):
    """Its catalog stands before the end, the table that says whose it is at the end."""
    path = tmp_path / "web.duckdb"
    with replicadb.open(path):
        pass
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE internal.large AS SELECT random() AS x FROM range(200000)")
        con.execute("CHECKPOINT")
        con.execute("CREATE TABLE internal.copied AS FROM internal.meta")
        con.execute("DROP TABLE internal.meta")
        con.execute("ALTER TABLE internal.copied RENAME TO meta")
    assert cli.run(["info", str(path)]) == 0
    path.write_bytes(path.read_bytes()[: -(1 << 18)])
    capsys.readouterr()
    assert cli.run(["info", str(path)]) == 1
    err = capsys.readouterr().err
    assert err.startswith("replicadb: a file is cut off or damaged: ") and err.count("\n") == 1
    assert "copy it anew" in err and "REPLICADB_DEBUG" not in err
