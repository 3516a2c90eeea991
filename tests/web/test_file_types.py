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
def tables(tmp_path):
    """Tables of a page, a picture, and a page about one: of a.org without a column of types, and of
    b.org with one that says of all that they are pages.
    """
    for host, *types in (["a.org"], ["b.org", "text/html"]):
        header = ["url", "digest", *["mime"] * len(types)]
        names = "index.html", "logo.png", "File:Logo.png"
        rows = [(f"http://{host}/{name}", name, *types) for name in names]
        (tmp_path / f"{host}.csv").write_text("\n".join(map(",".join, [header, *rows])) + "\n")
    return tmp_path


@pytest.mark.parametrize("pages_only", [False, True])
def test_a_picture_is_a_file_where_no_type_is_known(tables, pages_only):
    with replicadb.open(":memory:") as db:
        result = db.load(tables, pages_only=pages_only)
        urls = "FROM urls JOIN origins USING (origin_id)"
        found = db.sql(f"SELECT origin || path, mime {urls} WHERE asset").rows()
        named = db.sql(f"SELECT origin || path, mime {urls} WHERE mime <> 'text/html'").rows()
        kept = dict(db.sql(f"SELECT origin, count(*) {urls} GROUP BY 1").rows())
    assert named == found == [("http://a.org/logo.png", "image/png")] * (not pages_only)
    assert result.assets == len(found) and kept == {
        "http://a.org": 3 - pages_only,
        "http://b.org": 3,
    }
