"""Files of older versions keep what was loaded; what they detected is made anew. Tries renaming,
too.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest
from conftest import CRAWL

import replicadb
from benchmarks.reliability.older_files import lay_out
from replicadb.detection import pipeline
from replicadb.errors import DataError
from replicadb.store import older_schemas, schema

LOADED = ("urls", "origins", "host_ips", "links", "meta")


@pytest.mark.slow
def test_what_was_loaded_is_kept_and_stands_in_the_internal_schema(of_oldest, detected):
    with duckdb.connect(str(detected), read_only=True) as con:
        expected = {name: con.execute(f"FROM internal.{name}").fetchall() for name in LOADED[:-1]}
    with replicadb.open(of_oldest, read_only=True) as web:
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


@pytest.fixture(scope="module")
def asked(detected, tmp_path_factory):
    """A file with a named run and a decision, as schema 15 had it, upgraded; copy it before you
    change it. What it showed before: tables, runs, loads, and pairs of the run.
    """
    folder = tmp_path_factory.mktemp("asked")
    path, decided = folder / "older.duckdb", folder / "decided.csv"
    shutil.copy(detected, path)
    decided.write_text("host_a,host_b,label\nexample.com,alone.net,no replica\n")
    with replicadb.open(path) as web:
        web.detect(method="paper", name="kept")
        web.label(decided)
        queries = "FROM runs", "FROM loads", "FROM run_pairs WHERE run = 'kept'"
        before = [web.database.rows(query) for query in queries]
    with duckdb.connect(str(path)) as con:
        shown = con.execute("SHOW TABLES").fetchall()
    lay_out(path, 15)
    with duckdb.connect(str(path)) as con:
        assert len(con.execute("SHOW TABLES").fetchall()) == 28
    with pytest.warns(UserWarning, match="detect again"):
        replicadb.open(path).close()
    return path, shown, *before


@pytest.mark.slow
def test_named_runs_outlast_an_upgrade(asked):
    with replicadb.open(asked[0], read_only=True) as web:
        before = asked[-1]
        assert before and web.database.rows("FROM run_pairs WHERE run = 'kept'") == before
        assert web.runs()["name"].to_list() == ["kept"]


@pytest.mark.slow
def test_what_people_asked_for_in_main_stands_in_its_schema_after_an_upgrade(asked):
    """How such a file is detected and unloaded, see below: it is made as a new one is."""
    path, shown, runs, loads, _ = asked
    with duckdb.connect(str(path), read_only=True) as con:
        assert con.execute("SHOW TABLES").fetchall() == shown
        assert con.execute("FROM history.runs").fetchall() == runs and runs
        assert con.execute("FROM history.loads").fetchall() == loads and loads
        assert con.execute("SELECT host_a FROM details.given_decisions").fetchall()


def test_where_views_alone_differ_detections_are_kept_and_macros_made_anew(
    laid_out, tmp_path, cli, monkeypatch
):
    monkeypatch.setattr(schema, "SAME_RESULTS", 25)
    path = Path(shutil.copy(laid_out(25), tmp_path / "web.duckdb"))
    with duckdb.connect(str(path)) as con:
        ranked = con.execute("FROM replicas").fetchall()
        con.execute("CREATE OR REPLACE MACRO main.shared_pages(a, b) AS TABLE SELECT 25 AS old")
        con.execute("COMMENT ON MACRO TABLE main.shared_pages IS 'every two URLs'")
    refused = cli("explain", path, "example.com", "example.org")
    assert refused.code == 1 and f'sql {path} --write "FROM start_here"' in refused.err
    done = cli("sql", path, "--write", "FROM start_here")
    assert (done.code, done.err) == (0, "")
    with replicadb.open(path, read_only=True) as web:
        assert web.database.rows("FROM replicas") == ranked and ranked
        assert web.notes == []
        assert "url_a" in web.sql("FROM shared_pages('example.com', 'example.org')").columns


def test_a_table_of_loads_that_is_missing_is_made_and_detections_are_kept(
    detected, tmp_path, monkeypatch
):
    monkeypatch.setattr(schema, "SAME_RESULTS", 32)
    path = shutil.copy(detected, tmp_path / "web.duckdb")
    with duckdb.connect(str(path)) as con:
        ranked = con.execute("FROM replicas").fetchall()
        con.execute("DROP TABLE internal.earlier_captures")
        con.execute("ALTER TABLE internal.revisits DROP COLUMN length")
        con.execute("UPDATE internal.meta SET value = '32' WHERE key = 'schema_version'")
    with replicadb.open(path) as opened:
        assert opened.database.rows("FROM replicas") == ranked and ranked
        assert opened.database.rows("FROM internal.earlier_captures") == []
        assert opened.database.rows("SELECT length FROM internal.revisits") == []


def test_an_older_file_is_not_changed_by_a_reader(older):
    before = older.read_bytes()
    with pytest.raises(DataError, match="bring it up to date: replicadb detect"):
        replicadb.open(older, read_only=True)
    assert older.read_bytes() == before


@pytest.mark.slow
def test_somebody_s_own_table_is_made_where_they_see_it(crawled, tmp_path):
    with replicadb.open(shutil.copy(crawled, tmp_path)) as web:
        web.sql("CREATE TABLE notes AS SELECT 1 AS n")
        assert "notes" in web.sql("SHOW TABLES")["name"].to_list()
        web.detect(method="paper")
        assert web.sql("SELECT count(*) AS n FROM urls")["n"].to_list() == [CRAWL.count("http")]


@pytest.mark.slow
def test_a_database_of_schema_5_keeps_its_loads_and_is_detected_as_a_new_one(detected, tmp_path):
    """And it learns of what came later: revisits, named runs, and that no content is no content."""
    path = Path(shutil.copy(detected, tmp_path / "old.duckdb"))
    with duckdb.connect(str(path)) as con:
        expected = con.execute("FROM replicas").fetchall()
        con.execute(
            "UPDATE internal.urls SET fingerprint_kind = 'md5', fingerprint ="
            " 'd41d8cd98f00b204e9800998ecf8427e' WHERE fingerprint = 'ca'"
        )
        con.execute("ALTER TABLE internal.pair_features DROP COLUMN exclusive_evidence")
        for column in ("path_hash", "tail_hash", "segment_hash", "content_hash", "title_hash"):
            con.execute(f"ALTER TABLE internal.urls DROP COLUMN {column}")
    lay_out(path, 5)
    with pytest.raises(DataError, match="bring it up to date: replicadb detect"):
        replicadb.open(path, read_only=True)
    with pytest.warns(UserWarning, match="what was loaded is kept"), replicadb.open(path) as web:
        assert (
            web.info()["urls"] == CRAWL.count("http")
            and web.database.value("SELECT count(*) FROM urls WHERE fingerprint IS NULL") == 1
            and web.database.value("SELECT count(*) FROM settings") == 0
            and web.database.value("SELECT count(*) FROM revisits") == 0
        )
        with pytest.raises(DataError, match="no replicas in it yet"):
            web.replicas()
        web.detect(method="paper", name="new")
        assert web.database.rows("FROM replicas") == expected and expected
        assert web.runs()["name"].to_list() == ["new", "current"]
        assert web.sql("FROM candidate_pairs").height and web.sql("FROM em_history").height
    replicadb.open(path, read_only=True).close()


def test_what_somebody_made_in_main_outlasts_an_upgrade_whatever_its_name(laid_out, tmp_path):
    path, version = tmp_path / "older.duckdb", 13  # of which more names are free than later
    shutil.copy(laid_out(version), path)
    free = {
        name
        for kind in ("TABLE", "VIEW")
        for name, (where, _) in schema._made(kind, *schema.EVERYTHING).items()
        if older_schemas.stood(name, where, version) != "main"
    }
    tables, views = free - {"copies"} | {"Copies"}, {"pages", "notes"}
    with duckdb.connect(str(path)) as con:
        for name in ("copies", "start_here", "held_hosts"):
            con.execute(f"DROP VIEW IF EXISTS main.{name}")
        con.execute("CREATE TABLE main.pages_before_1 AS SELECT 41 AS mine")
        for name in tables | {"start_here"}:
            con.execute(f"CREATE TABLE main.{name} AS SELECT 42 AS mine")
        for name in views:
            con.execute(f"CREATE OR REPLACE VIEW main.{name} AS SELECT 42 AS mine")
    with pytest.warns(UserWarning, match="you had there is") as caught:
        replicadb.open(path).close()
    texts = [str(warning.message) for warning in caught]
    assert sum("Copies is a view of replicadb's now" in text for text in texts) == 1
    assert {"named_runs", "left_out"} & tables
    moved = {"Copies": 1, "start_here": 1, "pages": 2, "held_hosts": 1}
    with duckdb.connect(str(path)) as con:
        for name in tables | views:
            kept = f"{name}_before_{moved[name]}" if name in moved else name
            assert con.execute(f"FROM main.{kept}").fetchall() == [(42,)]
        assert con.execute("FROM main.pages_before_1").fetchall() == [(41,)]
    with replicadb.open(path, read_only=True) as web:
        assert web.sql("FROM pages").height == web.info()["urls"] > 1


MINE = """
    CREATE SCHEMA history;
    CREATE SCHEMA details;
    CREATE TABLE history.runs AS SELECT 42 AS mine;
    CREATE TABLE history."Loads" AS SELECT 42 AS mine;
    CREATE INDEX "by (mine)" ON history."Loads"(mine, (mine + 1));
    CREATE VIEW details.candidate_pairs AS SELECT 42 AS mine;
    CREATE TABLE internal.left_out AS SELECT 42 AS mine;
    COMMENT ON TABLE internal.left_out IS 'mine';
    CREATE VIEW main.copies AS SELECT 42 AS mine;
    COMMENT ON VIEW main.copies IS 'mine';
    CREATE OR REPLACE MACRO main.shared_pages("a b", b) AS TABLE SELECT "a b" + b AS mine;
    CREATE MACRO main.evidence_of(a) AS a + 1, (a, b) AS a + b;
    ALTER TABLE main.runs ADD COLUMN mine INTEGER DEFAULT 42;
    ALTER TABLE main.loads ADD PRIMARY KEY (load_id);
    CREATE TABLE main.mine (load_id INTEGER REFERENCES main.loads (load_id));
    INSERT INTO main.mine FROM main.loads SELECT load_id"""


def test_what_somebody_made_outlasts_an_upgrade_wherever_it_stands(laid_out, tmp_path):
    path, new = tmp_path / "older.duckdb", tmp_path / "new.duckdb"
    shutil.copy(laid_out(13), path)
    with duckdb.connect(str(path)) as con:
        con.execute(MINE)
    with pytest.warns(UserWarning, match="you had there is") as caught:
        replicadb.open(path).close()
    said = [str(one.message).partition(".duckdb: ")[2] for one in caught]
    assert "history.runs is a table of replicadb's now; what you had there is" in "".join(said)
    replicadb.open(new).close()
    assert not shape(new) - shape(path)
    with replicadb.open(path) as web:
        for kept in (
            "history.runs_before_1",
            'history."Loads_before_1"',
            "details.candidate_pairs_before_1",
            "internal.left_out_before_1",
            "main.copies_before_1",
            "main.shared_pages_before_1(40, 2)",
            "(SELECT main.evidence_of(41))",
            "(SELECT main.evidence_of(40, 2))",
            "(SELECT DISTINCT mine FROM history.runs)",
        ):
            assert web.database.rows(f"FROM {kept}") == [(42,)]
        assert web.database.column("SELECT index_name FROM duckdb_indexes()") == ["by (mine)"]
        assert web.database.rows("FROM main.mine") == web.database.rows(
            "SELECT load_id FROM history.loads"
        )
        assert web.detect(method="paper").counts
        assert web.unload(web.database.value("SELECT name FROM loads")) == 1


def test_what_is_in_the_way_of_an_upgrade_is_told_in_a_line_and_nothing_changes(
    laid_out, tmp_path, cli
):
    path = tmp_path / "older.duckdb"
    shutil.copy(laid_out(20), path)
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE internal.mine (name VARCHAR)")
        con.execute(
            "CREATE TRIGGER often AFTER INSERT ON internal.mine FOR EACH STATEMENT"
            " INSERT INTO internal.settings VALUES ('mine', '1')"
        )
    before = contents(path)
    answer = cli("detect", str(path))
    assert answer.code == 1 and len(answer.err.splitlines()) == 1
    assert "is in the way of an upgrade" in answer.err and '"settings"' in answer.err
    assert contents(path) == before


def test_a_file_of_a_newer_schema_is_told_and_stays_as_it_is(detected, tmp_path, cli):
    path = tmp_path / "newer.duckdb"
    shutil.copy(detected, path)
    with duckdb.connect(str(path)) as con:
        con.execute("UPDATE internal.meta SET value = '99' WHERE key = 'schema_version'")
    before = path.read_bytes()
    for words in (["detect"], ["load", "a.csv"], ["info"], ["sql", "FROM hosts"], ["export", "-"]):
        answer = cli(words[0], str(path), *words[1:])
        assert answer.code == 1 and not answer.out
        assert answer.err.splitlines() == [
            f"replicadb: {path}: made by a newer replicadb (schema 99, this one knows"
            f" {schema.SCHEMA_VERSION}); upgrade with: pip install -U replicadb"
        ]
        assert path.read_bytes() == before and not [*tmp_path.glob("newer.duckdb.*")]


@pytest.mark.parametrize("said", ["'x1'", "'-5'", "''", "NULL"])
def test_a_file_whose_schema_is_no_number_is_told_to_be_damaged(detected, tmp_path, cli, said):
    path = tmp_path / "damaged.duckdb"
    shutil.copy(detected, path)
    with duckdb.connect(str(path)) as con:
        con.execute(f"UPDATE internal.meta SET value = {said} WHERE key = 'schema_version'")
    answer = cli("info", str(path))
    assert (answer.code, answer.out, answer.err.count("\n")) == (1, "", 1)
    assert answer.err.startswith(f"replicadb: {path}: damaged: its schema is ")
    assert "load the crawl into a new file" in answer.err


def test_an_upgraded_file_is_made_as_a_new_one_is(of_oldest, tmp_path):
    new = tmp_path / "new.duckdb"
    replicadb.open(new).close()
    assert shape(of_oldest) == shape(new)


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """The rows of every table of a file, in order."""
    with duckdb.connect(str(path), read_only=True) as con:
        tables = con.execute("SELECT schema_name || '.' || table_name FROM duckdb_tables()")
        return {
            name: con.execute(f"FROM {name} ORDER BY ALL").fetchall()
            for (name,) in tables.fetchall()
        }


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
