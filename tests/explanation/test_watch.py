"""What is new about watched hosts: told once, and again when it changes."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

import pytest
from conftest import sha1

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.explanation import watch
from tests.explanation import clones
from tests.explanation.clones import CLONE, PORTAL, SHOP

BRIEF = "brief-copy.example"
"""A copy of the shop that is loaded by itself."""


def copy_of_the_shop(host: str) -> list[dict]:
    """All of the shop's products at the same paths."""
    rows = [row for row in clones.pages() if f"{SHOP}/p/" in row["url"]]
    return [{**row, "url": row["url"].replace(SHOP, host)} for row in rows]


def write_rows(folder: Path, rows: list[dict], name: str) -> Path:
    digests = ({"digest": row["digest"] and sha1(row["digest"])} for row in rows)
    return clones.write(folder, [row | made for row, made in zip(rows, digests, strict=True)], name)


@pytest.fixture(scope="module")
def detected(tmp_path_factory):
    """A database of the clones but for one, and a name that only redirects; the kit, a copy of the
    shop, and two sites with a copy each are loads of their own. Closed, so copy it before you open
    it.
    """
    folder = tmp_path_factory.mktemp("watched")
    rows = [row for row in clones.pages() if CLONE not in row["url"]]
    moved = {"status": 301, "redirect": "http://www.a.com/", "digest": None, "title": None}
    rows += [{**rows[0], "url": f"http://a.com/{n}", **moved} for n in range(3)]
    rows.append({**rows[0], "url": "http://www.a.com/", "digest": "x", "title": "A", "status": 200})
    kit = [row for row in rows if f"{PORTAL}/~kit" in row["url"]]
    loads = {"first": [row for row in rows if row not in kit], "kit": kit}
    loads["brief"] = copy_of_the_shop(BRIEF)
    for site in ("one", "two"):
        loads[site] = [
            {"url": f"http://{host}.{site}.com/{n}", "digest": f"{site}{n}", "title": f"{site} {n}"}
            for host in "ab"
            for n in range(12)
        ]
    for name, found in loads.items():
        write_rows(folder, found, name)
    with (
        contextlib.chdir(folder),
        replicadb.open(folder / "watched.duckdb", threads=1) as opened,
    ):
        opened.load(*loads, format="jsonl")  # under their files' names
        opened.detect()
    return folder / "watched.duckdb"


@pytest.fixture
def web(detected, tmp_path):
    with replicadb.open(shutil.copy(detected, tmp_path)) as opened:
        yield opened


def names(copies):
    return [copy["host"] for copy in copies]


@pytest.fixture(scope="module")
def later(detected, tmp_path_factory):
    """A database in which the shop was watched twice; then a clone came, and the loads of the kit
    and of a copy went. Closed, so copy it; and what was said each time.
    """
    folder = tmp_path_factory.mktemp("later")
    path = shutil.copy(detected, folder)
    rows = [row for row in clones.pages() if CLONE in row["url"]]
    with replicadb.open(path) as opened:
        said = [opened.watch("SHOP.example"), opened.watch()]
        opened.load(write_rows(folder, rows, "later.jsonl"), label="later")
        opened.unload("kit")
        opened.unload("brief")
        opened.detect()
    return path, said


@pytest.fixture
def came(later, tmp_path):
    with replicadb.open(shutil.copy(later[0], tmp_path)) as opened:
        yield opened


@pytest.mark.slow
def test_what_is_told_once_is_told_again_when_it_changes(later, came):
    web, ((first,), (again,)) = came, later[1]
    assert (first["host"], first["before"], names(first["new"])) == (SHOP, None, [BRIEF, PORTAL])
    assert (again["before"], again["new"], again["changed"], again["gone"]) == (2, [], [], [])

    (looked,) = web.watch(remember=False)
    (now,) = web.watch()
    assert names(looked["new"]) == names(now["new"]) == [CLONE], "a look is no telling"
    assert (looked["gone"], looked["unloaded"]) == (now["gone"], now["unloaded"])
    assert now["gone"] == [BRIEF, PORTAL]
    assert now["unloaded"] == [BRIEF], "the other pages of the portal are in the first load"

    web.database.execute("UPDATE ranking SET flagged = false")
    (changed,) = web.watch()
    assert (changed["new"], changed["gone"]) == ([], [])
    assert names(changed["changed"]) == [CLONE] and changed["changed"][0]["was"] == "known replica"


def test_a_copy_that_was_unloaded_is_said_to_be_so(came, tmp_path, cli):
    assert CLONE in names(came.watch(f"//{SHOP.upper()}:443/x")[0]["new"])
    came.unload("later")
    came.close()
    said = cli("watch", tmp_path / "watched.duckdb", "--look").out
    assert f"  {CLONE}  is not in the crawl any more\n" in said and "detection" not in said


@pytest.fixture(scope="module")
def reading(detected):
    with replicadb.open(detected, read_only=True) as opened:
        yield opened


@pytest.mark.slow
def test_a_look_needs_no_right_to_write(reading):
    assert names(reading.watch(SHOP, remember=False)[0]["new"]) == [BRIEF, PORTAL]
    with pytest.raises(UsageError, match="no host is watched yet"):
        reading.watch(remember=False)


def test_one_unknown_host_tells_nothing_of_the_others(reading):
    web = reading
    with pytest.raises(DataError, match=r"the nearest names: shop\.example"):
        web.watch(SHOP, "shopp.example")
    with pytest.raises(UsageError, match="no host is watched yet"):
        web.watch()


@pytest.mark.slow
def test_what_could_not_be_told_is_told_again(web):
    def full(found):
        raise DataError("standard output: cannot be written")

    with pytest.raises(DataError):
        watch(web.database, [SHOP], report=full)
    (first,) = web.watch(SHOP)
    assert (first["before"], names(first["new"])) == (None, [BRIEF, PORTAL])


def test_a_name_that_only_redirects_is_said_to_lead_to_another(reading):
    web = reading
    for ask in (web.copies_of, lambda host: web.explain(host, "www.a.com"), web.watch):
        with pytest.raises(DataError, match=r"3 of its URLs redirect to www\.a\.com: ask for"):
            ask("http://A.com/1")


def test_a_watched_host_that_was_unloaded_stops_no_other_and_can_be_forgotten(detected, cli):
    path = shutil.copy(detected, "w.duckdb")
    with replicadb.open(path) as web:
        (first, _) = web.watch("a.one.com", "a.two.com")
        web.unload("one")
        by_host = {each["host"]: each for each in web.watch()}
        assert by_host["a.two.com"]["here"] and not by_host["a.one.com"]["here"]
        assert by_host["a.one.com"]["before"] == len(first["new"]) > 0 == len(by_host) - 2
        with pytest.raises(
            DataError, match=r"not watched: b\.two\.com; watched are a\.one\.com and"
        ):
            web.stop_watching("b.two.com", "a.two.com")
    said = cli("watch", path).out
    assert "a.one.com: not in the crawl any more; copies reported before: " in said
    assert "a.two.com: nothing new" in said
    assert cli("watch", path, "A.one.com", "--stop").err == "a.one.com: watched no more\n"
    with replicadb.open(path) as web:
        assert "one.com" not in str(web.watch())
        web.unload("two")
        assert [(each["host"], each["here"]) for each in web.watch()] == [("a.two.com", False)]
    assert cli("watch", path, "--stop").code == 2


@pytest.mark.slow
def test_a_copy_that_a_reference_left_uncompared_is_not_gone(detected, tmp_path, cli):
    """Both are of the reference load. A new copy is reported all the same."""
    path = shutil.copy(detected, "w.duckdb")
    again = [row | {"timestamp": "20270101000000"} for row in clones.pages()]
    again = [row for row in again if f"{PORTAL}/own" in row["url"]]
    with replicadb.open(path, threads=1) as web:
        assert names(web.watch(SHOP)[0]["new"]) == [BRIEF, PORTAL]
        new = write_rows(tmp_path, copy_of_the_shop("new-copy.org") + again, "new.jsonl")
        assert web.load(new, label="new").replaced == len(again), "of the old load all the same"
        web.detect(reference="first")
        (now,) = web.watch()
        assert (names(now["new"]), now["gone"], now["not_compared"]) == (
            ["new-copy.org"],
            [],
            [PORTAL],
        )
        assert web.watch(remember=False)[0]["before"] == 3
        assert web.copies_of("new-copy.org")["reference"]["of_it"] is False
        assert web.export_copies(tmp_path / "c.csv", SHOP).reference == "first"
    look = cli("watch", path, BRIEF, SHOP, "--look").out
    assert "  1 copy of those reported before: not compared by" in look
    assert look.count("(--reference first) compared new hosts with hosts of that load alone") == 1
    said = cli("copies-of", path, SHOP).out
    assert "compared this host with new hosts alone: copies among hosts of that load are" in said
    listed = cli("copies-of", path, SHOP, "--as", "hosts")
    assert "copies that detect --reference first did not look for are missing" in listed.err
    assert ", new hosts against those of first): " in cli("info", path).out
    with replicadb.open(path, threads=1) as web:
        assert web.copies_of(SHOP)["reference"] == {"load": "first", "of_it": True}
        web.detect()
        (all_compared,) = web.watch()
        assert (all_compared["new"], all_compared["gone"]) == ([], [])
        assert now["reference"] and all_compared["reference"] is None
        assert web.copies_of(SHOP)["reference"] is None
