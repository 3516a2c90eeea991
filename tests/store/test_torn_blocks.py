"""A checkpoint that was cut off in the middle of a block: what was committed before is there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from replicadb.errors import DataError, LockedError
from replicadb.store import torn_blocks
from replicadb.store.database import Database

BEGUN = bytes.fromhex(
    "0c00000000000000e38edf040cf9be636400636500650008ffffffff"
    "0500000000000000e7fe7d722fed3d5e640064ffff"
)
"""What DuckDB 2.0 writes at the end of a log when a checkpoint begins; it names block 0."""


def block_of_header(path) -> int:
    """Where the last checkpoint of a file is, by the later of its two headers."""
    data = path.read_bytes()[: torn_blocks.HEADERS]
    headers = [np.frombuffer(data[at + 8 : at + 24], "<u8") for at in (4096, 8192)]
    return int(max(headers, key=lambda header: header[0])[1])


@pytest.fixture
def cut_off(tmp_path):
    """A database with a commit in its log, and the path of a copy in which each metadata block has
    the checksum of one that was never written whole.
    """

    def made(log_end=BEGUN):
        path, folder = tmp_path / "web.duckdb", tmp_path / "after"
        folder.mkdir()
        with Database(path) as db:
            for number in range(3):
                with db.transaction():
                    db.execute("INSERT INTO meta VALUES (?, 'x')", [f"before {number}"])
                db.con.execute("CHECKPOINT")
            assert block_of_header(path) != 0, "the log's checkpoint is not the header's"
            blocks = db.column("SELECT DISTINCT block_id FROM pragma_metadata_info()")
            with db.transaction():
                db.execute("INSERT INTO meta VALUES ('given', 'x')")
            for file in (path, tmp_path / "web.duckdb.wal"):
                shutil.copy(file, folder)
        copy = folder / path.name
        with open(copy, "r+b") as file:
            for number in blocks:
                file.seek(torn_blocks.HEADERS + number * torn_blocks.BLOCK)
                file.write(b"of a new")
        with open(folder / "web.duckdb.wal", "ab") as log:
            log.write(log_end)
        return copy

    return made


@pytest.mark.slow
def test_what_was_committed_before_is_there(cut_off):
    path = cut_off()
    with pytest.warns(UserWarning, match="a checkpoint was cut off"), Database(path) as db:
        assert db.value("SELECT value FROM meta WHERE key = 'given'") == "x"
    with Database(path) as db:  # mended for good
        assert db.value("SELECT value FROM meta WHERE key = 'given'") == "x"


def test_a_command_that_reads_alone_says_what_mends_it(cut_off):
    path = cut_off()
    before = path.read_bytes()
    with pytest.raises(DataError, match="the next command that writes"):
        Database(path, read_only=True)
    assert path.read_bytes() == before


def test_where_no_checkpoint_had_begun_damage_is_told_and_left(cut_off):
    path = cut_off(log_end=b"")
    before = path.read_bytes()
    with pytest.raises(DataError, match="cannot be opened: Corrupt database file"):
        Database(path)
    assert path.read_bytes() == before


def test_a_checksum_is_as_duckdb_computes_it(tmp_path):
    with Database(tmp_path / "web.duckdb"):
        pass
    data = (tmp_path / "web.duckdb").read_bytes()
    words = np.frombuffer(data[torn_blocks.HEADERS :][: torn_blocks.BLOCK], "<u8")
    assert torn_blocks.checksum(words[1:]) == words[0]


@pytest.mark.slow
def test_a_file_that_was_cut_off_while_it_was_made_is_made_anew(tmp_path):
    """Of three headers that DuckDB writes first."""
    path = tmp_path / "web.duckdb"
    Database(path).close()
    for bytes_there in (3 * 4096 - 1, 8192, 8192 - 768, 4096):
        os.truncate(path, bytes_there)
        with pytest.raises(DataError, match="cut off while it was made, with nothing in it"):
            Database(path, read_only=True)
        assert path.stat().st_size == bytes_there
    with Database(path) as db:
        assert db.value("SELECT count(*) FROM urls") == 0


def test_a_file_that_another_process_is_making_stays(tmp_path):
    path = tmp_path / "web.duckdb"
    Database(path).close()
    os.truncate(path, 8192)
    before = path.stat().st_ino
    holds = "import fcntl, sys; f = open(sys.argv[1], 'r+b'); fcntl.lockf(f, fcntl.LOCK_EX)"
    waits = f"{holds}; print('held', flush=True); sys.stdin.read()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", waits, path], stdin=pipe, stdout=pipe) as maker:
        assert maker.stdout.readline() == b"held\n"
        with pytest.raises(LockedError):
            Database(path)
        maker.stdin.close()
    assert path.stat().st_ino == before and path.stat().st_size == 8192
