"""Which host of a group stays: what canonical links and redirects say, then ``--keep``."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

import replicadb
from replicadb.errors import UsageError
from replicadb.settings import Settings

DAY = datetime(2024, 5, 1)


def page(url: str, digest: str, **more) -> dict:
    return {"url": url, "digest": digest, "timestamp": DAY, "status": 200, **more}


def background() -> list[dict]:
    """Sites with pages of their own, so that a shared page says something."""
    return [
        page(f"http://own{site}.org/own-{site}-{number}", f"own{site}-{number}")
        for site in range(40)
        for number in range(5)
    ]


def paths(name: str, n: int) -> list[str]:
    return [f"/{name}-{number}/text-{number}.html" for number in range(n)]


def copied(hosts: dict[str, list[str]], **more) -> list[dict]:
    """Pages of hosts, at equal paths equal; of ``more`` a function of the path is called."""
    return [
        page(f"{host}{path}", f"page{path}", **{name: of(path) for name, of in more.items()})
        for host, at in hosts.items()
        for path in at
    ]


def original() -> list[dict]:
    """Twenty copies that name the original and are crawled deeper."""
    at = paths("chapter", 30)
    copies = {f"http://copy{n:02d}-mirror.net": at for n in range(20)}
    return copied({"http://original.org": at[:25]}) + copied(
        copies, canonical=lambda path: f"http://original.org{path}"
    )


def moved() -> list[dict]:
    """A shop that redirects to its new host."""
    at = paths("product", 30)
    redirects = [
        page(f"http://old-shop.com/moved{path}", None, redirect=f"http://new-shop.net{path}")
        | {"status": 301}
        for path in at[:10]
    ]
    return redirects + copied({"http://old-shop.com": at, "http://new-shop.net": at[:24]})


def naming_each_other() -> list[dict]:
    at = paths("verse", 20)
    return copied({"http://one.org": at}, canonical=lambda path: f"http://another.net{path}") + (
        copied({"http://another.net": at}, canonical=lambda path: f"http://one.org{path}")
    )


def linking_to_its_copy() -> list[dict]:
    """All pages of a-second.net link to its copy, and another host to a-second.net."""
    at = paths("stanza", 20)
    links = copied({"http://a-second.net": at}, links=lambda path: ["http://z-first.net/"])
    fan = page("http://fan.org/links", "fan", links=["http://a-second.net/"])
    return [fan, *links, *copied({"http://z-first.net": at})]


def twins() -> list[dict]:
    """Two copies: www.first.net has more URLs, links to it, https and the shorter name;
    a.second-site.net was captured first.
    """
    at = paths("part", 20)
    second = copied(
        {"http://a.second-site.net": at[:18]}, timestamp=lambda path: datetime(2020, 1, 1)
    )
    fans = [
        page(f"http://fan{n}.org/links", f"fan{n}", links=["https://www.first.net/"])
        for n in (1, 2)
    ]
    return [*copied({"https://www.first.net": at}), *second, *fans]


def copied_in_part() -> list[dict]:
    """The copy was captured first, but a quarter of the original would be lost with it."""
    at = paths("scene", 80)
    first = {"timestamp": lambda path: datetime(2020, 1, 1)}
    return copied({"http://early-copy.net": at[:60]}, **first) + copied({"http://whole.org": at})


@pytest.fixture(scope="module")
def detected(tmp_path_factory) -> Path:
    """A database of all of these, detected; copy it before you change it."""
    folder = tmp_path_factory.mktemp("keep")
    rows = [*original(), *moved(), *naming_each_other(), *linking_to_its_copy(), *twins()]
    rows += copied_in_part()
    pl.DataFrame([*rows, *background()], infer_schema_length=None).write_parquet(
        folder / "c.parquet"
    )
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(folder / "c.parquet")
        web.detect()
    return folder / "web.duckdb"


@pytest.fixture(scope="module")
def by_default(detected) -> dict[str, tuple[str, str]]:
    with replicadb.open(detected, read_only=True) as web:
        return kept(web)


@pytest.fixture(scope="module")
def web(detected, tmp_path_factory):
    """A copy; each test detects what it needs."""
    copy = shutil.copy(detected, tmp_path_factory.mktemp("copy"))
    with replicadb.open(copy, threads=1) as web:
        yield web


def kept(web) -> dict[str, tuple[str, str]]:
    """The host to keep and why, by dropped host."""
    rows = web.database.rows("SELECT host, canonical_host, kept_because FROM flagged_hosts")
    return {host: (canonical, why) for host, canonical, why in rows}


@pytest.mark.slow
def test_the_original_that_all_copies_name_is_kept_though_they_are_crawled_deeper(by_default):
    dropped = {host: said for host, said in by_default.items() if host.startswith("copy")}
    assert dropped.keys() == {f"copy{copy:02d}-mirror.net" for copy in range(20)}
    assert set(dropped.values()) == {("original.org", "canonical links or redirects lead to it")}
    assert "original.org" not in by_default


@pytest.mark.slow
def test_the_host_that_redirects_goes_and_the_new_one_stays(by_default):
    assert by_default["old-shop.com"] == ("new-shop.net", "canonical links or redirects lead to it")
    assert "new-shop.net" not in by_default


@pytest.mark.slow
def test_two_hosts_that_name_each_other_say_nothing(by_default):
    assert by_default["another.net"] == ("one.org", "its name is shorter")
    assert "one.org" not in by_default


@pytest.mark.slow
def test_links_of_copies_to_each_other_do_not_count(by_default):
    assert by_default["z-first.net"] == ("a-second.net", "more hosts link to it")
    assert "a-second.net" not in by_default


@pytest.mark.slow
def test_nothing_else_is_dropped(by_default):
    assert len(by_default) == 20 + 5 and by_default["a.second-site.net"][0] == "www.first.net"


@pytest.mark.parametrize(
    ("keep", "canonical", "why"),
    [
        ("links,contents,urls,domain,short", "www.first.net", "more hosts link to it"),
        ("urls", "www.first.net", "more of its URLs are known"),
        ("https", "www.first.net", "it has https"),
        ("domain,urls", "www.first.net", "it is a registered domain"),
        ("www", "www.first.net", "its name begins with www"),
        ("short", "www.first.net", "its name is shorter"),
        ("bare,www", "a.second-site.net", "its name has no www"),
        ("oldest,urls", "a.second-site.net", "it was captured first"),
        ("HTTP://A.Second-Site.net/,urls", "a.second-site.net", "--keep names it"),
    ],
)
def test_each_criterion_of_keep_decides_and_is_told(web, keep, canonical, why):
    web.detect(keep=keep)
    ((_, found),) = (
        (host, said)
        for host, said in kept(web).items()
        if host in ("www.first.net", "a.second-site.net")
    )
    assert found == (canonical, why)


@pytest.mark.slow
def test_another_order_makes_the_groups_anew_and_nothing_else(web):
    web.detect()
    assert web.detect(keep="oldest").stages_run == ["70_replica_groups"]
    assert web.detect(keep="oldest").stages_run == []


def test_a_host_kept_against_the_criterion_is_said_to_be_unsafe_to_drop(web):
    web.detect(keep="oldest")
    why = "the other way round is not safe: many of its pages do not stand at the other"
    assert kept(web)["early-copy.net"] == ("whole.org", why)


def test_a_criterion_that_is_none_is_refused_with_the_choices():
    with pytest.raises(UsageError, match="keep cannot be 'largest'; choose: https, links"):
        Settings(keep="urls,largest")


@pytest.mark.slow
def test_names_to_keep_come_from_a_file(cli, detected, tmp_path):
    listed = tmp_path / "keep.txt"
    listed.write_text("# mine\na.second-site.net\n\n")
    database = shutil.copy(detected, tmp_path)
    assert cli("detect", database, "--keep", f"@{listed},urls").code == 0
    query = "SELECT canonical_host FROM flagged_hosts WHERE host = 'www.first.net'"
    answer = cli("sql", database, query, "--format", "csv")
    assert answer.out == "canonical_host\na.second-site.net\n"
    answer = cli("detect", database, "--keep", "@nowhere.txt")
    assert answer.code == 1 and "nowhere.txt" in answer.err and answer.err.count("\n") == 1
