"""Small webs to detect replicas in, and what a detection left."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import FORGET, rest_slow

import replicadb
from replicadb.detection import pipeline

NAMES = [stage.name for stage in pipeline.STAGES]
RESULTS = [table for stage in pipeline.STAGES for table in stage.tables]
METHODS = pytest.mark.parametrize("method", rest_slow(["robust", "paper"]))


def csv_of(rows, header: str = "url,ip,digest") -> str:
    return header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


def small_web() -> str:
    """Sites in pairs of copies (some obvious by name), others that share a few pages; with and
    without addresses.

    No home pages: the path / alone would make every pair of so few hosts share a path, and no
        obvious non-replicas.
    """
    draw = random.Random(5)
    rows = []
    for site in range(14):
        pages = [f"{site:02d}{page:02d}" for page in range(draw.randint(3, 12))]
        ip = f"10.0.{site % 4}.{site}" if site % 3 else ""
        hosts = {
            0: (f"site{site}.com", f"www.site{site}.com"),
            1: (f"site{site}.com", f"site{site}.org"),
            2: (f"site{site}.com", f"mirror{site}.net"),
        }.get(site % 4, (f"site{site}.com",))
        for host in hosts:
            kept = [page for page in pages if draw.random() < 0.85] or pages
            rows += [(f"http://{host}/p{page}", ip, page) for page in kept]
            rows += [
                (f"http://{host}/common{i}", ip, f"ff{i:02d}")
                for i in range(4)
                if draw.random() < 0.3
            ]
            rows.append((f"http://{host}/{host}", ip, f"aa{host.encode().hex()}"))
    return csv_of(rows)


def opened(folder: Path, crawl: str, database: str | None = None, **settings):
    """A new database of that crawl, detected when there are settings for it; one without a name is
    not put in order when it is closed.
    """
    (folder / "crawl.csv").write_text(crawl)
    web = replicadb.open(folder / (database or f"{len(list(folder.iterdir()))}.duckdb"), threads=1)
    web.load(folder / "crawl.csv")
    if database is None:
        web.database.con.execute(FORGET)
    if settings:
        web.detect(**settings)
    return web


def stopping_at(stage: str, error: type[BaseException], patch: pytest.MonkeyPatch) -> None:
    """The stage does its work and then stops, before its transaction ends."""

    def stopping(run):
        def work_and_stop(db, settings):
            run(db, settings)
            raise error

        return work_and_stop

    stages = (replace(s, run=stopping(s.run)) if s.name == stage else s for s in pipeline.STAGES)
    patch.setattr(pipeline, "STAGES", tuple(stages))


@contextlib.contextmanager
def pairs_alone(stages: int = 2, notes: bool = False) -> Iterator[None]:
    """Detections go until the candidate pairs have their features: half of the work. With
    ``notes``, which ask for results where no ``min_probability`` is given.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "STAGES", pipeline.STAGES[:stages])
        if not notes:
            patch.setattr(pipeline, "notes_of", lambda *_: [])
        yield


def only_pairs(web, stages: int = 2, **settings) -> dict:
    """Detect until the candidate pairs have their features. The counts."""
    with pairs_alone(stages):
        return web.detect(**settings).counts


def state(web) -> dict[str, list]:
    return {
        table: web.database.rows(f"FROM {table} ORDER BY ALL") for table in [*RESULTS, "settings"]
    }


def pairs(web, view: str = "candidate_pairs") -> set[tuple[str, str]]:
    return set(web.database.rows(f"SELECT host_a, host_b FROM {view}"))
