"""Random projection: signatures of a page alone, and every pair within eps, as comparing all with
all finds them.

Tries box_search and term_vectors, too.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_database import terms_of, with_pages

from replicadb.errors import UsageError
from replicadb.near_duplicates import box_search, random_projection, signature_join
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.term_vectors import sparse_matrices
from replicadb.store.database import Database

WORDS = (
    "one two three four five six seven eight nine ten eleven twelve dwelling river stone harbour"
    " letter cloud engine".split()
)


def page(number: int, text: str, **more) -> dict:
    return {"url": f"http://h{number}.net/p{number}", "text": text} | more


def asking(given_page: dict) -> SimpleNamespace:
    return SimpleNamespace(content=SimpleNamespace(terms=terms_of(given_page)), url_id=None)


def some_pages(count: int) -> list[dict]:
    """Pages of 30 words, every third an edit of the one before, every seventh its copy."""
    draw = np.random.default_rng(3)
    texts: list[list[str]] = []
    for i in range(count):
        words = list(draw.choice(WORDS, 30)) if i % 3 != 2 else [*texts[-1][:-1], "changed"]
        texts.append(texts[-1] if i % 7 == 6 else words)
    return [page(i, " ".join(words)) for i, words in enumerate(texts)]


def by_definition(found: random_projection.Signatures, eps: float) -> dict[tuple[int, int], float]:
    """The slow reference: all pairs."""
    pairs = {}
    for i, a in enumerate(found.points):
        for j in range(i + 1, len(found.points)):
            difference = max(
                abs(x - y) for x, y in zip(a.tolist(), found.points[j].tolist(), strict=True)
            )
            if difference <= eps:
                pairs[int(found.url_ids[i]), int(found.url_ids[j])] = 1 - difference
    return pairs


@pytest.fixture(scope="module")
def sixty():
    """Of some_pages(60)."""
    with Database(":memory:") as db:
        with_pages(db, some_pages(60))
        yield db


@pytest.mark.parametrize("eps", [0.0, 0.004, 0.02, 0.2])
def test_pairs_are_those_of_comparing_every_page_with_every_other(sixty, eps):
    options = PageOptions(eps_rp=eps)
    counts = random_projection.find(sixty, options)
    expected = by_definition(random_projection.signatures(sixty, options), eps)
    rows = sixty.rows("SELECT a_id, b_id, score FROM found")
    assert {(a, b): score for a, b, score in rows} == expected and len(rows) == len(
        expected
    ) == counts["pairs"]
    assert counts["pages"] == 60 and counts["keys"] < 60


@given(
    st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=2, max_size=40),
    st.integers(0, 3),
)
@settings(max_examples=30, deadline=None)
def test_the_index_finds_each_pair_once_also_those_that_differ_by_just_eps(cells, steps):
    points, eps = (
        np.array(cells) * 0.1,
        steps * 0.1,
    )  # differences such as 0.3 - 0.2 lie a hair beside 0.1
    found = set()
    for a, b in box_search.neighbours(points, eps):
        keep, _ = signature_join.colliding(points, a, b, eps)
        new = set(zip(a[keep].tolist(), b[keep].tolist(), strict=True))
        assert not new & found
        found |= new
    assert found == {
        (i, j)
        for i in range(len(points))
        for j in range(i + 1, len(points))
        if np.abs(points[i] - points[j]).max() <= eps
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("leaf", "rows", "block"), [(3, 1 << 14, 50), (20, 10, 1), (128, 1 << 14, 500_000)]
)
@given(st.integers(0, 10_000))
@settings(max_examples=4, deadline=None)
def test_leaves_and_blocks_of_any_size_lose_nothing(leaf, rows, block, seed):
    points = np.random.default_rng(seed).normal(0.5, 0.01, (300, 4))
    before = box_search.LEAF, box_search.ROWS, box_search.BLOCK
    box_search.LEAF, box_search.ROWS, box_search.BLOCK = leaf, rows, block
    try:
        blocks = list(box_search.neighbours(points, 0.005))
    finally:
        box_search.LEAF, box_search.ROWS, box_search.BLOCK = before
    found = {pair for a, b in blocks for pair in zip(a.tolist(), b.tolist(), strict=True)}
    apart = np.abs(points[:, None] - points[None]).max(axis=2)
    near = set(
        zip(*(places.tolist() for places in np.nonzero(np.triu(apart <= 0.005, 1))), strict=True)
    )
    assert near <= found and all(
        apart[pair] <= 0.005 + 2e-6 and pair[0] < pair[1] for pair in found
    )
    assert sum(len(a) for a, _ in blocks) == len(found)


@pytest.mark.slow
def test_a_signature_depends_on_the_page_alone(web, _empty, tmp_path):
    pages = some_pages(20)
    with_pages(web, pages)
    alone = random_projection.signatures(web.database, PageOptions()).points
    web.database.execute(
        "DELETE FROM page_terms; DELETE FROM terms; DELETE FROM page_contents; DELETE FROM urls"
    )
    with_pages(
        web,
        [
            page(99, "words of other pages come first " + " ".join(reversed(WORDS))),
            *reversed(pages),
        ],
    )
    web.database.execute("SET threads = 1")
    later = random_projection.signatures(web.database, PageOptions()).points
    assert (later[1:][::-1] == alone).all()
    assert (alone >= 0).all() and (alone <= 1).all()
    assert (random_projection.signatures(web.database, PageOptions(seed=1)).points != later).any()


def test_parts_of_the_matrix_and_small_batches_make_the_same_signature(web, monkeypatch):
    with_pages(web, some_pages(20))
    whole = random_projection.signatures(web.database, PageOptions(dimensions=10)).points
    monkeypatch.setattr(random_projection, "ENTRIES", 3 * len(WORDS))
    monkeypatch.setattr(random_projection, "BATCH", 7)
    assert (
        random_projection.signatures(web.database, PageOptions(dimensions=10)).points == whole
    ).all()


def test_a_signature_is_the_projection_of_the_shares_of_the_words(web):
    with_pages(
        web,
        [
            page(1, "stone stone river", title="Harbour"),
            page(2, "stone"),
            page(3, "river"),
            page(4, "harbour"),
        ],
    )
    points = random_projection.signatures(web.database, PageOptions(dimensions=5)).points
    assert points[0] == pytest.approx(
        (2 * points[1] + points[2] + points[3]) / 4, abs=1e-12
    )  # the URL's own words are left out


def test_words_of_links_count_an_eighth_and_decide_where_there_are_no_others(web):
    menu = {"links": [("http://x.net/", "river"), ("http://y.net/", "river")]}
    with_pages(
        web,
        [page(1, "stone " * 4, **menu), page(2, "stone"), page(3, "river"), page(4, "", **menu)],
    )
    points = random_projection.signatures(web.database, PageOptions(dimensions=5)).points
    assert points[0] == pytest.approx((4 * points[1] + 2 / 8 * points[2]) / (4 + 2 / 8), abs=1e-12)
    assert (points[3] == points[2]).all()


def test_entries_are_uniform_uncorrelated_and_the_same_for_ever():
    matrix = (
        random_projection.term_matrix(np.arange(20_000, dtype=np.uint64), np.arange(8), 0)
        / random_projection.ONE
    )
    assert np.abs(matrix).max() < 1 and abs(matrix.mean()) < 0.01
    assert np.abs(np.cov(matrix.T) - np.eye(8) / 3).max() < 0.01
    assert np.abs(np.corrcoef(matrix[:-1, 0], matrix[1:, 0])[0, 1]) < 0.03


def test_entries_are_splitmix64_in_plain_numbers():
    def mixed(x: int) -> int:
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        return x ^ (x >> 31)

    matrix = random_projection.term_matrix(np.array([1, 2**64 - 1], np.uint64), np.array([0, 5]), 7)
    for i, digest in enumerate((1, 2**64 - 1)):
        for j, column in enumerate((0, 5)):
            step = mixed((7 * 2**16 + column + 1) * 0x9E3779B97F4A7C15 % 2**64)
            assert matrix[i, j] == 2 * (mixed((digest + step) % 2**64) >> 32) + 1 - 2**32
    assert matrix.tolist() == GOLDEN  # signatures stay comparable from one version to the next


GOLDEN = [[1176303085, 2628096699], [-163294683, -513713269]]


def test_one_order_of_the_words_is_as_good_as_another_and_a_page_twice_as_long_too(web):
    with_pages(
        web,
        [
            page(1, "river stone river"),
            page(2, "stone river river"),
            page(3, "stone river river " * 2),
            page(4, "stone river"),
        ],
    )
    random_projection.find(web.database, PageOptions(eps_rp=0.0))
    assert set(web.database.rows("FROM found")) == {(1, 2, 1.0), (1, 3, 1.0), (2, 3, 1.0)}


def test_pages_without_terms_and_superseded_captures_are_not_compared(web):
    with_pages(
        web, [page(1, ""), page(2, "?!"), page(3, "stone"), page(4, "stone", superseded=True)]
    )
    assert random_projection.find(web.database, PageOptions())["pages"] == 1
    assert web.database.rows("FROM found") == []
    web.database.execute("DELETE FROM page_terms")
    assert random_projection.find(web.database, PageOptions())["pairs"] == 0


def test_stop_words_and_stems_count_and_a_stem_is_the_same_whoever_has_it(web, write):
    with_pages(web, [page(1, "the running rivers"), page(2, "run river"), page(3, "the stone")])
    options = PageOptions(stem="english", stop_words=str(write("stop.txt", "the")), eps_rp=0.0)
    random_projection.find(web.database, options)
    assert web.database.rows("SELECT a_id, b_id FROM found") == [(1, 2)]


@pytest.mark.slow
def test_a_page_from_outside_has_the_pairs_that_it_would_have_inside(web):
    pages = some_pages(40)
    ids = with_pages(web, pages)
    options = PageOptions(eps_rp=0.03)
    random_projection.find(web.database, options)
    inside = web.database.rows(
        "SELECT b_id, score FROM found WHERE a_id = 2 UNION ALL SELECT a_id, score FROM found WHERE"
        " b_id = 2"
    )
    counts = random_projection.find(web.database, options, asking(pages[1]))
    rows = dict(web.database.rows("SELECT b_id, score FROM found WHERE a_id = -1"))
    assert (
        rows.pop(ids[1]) == 1.0
        and rows == dict(inside)
        and counts == {"pages": 40, "pairs": len(rows) + 1}
    )
    assert random_projection.find(web.database, options, asking(page(9, "")))["pairs"] == 0
    assert (
        random_projection.find(web.database, options, asking(page(9, "words that no page has")))[
            "pairs"
        ]
        == 0
    )


def test_without_scipy_one_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(UsageError, match=r"^mwo needs SciPy, .* pip install 'replicadb\[pages\]'$"):
        sparse_matrices("mwo needs")
