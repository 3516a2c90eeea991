"""A detection that is stopped, wherever it is, loses nothing of the last one that has finished:
all that is stored and exported is as before, of one run, and the next detection works.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest
from conftest import rest_slow

import replicadb
from benchmarks.reliability.material import tables
from replicadb.constant_tables import changed_constants
from replicadb.detection import incremental, pipeline
from replicadb.errors import DataError, UsageError
from replicadb.evaluation.scratch import Scratch
from replicadb.settings import CONSTANTS
from replicadb.stage_constants import KIND_NUMBERS
from replicadb.store import put_aside
from replicadb.store.database import Database

from .crawls import state

OTHER = {"path_max_hosts": 4, "method": "paper"}
"""Settings with which every stage runs again and finds something else."""
KILLED = """
import json, os, signal, sys
import replicadb
from replicadb.store.database import Database
usual = Database.execute
def execute(self, sql, *more):
    done = usual(self, sql, *more)
    if sql == "COMMIT":
        os.kill(os.getpid(), signal.SIGKILL)
    return done
with replicadb.open(sys.argv[1], threads=1) as web:
    Database.execute = execute
    web.detect(**json.loads(sys.argv[2]))
"""
"""Detects in a database with these settings, killed once its first commit is done."""


@contextlib.contextmanager
def copied_at(commit: int, before: bool, copy: Path) -> Iterator[None]:
    """While inside, the database as it stands in its file before or after that commit is copied:
    what a process leaves that is killed then.
    """
    usual, commits = Database.execute, []

    def keep(db) -> None:
        for end in ("", ".wal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(f"{db.path}{end}", f"{copy}{end}")

    def execute(self, sql, *more):
        commits.extend([sql] * (sql == "COMMIT"))
        at = sql == "COMMIT" and len(commits) == commit + 1
        if at and before:
            keep(self)
        done = usual(self, sql, *more)
        if at and not before:
            keep(self)
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "execute", execute)
        yield


def answers(path: Path) -> dict:
    """What somebody who only reads is given: exports byte for byte, and runs; and all that is
    stored, with the evidence of a pair.
    """
    out, found = path.parent / "out", {}
    with replicadb.open(path, read_only=True, threads=1) as web:
        for what in ("hosts", "pairs", "groups"):
            web.export(out, what, unflagged=what == "pairs", format="csv")
            found[what] = out.read_bytes()
        first = web.database.rows("SELECT host_a, host_b FROM replicas ORDER BY rank LIMIT 1")[0]
        found["why"] = web.database.rows("FROM evidence_of(?, ?)", first)
        found["runs"] = web.runs().to_dicts()
        found["in order"] = web.database.rows("SELECT rowid, * FROM ranking ORDER BY rowid")
        found["macros"] = web.database.rows(
            "SELECT function_name, macro_definition FROM duckdb_functions() WHERE NOT internal"
            " AND schema_name = 'internal' ORDER BY ALL"
        )
    return found | {"tables": tables(path)}


class Detected(NamedTuple):
    """A database that was detected, what it answers, the same stopped at a commit of the next
    detection, and what it holds after that.
    """

    path: Path
    before: dict
    stopped: Path
    wanted: dict


LAST = len(pipeline.STAGES)
"""The commit with which a detection has finished; those before it are one of each stage. At every
operation on the disk a detection is killed by the campaign ``crash`` of benchmarks/reliability.
"""


@pytest.fixture(scope="module")
def begun(small_detected, tmp_path_factory) -> Detected:
    """Detected with other numbers of kinds than usual, next by OTHER, and stopped before its last
    commit; copy it before you change it.
    """
    folder = tmp_path_factory.mktemp("begun")
    path = Path(shutil.copy(small_detected, folder / "web.duckdb"))
    with replicadb.open(path, threads=1) as web:
        numbers = {"thin_pages": 3.0, "thin_names": 0.2}
        with (
            changed_constants(KIND_NUMBERS, numbers),
            changed_constants(CONSTANTS, {"may_be": 0.4}),
        ):
            web.detect(keep="short", name="first")
    before, stopped = answers(path), folder / "stopped.duckdb"
    with (
        replicadb.open(shutil.copy(path, folder / "other.duckdb"), threads=1) as web,
        copied_at(LAST, True, stopped),
    ):
        assert len(web.detect(**OTHER).stages_run) == len(pipeline.STAGES)
        return Detected(path, before, stopped, state(web))


@pytest.fixture(scope="module")
def grown(small_detected, loaded, tmp_path_factory) -> Detected:
    """As ``begun``, of a crawl of which one host has another page since it was detected, so that
    the pairs of the others are kept; stopped after the commit of the first stage.
    """
    folder = tmp_path_factory.mktemp("grown")
    path = Path(shutil.copy(small_detected, folder / "web.duckdb"))
    page = (loaded / "crawl.csv").read_text().splitlines()[1].split(",")[0]
    (folder / "later.csv").write_text(f"url,digest,timestamp\n{page},cd,20240101000000\n")
    with replicadb.open(path, threads=1) as web:
        web.load(folder / "later.csv")
    before, stopped = answers(path), folder / "stopped.duckdb"
    with (
        pytest.MonkeyPatch.context() as patch,
        replicadb.open(shutil.copy(path, folder / "other.duckdb"), threads=1) as web,
        copied_at(1, False, stopped),
    ):
        patch.setattr(incremental, "WORTH", 1)
        counts = web.detect().counts
        assert 0 < counts["changed_hosts"] < counts["hosts"] / 2
        return Detected(path, before, stopped, state(web))


@pytest.mark.filterwarnings("ignore::replicadb.result_api.StaleWarning")
@pytest.mark.parametrize("kind", rest_slow(["begun", "grown"]), ids=["last commit", "pairs kept"])
def test_stopped_at_a_commit_the_database_answers_as_before_and_the_next_detection_works(
    request, tmp_path, monkeypatch, kind
):
    found = request.getfixturevalue(kind)
    path = tmp_path / "web.duckdb"
    for end in ("", ".wal"):
        with contextlib.suppress(FileNotFoundError):
            shutil.copy(f"{found.stopped}{end}", f"{path}{end}")
    monkeypatch.setattr(incremental, "WORTH", 1)
    assert answers(path) == found.before
    with replicadb.open(path, threads=1) as web:
        counts = web.detect(**OTHER if kind == "begun" else {}).counts
        assert state(web) == found.wanted
        assert ("changed_hosts" in counts) == (kind == "grown")


def test_killed_after_its_first_commit_the_database_answers_as_before(begun, tmp_path):
    path = Path(shutil.copy(begun.path, tmp_path))
    done = subprocess.run([sys.executable, "-c", KILLED, path, json.dumps(OTHER)], timeout=300)
    assert done.returncode == -signal.SIGKILL
    assert answers(path) == begun.before


class Stopped(BaseException):
    pass


def fails(*_):
    raise Stopped


@pytest.fixture
def web(begun, tmp_path):
    with replicadb.open(shutil.copy(begun.path, tmp_path / "web.duckdb"), threads=1) as web:
        yield web


def test_after_an_error_at_any_boundary_of_stages_the_open_database_answers_as_before(
    begun, web, monkeypatch
):
    """Once a stage is done, within it, and in the last commit; before that, in what is counted for
    people: below.
    """
    whole = state(web)
    assert whole != begun.wanted

    for at, stage in enumerate(pipeline.STAGES):
        if stage.name not in ("10_dup_clusters", "20_pair_features"):
            continue  # those between others
        with monkeypatch.context() as patch, pytest.raises(Stopped):
            stages = (*pipeline.STAGES[:at], replace(stage, run=fails), *pipeline.STAGES[at + 1 :])
            patch.setattr(pipeline, "STAGES", stages)
            web.detect(**OTHER)
        assert state(web) == whole, stage.name
    with monkeypatch.context() as patch, pytest.raises(Stopped):
        patch.setattr(pipeline.run_log, "record", fails)
        web.detect(**OTHER)
    assert state(web) == whole
    path = Path(web.database.path)
    web.close()
    assert answers(path) == begun.before


def test_what_could_not_be_put_back_at_once_is_when_the_database_is_opened_next(
    begun, web, monkeypatch
):
    """As on a full disk. What asks the open database is told so; a detection puts it back first."""
    path, whole = Path(web.database.path), state(web)

    def full(*_):
        raise duckdb.IOException("No space left on device")

    features = replace(pipeline.STAGES[1], run=full)
    monkeypatch.setattr(pipeline, "STAGES", (pipeline.STAGES[0], features, *pipeline.STAGES[2:]))
    monkeypatch.setattr(put_aside, "_put_back_rows", full)
    with pytest.raises(duckdb.IOException):
        web.detect(**OTHER)
    with pytest.raises(DataError, match="what was found before is back when the database is"):
        web.flagged_hosts()
    with pytest.raises(duckdb.IOException):
        web.detect(**OTHER)
    monkeypatch.undo()
    web.close()
    with replicadb.open(shutil.copy(path, path.with_name("again.duckdb")), threads=1) as again:
        assert state(again) == whole
    assert answers(path) == begun.before


def test_a_second_connection_of_the_process_disturbs_no_detection(begun, web):
    """Nor does one that is opened while results are aside take it for one that was stopped."""
    path, seen = web.database.path, []

    def report(stage, found):
        seen.append(stage)
        if len(seen) not in (1, 3, 2 * len(pipeline.STAGES) - 1):
            return
        with replicadb.open(path, threads=1) as other:
            assert other.database.value("SELECT count(*) FROM urls")
            with pytest.raises(UsageError, match="a detection of this process is under way"):
                other.detect()
            if len(seen) == 3:
                with Scratch(other.database) as scratch:
                    scratch.detect()

    web.detect(**OTHER, report=report)
    assert len(seen) >= 2 * len(pipeline.STAGES) - 1 and state(web) == begun.wanted


def stored(web) -> tuple:
    """What was found, and the number that goes with it."""
    return state(web), web.database.value("SELECT internal.may_be()")


MADE = """
    CREATE INDEX mine ON internal.ranking (a_id);
    CREATE TABLE main.pair_features (whose VARCHAR);
    CREATE TABLE internal.mine (name VARCHAR REFERENCES internal.settings (name));
    CREATE TABLE internal.pattern_scores_before AS SELECT 'mine' AS whose;
    CREATE VIEW main.my_view AS FROM internal.pattern_scores;
    CREATE OR REPLACE MACRO internal.may_be() AS '0.9'::DOUBLE;
    CREATE TABLE main.ranking (whose VARCHAR);
    CREATE TRIGGER mine AFTER INSERT ON internal.members FOR EACH STATEMENT
        INSERT INTO internal.pins DEFAULT VALUES"""
"""An index, a key, a name that is ours, a view, the macro of another version, a trigger: each of a
table of its own.
"""


@pytest.mark.filterwarnings("ignore:.*kept without its FOREIGN KEY")
def test_what_somebody_made_beside_results_stops_neither_a_detection_nor_its_undoing(
    begun, web, monkeypatch
):
    web.database.con.execute(MADE)
    whole = stored(web)
    assert whole[1] == 0.9
    with monkeypatch.context() as patch, pytest.raises(Stopped):
        patch.setattr(pipeline, "notes_of", fails)
        web.detect(**OTHER)
    assert stored(web) == whole
    web.detect(**OTHER)
    assert state(web) == begun.wanted
    assert web.database.rows("FROM internal.pattern_scores_before") == [("mine",)]


def test_who_waits_for_the_first_detection_goes_on_where_it_was_stopped(web, monkeypatch):
    """Nothing was found before, so the stages that are done are kept: here two."""
    monkeypatch.setattr(pipeline, "STAGES", pipeline.STAGES[:2])
    web.database.execute("DELETE FROM stages")
    with monkeypatch.context() as patch, pytest.raises(Stopped):
        patch.setattr(pipeline, "notes_of", fails)
        web.detect(**OTHER)
    assert web.detect(**OTHER).stages_run == []
