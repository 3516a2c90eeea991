"""A database used in ways that cannot be meant says so in errors of ours."""

from __future__ import annotations

import copy
import pickle
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.store.misused import BUSY

ARGUMENTS = {
    "check": ("x.csv",),
    "copies_of": ("example.com",),
    "decide": ("a.com", "b.com", True),
    "diff": ("one", "two"),
    "evaluate": ("gold.csv",),
    "explain": ("a.com", "b.com"),
    "export": ("x.csv",),
    "export_list": ("x.txt", "surt"),
    "forget_run": ("one",),
    "load": ("crawl.csv",),
    "reader": ("SELECT 1",),
    "sql": ("SELECT 1",),
    "unload": ("crawl",),
    "watch": ("example.com",),
}
PLAIN = (
    "aliases", "decisions", "detect", "drop_shares", "families", "flagged_hosts", "groups", "info",
    "learn_rewrites", "recheck", "replicas", "review", "rewriter", "runs", "model",
)  # fmt: skip


@pytest.fixture
def path(detected, tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crawl.csv").write_text("url,digest\nhttp://a.example/,sha1:aa\n")
    (tmp_path / "gold.csv").write_text("host_a,host_b,label\na.com,b.com,replica\n")
    return Path(shutil.copy(detected, tmp_path / "web.duckdb"))


def test_a_closed_database_says_so_whatever_is_asked(path):
    web = replicadb.open(path)
    web.close()
    web.close()
    for name in (*PLAIN, *ARGUMENTS):
        with pytest.raises(UsageError, match="this database is closed"):
            getattr(web, name)(*ARGUMENTS.get(name, ()))
    with pytest.raises(UsageError, match="is closed"), web:
        raise AssertionError
    assert "closed" in repr(web) and not Path("x.csv").exists()


def test_a_result_that_is_not_read_to_its_end(path):
    web = replicadb.open(path)
    many = "SELECT i FROM range(1000000) AS t(i)"
    rows = web.reader(many)
    rows.read_next_batch()
    for ask in (web.info, web.detect, lambda: web.load("crawl.csv")):
        with pytest.raises(UsageError, match="not read to its end"):
            ask()
    assert sum(map(len, rows)) < 1_000_000 and web.info()["loads"]
    rows = web.reader(many)
    rows.read_next_batch()
    del rows
    assert web.info()["loads"]
    rows = web.reader(many)
    rows.read_next_batch()
    web.close()
    with pytest.raises(UsageError, match="is closed"):  # not as if there were no more
        rows.read_all()


def test_a_transaction_of_somebody_s_own(path):
    with replicadb.open(path) as web:
        web.sql("BEGIN")
        with pytest.raises(UsageError, match="COMMIT or ROLLBACK"):
            web.load("crawl.csv")
        with pytest.raises(UsageError, match="COMMIT or ROLLBACK"):
            web.info()
        web.sql("ROLLBACK")
        assert web.load("crawl.csv") and web.info()["loads"]


def test_a_database_that_is_open_to_be_read_is_not_changed(path):
    Path("labels.csv").write_text("host_a,host_b,label\nexample.com,other.net,replica\n")
    with replicadb.open(path, read_only=True) as web:
        for change in (
            web.detect,
            web.learn_rewrites,
            lambda: web.load("crawl.csv"),
            lambda: web.unload("crawl"),
            lambda: web.label("labels.csv"),
            lambda: web.pin("example.com", "keep"),
        ):
            with pytest.raises(UsageError, match=r"opened with read_only, .* open it without"):
                change()
        with pytest.raises(DataError, match="attached in read-only mode"):
            web.sql("CREATE TABLE mine (n INTEGER)")
        assert web.info()["loads"]


@pytest.fixture
def often_switched() -> Iterator[None]:
    """Threads take turns a hundred times as often as they do by default."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(before / 100)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize(("rows", "times"), [(30_000, 8), (2_000_000, 2)])
def test_threads_that_share_a_connection_are_told_to_open_their_own(
    path, often_switched, rows, times
):
    refused: list[Exception] = []

    def ask(web: replicadb.ReplicaDB) -> None:
        for _ in range(times):
            try:
                web.sql(f"SELECT sum(hash(i)) FROM range({rows}) AS t(i)")
                web.info()
            except Exception as error:
                refused.append(error)

    with replicadb.open(path) as web:
        threads = [threading.Thread(target=ask, args=(web,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert web.info()["loads"]
    assert refused
    assert [error for error in refused if not isinstance(error, UsageError)] == []


def test_a_thread_that_comes_while_another_changes_the_database_is_refused(path):
    refused: list[Exception] = []

    def ask(web: replicadb.ReplicaDB) -> None:
        try:
            web.info()
        except UsageError as error:
            refused.append(error)

    with replicadb.open(path) as web:
        with web.database.transaction():
            other = threading.Thread(target=ask, args=(web,))
            other.start()
            other.join()
            assert web.info()["loads"]
        assert [str(error) for error in refused] == [f"{path}: {BUSY}"]
        ask(web)
    assert len(refused) == 1


def test_a_database_is_open_in_one_way_in_a_process(path):
    with (
        replicadb.open(path, read_only=True),
        pytest.raises(UsageError, match="open read-only; open it in the same way"),
    ):
        replicadb.open(path)
    with replicadb.open(path) as one, replicadb.open(path) as other:
        with pytest.raises(UsageError, match="has it open to write"):
            replicadb.open(path, read_only=True)
        one.sql("CREATE TABLE mine AS SELECT 1 AS n")
        other.sql("UPDATE mine SET n = 2")
        assert one.sql("FROM mine").rows() == [(2,)]


def test_a_database_that_was_never_closed_is_let_go_of_with_its_last_name(path):
    web = replicadb.open(path)
    web = replicadb.open(path)  # as a cell of a notebook that runs again
    assert len(web.sql("SELECT 1")) == 1
    web.close()
    with replicadb.open(path, read_only=True) as reading:
        assert reading.info()["loads"]
    rows = replicadb.open(path).reader("SELECT i FROM range(1000000) AS t(i)")
    assert sum(map(len, rows)) == 1_000_000


@pytest.mark.parametrize("send", [pickle.dumps, copy.copy, copy.deepcopy])
def test_an_open_database_is_not_sent_to_another_process(path, send):
    with replicadb.open(path, read_only=True) as web:
        with pytest.raises(UsageError, match=r"web\.duckdb: an open database .* open it there"):
            send(web)
        assert web.info()["loads"]


@pytest.mark.parametrize(
    "name", [None, 1, b"web.duckdb", [], "", " ", "a\0b"], ids=lambda name: repr(name)
)
def test_what_is_no_name_of_a_database_makes_none(path, name):
    before = sorted(path.parent.iterdir())
    with pytest.raises(UsageError, match="no name of a database"):
        replicadb.open(name)
    assert sorted(path.parent.iterdir()) == before


@pytest.mark.parametrize(
    "settings,said",
    [
        ({"threads": -1}, "threads -1: give a whole number from 1 to 256"),
        ({"threads": 1.5}, "threads 1.5"),
        ({"threads": "x"}, "threads 'x'"),
        ({"threads": 257}, "threads 257"),
        ({"memory_limit": 5}, "memory limit 5 is no text"),
    ],
)
def test_settings_that_cannot_be_meant(path, settings, said):
    with pytest.raises(UsageError, match=said):
        replicadb.open(path, **settings)
    assert replicadb.open(path, threads=2).info()["loads"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda web: web.detect(max_wrong="x"), "max_wrong lies above 0 and at most at 1"),
        (lambda web: web.detect(min_probability=True), "min_probability lies above 0"),
        (lambda web: web.detect(keep=5), "keep cannot be '5'"),
        (lambda web: web.detect(keep=["https", "urls", "old"]), "keep cannot be 'old'"),
        (lambda web: web.detect(keep="@hosts.txt"), "keep cannot be '@hosts.txt'"),
        (lambda web: web.detect(kinds=5), "kinds cannot be '5'"),
        (lambda web: web.explain("www.example.com", 5), "5: no host name"),
        (lambda web: web.decide(None, "example.com", True), "None: no host name"),
        (lambda web: web.copies_of(["a.com"]), "no host name; give the name of a host as text"),
        (lambda web: web.watch(["a.com"]), "no host name"),
        (lambda web: web.stop_watching(5), "5: no host name"),
        (lambda web: web.sql(5), "5: no SQL"),
    ],
)
def test_what_is_of_another_type_is_a_usage_error(detected_robust, call, said):
    with (
        replicadb.open(detected_robust, read_only=True, threads=1) as web,
        pytest.raises(UsageError, match=said),
    ):
        call(web)
