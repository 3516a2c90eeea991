"""File types by name: what is a file by its ending and what is none, as Python and as
SQL see it; and that a table without types has its pictures for files.
"""

from __future__ import annotations

import duckdb
import pytest

import replicadb
from replicadb.load.capture_store import file_ending, file_types
from replicadb.settings import PAGE_TYPES
from replicadb.web.file_types import TYPE_OF, type_by_name

CASES = {
    "http://a.org/x.png": "image/png",
    "http://a.org/x.PNG?v=2": "image/png",
    "https://a.org:8080/a/b.min.js": "text/javascript",
    "http://a.org/my%20x.jpeg": "image/jpeg",
    "http://a.org/%3fx.gif": "image/gif",
    "http://a.org/a:b/font.woff2": "font/woff2",
    "http://a.org/a.tar.gz": "application/gzip",
    "http://a.org/feed.xml": "application/xml",
    "http://a.org/wiki/File:Tower.jpg": None,
    "http://a.org/wiki/File%3ATower.jpg": None,
    "http://a.org/wiki/File%3aTower.jpg": None,
    "http://a.org/show?file=/x.png": None,
    "http://a.org/x.png/": None,
    "http://a.org/png": None,
    "http://a.org/x.html": None,
    "http://a.org/x.php?x.css": None,
    "http://photos.zip": None,
    "http://photos.zip/": None,
    "http://a.org/x.png.html": None,
}


@pytest.mark.parametrize("url", CASES)
def test_the_name_says_the_type(url):
    path = url[url.index("/", 8) :] if "/" in url[8:] else "/"
    assert type_by_name(url) == CASES[url]
    assert type_by_name(path) == CASES[url]


def test_sql_says_the_same():
    con = duckdb.connect()
    con.execute("SET VARIABLE all_types = false")
    found = con.execute(
        f"""WITH rows AS (
            SELECT unnest($urls) AS full_url, NULL AS mime, NULL AS machine_kind,
                false AS is_revisit
        )
        SELECT full_url, {file_types()}
        FROM (SELECT full_url, CASE {file_ending()} END AS file_ending FROM rows)""",
        {"urls": list(CASES)},
    ).fetchall()
    assert dict(found) == CASES


def test_no_ending_is_one_of_a_page():
    assert not {*TYPE_OF.values()} & {*PAGE_TYPES}


@pytest.fixture
def table(tmp_path):
    """A table of a page, a picture, and a page about one; with or without a column of types."""

    def write(header: str, *types: str):
        file = tmp_path / "crawl.csv"
        names = "index.html", "logo.png", "File:Logo.png"
        rows = [",".join((f"http://a.org/{name}", name, *types)) for name in names]
        file.write_text("\n".join([header, *rows]) + "\n")
        return file

    return write


@pytest.mark.parametrize(
    ("options", "types", "assets"),
    [
        ({}, (), 1),
        ({}, ("text/html",), 0),
        ({"pages_only": True}, (), 0),
    ],
)
def test_a_picture_is_a_file_where_no_type_is_known(table, options, types, assets):
    file = table("url,digest,mime" if types else "url,digest", *types)
    with replicadb.open(":memory:") as db:
        result = db.load(file, **options)
        found = db.sql("SELECT path FROM urls WHERE asset")["path"].to_list()
        named = dict(db.sql("SELECT path, mime FROM urls WHERE mime IS NOT NULL").rows())
    assert result.assets == assets and found == ["/logo.png"] * assets
    assert result.kept == (2 if options.get("pages_only") else 3)
    if not types:
        assert named == ({"/logo.png": "image/png"} if assets else {})
