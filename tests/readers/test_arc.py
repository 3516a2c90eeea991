"""ARC files: an address in each record, spaces in URLs."""

from __future__ import annotations

import gzip

from replicadb.readers import archives

from .records_made import BODY, rows, sha1, write


def test_an_arc_record_has_address_and_computed_digest_even_with_spaces_in_its_url(tmp_path):
    block = b"HTTP/1.0 404 Not Found\r\nContent-Type: text/html\r\n\r\n" + BODY
    line = b"http://a.example/a b 20200101000000 192.0.2.1 20200102000000 text/plain %d\n" % len(
        block
    )
    version = b"1 0 x\nURL IP-address Archive-date Content-type Archive-length\n"
    start = b"filedesc://x 0.0.0.0 20200101000000 text/plain %d\n%s" % (len(version), version)
    path = write(tmp_path, *map(gzip.compress, (start + b"\n", line + block + b"\n")))
    (row,) = rows(path, archives.read_arc)
    assert (
        row["url"],
        row["ip"],
        row["fetched_at"],
        row["status"],
        row["mime"],
        row["digest"],
    ) == (
        "http://a.example/a b 20200101000000",
        "192.0.2.1",
        "20200102000000",
        "404",
        "text/html",
        sha1(BODY),
    )
    assert archives.looks_like_arc(start)
