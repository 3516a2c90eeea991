"""``replicadb label``: what it says, what it leaves, and its exit codes."""

from __future__ import annotations

import gzip
import io
import shutil

import pytest

import replicadb
from tests.cli.conftest import kept_open

CRAWL = "url,digest\n" + "".join(
    f"http://{host}/{n},p{n}\n" for host in ("a.com", "b.net", "c.org") for n in range(5)
)
DECISIONS = "host_a,host_b,label,note\na.com,b.net,no,two shops\nc.org,,keep,\nx,y\n"


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loaded")
    (folder / "c.csv").write_text(CRAWL)
    with replicadb.open(folder / "w.duckdb") as web:
        web.load(folder / "c.csv")
    return folder / "w.duckdb"


@pytest.fixture
def db(loaded, tmp_path):
    return shutil.copy(loaded, tmp_path / "w.duckdb")


@pytest.mark.slow
def test_a_file_is_taken_and_said_row_by_row(cli, write, db):
    answer = cli("label", db, write("d.csv", DECISIONS))
    assert answer.code == 0 and answer.out == ""
    assert answer.err.splitlines() == [
        "row 3 has 2 cells where the header has 4",
        "read 3 = taken 2 + decided before 0 + without label 0 + not used 1",
    ]
    assert cli("detect", db, "-q").code == 0
    with kept_open(db):
        assert "decided on" in cli("explain", db, "a.com", "b.net").out
        assert "two shops" in cli("explain", db, "b.net", "a.com").out
        assert "c.org is never to be dropped" in cli("explain", db, "c.org", "a.com").out


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_decisions_come_through_a_pipe(cli, db, monkeypatch, pack):
    data = pack(DECISIONS.encode())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert "taken 2" in cli("label", db, "-").err
    assert "standard input" in cli("label", db, "--list").out


def test_what_comes_through_a_pipe_and_is_no_table_of_decisions_is_said_so(cli, db, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n")))
    answer = cli("label", db, "-")
    assert answer.code and "replicadb: standard input: no column host_a" in answer.err


def test_of_many_bad_rows_the_others_are_counted(cli, write, db):
    rows = "\n".join(f"a.com,b.net,no idea {n}" for n in range(6))
    answer = cli("label", db, write("d.csv", f"host_a,host_b,label\na.com,b.net,no\n{rows}"))
    assert answer.err.splitlines()[5].startswith("and 1 more row; all of them: replicadb sql")


@pytest.mark.slow
def test_pins_list_export_and_removal(cli, db, tmp_path):
    assert (
        cli("label", db, "--never", "http://A.com/", "--keep", "c.org", "--note", "ours").code == 0
    )
    shown = cli("label", db, "--list")
    assert [line.split()[:3] for line in shown.out.splitlines()[2:]] == [
        ["a.com", "never", "ours"],
        ["c.org", "keep", "ours"],
    ]
    answer = cli("label", db, "--export", tmp_path / "all.csv")
    assert answer.err == f"2 decisions to {tmp_path / 'all.csv'}\n"
    again = cli("label", db, tmp_path / "all.csv")
    assert "taken 0 + decided before 2" in again.err
    assert cli("label", db, "--export", tmp_path / "all.json").code == 0
    assert "taken 0 + decided before 2" in cli("label", db, tmp_path / "all.json").err
    assert cli("label", db, "--remove", "A.com", "--remove", "c.org").code == 0
    assert len(cli("label", db, "--list").out.splitlines()) == 2


def test_a_pair_and_the_hosts_of_a_file_are_decided_without_a_table(cli, write, db):
    write("mine.txt", "# ours\nC.ORG\nnever-met.example\n")
    pair = ("--no-replica", "http://B.net/,a.com", "--note", "two shops")
    done = cli("label", db, *pair, "--keep", "@mine.txt")
    assert done.code == 0 and done.err.splitlines()[:3] == [
        "http://B.net/ and a.com no replicas: decided",
        "keep 2 hosts: decided",
        "note: 1 of the hosts is not loaded, as never-met.example (the nearest name here: b.net);"
        " what was decided of it waits until it is",
    ]
    rows = cli("label", db, "--list").out.splitlines()[2:]
    assert [row.split("  ")[0] for row in rows] == ["a.com", "c.org", "never-met.example"]
    assert "no replica" in rows[0] and "two shops" in rows[0]
    against = cli("label", db, "--replica", "a.com,b.net")
    assert against.code == 1 and "earlier" in against.err
    assert cli("label", db, "--replica", "a.com,b.net", "--replace").code == 0
    assert "no replica" not in cli("label", db, "--list").out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "nothing to do; give a FILE"),
        (["--note", "why", "--list"], 2, "--note goes with --replica, --no-replica, --keep or"),
        (["--replica", "a.com"], 2, "give two hosts, as in --replica a.example,b.example"),
        (["--no-replica", "a.com,b.net,c.org"], 2, "give two hosts"),
        (
            ["--no-replica", "a.com,b.nett"],
            1,
            "no host b.nett here; the nearest names: b.net, a.com, c.org; a pair in a file waits",
        ),
        (["--keep", ""], 2, "--keep is an empty name"),
        (["--keep", "-"], 2, "--keep - is no host; @/dev/stdin reads hosts from standard input"),
        (["--never", "a b"], 2, "a b: is no host"),
        (["--keep", "a;b"], 2, "a;b: is no host"),
        (["--keep", "*.com"], 2, "*.com: is no host"),
        (["--keep", "http:///x"], 2, "http:///x: is no host"),
        (["--keep", "c.org", "--never", "C.org"], 2, "is to be kept and never to be flagged"),
        (["--remove", "a.com,b.net"], 1, "nothing was decided of a.com and b.net"),
        (["gone.csv"], 1, "gone.csv: no such file"),
        (["--export", "all.doc"], 2, "picks no format"),
        (["--export", "all.sqlite"], 2, "label reads no SQLite; use .csv"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(cli, db, arguments, code, said):
    answer = cli("label", db, *arguments)
    assert answer.code == code and said in answer.err and len(answer.err.splitlines()) == 1


def test_a_file_without_a_usable_row_is_an_error_and_no_database_is_made(cli, write, db, tmp_path):
    answer = cli("label", db, write("d.csv", "host_a,host_b,label\na.com,b.net,perhaps\n"))
    assert answer.code == 1 and answer.err.splitlines()[-1].endswith("no row of it could be used")
    assert cli("label", tmp_path / "new.duckdb", "--list").code == 1
    assert not (tmp_path / "new.duckdb").exists()


def test_the_hosts_of_a_file_are_pinned_in_one_go_and_told_in_a_line(cli, write, db):
    write("mine.txt", "".join(f"h{n}.example\n" for n in range(1_000)))
    done = cli("label", db, "--never", "@mine.txt", "--keep", "c.org")
    first, note, *_ = done.err.splitlines()
    assert done.code == 0 and first == "keep c.org, never 1,000 hosts: decided"
    assert note.startswith("note: 1,000 of the hosts are not loaded") and "wait" in note
    again = cli("label", db, "--never", "@mine.txt", "--never", "a.com")
    assert again.err.startswith("never 1,001 hosts: decided, 1,000 of them before\n")
    against = cli("label", db, "--keep", "@mine.txt")
    assert against.code == 1 and len(against.err.splitlines()) == 1
    assert "1,000 of 1,000 cannot be decided so, and nothing was: h0.example, " in against.err


def test_the_hosts_of_a_table_are_pinned_without_its_header(cli, write, db):
    """What else may stand between cells is tried in test_copies_command.py."""
    write("mine.csv", "host;note\na.com;mine\n")
    assert cli("label", db, "--keep", "@mine.csv").err.startswith("keep a.com: decided\n")
    rows = cli("label", db, "--list").out.splitlines()[2:]
    assert len(rows) == 1 and rows[0].startswith("a.com ")


def test_of_a_list_with_what_is_no_host_nothing_is_pinned(cli, write, db):
    write("mine.csv", "host;note\na.com;mine\n*.net;x\n")
    refused = cli("label", db, "--keep", "@mine.csv")
    assert refused.code == 2 and refused.err == "replicadb: *.net: is no host\n"
    assert len(cli("label", db, "--list").out.splitlines()) == 2


def test_pins_of_a_file_are_taken_back_by_it(cli, write, db):
    mine = write("mine.csv", "host,why\nA.com,x\nhttps://b.net/,y\nlater.org,z\n")
    assert cli("label", db, "--keep", f"@{mine}", "--keep", "c.org").code == 0
    assert cli("label", db, "--remove", "b.net").code == 0
    said = cli("label", db, "--remove", f"@{mine}").err
    assert f"taken back: 2 pins of @{mine}; not pinned: https://b.net/" in said
    left = cli("label", db, "--list").out
    assert "c.org" in left and "a.com" not in left and "later.org" not in left
    again = cli("label", db, "--remove", f"@{mine}")
    assert again.code == 1 and "no host of it is pinned" in again.err
