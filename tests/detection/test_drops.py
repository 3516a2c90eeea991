"""Drops that are held back: versions, hosts with much of their own, pairs that are not likely
enough.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import replicadb
from replicadb.constant_tables import changed_constants
from replicadb.detection.drops import FEW_ELSEWHERE, Doubts, Drops, least_probability
from replicadb.explanation.words import fate_in_words
from replicadb.learning.star_clusters import recentred, stars
from replicadb.settings import Settings
from replicadb.stage_constants import DROPS

from .crawls import pairs


def page(host: str, path: str, digest: str, title: str, length: int) -> dict:
    return {
        "url": f"http://{host}{path}",
        "digest": digest,
        "title": title,
        "length": length,
    }


def site(host: str, name: str, pages: range, changed: int = 0) -> list[dict]:
    """Pages of a site of that name; the first ones ``changed`` in every respect."""
    return [
        page(
            host,
            f"/{name}-{n}/about-{n}.html",
            f"{host if n < changed else name}-{n}",
            f"{host if n < changed else name} {n}",
            1000 + 37 * n + (len(host) * 301 if n < changed else 0),
        )
        for n in pages
    ]


TITLES = {
    "under another name": ("Page {n} | {host}", 1, False),
    "of a page": ("{host} page {n} | Archive", 1, True),
    "that say nothing beside lengths": ("Archive", 1, False),
    "that are one": ("Archive", 1.5, False),
    "that nobody knows": (None, 1.5, True),
    "at several paths": ("Archive of {host}", None, True),
    "and lengths that nobody knows": (None, None, False),
}
"""Titles of pages, how much longer those of the second host are, and whether that holds it."""


def titled(case: str) -> tuple[str, str]:
    number = list(TITLES).index(case)
    return f"a{number}.com", f"b{number}.net"


def of_titles(case: str) -> list[dict]:
    """Two hosts; of thirty pages at equal paths six have another content."""
    title, longer, _ = TITLES[case]
    number, hosts = list(TITLES).index(case), titled(case)
    return [
        page(
            host,
            f"/{number}/{n}.html",
            f"{number}-{host if n < 6 else ''}-{n}",
            title and title.format(n=n, host=host.partition(".")[0]),
            longer and int((1000 + 37 * n) * (longer if host == hosts[1] and n < 6 else 1)),
        )
        for host in hosts
        for n in range(30)
    ]


BARE = ["one.example", "two.test"]
"""Of their pages nothing is known but the content."""

PART = {"one.museum.example": 1000, "two.library.test": 5000}
"""Of 29 pages twelve are the same; the others have no digest, and other titles and lengths."""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Copies; versions of one manual; a large host that has little of its copy; a sequel that has
    a third of three copies of the original and is larger than they; copies of three pages each,
    of which two have names that are alike but for www; TITLES; BARE; PART. All candidates are
    flagged.
    """
    rows = [
        *site("twin.com", "twin", range(20)),
        *site("twin.net", "twin", range(20)),
        *site("v1.manual.org", "manual", range(30)),
        *site("version-two.manual.org", "manual", range(30), changed=6),
        *site("library.edu", "library", range(60)),
        *site("branch.net", "library", range(40, 100)),
        *(row for n in (1, 2, 3) for row in site(f"story{n}.com", "story", range(30))),
        *site("sequel.com", "story", range(20, 30)),
        *site("sequel.com", "sequel", range(60)),
        *(row for n in range(2) for row in site(f"small{n}.com", "small", range(3))),
        *(row for name in ("pair.net", "www.pair.net") for row in site(name, "pair", range(3))),
        *(row for case in TITLES for row in of_titles(case)),
        *(
            page(host, f"/bare/{n}", f"bare-{n if n < 18 else host}-{n}", None, None)
            for host in BARE
            for n in range(40)
        ),
    ]
    rows += [
        page(host, f"/part/{n}", f"part-{n}" if n < 12 else None, f"{n < 12 or host} {n}", size + n)
        for host, size in PART.items()
        for n in range(29)
    ]
    rows += [row for n in range(40) for row in site(f"own{n}.org", f"own{n}", range(5))]
    folder = tmp_path_factory.mktemp("drops")
    pl.DataFrame(rows).write_parquet(folder / "c.parquet")
    with replicadb.open(":memory:", threads=1) as web:
        web.load(folder / "c.parquet")
        yield web, web.detect(min_probability=0.001)


@pytest.fixture(scope="module")
def web(found):
    return found[0]


def test_the_drops_that_are_held_back_are_counted_and_told(found):
    web, result = found
    assert result.counts["held_back"] == web.database.value("SELECT count(*) FROM held_hosts") > 1
    assert any(
        "though" in note and "likely cop" in note and "held_hosts" in note for note in result.notes
    )


def held(web) -> dict[frozenset[str], str]:
    rows = web.database.rows("SELECT host, canonical_host, why FROM held_hosts")
    return {frozenset((host, kept)): why for host, kept, why in rows}


def test_a_copy_goes_and_is_counted_with_the_pages_that_stay(web):
    rows = web.database.rows("SELECT host, canonical_host, pages, elsewhere FROM flagged_hosts")
    assert ("twin.net", "twin.com", 20, 20) in rows


def test_a_version_whose_pages_differ_at_the_same_paths_stays(web):
    pair = frozenset(("v1.manual.org", "version-two.manual.org"))
    assert held(web)[pair] == "pages at the same paths differ"
    assert not pair & set(web.flagged_hosts()["host"])
    query = "SELECT unlike FROM held_hosts WHERE list_contains($pair, host)"
    assert web.database.value(query, {"pair": sorted(pair)}) == 6


def test_pages_without_digests_are_unlike_where_their_titles_are_others(web):
    """17 of 29 pages went with the host that was dropped."""
    assert held(web)[frozenset(PART)] == "pages at the same paths differ"


def test_a_host_most_of_whose_pages_stand_nowhere_else_stays(web):
    pair = frozenset(("library.edu", "branch.net"))
    assert held(web)[pair] == "many of its pages do not stand at the other"


def test_the_odd_one_out_is_not_the_centre(web):
    """The sequel is the largest and shares pages with all three; they are copies of each other."""
    kept = dict(web.database.rows("SELECT host, canonical_host FROM flagged_hosts"))
    assert kept["story2.com"] == kept["story3.com"] == "story1.com"
    assert "sequel.com" not in kept and "sequel.com" not in kept.values()


def test_every_flagged_host_is_dropped_kept_or_told_of(web):
    flagged = {host for pair in pairs(web, "(FROM replicas WHERE flagged)") for host in pair}
    dropped, kept = (
        set(web.database.column(f"SELECT {column} FROM flagged_hosts"))
        for column in ("host", "canonical_host")
    )
    stay = set(web.database.column("SELECT host FROM held_hosts"))
    assert not dropped & kept and not dropped & stay
    others = flagged - dropped - kept - stay
    partners = {host for pair in held(web) for host in pair}
    assert others <= partners  # the other host of a drop that was held back


def test_what_stands_elsewhere_is_what_one_finds_by_hand(web):
    """But where titles alone tell, and where nothing is looked up as too little is known."""
    by_host: dict[str, dict[str, tuple]] = {}
    for host, path, *rest in web.database.rows(
        "SELECT host, path, fingerprint, title, length FROM pages"
    ):
        by_host.setdefault(host, {})[path] = tuple(rest)
    rows = web.database.rows(
        "SELECT h.host, k.host, pages, elsewhere, not_compared, same_paths, unlike"
        " FROM (FROM members WHERE host_id <> canonical_id UNION ALL BY NAME FROM held) AS m"
        " JOIN hosts AS h USING (host_id) JOIN hosts AS k ON k.host_id = m.canonical_id"
        " WHERE h.host NOT IN ?",
        [["small0.com", "small1.com", *BARE, *(host for case in TITLES for host in titled(case))]],
    )
    assert len(rows) > 4
    for host, keep, *found in rows:
        mine, theirs = by_host[host], by_host[keep]
        contents = {content for content, *_ in theirs.values() if content}
        unlike = {
            path
            for path, (content, title, length) in mine.items()
            if path in theirs
            and content not in contents
            and title != theirs[path][1]
            and abs(length - theirs[path][2]) * 100 > 3 * max(length, theirs[path][2])
        }
        elsewhere = [
            path
            for path, (content, *_) in mine.items()
            if content in contents or (path in theirs and path not in unlike)
        ]
        both = len(mine.keys() & theirs.keys())
        assert found == [len(mine), len(elsewhere), 0, both, len(unlike)], (host, keep)


def test_what_nothing_but_the_content_is_known_of_is_not_said_to_stand_there(web):
    """Of forty pages eighteen are equal; the others differ, at the same paths."""
    found = web.sql(
        "FROM (SELECT host, pages, elsewhere, not_compared FROM flagged_hosts UNION ALL BY NAME"
        " SELECT host, pages, elsewhere, not_compared FROM held_hosts)"
        " SELECT * EXCLUDE host WHERE host IN ?",
        [BARE],
    ).rows()
    explained = web.explain(*BARE)["groups"]
    assert found == [(40, 18, 22)]
    said = [fate_in_words(fate) for fate in explained if fate["pages"]]
    assert [text.partition("; ")[2] for text in said] == [
        "18 of its 40 pages stand there, too, and 22 cannot be compared with what is at their path"
    ]


@pytest.mark.parametrize("case", TITLES)
def test_titles_tell_pages_of_one_length_apart_but_for_the_name_of_the_site(web, case):
    """Where neither title nor length is known, nobody can say that pages are unlike."""
    pair = titled(case)
    why = [why for hosts, why in held(web).items() if hosts & set(pair)]
    assert why == ["pages at the same paths differ"] * TITLES[case][2]
    dropped = [host for host in pair if host in set(web.flagged_hosts()["host"])]
    assert len(dropped) == 1 - len(why)


def test_a_pair_that_is_flagged_and_not_likely_enough_drops_nothing(web):

    one, other = np.array([0, 1]), np.array([2, 3])
    no = np.array([False, False])
    drops = Drops.of(one, other, np.array([0.96, 0.94]), no, Settings())
    assert drops.open.tolist() == [True, False, True, False]
    assert set(drops.why_held(np.flatnonzero(~drops.open))) == {"not likely enough to drop a host"}
    paper = Drops.of(one, other, np.array([np.nan, np.nan]), no, Settings(method="paper"))
    assert paper.open.all(), "method paper has no probabilities"
    translations = Drops.of(one, other, np.array([0.99, 0.99]), ~no, Settings())
    assert set(translations.why_held(np.arange(4))) == {"it looks like a translation"}


@pytest.mark.parametrize("old", [0, 1])
def test_of_a_pair_with_an_old_host_the_new_one_would_go(old):
    """Whichever would rather be kept."""
    one, other = np.array([0]), np.array([1])
    drops = Drops.of(one, other, np.array([0.9]), np.zeros(1, bool), Settings())
    (row,) = drops.holding(np.arange(2), np.arange(2) == old)
    assert (drops.host[row], drops.keep[row]) == (1 - old, old)


def test_of_two_hosts_that_others_go_for_the_one_that_may_not_go_is_held():
    """0 would rather be kept than 1, and may not go for it; 1 might, but 2, 3 and 4 go for 1."""
    one, other = np.array([0, 1, 1, 1, 0]), np.array([1, 2, 3, 4, 5])
    no, sure = np.zeros(5, bool), np.full(5, 0.99)
    drops = Drops.of(one, other, sure, no, Settings())
    drops.held[0] = FEW_ELSEWHERE  # 0 for 1
    rows = np.flatnonzero(drops.open)
    centre = stars(drops.host[rows], drops.keep[rows], np.ones(len(rows)), np.ones(6, int), 6)
    centre = recentred(centre, drops.host[rows], drops.keep[rows])
    assert centre.tolist() == [0, 1, 1, 1, 1, 0]
    (row,) = drops.holding(centre)
    assert (drops.host[row], drops.keep[row]) == (0, 1)


@pytest.mark.parametrize(("asked", "least"), [(None, 0.95), (0.8, 0.8), (0.99, 0.95)])
def test_who_sets_the_least_probability_of_a_flag_decides(asked, least):
    assert least_probability(Settings(min_probability=asked)) == least


@pytest.mark.slow
def test_small_hosts_are_told_and_go_when_they_are_asked_for(web):
    """Names alike but for www go all the same."""
    assert "www.pair.net" in set(web.flagged_hosts()["host"])
    assert held(web)[frozenset(("small0.com", "small1.com"))].startswith("too little is known")
    web.detect(min_probability=0.001, kinds="all")
    assert {"small1.com", "www.pair.net"} <= set(web.flagged_hosts()["host"])


def installed(host: str, pages: int, own: int = 0) -> list[dict]:
    """What a program brings, at the paths where it puts it, and pages that somebody wrote."""
    return [page(host, f"/cms/{n}.html", f"cms-{n}", f"cms {n}", 700 + n) for n in range(pages)] + [
        page(host, f"/{host}/{n}", f"{host}-{n}", f"{host} {n}", 3000 + n) for n in range(own)
    ]


def test_hosts_that_have_but_a_few_pages_of_many_hosts_go_for_none_of_them(tmp_path):
    """Unless they are sure to be copies, or their names are alike, or few hosts have those pages.
    One page of its own makes no difference.
    """
    rows = [
        *(row for name in "abcde" for row in installed(f"{name * 4}.com", 6)),
        *installed("iiii.net", 6, own=1),
        *installed("aaaa.net", 6),
        *(row for n in range(5) for row in site(f"few-{n}.org", "few", range(7))),
        *(row for n in range(40) for row in site(f"own{n}.org", f"own{n}", range(5))),
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "c.parquet")
    with replicadb.open(tmp_path / "web.duckdb", threads=1) as web:
        web.load(tmp_path / "c.parquet")
        dropped, held = {}, {}
        for sure in (1.1, 0.0):
            with changed_constants(DROPS, {"sure_probability": sure, "least_probability": 0.0}):
                web.detect(min_probability=0.001)
            dropped[sure] = web.sql("SELECT host FROM flagged_hosts")["host"].to_list()
            held[sure] = set(web.sql("SELECT why FROM held_hosts")["why"])
    doubted = [host for host in dropped[1.1] if not host.startswith("few")]
    assert doubted in (["aaaa.com"], ["aaaa.net"])
    assert len(dropped[1.1]) == 4 + 1 and len(dropped[0.0]) == 4 + 6
    common = "it has nothing but a few pages that many hosts have"
    assert held[1.1] == {common} and not held[0.0]


def judged(pages, elsewhere, not_compared, unsure):
    """Why one host is held back, of which nothing else is known."""
    one, no = np.array([0]), np.zeros(1, bool)
    doubts = Doubts(np.array([unsure]), no, no)
    drops = Drops.of(one, one + 1, np.array([0.99]), no, Settings(), doubts=doubts)
    drops.measured[0] = pages, elsewhere, not_compared, pages, 0
    drops.judge(one, *np.zeros((5, 2), np.int64))
    return drops.why_held(one)[0]


@pytest.mark.parametrize(
    ("pages", "elsewhere", "unsure", "held"),
    [(40, 25, True, True), (40, 26, True, False), (40, 25, False, False), (29, 16, True, False)],
)
def test_of_a_large_host_more_must_be_known_unless_it_is_sure(pages, elsewhere, unsure, held):
    """The other pages cannot be compared."""
    why = judged(pages, elsewhere, pages - elsewhere, unsure)
    assert why == ("too few of its pages are known to stand there" if held else "")


def test_pages_that_are_not_there_are_no_pages_that_cannot_be_compared():
    assert judged(40, 25, 0, unsure=True) == ""
