"""A detection that is stopped, wherever it is, loses nothing of the last one that has finished:
all that is stored and exported is as before, of one run, and the next detection works.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

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

from .changes import hosts_of, rows_of, write
from .crawls import state
from .drawn_crawl import draw_rows

OTHER = {"path_max_hosts": 4, "method": "paper"}
"""Settings with which every stage runs again and finds something else."""
KILLED = """
import json, os, signal, sys
import replicadb
from replicadb.detection import incremental
from replicadb.store import put_aside
from replicadb.store.database import Database
incremental.WORTH = 1
usual, commits = Database.execute, []
def execute(self, sql, *more):
    commits.extend([sql] * (sql == "COMMIT"))
    if sql == "COMMIT" and len(commits) > at and before:
        os.kill(os.getpid(), signal.SIGKILL)
    done = usual(self, sql, *more)
    if sql == "COMMIT" and len(commits) > at:
        os.kill(os.getpid(), signal.SIGKILL)
    return done
for path, settings, at, before in json.loads(sys.argv[1]):
    if one := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(one, 0)[1]), flush=True)
        continue
    with replicadb.open(path, threads=1) as web:
        Database.execute = execute
        web.detect(**settings)
    os._exit(0)
"""
"""Detects in a process for each database, killed before or after that commit; prints how it ended.
"""


def answers(path: Path) -> dict:
    """What somebody who only reads is told: exports byte for byte, why of a pair, runs; and all
    that is stored, with what stands in the file.
    """
    out, found = path.parent / "out", {}
    with replicadb.open(path, read_only=True, threads=1) as web:
        for what in ("hosts", "pairs", "groups"):
            web.export(out, what, unflagged=what == "pairs", format="csv")
            found[what] = out.read_bytes()
        first = web.database.rows("SELECT host_a, host_b FROM replicas ORDER BY rank LIMIT 1")[0]
        found["why"] = json.dumps(web.explain(*first), default=str)
        found["runs"] = web.runs().to_dicts()
        found["in order"] = web.database.rows("SELECT rowid, * FROM ranking ORDER BY rowid")
        found["macros"] = web.database.rows(
            "SELECT function_name, macro_definition FROM duckdb_functions() WHERE NOT internal"
            " AND schema_name = 'internal' ORDER BY ALL"
        )
    return found | {"tables": tables(path)}


@pytest.fixture(scope="module")
def begun(small_detected, tmp_path_factory) -> tuple[Path, dict, dict]:
    """A database that was detected with other numbers of kinds than usual; what it answers; and
    what it holds after a detection by OTHER.
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
    before = answers(path)
    with replicadb.open(shutil.copy(path, folder / "other.duckdb"), threads=1) as web:
        assert len(web.detect(**OTHER).stages_run) == len(pipeline.STAGES)
        return path, before, state(web)


@pytest.fixture(scope="module")
def grown(tmp_path_factory) -> tuple[Path, dict, dict]:
    """As ``begun``, of a crawl of which some hosts have another page since it was detected, so that
    the pairs of the others are kept.
    """
    folder = tmp_path_factory.mktemp("grown")
    write(folder / "crawl.parquet", draw_rows(11, n_hosts=40))
    path = folder / "web.duckdb"
    with replicadb.open(path, threads=1) as web:
        web.load(folder / "crawl.parquet", all_types=True)
        web.detect()
    rows = rows_of(folder, hosts_of(folder)[0], 3)
    changed = [row | {"fingerprint": "cd" * 20, "timestamp": "20240101000000"} for row in rows]
    with replicadb.open(path, threads=1) as web:
        web.load(write(folder / "later.parquet", changed), all_types=True)
    before = answers(path)
    with (
        pytest.MonkeyPatch.context() as patch,
        replicadb.open(shutil.copy(path, folder / "other.duckdb"), threads=1) as web,
    ):
        patch.setattr(incremental, "WORTH", 1)
        counts = web.detect().counts
        assert 0 < counts["changed_hosts"] < 40
        return path, before, state(web)


def killed(path: Path, folder: Path, settings: dict, moments: list[tuple[int, bool]]) -> list[Path]:
    """Copies of a database in which a detection was killed, before or after a commit of these."""
    copies = [Path(shutil.copy(path, folder / f"{at}{when}.duckdb")) for at, when in moments]
    given = [(str(copy), settings, *moment) for copy, moment in zip(copies, moments, strict=True)]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, json.dumps(given)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert done.stdout.split() == ["-9"] * len(moments), done.stdout + done.stderr
    return copies


LAST = len(pipeline.STAGES)
"""The commit with which a detection has finished; those before it are one of each stage. At every
operation on the disk a detection is killed by the campaign ``crash`` of benchmarks/reliability.
"""


@pytest.mark.filterwarnings("ignore::replicadb.result_api.StaleWarning")
@pytest.mark.parametrize(
    ("kind", "moments"),
    rest_slow(
        [
            ("begun", [(0, False), (LAST, True)]),
            ("grown", [(1, False)]),
        ]
    ),
    ids=["first and last", "pairs kept"],
)
def test_killed_at_a_commit_the_database_answers_as_before_and_the_next_detection_works(
    request, tmp_path, monkeypatch, kind, moments
):
    path, before, wanted = request.getfixturevalue(kind)
    settings = OTHER if kind == "begun" else {}
    monkeypatch.setattr(incremental, "WORTH", 1)
    for copy in killed(path, tmp_path, settings, moments):
        assert answers(copy) == before, copy.name
    with replicadb.open(copy, threads=1) as web:
        counts = web.detect(**settings).counts
        assert state(web) == wanted
        assert ("changed_hosts" in counts) == (kind == "grown")


class Stopped(BaseException):
    pass


def fails(*_):
    raise Stopped


@pytest.fixture
def web(begun, tmp_path):
    with replicadb.open(shutil.copy(begun[0], tmp_path / "web.duckdb"), threads=1) as web:
        yield web


def test_after_an_error_at_any_boundary_of_stages_the_open_database_answers_as_before(
    begun, web, monkeypatch
):
    """Once a stage is done, within it, and in the last commit; before that, in what is counted for
    people: below.
    """
    _, before, wanted = begun
    whole = state(web)
    assert whole != wanted

    for at, stage in enumerate(pipeline.STAGES):
        if stage.name not in ("10_dup_clusters", "20_pair_features", "70_replica_groups"):
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
    assert answers(path) == before


def test_what_could_not_be_put_back_at_once_is_when_the_database_is_opened_next(
    begun, web, monkeypatch
):
    """As on a full disk. What asks the open database is told so; a detection puts it back first."""
    path, whole = Path(web.database.path), state(web)

    def full(*_):
        raise duckdb.IOException("No space left on device")

    for module, name in ((pipeline, "notes_of"), (put_aside, "_put_back_rows")):
        monkeypatch.setattr(module, name, full)
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
    assert answers(path) == begun[1]


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
    assert len(seen) >= 2 * len(pipeline.STAGES) - 1 and state(web) == begun[2]


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
    assert state(web) == begun[2]
    assert web.database.rows("FROM internal.pattern_scores_before") == [("mine",)]


def test_who_waits_for_the_first_detection_goes_on_where_it_was_stopped(web, monkeypatch):
    """Nothing was found before, so the stages that are done are kept."""
    web.database.execute("DELETE FROM stages")
    with monkeypatch.context() as patch, pytest.raises(Stopped):
        patch.setattr(pipeline, "notes_of", fails)
        web.detect(**OTHER)
    assert web.detect(**OTHER).stages_run == []
