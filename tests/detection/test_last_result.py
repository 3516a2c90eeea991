"""A detection that is stopped, wherever it is, loses nothing of the last one that has finished:
all that is stored and exported is as before, of one run, and the next detection works.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import replicadb
from benchmarks.reliability.material import tables
from replicadb.constant_tables import changed_constants
from replicadb.detection import incremental, pipeline
from replicadb.settings import CONSTANTS
from replicadb.stage_constants import KIND_NUMBERS
from replicadb.store.database import Database

from .changes import hosts_of, rows_of, write
from .crawls import state
from .drawn_crawl import draw_rows

OTHER = {"path_max_hosts": 4, "method": "paper"}
"""Settings with which every stage runs again and finds something else."""
KILLED = """
import json, os, signal, sys
import replicadb
from replicadb.detection import incremental
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


MOMENTS = [(at, before) for at in range(len(pipeline.STAGES) + 1) for before in (True, False)][:-1]
"""Every commit of a detection, but that after the last it has finished."""


@pytest.mark.parametrize("kind", ["begun", "grown"])
def test_killed_at_any_commit_the_database_answers_as_before_and_the_next_detection_works(
    request, tmp_path, monkeypatch, kind
):
    path, before, wanted = request.getfixturevalue(kind)
    settings = OTHER if kind == "begun" else {}
    monkeypatch.setattr(incremental, "WORTH", 1)
    for copy in killed(path, tmp_path, settings, MOMENTS):
        assert answers(copy) == before, copy.name
        with replicadb.open(copy, threads=1) as web:
            counts = web.detect(**settings).counts
            assert state(web) == wanted, copy.name
            assert ("changed_hosts" in counts) == (kind == "grown")
