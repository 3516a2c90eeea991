"""Files of older versions keep what was loaded; what they detected is made anew."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

import replicadb
from replicadb.detection import pipeline
from replicadb.errors import DataError
from replicadb.store import schema
from replicadb.store.statements import statements

LOADED = ("urls", "origins", "host_ips", "links", "meta")


def put_back(path: Path) -> None:
    """Lay a file out as schema 9 did: every table in ``main``, and no schema but that."""
    with duckdb.connect(str(path)) as con:
        move_to_main(con, schema.INTERNAL, *schema.APART)
        con.execute("UPDATE main.meta SET value = '9' WHERE key = 'schema_version'")


def move_to_main(con: duckdb.DuckDBPyConnection, *schemas: str) -> None:
    """Tables and views of those schemas stand in ``main``, and the schemas are gone."""
    for name in schemas:
        tables = con.execute(
            "SELECT table_name FROM duckdb_tables() WHERE schema_name = $1", [name]
        ).fetchall()
        views = con.execute(
            "SELECT view_name, sql FROM duckdb_views() WHERE schema_name = $1", [name]
        ).fetchall()
        for (table,) in tables:
            con.execute(f"CREATE TABLE main.{table} AS FROM {name}.{table}")
        for view, _ in views:
            con.execute(f"CREATE VIEW main.{view} AS SELECT 1 AS stale")
            con.execute(f"COMMENT ON VIEW main.{view} IS 'stale'")
        con.execute(f"DROP SCHEMA {name} CASCADE")


@pytest.fixture
def older(detected, tmp_path):
    """A file of schema 9, with a detection."""
    path = tmp_path / "older.duckdb"
    shutil.copy(detected, path)
    put_back(path)
    return path


@pytest.mark.slow
def test_what_was_loaded_is_kept_and_stands_in_the_internal_schema(older, detected):
    with duckdb.connect(str(detected), read_only=True) as con:
        expected = {name: con.execute(f"FROM internal.{name}").fetchall() for name in LOADED[:-1]}
    with pytest.warns(UserWarning, match="detect again"), replicadb.open(older) as web:
        for name, rows in expected.items():
            assert sorted(map(repr, web.database.rows(f"FROM internal.{name}"))) == sorted(
                map(repr, rows)
            )
        counts = web.database.rows("SELECT value FROM meta WHERE key = 'schema_version'")
        assert counts == [(str(schema.SCHEMA_VERSION),)]
        shown = web.sql("SHOW TABLES")["name"].to_list()
        assert "pages" in shown and "urls" not in shown
        assert all(
            web.database.value(f"SELECT count(*) FROM {name}") == 0 for name in schema.detected()
        )


@pytest.mark.slow
def test_a_file_of_the_version_before_learns_of_revisits(detected, tmp_path):
    path = tmp_path / "older.duckdb"
    shutil.copy(detected, path)
    with duckdb.connect(str(path)) as con:
        con.execute("DROP TABLE internal.revisits")
        con.execute("UPDATE internal.meta SET value = '12' WHERE key = 'schema_version'")
    with pytest.warns(UserWarning, match="detect again"), replicadb.open(path) as web:
        assert web.database.value("SELECT count(*) FROM revisits") == 0
        assert web.unload(web.database.value("SELECT name FROM loads")) == 1


@pytest.mark.slow
def test_named_runs_outlast_an_upgrade_and_a_file_without_any_learns_of_them(detected, tmp_path):
    path = tmp_path / "older.duckdb"
    shutil.copy(detected, path)
    with replicadb.open(path) as web:
        web.detect(method="paper", name="kept")
        before = web.database.rows("FROM run_pairs WHERE run = 'kept'")
    with duckdb.connect(str(path)) as con:
        con.execute("UPDATE internal.meta SET value = '13' WHERE key = 'schema_version'")
    with pytest.warns(UserWarning, match="detect again"), replicadb.open(path) as web:
        assert before and web.database.rows("FROM run_pairs WHERE run = 'kept'") == before
        assert web.runs()["name"].to_list() == ["kept"]
    with duckdb.connect(str(path)) as con:
        for view in ("run_pairs", "run_hosts"):
            con.execute(f"DROP VIEW history.{view}")
        for table in ("named_run_pairs", "named_run_hosts"):
            con.execute(f"DROP TABLE internal.{table}")
        con.execute("DROP TABLE history.named_runs")
        con.execute("UPDATE internal.meta SET value = '13' WHERE key = 'schema_version'")
    with pytest.warns(UserWarning, match="detect again"), replicadb.open(path) as web:
        web.detect(name="new")
        assert web.runs()["name"].to_list() == ["new", "current"]


@pytest.mark.slow
def test_detection_on_an_older_file_is_that_on_a_new_one(older, detected):
    with replicadb.open(detected, read_only=True) as web:
        expected = web.replicas().rows()
    with pytest.warns(UserWarning), replicadb.open(older) as web:
        web.detect(method="paper")
        assert web.replicas().rows() == expected


@pytest.mark.slow
def test_what_people_asked_for_in_main_stands_in_its_schema_after_an_upgrade(detected, tmp_path):
    path, decided = tmp_path / "older.duckdb", tmp_path / "decided.csv"
    shutil.copy(detected, path)
    decided.write_text("host_a,host_b,label\nexample.com,alone.net,no replica\n")
    with replicadb.open(path) as web:
        web.label(decided)
        runs, loads = web.database.rows("FROM runs"), web.database.rows("FROM loads")
    with duckdb.connect(str(path)) as con:
        shown = con.execute("SHOW TABLES").fetchall()
        move_to_main(con, *schema.APART)
        assert len(con.execute("SHOW TABLES").fetchall()) == 30
        con.execute("UPDATE internal.meta SET value = '15' WHERE key = 'schema_version'")
    with pytest.warns(UserWarning, match="detect again"):
        replicadb.open(path).close()
    with duckdb.connect(str(path)) as con:
        assert con.execute("SHOW TABLES").fetchall() == shown
        assert con.execute("FROM history.runs").fetchall() == runs and runs
        assert con.execute("FROM history.loads").fetchall() == loads and loads
        assert con.execute("SELECT host_a FROM details.given_decisions").fetchall()
    with replicadb.open(path) as web:
        web.detect(method="paper")
        assert web.sql("FROM candidate_pairs").height and web.sql("FROM em_history").height
        assert web.unload(loads[0][1]) == 1


def test_an_older_file_is_not_changed_by_a_reader(older):
    before = older.read_bytes()
    with pytest.raises(DataError, match="bring it up to date: replicadb detect"):
        replicadb.open(older, read_only=True)
    assert older.read_bytes() == before


@pytest.mark.slow
def test_somebody_s_own_table_is_made_where_they_see_it(web, write):
    web.load(write("crawl.csv", "url,digest\nhttp://a.example/,sha1:aa\n"))
    web.sql("CREATE TABLE notes AS SELECT 1 AS n")
    assert "notes" in web.sql("SHOW TABLES")["name"].to_list()
    web.detect()
    assert web.sql("SELECT count(*) AS n FROM urls")["n"].to_list() == [1]


@pytest.mark.slow
def test_a_database_of_the_schema_before_keeps_its_loads_and_forgets_its_detection(tmp_path):
    path = tmp_path / "old.duckdb"
    with replicadb.open(path) as web:
        web.load(write_csv(tmp_path / "crawl.csv"))
        web.detect()
        expected = web.replicas()
        web.database.execute(
            "UPDATE urls SET fingerprint_kind = 'md5', fingerprint ="
            " 'd41d8cd98f00b204e9800998ecf8427e' WHERE fingerprint IS NULL"
        )
        web.database.execute("ALTER TABLE pair_features DROP COLUMN exclusive_evidence")
        for column in ("path_hash", "tail_hash", "segment_hash", "content_hash", "title_hash"):
            web.database.execute(f"ALTER TABLE urls DROP COLUMN {column}")
    put_back(path)
    with duckdb.connect(str(path)) as con:
        con.execute("UPDATE meta SET value = '5' WHERE key = 'schema_version'")
    with pytest.raises(DataError, match="bring it up to date: replicadb detect"):
        replicadb.open(path, read_only=True)
    with pytest.warns(UserWarning, match="what was loaded is kept"):
        replicadb.open(path).close()
    with replicadb.open(path) as web:
        assert (
            web.info()["urls"] == 8
            and web.database.value("SELECT count(*) FROM urls WHERE fingerprint IS NULL") == 2
            and web.database.value("SELECT count(*) FROM settings") == 0
        )
        with pytest.raises(DataError, match="no replicas in it yet"):
            web.replicas()
        web.detect()
        assert web.replicas().equals(expected) and len(expected)
    replicadb.open(path, read_only=True).close()


def write_csv(path):
    rows = [
        f"http://{host}/{page},{page}" for host in ("a.com", "b.org") for page in ("x", "y", "z")
    ]
    rows += [
        f"http://{host}/nothing,D41D8CD98F00B204E9800998ECF8427E" for host in ("a.com", "b.org")
    ]
    path.write_text("\n".join(["url,fingerprint", *rows]) + "\n")
    return path


@pytest.mark.parametrize("version", [12, 20])
def test_what_somebody_made_in_main_outlasts_an_upgrade_whatever_its_name(
    detected, tmp_path, version
):
    path = tmp_path / "older.duckdb"
    shutil.copy(detected, path)
    ours = {*schema.results(), "urls", "links", "terms", "candidate_pairs", "run_pairs"} - {"runs"}
    tables, views = {*ours, "Copies", "start_here"}, {"pages", "notes"}
    if version < schema.PEOPLE_S_APART:
        tables -= {"em_history"}  # stood in main
        with duckdb.connect(str(path)) as con:
            con.execute("CREATE TABLE main.em_history AS FROM details.em_history")
            con.execute("DROP TABLE details.em_history")
    with duckdb.connect(str(path)) as con:
        con.execute("DROP VIEW main.copies; DROP VIEW main.start_here")
        con.execute("CREATE TABLE main.pages_before_1 AS SELECT 41 AS mine")
        for name in tables:
            con.execute(f"CREATE TABLE main.{name} AS SELECT 42 AS mine")
        for name in views:
            con.execute(f"CREATE OR REPLACE VIEW main.{name} AS SELECT 42 AS mine")
        con.execute(f"UPDATE internal.meta SET value = '{version}' WHERE key = 'schema_version'")
    with pytest.warns(UserWarning, match="you had there is") as told:
        replicadb.open(path).close()
    texts = [str(warning.message) for warning in told]
    assert sum("Copies is a view of replicadb's now" in text for text in texts) == 1
    moved = {"Copies": 1, "start_here": 1, "pages": 2}
    with duckdb.connect(str(path)) as con:
        for name in tables | views:
            kept = f"{name}_before_{moved[name]}" if name in moved else name
            assert con.execute(f"FROM main.{kept}").fetchall() == [(42,)]
        assert con.execute("FROM main.pages_before_1").fetchall() == [(41,)]
    with replicadb.open(path) as web:
        assert web.detect(method="paper").counts
        assert web.sql("FROM pages").height == web.info()["urls"] > 1


def test_an_upgraded_file_is_made_as_a_new_one_is(older, tmp_path):
    later = [name for stem in (schema.DECIDED, schema.IDENTIFIERS) for name in statements(stem)]
    with duckdb.connect(str(older)) as con:
        for name in {name.removesuffix("_comment") for name in later}:
            con.execute(f"DROP TABLE IF EXISTS main.{name}")
    with pytest.warns(UserWarning, match="detect again"):
        replicadb.open(older).close()
    new = tmp_path / "new.duckdb"
    replicadb.open(new).close()
    assert shape(older) == shape(new)


def shape(path: Path) -> set[tuple[object, ...]]:
    """Everything in a file by name, columns, definition and comment."""
    queries = (
        "SELECT schema_name, table_name, comment, NULL FROM duckdb_tables()",
        "SELECT table_name, column_name, data_type, comment FROM duckdb_columns() WHERE NOT"
        " internal",
        "SELECT schema_name, view_name, sql, comment FROM duckdb_views() WHERE NOT internal",
        "SELECT schema_name, function_name, macro_definition, comment FROM duckdb_functions()"
        " WHERE NOT internal",
    )
    with duckdb.connect(str(path), read_only=True) as con:
        return {row for query in queries for row in con.execute(query).fetchall()}


def test_what_an_upgrade_empties_is_what_the_stages_fill():
    assert set(schema.detected()) == {
        table for stage in pipeline.STAGES for table in stage.tables
    } | {"settings"}
