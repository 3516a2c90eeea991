"""WARC files as capture rows: one synthetic file per oddity.

Tries records, too.
"""

from __future__ import annotations

import gzip
import os
import re

import brotli
import pytest

from replicadb.readers import archives

from .records_made import BODY, chunked, response, rows, sha1, write


def test_a_response_gives_every_column(tmp_path):
    record = response(status="301 Moved", http=[("Location", "/b")], WARC_IP_Address="192.0.2.1",
                      WARC_Date="2020-01-02T03:04:05Z")  # fmt: skip
    (row,) = rows(write(tmp_path, record))
    assert row == {
        "position": 1,
        "url": "http://a.example/",
        "ip": "192.0.2.1",
        "digest": sha1(BODY),
        "fetched_at": "2020-01-02T03:04:05Z",
        "status": "301",
        "mime": "text/html",
        "length": len(BODY),
        "redirect": "/b",
        "revisit_of": None,
        "problem": None,
        "links": None,
        "canonical": None,
        "base": None,
        "title": None,
    }


def test_a_recorded_digest_is_passed_on_as_it_is(tmp_path):
    assert rows(write(tmp_path, response(digest="sha256:abc")))[0]["digest"] == "sha256:abc"


@pytest.mark.parametrize(
    ("body", "http"),
    [
        (chunked(BODY), [("Transfer-Encoding", "chunked")]),
        (gzip.compress(BODY, mtime=0), [("Content-Encoding", "gzip")]),
        (brotli.compress(BODY), [("Content-Encoding", "br")]),
        (b"zz not chunks", [("Transfer-Encoding", "chunked")]),
        (b"", []),
    ],
)
def test_a_computed_digest_covers_the_payload_as_stored(tmp_path, body, http):
    row = rows(write(tmp_path, response(body=body, http=http)))[0]
    assert row["digest"] == sha1(body)


@pytest.mark.parametrize(
    ("body", "http", "length"),
    [
        (chunked(BODY), {"Transfer-Encoding": "chunked"}, len(BODY)),
        (gzip.compress(BODY, mtime=0), {"content-encoding": "gzip"}, len(BODY)),
        (chunked(brotli.compress(BODY)), {"Transfer-Encoding": "chunked", "Content-Encoding": "br"},
         len(BODY)),
        (BODY, {"Content-Encoding": "gzip"}, len(BODY)),  # undone by whoever wrote the archive
        (gzip.compress(BODY, mtime=0)[:-9], {"Content-Encoding": "gzip"}, None),
        (BODY, {"Content-Encoding": "br"}, len(BODY)),
        (b"?", {"Content-Encoding": "of-their-own"}, 1),
    ],
)  # fmt: skip
@pytest.mark.parametrize("digest", ["sha256:abc", None])
def test_a_length_is_that_of_the_decoded_body_however_it_was_sent(
    tmp_path, body, http, length, digest
):
    recorded = {"digest": digest} if digest else {}
    (row,) = rows(write(tmp_path, response(body=body, http=list(http.items()), **recorded)))
    assert row["length"] == length


def test_requests_and_warcinfo_are_no_captures_but_count_as_records(tmp_path):
    request = response(kind="request")
    assert [
        row["position"] for row in rows(write(tmp_path, request, response(), request, response()))
    ] == [2, 4]


def test_a_not_modified_revisit_has_no_status_and_names_what_it_repeats(tmp_path):
    revisit = response(
        kind="revisit",
        status="304 Not Modified",
        body=b"",
        WARC_Refers_To_Target_URI="http://b.example/",
    )
    (row,) = rows(write(tmp_path, revisit))
    assert (row["status"], row["digest"], row["revisit_of"], row["length"]) == (
        None,
        None,
        "http://b.example/",
        None,
    )


def test_a_revisit_without_http_header_has_the_media_type_of_revisits(tmp_path):
    record = (
        b"WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Target-URI: <http://a.example/>\r\n"
        b"WARC-Date: 2020\r\nWARC-Payload-Digest: sha1:AAA\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    )
    (row,) = rows(write(tmp_path, record))
    assert (row["url"], row["mime"], row["digest"], row["revisit_of"]) == (
        "http://a.example/",
        "warc/revisit",
        "sha1:AAA",
        "http://a.example/",
    )


@pytest.mark.parametrize(
    "line", [b"HTTP/1.0 200", b"HTTPX/1.1 200 OK", b"HTTP/2 200 ", b"ICY 200 OK"]
)
def test_odd_status_lines_are_read(tmp_path, line):
    assert rows(write(tmp_path, response().replace(b"HTTP/1.1 200 OK", line)))[0]["status"] == "200"


@pytest.mark.parametrize("version", [b"WARC/0.18", b"WARC/1.1"])
@pytest.mark.parametrize("newline", [b"\r\n", b"\n", b"\r\r\n"])
def test_versions_and_line_ends_make_no_difference(tmp_path, version, newline):
    header, _, rest = response(digest="sha1:A").partition(b"\r\n\r\n")
    header = header.replace(b"WARC/1.0", version).replace(b"\r\n", newline)
    (row,) = rows(write(tmp_path, header + newline * 2 + rest))
    assert (row["url"], row["status"]) == ("http://a.example/", "200")


def test_a_record_longer_than_its_header_says_is_a_problem_and_the_next_one_is_found(tmp_path):
    short = re.sub(rb"Content-Length: \d+", b"Content-Length: 50", response(), count=1)
    got = rows(write(tmp_path, short, response("http://b.example/")))
    assert [(row["url"], bool(row["problem"])) for row in got] == [
        ("http://a.example/", True),
        ("http://b.example/", False),
    ]


def test_a_record_header_without_length_costs_only_itself(tmp_path):
    none = re.sub(rb"Content-Length: \d+\r\n", b"", response(), count=1)
    got = rows(write(tmp_path, none, response("http://b.example/")))
    assert [(row["url"], bool(row["problem"])) for row in got] == [
        ("http://a.example/", True),
        ("http://b.example/", False),
    ]


def test_payloads_larger_than_any_buffer_are_hashed_whole(tmp_path):
    body = os.urandom(1 << 20) * 3
    assert rows(write(tmp_path, gzip.compress(response(body=body), 1)))[0]["digest"] == sha1(body)


def test_extracted_text_has_a_digest_of_its_own_kind(tmp_path):
    record = response(kind="conversion", digest="sha1:ABC")
    path = write(tmp_path, record)
    assert rows(path)[0]["digest"] == "text-sha1:ABC"
    assert archives.looks_like_wet(record)
    assert (
        len(rows(write(tmp_path, response(), record))) == 1
    )  # beside responses, conversions are copies of them
