"""Dropped hosts due for another look: by age, those that would lose most first, with the URLs that
tell most.

Tries recheck_command, too.
"""

from __future__ import annotations

import csv
import io
import shutil
from datetime import UTC, date, datetime, timedelta

import pytest

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.export.tool_lists import COMPARED
from replicadb.store.statements import statements

HOSTS = {"keep.example": "0201", "old.example": "0101", "new.example": "0301", "none.example": ""}


@pytest.fixture(scope="module")
def dropped(tmp_path_factory, leave_out_stages):
    """Copies of keep.example, captured at different times or at none; whatever detection says."""
    folder = tmp_path_factory.mktemp("recheck")
    rows = [
        f"http://{host}/{page},d{page},{f'2026{day}000000' if day else ''}\n"
        for host, day in HOSTS.items()
        for page in ("", "a", "b", "long-path")
    ]
    rows += [
        "http://old.example/own,own,20260101000000\n",
        "http://other.example/b,db,20260101000000\n",
    ]
    (folder / "crawl.csv").write_text("url,digest,timestamp\n" + "".join(rows))
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / "crawl.csv")
        with pytest.MonkeyPatch.context() as patch:
            leave_out_stages(patch)
            web.detect()
        web.database.execute("DELETE FROM members")
        web.database.execute(
            """INSERT INTO members BY NAME
            SELECT 1 AS group_id, h.host_id, k.host_id AS canonical_id, h.host_id AS rank,
                0.9 AS score, 0.99 AS probability,
                if(h.host_id <> k.host_id, n_urls, NULL) AS pages,
                if(h.host = 'new.example', 2, 4) AS elsewhere
            FROM hosts AS h JOIN host_stats USING (host_id)
            JOIN hosts AS k ON k.host = 'keep.example'
            WHERE h.host <> 'other.example'"""
        )
    return folder / "web.duckdb"


@pytest.fixture(scope="module")
def web(dropped):
    with replicadb.open(dropped, read_only=True) as opened:
        yield opened


def due(frame):
    return dict.fromkeys(frame["host"].to_list())


@pytest.mark.slow
def test_old_and_undated_hosts_are_due_those_that_would_lose_most_first(web):
    assert list(due(web.recheck(at="2026-03-20"))) == ["old.example", "none.example"]
    assert list(due(web.recheck(at="2026-03-11", days=10))) == [
        "new.example",
        "old.example",
        "none.example",
    ]
    assert list(due(web.recheck(at="2026-01-02"))) == ["none.example"]
    frame = web.recheck(at=datetime(2026, 3, 20, tzinfo=UTC) - timedelta(days=1), days=77)
    assert set(frame["days"]) == {77, None}


def test_a_day_is_one_of_24_hours(dropped, tmp_path):
    with replicadb.open(shutil.copy(dropped, tmp_path / "noon.duckdb")) as noon:
        noon.database.execute("UPDATE urls SET fetched_at = fetched_at + INTERVAL 12 HOURS")
        for at, days in (("2026-02-01T11:59:59", 30), ("2026-02-01T13:00:00+01:00", 31)):
            rows = noon.recheck(days=30, at=at).to_dicts()
            assert {row["days"] for row in rows if row["host"] == "old.example"} == {days}
            assert ("old.example" in due(noon.recheck(days=31, at=at))) == (days == 31)


@pytest.mark.slow
def test_the_home_page_comes_first_then_pages_that_few_hosts_have(web):
    frame = web.recheck(at="2026-03-20", pages=9)
    rows = frame.filter(host="old.example").select("url", "compare_with").rows()
    assert [(url[18:], (copy or "")[19:]) for url, copy in rows] == [
        ("/", "/"),
        ("/a", "/a"),
        ("/long-path", "/long-path"),
        ("/b", "/b"),
        ("/own", ""),
    ]
    assert web.recheck(at="2026-03-20", pages=0)["url"].to_list() == [None, None]
    assert web.recheck(at="2026-03-20")["url"].len() == 6


@pytest.mark.slow
def test_the_command_writes_the_rows_and_says_how_many(cli, dropped):
    answer = cli("recheck", dropped, "--at", "2026-03-20", "--pages", "1")
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    assert [row["url"] for row in rows] == ["http://old.example/", "http://none.example/"]
    assert answer.err == "2 of 3 dropped hosts are due, in 1 group; 2 URLs to fetch first\n"
    assert cli("recheck", dropped, "due.parquet", "--quiet").err == ""


def test_of_a_host_that_has_files_alone_its_files_are_fetched(tmp_path, stages_left_out):
    """It was due at any time, without a date and without a URL."""
    rows = [
        f"http://{host}/{place}{n}.png,image/png,{digest}{n},2026020{n}000000\n"
        for host, place, digest in (("keep.example", "a/", "d"), ("img.example", "", "d"))
        for n in range(1, 5)
    ]
    rows += ["http://keep.example/,text/html,home,20260101000000\n"]
    rows += ["http://img.example/own.png,image/png,own,20260201000000\n"]
    (tmp_path / "crawl.csv").write_text("url,mime,digest,timestamp\n" + "".join(rows))
    with replicadb.open(":memory:", threads=1) as web:
        web.load(tmp_path / "crawl.csv")
        web.detect()
        web.database.execute("DELETE FROM members")
        web.database.execute(
            """INSERT INTO members BY NAME
            SELECT 1 AS group_id, h.host_id, k.host_id AS canonical_id, h.host_id AS rank,
                0.9 AS score, 0.99 AS probability, 0 AS pages, 0 AS elsewhere
            FROM hosts AS h JOIN hosts AS k ON k.host = 'keep.example'"""
        )
        assert not len(web.recheck(at="2026-02-10", days=7))
        frame = web.recheck(at="2026-02-11", days=7, pages=9)
        assert set(frame["last_seen"]) == {datetime(2026, 2, 4)} and set(frame["days"]) == {7}
        found = frame.select("url", "compare_with").rows()
    assert sorted(found[:4]) == [
        (f"http://img.example/{n}.png", f"http://keep.example/a/{n}.png") for n in range(1, 5)
    ]
    assert found[4:] == [("http://img.example/own.png", None)]


def test_what_cannot_be_meant_is_refused(cli, web, dropped, crawled):
    with pytest.raises(UsageError, match="'soon' is no time; give it as 2026-01-31"):
        web.recheck(at="soon")
    with pytest.raises(UsageError, match="5 is no time"):
        web.recheck(at=5)
    with pytest.raises(UsageError, match="is no time"):
        web.recheck(at="9999-12-31T23:59:59-23:00")
    assert web.recheck(at=date(2026, 3, 20)).equals(web.recheck(at="2026-03-20"))
    with pytest.raises(UsageError, match="days is -1"):
        web.recheck(days=-1)
    with pytest.raises(UsageError, match=r"pages is 1\.5; give a whole number of 0 or more"):
        web.recheck(pages=1.5)
    assert cli("recheck", dropped, "due.txt").code == 2
    with replicadb.open(crawled, read_only=True) as early, pytest.raises(DataError, match="find"):
        early.recheck()


def test_pages_are_compared_in_steps():
    """One statement for all of it had every grouping in memory at once, and ended without memory
    on a large crawl, whatever the limit.
    """
    sql = statements("export/30_list_tables")
    assert list(sql)[: len(COMPARED)] == list(COMPARED)
    for name in COMPARED:
        assert sql[name].count("GROUP BY") <= 1
        assert ("page_urls" in sql[name]) == (name == "held_pages")
