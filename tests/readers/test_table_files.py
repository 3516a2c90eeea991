"""Tables of every shape: what is sound is read, what is broken is named with its line, and nothing
is lost silently.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import re
import shutil
import zipfile

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from conftest import rest_slow

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.readers import csv_tables, table_files
from replicadb.readers.formats import recognise
from replicadb.readers.table_files import stage_table

RUBBISH = [
    b"",
    b"\0" * 5000,
    bytes(range(256)) * 64,
    b"\x1f\x8b\x08" + b"rubbish" * 50,
    b"PK\x03\x04" * 9,
    b"[[[[",
    b'"',
]
TWO = [("http://a.com/", "x1"), ("http://b.com/", "x2")]


def pages(web) -> list[tuple]:
    return web.database.rows("SELECT url, fingerprint FROM pages ORDER BY ALL")


def rejects(web) -> list[tuple]:
    return web.database.rows("SELECT position, url, reason FROM rejects ORDER BY ALL")


TABLES = [
    ("bom.csv", b"\xef\xbb\xbfurl,digest\nhttp://a.com/,x1\nhttp://b.com/,x2\n"),
    ("crlf.csv", b"url,digest\r\nhttp://a.com/,x1\r\nhttp://b.com/,x2\r\n"),
    ("mixed-ends.csv", b"url,digest\r\nhttp://a.com/,x1\nhttp://b.com/,x2"),
    ("semicolons.csv", b"url;digest\nhttp://a.com/;x1\nhttp://b.com/;x2\n"),
    ("pipes.csv", b"url|digest\nhttp://a.com/|x1\nhttp://b.com/|x2\n"),
    (
        "quotes.csv",
        (
            b'"url","digest","title"\n"http://a.com/","x1","a ""b"",'
            b' c"\n"http://b.com/",x2,"two\nlines"\n'
        ),
    ),
    ("spaces.csv", b"URL, Digest ,x\nhttp://a.com/, x1,\n http://b.com/ ,x2 ,\n"),
    ("trailing.csv", b"url,digest\nhttp://a.com/,x1,\nhttp://b.com/,x2,\n"),
    ("blank-lines.csv", b"\nurl,digest\n\nhttp://a.com/,x1\n\nhttp://b.com/,x2\n\n"),
    ("tabs.tsv", b"url\tdigest\nhttp://a.com/\tx1\nhttp://b.com/\tx2\n"),
    ("no-ending", b"digest\ttitle\turl\nx1\ta, b, c\thttp://a.com/\nx2\t\thttp://b.com/\n"),
    (
        "lines.jsonl",
        b'{"url": "http://a.com/", "digest": "x1"}\n\n{"digest": "x2", "url": "http://b.com/"}\n',
    ),
    (
        "objects.json",
        b'[{"url": "http://a.com/", "digest": "x1"},\n {"url": "http://b.com/", "digest": "x2"}]',
    ),
    (
        "cdx-server.json",
        b'[["original","digest"],\n["http://a.com/","x1"],\n["http://b.com/","x2"]]\n',
    ),
    (
        "two-answers.txt",
        b'[["original","digest"],["http://a.com/","x1"]]\n'
        b'[["original","digest"],["http://b.com/","x2"]]\n',
    ),
]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """All of TABLES in one database; the hosts of the n-th are a.n.com and b.n.com."""
    folder = tmp_path_factory.mktemp("written")
    for n, (name, content) in enumerate(TABLES):
        (folder / name).write_bytes(content.replace(b".com", b".%d.com" % n))
    with replicadb.open(tmp_path_factory.mktemp("loaded") / "web.duckdb") as web:
        web.load(*(folder / name for name, _ in TABLES))
        yield web, folder


@pytest.mark.parametrize("n", range(len(TABLES)), ids=[name for name, _ in TABLES])
def test_a_table_is_read_however_it_is_written(written, n):
    web, folder = written
    source = str(folder / TABLES[n][0])
    found = web.database.rows(
        "SELECT url, fingerprint FROM pages WHERE source = ? ORDER BY ALL", [source]
    )
    assert found == [(url.replace(".com", f".{n}.com"), digest) for url, digest in TWO]
    assert web.database.rows("SELECT read, rejected FROM sources WHERE source = ?", [source]) == [
        (2, 0)
    ]


@pytest.mark.parametrize("pack", rest_slow([gzip.compress, zstandard.compress, bz2.compress]))
def test_a_packed_table_gives_the_captures_of_a_plain_one(web, write, tmp_path, pack):
    def staged(name: str, content: bytes) -> list[tuple]:
        path = write(name, content)
        stage_table(web.database, str(path), recognise(path), {}, str(tmp_path))
        return web.database.rows("FROM staged ORDER BY position")

    for name, content in TABLES:
        plain = staged(name, content)
        assert staged(name, pack(content)) == plain and len(plain) == 2, name


def parquet(path, table: dict, **options) -> str:
    pq.write_table(pa.table(table), path, **options)
    return str(path)


def test_parquet_is_read_with_lists_of_addresses_binary_digests_and_real_times(web, tmp_path):
    digest = bytes(range(20))
    web.load(
        parquet(
            tmp_path / "a.parquet",
            {
                "url": ["http://a.com/"],
                "ip": [["1.1.1.1", "::1"]],
                "sha1": pa.array([digest]),
                "file_row_number": [7],
                "timestamp": pa.array([1706745599], pa.timestamp("s", "UTC")),
                "status": pa.array([200], pa.int16()),
            },
        )
    )
    assert web.database.rows(
        "SELECT fingerprint_kind, fingerprint, fetched_at::VARCHAR, status FROM urls"
    ) == [("sha1", digest.hex(), "2024-01-31 23:59:59", 200)]
    assert web.database.rows("SELECT ip FROM host_ips ORDER BY 1") == [("1.1.1.1",), ("::1",)]


def test_the_nested_schema_of_common_crawls_index_is_read_as_the_flat_one(web, tmp_path):
    rows = [
        {
            "url": {"url": "http://a.com/", "host": {"name": "a.com"}},
            "fetch": {"status": 200, "time": "2024-01-31 23:59:59"},
            "content": {
                "digest": "AAAQEAYEAUDAOCAJBIFQYDIOB4IBCEQT",
                "mime_type": "text/html",
                "mime_detected": "application/pdf",
            },
        },
        {"url": {"url": "http://b.com/"}, "fetch": {"status": 404}, "content": {}},
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    result = web.load(tmp_path / "a.parquet", format="cc-index")
    assert (result.kept, result.skipped) == (1, 1)
    assert web.database.rows("SELECT fingerprint, mime, fetched_at::VARCHAR FROM urls") == [
        (bytes(range(20)).hex(), "application/pdf", "2024-01-31 23:59:59")
    ]


def test_the_real_common_crawl_index_has_the_pages_of_its_cdxj(web, shared):
    web.load(shared / "formats/derived/cc-index")
    assert web.database.value("SELECT count(*) FROM urls WHERE fingerprint_kind = 'sha1'") > 0
    assert not rejects(web)


def test_a_lone_column_of_urls_may_hold_commas(web, write):
    web.load(write("a.csv", "url\nhttp://a.com/x,y\n"))
    assert pages(web) == [("http://a.com/x,y", None)]


def test_cells_missing_at_a_lines_end_are_unknown(web, write):
    web.load(write("a.csv", "url,digest,ip\nhttp://a.com/\nhttp://b.com/,x2\n"))
    assert pages(web) == [("http://a.com/", None), ("http://b.com/", "x2")]


def test_a_line_with_too_many_cells_is_rejected_with_its_number(web, write):
    web.load(
        write(
            "a.csv",
            "url,digest\nhttp://a.com/,x1\nhttp://c.com/x,y,x3\nhttp://b.com/,x2\n"
            "http://d.com/,1,2,3,4\n",
        )
    )
    assert pages(web) == TWO
    assert rejects(web) == [
        (3, "http://c.com/x", "line has more cells than the header"),
        (5, "http://d.com/", "line has more cells than the header"),
    ]


def test_a_row_without_url_is_rejected_with_its_number(web, write):
    web.load(write("a.csv", "url,digest\nhttp://a.com/,x1\n,x9\nhttp://b.com/,x2\n"))
    assert pages(web) == TWO
    assert rejects(web) == [(3, None, "no URL")]


@pytest.mark.slow
def test_a_quotation_mark_that_is_never_closed_swallows_no_other_line(web, write):
    many = "".join(f"http://h{i}.com/,d{i}\n" for i in range(500))
    table = f'url,digest\nhttp://a.com/,"x1\n{many}http://b.com/,x2'
    web.load(
        *(
            write(f"{n}.csv", table.replace(".com", f".{n}.com") + ending)
            for n, ending in enumerate(("", "\n", '"tail"\n'))
        )
    )
    assert web.database.rows("SELECT read, kept FROM sources") == [(502, 502)] * 3


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
    assert any("the line that it cuts is left out" in reason for *_, reason in rejects(web))


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


@pytest.mark.parametrize(
    "format", ["csv", "tsv", "jsonl", "parquet", "cc-index", "warc", "arc", "wacz", "cdx", "cdxj"]
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


def test_columns_of_any_name_can_be_chosen(web, write):
    web.load(
        write("a.csv", "Seite;Prüfsumme;Nr\nhttp://a.com/;x1;n-1\n"),
        columns={"url": "seite", "fingerprint": "Prüfsumme", "id": "Nr"},
    )
    assert web.database.rows("SELECT url, fingerprint, user_id FROM pages") == [
        ("http://a.com/", "x1", "n-1")
    ]


def test_json_names_of_any_form_can_be_chosen(web, write):
    name = "a.b\"c'$[0]"
    web.load(
        write("a.jsonl", json.dumps({name: "http://a.com/", "n": 3}) + "\n"),
        columns={"url": name, "id": "n"},
    )
    assert web.database.rows("SELECT url, user_id FROM pages") == [("http://a.com/", "3")]


@pytest.mark.parametrize(
    ("columns", "told"),
    [({"url": "nope"}, "no column 'nope'"), ({"shape": "url"}, "no such column role 'shape'")],
)
def test_a_column_that_is_not_there_is_a_mistake_in_the_call(web, write, columns, told):
    with pytest.raises(UsageError, match=told):
        web.load(write("a.csv", "url\nhttp://a.com/\n"), columns=columns)


def test_names_that_look_like_patterns_are_files_and_patterns_find_files(web, write, tmp_path):
    write("a[1]*.csv", "url\nhttp://a.com/\n")
    web.load(tmp_path / "a[1]*.csv")
    write("b1.csv", "url\nhttp://b.com/\n")
    write("b2.csv", "url\nhttp://c.com/\n")
    assert web.load(tmp_path / "b?.csv", tmp_path / "b1.csv").sources == 2
    with pytest.raises(DataError, match="matches no file"):
        web.load(tmp_path / "z*.csv")


def test_a_folder_is_read_to_its_depths_and_what_is_no_crawl_is_named(web, write, tmp_path):
    (tmp_path / "crawl/deep").mkdir(parents=True)
    write("crawl/deep/a.csv", "url\nhttp://a.com/\n")
    write("crawl/notes.txt", "hello\n")
    write("crawl/other.csv", "x,y\n1,2\n")
    write("crawl/.hidden.csv", "url\nhttp://b.com/\n")
    result = web.load(tmp_path / "crawl")
    assert result.kept == 1 and not result.failed
    assert sorted(line.split(":")[0].rpartition("/")[2] for line in result.unrecognised) == [
        "notes.txt",
        "other.csv",
    ]
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match="a folder without crawl files"):
        web.load(tmp_path / "none")
    write("none/notes.txt", "hello\n")
    with pytest.raises(DataError, match="no crawl file in it"):
        web.load(tmp_path / "none")


def test_any_duckdb_reads_the_tables_that_are_loaded(web, write, tmp_path):
    web.load(write("a.csv", "url,digest\nhttp://a.com/,x1\n"))
    web.close()
    with duckdb.connect(str(tmp_path / "web.duckdb"), read_only=True) as con:
        assert con.execute("SELECT url FROM pages").fetchall() == [("http://a.com/",)]


@pytest.mark.slow
def test_standard_input_is_a_source(process, tmp_path):
    assert (
        process(
            "load",
            "s.duckdb",
            "-",
            stdin=gzip.compress(b"url,digest\nhttp://a.com/,x\n"),
            cwd=tmp_path,
        ).code
        == 0
    )
    with replicadb.open(tmp_path / "s.duckdb", read_only=True) as web:
        assert web.database.rows("SELECT url, source FROM pages") == [("http://a.com/", "-")]
