"""WACZ files: all their archives."""

from __future__ import annotations

import gzip
import zipfile

import pytest

from replicadb.errors import DataError
from replicadb.readers import archives

from .records_made import response, rows


def test_a_wacz_is_all_its_archives_with_positions_counting_on(tmp_path):
    path = tmp_path / "x.wacz"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("archive/a.warc.gz", gzip.compress(response("http://a.example/")))
        package.writestr("archive/b.warc", response("http://b.example/"), zipfile.ZIP_DEFLATED)
        package.writestr("pages/pages.jsonl", "{}")
    got = rows(path, archives.read_wacz)
    assert [(row["position"], row["url"]) for row in got] == [
        (1, "http://a.example/"),
        (2, "http://b.example/"),
    ]


def test_a_wacz_whose_member_lies_nowhere_tells_it_and_goes_on(tmp_path):
    path = tmp_path / "x.wacz"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("archive/a.warc", response("http://a.example/"))
        package.writestr("archive/b.warc", response("http://b.example/"))
    data = bytearray(path.read_bytes())
    first = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")  # it says the list lies later, so all members lie earlier
    data[end + 16 : end + 20] = (first + 100).to_bytes(4, "little")
    path.write_bytes(data)
    problems = [row["problem"] for row in rows(path, archives.read_wacz)]
    assert len(problems) == 2 and all("archive/" in problem for problem in problems)


def test_a_zip_of_a_version_that_is_none_is_refused_in_a_line(tmp_path):
    path = tmp_path / "x.wacz"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("archive/a.warc", response("http://a.example/"))
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 6] = 81
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"no readable zip archive \(zip file version 8.1\)"):
        rows(path, archives.read_wacz)
