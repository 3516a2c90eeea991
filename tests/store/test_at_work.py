"""Loads, unloads and detections of one process: one at a time in a file."""

from __future__ import annotations

import pytest

import replicadb
from replicadb.errors import UsageError
from replicadb.store import at_work

CRAWL = "url,digest\n" + "".join(f"http://h{n % 4}.com/{n},{n // 2}\n" for n in range(40))


@pytest.fixture
def path(tmp_path):
    (tmp_path / "crawl.csv").write_text(CRAWL)
    with replicadb.open(tmp_path / "web.duckdb", threads=1) as web:
        web.load(tmp_path / "crawl.csv", label="one")
    return tmp_path / "web.duckdb"


def refused(action, text):
    with pytest.raises(UsageError, match=f"{text} of this process is under way; wait for its end"):
        action()


def test_while_one_detects_nobody_loads_or_unloads(path):
    """Else later stages would have other URLs than earlier ones."""
    crawl, stages = path.with_name("crawl.csv"), []
    with replicadb.open(path, threads=1) as web, replicadb.open(path, threads=1) as other:

        def report(stage, found):
            stages.append(stage)
            refused(lambda: other.load(crawl, force=True), "a detection")
            refused(lambda: other.unload("one"), "a detection")
            assert other.load(crawl, dry_run=True).dry_run

        web.detect(report=report)
        assert stages and web.info()["up_to_date"]
        assert other.unload("one") == 1


def test_while_one_loads_nobody_detects_loads_or_unloads(path):
    with replicadb.open(path, threads=1) as web, replicadb.open(path, threads=1) as other:
        seen = []

        def progress(*_):
            seen.append(other)
            refused(other.detect, "a load")
            refused(lambda: other.load(path.with_name("crawl.csv"), force=True), "a load")
            refused(lambda: other.unload("one"), "a load")

        web.load(path.with_name("crawl.csv"), label="two", force=True, progress=progress)
        assert seen
        other.detect()


def test_another_file_is_nobodys_business(path, tmp_path):
    with replicadb.open(path) as web, replicadb.open(tmp_path / "other.duckdb") as other:
        with at_work.alone(web.database, "a load"):
            assert at_work.somebody(web.database) and not at_work.somebody(other.database)
            other.load(tmp_path / "crawl.csv")
        assert not at_work.somebody(web.database)


def test_what_fails_lets_others_in(path):
    with replicadb.open(path, threads=1) as web:
        with pytest.raises(replicadb.DataError, match="no load called"):
            web.unload("none")
        with pytest.raises(replicadb.DataError):
            web.load(path.with_name("missing.csv"))
        web.detect()
