"""Compressed files: the head of them, and a plain copy."""

from __future__ import annotations

import bz2
import gzip
import os
from pathlib import Path

import pytest

from replicadb.errors import DataError
from replicadb.readers.compression import head, plain_copy

from .records_made import write


def test_a_plain_copy_is_the_file_itself_unless_something_must_be_undone(tmp_path):
    plain, packed = (
        write(tmp_path, b"abc", name="a[1].txt"),
        write(tmp_path, bz2.compress(b"abc"), name="b"),
    )
    assert Path(plain_copy(packed, tmp_path)).read_bytes() == b"abc"
    assert "[" not in Path(plain_copy(plain, tmp_path)).name
    assert plain_copy(write(tmp_path, b"abc", name="c"), tmp_path) == str(tmp_path / "c")
    with pytest.raises(DataError):
        plain_copy(write(tmp_path, gzip.compress(b"abc")[:-3], name="d"), tmp_path)


def test_the_head_of_a_broken_file_is_what_can_be_read(tmp_path):
    path = write(tmp_path, gzip.compress(os.urandom(200_000))[:100_000])
    kind, data = head(path, 1000)
    assert (kind, len(data)) == ("gzip", 1000)
