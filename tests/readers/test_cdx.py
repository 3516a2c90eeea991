"""Capture indexes as tables: every line is a row, and what is wrong with it is said."""

from __future__ import annotations

import bz2
import gzip
import json
import os

import pytest
import zstandard

from replicadb.errors import DataError
from replicadb.readers import cdx as indexes
from replicadb.readers.capture_rows import CAPTURE_SCHEMA
from replicadb.readers.compression import head
from replicadb.store.database import Database

from .real_files import FILES, SHARED, needs_files

HEADER = b" CDX N b a m s k r M S V g\n"
LINE = b"com,a)/ 20200102030405 http://a.com/ text/html 200 AAA - - 10 0 x.warc.gz\n"
JSON = (
    b'com,a)/ 20200102030405 {"url": "http://a.com/", "mime": "text/html", "status": "200",'
    b' "digest": "sha1:AAA"}\n'
)


@pytest.fixture(scope="module")
def db():
    with Database(":memory:") as db, db.in_order():
        yield db


def stage(db, tmp_path, data, stager=indexes.stage_cdx, name="x.cdx"):
    path = tmp_path / name
    path.write_bytes(data)
    return staged(db, path, stager)


def staged(db, path, stager):
    stager(db, str(path), "staged")
    assert db.column("SELECT table_name FROM duckdb_tables() WHERE temporary") == ["staged"]
    result = db.arrow("SELECT * FROM staged ORDER BY position")
    said = ["language"] * (stager is indexes.stage_cdxj)
    assert result.schema.names == [*CAPTURE_SCHEMA.names, *said]
    result = result.drop_columns(said)
    assert [str(t) for t in result.schema.types] == [str(t) for t in CAPTURE_SCHEMA.types]
    return result.to_pylist()


PLAIN = {
    "position": 2,
    "url": "http://a.com/",
    "ip": None,
    "digest": "AAA",
    "fetched_at": "20200102030405",
    "status": "200",
    "mime": "text/html",
    "length": None,
    "redirect": None,
    "revisit_of": None,
    "problem": None,
}


def test_a_cdx_line_gives_every_column(db, tmp_path):
    assert stage(db, tmp_path, HEADER + LINE) == [PLAIN]


def test_the_header_may_name_the_fields_in_any_order_with_any_delimiter(db, tmp_path):
    data = b"|CDX|k|a|b|e|r|s|m\nAAA|http://a.com/x y|2020|192.0.2.1|/to|301|text/plain\n"
    assert stage(db, tmp_path, data) == [
        PLAIN
        | {
            "url": "http://a.com/x y",
            "fetched_at": "2020",
            "ip": "192.0.2.1",
            "redirect": "/to",
            "status": "301",
            "mime": "text/plain",
        }
    ]


@pytest.mark.parametrize(
    "line",
    [
        b"com,a)/ 20200102030405 http://a.com/ text/html 200 AAA 10\n",
        b"com,a)/ 20200102030405 http://a.com/ text/html 200 AAA - 0 x.arc.gz\n",
        b"com,a)/ 20200102030405 http://a.com/ text/html 200 AAA - - 0 x.arc.gz\n",
        LINE,
    ],
)
def test_lines_of_7_9_10_and_11_fields_need_no_header(db, tmp_path, line):
    assert stage(db, tmp_path, line) == [PLAIN | {"position": 1}]
    assert indexes.looks_like_cdx(line.decode())


def test_bad_lines_are_rows_with_a_problem_and_blank_lines_are_none(db, tmp_path):
    got = stage(
        db,
        tmp_path,
        HEADER + b"\n" + LINE + b"half a line\n" + LINE.replace(b"http://a.com/", b"-") + HEADER,
    )
    assert [(row["position"], row["problem"]) for row in got] == [
        (3, None), (4, "CDX line has 3 fields, not 11"), (5, "CDX line has no URL")
    ]  # fmt: skip


def test_lines_about_requests_are_told_from_captures(db, tmp_path):
    (row,) = stage(db, tmp_path, HEADER + LINE.replace(b"text/html", b"warc/request"))
    assert row["problem"] == "indexes a warc/request record, not a capture"


@pytest.mark.parametrize("odd", ['"', "'", "\\", ",", "#", "\t", "é", "{}", "$1", "%00", "NULL"])
def test_no_character_of_a_url_is_special(db, tmp_path, odd):
    url = f"http://a.com/{odd}x{odd}"
    assert (
        stage(db, tmp_path, HEADER + LINE.replace(b"http://a.com/", url.encode()))[0]["url"] == url
    )


def test_bytes_that_are_no_utf8_are_written_as_a_url_may_carry_them(db, tmp_path):
    db.execute("BEGIN")  # an error inside a transaction would end it
    got = stage(db, tmp_path, HEADER + LINE.replace(b"com/ ", b"com/\xe9t\xc3\xa9\x01 ") + LINE)
    db.execute("COMMIT")
    assert [row["url"] for row in got] == ["http://a.com/%E9té%01", "http://a.com/"]


@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
def test_line_ends_make_no_difference(db, tmp_path, end):
    assert stage(db, tmp_path, (HEADER + LINE).replace(b"\n", end)) == [PLAIN]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, zstandard.compress])
def test_every_compression_reads_alike_whatever_the_name(db, tmp_path, pack):
    got = stage(db, tmp_path, pack(HEADER + LINE * 3), name="a *[b]?.txt")
    assert [row["position"] for row in got] == [2, 3, 4]


def test_all_members_of_a_gzip_file_are_read_even_if_one_lacks_its_last_line_break(db, tmp_path):
    blocks = [
        gzip.compress(LINE * 5),
        gzip.compress(LINE * 5 + LINE.rstrip()),
        gzip.compress(LINE * 5),
    ]
    assert [row["problem"] for row in stage(db, tmp_path, b"".join(blocks))] == [None] * 16


def test_members_that_end_inside_a_line_are_joined(db, tmp_path):
    data = HEADER + LINE * 20
    got = stage(
        db, tmp_path, b"".join(gzip.compress(data[i : i + 37]) for i in range(0, len(data), 37))
    )
    assert [row["problem"] for row in got] == [None] * 20


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_file_that_is_cut_off_says_so_in_its_last_row(db, tmp_path, pack):
    lines = b"".join(LINE.replace(b"AAA", os.urandom(16).hex().encode()) for _ in range(5000))
    got = stage(db, tmp_path, pack(HEADER + lines)[:-1000])
    assert got[-1]["problem"].startswith(("file ends inside", "data broken after"))
    assert 2000 < sum(row["problem"] is None for row in got) < 5000


def test_a_cdxj_line_gives_every_column(db, tmp_path):
    data = b'!meta {"x": 1}\n' + JSON.replace(
        b'"mime"', b'"mime-detected": "text/plain", "redirect": "-", "ip": "::1", "mime"'
    )
    assert stage(db, tmp_path, data, indexes.stage_cdxj) == [
        PLAIN | {"digest": "sha1:AAA", "mime": "text/plain", "ip": "::1"}
    ]
    assert indexes.looks_like_cdxj(data.decode())


def test_a_key_may_hold_braces(db, tmp_path):
    """A query is no place where a browser or a SURT encodes them."""
    url = 'http://a.com/?q={"x":{1}}'
    line = f'com,a)/?q={{"x":{{1}}}} 20200102030405 {json.dumps({"url": url, "m": {"n": {}}})}\n'
    got = stage(db, tmp_path, line.encode() + JSON, indexes.stage_cdxj)
    assert [(row["url"], row["problem"]) for row in got] == [(url, None), (PLAIN["url"], None)]
    assert got[0]["fetched_at"] == "20200102030405"


def test_cdxj_lines_without_json_or_url_are_rows_with_a_problem(db, tmp_path):
    data = (
        JSON
        + b"com,a)/ 2020\n"
        + b'com,a)/ 2020 {"url": \n'
        + b'com,a)/ 2020 {"status": 200}\n'
        + b'{"url": "http://a.com/"}\n'
    )
    assert [row["problem"] for row in stage(db, tmp_path, data, indexes.stage_cdxj)] == [
        None,
        "CDXJ line has no valid JSON",
        "CDXJ line has no valid JSON",
        "CDXJ line has no URL",
        "CDXJ line has no key and timestamp before its JSON",
    ]


def test_the_openwayback_dialect_is_read(db, tmp_path):
    data = (
        b"!OpenWayback-CDXJ 1.0\n(com,a,)/ 2020-01-02T03:04:05Z response "
        b'{"uri": "http://a.com/", "sha": "AAA", "hsc": 200, "mct": "text/html"}\n'
    )
    assert stage(db, tmp_path, data, indexes.stage_cdxj) == [
        PLAIN | {"fetched_at": "2020-01-02T03:04:05Z"}
    ]
    assert indexes.looks_like_cdxj(data.decode())


@pytest.mark.parametrize(
    "text", ["", "url,title\n", '{"url": "x"}\n', "WARC/1.0\r\n", "a b c d e f g h i\n"]
)
def test_other_texts_do_not_look_like_indexes(text):
    assert not indexes.looks_like_cdx(text)
    assert not indexes.looks_like_cdxj(text)


def test_a_file_name_is_never_sql(db, tmp_path):
    assert len(stage(db, tmp_path, HEADER + LINE, name="a'); DROP TABLE x; --.cdx")) == 1
    with pytest.raises(ValueError):
        indexes.stage_cdx(db, str(tmp_path / "x.cdx"), "x; DROP TABLE y")


@pytest.mark.parametrize("data", [b"", b"\n\n", b"PAR1xxxx"])
def test_what_holds_no_lines_is_an_error_of_one_line(db, tmp_path, data):
    with pytest.raises(DataError) as caught:
        stage(db, tmp_path, data)
    assert "\n" not in str(caught.value)


@needs_files
@pytest.mark.parametrize("name", FILES)
def test_real_indexes_are_read_to_the_last_line(db, name):
    _, start = head(SHARED / name)
    text = start.decode("utf-8", "replace")
    is_cdx, is_cdxj = indexes.looks_like_cdx(text), indexes.looks_like_cdxj(text)
    assert not (is_cdx and is_cdxj)
    if not (is_cdx or is_cdxj):
        assert ".cdx" not in name or name.endswith(".json")
        return
    got = staged(db, SHARED / name, indexes.stage_cdx if is_cdx else indexes.stage_cdxj)
    assert all(row["problem"] is None or "not a capture" in row["problem"] for row in got)
    assert len({row["position"] for row in got}) == len(got)


@needs_files
def test_cdx_and_cdxj_of_one_collection_agree(db):
    cdx, cdxj = (
        sorted(
            (r["url"], r["fetched_at"], r["digest"], r["mime"])
            for r in staged(db, SHARED / name, stager)
        )
        for name, stager in (
            ("pywb/iana.cdx", indexes.stage_cdx),
            ("pywb/iana.cdxj", indexes.stage_cdxj),
        )
    )
    assert cdx == cdxj
