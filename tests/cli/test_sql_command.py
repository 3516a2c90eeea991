"""``replicadb sql``: in its default it reads the database and nothing else."""

from __future__ import annotations

import itertools
import os
import shutil

import pytest

import replicadb
from replicadb.export import writers


@pytest.fixture
def database(detected):
    return shutil.copy(detected, "web.duckdb")


FORBIDDEN = [
    "COPY (SELECT 1) TO 'web.duckdb'",
    "COPY (SELECT 1) TO 'out.csv'",
    "EXPORT DATABASE 'out'",
    "ATTACH 'out.duckdb'",
    "FROM read_text('secret.txt')",
    "FROM glob('*')",
    "FROM 'secret.csv'",
    "SET log_query_path = 'out.log'",
    "SET enable_external_access = true",
    "PRAGMA profiling_output = 'out.json'",
    "CREATE PERSISTENT SECRET mine (TYPE s3)",
    "LOAD 'out.duckdb_extension'",
]


@pytest.mark.parametrize(
    ("statement", "write"), [*zip(FORBIDDEN, itertools.cycle([(), ("--write",)]), strict=False)]
)
def test_no_statement_reaches_a_file_or_a_setting(cli, database, statement, write, monkeypatch):
    """Every other in a database that is opened to write."""
    monkeypatch.setenv("HOME", os.getcwd())
    for name in ("secret.txt", "secret.csv"):
        with open(name, "w") as file:
            file.write("a\n1\n")
    there = sorted(os.listdir())
    with open(database, "rb") as file:
        before = file.read()
    answer = cli("sql", database, statement, *write)
    assert (answer.code, answer.out, answer.err.count("\n")) == (1, "", 1)
    # the database itself is refused with --files, too; from DuckDB 2.0.1 on in its own words
    own = "attached database" in answer.err and database in statement
    assert "--files" in answer.err or own
    assert sorted(os.listdir()) == there
    with open(database, "rb") as file:
        assert file.read() == before


@pytest.mark.slow
def test_every_view_answers_where_no_file_can_be_reached(detected):
    with replicadb.open(detected, read_only=True) as web:
        web.database.confine()
        views = web.database.column(
            "SELECT schema_name || '.' || view_name FROM duckdb_views()"
            " WHERE NOT internal AND schema_name <> 'internal'"
        )
        assert "main.replicas" in views
        for view in views:
            web.sql(f"FROM {view} LIMIT 3")
        assert web.sql("SHOW TABLES").height
        assert web.sql("FROM range(100000)")["range"].is_sorted()


@pytest.mark.slow
def test_files_opens_that_door_alone(cli, database):
    assert cli("sql", database, "COPY (SELECT 1 AS a) TO 'out.csv'", "--files").code == 0
    assert cli("sql", database, "FROM 'out.csv'", "--files", "--format", "csv").out == "a\n1\n"
    answer = cli("sql", database, "DELETE FROM urls", "--files")
    assert answer.code == 1 and "read-only" in answer.err
    assert answer.err.endswith("; --write opens it for writing\n")


@pytest.mark.parametrize("name", ["web.duckdb", "./web.duckdb", "link"])
def test_files_never_writes_over_the_database_itself(cli, database, name):
    os.symlink("web.duckdb", "link")
    answer = cli("sql", database, f"COPY (SELECT 1) TO '{name}' (FORMAT csv)", "--files")
    assert answer.code == 2 and "is the database that is read" in answer.err
    assert cli("info", database).code == 0


def test_a_terminal_shows_few_rows_that_are_wider_than_it(cli, database, monkeypatch):
    monkeypatch.setattr("replicadb.cli.sql_command._on_terminal", lambda: True)
    monkeypatch.setattr(writers, "terminal_width", lambda: 40)
    columns = ", ".join(f"range AS column_{n}" for n in range(24))
    answer = cli("sql", database, f"SELECT {columns} FROM range(99)")
    assert answer.out.count("column_0 ") == 10 and answer.out.count("\n") <= 250
    assert "the first 10 rows; all of them: -f" in answer.err and "fewer columns" in answer.err
    assert cli("sql", database, f"SELECT {columns} FROM range(10)").err == ""


def test_of_several_results_the_last_is_shown_and_that_is_said(cli, detected):
    answer = cli("sql", detected, "SELECT 1 AS a; SELECT 2 AS b", "-f", "csv")
    assert (answer.out, answer.code) == ("b\n2\n", 0)
    assert answer.err == "note: of 2 results the last is shown; ask for one at a time\n"
    assert cli("sql", detected, "SET VARIABLE x = 1; SELECT getvariable('x')").err == ""


def test_the_list_of_examples_is_a_table_where_one_is_asked_for(cli, detected):
    lines = cli("sql", detected, "--list", "-f", "csv").out.splitlines()
    assert lines[0] == "name,question,variables"
    assert any(line.startswith("why-flagged,") and line.endswith(",host other") for line in lines)


def test_a_question_about_replicas_before_any_detection_is_answered_with_a_note(cli, crawled):
    asked = cli("sql", crawled, "SELECT count(*) AS n FROM flagged_hosts", "-f", "csv")
    assert asked.out == "n\n0\n" and asked.err == (
        f"note: no finished detection here, so no replicas: replicadb detect {crawled}\n"
    )
    assert cli("sql", crawled, "SELECT count(*) AS n FROM pages", "-f", "csv").err == ""


def test_a_plan_is_drawn(cli, detected):
    """What it says is of the statement, so it may have an escape in it."""
    plan = cli("sql", detected, "EXPLAIN SELECT host || '\x1b[2J' FROM hosts WHERE host > 'a'").out
    assert plan.startswith("╭─") and len(plan.splitlines()) > 3
    assert not {"\\n", "\x1b"} & {plan[i : i + n] for i in range(len(plan)) for n in (1, 2)}
    rows = cli("sql", detected, "EXPLAIN SELECT 1", "-f", "csv").out
    assert rows.startswith("explain_key,explain_value")
