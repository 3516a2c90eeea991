"""The macros for hashes are there for every statement that names one, and for no other."""

from __future__ import annotations

import contextlib

import pytest

import replicadb
from replicadb.errors import DataError, ReplicaDBError
from replicadb.store.hash_macros import HASHES, names_a_hash
from replicadb.store.statements import statements
from replicadb.web.digests import hash64

MADE = "SELECT count(*) FROM duckdb_functions() WHERE function_name = 'tail' || '_of'"


def test_they_are_made_by_the_first_statement_that_names_one(web, detected):
    assert web.database.value(MADE) == 0
    assert web.database.arrays("SELECT \"Hash64\" ('a') AS n")["n"].tolist() == [hash64("a")]
    assert web.database.value(MADE) == 1
    with replicadb.open(detected, read_only=True) as reader:
        assert reader.database.value(MADE) == 0
        assert reader.sql("SELECT TAIL_OF('/a/7.html') AS t")["t"].to_list() == ["0.html"]


@pytest.mark.parametrize("name", statements(HASHES))
def test_each_is_known_by_its_name(name):
    assert names_a_hash(f"SELECT {name.upper()}(path) FROM urls")
    assert names_a_hash(f"SELECT {name} /* of it */ -- a\n (path) FROM urls")
    assert not names_a_hash(f"SELECT path, {name} FROM urls WHERE (path) = '/'")


def test_those_made_in_a_transaction_that_failed_are_made_anew(web):
    with contextlib.suppress(ZeroDivisionError), web.database.transaction():
        web.database.execute("SELECT hash64('a')")
        raise ZeroDivisionError
    assert web.database.value("SELECT hash64('a')") == hash64("a")
    web.sql("BEGIN")
    web.sql("SELECT hash64('a') AS n")
    web.sql("ROLLBACK")
    assert web.sql("SELECT hash64('a') AS n")["n"].to_list() == [hash64("a")]
    for end in ("/* not so */ ROLLBACK", "SELECT hash64('a'); ROLLBACK"):
        web.sql("BEGIN")
        web.sql("SELECT hash64('a') AS n")
        web.sql(end)
        assert web.sql("SELECT hash64('a') AS n")["n"].to_list() == [hash64("a")]
    web.sql("BEGIN")
    with pytest.raises(ReplicaDBError):
        web.sql("SELECT error('no')")
    with pytest.raises(ReplicaDBError, match="ROLLBACK"):
        web.sql("SELECT section_of('/a/b')")
    web.sql("ROLLBACK")
    assert web.sql("SELECT section_of('/a/b') AS s")["s"].to_list() == ["a"]


def test_a_commit_that_comes_out_as_a_rollback_takes_them_along(web):
    web.sql("BEGIN")
    web.sql("SELECT hash64('a') AS n")
    with pytest.raises(ReplicaDBError):
        web.sql("SELECT error('no')")
    with contextlib.suppress(ReplicaDBError):
        web.sql("COMMIT")
    assert web.sql("SELECT hash64('a') AS n")["n"].to_list() == [hash64("a")]


def test_views_and_macros_of_people_that_name_one_find_it(tmp_path):
    path = tmp_path / "web.duckdb"
    with replicadb.open(path) as web:
        # main.settings is theirs, though there is internal.settings
        web.sql("CREATE VIEW settings AS SELECT hash64('a') AS n")
        web.sql("CREATE MACRO named(path) AS section_of(path)")
        web.sql("CREATE TABLE numbers (n UBIGINT)")
    for read_only in (True, False):
        for query in ("FROM settings", "SELECT 1; FROM settings", "EXPLAIN FROM settings"):
            with replicadb.open(path, read_only=read_only) as other:
                found = other.sql(query)
                assert found.height == 1 and ("n" not in found or found["n"][0] == hash64("a"))
    with replicadb.open(path) as other:
        other.sql("BEGIN")
        assert other.sql("SELECT named('/a/b') AS s")["s"].to_list() == ["a"]
        other.sql("ROLLBACK")
        other.sql("INSERT INTO numbers FROM settings")
        other.sql("INSERT INTO numbers VALUES (1); INSERT INTO numbers FROM settings")
        assert sorted(other.sql("FROM numbers")["n"].to_list()) == sorted([1, *[hash64("a")] * 2])
        with pytest.raises(DataError, match="tail_off"):
            other.sql("SELECT tail_off('/a')")
