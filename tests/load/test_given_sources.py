"""Sources that are no ordinary files: pipes, devices, names that are no UTF-8; and the bound of a
file.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import threading
import zipfile
from pathlib import Path

import polars as pl
import pytest

from replicadb.errors import DataError, LimitError, UsageError
from replicadb.load import given_sources
from replicadb.load.given_sources import expand, refuse_larger, size_of

CSV = b"url,digest\nhttp://a.com/,aa\n"


def piped(path: Path, data: bytes) -> Path:
    """A pipe that will give those bytes."""
    os.mkfifo(path)

    def feed():
        with contextlib.suppress(BrokenPipeError):
            path.write_bytes(data)

    threading.Thread(target=feed, daemon=True).start()
    return path


def test_sources_come_one_by_one_or_as_a_list(web, write):
    files = [write(f"{n}.csv", f"url,digest\nhttp://{n}.com/,{n}\n") for n in "abcd"]
    assert web.load(files[0], files[1:3], (str(files[3]),)).kept == 4
    with pytest.raises(UsageError, match="nothing to load"):
        web.load([])


@pytest.mark.parametrize("take", ["load", "label"])
def test_a_frame_is_no_file_and_that_is_said(web, take):
    frame = pl.DataFrame({"url": ["http://a.com/"], "digest": ["aa"]})
    with pytest.raises(UsageError, match="by its path, and not as a DataFrame; write it to one"):
        getattr(web, take)(frame)


@pytest.mark.slow
def test_a_pipe_loads_as_a_file_does(web, tmp_path):
    assert web.load(piped(tmp_path / "pipe", CSV)).kept == 1
    assert web.database.column("SELECT source FROM sources") == [str(tmp_path / "pipe")]
    hosts = piped(tmp_path / "hosts", b"host,ip\na.com,1.2.3.4\n")
    web.load(hosts=str(hosts))
    assert web.database.column("SELECT ip FROM host_ips") == ["1.2.3.4"]


@pytest.mark.parametrize("url", ["https://a.com/c.csv?x=1", "s3://bucket/c.parquet"])
def test_a_url_is_not_fetched_and_that_is_said(web, url):
    with pytest.raises(DataError, match="URLs are not fetched; download it, and load the file"):
        web.load(url)


def test_a_device_is_refused_and_costs_itself(web, write):
    with pytest.raises(DataError, match="/dev/zero: is a device, no file"):
        web.load("/dev/zero", write("a.csv", CSV))


def test_of_a_pipe_no_more_is_kept_than_the_bound(tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    pipe = piped(tmp_path / "pipe", CSV * 1000)
    with pytest.raises(LimitError, match="more than 9,000 bytes; --max-file-size sets"):
        expand([str(pipe)], scratch, 9000)
    assert not list(scratch.iterdir())


def test_without_a_bound_the_temporary_folder_is_never_filled(tmp_path, monkeypatch):
    monkeypatch.setattr(given_sources, "ROOM", 0)
    with pytest.raises(DataError, match="room for in the folder for temporary files"):
        expand([str(piped(tmp_path / "pipe", CSV))], tmp_path)


@pytest.mark.slow
def test_a_name_that_is_no_utf8_loads_and_unloads(web, tmp_path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.csv"))
    path.write_bytes(CSV)
    assert web.load(path).kept == 1
    name = f"{tmp_path}/bad\\xff.csv"
    assert web.database.column("SELECT name FROM loads") == [name]
    with pytest.raises(UsageError, match="is no UTF-8"):
        web.load(path, label="\udcff", force=True)
    assert web.unload(str(path)) == 1


@pytest.mark.parametrize(
    "text, size", [("10GB", 10**10), ("2 GiB", 2 << 30), ("500", 500), ("1.5k", 1500)]
)
def test_sizes_are_read_as_people_write_them(text, size):
    assert size_of(text) == size


@pytest.mark.parametrize("text", ["", "0", "-1", "lots", "1e9", "5 XB", "9" * 400])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(UsageError, match="is no size"):
        size_of(text)


def packed(path: Path, kind: str) -> Path:
    """100,000 bytes, packed."""
    data = b"x" * 100_000
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
            package.writestr("a", data)
    else:
        path.write_bytes(gzip.compress(data) if kind == "gzip" else data)
    return path


@pytest.mark.parametrize("kind", ["plain", "gzip", "zip"])
def test_the_bound_of_a_file_is_that_of_what_it_unpacks_to(tmp_path, kind):
    path = packed(tmp_path / "file", kind)
    refuse_larger(path, 101_000)
    with pytest.raises(LimitError, match="more than 99,999 bytes, unpacked"):
        refuse_larger(path, 99_999)


def test_a_file_beyond_the_bound_is_named_and_the_others_load(web, write):
    large = write("large.csv", CSV + b"http://a.com/?%d,aa\n" * 1000)
    result = web.load(large, write("small.csv", CSV), max_file_size="1kB")
    assert (result.kept, len(result.failed)) == (1, 1) and "large.csv" in result.failed[0]
    with pytest.raises(LimitError, match=r"large\.csv: has more than 1,000 bytes"):
        web.load(large, max_file_size="1kB", force=True)
    with pytest.raises(DataError, match="none of 2 files"):
        web.load(large, write("odd.csv", b"\0"), max_file_size="1kB", format="csv")
