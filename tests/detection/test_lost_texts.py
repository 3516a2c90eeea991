"""What a drop loses where texts are known: words decide, not titles; and an empty page or the start
of a text stands in for nothing.
"""

from __future__ import annotations

import random

import polars as pl
import pytest
from conftest import rest_slow

import replicadb

FULL, OTHER = "aaa-full.com", "b.net"
NAVIGATION = "home about contact imprint search basket"


def text(seed: str, words: int = 80) -> str:
    """A text of words of its own, beside those of every page."""
    draw = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    own = ["".join(draw.choices(letters, k=7)) for _ in range(words)]
    return f"{NAVIGATION} {' '.join(own)}"


def crawl(folder, other) -> list[dict]:
    """Two hosts of twenty pages at the same paths with the same titles, and what stands at the
    other's page n: ``other(n, text of the first)``.
    """
    rows = []
    for n in range(20):
        first = text(f"page {n}")
        for host, body in ((FULL, first), (OTHER, other(n, first))):
            rows.append((f"https://{host}/doc/{n}", f"Part {n}", body))
    rows += [
        (f"https://own{k}.org/{n}", f"Own {k} {n}", text(f"own {k} {n}"))
        for k in range(40)
        for n in range(5)
    ]
    path = folder / "crawl.parquet"
    pl.DataFrame(rows, schema=["url", "title", "text"], orient="row").write_parquet(path)
    return path


def lists(tmp_path, other, **load) -> tuple[dict, dict]:
    """Hosts to drop and their host to keep; hosts held and why."""
    with replicadb.open(":memory:") as web:
        web.load(crawl(tmp_path, other), content=True, **load)
        web.detect(min_probability=0.01, kinds="all")
        dropped = dict(web.database.rows("SELECT host, canonical_host FROM flagged_hosts"))
        return dropped, dict(web.database.rows("SELECT host, why FROM held_hosts"))


def half(n: int, changed: str, same: str) -> str:
    return changed if n % 2 else same


@pytest.mark.parametrize(
    ("other", "dropped"),
    rest_slow(
        [
            (lambda n, t: half(n, text(f"other {n}"), t), {}),  # other texts
            (lambda n, t: half(n, "", t), {OTHER: FULL}),  # half of it came empty
            (lambda n, t: half(n, " ".join(t.split()[:26]), t), {OTHER: FULL}),  # its first lines
            (lambda n, t: half(n, f"{t} {text(f'ads {n}', 30)}", t), {FULL: OTHER}),
            (lambda n, t: half(n, f"{NAVIGATION} {n}", t), {OTHER: FULL}),  # no word of its own
        ]
    ),
    ids=["other texts", "empty", "first lines", "more text", "navigation"],
)
def test_the_host_goes_whose_words_all_stand_at_the_other(tmp_path, other, dropped):
    found, held = lists(tmp_path, other)
    assert found == dropped
    assert set(held.values()) == (set() if dropped else {"pages at the same paths differ"})


@pytest.mark.slow
def test_where_no_text_is_known_titles_decide_as_before(tmp_path):
    path = crawl(tmp_path, lambda n, t: half(n, text(f"other {n}"), t))
    with replicadb.open(":memory:") as web:
        frame = pl.read_parquet(path).with_columns(digest=pl.col("text").hash().cast(pl.String))
        frame.drop("text").write_parquet(path)
        web.load(path)
        web.detect(min_probability=0.01, kinds="all")
        assert len(web.flagged_hosts()) == 1 and not len(web.sql("FROM held_hosts"))


@pytest.mark.slow
def test_the_words_that_stand_elsewhere_are_those_one_counts_by_hand(tmp_path):
    """A slow reference of sql/detect/74_drops for texts that are changed to any degree."""

    def other(n: int, first: str) -> str:
        words = first.split()
        return " ".join([*words[: 6 + 4 * n], *text(f"other {n}").split()[6 + 4 * n :]])

    dropped, held = lists(tmp_path, other)
    with replicadb.open(":memory:") as web:
        web.load(tmp_path / "crawl.parquet", content=True)
        web.detect(min_probability=0.01, kinds="all")
        (row,) = web.database.rows("SELECT pages, elsewhere, unlike FROM internal.held")
    stay = sum(4 * n >= 40 for n in range(20))
    assert not dropped and list(held.values()) == ["pages at the same paths differ"]
    assert row == (20, stay, 20 - stay)


@pytest.mark.parametrize(
    ("own", "missing", "stays"),
    rest_slow([(50, 0, True), (50, 10, False), (12, 0, False)]),
    ids=["larger", "neither is a part", "little of its own"],
)
def test_a_host_with_much_of_its_own_does_not_go_for_a_part_of_it(tmp_path, own, missing, stays):
    """Hosts with a mirror of seventy pages and ``own`` others; three have the mirror alone, the
    first of them with ``missing`` other pages.
    """
    rows = [(f"http://part{k}.net/m/{n}", f"manual {n}") for k in range(3) for n in range(70)]
    rows += [(f"http://part{k}.net/x/{n}", f"x {n}") for k in range(3) for n in range(missing)]
    for k in range(4):
        rows += [(f"http://large{k}.edu/mirror/m/{n}", f"manual {n}") for n in range(70)]
        rows += [(f"http://large{k}.edu/own/{n}", f"own {k} {n}") for n in range(own)]
    rows += [(f"http://own{k}.org/{n}", f"{k} {n}") for k in range(40) for n in range(5)]
    pl.DataFrame(rows, schema=["url", "digest"], orient="row").write_csv(tmp_path / "c.csv")
    with replicadb.open(":memory:") as web:
        web.load(tmp_path / "c.csv")
        web.detect(min_probability=0.01, kinds="all", keep="short")
        dropped = dict(web.database.rows("SELECT host, canonical_host FROM flagged_hosts"))
        held = dict(web.database.rows("SELECT host, why FROM held_hosts"))
    assert {"part1.net", "part2.net"} <= set(dropped)
    for_a_part = [h for h, kept in dropped.items() if "edu" in h and "part" in kept]
    assert bool(for_a_part) is not stays
    assert set(held.values()) == ({"many of its pages stand nowhere else"} if stays else set())
