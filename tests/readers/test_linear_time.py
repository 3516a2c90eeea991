"""Time is in step with input, whatever the input: each of these took from ten seconds to minutes.

The bound is ten times what they need today, in CPU time: a busy machine fails none.
"""

from __future__ import annotations

import gzip
import io
import time

import pytest
import zstandard

from replicadb.errors import DataError
from replicadb.readers import archives
from replicadb.readers.compression import head
from replicadb.readers.csv_tables import MOST_COLUMNS, _header
from replicadb.readers.http_bodies import decode_body

SECONDS = 8
RECORD = (
    b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.example/\r\n"
    b"Content-Length: 1\r\n\r\nx\r\n\r\n"
)
ARC = b"filedesc://x 0.0.0.0 20240101000000 text/plain 1\n\n"
DATED = b" 1.2.3.4 20240101000000"


@pytest.fixture(autouse=True)
def clock():
    started = time.process_time()
    yield
    assert time.process_time() - started < SECONDS


def rows(data: bytes, reader=archives.read_warc) -> int:
    return sum(batch.num_rows for batch in reader(io.BytesIO(data)))


def test_headers_that_never_end():
    assert rows(RECORD + b"WARC/1.0\n" * 150_000) < 100


def test_a_record_behind_headers_that_never_end_is_found():
    data = b"WARC/1.0\n" * 150_000 + b"\n" + RECORD
    (last,) = list(archives.read_warc(io.BytesIO(data)))[-1].to_pylist()[-1:]
    assert last["url"] == "http://a.example/"


@pytest.mark.slow
def test_a_field_of_many_folded_lines():
    folded = b"\r\nX: a\r\n" + b" a\n" * 340_000
    assert rows(RECORD.replace(b"\r\nContent-Length", folded + b"Content-Length")) == 1


def test_an_arc_line_that_could_end_at_many_dates():
    assert rows(ARC + b"http://a/" + DATED * 2_500 + b"!\n", archives.read_arc) == 1
    many = (b"http://a/" + DATED * 300 + b"!\n") * 20
    assert rows(ARC + many, archives.read_arc) == 1


@pytest.mark.slow
def test_gzip_members_of_one_byte():
    members = [gzip.compress(bytes([byte])) for byte in b"WARC/1.0\nabc"]
    assert rows(gzip.compress(RECORD) + b"".join(members) * 8_000) == 2


@pytest.mark.slow
def test_a_head_of_tiny_gzip_members(write):
    path = write("x.gz", gzip.compress(b"a") * 100_000)
    assert len(head(path, 1 << 20)[1]) == 100_000


@pytest.mark.slow
def test_gzip_members_that_stand_in_each_other():
    def stored(size: int) -> bytes:
        return b"\0" + size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little")

    nested = b""
    while len(nested) < 59_800:
        start = b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + stored(60_000 - len(nested) - 15)
        nested += start + b"WARC/1.0\r\n"
    nested += b"z" * (60_000 - len(nested))
    broken = nested + (stored(65_535) + b"q" * 65_535) * 20 + b"\7" * 20
    assert rows(gzip.compress(RECORD) + broken) < 200


@pytest.mark.slow
def test_zstd_frames_that_could_begin_at_every_tenth_byte():
    """Each says that a block of 128 KiB follows; so much is read before it proves to be none."""
    begun = b"\x28\xb5\x2f\xfd\0\x58" + ((1 << 17) << 3 | 2 << 1).to_bytes(3, "little")
    assert rows(zstandard.compress(RECORD) + (begun + b"\xff") * 40_000) == 2


@pytest.mark.slow
def test_a_body_of_empty_gzip_members():
    data = gzip.compress(b"page") + gzip.compress(b"") * 100_000
    assert decode_body(data, None, "gzip") == (b"page", True)


def test_beginnings_that_look_like_many_formats():
    assert not archives.looks_like_wat(b"WARC/1.0" + b"\n" * 65_000)
    assert not archives.looks_like_arc(b"http://a/" + b" 1.1.1.1 20240101000000" * 2_700)


def test_a_table_has_so_many_columns_at_most(write):
    names = [f"c{i}" for i in range(100_000)]
    with pytest.raises(DataError, match="has 100,000 columns"):
        _header(str(write("wide.csv", ",".join(names))), "csv")
    most = ",".join(["same"] * MOST_COLUMNS)
    assert len(_header(str(write("most.csv", most)), "csv").names) == MOST_COLUMNS
