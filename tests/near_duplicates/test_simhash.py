"""Similarity hashes: the signature by its definition, and all pairs within k bits against a
comparison of all with all.

Tries signature_join, too.
"""

from __future__ import annotations

import hashlib
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_database import terms_of, with_pages

from replicadb.errors import LimitError
from replicadb.near_duplicates import pair_expansion, simhash
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.term_vectors import build_vectors
from replicadb.store.arrow import insert_arrow
from replicadb.store.database import Database

pytestmark = pytest.mark.slow

WORDS = [f"w{i}" for i in range(60)]
TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=3, max_size=25
)


def slow_simhash(weights: dict[str, int]) -> int:
    """Charikar's sum of +w and -w, bit by bit."""
    sums = [0] * 64
    for term, weight in weights.items():
        number = int.from_bytes(hashlib.md5(term.encode()).digest()[8:], "little")
        for i in range(64):
            sums[i] += weight if number >> i & 1 else -weight
    return sum(1 << i for i in range(64) if sums[i] > 0)


@pytest.fixture(scope="module")
def empty():
    with Database(":memory:") as db:
        yield db


@given(
    st.dictionaries(
        st.text(st.characters(categories=("L", "N")), min_size=1, max_size=5),
        st.integers(1, 10**9),
        max_size=20,
    )
)
@settings(max_examples=30, deadline=None)
def test_a_signature_is_charikars(weights):
    assert simhash.simhash_of(weights) == slow_simhash(weights)


def test_a_tie_is_a_zero_and_no_terms_are_zero():
    assert simhash.simhash_of({}) == 0
    both = simhash.simhash_of({"a": 1}) & simhash.simhash_of({"b": 1})
    assert simhash.simhash_of({"a": 3, "b": 3}) == both


def doubled(page: dict) -> dict[str, int]:
    weights = {"url": 4, "title": 4, "text": 2}
    found: dict[str, int] = {}
    for field, counts in terms_of(page).items():
        for term, n in counts.items():
            found[term] = found.get(term, 0) + n * weights[field]
    return found


@pytest.mark.parametrize("rows", [3, 1 << 17])
def test_every_page_has_the_signature_of_its_weighted_terms(web, monkeypatch, rows):
    monkeypatch.setattr(simhash, "ROWS", rows)
    rng = np.random.default_rng(1)
    pages = [
        {
            "url": f"http://h{i}.net/p{i}",
            "title": f"title {i % 3}",
            "text": " ".join(rng.choice(WORDS, int(i))),
        }
        for i in range(40)
    ]
    ids = with_pages(web, pages)
    build_vectors(web.database, PageOptions())
    assert simhash.write_signatures(web.database) == 40
    expected = {i: slow_simhash(doubled(page)) for i, page in zip(ids, pages, strict=True)}
    assert dict(web.database.rows("FROM page_keys")) == expected


def test_equal_stems_have_one_hash_whatever_the_order_of_loading(web, tmp_path):
    simhashes = []
    with Database(tmp_path / "other.duckdb") as other:
        for db, first in ((web.database, "running"), (other, "runs")):
            with_pages(
                db,
                [
                    {"url": "http://a.net/", "text": first},
                    {"url": "http://b.net/", "text": "runs running"},
                ],
            )
            build_vectors(db, PageOptions(stem="english"))
            simhash.write_signatures(db)
            simhashes.append(db.value("SELECT key FROM page_keys WHERE url_id = 2"))
    assert simhashes[0] == simhashes[1]


def planted(rng: np.random.Generator, n: int) -> np.ndarray:
    """Signatures at every small distance of each other, and random ones."""
    keys = rng.integers(0, 2**64, n, dtype=np.uint64)
    flips = np.zeros(n, np.uint64)
    for _ in range(10):
        flips ^= np.where(
            rng.random(n) < 0.5,
            np.uint64(1) << rng.integers(0, 64, n).astype(np.uint64),
            np.uint64(0),
        )
    return np.concatenate([keys, keys ^ flips, keys[: n // 4]])


def slow_near(keys: np.ndarray, bits: int) -> set[tuple[int, int, float]]:
    distance = np.bitwise_count(keys[:, None] ^ keys[None, :])
    return {
        (int(min(keys[i], keys[j])), int(max(keys[i], keys[j])), 1 - distance[i, j] / 64)
        for i, j in zip(*np.nonzero((distance <= bits) & (distance > 0)), strict=True)
    }


@pytest.mark.parametrize(
    ("bits", "extra"),
    [(0, 0), (0, 2), (3, 0), (5, 2), (8, 1)],
)
def test_all_pairs_within_k_bits_and_no_others_each_once(empty, monkeypatch, bits, extra):
    """At the plain pigeonhole and with more blocks, of which several must agree."""
    monkeypatch.setattr(simhash, "blocks_for", lambda keys, k, n: min(k + 1 + extra, 10))
    keys = planted(np.random.default_rng(bits), 150)
    assert near(empty, keys, bits) == sorted(slow_near(keys, bits))


@given(
    st.lists(
        st.tuples(st.integers(0, 2**64 - 1), st.sets(st.integers(0, 63), max_size=9)), max_size=25
    ),
    st.integers(0, 8),
)
@settings(max_examples=8, deadline=None)
def test_no_choice_of_signatures_loses_a_pair(empty, seeds, bits):
    keys = np.array(
        [key for seed, flips in seeds for key in (seed, seed ^ sum(1 << i for i in flips))],
        np.uint64,
    )
    assert near(empty, keys, bits) == sorted(slow_near(keys, bits))


def near(db: Database, keys: np.ndarray, bits: int) -> list[tuple]:
    db.run("near_duplicates/30_simhash", only="page_keys")
    if len(keys):
        insert_arrow(db, "page_keys", {"url_id": np.arange(len(keys)), "key": keys})
    simhash.near_signatures(db, bits)
    return sorted(db.rows("FROM near_keys"))


def slow_pairs(pages: list[dict], ids: list[int], bits: int) -> set[tuple[int, int, float]]:
    keys = [
        (i, slow_simhash(doubled(page)))
        for i, page in zip(ids, pages, strict=True)
        if set(terms_of(page)) != {"url"}
    ]
    return {
        (i, j, 1 - (x ^ y).bit_count() / 64)
        for (i, x), (j, y) in combinations(keys, 2)
        if (x ^ y).bit_count() <= bits
    }


@given(TEXTS, st.integers(0, 8), st.randoms(use_true_random=False), st.sampled_from([1, 2]))
@settings(max_examples=4, deadline=None)
def test_pages_at_most_k_bits_apart_whatever_their_order_and_the_threads(
    empty, texts, bits, random, threads
):
    pages = [{"url": "http://h.net/", "text": text} for text in texts]
    random.shuffle(pages)
    empty.execute("SET threads = $threads", {"threads": threads})
    for table in ("urls", "page_contents", "terms", "page_terms", "hosts", "origins"):
        empty.execute(f"DELETE FROM {table}")
    ids = with_pages(empty, pages)
    counts = simhash.find(empty, PageOptions(bits=bits))
    rows = empty.rows("FROM found")
    assert len(rows) == len(set(rows)) == counts["pairs"]
    assert set(rows) == slow_pairs(pages, ids, bits)


def test_pages_without_terms_are_not_compared(web):
    with_pages(web, [{"url": "", "text": "..."}, {"url": "", "text": ""}, {"url": "", "text": "a"}])
    assert simhash.find(web.database, PageOptions(bits=8)) | {"blocks": 0, "choices": 0} == {
        "pages": 1,
        "keys": 1,
        "stars": 0,
        "pairs_not_written": 0,
        "pairs": 0,
        "blocks": 0,
        "choices": 0,
        "candidates": 0,
    }


def test_a_great_many_equal_pages_are_a_star_whose_centre_meets_the_near_ones(web, monkeypatch):
    monkeypatch.setattr(pair_expansion, "FAN_OUT", 3)
    db = web.database
    with_pages(web, [{"url": f"http://h.net/{n}", "text": ""} for n in range(1, 9)])
    db.run("near_duplicates/30_simhash", only="page_keys")
    insert_arrow(
        db,
        "page_keys",
        {"url_id": np.arange(1, 9), "key": np.array([0, 7, 7, 7, 7, 3, 3, 2**63], np.uint64)},
    )
    work = simhash.near_signatures(db, 2)
    assert work["candidates"] >= 2
    counts = pair_expansion.write_pairs(db, 0, "")
    assert sorted(db.rows("SELECT a_id, b_id, 64 - score * 64 FROM found")) == sorted(
        [
            (2, 3, 0),
            (2, 4, 0),
            (2, 5, 0),  # the star of 7
            (6, 7, 0),
            (2, 6, 1),
            (2, 7, 1),  # 3, one bit from 7
            (1, 6, 2),
            (1, 7, 2),
            (1, 8, 1),
        ]
    )  # 0, two bits from 3, one from 2^63
    assert counts == {"pages": 8, "keys": 4, "stars": 1, "pairs_not_written": 3, "pairs": 9}


def test_more_near_signatures_than_may_be_are_refused_before_they_are_written(empty):
    keys = np.arange(64, dtype=np.uint64)
    with pytest.raises(LimitError, match="--bits"):
        empty.run("near_duplicates/30_simhash", only="page_keys")
        insert_arrow(empty, "page_keys", {"url_id": np.arange(64), "key": keys})
        simhash.near_signatures(empty, 6, max_pairs=1000)
    assert empty.value("SELECT count(*) FROM near_keys") <= 1001


def test_a_page_from_outside_has_the_pairs_that_it_would_have_inside(web):
    rng = np.random.default_rng(2)
    pages = [
        {"url": "http://h.net/", "text": " ".join(rng.choice(WORDS, 6)) + " " + " ".join(WORDS)}
        for _ in range(30)
    ]
    unrelated = {"url": "http://h.net/", "text": " ".join([*WORDS, "unheard of"])}
    ids = with_pages(web, pages)
    counts = simhash.find(
        web.database,
        PageOptions(bits=8),
        SimpleNamespace(content=SimpleNamespace(terms=terms_of(unrelated))),
    )
    expected = {
        (-1, b, score) for a, b, score in slow_pairs([unrelated, *pages], [-1, *ids], 8) if a == -1
    }
    rows = web.database.rows("FROM found")
    assert expected and set(rows) == expected and counts == {"pages": 30, "pairs": len(rows)}


def test_blocks_grow_with_pages_and_bits_and_with_signatures_that_are_alike():
    keys = np.random.default_rng(3).integers(0, 2**64, 5000, dtype=np.uint64)
    alike = keys & np.uint64(0x3333333333333333)
    assert simhash.blocks_for(keys, 3, 5000) == 4
    assert simhash.blocks_for(keys, 8, 100_000) > 9 and simhash.blocks_for(keys, 3, 10_000_000) > 4
    assert simhash.blocks_for(alike, 8, 100_000) > simhash.blocks_for(keys, 8, 100_000)
    assert simhash.blocks_for(keys[:0], 8, 0) == 9


def test_a_heavy_page_does_not_overflow():
    heavy = dict.fromkeys(WORDS, 2**30)
    assert simhash.simhash_of(heavy) == slow_simhash(heavy)
