"""Files that are no pages: evidence of method robust, and nothing to method paper."""

from __future__ import annotations

import pytest

import replicadb

from .crawls import only_pairs

PAGES = "".join(
    f"http://{host}.com/{n},{host if own else 'x'}{n},text/html\n"
    for host, shares in (("a", True), ("b", True), ("c", False), ("d", False))
    for n, own in ((1, not shares), (2, not shares), (3, True))
)
FILES = "".join(
    f"http://{host}.com/{name},{name},image/png\n" for host in "cd" for name in ("1.png", "2.png")
)
STATIC = "".join(f"http://{host}.net/app.js,js,text/javascript\n" for host in ("s1", "s2"))
HEADER = "url,fingerprint,mime\n"


def shown(web: replicadb.ReplicaDB, **settings) -> list[tuple]:
    only_pairs(web, **settings)
    return web.sql(
        "SELECT host_a, host_b, asset_containment FROM candidate_pairs ORDER BY ALL"
    ).rows()


@pytest.fixture
def web(write):
    with replicadb.open(":memory:") as web:
        web.load(write("crawl.csv", HEADER + PAGES + FILES + STATIC))
        yield web


def test_hosts_that_share_files_alone_are_candidates(web):
    pairs = {(a[0], b[0]): shared for a, b, shared in shown(web)}
    assert pairs == {("a", "b"): None, ("c", "d"): pytest.approx(2 / 3), ("s", "s"): 0.5}


@pytest.mark.slow
def test_without_assets_all_is_as_of_a_crawl_that_has_none(web, write):
    settings = {"assets": False}  # which method paper has by itself
    with replicadb.open(":memory:") as alone:
        alone.load(write("pages.csv", HEADER + PAGES))
        wanted = shown(alone, **settings), alone.sql("FROM candidate_pairs").rows()
    shown(web)  # what another setting made is not kept
    assert (shown(web, **settings), web.sql("FROM candidate_pairs").rows()) == wanted
    assert web.sql("SELECT count(*) AS n FROM host_stats")["n"].to_list() == [4]


@pytest.mark.slow
def test_the_same_settings_again_have_nothing_to_do(web):
    for settings in ({"method": "paper"}, {}, {"assets": False}):
        assert web.detect(**settings).stages_run
        assert not web.detect(**settings).stages_run
        assert web.info()["up_to_date"]


@pytest.mark.slow
def test_a_crawl_of_files_alone_has_replicas_and_no_pages(write):
    with replicadb.open(":memory:") as web:
        web.load(write("files.csv", HEADER + STATIC))
        assert web.info()["urls"] == 0
        assert len(shown(web)) == 1
        with pytest.raises(replicadb.DataError, match="only other files"):
            web.detect(method="paper")
