"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time

import pytest

from replicadb.errors import DataError, UsageError
from replicadb.store.atomic_file import LEFT, atomic_write


def test_a_file_has_its_name_when_its_last_byte_is_written(tmp_path):
    target = tmp_path / "a.csv"
    target.write_text("old")
    with atomic_write(target) as part:
        with open(part, "w") as stream:
            stream.write("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new" and os.listdir(tmp_path) == ["a.csv"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~mask


def test_a_database_gives_way_to_a_database_alone(tmp_path):
    target = tmp_path / "web.duckdb"
    target.write_bytes(b"12345678DUCK")
    with pytest.raises(UsageError, match="is a DuckDB database"), atomic_write(target) as part:
        raise AssertionError(part)
    with atomic_write(target, over_database=True) as part, open(part, "w") as stream:
        stream.write("new")
    assert target.read_text() == "new"


def sync_recorded(monkeypatch, done, failing=None):
    """Record what is synced and renamed, as paths; folders fail with an error, if one is given."""
    sync, replace = os.fsync, os.replace

    def fake_sync(handle):
        there = os.readlink(f"/proc/self/fd/{handle}")
        done.append(("sync", there))
        if failing and os.path.isdir(there):
            raise OSError(failing, os.strerror(failing))
        sync(handle)

    def fake_replace(old, new):
        done.append(("rename", str(new)))
        replace(old, new)

    monkeypatch.setattr(os, "fsync", fake_sync)
    monkeypatch.setattr(os, "replace", fake_replace)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what a handle is")
@pytest.mark.parametrize("anew", [False, True])
def test_bytes_are_on_the_disk_before_the_name_and_then_the_name(tmp_path, monkeypatch, anew):
    """Also where the writer removes the file and makes it anew, as DuckDB does."""
    done, target = [], tmp_path / "a.csv"
    sync_recorded(monkeypatch, done)
    with atomic_write(target) as part:
        if anew:
            os.unlink(part)
        with open(part, "w") as stream:
            stream.write("new")
    assert done == [("sync", part), ("rename", str(target)), ("sync", str(tmp_path))]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what a handle is")
def test_a_folder_that_cannot_be_synced_is_told_where_the_disk_fails(tmp_path, monkeypatch):
    sync_recorded(monkeypatch, [], errno.EINVAL)  # a file system that syncs no folders
    with atomic_write(tmp_path / "a.csv") as part, open(part, "w") as stream:
        stream.write("new")
    sync_recorded(monkeypatch, [], errno.EIO)
    with (
        pytest.raises(DataError, match="cannot be written: Input/output error"),
        atomic_write(tmp_path / "a.csv"),
    ):
        pass


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, DataError])
def test_what_fails_leaves_the_file_as_it_was(tmp_path, error):
    target = tmp_path / "a.csv"
    target.write_text("old")
    with pytest.raises(error), atomic_write(target) as part:
        with open(part, "w") as stream:
            stream.write("half")
        raise error
    assert target.read_text() == "old" and os.listdir(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("name", ["missing/a.csv", "nul\0.csv"])
def test_a_place_that_cannot_be_written_is_reported_in_one_line(tmp_path, name):
    with (
        pytest.raises(DataError, match="cannot be written") as error,
        atomic_write(tmp_path / name),
    ):
        pass
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["x" * 250, "網" * 84])
def test_a_long_name_is_no_trouble(tmp_path, name):
    with atomic_write(tmp_path / name) as part, open(part, "w") as stream:
        stream.write("new")
    assert os.listdir(tmp_path) == [name]


def test_a_link_and_the_mode_of_a_file_stay(tmp_path):
    target, link = tmp_path / "secret", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    with atomic_write(link) as part, open(part, "w") as stream:
        stream.write("new")
    assert (
        link.is_symlink()
        and target.read_text() == "new"
        and stat.S_IMODE(target.stat().st_mode) == 0o600
    )


def test_a_pipe_or_device_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for strange in (tmp_path / "pipe", "/dev/null"):
        with pytest.raises(DataError, match="it is no file"), atomic_write(strange):
            pass
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode) and stat.S_ISCHR(
        os.stat("/dev/null").st_mode
    )


def test_what_a_killed_process_left_goes_with_the_next_of_its_name(tmp_path):
    old, young, other = (
        tmp_path / ".a[1].csv.k.part",
        tmp_path / ".a[1].csv.l.part",
        tmp_path / ".b.csv.k.part",
    )
    for left in (old, young, other):
        left.write_text("half")
    for left in (old, other):
        os.utime(left, (time.time() - LEFT - 60,) * 2)
    with atomic_write(tmp_path / "a[1].csv"):
        pass
    assert not old.exists() and young.exists() and other.exists()


def test_standard_output_is_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="give a file name"), atomic_write("-"):
        pass
    assert not [*tmp_path.iterdir()]
