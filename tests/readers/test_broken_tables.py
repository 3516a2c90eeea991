"""Tables that are broken, cut, packed badly, of another encoding, or none: what is sound is kept,
what is not is named, in a line.

Tries text_repair, too.
"""

from __future__ import annotations

import gzip
import io
import re
import shutil
import zipfile

import pytest
from conftest import rest_slow

import replicadb
from replicadb.errors import DataError
from replicadb.readers import csv_tables, table_files

from .tables import TWO, pages, rejects

RUBBISH = [
    b"",
    b"\0" * 5000,
    bytes(range(256)) * 64,
    b"\x1f\x8b\x08" + b"rubbish" * 50,
    b"PK\x03\x04" * 9,
    b"[[[[",
    b'"',
]


def test_bytes_that_are_no_utf8_cost_no_line(web, write):
    told = web.load(
        write(
            "a.csv",
            b"url,digest,title\nhttp://a.com/caf\xe9,x1,caf\xe9\nhttp://b.com/,x2,\xff\xfe\n",
        )
    )
    assert pages(web) == [("http://a.com/caf%E9", "x1"), ("http://b.com/", "x2")]
    (line,) = told.columns
    assert line.endswith("not all is UTF-8: other bytes stand as %E9; convert it first with iconv")


@pytest.mark.slow
def test_broken_lines_of_json_are_rejected_with_their_numbers(web, write):
    web.load(
        write(
            "a.jsonl",
            '{"url": "http://a.com/", "digest": "x1"}\n{"url": "http://c.com/"\n\nnot'
            ' json\n[1]\n{"digest": "x"}\n{"url": "http://b.com/", "digest": "x2", "html": "'
            + "y" * 3_000_000
            + '"}\n',
        )
    )
    assert pages(web) == TWO
    assert rejects(web) == [
        (2, '{"url": "http://c.com/"', "broken JSON"),
        (4, "not json", "broken JSON"),
        (5, None, "no URL"),
        (6, None, "no URL"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.csv", "http://h{}.com/,d{}\n"),
        ("a.jsonl", '{{"url": "http://h{}.com/", "digest": "d{}"}}\n'),
    ],
)
def test_of_a_table_cut_off_inside_its_compression_the_sound_part_is_kept(web, write, name, line):
    header = "url,digest\n" if name.endswith("csv") else ""
    whole = gzip.compress(
        (header + "".join(line.format(i, i * 7919) for i in range(20_000))).encode()
    )
    result = web.load(write(name + ".gz", whole[: len(whole) // 2]))
    assert result.kept > 5_000
    assert any("file ends" in reason for *_, reason in rejects(web))
    assert result.read == result.kept + result.replaced + result.skipped + result.rejected


def test_a_byte_flipped_inside_compression_is_named(web, write):
    whole = bytearray(
        gzip.compress(
            (
                "url,digest\n" + "".join(f"http://h{i}.com/,{i * 7919}\n" for i in range(20_000))
            ).encode()
        )
    )
    whole[len(whole) // 2] ^= 255
    with pytest.raises(DataError, match=r"member broken at byte 0.* lines read of it are left out"):
        web.load(write("a.csv.gz", bytes(whole)))


@pytest.mark.slow
@pytest.mark.parametrize("long", ["", "x" * 200])
def test_a_failed_checksum_costs_its_member_and_what_it_said_is_counted(web, write, long):
    """Bytes behind a flipped bit are unpacked to rows that never were; the members before are
    sound, and a line that a lost member began is not taken from its middle.
    """
    lines = [f"http://h{i}.example/{i * 7919}{long},{i * 7919}\n" for i in range(3_000)]
    text = "url,digest\n" + "".join(lines)
    borders = [len("".join(["url,digest\n", *lines[:n]])) - 5 for n in (1_000, 2_000)]
    parts = [text[: borders[0]], text[borders[0] : borders[1]], text[borders[1] :]]
    packed = [bytearray(gzip.compress(part.encode())) for part in parts]
    packed[1][-6] ^= 1  # the checksum alone: every line of it looks well
    result = web.load(write("a.csv.gz", b"".join(packed)))
    kept = web.database.column("SELECT host FROM hosts")
    assert set(kept) == {f"h{i}.example" for i in (*range(999), *range(2_000, 3_000))}
    assert (result.kept, result.rejected) == (1_999, 1)
    ((*_, reason),) = rejects(web)
    read = int(re.search(r"; (\d+) lines read of it", reason)[1])
    assert 300 < read <= 1_001 if long else read == 1  # what was not unpacked has no number


@pytest.mark.slow
@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_line_that_is_too_long_costs_itself(web, write, monkeypatch, format):
    for module in (csv_tables, table_files):
        monkeypatch.setattr(module, "LONGEST_LINE", 200_000)
    row = "http://%s.example/%s,x\n" if format == "csv" else '{"url":"http://%s.example/%s"}\n'
    head = "url,digest\n" if format == "csv" else ""
    text = head + row % ("a", "") + row % ("b", "x" * 300_000) + row % ("c", "")
    result = web.load(write(f"a.{format}", text))
    assert (result.read, result.kept) == (3, 2)
    assert next(reason for *_, reason in rejects(web)).startswith("line of 300,0")


@pytest.mark.slow
def test_a_json_array_is_one_line_of_any_length(web, write, monkeypatch):
    monkeypatch.setattr(table_files, "LONGEST_LINE", 100)
    rows = ", ".join(f'{{"url": "http://h{i}.example/"}}' for i in range(50))
    assert web.load(write("a.json", f"[{rows}]")).kept == 50


@pytest.mark.slow
def test_the_line_that_a_cut_file_ends_in_is_no_row(web, write):
    text = "url,digest\n" + "".join(f"http://h{i}.example/{i},{i * 7919}\n" for i in range(20_000))
    packed = gzip.compress(text.encode())
    web.load(write("a.csv.gz", packed[: len(packed) // 2]))
    there = set(web.sql("SELECT url FROM pages")["url"])
    assert there < {f"http://h{i}.example/{i}" for i in range(20_000)}
    assert any("it is incomplete" in reason for *_, reason in rejects(web))


@pytest.mark.slow
def test_a_header_alone_is_a_table_without_rows(web, write):
    result = web.load(write("a.csv", "url,digest\n"))
    assert (result.sources, result.read) == (1, 0)


def zip_of(name: str) -> bytes:
    """An archive with an empty file of that name."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as package:
        package.writestr(name, "")
    return made.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        (
            "a.csv",
            "adress,digest\nhttp://a.com/,x\n",
            "no URL column among: adress, digest; name it with --column url=NAME",
        ),
        ("a.jsonl", '{"adress": "x"}\n', "no URL column among: adress"),
        ("a.json", '[{"adress": "x"}]', "no URL column among: adress"),
        ("a.json", '[["adress"],["x"]]', "no URL column among: adress"),
        ("a.json", '[{"url": "http://a', "there is no whole item in it"),
        ("a.csv", b"", "empty: there is nothing in it to load"),
        ("a.csv.gz", gzip.compress(b"", mtime=0), "empty: there is nothing in it to load"),
        ("a.parquet", b"PAR1 no parquet at all PAR1", "cannot be read as parquet"),
        ("a.csv", "url,digest\nhttp://a.com/,x\n".encode("utf-16"), "UTF-16"),
        ("a.bin", bytes(range(256)) * 64, "of no known format (binary)"),
        (
            "a.txt",
            "hello world\nthis is text\n",
            "of no known format; say what it is with --format",
        ),
        ("a.zip", b"PK\x03\x04 no zip at all", "no readable zip archive"),
        ("a.xlsx", zip_of("xl/workbook.xml"), "an Excel workbook; save the sheet as CSV"),
        ("b.zip", zip_of("crawl.csv"), "a zip archive, but no WACZ; unpack it"),
    ],
)
def test_what_is_no_table_is_reported_in_one_line(web, write, name, content, told):
    with pytest.raises(DataError) as error:
        web.load(write(name, content))
    assert told in str(error.value) and "\n" not in str(error.value) and name in str(error.value)
    assert web.database.value("SELECT count(*) FROM sources") == 0


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_utf16_is_named_where_the_format_is_given_too(web, write, format):
    with pytest.raises(DataError, match="text in UTF-16; convert it to UTF-8"):
        web.load(write("a.txt", "url,digest\n".encode("utf-16")), format=format)


@pytest.mark.slow
@pytest.mark.parametrize(
    "format",
    rest_slow(
        ["csv", "warc", "parquet", "tsv", "jsonl", "cc-index", "arc", "wacz", "cdx", "cdxj"], 3
    ),
)
def test_rubbish_of_a_named_format_is_an_error_of_one_line_or_counted(crawled, write, format):
    """A file that the database knows goes first: where every file fails, only the first one's error
    is told.
    """
    shutil.copy(crawled, "web.duckdb")
    with replicadb.open("web.duckdb") as web:
        result = web.load(
            crawled.parent / "crawl.csv",
            *(write(f"rubbish{n}", content) for n, content in enumerate(RUBBISH)),
            format=format,
        )
    assert len(result.known) == 1 and len(result.failed) + result.sources == len(RUBBISH)
    assert not any("\n" in line or "Error" in line or "aborted" in line for line in result.failed)
    assert result.kept == 0 and result.read == result.rejected
