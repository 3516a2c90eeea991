"""What older files had; upgrades by several at once, and upgrades that are cut off."""

from __future__ import annotations

import hashlib
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import duckdb
import pytest

import replicadb
from benchmarks.reliability.material import tables
from replicadb.errors import LockedError, ReplicaDBError
from replicadb.store import older_schemas, schema
from replicadb.store.connecting import connect

RESULTS = 31, "9804183c6a44042d"
"""SAME_RESULTS, and a digest of the columns of what detection makes, as they are now."""
CUT_OFF = """
import os, signal, sys
from replicadb.store.database import Database
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
for path, at, number in zip(*[iter(sys.argv[1:])] * 3):
    if one := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(one, 0)[1]), flush=True)
        continue
    if at == "closing":
        Database.close = lambda self: os._exit(1)
    else:
        execute = Database.execute
        def cut_off(self, statement, *more):
            done = execute(self, statement, *more)
            if statement.startswith(at):
                os.kill(os.getpid(), int(number))
            return done
        Database.execute = cut_off
    Database(path).close()
    os._exit(0)
"""
"""For each three words, in a process of its own: opens a file, and ends after a statement, or after
the commit and before the log is in the file. Prints how each ended.
"""


def test_everything_in_a_file_has_the_version_that_it_came_with():
    made = {
        name: where
        for kind in ("TABLE", "VIEW", "MACRO")
        for name, (where, _) in schema._made(kind, *schema.EVERYTHING).items()
    }
    assert set(older_schemas.SINCE) - set(made) == {"partners"}
    assert max(older_schemas.SINCE[name] for name in made) <= schema.SCHEMA_VERSION
    assert older_schemas.stood("named_runs", "history", 13) is None
    assert older_schemas.stood("named_runs", "history", 14) == "main"
    assert older_schemas.stood("urls", "internal", 9) == "main"
    assert older_schemas.stood("urls", "internal", 10) == "internal"


@pytest.fixture(scope="module")
def oldest(laid_out, of_oldest):
    """The tables of a file that had everything in ``main``, and those once it is upgraded."""
    return tables(laid_out(9)), tables(of_oldest)


def upgraded(path: Path) -> None:
    with pytest.warns(UserWarning, match="detect again"):
        replicadb.open(path).close()


OURS = "Method robust: candidates that may be replicas"
"""The comment of the older table partners."""


def test_what_an_upgrade_by_an_older_version_forgot_in_main_is_moved(detected, laid_out, tmp_path):
    path, expected = tmp_path / "older.duckdb", tables(detected)
    shutil.copy(laid_out(20), path)
    forgotten = ("links", "outlinks", "page_contents", "superseded", "urls")
    with duckdb.connect(str(path)) as con:
        for name in forgotten:
            con.execute(f"CREATE TABLE main.{name} AS FROM internal.{name}")
            con.execute(f"DROP TABLE internal.{name}")
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE main.partners AS SELECT 1 AS a_id, 2 AS b_id")
        con.execute(f"COMMENT ON TABLE main.partners IS '{OURS}'")
    upgraded(path)
    found = tables(path)
    assert set(found) == set(expected)
    assert all(found[f"internal.{name}"] == expected[f"internal.{name}"] for name in forgotten)


@pytest.mark.parametrize(
    ("version", "comment", "gone"),
    [
        (9, None, True),
        (15, None, False),
        (16, OURS, False),
        (17, OURS, True),
        (17, "mine", False),
        (21, None, False),
    ],
)
def test_the_older_table_partners_goes_and_somebody_s_stays(web, version, comment, gone):
    """Schemas 7 to 9 had it in main, 10 to 16 elsewhere; upgrades by 17 to 21 forgot that in main.
    A further one stands in the file of the test above, where what an upgrade drops is gone.
    """
    web.database.execute("CREATE TABLE main.partners AS SELECT 1 AS a_id, 2 AS b_id")
    if comment:
        web.database.execute(f"COMMENT ON TABLE main.partners IS '{comment}'")
    assert ("main.partners" in schema._dropped(web.database, version, moved=())) == gone


def test_threads_that_open_an_older_file_at_once_upgrade_it_once(older, oldest):
    answers = []

    def opened():
        try:
            replicadb.open(older).close()
        except Exception as error:
            answers.append(error)

    threads = [threading.Thread(target=opened) for _ in range(4)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not answers and len(caught) == 1
    assert tables(older) == oldest[1]


def test_of_processes_that_upgrade_a_file_at_once_one_does_and_others_say_who(older, oldest):
    words = [sys.executable, "-m", "replicadb", "sql", older, "VALUES (1)", "--write"]
    both = [
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    ends = [(one.communicate(), one.returncode, one.pid) for one in both]
    upgrades = [pid for (_, err), code, pid in ends if code == 0 and "detect again" in err]
    assert len(upgrades) == 1
    for (out, err), code, pid in ends:
        if pid not in upgrades:
            late = (code, out.split()) == (0, ["col0", "1"]) and not err
            line = f"replicadb: {older}: in use by another process (process {upgrades[0]}); wait"
            assert late or (code == 4 and err.startswith(line) and err.count("\n") == 1)
    assert tables(older) == oldest[1]


@pytest.mark.parametrize("read_only", [False, True])
def test_nobody_opens_a_file_that_another_process_upgrades(older, read_only):
    code = f"import duckdb; con = duckdb.connect({str(older)!r}); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"\n"
        with pytest.raises(LockedError, match=rf"\(process {other.pid}\)"):
            replicadb.open(older, read_only=read_only)
        other.communicate(b"\n")


CUTS = {
    "UPDATE meta": signal.SIGTERM,
    "COMMIT": signal.SIGKILL,
    "closing": signal.SIGKILL,
}
"""Where an upgrade is cut off, and by which signal: before its commit, and after it. At every
operation on the disk it is by the campaign ``crash`` of benchmarks/reliability.
"""


@pytest.fixture(scope="module")
def cut(laid_out, tmp_path_factory):
    """A file for each of CUTS, and how its process ended."""
    folder = tmp_path_factory.mktemp("cut")
    paths = [Path(shutil.copy(laid_out(9), folder / f"{n}.duckdb")) for n in range(len(CUTS))]
    words = [word for path, cut in zip(paths, CUTS.items(), strict=True) for word in (path, *cut)]
    words = [str(int(word)) if isinstance(word, signal.Signals) else word for word in words]
    done = subprocess.run([sys.executable, "-c", CUT_OFF, *words], capture_output=True, text=True)
    return dict(zip(CUTS, zip(paths, map(int, done.stdout.split()), strict=True), strict=True))


@pytest.mark.parametrize("at", CUTS)
def test_an_upgrade_that_is_cut_off_has_happened_or_has_not(cut, oldest, at):
    before, after = oldest
    path, ended = cut[at]
    assert ended == (1 if at == "closing" else -CUTS[at])
    happened = at in ("COMMIT", "closing")
    assert tables(path) == (after if happened else before)
    if happened:
        replicadb.open(path).close()
    else:
        upgraded(path)
    assert tables(path) == after


def test_a_file_without_the_right_to_write_is_told_with_what_to_do(older, monkeypatch):

    def refused(*_, **__):
        raise duckdb.IOException('IO Error: Cannot open file "older.duckdb": Permission denied')

    monkeypatch.setattr("replicadb.store.connecting.duckdb.connect", refused)
    with pytest.raises(ReplicaDBError, match="change its rights, or work on a copy"):
        connect(str(older), read_only=False)
    with pytest.raises(ReplicaDBError, match=r"Permission denied$"):
        connect(str(older), read_only=True)
    with pytest.raises(ReplicaDBError, match="the folder must be one to write to"):
        connect(str(older.with_name("new.duckdb")), read_only=False)


def test_where_the_tables_of_results_change_older_results_are_made_anew(tmp_path):
    """Failing? Raise SCHEMA_VERSION and SAME_RESULTS to one number, and put it into RESULTS."""
    with replicadb.open(tmp_path / "web.duckdb") as web:
        columns = web.database.rows(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE"
            " database_name = current_database() AND list_contains($made, table_name) ORDER BY ALL",
            {"made": schema.detected()},
        )
    assert len(columns) > 100
    digest = hashlib.sha256(repr(columns).encode()).hexdigest()[:16]
    assert (older_schemas.SAME_RESULTS, digest) == RESULTS
