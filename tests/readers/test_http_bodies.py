"""HTTP bodies: framing and encodings undone."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
import zstandard

from replicadb.readers.http_bodies import decode_body

from .records_made import chunked

TEXT = b"<p>some text</p>" * 500


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", brotli.compress),
        ("zstd", zstandard.compress),
    ],
)
def test_bodies_are_decoded_framed_or_not_and_never_raise(name, pack):
    packed = pack(TEXT)
    assert decode_body(chunked(packed), "chunked", name) == (TEXT, True)
    assert decode_body(packed, "chunked", name) == (TEXT, True)  # framing named but already undone
    assert decode_body(packed, None, name, limit=100) == (TEXT[:100], False)
    assert not decode_body(packed[:-3], None, name).whole
    assert decode_body(TEXT, None, name).data == TEXT  # encoding named but already undone


SKIPPED = b"\x52\x2a\x4d\x18\x03\0\0\0abc"
"""A frame of zstd that is to be passed over."""


@pytest.mark.parametrize(
    ("name", "pack", "before"),
    [
        ("gzip", gzip.compress, b""),
        ("zstd", zstandard.compress, b""),
        ("zstd", zstandard.compress, SKIPPED),
    ],
)
def test_members_and_frames_one_behind_the_other_are_one_body(name, pack, before):
    packed = before + pack(TEXT[:3000]) + before + pack(TEXT[3000:])
    assert decode_body(packed, None, name) == (TEXT, True)
    cut, whole = decode_body(packed[:-9], None, name)
    assert cut[:3000] == TEXT[:3000] and not whole
    assert decode_body(packed, None, name, limit=3500) == (TEXT[:3500], False)


def test_several_encodings_are_undone_in_turn_and_unknown_ones_reported():
    assert decode_body(gzip.compress(zlib.compress(TEXT)), None, "deflate, gzip") == (TEXT, True)
    assert decode_body(TEXT, None, "bzip9") == (TEXT, False)
    assert decode_body(zlib.compress(TEXT)[2:-4], None, "deflate") == (TEXT, True)
