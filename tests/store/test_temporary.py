"""What a block makes temporarily is gone when it ends, however it ends.

Tries arrow, too.
"""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest


def temporary_names(db) -> set[str]:
    return set(
        db.column(
            "SELECT table_name FROM duckdb_tables() WHERE temporary UNION ALL"
            " SELECT view_name FROM duckdb_views() WHERE temporary AND NOT internal"
        )
    )


def make(db, name: str) -> None:
    db.execute(f"CREATE TEMP TABLE {name} AS SELECT 1 AS n")
    db.execute(f"CREATE TEMP VIEW seen_{name} AS FROM {name}")


def test_what_is_made_inside_goes_and_what_was_there_stays(web):
    db = web.database
    make(db, "before")
    with db.temporary():
        make(db, "outer_one")
        with db.temporary():
            make(db, "inner_one")
        assert temporary_names(db) == {"before", "seen_before", "outer_one", "seen_outer_one"}
    assert temporary_names(db) == {"before", "seen_before"}


def test_it_goes_after_an_error_too_and_a_table_of_that_name_in_the_file_stays(web):
    db = web.database
    with pytest.raises(duckdb.Error), db.temporary():
        make(db, "urls")
        db.execute("SELECT nonsense")
    assert temporary_names(db) == set()
    assert db.value("SELECT count(*) FROM urls") == 0


def test_registered_rows_go_and_what_is_kept_is_dropped_by_the_block_around(web):
    db = web.database
    with db.temporary():
        with db.temporary(keep=["kept"]):
            db.register("rows", pa.table({"n": [1]}))
            db.execute("CREATE OR REPLACE TEMP TABLE kept AS FROM rows")
            db.execute("-- a remark\nCREATE OR REPLACE TEMP VIEW gone AS FROM kept")
        assert temporary_names(db) == {"kept"}
    assert temporary_names(db) == set()


def test_a_failed_transaction_takes_them_along(web):
    db = web.database
    with pytest.raises(duckdb.Error), db.temporary(), db.transaction():
        make(db, "inside")
        db.execute("SELECT nonsense")
    assert temporary_names(db) == set()
