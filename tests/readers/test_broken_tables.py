"""Tables that are broken, cut, packed badly, of another encoding, or none: what is sound is kept,
what is not is named, in a line.

Tries text_repair, too.
"""

from __future__ import annotations

import gzip
import io
import re
import shutil
import tarfile
import zipfile

import pytest

import replicadb
from replicadb.errors import DataError
from replicadb.readers import csv_tables, table_files

from .tables import TWO, captures, pages, problems, rejects

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
    shown = web.load(
        write(
            "a.csv",
            b"url,digest,title\nhttp://a.com/caf\xe9,x1,caf\xe9\nhttp://b.com/,x2,\xff\xfe\n",
        )
    )
    assert pages(web) == [("http://a.com/caf%E9", "x1"), ("http://b.com/", "x2")]
    (line,) = shown.columns
    assert "not all is UTF-8: other bytes stand as %E9; convert it first, as with: iconv" in line


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


def test_half_of_a_character_costs_itself_and_not_its_line(web, write):
    """JSON.stringify and json.dumps write it where a text was cut within an emoji."""
    titles = [r"cut \ud83d", r"\ude00\ud83d", r"\ud83d\ude00 \ud83d", r"\\ud83d \ud83d", "sound"]
    items = [
        f'{{"url": "http://a.com/{n}", "digest": "x{n}", "title": "{title}"}}'
        for n, title in enumerate(titles)
    ]
    web.load(write("a.jsonl", "\n".join(items)))
    web.load(write("b.json", f"[{', '.join(items)}]".replace("a.com", "b.com")))
    found = web.database.column("SELECT title FROM pages ORDER BY url")
    assert found == ["cut ?", "?", "\U0001f600 ?", r"\ud83d ?", "sound"] * 2
    assert rejects(web) == []


MANY = 6_000
"""Rows of which half are more than the 64 KiB that are unpacked at once."""


@pytest.mark.slow
def test_of_a_table_cut_off_inside_its_compression_the_sound_part_is_kept(web, write):
    """The line that it ends in is no row."""
    lines = "".join(f"http://h{i}.com/{i},d{i * 7919}\n" for i in range(MANY))
    whole = gzip.compress(("url,digest\n" + lines).encode())
    result = web.load(write("a.csv.gz", whole[: len(whole) // 2]))
    assert result.kept > MANY / 4
    assert set(web.database.column("SELECT url FROM pages")) < {
        f"http://h{i}.com/{i}" for i in range(MANY)
    }
    assert any("file ends inside a record: it is incomplete" in r for *_, r in rejects(web))
    assert result.read == result.kept + result.replaced + result.skipped + result.rejected


def test_of_cut_off_lines_of_json_the_sound_part_is_kept(staged, write):
    lines = (f'{{"url": "http://h{i}.com/{i}", "digest": "d{i * 7919}"}}\n' for i in range(MANY))
    whole = gzip.compress("".join(lines).encode())
    rows = staged(write("a.jsonl.gz", whole[: len(whole) // 2]))
    found = {url for url, _ in captures(rows)}
    assert len(found) > MANY / 4 and found < {f"http://h{i}.com/{i}" for i in range(MANY)}
    assert any("file ends inside a record: it is incomplete" in r for *_, r in problems(rows))


def test_a_byte_flipped_inside_compression_is_named(staged, write):
    lines = "".join(f"http://h{i}.com/,{i * 7919}\n" for i in range(MANY))
    whole = bytearray(gzip.compress(("url,digest\n" + lines).encode()))
    whole[len(whole) // 2] ^= 255
    with pytest.raises(DataError, match=r"member broken at byte 0.* lines read of it are left out"):
        staged(write("a.csv.gz", bytes(whole)))


@pytest.mark.parametrize("long", ["", "x" * 200])
def test_a_failed_checksum_costs_its_member_and_what_it_said_is_counted(staged, write, long):
    """Bytes behind a flipped bit are unpacked to rows that never were; the members before are
    sound, and a line that a lost member began is not taken from its middle.
    """
    lines = [f"http://h{i}.example/{i * 7919}{long},{i * 7919}\n" for i in range(3_000)]
    text = "url,digest\n" + "".join(lines)
    borders = [len("".join(["url,digest\n", *lines[:n]])) - 5 for n in (1_000, 2_000)]
    parts = [text[: borders[0]], text[borders[0] : borders[1]], text[borders[1] :]]
    packed = [bytearray(gzip.compress(part.encode())) for part in parts]
    packed[1][-6] ^= 1  # the checksum alone: every line of it looks well
    rows = staged(write("a.csv.gz", b"".join(packed)))
    assert captures(rows) == sorted(
        (f"http://h{i}.example/{i * 7919}{long}", str(i * 7919))
        for i in (*range(999), *range(2_000, 3_000))
    )
    ((*_, reason),) = problems(rows)
    read = int(re.search(r"; (\d+) lines read of it", reason)[1])
    assert 300 < read <= 1_001 if long else read == 1  # what was not unpacked has no number


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_line_that_is_too_long_costs_itself(staged, write, monkeypatch, format):
    for module in (csv_tables, table_files):
        monkeypatch.setattr(module, "LONGEST_LINE", 200_000)
    row = "http://%s.example/%s,x\n" if format == "csv" else '{"url":"http://%s.example/%s"}\n'
    head = "url,digest\n" if format == "csv" else ""
    text = head + row % ("a", "") + row % ("b", "x" * 300_000) + row % ("c", "")
    rows = staged(write(f"a.{format}", text))
    assert [url for url, _ in captures(rows)] == ["http://a.example/", "http://c.example/"]
    ((*_, reason),) = problems(rows)
    assert reason.startswith("line of 300,0")


def test_a_json_array_is_one_line_of_any_length(staged, write, monkeypatch):
    monkeypatch.setattr(table_files, "LONGEST_LINE", 100)
    rows = ", ".join(f'{{"url": "http://h{i}.example/"}}' for i in range(50))
    assert len(captures(staged(write("a.json", f"[{rows}]")))) == 50


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


def tar_of(name: str) -> bytes:
    """As :func:`zip_of`."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as package:
        package.addfile(tarfile.TarInfo(name))
    return made.getvalue()


NO_TABLES = [
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
    ("b.tar.gz", gzip.compress(tar_of("crawl.csv"), mtime=0), "a tar archive; unpack it and load"),
]
"""Name, content, and what is told."""


@pytest.fixture(scope="module")
def refused(tmp_path_factory, crawled):
    """What a load of NO_TABLES said, each in a folder of its number; the first was known."""
    folder, path = tmp_path_factory.mktemp("no_tables"), tmp_path_factory.mktemp("web")
    names = [folder / str(n) / name for n, (name, *_) in enumerate(NO_TABLES)]
    for name, (_, content, _) in zip(names, NO_TABLES, strict=True):
        name.parent.mkdir()
        name.write_bytes(content if isinstance(content, bytes) else content.encode())
    with replicadb.open(shutil.copy(crawled, path)) as web:
        result = web.load(crawled.parent / "crawl.csv", *names)
        assert web.database.value("SELECT count(*) FROM sources") == 1
    return folder, result.failed


@pytest.mark.parametrize("n", range(len(NO_TABLES)), ids=[name for name, *_ in NO_TABLES])
def test_what_is_no_table_is_reported_in_one_line(refused, n):
    folder, failed = refused
    name, _, shown = NO_TABLES[n]
    assert len(failed) == len(NO_TABLES) and failed[n].startswith(f"{folder / str(n) / name}: ")
    assert shown in failed[n] and "\n" not in failed[n]


def test_of_a_lone_file_that_is_no_table_it_is_an_error(web, write):
    with pytest.raises(DataError, match="no URL column among: adress") as error:
        web.load(write("a.csv", "adress,digest\nhttp://a.com/,x\n"))
    assert "\n" not in str(error.value) and "a.csv" in str(error.value)
    assert web.database.value("SELECT count(*) FROM sources") == 0


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_utf16_is_named_where_the_format_is_given_too(staged, write, format):
    with pytest.raises(DataError, match="text in UTF-16; convert it to UTF-8"):
        staged(write("a.txt", "url,digest\n".encode("utf-16")), format)


@pytest.mark.parametrize("format", ["csv", "cdx"])
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


@pytest.mark.parametrize("content", RUBBISH, ids=range(len(RUBBISH)))
@pytest.mark.parametrize(
    "format", ["warc", "parquet", "tsv", "jsonl", "cc-index", "arc", "wacz", "cdxj"]
)
def test_no_row_of_rubbish_is_taken_for_a_capture(staged, write, format, content):
    try:
        rows = staged(write("rubbish", content), format)
    except DataError as error:
        assert not any(noise in str(error) for noise in ("\n", "Error", "aborted"))
    else:
        assert captures(rows) == []
