"""The named SQL of sql/: each file is covered by its header; a statement that is not is refused."""

from __future__ import annotations

import pytest
from conftest import CRAWL

import replicadb
from replicadb.store import statements as store
from replicadb.store.database import Database

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


@pytest.mark.slow
def test_statements_of_a_file_run_in_the_order_in_which_they_stand(tmp_path, monkeypatch):
    """By their first runs in a load or a detection: slices run some again. Tables of sql/schema
    are made anew one at a time, in any order.
    """
    run: dict[tuple[str, str], None] = {}
    started = Database._run

    def noted(db, statement, parameters, label):
        stem, _, name = label.partition(": ")
        run[stem, name] = None
        return started(db, statement, parameters, label)

    def files_run() -> set[str]:
        ran: dict[str, list[str]] = {}
        for stem, name in run:
            ran.setdefault(stem, []).append(name)
        run.clear()
        for stem, names in ran.items():
            ordered = [name for name in store.statements(stem) if name in names]
            assert stem.startswith("schema/") or names == ordered, stem
        return set(ran)

    monkeypatch.setattr(Database, "_run", noted)
    (tmp_path / "crawl.csv").write_text(CRAWL)
    (tmp_path / "more.jsonl").write_text(
        '{"url": "http://example.com/new", "digest": "ff", "canonical": "http://www.example.com/",'
        ' "links": ["http://example.org/x", "../y"]}'
    )
    with replicadb.open(tmp_path / "web.duckdb") as web:
        for crawl, method in (("crawl.csv", "paper"), ("more.jsonl", "robust")):
            web.load(tmp_path / crawl)
            assert {"load/20_captures", "load/40_store"} <= files_run()
            web.detect(method=method, candidates="either")
            assert {"detect/22_candidate_pairs", "detect/69_scores"} <= files_run()
