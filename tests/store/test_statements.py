"""The named SQL of sql/: each file is covered by its header; a statement that is not is refused."""

from __future__ import annotations

import pytest

from replicadb.store import statements as store

HEADER = """-- Title of the file.
--
-- What it makes.
--
-- reads: urls, hosts,
--   origins
-- writes: found (temporary)
-- parameters: low, high
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "sql_folder", lambda: tmp_path)
    store.read.cache_clear()
    yield tmp_path
    store.read.cache_clear()


def file(folder, body: str, header: str = HEADER) -> None:
    (folder / "sample.sql").write_text(header + "\n-- name: only\n" + body)


@pytest.mark.parametrize(
    "body",
    [
        "SELECT * FROM urls JOIN hosts USING (host_id) WHERE host_id > $low;",
        "CREATE OR REPLACE TEMP TABLE found AS FROM internal.origins;",
        "WITH held AS (FROM urls), more AS NOT MATERIALIZED (FROM held) SELECT * FROM held, more;",
        "SELECT 'FROM nowhere $never' FROM urls -- JOIN nothing\n;",
        "SELECT x FROM unnest([1, 2]) AS t(x), range(3);",
    ],
)
def test_what_the_header_names_may_be_named(folder, body):
    file(folder, body)
    assert list(store.statements("sample")) == ["only"]


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ("SELECT * FROM elsewhere;", "elsewhere"),
        ("SELECT * FROM urls AS u, elsewhere AS e;", "elsewhere"),
        ("INSERT INTO other BY NAME FROM urls;", "other"),
        ("SELECT * FROM urls WHERE host_id > $unknown;", r"\$unknown"),
        ("CREATE TEMP VIEW seen AS FROM urls;", "seen"),
    ],
)
def test_what_it_does_not_name_is_refused(folder, body, missing):
    file(folder, body)
    with pytest.raises(KeyError, match=f"only names {missing}, the header does not"):
        store.statements("sample")


@pytest.mark.parametrize("missing", store.LISTS)
def test_a_header_without_one_of_its_lists_is_refused(folder, missing):
    file(folder, "SELECT 1;", HEADER.replace(f"-- {missing}:", f"-- {missing} said nowhere:"))
    with pytest.raises(KeyError, match=rf"sample\.sql: its header has no list {missing}"):
        store.statements("sample")


def test_a_name_that_stands_twice_and_a_file_that_is_not_there_are_refused(folder):
    file(folder, "SELECT 1;\n-- name: only\nSELECT 2;")
    with pytest.raises(KeyError, match="only stands twice"):
        store.statements("sample")
    with pytest.raises(KeyError, match=r"no SQL file other\.sql"):
        store.statements("other")
