"""Files that are no pages: evidence of method robust, and nothing to method paper."""

from __future__ import annotations

import pytest

import replicadb

from .crawls import only_pairs, opened, pairs_alone

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


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """Loaded once; each test detects what it needs."""
    with opened(tmp_path_factory.mktemp("assets"), HEADER + PAGES + FILES + STATIC) as web:
        yield web


def test_hosts_that_share_files_alone_are_candidates_and_their_files_stand_for_pages(web):
    pairs = {(a[0], b[0]): shared for a, b, shared in shown(web)}
    assert pairs == {("a", "b"): None, ("c", "d"): pytest.approx(2 / 3), ("s", "s"): None}
    (static,) = web.sql(
        "SELECT exclusive_evidence, exclusive_containment, known_pages, path_overlap, reach"
        " FROM candidate_pairs WHERE host_a = 's1.net'"
    ).rows()
    assert static == (1.0, 0.5, 1.0, None, None)


@pytest.mark.slow
def test_copies_of_a_host_of_files_are_found_and_one_common_script_is_none(write):
    """Hosts with pages, two names of one host of pictures, and hosts with one script each."""
    pictures = "".join(
        f"http://{host}/{n}.png,picture{n},image/png\n"
        for host in ("img1.shop.com", "d12cdn.net")
        for n in range(30)
    )
    script = "".join(
        f"http://static.site{n}.org/jquery.js,jquery,text/javascript\n"
        f"http://static.site{n}.org/own.png,own{n},image/png\n"
        for n in range(12)
    )
    with replicadb.open(":memory:") as web:
        web.load(write("crawl.csv", HEADER + PAGES + FILES + pictures + script))
        only_pairs(web, 5)
        first, *rest = web.sql(
            "SELECT host_a, host_b, probability FROM replicas WHERE host_a LIKE '%.%.%'"
            " OR host_a LIKE 'd12%' ORDER BY rank"
        ).rows()
    assert first[:2] == ("d12cdn.net", "img1.shop.com") and first[2] > 0.5
    assert len(rest) == 66 and max(row[2] for row in rest) < 0.2


@pytest.mark.slow
def test_without_assets_all_is_as_of_a_crawl_that_has_none(web, write):
    settings = {"assets": False}  # which method paper has by itself
    with replicadb.open(":memory:") as alone:
        alone.load(write("pages.csv", HEADER + PAGES))
        wanted = shown(alone, **settings), alone.sql("FROM candidate_pairs").rows()
    with pairs_alone():  # what another setting made is not kept, and the same does nothing
        web.detect()
        for given in ({}, settings):
            assert bool(web.detect(**given).stages_run) is bool(given)
    assert (shown(web, **settings), web.sql("FROM candidate_pairs").rows()) == wanted
    with pairs_alone():
        assert not web.detect(**settings).stages_run
    assert web.sql("SELECT count(*) AS n FROM host_stats")["n"].to_list() == [4]


@pytest.mark.slow
def test_a_crawl_of_files_alone_has_replicas_and_no_pages(write):
    with replicadb.open(":memory:") as web:
        web.load(write("files.csv", HEADER + STATIC))
        assert web.info()["urls"] == 0
        assert len(shown(web)) == 1
        with pytest.raises(replicadb.DataError, match="only other files"):
            web.detect(method="paper")


@pytest.mark.slow
def test_a_host_of_files_alone_is_not_counted_where_pages_alone_are_compared(web):
    """What detect says of hosts is what export says of them."""
    for method, compared in (("robust", 6), ("paper", 4)):
        assert web.detect(method=method).counts["hosts"] == compared
        assert web.drop_shares().table.to_pylist()[0]["hosts"] == compared
