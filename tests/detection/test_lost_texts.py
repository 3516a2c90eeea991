"""What a drop loses where texts are known: words decide, not titles; and an empty page or the start
of a text stands in for nothing.
"""

from __future__ import annotations

import random

import polars as pl
import pytest

import replicadb

NAVIGATION = "home about contact imprint search basket"


def text(seed: str, words: int = 80) -> str:
    """A text of words of its own, beside those of every page."""
    draw = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    own = ["".join(draw.choices(letters, k=7)) for _ in range(words)]
    return f"{NAVIGATION} {' '.join(own)}"


def to_a_degree(case: str, n: int, first: str) -> str:
    """Texts that are changed to any degree."""
    words = first.split()
    return " ".join([*words[: 6 + 4 * n], *text(f"{case} {n}").split()[6 + 4 * n :]])


def half(changed):
    """Every other page is changed, given its number and the text of the first host."""
    return lambda case, n, first: changed(case, n, first) if n % 2 else first


OTHERS = {
    "other-texts": (half(lambda case, n, first: text(f"{case} {n}")), None),
    "empty": (half(lambda case, n, first: ""), "other"),
    "first-lines": (half(lambda case, n, first: " ".join(first.split()[:26])), "other"),
    "more-text": (half(lambda case, n, first: f"{first} {text(f'{case} {n}', 30)}"), "full"),
    "navigation": (half(lambda case, n, first: f"{NAVIGATION} {n}"), "other"),  # no own word
    "to-any-degree": (to_a_degree, None),
}
"""What stands at the other host, and which of the two is dropped."""


def hosts(case: str) -> dict[str, str]:
    return {"full": f"aaa-full-of-{case}.com", "other": f"b-{case}.net"}


def crawl(cases) -> pl.DataFrame:
    """For each case two hosts of twenty pages at the same paths with the same titles."""
    rows = []
    for case in cases:
        full, other = hosts(case).values()
        for n in range(20):
            first = text(f"{case}: page {n}")
            for host, body in ((full, first), (other, OTHERS[case][0](case, n, first))):
                rows.append((f"https://{host}/{case}/{n}", f"Part {n} of {case}", body))
    rows += [
        (f"https://own{k}.org/{n}", f"Own {k} {n}", text(f"own {k} {n}"))
        for k in range(40)
        for n in range(5)
    ]
    return pl.DataFrame(rows, schema=["url", "title", "text"], orient="row")


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """All of OTHERS, detected; do not change it."""
    path = tmp_path_factory.mktemp("texts") / "crawl.parquet"
    crawl(OTHERS).write_parquet(path)
    with replicadb.open(path.with_suffix(".duckdb"), threads=1) as web:
        web.load(path, content=True)
        web.detect(min_probability=0.01, kinds="all")
        yield web


def lists(web) -> tuple[dict[str, str], dict[str, str]]:
    """Hosts to drop and their host to keep; hosts held and why."""
    dropped = dict(web.database.rows("SELECT host, canonical_host FROM flagged_hosts"))
    return dropped, dict(web.database.rows("SELECT host, why FROM held_hosts"))


@pytest.mark.parametrize("case", OTHERS)
def test_the_host_goes_whose_words_all_stand_at_the_other(web, case):
    dropped, held = lists(web)
    mine, gone = hosts(case), OTHERS[case][1]
    stays = mine["other" if gone == "full" else "full"]
    for host in mine.values():
        assert dropped.get(host) == (stays if gone and host == mine[gone] else None)
    reasons = {held[host] for host in mine.values() if host in held}
    assert reasons == (set() if gone else {"pages at the same paths differ"})
    assert len(dropped) == sum(gone is not None for _, gone in OTHERS.values())


@pytest.mark.slow
def test_where_no_text_is_known_titles_decide_as_before(tmp_path):
    frame = crawl(["other-texts"]).with_columns(digest=pl.col("text").hash().cast(pl.String))
    frame.drop("text").write_parquet(tmp_path / "crawl.parquet")
    with replicadb.open(":memory:") as web:
        web.load(tmp_path / "crawl.parquet")
        web.detect(min_probability=0.01, kinds="all")
        assert len(web.flagged_hosts()) == 1 and not len(web.sql("FROM held_hosts"))


def test_the_words_that_stand_elsewhere_are_those_one_counts_by_hand(web):
    """A slow reference of sql/detect/74_drops."""
    (row,) = web.database.rows(
        "SELECT pages, elsewhere, unlike FROM internal.held JOIN hosts USING (host_id)"
        " WHERE host IN ?",
        [[*hosts("to-any-degree").values()]],
    )
    stay = sum(4 * n >= 40 for n in range(20))
    assert row == (20, stay, 20 - stay)


LARGE = {
    "larger": (50, 0, True),
    "neither-is-a-part": (50, 10, False),
    "little-of-its-own": (12, 0, False),
}
"""How many pages the larger hosts have of their own and the small ones too, and whether
the larger ones stay.
"""


def parts_of(case: str) -> list[tuple[str, str]]:
    """Four hosts with a mirror of seventy pages and ``own`` others; three have the mirror
    and ``missing`` other pages alone.
    """
    own, missing, _ = LARGE[case]
    manual = [(f"m-{case}/{n}", f"manual {case} {n}") for n in range(70)]
    rows = []
    for k in range(3):
        rows += [(f"http://part{k}-{case}.net/{path}", digest) for path, digest in manual]
        rows += [(f"http://part{k}-{case}.net/x/{n}", f"x {case} {n}") for n in range(missing)]
    for k in range(4):
        large = f"http://large{k}-{case}.edu"
        rows += [(f"{large}/mirror/{path}", digest) for path, digest in manual]
        rows += [(f"{large}/own-{case}/{n}", f"own {case} {k} {n}") for n in range(own)]
    return rows


@pytest.fixture(scope="module")
def parts(tmp_path_factory) -> tuple[dict[str, str], dict[str, str]]:
    """Found in a crawl of the first and in one of the others, which would move its curve."""
    first, *others = LARGE
    dropped, held = {}, {}
    for cases in ([first], others):
        rows = [row for case in cases for row in parts_of(case)]
        rows += [(f"http://own{k}.org/{n}", f"{k} {n}") for k in range(40) for n in range(5)]
        path = tmp_path_factory.mktemp("parts") / "c.csv"
        pl.DataFrame(rows, schema=["url", "digest"], orient="row").write_csv(path)
        with replicadb.open(path.with_suffix(".duckdb"), threads=1) as web:
            web.load(path)
            web.detect(min_probability=0.01, kinds="all", keep="short")
            for all_of_them, found in zip((dropped, held), lists(web), strict=True):
                all_of_them |= found
    return dropped, held


@pytest.mark.parametrize("case", LARGE)
def test_when_a_host_goes_for_a_part_of_it(parts, case):
    dropped, held = ({h: v for h, v in of.items() if f"-{case}." in h} for of in parts)
    stays = LARGE[case][2]
    assert {f"part1-{case}.net", f"part2-{case}.net"} <= set(dropped)
    for_a_part = [h for h, kept in dropped.items() if "edu" in h and "part" in kept]
    assert bool(for_a_part) is not stays
    assert set(held.values()) == (
        {
            "many of its pages do not stand at the other",
            "too few of its pages are known to stand there",  # 50 at equal paths are not compared
        }
        if stays
        else set()
    )
