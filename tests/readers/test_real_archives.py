"""Archives as capture rows: every real file at hand, and the digests that its index has."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path

import pytest

from replicadb.errors import DataError
from replicadb.readers import archives, cdx
from replicadb.readers.compression import head, plain_copy
from replicadb.store.database import Database

from .real_files import FILES, SHARED, needs_files
from .records_made import rows


def reader_of(path):
    """How the content of a real file is to be read, or None."""
    kind, start = head(path)
    if kind == "zip":
        return archives.read_wacz
    if archives.looks_like_arc(start):
        return archives.read_arc
    return archives.read_warc if archives.looks_like_warc(start) else None


@needs_files
@pytest.mark.parametrize("name", FILES)
def test_no_real_file_raises_anything_but_a_data_error(name):
    readers = {reader_of(SHARED / name), archives.read_warc, archives.read_arc} - {None}
    for reader in readers:
        try:
            got = rows(SHARED / name, reader)
        except DataError as error:
            assert "\n" not in str(error)
            continue
        assert all(row["url"] or row["problem"] for row in got)
        assert len({row["position"] for row in got}) == len(got)


@pytest.mark.slow
@needs_files
def test_computed_digests_equal_the_recorded_ones_but_for_a_few_known_files(tmp_path):
    # A file is read twice, the second time with its digest headers renamed, so that they are
    # computed.
    same, different = 0, set()
    for name in FILES:
        if (
            reader_of(SHARED / name) is not archives.read_warc
            or "truncated" in name
            or "clipped" in name
        ):
            continue
        data = Path(plain_copy(SHARED / name, tmp_path)).read_bytes()
        blind = re.sub(rb"(?i)\nWARC-(Payload|Block)-Digest:", rb"\nX-\1-Digest:", data)
        recorded, computed = (rows(io.BytesIO(content)) for content in (data, blind))
        for left, right in zip(recorded, computed, strict=False):
            if (
                left["problem"] is None
                and right["problem"] is None
                and (left["digest"] or "").startswith("sha1:")
            ):
                if right["digest"] and plain_digest(left["digest"]) == plain_digest(
                    right["digest"]
                ):
                    same += 1
                elif right["digest"]:
                    different.add(name)
    assert same > 690  # of those recorded as SHA-1
    assert different <= {
        "bubing/misc.warc",
        "bubing/response.warc",  # digests invented for a test
        "cdxj-indexer/missing-http.warc.gz",  # the payload was taken out, the digest left in
        "pywb/example-extra.warc",
        "resiliparse/clueweb-quirk.warc.gz",  # the payload was changed
        "solrwayback/Evil-Warc-Headers.warc",
        "warcio.js/example-bad-length.warc",
        "warcio/example-trunc.warc",
        "warcio/example-wrong-chunks.warc.gz",  # the length is wrong
        # of chrome-extension://, whose HTTP header the crawler hashed along
        "node-warc/parseMe.warc.gz",
        # warcprox hashes without chunk framing
        "solrwayback/transfer_compression_gzip_chunked.warc.gz",
    }


PAIRS = [
    ("pywb/iana.warc.gz", "pywb/iana.cdx"),
    ("pywb/iana.warc.gz", "pywb/iana.cdxj"),
    ("pywb/iana.warc.gz", "derived/iana.cdxj"),
    ("pywb/dupes.warc.gz", "pywb/dupes.cdx"),
    ("pywb/dupes.warc.gz", "pywb/dupes.cdxj"),
    ("pywb/example.warc.gz", "pywb/example.cdx"),
    ("pywb/example.warc", "pywb/example.cdxj"),
    ("pywb/example2.warc.gz", "pywb/example2.cdxj"),
    ("pywb/example-extra.warc", "pywb/example-extra.cdx"),
    ("warcio/post-test.warc.gz", "pywb/post-test.cdx"),
    ("warcio/post-test.warc.gz", "pywb/post-test.cdxj"),
    ("pywb/httpbin-resource.warc.gz", "pywb/httpbin-resource.cdxj"),
    ("pywb/missing-status-text.warc", "pywb/missing-status-text.cdxj"),
    ("pywb/example-url-agnostic-orig.warc.gz", "pywb/url-agnost-example.cdx"),
    ("pywb/example-url-agnostic-revisit.warc.gz", "pywb/url-agnost-example.cdxj"),
    ("commoncrawl-whirlwind/whirlwind.warc.gz", "derived/whirlwind.cdxj"),
    ("commoncrawl-whirlwind/whirlwind.warc", "derived/whirlwind.cdx11"),
    ("jwarc/cc.warc.gz", "derived/jwarc-cc.cdxj"),
    ("warc-specifications/hello-world.warc", "warc-specifications/hello-world.warc.cdx"),
    (
        "solrwayback/IAH-20080430204825-00000-blackbook.warc.gz",
        "solrwayback/IAH-20080430204825-00000-blackbook.warc.gz.cdx",
    ),
    ("warcio/example.arc", "pywb/example-arc-test.cdx"),
    ("warcio/example.arc.gz", "pywb/example-arc-test.cdx"),
]


def plain_digest(digest):
    value = digest.rpartition(":")[2]
    return base64.b32decode(value).hex() if len(value) == 32 else value


@pytest.fixture(scope="module")
def memory():
    with Database(":memory:") as db:
        yield db


@needs_files
@pytest.mark.parametrize(("archive", "index"), PAIRS)
def test_archive_and_index_give_a_capture_the_same_digest(memory, archive, index):
    stage = cdx.stage_cdxj if "cdxj" in index else cdx.stage_cdx
    with memory.temporary():
        stage(memory, SHARED / index, "t")
        indexed = {
            row[:2]: plain_digest(row[2])
            for row in memory.rows(
                "SELECT url, left(fetched_at, 14), digest FROM t WHERE problem IS NULL"
            )
        }
    compared = 0
    for row in rows(SHARED / archive, reader_of(SHARED / archive)):
        key = row["url"], re.sub(r"\D", "", row["fetched_at"] or "")[:14]
        if row["problem"] is None and key in indexed:
            assert plain_digest(row["digest"]) == indexed[key], key
            compared += 1
    assert compared
