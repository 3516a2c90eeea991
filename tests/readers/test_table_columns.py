"""Columns of tables: by name however it is written, inside of objects, by number, as named, or not
at all.
"""

from __future__ import annotations

import json
from hashlib import sha1

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from replicadb.errors import DataError, UsageError
from replicadb.readers.table_columns import ROLES, assign_roles, plain_name

from .tables import captures, problems

PAGES = "SELECT url, fingerprint FROM pages ORDER BY url"
ROWS = [("http://a.com/", "x1"), ("http://b.com/b,c", "x2")]


@pytest.mark.parametrize("name", ["Page URL", "page_url", "PAGE-URL", "pageUrl", " page.url "])
def test_case_blanks_and_punctuation_of_a_name_do_not_matter(name):
    assert assign_roles(["nr", name], {}).roles == {"url": name}
    assert assign_roles(["url", name], {"url": "Page-Url"}).roles["url"] == name


def test_the_columns_of_an_export_for_search_engine_optimisers_are_known():
    names = (
        "Address,Content Type,Status Code,Status,Title 1,Title 1 Length,Canonical Link Element 1,"
        "Size (bytes),Transferred (bytes),Hash,Redirect URL,Language,Crawl Timestamp"
    ).split(",")
    assert assign_roles(names, {}).roles == {
        "url": "Address",
        "fingerprint": "Hash",
        "timestamp": "Crawl Timestamp",
        "status": "Status Code",
        "mime": "Content Type",
        "length": "Size (bytes)",
        "redirect": "Redirect URL",
        "canonical": "Canonical Link Element 1",
        "language": "Language",
        "title": "Title 1",
    }


def test_the_length_of_an_index_is_no_page_s(web, write):
    """That of the compressed record; of a CDX file it is not read, either."""
    names = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]
    assert "length" not in assign_roles(names, {}).roles
    assert assign_roles(names, {"length": "length"}).roles["length"] == "length"
    assert assign_roles(names[1:], {}).roles["length"] == "length"
    values = ["com,a)/", "2020", "http://a.com/", "text/html", "200", "A" * 32, "9"]
    row = dict(zip(names, values, strict=True))
    write("server.json", json.dumps([names, list(row.values())]))
    row = {"url" if name == "original" else name: value for name, value in row.items()}
    row["url"] = "http://a.com/b"
    write("common-crawl.jsonl", json.dumps(row | {"offset": "1", "filename": "a.warc.gz"}) + "\n")
    web.load("server.json", "common-crawl.jsonl")
    assert web.sql("SELECT length FROM pages").rows() == [(None,), (None,)]


def test_no_two_roles_are_known_by_one_name():
    names = [plain_name(name) for names in ROLES.values() for name in names]
    assert len(names) == len(set(names))


def test_a_role_goes_by_the_names_of_its_columns_too(web, write):
    write("a.csv", "a,b\nhttp://a.com/,x1\n")
    web.load("a.csv", columns={"uri": "a", "digest": "b"})
    assert web.sql(PAGES).rows() == [("http://a.com/", "x1")]


def test_a_role_can_be_switched_off_but_the_url_cannot():
    assert assign_roles(["url", "text"], {"content": None}).roles == {"url": "url"}
    with pytest.raises(UsageError, match="needs a column url"):
        assign_roles(["url"], {"url": None})


def test_fields_inside_of_known_objects_are_columns_after_those_outside():
    names = ["metadata", "metadata.url", "metadata.author.url", "image.url", "_source.meta.Digest"]
    assert assign_roles(names, {}).roles == {
        "url": "metadata.url",
        "fingerprint": "_source.meta.Digest",
    }
    assert assign_roles(["metadata.url", "link"], {}).roles["url"] == "link"
    with pytest.raises(DataError, match=r"no URL column among: image\.url"):
        assign_roles(["image.url"], {})


def test_the_results_of_scanners_are_known():
    """httpx hashes the headers, too, and these have the time: its object of hashes is no digest."""
    names = ["timestamp", "hash", "url", "host_ip", "hash.body_md5", "hash.header_md5"]
    found = assign_roles(names, {})
    assert found.roles["fingerprint"] == "hash.body_md5" and found.digest_prefix == "md5:"
    names = ["url", "url.keyword", "hash", "hash.keyword"]
    assert assign_roles(names, {}).roles == {"url": "url", "fingerprint": "hash"}
    names = ["request", "response", "request.body", "request.endpoint", "request.source"]
    names += ["response.body", "response.headers", "response.headers.content_type"]
    assert assign_roles(names, {}).roles == {
        "url": "request.endpoint",
        "mime": "response.headers.content_type",
        "content": "response.body",
    }


def test_a_list_of_ours_is_no_crawl_unless_somebody_names_its_column():
    names = ["id", "url", "host", "canonical_host"]
    with pytest.raises(DataError, match="a list that replicadb wrote, by its column canonical_h"):
        assign_roles(names, {})
    assert assign_roles(names, {"url": "url"}).roles["url"] == "url"


def test_a_line_says_which_column_became_what_and_from_what_it_was_guessed():
    found = assign_roles(
        ["URL", "doc\nno", "text", "metadata", "metadata.date", "n"], {"id": "docno"}
    )
    assert found.line() == (
        "columns: url, metadata.date as timestamp, text as content by name; doc no as id as named;"
        " the SHA-1 of text is the fingerprint; not used: n"
    )


def test_nested_json_is_read_by_dotted_names_and_lists_of_metadata_by_their_first(staged, write):
    rows = [
        {"text": "", "metadata": {"url": "http://a.com/", "signature": ["x1", "x9"]}},
        {"metadata": {"url": ["http://b.com/b,c"], "signature": "x2", "deep": {"nr": 7}}},
        {"metadata": "none"},
    ]
    found = staged(
        write("a.jsonl", "\n".join(map(json.dumps, rows))),
        columns={"content": None, "id": "metadata.deep.nr"},
    )
    assert captures(found) == ROWS and problems(found) == [(3, None, "no URL")]
    assert [row["user_id"] for row in found] == [None, "7", None]


def test_json_arrays_and_parquet_have_fields_inside_of_objects_too(staged, web, write, tmp_path):
    rows = [{"meta": {"URL": url, "hash": digest}} for url, digest in ROWS]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    for path in (write("a.json", json.dumps(rows)), tmp_path / "a.parquet"):
        assert captures(staged(path)) == ROWS
    result = web.load(tmp_path / "a.parquet", columns={"id": "meta.hash"}, dry_run=True)
    assert result.columns == {
        "columns: meta.URL as url by name; meta.hash as id as named": [str(tmp_path / "a.parquet")]
    }


HEADERLESS = '\nx1,http://a.com/\n"x2","http://b.com/b,c"\nx3,,more,cells\n'


@pytest.mark.slow
def test_a_csv_without_header_is_read_by_numbers(web, write):
    result = web.load(write("a.csv", HEADERLESS), columns={"url": "1", "fingerprint": "0"})
    assert web.database.rows(PAGES) == ROWS
    assert web.database.rows("SELECT position, reason FROM rejects") == [
        (4, "line has more cells than the header")
    ]
    assert list(result.columns) == ["columns: 1 as url, 0 as fingerprint as named"]


@pytest.mark.slow
def test_a_list_of_urls_is_read_as_it_is(web, staged, write):
    text = "\ufeff\na.com\r\nhttp://b.com/b,c\r\n# one more\r\n//B.com/x\n"
    result = web.load(write("a.txt", text))
    assert list(result.columns) == ["a list: every line is a URL"]
    assert [url for url, _ in web.database.rows(PAGES)] == [
        "http://a.com/",
        "http://b.com/b,c",
        "http://b.com/x",
    ]
    assert (result.read, result.rejected) == (4, 1)
    (row,) = staged(write("b.txt", "a.com/x\n"), "csv", {"url": "0"})
    assert (row["url"], row["digest"]) == ("a.com/x", None)


def test_a_list_of_urls_may_hold_blanks_and_lines_that_are_none(web, staged, write):
    odd = "https://foo.example/my file.pdf\nhttps://foo.example/a,b\nsee below\n"
    many = "".join(f"https://foo.example/{n}\n" for n in range(3))
    result = web.load(write("a.txt", odd + many))
    assert list(result.columns) == ["a list: every line is a URL"]
    assert (result.kept, result.rejected) == (5, 1)
    assert [url for url, _ in web.database.rows(PAGES)][-2:] == [
        "https://foo.example/a,b",
        "https://foo.example/my%20file.pdf",
    ]
    prose = write("b.txt", "Sites that we know:\nhttps://foo.example/\nand others\n")
    with pytest.raises(DataError, match="of no known format"):
        staged(prose)


def test_a_list_of_urls_is_read_where_it_is_called_one(staged, write):
    text = "url\nhttps://foo.example/a,b\nhttps://foo.example/c;d e\n"
    for path in (write("a.txt", text), write("b.txt", "# mine\n" + text.partition("\n")[2])):
        rows = staged(path, "urls")
        assert [(row["url"], row["digest"], row["problem"]) for row in rows] == [
            ("https://foo.example/a,b", None, None), ("https://foo.example/c;d e", None, None),
        ]  # fmt: skip


def test_a_bare_host_in_the_first_line_is_told_as_one(staged, write):
    with pytest.raises(DataError, match=r"--column url=1 if its first line is no header"):
        staged(write("a.csv", "x1,a.com\nx2,b.com\n"))


def test_numbers_stand_for_columns_where_there_is_a_header(staged, write):
    rows = staged(write("a.csv", "digest,page\nx1,http://a.com/\n"), columns={"url": "1"})
    assert captures(rows) == ROWS[:1] and len(rows) == 1


@pytest.mark.parametrize(
    ("columns", "error", "said"),
    [
        ({}, DataError, "no header but a row; name columns by number, as with --column url=1"),
        ({"url": "7"}, UsageError, "no column 7; the first line has 2, numbered from 0"),
    ],
)
def test_a_missing_header_is_told_with_what_to_do(staged, write, columns, error, said):
    with pytest.raises(error, match=said):
        staged(write("a.csv", HEADERLESS), columns=columns)


@pytest.mark.parametrize(
    "row",
    [
        {"content": "hello", "warc_headers": {"warc-target-uri": "U", "warc-date": "T"}},
        {"url": "U", "date_download": "T", "raw_content": "hello", "source_domain": "a.com"},
        {"f": "a.warc.gz", "u": "U", "c": "text/html", "ts": "T", "text": "hello"},
    ],
    ids=["OSCAR", "RedPajama", "HPLT"],
)
def test_corpora_are_read_by_their_own_names(staged, write, row):
    text = json.dumps(row).replace('"U"', '"http://a.com/"')
    (found,) = staged(write("a.jsonl", text.replace('"T"', '"2024-01-31T23:59:59Z"')))
    assert (found["url"], found["fetched_at"]) == ("http://a.com/", "2024-01-31T23:59:59Z")
    assert found["digest"] == f"sha1:{sha1(b'hello').hexdigest()}"
