"""WACZ files: all their archives."""

from __future__ import annotations

import gzip
import zipfile

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
