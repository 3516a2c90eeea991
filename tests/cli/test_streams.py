"""Standard streams that are closed, and files that cannot be unpacked: told, and nothing written
where it does not belong. And what the process of a command has but for its streams.
"""

from __future__ import annotations

import gzip
import os
import shlex
import shutil
import subprocess
import sys
import threading

import pytest

import replicadb
from replicadb.cli import run, streams
from tests.conftest import command

CSV = "url,digest\nhttp://a.com/,aa\n"


def shell(line: str) -> tuple[int, str, str]:
    """A command line of replicadb's, after which a shell closes streams."""
    arguments, _, closed = line.partition(" # ")
    done = subprocess.run(
        f"{shlex.join(command(*arguments.split()))} {closed}",
        shell=True,
        capture_output=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def crawl(write):
    return write("a.csv", CSV)


@pytest.fixture
def loaded(crawled) -> None:
    """web.duckdb, of some crawl."""
    shutil.copy(crawled, "web.duckdb")


@pytest.mark.slow
def test_with_all_streams_closed_the_database_is_sound(crawl, _empty):
    """Without a guard the database gets the number of a standard stream, and what is said."""
    shutil.copy(_empty, "web.duckdb")
    assert shell(f"load web.duckdb {crawl} # <&- >&- 2>&-") == (0, "", "")
    with replicadb.open("web.duckdb") as web:
        assert web.sql("SELECT url FROM pages").rows() == [("http://a.com/",)]
        web.unload(str(crawl))


@pytest.mark.slow
def test_a_closed_standard_output_is_told():
    code, _, err = shell("--version # >&-")
    assert (code, err.count("\n")) == (1, 1) and "standard output: cannot be written" in err


@pytest.mark.slow
def test_a_closed_standard_input_is_told(_empty):
    shutil.copy(_empty, "web.duckdb")
    code, _, err = shell("load web.duckdb - # <&-")
    assert code == 1 and err.startswith("replicadb: standard input: cannot be read")


@pytest.mark.slow
def test_what_cannot_be_unpacked_is_not_called_empty(cli, write):
    write("cut.csv.gz", gzip.compress(CSV.encode())[:15])
    write("nothing.csv.gz", gzip.compress(b""))
    answer = cli("load", "web.duckdb", "cut.csv.gz", "nothing.csv.gz")
    assert answer.code == 1
    assert "file ends inside a record" in cli("load", "web.duckdb", "cut.csv.gz").err
    assert "empty" in cli("load", "web.duckdb", "nothing.csv.gz").err


def test_a_standard_error_that_nobody_reads_stops_nothing(crawl, web, monkeypatch, capfd):
    """The first line that is said must not end the command with its work undone."""
    web.close()
    monkeypatch.setattr(streams._Speech, "number", broken_pipe())
    monkeypatch.setattr("sys.stderr", streams._text(streams._Speech()))
    assert run(["load", "web.duckdb", str(crawl)]) == 0
    assert run(["sql", "web.duckdb", "SELECT url FROM pages", "-f", "csv"]) == 0
    out, err = capfd.readouterr()
    assert out.endswith("a.com/\n") and err == ""


def test_what_a_failed_standard_error_is_told_is_dropped(monkeypatch):
    speech = streams._Speech()
    monkeypatch.setattr(streams._Speech, "number", broken_pipe())
    assert [speech.write(b"one"), speech.write(b"two")] == [3, 3]


@pytest.fixture
def run_into(monkeypatch, capfd):
    """Run a command that prints into this, which the system knows by a number; its exit code, and
    what it says.
    """

    def call(number: int, *arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(streams._Output, "number", number)
        monkeypatch.setattr("sys.stdout", streams._text(streams._Output()))
        code = run(list(arguments))
        out, err = capfd.readouterr()
        assert out == ""
        return code, err

    return call


ANY = ["--version", "load --help", "info web.duckdb", "docs web.duckdb", "sql web.duckdb --list"]


@pytest.mark.parametrize("arguments", ANY)
def test_a_reader_that_has_gone_is_no_error_for_any_command(loaded, run_into, arguments):
    assert run_into(broken_pipe(), *arguments.split()) == (0, "")


@pytest.mark.slow
def test_a_process_whose_reader_has_gone_ends_well():
    done = shell_with("--version", stdout=broken_pipe())
    assert (done.returncode, done.stderr) == (0, b"")


FULL = ["--version", "info web.duckdb --json", "sql web.duckdb 'FROM range(100000)' -f csv"]


@pytest.mark.parametrize("arguments", FULL)
def test_a_full_standard_output_is_told_as_such(loaded, run_into, arguments):
    """Not as a disk on which the database, or its temporary files, found no room; of a process,
    see test_cli.py.
    """
    said = "replicadb: standard output: cannot be written: No space left on device\n"
    with open("/dev/full", "wb") as full:
        assert run_into(full.fileno(), *shlex.split(arguments)) == (1, said)


def test_a_pipe_that_does_not_wait_gets_all_of_it(monkeypatch):
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    monkeypatch.setattr(streams._Output, "number", writing)
    data, read = b"x" * 1_000_000, bytearray()
    reader = threading.Thread(target=lambda: read_to_end(reading, read))
    reader.start()
    assert streams._Output().write(data) == len(data)
    os.close(writing)
    reader.join(60)
    assert read == data


def read_to_end(descriptor: int, into: bytearray) -> None:
    with open(descriptor, "rb") as pipe:
        into += pipe.read()


def broken_pipe() -> int:
    """What can be written to, and is read by nobody."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def shell_with(arguments: str, **streams) -> subprocess.CompletedProcess:
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.run(command(*arguments.split()), timeout=60, **given | streams)


def test_a_command_keeps_numpys_blas_to_one_thread_where_nobody_says_otherwise():
    """It has to say so before NumPy is loaded."""
    program = (
        "import os, sys; from replicadb import cli; print('numpy' in sys.modules, end=' ')\n"
        "def said(*_): print(os.environ['OPENBLAS_NUM_THREADS'], end=' '); return 0\n"
        "cli._command = said\n"
        "for _ in range(2):\n"
        "    try: cli.main()\n"
        "    except SystemExit: os.environ['OPENBLAS_NUM_THREADS'] = '3'"
    )
    unset = {name: value for name, value in os.environ.items() if "OPENBLAS" not in name}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=unset
    )
    assert (done.stdout, done.stderr) == ("False 1 3 ", "")
