"""Tables of every shape: what is sound is read; test_broken_tables.py has what is not.

Tries csv_tables, json_lines, parquet and staged_table, too.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from conftest import CRAWL, rest_slow

from replicadb.errors import DataError, UsageError

from .tables import TWO, captures, pages, problems, rejects

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


@pytest.mark.parametrize(("name", "content"), TABLES, ids=[name for name, _ in TABLES])
def test_a_table_is_read_however_it_is_written(staged, write, name, content):
    """Blanks around a URL go when it is judged, as another test loads some."""
    rows = staged(write(name, content))
    assert sorted((url.strip(), digest) for url, digest in captures(rows)) == TWO
    assert problems(rows) == [] and len(rows) == 2


@pytest.mark.slow
@pytest.mark.parametrize("pack", rest_slow([gzip.compress, zstandard.compress, bz2.compress]))
def test_a_packed_table_gives_the_captures_of_a_plain_one(staged, write, pack):
    for name, content in TABLES[:: 1 if pack is gzip.compress else 4]:
        plain = staged(write(name, content))
        assert staged(write(name, pack(content))) == plain and len(plain) == 2, name


def parquet(path, table: dict, **options) -> str:
    pq.write_table(pa.table(table), path, **options)
    return str(path)


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_nested_schema_of_common_crawls_index_is_read_as_the_flat_one(staged, tmp_path):
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
    first, second = staged(tmp_path / "a.parquet", "cc-index")
    names = ("url", "digest", "mime", "status", "fetched_at", "problem")
    assert [str(first[name]) for name in names] == [
        "http://a.com/", rows[0]["content"]["digest"], "application/pdf", "200",
        "2024-01-31 23:59:59", "None",
    ]  # fmt: skip
    assert (second["url"], second["status"], second["digest"]) == ("http://b.com/", 404, None)


@pytest.mark.slow
def test_the_real_common_crawl_index_has_the_pages_of_its_cdxj(web, shared):
    web.load(shared / "formats/derived/cc-index")
    assert web.database.value("SELECT count(*) FROM urls WHERE fingerprint_kind = 'sha1'") > 0
    assert not rejects(web)


def test_a_lone_column_of_urls_may_hold_commas(staged, write):
    rows = staged(write("a.csv", "url\nhttp://a.com/x,y\n"))
    assert captures(rows) == [("http://a.com/x,y", None)] and len(rows) == 1


def test_cells_missing_at_a_lines_end_are_unknown(staged, write):
    rows = staged(write("a.csv", "url,digest,ip\nhttp://a.com/\nhttp://b.com/,x2\n"))
    assert captures(rows) == [("http://a.com/", None), ("http://b.com/", "x2")] and len(rows) == 2


@pytest.mark.slow
def test_a_line_with_too_many_cells_or_without_url_is_rejected_with_its_number(web, write):
    web.load(
        write(
            "a.csv",
            "url,digest\nhttp://a.com/,x1\nhttp://c.com/x,y,x3\n,x9\n http://b.com/ ,x2\n"
            "http://d.com/,1,2,3,4\n",
        )
    )
    assert pages(web) == TWO
    assert rejects(web) == [
        (3, "http://c.com/x", "line has more cells than the header"),
        (4, None, "no URL"),
        (6, "http://d.com/", "line has more cells than the header"),
    ]


@pytest.mark.parametrize("ending", ["", "\n", '"tail"\n'])
def test_a_quotation_mark_that_is_never_closed_swallows_no_other_line(staged, write, ending):
    many = "".join(f"http://h{i}.com/,d{i}\n" for i in range(500))
    rows = staged(write("a.csv", f'url,digest\nhttp://a.com/,"x1\n{many}http://b.com/,x2' + ending))
    assert problems(rows) == []
    assert sorted(row["url"] for row in rows) == sorted(
        f"http://{host}.com/" for host in ("a", "b", *(f"h{i}" for i in range(500)))
    )


def test_columns_of_any_name_can_be_chosen(staged, write):
    (row,) = staged(
        write("a.csv", "Seite;Prüfsumme;Nr\nhttp://a.com/;x1;n-1\n"),
        columns={"url": "seite", "fingerprint": "Prüfsumme", "id": "Nr"},
    )
    assert (row["url"], row["digest"], row["user_id"]) == ("http://a.com/", "x1", "n-1")


def test_json_names_of_any_form_can_be_chosen(staged, write):
    name = "a.b\"c'$[0]"
    (row,) = staged(
        write("a.jsonl", json.dumps({name: "http://a.com/", "n": 3}) + "\n"),
        columns={"url": name, "id": "n"},
    )
    assert (row["url"], row["user_id"]) == ("http://a.com/", "3")


@pytest.mark.parametrize(
    ("columns", "said"),
    [({"url": "nope"}, "no column 'nope'"), ({"shape": "url"}, "no such column role 'shape'")],
)
def test_a_column_that_is_not_there_is_a_mistake_in_the_call(web, write, columns, said):
    with pytest.raises(UsageError, match=said):
        web.load(write("a.csv", "url\nhttp://a.com/\n"), columns=columns)


def test_a_column_that_one_file_of_several_has_not_is_told_with_its_name(web, write):
    first = write("a.csv", "url,key\nhttp://a.com/,1\n")
    second = write("b.csv", "url,id\nhttp://b.com/,2\n")
    said = r"b\.csv: no column 'key' in the table; it has: url, id; 1 file before it is loaded$"
    with pytest.raises(UsageError, match=said):
        web.load(first, second, columns={"id": "key"})
    assert web.sql("SELECT url FROM pages").rows() == [("http://a.com/",)]


@pytest.mark.slow
def test_names_that_look_like_patterns_are_files_and_patterns_find_files(web, write, tmp_path):
    write("a[1]*.csv", "url\nhttp://a.com/\n")
    web.load(tmp_path / "a[1]*.csv")
    write("b1.csv", "url\nhttp://b.com/\n")
    write("b2.csv", "url\nhttp://c.com/\n")
    assert web.load(tmp_path / "b?.csv", tmp_path / "b1.csv").sources == 2
    with pytest.raises(DataError, match="matches no file"):
        web.load(tmp_path / "z*.csv")


@pytest.mark.slow
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


def test_of_a_folder_a_damaged_file_has_failed_and_is_not_left_out(web, write, tmp_path):
    """Else a crawl that lacks a part of it leaves with 0, and with --quiet without a word."""
    (tmp_path / "crawl").mkdir()
    table = pa.table({"url": [f"http://a.com/{n}" for n in range(500)], "digest": ["x"] * 500})
    pq.write_table(table, tmp_path / "whole.parquet")
    damaged = {
        "cut.parquet": (tmp_path / "whole.parquet").read_bytes()[:-50],
        "cut.csv.gz": gzip.compress(b"url,digest\nhttp://b.com/,x\n")[:20],
        "cut.jsonl.zst": zstandard.compress(b'{"url": "http://c.com/"}\n' * 9)[:12],
    }
    for name, data in damaged.items():
        write(f"crawl/{name}", data)
    write("crawl/a.csv", "url,digest\nhttp://d.com/,x\n")
    write("crawl/empty.jsonl", "")
    result = web.load(tmp_path / "crawl")
    assert result.kept == 1 and len(result.unrecognised) == 1
    assert [line.split(":")[0].rpartition("/")[2] for line in result.failed] == sorted(damaged)


def test_any_duckdb_reads_the_tables_that_are_loaded(crawled):
    with duckdb.connect(str(crawled), read_only=True) as con:
        urls = {url for (url,) in con.execute("SELECT url FROM pages").fetchall()}
    assert urls == {line.split(",")[0] for line in CRAWL.splitlines()[1:]}


@pytest.mark.slow
def test_standard_input_is_a_source(web, monkeypatch):
    packed = gzip.compress(b"url,digest\nhttp://a.com/,x\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(packed)))
    web.load("-")
    assert web.database.rows("SELECT url, source FROM pages") == [("http://a.com/", "-")]


@pytest.mark.parametrize("blank", ["", " ", "\t", "\v", "\f", " \t ", "\xa0", "\u3000"])
@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.jsonl", '{{"url": "http://{}.example/"}}'),
        ("a.cdxj", 'example,{0})/ 20240101000000 {{"url": "http://{0}.example/"}}'),
        ("crawl.log", "2024-01-01T00:00:00.000Z 200 10 http://{}.example/ - - text/html #1 - - -"),
    ],
)
def test_a_line_of_white_space_is_no_record(staged, write, name, line, blank):
    rows = staged(write(name, f"{line.format('a')}\n{blank}\n{line.format('b')}\n"))
    assert [(row["position"], row["url"], row["problem"]) for row in rows] == [
        (1, "http://a.example/", None), (3, "http://b.example/", None),
    ]  # fmt: skip
