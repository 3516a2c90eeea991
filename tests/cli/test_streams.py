"""Standard streams that are closed, and files that cannot be unpacked: told, and nothing written
where it does not belong.
"""

from __future__ import annotations

import gzip
import shlex
import subprocess

import pytest

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


@pytest.mark.slow
def test_with_all_streams_closed_the_database_is_sound(cli, crawl):
    """Without a guard the database gets the number of a standard stream, and what is said."""
    assert shell(f"load web.duckdb {crawl} # <&- >&- 2>&-") == (0, "", "")
    assert cli("sql", "web.duckdb", "SELECT url FROM pages", "-f", "csv").out.endswith("a.com/\n")
    assert cli("unload", "web.duckdb", crawl).code == 0


@pytest.mark.slow
def test_a_closed_standard_output_is_told(cli, crawl):
    cli("load", "web.duckdb", crawl)
    code, _, err = shell("info web.duckdb # >&-")
    assert (code, err.count("\n")) == (1, 1) and "standard output: cannot be written" in err


@pytest.mark.slow
def test_a_closed_standard_input_is_told():
    code, _, err = shell("load web.duckdb - # <&-")
    assert code == 1 and err.startswith("replicadb: standard input: cannot be read")


def test_what_cannot_be_unpacked_is_not_called_empty(cli, write):
    write("cut.csv.gz", gzip.compress(CSV.encode())[:15])
    write("nothing.csv.gz", gzip.compress(b""))
    answer = cli("load", "web.duckdb", "cut.csv.gz", "nothing.csv.gz")
    assert answer.code == 1
    assert "file ends inside a record" in cli("load", "web.duckdb", "cut.csv.gz").err
    assert "empty" in cli("load", "web.duckdb", "nothing.csv.gz").err
