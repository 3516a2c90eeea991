"""Members: records packed one by one, by any compression, whole or damaged."""

from __future__ import annotations

import bz2
import gzip
import os
import random
import re

import pytest
import zstandard

from replicadb.readers.compression import kind_of

from .records_made import response, rows, write


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, zstandard.compress])
@pytest.mark.parametrize("whole", [False, True])
def test_every_compression_reads_alike(tmp_path, pack, whole):
    records = [response(f"http://{i}.example/") for i in range(20)]
    path = write(tmp_path, *([pack(b"".join(records))] if whole else map(pack, records)))
    assert [row["url"] for row in rows(path)] == [f"http://{i}.example/" for i in range(20)]


def test_a_zstd_archive_brings_its_dictionary(tmp_path):
    records = [response(f"http://{i}.example/") for i in range(300)]
    dictionary = zstandard.train_dictionary(2000, records)
    packer = zstandard.ZstdCompressor(dict_data=dictionary)
    frame = zstandard.compress(dictionary.as_bytes())
    start = b"\x5d\x2a\x4d\x18" + len(frame).to_bytes(4, "little") + frame
    path = write(tmp_path, start, *map(packer.compress, records))
    assert kind_of(start) == "zstd"
    assert len(rows(path)) == 300


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, zstandard.ZstdCompressor(write_checksum=True).compress, bz2.compress],
    ids=["gzip", "zstd", "bzip2"],
)
def test_a_good_member_is_found_behind_a_broken_one_however_long_its_first_block(tmp_path, pack):
    """Of a block of zstd or bzip2 nothing comes out before its end, up to a megabyte later."""
    records = [response(f"http://{i}.example/", body=os.urandom(90_000)) for i in range(3)]
    members = [bytearray(pack(record)) for record in records]
    members[1][30:70] = b"\0" * 40
    got = rows(write(tmp_path, *map(bytes, members)))
    assert [row["url"] for row in got if not row["problem"]] == [
        "http://0.example/",
        "http://2.example/",
    ]
    assert sum(bool(row["problem"]) for row in got) == 1


def test_a_broken_gzip_member_costs_one_row_and_reading_goes_on(tmp_path):
    members = [
        gzip.compress(response(f"http://{i}.example/", body=os.urandom(500))) for i in range(5)
    ]
    broken = bytearray(members[2])
    broken[60:100] = b"\0" * 40
    got = rows(write(tmp_path, *members[:2], bytes(broken), *members[3:]))
    start, resumed = sum(map(len, members[:2])), sum(map(len, members[:3]))
    assert [row["url"] for row in got if not row["problem"]] == [
        f"http://{i}.example/" for i in (0, 1, 3, 4)
    ]
    assert [row["problem"] for row in got if row["problem"]] == [
        f"gzip member broken at byte {start}; resumed at byte {resumed}"
    ]


def test_a_wrong_checksum_is_noticed(tmp_path):
    members = [gzip.compress(response(f"http://{i}.example/")) for i in range(3)]
    got = rows(write(tmp_path, members[0], members[1][:-8] + b"\0" * 8, members[2]))
    assert [bool(row["problem"]) for row in got] == [False, True, False]


@pytest.mark.parametrize("digest", [None, "sha1:A"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_that_ends_inside_a_record_says_so_once(tmp_path, pack, digest):
    records = [
        pack(response(f"http://{i}.example/", body=os.urandom(5000), digest=digest))
        for i in range(3)
    ]
    got = rows(write(tmp_path, b"".join(records)[:-1000]))
    cut = (
        "file ends inside a record (byte"
        f" {len(records[0]) * 2 if pack is bytes else sum(map(len, records[:2]))}): it is"
        " incomplete, and what follows is missing; fetch it again"
    )
    assert [row["problem"] for row in got] == [None, None] + ([None] if digest else []) + [cut]
    assert [row["url"] for row in got][2] == "http://2.example/"  # known even if it can't be used


def test_a_record_longer_than_its_gzip_member_does_not_swallow_the_next(tmp_path):
    long = re.sub(rb"Content-Length: \d+", b"Content-Length: 99999", response(), count=1)
    got = rows(write(tmp_path, gzip.compress(long), gzip.compress(response("http://b.example/"))))
    assert [(row["url"], bool(row["problem"])) for row in got] == [
        ("http://a.example/", True),
        ("http://b.example/", False),
    ]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress, bz2.compress])
@pytest.mark.parametrize("seed", range(10))
def test_no_damage_stops_the_reader_or_goes_unsaid(tmp_path, pack, seed):
    dice = random.Random(seed)
    records = [
        response(f"http://{i}.example/", body=dice.randbytes(dice.randrange(3000)))
        for i in range(20)
    ]
    data = bytearray(b"".join(map(pack, records)))
    start = len(pack(records[0]))  # the first record stays whole, so that the file is an archive
    for _ in range(dice.randrange(1, 5)):
        at = dice.randrange(start, len(data))
        data[at : at + dice.randrange(50)] = dice.randbytes(dice.randrange(50))
    got = rows(write(tmp_path, bytes(data)))
    good = sum(row["problem"] is None and row["url"] is not None for row in got)
    assert good == 20 or pack is bytes or good < len(got)
