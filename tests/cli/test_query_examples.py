"""``replicadb sql --example``: questions that are ready to ask, with hosts in any spelling."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from statement_cost import most_rows

import replicadb
from replicadb.cli import query_examples
from replicadb.cli.query_examples import examples, text_of, variables
from replicadb.errors import DataError, UsageError

NAMES = [name for name in examples() if name != "older-shells"]


@pytest.fixture(scope="module")
def web(detected, tmp_path_factory):
    """A copy: commands lock the settings of a file that is open in this process."""
    path = shutil.copy(detected, tmp_path_factory.mktemp("examples") / "web.duckdb")
    with replicadb.open(path, read_only=True) as opened:
        yield opened


def test_they_are_listed_with_what_they_take(cli, detected):
    listed = cli("sql", detected, "--list").out
    assert [line.split()[0] for line in listed.splitlines()] == list(examples())
    assert "  Why is this pair flagged? --set host=HOST --set other=HOST\n" in listed
    for example in examples().values():
        assert example.question.endswith("?") and not example.query.startswith("--")


@pytest.fixture(scope="module")
def stock(detected, tmp_path_factory):
    """A stock DuckDB that has another copy open."""
    path = shutil.copy(detected, tmp_path_factory.mktemp("stock") / "web.duckdb")
    with duckdb.connect(path, read_only=True) as con:
        yield con


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_runs_and_runs_as_printed_in_a_stock_shell(cli, web, detected, stock, name):
    answer = cli("sql", detected, "--example", name, "-f", "csv")
    assert answer.code == 0
    assert answer.err.count("\n") == bool(examples()[name].hosts)
    printed = text_of(web.database, name, {})
    assert len(stock.sql(printed).fetchall()) == answer.out.count("\n") - 1


def test_the_hosts_that_it_answers_for_are_named_where_nobody_gave_them(cli, web, detected):
    values = {}
    for line in text_of(web.database, "why-flagged", {}).splitlines()[:2]:
        name, value = line.removeprefix("SET VARIABLE ").removesuffix("';").split(" = '")
        values[name] = value

    def printed_by(name: str, *options: str) -> str:
        return cli("sql", detected, "--example", name, *options).err

    host, other = values["host"], values["other"]
    assert printed_by("copies-of-a-site") == f"for {host}; --set host=NAME asks for another\n"
    both = f"for {host} and {other}; "
    assert printed_by("why-flagged") == f"{both}--set host=NAME --set other=NAME ask for others\n"
    one = f"host={host}"
    assert printed_by("why-flagged", "--set", one) == f"{both}--set other=NAME asks for another\n"
    assert (
        printed_by("copies-of-a-site", "--set", one) == "" == printed_by("why-flagged", "--print")
    )


def test_an_example_is_printed_as_it_is_asked(cli, web, detected):
    printed = cli("sql", detected, "--example", "why-flagged", "--print")
    text = text_of(web.database, "why-flagged", {})
    assert printed.code == 0 and text.strip() in printed.out


def test_a_host_is_found_by_any_spelling(cli, web, detected):
    text = text_of(web.database, "copies-of-a-site", {"host": "HTTPS://www.EXAMPLE.com:443/a"})
    assert text.startswith("SET VARIABLE host = 'www.example.com';\n")
    answer = cli("sql", detected, "--example", "copies-of-a-site", "--set", "host=Example.ORG")
    assert "example.com" in answer.out and "example.org" not in answer.out


def test_the_name_of_an_example_alone_asks_it(cli, detected):
    named = cli("sql", detected, "--example", "copies-of-a-site", "--set", "host=Example.ORG")
    assert cli("sql", detected, " copies-of-a-site\n", "--set", "host=Example.ORG") == named
    assert "--example NAME" in cli("sql", detected, "--list").err


def test_what_is_not_set_is_the_likeliest_pair_of_what_is(web):
    def pair(**given):
        lines = text_of(web.database, "why-flagged", given).splitlines()[:2]
        return [line.split("'")[1] for line in lines]

    ((host, other),) = web.sql("SELECT host_a, host_b FROM replicas WHERE rank = 1").rows()
    assert pair() == [host, other]
    assert pair(host=other) == [other, host] and pair(other=host) == [other, host]


@pytest.mark.slow
def test_the_likeliest_pair_is_found_without_joining_the_others(tmp_path):
    """Of 40 hosts with equal pages: 780 candidates."""
    lines = ["url,digest", *(f"http://h{n:02}.test/{k},d{k}" for n in range(40) for k in range(2))]
    (tmp_path / "crawl.csv").write_text("\n".join(lines))
    with replicadb.open(":memory:") as web:
        web.load(tmp_path / "crawl.csv")
        web.detect()
        assert most_rows(web.database, "SELECT host, copy FROM copies") == 780
        assert most_rows(web.database, query_examples.LIKELIEST) <= 40


def test_a_value_stays_a_text(cli, detected):
    value = "x'; DROP TABLE hosts; --"
    answer = cli(
        "sql", detected, "SELECT getvariable('v') AS v", "--set", f"v={value}", "-f", "csv"
    )
    assert answer.out == f"v\n{value}\n"


def test_what_cannot_be_meant_is_refused(cli, web, detected, crawled):
    with pytest.raises(UsageError, match="no example is called 'magic'; choose one of: copies-of-"):
        text_of(web.database, "magic", {})
    with pytest.raises(UsageError, match="most-copied has no variable 'host'; it takes: none"):
        text_of(web.database, "most-copied", {"host": "example.com"})
    with pytest.raises(DataError, match=r"no host exampel\.com here; the nearest names: example"):
        text_of(web.database, "copies-of-a-site", {"host": "exampel.com"})
    for odd in (["host"], ["=x"], ["a b=c"], ["a=1", "a=2"]):
        with pytest.raises(UsageError, match="--set"):
            variables(odd)
    assert cli("sql", detected, "SELECT 1", "--example", "most-copied").code == 2
    assert cli("sql", detected).code == 2
    with replicadb.open(crawled, read_only=True) as early, pytest.raises(UsageError, match="name"):
        text_of(early.database, "why-flagged", {})


@pytest.mark.parametrize("together", [False, True])
def test_pages_that_change_are_told_of_captures_in_one_file_or_in_several(write, together):
    of = {
        year: [f"http://a.test/{n},{n if n else year},{year}" for n in range(4)]
        for year in (2019, 2024)
    }
    parts = [[*of[2019], *of[2024]]] if together else of.values()
    with replicadb.open(":memory:") as web:
        for n, lines in enumerate(parts):
            web.load(write(f"{n}.csv", "\n".join(["url,digest,timestamp", *lines])))
        asked = examples()["changing-pages"].query
        assert web.sql(asked).rows() == [("a.test", 4, 1)]
        if together:
            return
        same = ["http://b.test/,b,2024", *of[2024]]  # as an index has what a WARC file has
        for n in "xy":
            web.load(write(f"{n}.csv", "\n".join([f"url,digest,timestamp,{n}", *same])))
        assert web.sql(asked).rows() == [("a.test", 4, 1)]


@pytest.mark.slow
def test_a_copy_for_older_shells_has_the_results_as_tables(cli, detected):
    path = shutil.copy(detected, "web.duckdb")
    closed = cli("sql", path, "--example", "older-shells")
    assert closed.code == 1 and "--files" in closed.err
    assert cli("sql", path, "--example", "older-shells", "--files").code == 0
    with open("older.duckdb", "rb") as file:
        assert file.read(20)[12:] == (64).to_bytes(8, "little"), "the storage of 1.0"
    with duckdb.connect("older.duckdb") as con:
        kinds = con.execute("SELECT DISTINCT table_type FROM information_schema.tables").fetchall()
        assert kinds == [("BASE TABLE",)]
        (((n,),), ((there,),)) = (
            con.execute(f"SELECT count(*) FROM {name}").fetchall() for name in ("copies", "pages")
        )
    assert n > 0 and there > 0
    shell = Path(sys.executable).with_name("duckdb")
    if shell.exists():  # the stock shell, from PyPI
        left_out = {"copies-of-a-site", "why-flagged", "pages-in-common", "changing-pages"}
        asked = [str(shell), "-readonly", "older.duckdb", "-csv"]
        for name in ("copies-of-a-site", *(set(NAMES) - left_out)):
            asked += ["-c", f"SET VARIABLE host = 'example.com';\n{examples()[name].query}"]
        done = subprocess.run(asked, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("rank,copy,"), done.stdout[:99]
    with replicadb.open(path) as web:
        web.database.execute("DELETE FROM members")
    for _ in range(2):
        assert cli("sql", path, "--example", "older-shells", "--files").code == 0
    with duckdb.connect("older.duckdb") as con:
        counts = [f"(SELECT count(*) FROM {name})" for name in ("flagged_hosts", "pages")]
        assert con.execute(f"SELECT {', '.join(counts)}").fetchall() == [(0, there)]
