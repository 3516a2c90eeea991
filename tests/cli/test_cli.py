"""The command line as a contract: exit codes, one line an error, stdout for data alone, and what a
stop leaves behind.

Tries detect_command, exit_codes, options and query_command, too.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from conftest import command

import replicadb
from replicadb.cli.exit_codes import ExitCode


def one_line(answer, code: int, *shown: str) -> None:
    """The answer is that exit code, nothing on stdout, and one line on stderr that says these
    things.
    """
    assert (answer.code, answer.out) == (code, "")
    assert answer.err.startswith("replicadb: ") and answer.err.count("\n") == 1, answer.err
    for text in shown:
        assert text in answer.err


# -- help
# --------------------------------------------------------------------------------------------------

COMMANDS = ("load", "unload", "detect", "export", "sql", "info", "demo")


@pytest.mark.slow
def test_python_dash_m_is_the_command_and_tells_its_version(process):
    answer = process("--version")
    assert (answer.code, answer.out) == (0, f"replicadb {replicadb.__version__}\n")


@pytest.mark.parametrize("arguments", [(), *((name,) for name in COMMANDS)])
def test_every_help_tells_the_exit_codes(cli, arguments):
    answer = cli(*arguments, "--help")
    assert answer.code == 0 and answer.err == ""
    for code in ExitCode:
        assert re.search(rf"\b{code.value} ", answer.out.replace("\n", " ")), code


def test_help_lists_every_command_and_shell_completion(cli):
    answer = cli("--help")
    assert all(name in answer.out for name in (*COMMANDS, "--install-completion", "--version"))
    assert cli().code in (0, 2)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (
            "load",
            (
                "--format --label --hosts --site --all-types --exclude-hosts --force --column"
                " --id-column --memory-limit --threads --quiet"
            ),
        ),
        ("unload", "--memory-limit --threads --quiet"),
        (
            "detect",
            (
                "--method --candidates --min-shared --max-cluster-hosts --max-pairs --seed"
                " --memory-limit --threads --quiet"
            ),
        ),
        ("export", "--what --top --min-score --all --quiet"),
        ("sql", "--format --output --write --memory-limit --threads"),
        ("info", "--json"),
    ],
)
def test_every_documented_option_is_there(cli, name, options):
    text = cli(name, "--help").out
    assert [option for option in options.split() if option not in text] == []


# -- usage: 2
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("frobnicate",),
        ("load",),
        ("load", "web.duckdb"),
        ("load", "web.duckdb", "crawl.csv", "--nope"),
        ("load", "web.duckdb", "crawl.csv", "--format", "doc"),
        ("load", "web.duckdb", "crawl.csv", "--site", "planet"),
        ("load", "web.duckdb", "crawl.csv", "--column", "url"),
        ("load", "web.duckdb", "crawl.csv", "--threads", "none"),
        ("load", "web.duckdb", "crawl.csv", "--threads", "0"),
        ("load", "web.duckdb", "crawl.csv", "--memory-limit", "lots"),
        ("detect", "web.duckdb", "--method", "magic"),
        ("detect", "web.duckdb", "--candidates", "all"),
        ("detect", "web.duckdb", "--min-shared", "0"),
        ("detect", "web.duckdb", "--max-pairs", "-1"),
        ("export", "web.duckdb", "out.doc"),
        ("export", "web.duckdb", "out"),
        ("export", "web.duckdb", "-", "--what", "everything"),
        ("export", "web.duckdb", "-", "--all"),
        ("export", "web.duckdb", "-", "--top", "-1"),
        ("sql", "web.duckdb", "SELECT 1", "--format", "doc"),
        ("info",),
        ("unload", "web.duckdb"),
    ],
)
def test_a_call_that_cannot_be_meant_is_usage(cli, loaded, arguments):
    one_line(cli(*arguments), ExitCode.USAGE)


@pytest.mark.parametrize(
    "arguments,said",
    [
        (("dedupe", "web.duckdb"), "did you mean 'detect'"),
        (("Tables", "web.duckdb"), "did you mean 'docs'"),
        (("lod", "web.duckdb"), "did you mean 'load'"),
        (("web.duckdb",), "a command comes first, as in: replicadb info web.duckdb"),
        (("load", "crawl.csv"), "the database comes first, as in: replicadb load web.duckdb FILE"),
        (("sql", "SELECT 1", "web.duckdb"), "the database comes first, then the statement"),
    ],
)
def test_what_was_likely_meant_is_said(cli, loaded, arguments, said):
    one_line(cli(*arguments), ExitCode.USAGE, said)


# -- the data or the database is at fault: 1
# ---------------------------------------------------------------


@pytest.mark.slow
def test_a_missing_file_is_reported_and_no_database_is_left_behind(cli, write):
    one_line(cli("load", "new.duckdb", "nothere.warc.gz"), 1, "nothere.warc.gz: no such file")
    write("junk.bin", bytes(range(256)))
    one_line(cli("load", "new.duckdb", "junk.bin"), 1, "junk.bin", "--format")
    assert not Path("new.duckdb").exists()


@pytest.mark.slow
def test_an_unreadable_file_is_reported(cli, write, monkeypatch):
    Path("locked.csv").mkdir()
    one_line(cli("load", "new.duckdb", "locked.csv"), 1, "folder without crawl files")
    os.symlink("loop", "loop")
    one_line(cli("load", "new.duckdb", "loop"), 1, "loop")


@pytest.mark.slow
def test_one_bad_file_among_good_ones_is_named_and_the_others_are_loaded(cli, write):
    write("a.csv", "url\nhttp://a.com/\n")
    write("b.parquet", b"PAR1 broken PAR1")
    answer = cli("load", "web.duckdb", "a.csv", "b.parquet")
    assert answer.code == 1 and answer.out == ""
    assert "replicadb: b.parquet: cannot be read as parquet" in answer.err
    assert "read 1 = kept 1 + replaced 0 + skipped 0 + rejected 0, from 1 file" in answer.err


@pytest.mark.parametrize(
    "arguments", [("info",), ("detect",), ("export", "-"), ("sql", "SELECT 1"), ("unload", "x")]
)
def test_a_database_that_is_not_there_is_not_made_by_looking(cli, arguments):
    one_line(
        cli(arguments[0], "none.duckdb", *arguments[1:]),
        1,
        "none.duckdb: no such database",
        "replicadb load none.duckdb SOURCE",
    )
    assert not Path("none.duckdb").exists()


def test_a_folder_of_the_database_that_is_not_there_is_reported(cli, write):
    write("a.csv", "url\nhttp://a.com/\n")
    one_line(cli("load", "no/such/web.duckdb", "a.csv"), 1, "no such folder")
    for given in (("load", ".", "a.csv"), ("info", "."), ("export", ".", "-"), ("detect", ".")):
        one_line(cli(*given), 1, ".: is a folder; name a database in it, as in web.duckdb")


@pytest.mark.parametrize("content", [b"url,digest\nhttp://a.com/,x\n", b"", b"\0" * 10_000])
def test_a_file_that_is_no_duckdb_database_is_reported_and_left_alone(cli, write, content):
    write("a.csv", "url\nhttp://a.com/\n")
    path = write("crawl.txt", content)
    for arguments in (("load", path, "a.csv"), ("info", path), ("detect", path)):
        answer = cli(*arguments)
        if content:  # DuckDB takes an empty file for a new database
            one_line(answer, 1, "crawl.txt")
            assert path.read_bytes() == content


@pytest.mark.slow
def test_a_database_of_something_else_is_reported(cli, write):
    with duckdb.connect("mine.duckdb") as con:
        con.execute("CREATE TABLE meta (a INTEGER, b INTEGER)")
    write("a.csv", "url\nhttp://a.com/\n")
    for arguments in (("load", "mine.duckdb", "a.csv"), ("info", "mine.duckdb")):
        one_line(cli(*arguments), 1, "not one of replicadb")
    with duckdb.connect("mine2.duckdb") as con:
        con.execute("CREATE TABLE t (a INTEGER)")
    one_line(cli("info", "mine2.duckdb"), 1, "not one of replicadb")


def test_a_database_of_a_newer_replicadb_is_reported(cli, loaded):
    with duckdb.connect("web.duckdb") as con:
        con.execute("UPDATE internal.meta SET value = '99' WHERE key = 'schema_version'")
    for arguments in (("load", loaded, "crawl.csv"), ("info", loaded), ("detect", loaded)):
        one_line(cli(*arguments), 1, "made by a newer replicadb", "pip install -U replicadb")


@pytest.mark.slow
def test_detect_before_load_and_export_before_detect_say_what_comes_first(cli, loaded):
    one_line(cli("export", loaded, "-"), 1, "replicadb detect web.duckdb")
    assert cli("unload", loaded, "crawl").code == 0
    one_line(cli("detect", loaded), 1, "replicadb load web.duckdb SOURCE")


@pytest.mark.parametrize(
    "query",
    [
        "SELEC 1",
        "SELECT * FROM nothere",
        "SELECT",
        "",
        "SELECT 'x'::INTEGER",
        "SELECT error('no')",
        "SELECT 1; SELEC 2",
        "SELECT x::INTEGER FROM (VALUES ('1'), ('x')) AS t(x)",
    ],
)
def test_bad_sql_is_one_line_and_its_place(cli, loaded, query):
    answer = cli("sql", loaded, query)
    said, *place = answer.err.splitlines()
    assert (answer.code, answer.out) == (1, "") and said.startswith("replicadb: SQL: ")
    if place:
        line, caret = place
        assert line.startswith("LINE 1: ") and caret.strip(" ^") == "" and "^" in caret


@pytest.mark.slow
def test_a_full_disk_is_reported():
    """Of more commands, in this process: test_streams.py."""
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command("--version"),
            stdout=full,
            stderr=subprocess.PIPE,
        )
    err = done.stderr.decode()
    assert (done.returncode, err) == (
        1,
        "replicadb: standard output: cannot be written: No space left on device\n",
    )


# -- limits: 3, locks: 4
# -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_more_pairs_than_allowed_are_refused_with_advice_before_any_work(cli, loaded):
    one_line(
        cli("detect", loaded, "--quiet", "--max-pairs", "1"),
        3,
        "--max-pairs",
        "--max-cluster-hosts",
    )
    assert cli("detect", loaded, "--quiet", "--method", "paper", "--max-pairs", "0").code == 0


@contextlib.contextmanager
def held_open(path, read_only: bool) -> Iterator[int]:
    """Another process has the database open; its id."""
    code = (
        f"import duckdb; con = duckdb.connect({str(path)!r}, read_only={read_only});"
        " print(flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"\n"
        yield other.pid
        other.communicate(b"\n")


@pytest.mark.slow
def test_a_database_in_use_is_reported_with_the_process_that_has_it(cli, loaded):
    with held_open(loaded, read_only=False) as pid:
        for arguments in (
            ("load", loaded, "crawl.csv"),
            ("info", loaded),
            ("detect", loaded),
            ("sql", loaded, "SELECT 1", "--write"),
            ("export", loaded, "-"),
            ("review", loaded, "--terminal"),
        ):
            one_line(cli(*arguments), 4, "in use by another process", str(pid))
    assert cli("info", loaded).code == 0


@pytest.mark.slow
def test_two_may_look_at_once(cli, loaded):
    with held_open(loaded, read_only=True):
        assert cli("info", loaded).code == 0


# -- what a hasty person does
# --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["crawl.csv", "crawl.jsonl"])
def test_a_crawl_file_in_the_place_of_the_database_is_refused_and_stays_as_it_was(cli, write, name):
    write(name, '{"url": "http://a.com/"}\n' if name.endswith("jsonl") else "url\nhttp://a.com/\n")
    before = Path(name).read_bytes()
    answer = cli("load", name, write("b.csv", "url\nhttp://b.com/\n"))
    assert answer.code == ExitCode.DATA
    assert answer.err == (
        f"replicadb: {name}: not a DuckDB database; the database comes first, as in: replicadb load"
        " web.duckdb crawl.warc.gz\n"
    )
    assert " as in: replicadb copies-of web.duckdb shop" in cli("copies-of", name, "a.com").err
    assert Path(name).read_bytes() == before


def test_a_new_database_is_not_named_like_a_crawl_file(cli, write):
    answer = cli("load", "new.parquet", write("b.csv", "url\nhttp://b.com/\n"))
    assert answer.code == ExitCode.DATA and "name of a data file" in answer.err
    assert not Path("new.parquet").exists()


def test_sql_picks_the_format_by_the_file_s_ending(cli, loaded):
    assert cli("sql", loaded, "SELECT 1 AS a", "--output", "one.csv").code == 0
    assert Path("one.csv").read_text() == "a\n1\n"
    assert cli("sql", loaded, "SELECT 1 AS a", "--output", "one.txt").code == ExitCode.USAGE
    assert cli("sql", loaded, "SELECT 1 AS a", "--output", "one.txt", "--format", "csv").code == 0


def test_more_threads_than_any_machine_has_are_refused(cli, loaded):
    assert cli("detect", loaded, "--threads", "99999").code == ExitCode.USAGE


@pytest.mark.slow
def test_a_load_without_any_fingerprint_says_so(cli, write):
    assert (
        "no URL here has a fingerprint"
        in cli("load", "web.duckdb", write("a.csv", "url,What\nhttp://a.com/,x\n")).err
    )


def test_an_empty_source_is_not_the_whole_folder(cli, write):
    write("a.csv", "url\nhttp://a.com/\n")
    answer = cli("load", "web.duckdb", "")
    assert answer.code == ExitCode.DATA and "empty source" in answer.err


@pytest.mark.parametrize("arguments", ["info {}", "load {} .", "--config {} info a.duckdb"])
def test_a_name_that_the_system_refuses_is_told_with_its_cause(cli, arguments):
    name = "x" * 300
    answer = cli(*arguments.format(name).split())
    # From 3.14 on Python says of such a name that no file has it.
    is_none = sys.version_info >= (3, 14) and not arguments.startswith("load")
    one_line(answer, 1, "" if is_none else "File name too long; check the path")
    assert name in answer.err and "DEBUG" not in answer.err


@pytest.mark.parametrize(
    "arguments",
    [
        "export {} - --top 99999999999999999999",
        "fingerprint {} -m minhash --seed -9999999999999999999",
    ],
)
def test_a_whole_number_beyond_64_bits_is_refused(cli, loaded, arguments):
    one_line(cli(*arguments.format(loaded).split()), 2, "9: is beyond 64 bits; give ")


def test_a_panic_of_a_library_in_rust_is_one_line(cli, loaded, monkeypatch):
    class PanicException(BaseException):
        """As PyO3 makes it: no Exception."""

    def panics(*_):
        raise PanicException("called `Option::unwrap()` on a `None` value")

    monkeypatch.setattr("replicadb.cli.sql_command.show_or_write", panics)
    one_line(cli("sql", loaded, "SELECT 1"), 1, "PanicException: called")
