"""What a statement would write, however it is written down."""

from __future__ import annotations

import pytest

from replicadb.errors import UsageError
from replicadb.store.copy_targets import targets


@pytest.mark.parametrize(
    ("statement", "written"),
    [
        ("copy (SELECT 1 AS \"it's\") to /* don't */ 'a.csv' (FORMAT csv)", ["a.csv"]),
        ("COPY hosts TO -- it's\n'a.csv'", ["a.csv"]),
        ("COPY hosts TO/**/$$a.csv$$", ["a.csv"]),
        ("COPY hosts TO $t$it's$t$", ["it's"]),
        ("COPY hosts TO 'it''s.csv';", ["it's.csv"]),
        ("COPY (SELECT 'é' AS ü) TO 'é.csv'", ["é.csv"]),
        ("COPY hosts TO 'file:///tmp/x%20y#.csv'", ["/tmp/x%20y#.csv"]),
        ("COPY hosts TO 'file:/tmp/x'", ["/tmp/x"]),
        ("COPY hosts TO 'file://localhost/tmp/x'", ["/tmp/x"]),
        ("COPY (FROM a WHERE host SIMILAR TO ('a' || '.*')) TO 'a'", ["a"]),
        ("COPY hosts TO 'a'; SET threads TO 1", ["a"]),
        ("EXPORT DATABASE w TO 'folder'", ["folder"]),
        ("COPY hosts TO 'a'; EXPLAIN ANALYZE COPY hosts TO 'b'", ["a", "b"]),
        ("PREPARE p AS COPY hosts TO 'a'", ["a"]),
        ("EXPORT DATABASE 'folder' (FORMAT parquet)", ["folder"]),
        ("COPY (SELECT 'w.duckdb' AS database) TO 'a'", ["a"]),
        ("COPY FROM DATABASE a TO b", []),
        ("SELECT 'COPY x TO a', 1 -- COPY x TO 'b'", []),
        ("SELECT 'abc", []),
        ("", []),
    ],
)
def test_comments_and_quotes_hide_nothing(statement, written):
    assert targets(statement) == written


def test_a_home_folder_is_the_one_that_is_written(monkeypatch):
    monkeypatch.setenv("HOME", "/somewhere")
    assert targets("COPY hosts TO '~/a.csv'") == ["/somewhere/a.csv"]


@pytest.mark.parametrize(
    "name", ["a.csv", '"a.csv"', "(getvariable('f'))", "$1", "?", "E'a'", "'a'\n'.csv'"]
)
def test_a_file_that_is_named_in_another_way_is_refused(name):
    with pytest.raises(UsageError, match="by a plain text"):
        targets(f"COPY hosts TO {name}")
