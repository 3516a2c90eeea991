"""What is no archive is refused, whichever kind it was taken for."""

from __future__ import annotations

import gzip

import pytest

from replicadb.errors import DataError
from replicadb.readers import archives

from .records_made import rows, write


@pytest.mark.parametrize(
    ("data", "reader"),
    [
        (b"", archives.read_warc),
        (b"no archive at all\n" * 10, archives.read_warc),
        (b"no archive at all\n" * 10, archives.read_arc),
        (b"PK no zip", archives.read_wacz),
        (gzip.compress(b"text", mtime=0), archives.read_warc),
    ],
)
def test_what_is_no_archive_is_an_error_of_one_line(tmp_path, data, reader):
    with pytest.raises(DataError) as caught:
        rows(write(tmp_path, data), reader)
    assert "\n" not in str(caught.value)
