"""Results as files: the same bytes each time in every format, whole or not at all, and a reader
that leaves is no error.

Tries export_queries and writers, too.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import command, rest_slow

import replicadb
from replicadb.errors import UsageError
from replicadb.export import writers
from replicadb.export.file_formats import ENDINGS

GOLDEN = Path(__file__).parents[1] / "golden"
ODD = """SELECT * FROM (VALUES
    (1, 0.5::DOUBLE, true, 'plain', DATE '2024-01-31', [1, 2], {'k': 'v'}, NULL),
    (-2, 1e-7, false, 'a,"b"' || chr(10) || 'c;' || chr(9) || 'd', NULL, NULL, NULL, 'x'),
    (3, NULL, NULL, chr(27) || '[31mé', DATE '1999-12-31', [], {'k': NULL}, ''),
    (9007199254740993, 'nan'::DOUBLE, true, '', DATE '2024-02-29', [NULL], {'k': '<b>'}, '=1+1'))
    AS t("number", "float", "truth", "te""xt", "day", "list", "struct", "null")"""


@pytest.mark.parametrize("format", ["table", "csv", "tsv", "json", "jsonl"])
def test_each_text_format_has_its_golden_bytes(cli, detected, format):
    golden = GOLDEN / f"odd.{format}"
    assert cli("sql", detected, ODD, "--format", format, "--output", "out").out == ""
    found = Path("out").read_bytes()
    if os.environ.get("REPLICADB_WRITE_GOLDEN"):
        golden.write_bytes(found)
    assert found == golden.read_bytes()
    if format == "table":
        assert cli("sql", detected, ODD, "--format", format).out.encode() == found


@pytest.mark.parametrize("format", ["csv", "tsv", "json", "jsonl", "parquet"])
def test_an_empty_result_still_has_its_shape(cli, detected, format):
    empty = "SELECT 1 AS a, 'x' AS b WHERE false"
    answer = cli("sql", detected, empty, "--format", format, "--output", "out")
    assert answer.code == 0
    text = Path("out").read_bytes()
    if format == "parquet":
        assert pq.read_table("out").column_names == ["a", "b"]
    else:
        assert text == {"csv": b"a,b\n", "tsv": b"a\tb\n", "json": b"[]\n", "jsonl": b""}[format]


@pytest.mark.slow
def test_json_is_json_over_many_batches(cli, detected):
    query = "SELECT range AS n FROM range(150000) ORDER BY n"
    assert json.loads(cli("sql", detected, query, "--format", "json").out) == [
        {"n": n} for n in range(150_000)
    ]
    assert len(cli("sql", detected, query, "--format", "jsonl").out.splitlines()) == 150_000
    assert cli("sql", detected, query, "--format", "csv").out.splitlines()[::50_000] == [
        "n",
        "49999",
        "99999",
        "149999",
    ]


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    """A small database whose first pairs are flagged, whatever the method would say; copy it before
    you change it.
    """
    path = tmp_path_factory.mktemp("results")
    pages = [
        f"http://{host}/{page},{site}-{page}\n"
        for site in ("a", "b", "c")
        for host in (f"{site}.com", f"www.{site}.com")
        for page in range(6)
    ]
    (path / "crawl.csv").write_text(
        "url,digest\n" + "".join(pages) + "http://x.com/0,a-0\nhttp://y.com/0,b-0\n"
    )
    with replicadb.open(path / "flagged.duckdb") as web:
        web.load(path / "crawl.csv")
        web.detect(method="paper")
        with web.database.transaction():
            web.database.execute(
                """CREATE TEMP TABLE best AS
                SELECT rank, a.host_id AS a_id, b.host_id AS b_id, score
                FROM replicas
                JOIN hosts AS a ON a.host = host_a
                JOIN hosts AS b ON b.host = host_b
                WHERE rank <= 3"""
            )
            web.database.execute(
                "UPDATE ranking SET flagged = EXISTS (FROM best WHERE best.a_id = ranking.a_id AND"
                " best.b_id = ranking.b_id)"
            )
            web.database.execute("DELETE FROM members")
            web.database.execute(
                """INSERT INTO members BY NAME
                SELECT rank AS group_id, unnest([a_id, b_id]) AS host_id, a_id AS canonical_id,
                    rank, score
                FROM best"""
            )
    return path / "flagged.duckdb"


COLUMNS = {
    "hosts": ["host", "canonical_host", "probability", "group_id", "why", "kept_because"],
    "pairs": ["host_a", "host_b", "probability", "flagged", "rank"],
    "groups": ["canonical_host", "probability", "group_id", "hosts"],
}


def near(row: dict) -> dict:
    """A row with its numbers rounded: half of them are single precision, which JSON shortens."""
    return {
        name: round(float(value), 5) if isinstance(value, int | float) else value
        for name, value in row.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("what", rest_slow(["hosts", "pairs", "groups"]))
def test_every_ending_holds_the_same_rows(cli, results, what):
    tables = {}
    with replicadb.open(results, read_only=True) as web:
        for ending in ENDINGS:
            web.export(f"out{ending}", what=what)
    if what == "hosts":
        answer = cli("export", results, "out.csv", "--what", what)
        assert answer.code == 0 and answer.out == "" and "rows to out.csv" in answer.err
        assert cli("export", results, "-", "--what", what).out == Path("out.csv").read_text()
    tables["csv"] = pl.read_csv("out.csv", infer_schema_length=0)
    tables["tsv"] = pl.read_csv("out.tsv", separator="\t", infer_schema_length=0)
    assert (
        tables["csv"].columns[: len(COLUMNS[what])] == COLUMNS[what] and tables["csv"].height == 3
    )
    assert tables["csv"].equals(tables["tsv"])
    records = json.loads(Path("out.json").read_text())
    assert records == [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert Path("out.jsonl").read_bytes() == Path("out.ndjson").read_bytes()
    assert list(map(near, records)) == list(map(near, pq.read_table("out.parquet").to_pylist()))
    with sqlite3.connect("out.sqlite") as con:
        found = con.execute(f"SELECT * FROM {what}").fetchall()
    assert [near(dict(zip(COLUMNS[what], row, strict=False))) for row in found] == [
        near({k: record[k] for k in COLUMNS[what]}) for record in records
    ]


@pytest.mark.slow
def test_top_min_score_and_all_choose_rows(cli, results):
    def exported(what: str = "pairs", **options) -> list[str]:
        web.export("out.csv", what, **options)
        return Path("out.csv").read_text().splitlines()

    with replicadb.open(results, read_only=True) as web:
        header, *everything = exported(unflagged=True)
        assert len(everything) > 3
        assert everything[:3] == exported()[1:]
        assert everything[:2] == exported(unflagged=True, top=2)[1:]
        assert exported("hosts", top=0)[1:] == exported("hosts", min_score=1.1)[1:] == []
    scores = [float(row.split(",")[header.split(",").index("score")]) for row in everything]
    least = ("--what", "pairs", "--all", "--top", 9, "--min-score", str(scores[1]))
    assert (
        cli("export", results, "-", *least).out.splitlines()[1:]
        == [row for row, score in zip(everything, scores, strict=True) if score >= scores[1]][:9]
    )


@pytest.mark.slow
def test_rows_come_in_the_same_total_order_with_one_thread_and_with_two(results, tmp_path):
    found = set()
    for threads in (1, 2):
        with replicadb.open(results, threads=threads, read_only=True) as web:
            for what in COLUMNS:
                web.export(tmp_path / f"{what}.csv", what, unflagged=what == "pairs")
        found.add(tuple((tmp_path / f"{what}.csv").read_bytes() for what in COLUMNS))
    assert len(found) == 1


@pytest.mark.slow
def test_the_polars_frame_is_the_view(results):
    with replicadb.open(results, read_only=True) as web:
        frame = web.replicas(top=2)
        assert isinstance(frame, pl.DataFrame) and frame["rank"].to_list() == [1, 2]
        assert (
            web.replicas(flagged=True).height == 3
            and web.flagged_hosts().height == 3
            and web.groups().height == 3
        )


# -- whole or not at all
# -----------------------------------------------------------------------------------


def test_a_file_that_was_there_stays_as_it_was_when_writing_fails(cli, results):
    Path("out.csv").write_text("mine\n")
    answer = cli(
        "sql",
        results,
        "SELECT CASE WHEN range = 140000 THEN error('late') ELSE '1' END AS x FROM range(150000)",
        "--format",
        "csv",
        "--output",
        "out.csv",
    )
    assert answer.code == 1 and answer.err.count("\n") == 1 and "late" in answer.err
    assert Path("out.csv").read_text() == "mine\n"
    assert os.listdir() == ["out.csv"]


@pytest.mark.parametrize("out", ["no/such/folder/out.csv", "/proc/out.csv", "folder.csv"])
def test_a_place_that_cannot_be_written_is_reported(cli, results, out):
    Path("folder.csv").mkdir()
    answer = cli("export", results, out)
    assert answer.code == 1 and "cannot be written" in answer.err and answer.err.count("\n") == 1
    assert os.listdir() == ["folder.csv"] and os.listdir("folder.csv") == []


def test_a_disk_that_fills_up_leaves_no_half_file(cli, results):
    """Files have an end here, which says so as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        query = "SELECT * FROM range(100000)"
        answer = cli("sql", results, query, "--format", "csv", "--output", "big.csv")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert answer.code == 1 and answer.err.count("\n") == 1 and "big.csv" in answer.err
    assert os.listdir() == []


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error(results):
    with open("err.txt", "wb") as err:
        writer = subprocess.Popen(
            command("sql", results, "SELECT * FROM range(30000)", "--format", "csv"),
            stdout=subprocess.PIPE,
            stderr=err,
        )
        assert writer.stdout.readline()
        writer.stdout.close()
        assert writer.wait(timeout=60) == 0
    assert Path("err.txt").read_text() == ""
    assert os.listdir() == ["err.txt"]


def test_sqlite_goes_to_files_alone():
    with pytest.raises(UsageError, match="file name"):
        writers.write(None, "-", "sqlite")


@pytest.mark.parametrize("form", ["sqlite", "csv"])
def test_no_result_is_written_over_tables_of_somebody_else(tmp_path, form, monkeypatch):
    rows, out = pa.table({"a": [1]}), tmp_path / "app.db"
    for _ in range(2):
        assert writers.write(rows.to_reader(), str(out), "sqlite", "hosts") == 1
    with contextlib.closing(sqlite3.connect(out)) as con:
        con.execute("CREATE TABLE users (name TEXT)")
    before = out.read_bytes()
    with pytest.raises(UsageError, match="an SQLite database with tables of its own, such as us"):
        writers.write(rows.to_reader(), str(out), form, "hosts")
    with contextlib.closing(sqlite3.connect(out, isolation_level=None)) as con:
        con.execute("BEGIN EXCLUSIVE")  # somebody is writing; else a second is waited for that
        connect = sqlite3.connect
        monkeypatch.setattr(
            sqlite3, "connect", lambda *given, **how: connect(*given, **how | {"timeout": 0.05})
        )
        with pytest.raises(UsageError, match="an SQLite database that cannot be read"):
            writers.write(rows.to_reader(), str(out), form, "hosts")
    assert out.read_bytes() == before


# -- sql
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM urls",
        "CREATE TABLE mine (a INTEGER)",
        "DROP VIEW pages",
        "UPDATE hosts SET host = 'x'",
    ],
)
def test_sql_cannot_change_anything_without_write(cli, results, statement):
    before = results.read_bytes()
    answer = cli("sql", results, statement)
    assert answer.code == 1 and "read-only" in answer.err and answer.err.count("\n") == 1
    assert results.read_bytes() == before


@pytest.mark.slow
def test_sql_with_write_changes_the_database_and_says_nothing_on_stdout(cli, results):
    path = shutil.copy(results, "web.duckdb")
    for statement in (
        "CREATE TABLE mine (a INTEGER)",
        "CREATE TABLE other (b INTEGER); INSERT INTO other VALUES (7)",
    ):
        answer = cli("sql", path, statement, "--write", "--format", "csv")
        assert answer.code == 0 and answer.err == ""
    assert cli("sql", path, "INSERT INTO mine VALUES (1), (2)", "--write").code == 0
    assert cli("sql", path, "SELECT sum(a) AS s FROM mine", "--format", "csv").out == "s\n3\n"
    assert cli("sql", path, "FROM other", "--format", "csv").out == "b\n7\n"


def test_of_several_statements_the_last_one_answers(cli, results):
    assert cli("sql", results, "SELECT 1 AS a; SELECT 2 AS b", "--format", "csv").out == "b\n2\n"


@pytest.mark.slow
def test_an_error_in_a_query_says_what_was_meant_and_where(cli, results):
    said = {
        "SELECT hots FROM hosts": (
            'replicadb: SQL: Referenced column "hots" not found in FROM clause; Candidate bindings:'
            ' "host", "host_id"\nLINE 1: SELECT hots FROM hosts\n               ^^^^\n'
        ),
        "SELECT host\nFROM replica": (
            'replicadb: SQL: Table with name replica does not exist; Did you mean "replicas"?\n'
            "LINE 2: FROM replica\n             ^^^^^^^\n"
        ),
        "SELECT 1 AS a FRM hosts": (
            'replicadb: SQL: syntax error at or near "FRM"\n'
            "LINE 1: SELECT 1 AS a FRM hosts\n                      ^^^\n"
        ),
    }
    for query, err in said.items():
        assert cli("sql", results, query) == (1, "", err)
    assert cli("sql", results, "CREATE TABLE t (a INT); SELECT b FROM t", "--write").code == 1


@pytest.mark.slow
def test_a_query_comes_from_a_file_and_from_standard_input(cli, results, monkeypatch):
    Path("q.sql").write_text("-- hosts\nSELECT count(*) AS n\nFROM hosts;\n")
    expected = cli("sql", results, "SELECT count(*) AS n FROM hosts").out
    assert cli("sql", results, "--file", "q.sql").out == expected
    with open("q.sql") as text:
        monkeypatch.setattr(sys, "stdin", text)
        assert cli("sql", results, "-").out == expected
    for arguments, code, said in (
        (("--file", "none.sql"), 1, "none.sql: cannot be read"),
        ((), 2, "sql takes a statement"),
        (("SELECT 1", "--file", "q.sql"), 2, "sql takes a statement"),
    ):
        answer = cli("sql", results, *arguments)
        assert (answer.code, answer.out) == (code, "") and said in answer.err


@pytest.mark.slow
def test_a_terminal_shows_the_first_rows_and_says_so(cli, results, monkeypatch):
    query = "SELECT range AS n FROM range(250)"
    assert cli("sql", results, query).out.count("\n") == 252
    monkeypatch.setattr("replicadb.cli.sql_command._on_terminal", lambda: True)
    answer = cli("sql", results, query)
    assert answer.out.count("\n") == 102 and "the first 100 rows; all of them: -f" in answer.err
    assert cli("sql", results, query + " LIMIT 100").err == ""
    assert cli("sql", results, query, "-f", "table").out.count("\n") == 252


@pytest.mark.parametrize("format", ["json", "jsonl", "csv"])
def test_odd_line_breaks_in_a_value_break_no_format(cli, results, format):
    breaks = [0x2028, 0x2029, 0x85, 0x0B, 0x0C, 0x1C, 0x0D]
    text = " || ".join(f"'a' || chr({code})" for code in breaks)
    out = cli("sql", results, f"SELECT {text} AS x FROM range(2)", "--format", format).out
    expected = "".join(f"a{chr(code)}" for code in breaks)
    if format == "csv":
        assert [row["x"] for row in csv.DictReader(io.StringIO(out, newline=""))] == [expected] * 2
    else:
        text = out if format == "json" else "[" + ",".join(out.strip("\n").split("\n")) + "]"
        assert json.loads(text) == [{"x": expected}] * 2


@pytest.mark.slow
def test_a_table_goes_row_by_row_on_a_terminal_that_is_too_narrow(cli, detected, monkeypatch):
    """All tables that a person did not ask for as a table: here that of aliases."""
    wide = cli("aliases", detected, "-q").out.splitlines()
    assert wide[0].startswith("rule  name_a") and len(wide[0]) > 60
    monkeypatch.setattr(writers, "terminal_width", lambda: 60)
    narrow = cli("aliases", detected, "-q").out.splitlines()
    assert max(map(len, narrow)) <= 60 and narrow[0].split() == ["rule", "none"]
    assert "name_b" in narrow[2] and narrow[0].index("none") == narrow[1].index("example.com")
