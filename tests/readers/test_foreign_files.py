"""Files that other programs write otherwise than ours: line ends, encodings, columns of other
types, names that differ in case; and files that are written to while they are read.
"""

from __future__ import annotations

import errno
import json
import os

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from replicadb.errors import DataError
from replicadb.readers import formats
from replicadb.readers.text_repair import is_sound_text

from .tables import captures, problems


def urls(rows: list[dict]) -> list[str]:
    return [url for url, _ in captures(rows)]


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n", "\r\r\n"])
def test_every_line_end_ends_a_line(staged, write, end):
    """DuckDB drops the first character behind a carriage return that stands alone."""
    lines = ["url,fingerprint", "a.example/1,aa", "b.example/2,bb", "c.example/3,cc", ""]
    rows = staged(write("a.csv", end.join(lines)))
    assert captures(rows) == [tuple(line.split(",")) for line in lines[1:4]] and len(rows) == 3


def test_one_carriage_return_among_other_line_ends_costs_no_character(web, write):
    text = "url,t\r\nhttp://a.example/,1\r\nb.example,2\rxy.example,3\r\n"
    assert web.load(write("a.csv", text)).kept == 3
    found = web.database.column("SELECT url FROM pages ORDER BY url")
    assert found == [f"http://{host}.example/" for host in ("a", "b", "xy")]


@pytest.mark.parametrize("cut", range(5))
def test_a_line_end_is_one_wherever_pieces_end(write, monkeypatch, cut):
    monkeypatch.setattr("replicadb.readers.compression.OUTPUT", 10 + cut)
    assert is_sound_text(write("a.txt", "123456789\r\n12345678\r\n\r\n"), lambda *_: False)
    assert not is_sound_text(write("b.txt", "123456789\r12345678\r\n"), lambda *_: False)
    assert not is_sound_text(write("c.txt", "123456789\r"), lambda *_: False)


@pytest.mark.parametrize("name", ["warc/a.warc.gz", "part-0.c000.gz.parquet", "cdx-00001.gz"])
def test_a_list_of_crawl_files_is_none_of_urls(staged, write, name):
    with pytest.raises(DataError, match=r"a list of crawl files .*not of URLs"):
        staged(write("a.paths", f"crawl-data/CC-MAIN-2024-22/{name}\n" * 3))
    assert (
        urls(staged(write("b.txt", f"https://a.example/{name}\n" * 2)))
        == [f"https://a.example/{name}"] * 2
    )


@pytest.mark.parametrize("mark", [";", ",", "|"])
def test_excel_s_own_line_says_the_delimiter(staged, write, mark):
    lines = [f"sep={mark}"]
    lines += [f"URL{mark}Checksum{mark}x", f"a.example{mark}aa{mark}1", f"{mark}bb{mark}"]
    rows = staged(write("a.csv", "\ufeff" + "\r\n".join(lines) + "\r\n"))
    assert captures(rows) == [("a.example", "aa")] and problems(rows) == [(4, None, "no URL")]


@pytest.mark.parametrize("name", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_an_encoding_of_wide_characters_is_named(staged, write, name):
    with pytest.raises(DataError, match=f"text in {name[:6].upper()}"):
        staged(write("a.csv", "url,fingerprint\na.example,aa\n".encode(name)))


@pytest.mark.parametrize(
    "start,said",
    [
        (b"\xfd7zXZ\0", "packed with xz"),
        (b"ARROW1\0\0", "an Arrow file"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"SEQ\x06\x19org.apache.hadoop.io.Text", "nutch readdb CRAWLDB -dump DIR -format csv"),
    ],
)
def test_what_is_known_and_not_read_is_called_by_its_name(staged, write, start, said):
    with pytest.raises(DataError, match=said):
        staged(write("a", start + bytes(50)))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("com,example)/ 20140127171200\tcdx-00000.gz\t0\t275\t1\n" * 2, "cdx-00000.gz"),
        ("org,iana)/a b 20140127\tzip\t0\t275\n", None),
        ("org,iana)/ 20140127171238\tzipnum\t275\t328", "zipnum"),
        (
            '!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n'
            'com,example)/ 20200101000000 {"offset": 0, "length": 1234, "digest": "sha256:ab"}\n',
            "index.cdx.gz",
        ),
    ],
)
def test_the_index_of_an_index_is_no_index(staged, write, text, named):
    """Its lines are blocks of captures: a CDXJ reader would take each for one."""
    said = rf"an index of a ZipNum index: .*\(the first: '{named}'\)" if named else "no URL column"
    with pytest.raises(DataError, match=said):
        staged(write("cluster.idx", text))


def test_a_duckdb_database_is_called_one(staged, tmp_path):
    with duckdb.connect(str(tmp_path / "other.duckdb")) as con:
        con.execute("CREATE TABLE seen AS SELECT 'http://a.example/' AS url")
    with pytest.raises(DataError, match=r"a DuckDB database; write its table of URLs as Parquet"):
        staged(str(tmp_path / "other.duckdb"))


def test_a_list_of_urls_whose_first_host_begins_with_duck_is_no_database(write):
    assert formats.recognise(write("urls.txt", "https://DUCK.example/1\n")) == "urls"


def test_a_list_may_begin_with_remarks(staged, write):
    rows = staged(write("list.txt", "# of May\n\n#\nhttp://a.example/\nb.example\n"))
    assert urls(rows) == ["b.example", "http://a.example/"] and len(rows) == 2


@pytest.mark.parametrize("above", ["", "# of May\n"])
def test_urls_with_commas_are_a_list_and_lines_of_as_many_cells_are_a_table(staged, write, above):
    paths = ("/0,1518,12345,00.html", "/a;b=1", "/c")
    path = write("list.txt", above + "".join(f"http://a.example{x}\n" for x in paths))
    assert formats.recognise(path) == "urls"
    assert urls(staged(path)) == [f"http://a.example{x}" for x in paths]
    with pytest.raises(DataError, match=r"no header but a row; .*--column url=0, or say --format"):
        staged(write("a.csv", f"{above}http://a.example/x,x1\nhttp://b.example/x,x1\n"))


HASHES = "#" * 40


@pytest.mark.parametrize(
    ("above", "header"),
    [
        (f"{HASHES}\n# a dump, of May\n{HASHES}\n#\n", "# id,date,url,sha1"),
        ("# a dump, of May\n\n", "id,date,url,sha1"),
        ("# of May\n# two, three, and four\n", "id,date,url,sha1"),
        ("# one, two, three\n", "id,date,url,sha1"),
        ("", "#id,date,url,sha1"),
    ],
)
def test_a_table_may_begin_with_remarks_of_which_the_last_may_be_its_header(
    staged, write, above, header
):
    """As URLhaus' lists do, whose cells have commas. Rows keep the numbers of their lines."""
    path = write("a.csv", f'{above}{header}\n1,"May 1, 2",http://a.example/,x1\n2,,,\n')
    assert formats.recognise(path) == "csv"
    rows = staged(path)
    assert captures(rows) == [("http://a.example/", "sha1:x1")]
    assert problems(rows) == [(above.count("\n") + 3, None, "no URL")]


def test_remarks_alone_are_no_table(write):
    with pytest.raises(DataError, match="of no known format"):
        formats.recognise(write("a.csv", "# one\n# two\n"))


def test_columns_keep_their_places_where_a_new_name_is_taken(staged, write):
    text = "url,url_2,url,fingerprint\nhttp://a.example/,x,y,aa\n"
    assert captures(staged(write("a.csv", text))) == [("http://a.example/", "aa")]


def test_one_line_whose_names_differ_in_case_costs_itself_alone(staged, write):
    lines = [f'{{"url": "http://a.example/{n}", "Status": 200}}' for n in range(5)]
    lines.insert(2, '{"URL": "http://b.example/", "STATUS": 404}')
    rows = staged(write("a.jsonl", "\n".join(lines)))
    assert urls(rows) == [f"http://a.example/{n}" for n in range(5)]
    assert problems(rows) == [(3, None, "no URL")]


def parquet(tmp_path, **columns) -> str:
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    return str(tmp_path / "a.parquet")


@pytest.mark.slow
def test_texts_that_a_parquet_file_has_as_bytes_are_texts(web, tmp_path):
    """No host ``xff`` comes of a byte, and an accent stays one."""
    given = ["http://a.example/é".encode(), b"http://b.example/\xe9", b"http://\xff.example/", None]
    result = web.load(parquet(tmp_path, url=given, title=[b"caf\xc3\xa9", None, None, None]))
    assert (result.kept, result.rejected) == (2, 2)
    assert web.database.column("SELECT url FROM pages ORDER BY url") == [
        "http://a.example/%C3%A9", "http://b.example/%E9",
    ]  # fmt: skip
    assert web.database.column("SELECT title FROM pages WHERE title IS NOT NULL") == ["café"]


@pytest.mark.parametrize("content", [[1, 2], [["<p>"], None]])
def test_a_content_of_another_type_refuses_no_file(staged, tmp_path, content):
    given = ["http://a.example/", "http://b.example/"]
    assert urls(staged(parquet(tmp_path, url=given, content=content))) == given


@pytest.mark.slow
@pytest.mark.parametrize("others", [0, 4])
def test_a_file_that_is_written_to_while_it_is_read_is_told_and_left_out(
    web, write, monkeypatch, others
):
    """Its digest would be of other bytes than its rows."""
    growing = write("growing.csv", "url,fingerprint\nhttp://a.example/,aa\n")
    sound = [write(f"{n}.csv", f"url\nhttp://sound.example/{n}\n") for n in range(others)]
    digest_of = formats.file_digest

    def grows(path):
        digest = digest_of(path)
        if path.name == "growing.csv":
            with path.open("a") as more:
                more.write("http://b.example/,bb\n")
        return digest

    monkeypatch.setattr(formats, "file_digest", grows)
    message = "growing.csv: was changed while it was read; load it again"
    if others:
        assert message in web.load(*sound, growing).failed[0]
    else:
        with pytest.raises(DataError, match=message):
            web.load(growing)
    assert web.database.value("SELECT count(*) FROM urls") == others


@pytest.mark.slow
def test_a_folder_that_cannot_be_looked_into_is_told_and_the_others_load(web, write, monkeypatch):
    """Path.rglob passes over it without a word."""
    for folder in ("crawl", "crawl/locked"):
        os.mkdir(folder)
    write("crawl/a.csv", "url\nhttp://a.example/\n")
    write("crawl/locked/b.csv", "url\nhttp://b.example/\n")
    scandir = os.scandir

    def locked(path):
        if str(path).endswith("locked"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", locked)
    result = web.load("crawl")
    assert result.kept == 1
    assert [message.split(": ")[0] for message in result.failed] == ["crawl/locked"]


def test_links_in_a_folder_are_followed_and_those_that_lead_nowhere_have_failed(web, write):
    """A folder is read once, though a link in it leads back to it, and goes by its own name."""
    for folder in ("crawl", "crawl/real", "elsewhere", "elsewhere/deep"):
        os.mkdir(folder)
        write(f"{folder}/a.csv", f"url\nhttp://{folder.replace('/', '-')}.example/\n")
    os.symlink("real", "crawl/latest")
    os.symlink("../elsewhere", "crawl/linked")
    os.symlink("../elsewhere/deep", "crawl/again")
    os.symlink("../../crawl", "elsewhere/deep/back")
    os.symlink("nowhere.csv", "crawl/lost.csv")
    result = web.load("crawl")
    assert (result.kept, result.sources) == (4, 4)
    names = web.database.column("SELECT source FROM sources ORDER BY source")
    assert names[-1] == "crawl/real/a.csv" and "crawl/again/a.csv" in names
    assert result.failed == ["crawl/lost.csv: cannot be read: No such file or directory"]


def test_a_file_in_a_folder_that_one_may_not_read_has_failed(web, write, monkeypatch):
    os.mkdir("crawl")
    for name in "ab":
        write(f"crawl/{name}.csv", f"url\nhttp://{name}.example/\n")
    start_of = formats.head

    def closed(path, *rest):
        if path.endswith("b.csv"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return start_of(path, *rest)

    monkeypatch.setattr(formats, "head", closed)
    result = web.load("crawl")
    assert (result.kept, result.unrecognised) == (1, [])
    assert result.failed == ["crawl/b.csv: cannot be read: Permission denied"]


def test_a_length_below_nought_is_unknown(web, tmp_path):
    """Many programs write -1 where no length is known. Each format has a host of its own."""
    forms = {"csv": "csv, HEADER", "jsonl": "json", "parquet": "parquet"}
    with duckdb.connect() as con:
        for ending, form in forms.items():
            rows = f"SELECT 'http://{ending}.example/' || n AS url, 'd' || n AS digest"
            rows += ", n - 1 AS length FROM range(3) AS r(n)"
            con.execute(f"COPY ({rows}) TO '{tmp_path}/a.{ending}' (FORMAT {form})")
    web.load(tmp_path)
    lengths = "SELECT host, list(length ORDER BY url) FROM pages GROUP BY host"
    found = dict(web.database.rows(lengths))
    assert found == {f"{ending}.example": [None, 0, 1] for ending in forms}


@pytest.mark.parametrize("indent", [None, 2])
def test_a_har_is_said_to_be_one(staged, write, indent):
    entry = {"request": {"url": "https://a.example/"}, "response": {"status": 200}}
    har = json.dumps({"log": {"version": "1.2", "entries": [entry]}}, indent=indent)
    with pytest.raises(DataError, match="a HAR, as browsers save it, is not read; har2warc"):
        staged(write("a.har", har))
