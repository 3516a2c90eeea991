"""The same name again with other rows: told, replaced on demand, and never lost to a failure."""

from __future__ import annotations

import contextlib
import shutil

import pytest

import replicadb

OLD = "url,digest,timestamp\nhttp://a.com/,x1,2025\nhttp://b.com/,x1,2025\n"
NEW = "url,digest,timestamp\nhttp://a.com/,x2,2024\nhttp://c.com/,x1,2024\n"
URLS = "SELECT url, fingerprint FROM pages ORDER BY url"
REPLACED = [("http://a.com/", "x2"), ("http://c.com/", "x1")]
BOTH = [("http://a.com/", "x1"), ("http://b.com/", "x1"), ("http://c.com/", "x1")]


@pytest.fixture(scope="module")
def loaded_once(tmp_path_factory):
    """A database with OLD under the name crawl.csv, closed."""
    folder = tmp_path_factory.mktemp("old")
    (folder / "crawl.csv").write_text(OLD)
    with contextlib.chdir(folder), replicadb.open("web.duckdb") as web:
        web.load("crawl.csv")
    return folder / "web.duckdb"


@pytest.fixture
def old(loaded_once, tmp_path, write):
    """A copy of it, where there is a crawl.csv with other rows by now."""
    write("crawl.csv", NEW)
    with replicadb.open(shutil.copy(loaded_once, tmp_path / "web.duckdb")) as web:
        yield web


@pytest.mark.slow
def test_rows_of_the_same_name_stay_and_that_is_said(old, write):
    path = "crawl.csv"
    result = old.load(path)
    assert result.warnings == [
        f"{path}: was loaded before with other rows, and 2 URLs of 1 file stay; --replace takes out"
        " what is gone"
    ]
    assert old.database.rows(URLS) == BOTH
    assert old.load(path).warnings == []  # known, and nothing was done


def test_where_none_of_the_earlier_rows_is_left_nothing_is_said(web, write):
    for text in ("http://a.com/,x", "http://a.com/,y"):
        assert web.load(write("crawl.csv", f"url,digest\n{text}\n")).warnings == []


def test_another_name_is_another_load(old, write):
    write("other.csv", NEW)
    assert old.load("other.csv").warnings == []


@pytest.mark.slow
def test_replace_takes_out_what_is_gone_even_where_it_was_newer(old, write):
    path = "crawl.csv"
    result = old.load(path, replace=True)
    assert result.warnings == [f"{path}: replaced 1 file: 1 URL is no longer there"]
    assert old.database.rows(URLS) == REPLACED
    assert old.database.rows("SELECT count(*) FROM sources") == [(1,)]


def test_a_url_that_another_load_has_too_is_still_there_after_replacing(web, write):
    web.load(write("a.csv", "url,digest,timestamp\nhttp://a.com/,x,2020\n"))
    both = "url,digest,timestamp\nhttp://a.com/,y,2021\nhttp://b.com/,y,2021\n"
    web.load(write("b.csv", both), label="b")
    result = web.load(write("c.csv", "url\nhttp://c.com/\n"), label="b", replace=True)
    assert result.warnings == ["b: replaced 1 file: 1 URL is no longer there"]


@pytest.mark.slow
def test_what_was_already_loaded_beside_the_old_rows_can_replace_them_later(old, write):
    path = "crawl.csv"
    old.load(path)
    assert old.load(path, replace=True).known == [path]
    assert old.database.rows(URLS) == REPLACED


@pytest.mark.slow
def test_a_label_is_replaced_as_a_whole_and_unchanged_files_stay(web, write):
    web.load(write("1.csv", OLD), write("2.csv", NEW), label="crawl")
    web.load(
        write("3.csv", OLD.replace("b.com", "d.com")),
        write("2.csv", NEW),
        label="crawl",
        replace=True,
    )
    assert web.database.rows("SELECT url FROM pages ORDER BY url") == [
        ("http://a.com/",), ("http://c.com/",), ("http://d.com/",),
    ]  # fmt: skip
    assert web.database.rows("SELECT name FROM loads") == [("crawl",)]


@pytest.mark.slow
def test_nothing_is_replaced_where_a_file_fails_or_in_a_dry_run(old, write):
    path = "crawl.csv"
    assert old.load(path, replace=True, dry_run=True).warnings == [f"{path}: would replace 1 file"]
    assert old.database.rows(URLS) == BOTH[:2]
    result = old.load(path, write("broken.csv", b"\x00" * 9), replace=True)
    assert "nothing was replaced" in result.warnings[0] and result.failed
    assert old.database.rows(URLS) == BOTH


def test_nothing_is_replaced_where_a_given_file_stands_in_another_load(web, write):
    web.load(write("1.csv", OLD), label="jan")
    web.load(write("2.csv", OLD.replace("b.com", "d.com")), label="feb")
    result = web.load("1.csv", label="feb", replace=True)
    assert result.warnings[1:] == [
        "feb: nothing was replaced, as 1 file of those given stands in another load; 1 file stays"
    ]
    assert ("http://d.com/", "x1") in web.database.rows(URLS)
