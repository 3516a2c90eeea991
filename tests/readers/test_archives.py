"""Archives as capture rows: one synthetic file per oddity."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import os
import random
import re
import zipfile
import zlib
from pathlib import Path

import brotli
import pytest
import zstandard
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from replicadb.errors import DataError
from replicadb.readers import archives
from replicadb.readers.capture_rows import ARCHIVE_SCHEMA
from replicadb.readers.compression import head, kind_of, plain_copy
from replicadb.readers.http_bodies import decode_body

BODY = b"<html>a page</html>"


def rows(path, reader=archives.read_warc):
    batches = list(reader(path))
    assert all(batch.schema == ARCHIVE_SCHEMA for batch in batches)
    return [row for batch in batches for row in batch.to_pylist()]


def response(
    uri="http://a.example/",
    body=BODY,
    status="200 OK",
    http=(),
    digest=None,
    kind="response",
    **warc,
):
    """One WARC record as bytes; ``digest`` None leaves the payload digest out."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=False)
    headers = StatusAndHeaders(status, [("Content-Type", "text/html"), *http], protocol="HTTP/1.1")
    record = writer.create_warc_record(
        uri,
        kind,
        payload=io.BytesIO(body),
        http_headers=headers,
        warc_headers_dict={name.replace("_", "-"): v for name, v in warc.items()},
    )
    writer.write_record(record)
    data = re.sub(
        rb"WARC-(Block|Payload)-Digest: [^\r]*\r\n", b"", out.getvalue()
    )  # the writer's own
    return (
        data.replace(b"\r\n", b"\r\nWARC-Payload-Digest: %s\r\n" % digest.encode(), 1)
        if digest
        else data
    )


def write(tmp_path, *members, name="x.warc.gz"):
    path = tmp_path / name
    path.write_bytes(b"".join(members))
    return path


def sha1(data):
    return "sha1:" + hashlib.sha1(data).hexdigest()


def chunked(data):
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)


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
    assert (row["digest"], row["length"]) == (sha1(body), len(body))


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
        None,
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
        f" {len(records[0]) * 2 if pack is bytes else sum(map(len, records[:2]))})"
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


def test_a_wat_envelope_of_a_response_is_a_capture_and_of_a_request_is_none(tmp_path):
    def envelope(kind):
        body = (
            '{"Container":{},"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":'
            '{"Response-Message":{"Status":"302"},'
            '"Headers":{"Content-Type":"text/html","Location":"/x"},'
            '"Entity-Length":"7","Entity-Digest":"sha1:E"}},'
            f'"WARC-Header-Metadata":{{"WARC-Type":"{kind}",'
            '"WARC-Target-URI":"http://a.example/","WARC-Date":"2020-01-01",'
            '"WARC-IP-Address":"192.0.2.1"}}}'
        ).encode()
        return (
            b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(body), body)
        )

    path = write(tmp_path, envelope("request"), envelope("response"))
    (row,) = rows(path)
    assert row == {
        "position": 2,
        "url": "http://a.example/",
        "ip": "192.0.2.1",
        "digest": "sha1:E",
        "fetched_at": "2020-01-01",
        "status": "302",
        "mime": "text/html",
        "length": 7,
        "redirect": "/x",
        "revisit_of": None,
        "problem": None,
        "links": None,
        "canonical": None,
        "base": None,
        "title": None,
    }
    assert archives.looks_like_wat(path.read_bytes())


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


def test_several_encodings_are_undone_in_turn_and_unknown_ones_reported():
    assert decode_body(gzip.compress(zlib.compress(TEXT)), None, "deflate, gzip") == (TEXT, True)
    assert decode_body(TEXT, None, "bzip9") == (TEXT, False)
    assert decode_body(zlib.compress(TEXT)[2:-4], None, "deflate") == (TEXT, True)
