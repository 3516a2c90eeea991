"""Somebody's tables whose foreign keys refer to tables that are made anew."""

from __future__ import annotations

import shutil
import subprocess
import sys
import warnings

import duckdb
import pytest
from detection.crawls import only_pairs

import replicadb
from replicadb.store import foreign_keys
from replicadb.store.database import Database
from tests.store.test_older_schemas import CUT_OFF

MINE = """
    CREATE SCHEMA IF NOT EXISTS {s};
    CREATE SEQUENCE main.numbers START 10;
    CREATE TABLE {s}.log (n INTEGER);
    CREATE TABLE {s}."Mine ""(1)" (
        n INTEGER PRIMARY KEY DEFAULT nextval('numbers'),
        name VARCHAR REFERENCES {s}.Settings (name),
        twice INTEGER GENERATED ALWAYS AS (n * 2),
        above INTEGER REFERENCES {s}."Mine ""(1)" (n),
        kind VARCHAR COLLATE nocase NOT NULL CHECK (kind <> 'none'),
        note VARCHAR DEFAULT ', FOREIGN KEY ("name") REFERENCES {s}.Settings("name")'
    );
    CREATE TABLE {s}.child (n INTEGER PRIMARY KEY REFERENCES {s}."Mine ""(1)" (n));
    CREATE TABLE {s}.child_2 (
        n INTEGER REFERENCES {s}.child (n), n_2 INTEGER REFERENCES {s}."Mine ""(1)" (n)
    );
    CREATE TABLE {s}.apart (n INTEGER PRIMARY KEY);
    CREATE TABLE {s}.apart_2 (n INTEGER REFERENCES {s}.apart (n));
    INSERT INTO {s}."Mine ""(1)" (n, name, kind) FROM {s}.settings SELECT 3, min(name), 'a';
    INSERT INTO {s}."Mine ""(1)" (n, kind) VALUES (1, 'b'), (2, 'c');
    INSERT INTO {s}."Mine ""(1)" (n, above, kind) VALUES (4, 2, 'd');
    INSERT INTO {s}.child VALUES (3), (1);
    INSERT INTO {s}.child_2 VALUES (1, 3);
    CREATE UNIQUE INDEX "by (n)" ON {s}."Mine ""(1)" (n, (n + 1));
    CREATE VIEW {s}.over AS FROM {s}."Mine ""(1)" SELECT n, twice;
    CREATE TRIGGER noted AFTER INSERT ON {s}."Mine ""(1)" FOR EACH STATEMENT
        INSERT INTO {s}.log VALUES (1);
    COMMENT ON TABLE {s}."Mine ""(1)" IS 'it''s mine';
    COMMENT ON COLUMN {s}."Mine ""(1)".twice IS 'two';
    COMMENT ON INDEX {s}."by (n)" IS 'quick'"""
"""In a schema, what somebody may make of and around a table with such a key."""
OF = ("log", 'Mine "(1)', "child", "child_2", "apart", "apart_2", "over")


def made(path, schema):
    """How those of MINE are made, what is said of them, and their rows in their order."""
    queries = (
        "FROM duckdb_tables() SELECT table_name, sql, comment",
        "FROM duckdb_columns() SELECT table_name, column_name, data_type, column_default, comment",
        "FROM duckdb_views() SELECT view_name, sql, comment",
    )
    found = {}
    with duckdb.connect(str(path), read_only=True) as con:
        for query in queries:
            for name, *of in con.execute(query).fetchall():
                if name in OF:
                    found.setdefault(name, []).append(of)
        for name in OF:
            quoted = name.replace('"', '""')
            found[f"rows of {name}"] = con.execute(f'FROM {schema}."{quoted}"').fetchall()
        for of in ("indexes() SELECT index_name, comment, sql", "triggers() SELECT sql"):
            found[of] = con.execute(f"FROM duckdb_{of}").fetchall()
    return found


@pytest.fixture
def copied(detected, tmp_path):
    return shutil.copy(detected, tmp_path / "web.duckdb")


def without_keys(found, schema):
    """What ``made`` found, as it is to be without the two foreign keys that go."""
    (mine, *columns) = found['Mine "(1)']
    sql = mine[0]
    for key in (
        f', FOREIGN KEY ("name") REFERENCES {schema}.Settings("name")',
        f', FOREIGN KEY (above) REFERENCES {schema}."Mine ""(1)"(n)',
    ):
        key = key.replace("main.", "")
        assert key in sql
        sql = "".join(sql.rsplit(key, 1))  # not that in the default of note
    return found | {'Mine "(1)': [[sql, mine[1]], *columns]}


def test_all_but_the_foreign_key_outlasts_an_upgrade(copied, laid_out):
    """From where everything stood in main; the last test upgrades from where it stands now."""
    schema = "main"
    shutil.copy(laid_out(9), copied)
    with duckdb.connect(str(copied)) as con:
        con.execute("ALTER TABLE main.settings ADD PRIMARY KEY (name)")  # none is laid out
        con.execute(MINE.format(s=schema))
    before = made(copied, schema)
    with pytest.warns(UserWarning, match="is kept without its FOREIGN KEY") as warned:
        replicadb.open(copied).close()
    assert sum("is kept without" in str(one.message) for one in warned) == 2
    assert made(copied, schema) == without_keys(before, schema)
    with duckdb.connect(str(copied)) as con:
        for name in ("child", "apart_2"):
            with pytest.raises(duckdb.ConstraintException):
                con.execute(f"INSERT INTO {schema}.{name} VALUES (99)")
        con.execute(f'INSERT INTO {schema}."Mine ""(1)" (kind) VALUES (\'c\')')
        assert con.execute(f"FROM {schema}.log").fetchall() == [(1,)]
        assert not con.execute(
            "FROM duckdb_tables() WHERE schema_name = 'main' AND table_name = 'settings'"
        ).fetchall()


def test_all_but_the_foreign_key_outlasts_a_detection_which_says_so_once(copied):
    """The stages that are run, of which the next test runs all, make the settings anew."""
    with duckdb.connect(str(copied)) as con:
        con.execute(MINE.format(s="internal"))
    before = made(copied, "internal")
    with replicadb.open(copied) as web:
        with pytest.warns(UserWarning, match="is kept without") as warned:
            web.detect(method="paper", first=2)
        with warnings.catch_warnings(action="error"):
            web.detect(method="paper", first=3)
    assert [str(one.message).partition(".duckdb: ")[2] for one in warned] == [
        'internal.Mine "(1) is kept without its FOREIGN KEY ("name") REFERENCES'
        ' internal.Settings("name"): what it refers to is made anew',
        'internal.Mine "(1) is kept without its FOREIGN KEY (above) REFERENCES'
        ' internal."Mine ""(1)"(n): what it refers to is made anew',
    ]
    assert made(copied, "internal") == without_keys(before, "internal")


@pytest.mark.slow
def test_a_detection_after_a_further_load_keeps_pairs_and_gives_a_foreign_key_up(
    copied, write, tmp_path
):
    with replicadb.open(copied) as web:
        web.load(write("more.csv", "url,digest\nhttp://example.com/more,sha1:more\n"))
    results: list[list[tuple]] = []
    for own in (False, True):
        path = shutil.copy(copied, tmp_path / f"{own}.duckdb")
        with replicadb.open(path) as web:
            if own:
                web.sql("ALTER TABLE internal.pair_features ADD PRIMARY KEY (a_id, b_id)")
                web.sql(
                    "CREATE TABLE internal.mine (a INTEGER, b INTEGER, FOREIGN KEY (a, b)"
                    " REFERENCES internal.pair_features (a_id, b_id))"
                )
                web.sql("INSERT INTO internal.mine FROM internal.pair_features SELECT a_id, b_id")
                n = web.sql("FROM internal.mine").height
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                only_pairs(web, method="paper")
            assert len(warned) == own
            results.append(web.database.rows("FROM internal.pair_features ORDER BY ALL"))
            if own:
                assert web.sql("FROM internal.mine").height == n > 0
    assert results[0] == results[1] != []


def test_a_table_put_aside_keeps_its_rows_and_those_that_refer_to_it(copied, laid_out):
    shutil.copy(laid_out(13), copied)
    with duckdb.connect(str(copied)) as con:
        con.execute("""
            CREATE TABLE main.copies (n INTEGER PRIMARY KEY, load_id INTEGER);
            CREATE TABLE main.mine (n INTEGER REFERENCES main.copies (n));
            INSERT INTO main.copies VALUES (1, 1);
            INSERT INTO main.mine VALUES (1)""")
    with pytest.warns(UserWarning, match="what it refers to is renamed"):
        replicadb.open(copied).close()
    with duckdb.connect(str(copied)) as con:
        assert con.execute("FROM main.mine NATURAL JOIN main.copies_before_1").fetchall() == [
            (1, 1)
        ]


def test_what_is_undone_tells_of_nothing_and_keeps_the_foreign_key(copied):
    with Database(copied) as db:
        db.execute("CREATE TABLE internal.mine (name VARCHAR REFERENCES internal.settings (name))")
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            with pytest.raises(ZeroDivisionError), db.transaction():
                db.renew("settings")
                raise ZeroDivisionError
            with db.transaction():
                pass
        assert not warned and len(db.rows(foreign_keys.KEYS)) == 1
        with pytest.warns(UserWarning, match="internal.mine is kept"), db.transaction():
            db.renew("settings")
        assert not db.rows(foreign_keys.KEYS)


def test_an_upgrade_that_is_cut_off_after_its_commit_is_replayed(copied, laid_out):
    shutil.copy(laid_out(20), copied)
    with duckdb.connect(str(copied)) as con:
        con.execute(MINE.format(s="internal"))
    before = made(copied, "internal")
    words = (sys.executable, "-c", CUT_OFF, copied, "closing", "0")
    assert subprocess.run(words, capture_output=True).stdout == b"1\n"
    replicadb.open(copied).close()
    assert made(copied, "internal") == without_keys(before, "internal")
