"""Small files of any size, depth and kind are read or refused in one line."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import threading

import pytest
from zstandard import compress as zstd

from replicadb import given_file
from replicadb.errors import DataError, UsageError
from replicadb.model import open_model, read_hosts
from replicadb.rewrite import RuleSet


def test_a_device_and_a_file_beyond_the_bound_are_refused(write, monkeypatch):
    with pytest.raises(DataError, match="/dev/zero: is a device, no file"):
        given_file.given_bytes("/dev/zero")
    monkeypatch.setattr(given_file, "MOST_BYTES", 1 << 20)
    assert len(given_file.given_bytes(write("fits", b"x" * (1 << 20)))) == 1 << 20
    with pytest.raises(DataError, match="larger than 1 MiB"):
        given_file.given_bytes(write("large", b"x" * ((1 << 20) + 1)))


def test_a_number_opens_and_closes_nothing_that_the_process_has_open(write):
    """As the database: ``fingerprint(stop_words=3)`` closed it, and all later calls failed."""
    with open(write("a", b"x"), "rb") as handle:
        calls = given_file.given_bytes, given_file.given_json, open_model, read_hosts, RuleSet.load
        for call in calls:
            with pytest.raises(UsageError, match="given by its path, and not as a int"):
                call(handle.fileno())
        assert handle.read() == b"x"


def test_a_pipe_is_read_to_its_end(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"[1]\r\n",)).start()
    assert given_file.given_text(tmp_path / "pipe") == "[1]\n"


def test_a_text_may_be_packed_and_is_bounded_as_one_that_is_not(write, monkeypatch):
    packed = gzip.compress(b"\xef\xbb\xbf[1,\r\n") + gzip.compress(b"2]\n")
    assert given_file.given_text(write("list.json.gz", packed)) == "[1,\n2]\n"
    assert given_file.given_json(write("list", packed)) == [1, 2]
    for broken in (packed[:-9], packed[:12] + b"x" + packed[13:], packed + b"more"):
        with pytest.raises(DataError, match=r"broken: broken gzip data; pack it anew$"):
            given_file.given_text(write("broken", broken))
    monkeypatch.setattr(given_file, "MOST_BYTES", 1 << 20)
    with pytest.raises(DataError, match="bomb: larger than 1 MiB"):
        given_file.given_text(write("bomb", gzip.compress(bytes((1 << 20) + 1))))


@pytest.mark.parametrize(("pack", "packer"), [(bz2.compress, "bzip2"), (zstd, "zstd")])
def test_what_is_packed_in_another_way_is_refused_with_advice(write, pack, packer):
    path = write(f"hosts.txt.{packer}", pack("a.example\nö.example\n".encode()))
    with pytest.raises(DataError, match=f"{packer}: is packed by {packer}; unpack it, or pack it"):
        given_file.given_text(path)
    assert (
        given_file.table_fault(path, ()) == f"is packed by {packer}; unpack it, or pack it by gzip"
    )
    assert given_file.given_text(write("brand", "BZh.example\n")) == "BZh.example\n"


def test_json_that_is_too_deep_is_no_json(write):
    with pytest.raises(ValueError, match="nested too deep"):
        given_file.given_json(write("deep.json", "[" * 100_000))
    assert given_file.given_json(write("sound.json", "\ufeff[1]")) == [1]


@pytest.mark.parametrize(
    ("line", "separator"),
    [("a;b;c,d", ";"), ("a\tb", "\t"), ("a,b", ","), ("a|b", "|"), ("a", ",")],
)
def test_what_stands_between_cells_is_told_by_the_first_line(line, separator):
    assert given_file.separator_of(line) == separator


def test_a_name_that_is_no_utf8_has_a_text():
    assert given_file.name_of(os.fsdecode(b"a\xff.csv")) == "a\\xff.csv"


def test_what_is_no_file_is_told(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert given_file.no_file(tmp_path / "pipe") == "is a pipe; write it to a file first"
    assert given_file.no_file(tmp_path) == "is a folder"
    assert given_file.no_file(tmp_path / "absent") == "no such file"
    (tmp_path / "file").touch()
    assert given_file.no_file(tmp_path / "file") is None
    with pytest.raises(DataError, match="/dev/zero: is a device"):
        given_file.no_file("/dev/zero")


def test_standard_input_is_bounded_as_a_file_is(monkeypatch):
    monkeypatch.setattr(given_file, "MOST_BYTES", 4)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"SELECT 1")))
    with pytest.raises(DataError, match="standard input: larger than"):
        given_file.piped_text()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfa\r\n")))
    monkeypatch.setattr(given_file, "MOST_BYTES", 8)
    assert given_file.piped_text() == "a\n"


@pytest.mark.parametrize("text", ['{"host_a": "a.com"}\n', '\n[{"host_a": "a.com"}]'])
def test_json_in_place_of_a_table_is_called_so(tmp_path, text):
    """It was said to have no column host_a."""
    (tmp_path / "gold.csv").write_text(text)
    found = given_file.table_fault(tmp_path / "gold.csv", ("host_a",))
    assert found == "is JSON; save it as CSV or Parquet"
