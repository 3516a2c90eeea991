"""Which host of a group stays: what canonical links and redirects say, then ``--keep``."""

from __future__ import annotations

from datetime import datetime

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


def detected(folder, rows: list[dict], **settings):
    pl.DataFrame([*rows, *background()], infer_schema_length=None).write_parquet(
        folder / "c.parquet"
    )
    web = replicadb.open(":memory:", threads=1)
    web.load(folder / "c.parquet")
    web.detect(**settings)
    return web


def kept(web) -> dict[str, tuple[str, str]]:
    """The host to keep and why, by dropped host."""
    rows = web.database.rows("SELECT host, canonical_host, kept_because FROM flagged_hosts")
    return {host: (canonical, why) for host, canonical, why in rows}


@pytest.mark.slow
def test_the_original_that_all_copies_name_is_kept_though_they_are_crawled_deeper(tmp_path):
    paths = [f"/chapter-{number}/page-{number}.html" for number in range(30)]
    rows = [page(f"http://original.org{path}", f"page{path}") for path in paths[:25]]
    for copy in range(20):
        host = f"http://copy{copy:02d}-mirror.net"
        rows += [
            page(f"{host}{path}", f"page{path}", canonical=f"http://original.org{path}")
            for path in paths
        ]
    with detected(tmp_path, rows) as web:
        dropped = kept(web)
    assert dropped.keys() == {f"copy{copy:02d}-mirror.net" for copy in range(20)}
    assert set(dropped.values()) == {("original.org", "canonical links or redirects lead to it")}


@pytest.mark.slow
def test_the_host_that_redirects_goes_and_the_new_one_stays(tmp_path):
    paths = [f"/product-{number}/item-{number}.html" for number in range(30)]
    rows = [page(f"http://old-shop.com{path}", f"page{path}") for path in paths]
    rows += [
        page(f"http://old-shop.com/moved{path}", None, redirect=f"http://new-shop.net{path}")
        | {"status": 301}
        for path in paths[:10]
    ]
    rows += [page(f"http://new-shop.net{path}", f"page{path}") for path in paths[:24]]
    with detected(tmp_path, rows) as web:
        assert kept(web) == {
            "old-shop.com": ("new-shop.net", "canonical links or redirects lead to it")
        }


@pytest.mark.slow
def test_two_hosts_that_name_each_other_say_nothing(tmp_path):
    paths = [f"/chapter-{number}/page-{number}.html" for number in range(20)]
    rows = [
        page(f"http://{host}{path}", f"page{path}", canonical=f"http://{other}{path}")
        for host, other in (("one.org", "another.net"), ("another.net", "one.org"))
        for path in paths
    ]
    with detected(tmp_path, rows) as web:
        assert kept(web) == {"another.net": ("one.org", "its name is shorter")}


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    """Two copies: www.first.net has more URLs, links to it, https and the shorter name;
    a.second-site.net was captured first.
    """
    paths = [f"/part-{number}/text-{number}.html" for number in range(20)]
    rows = [page(f"https://www.first.net{path}", f"page{path}") for path in paths]
    rows += [
        page(f"http://a.second-site.net{path}", f"page{path}") | {"timestamp": datetime(2020, 1, 1)}
        for path in paths[:18]
    ]
    rows += [
        page(f"http://fan{n}.org/links", f"fan{n}", links=["https://www.first.net/"])
        for n in (1, 2)
    ]
    with detected(tmp_path_factory.mktemp("twins"), rows) as web:
        yield web


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
def test_each_criterion_of_keep_decides_and_is_told(twins, keep, canonical, why):
    twins.detect(keep=keep)
    ((_, found),) = kept(twins).items()
    assert found == (canonical, why)


@pytest.mark.slow
def test_another_order_makes_the_groups_anew_and_nothing_else(twins):
    twins.detect()
    assert twins.detect(keep="oldest").stages_run == ["70_replica_groups"]
    assert twins.detect(keep="oldest").stages_run == []


@pytest.mark.slow
def test_links_of_copies_to_each_other_do_not_count(tmp_path):
    paths = [f"/part-{number}/text-{number}.html" for number in range(20)]
    rows = [page(f"http://z-first.net{path}", f"page{path}") for path in paths]
    rows += [
        page(f"http://a-second.net{path}", f"page{path}", links=["http://z-first.net/"])
        for path in paths
    ]
    rows += [page("http://fan.org/links", "fan", links=["http://a-second.net/"])]
    with detected(tmp_path, rows) as web:
        assert kept(web) == {"z-first.net": ("a-second.net", "more hosts link to it")}


def test_a_criterion_that_is_none_is_refused_with_the_choices():
    with pytest.raises(UsageError, match="keep cannot be 'largest'; choose: https, links"):
        Settings(keep="urls,largest")


@pytest.mark.slow
def test_names_to_keep_come_from_a_file(cli, tmp_path):
    listed = tmp_path / "keep.txt"
    listed.write_text("# mine\na.second-site.net\n\n")
    database = tmp_path / "web.duckdb"
    rows = [
        page(f"http://{host}/part-{n}/text-{n}.html", f"page{n}")
        for host in ("a.second-site.net", "first.net")
        for n in range(20)
    ]
    pl.DataFrame([*rows, *background()]).write_parquet(tmp_path / "c.parquet")
    assert cli("load", database, tmp_path / "c.parquet").code == 0
    assert cli("detect", database, "--keep", f"urls,@{listed}").code == 0
    answer = cli("sql", database, "SELECT canonical_host FROM flagged_hosts", "--format", "csv")
    assert answer.out == "canonical_host\na.second-site.net\n"
    answer = cli("detect", database, "--keep", "@nowhere.txt")
    assert answer.code == 1 and "nowhere.txt" in answer.err and answer.err.count("\n") == 1
