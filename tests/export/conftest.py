"""What the tests of lists share: a detection that is its first and last stage alone, and a database
of hosts to drop.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import replicadb
from replicadb.detection import pipeline
from tests.export.hosts_to_drop import DROPPED, HOSTS, url


@pytest.fixture(scope="session")
def leave_out_stages() -> Callable[[pytest.MonkeyPatch], None]:
    """``detect`` runs its first and last stage and notes nothing: for a test that makes the members
    of groups itself, so that nothing hangs on what the others would find.
    """

    def patched(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(pipeline, "STAGES", (pipeline.STAGES[0], pipeline.STAGES[-1]))
        patch.setattr(pipeline, "notes_of", lambda *_: [])

    return patched


@pytest.fixture
def stages_left_out(monkeypatch, leave_out_stages) -> None:
    """The same for one test."""
    leave_out_stages(monkeypatch)


@pytest.fixture(scope="session")
def dropped(tmp_path_factory) -> Path:
    """A database of DROPPED and STAYING, whatever a detection would say of them; copy it before
    you change it.
    """
    folder = tmp_path_factory.mktemp("dropped")
    rows = [
        f'"{url(host, f"/{page}")}",{page},{n}-{page},{100 * page}\n'
        for n, host in enumerate(HOSTS)
        for page in (1, 2)
    ]
    rows += [f'"{url(host, "/own")}",own {n},,\n' for n, host in enumerate(DROPPED)]
    (folder / "crawl.csv").write_text("url,digest,mine,length\n" + "".join(rows))
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(folder / "crawl.csv", columns={"id": "mine"})
        web.detect()
        members = pl.DataFrame(
            [
                {"group_id": 1 + (keep != "www.kept.com"), "host": host, "keep": keep, "rank": n}
                for n, (host, keep) in enumerate(
                    [*DROPPED.items(), *((k, k) for k in set(DROPPED.values()))], 1
                )
            ]
        ).to_arrow()
        with web.database.transaction(), web.database.registered("made", members):
            web.database.execute("DELETE FROM members")
            web.database.execute(
                """INSERT INTO members BY NAME
                SELECT group_id, h.host_id, k.host_id AS canonical_id, rank, 0.9 AS score,
                    1 - rank / 1e5 AS probability
                FROM made JOIN hosts AS h USING (host) JOIN hosts AS k ON k.host = made.keep"""
            )
    return folder / "web.duckdb"
