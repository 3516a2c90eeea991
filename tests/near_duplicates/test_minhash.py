"""MinHash: signatures estimate the Jaccard coefficient of shingle sets, bands find the pairs, and
what is found is verified.

Tries shingles, too.
"""

from __future__ import annotations

import sys
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_database import with_pages

from replicadb.errors import UsageError
from replicadb.near_duplicates import minhash, shingles
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.shingles import Shingler
from replicadb.store.database import Database
from replicadb.web.terms import words


def shingle_set(text: str) -> set[tuple[str, ...]]:
    terms = words(text)
    return {tuple(terms[i : i + 5]) for i in range(max(len(terms) - 4, 1))} if terms else set()


def jaccard(a: str, b: str) -> float:
    left, right = shingle_set(a), shingle_set(b)
    return len(left & right) / len(left | right)


def edited(rng: np.random.Generator, terms: list[str], edits: int) -> str:
    copy = list(terms)
    for i in range(edits):
        copy[rng.integers(len(copy))] = f"edit{i}"
    return " ".join(copy)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Sixty texts of 200 terms, each followed by three with more and more edits."""
    rng = np.random.default_rng(0)
    found = []
    for i in range(60):
        terms = [f"t{n}" for n in rng.integers(0, 5000, 200)]
        found += [" ".join(terms), *(edited(rng, terms, edits) for edits in (1, 3, 2 + i // 4))]
    return found


def pages_of(texts: list[str]) -> list[dict]:
    return [{"url": f"http://h.net/{i}", "main_text": text} for i, text in enumerate(texts)]


def test_the_estimate_lies_within_three_standard_errors_of_the_jaccard_of_shingle_sets(texts):
    kept, signatures = Shingler(PageOptions(permutations=256)).signatures(texts)
    assert kept.tolist() == list(range(len(texts)))
    errors = []
    for i in range(0, len(texts), 4):
        for j in (i + 1, i + 2, i + 3):
            true = jaccard(texts[i], texts[j])
            errors.append(
                ((signatures[i] == signatures[j]).mean() - true) / np.sqrt(true * (1 - true) / 256)
            )
    assert np.mean(np.abs(errors) <= 3) >= 0.99 and abs(np.mean(errors)) <= 3 / np.sqrt(len(errors))


def test_a_signature_is_that_of_the_library(texts):
    rensa = pytest.importorskip("rensa")
    _, signatures = Shingler(PageOptions(permutations=64, seed=3)).signatures(texts[:2])
    a, b = rensa.RMinHash(64, 3), rensa.RMinHash(64, 3)
    a.update([" ".join(s) for s in shingle_set(texts[0])])
    b.update([" ".join(s) for s in shingle_set(texts[1])])
    assert signatures.shape == (2, 64) and signatures.dtype == np.uint32
    assert (
        abs(a.jaccard(b) - (signatures[0] == signatures[1]).mean()) < 0.25
    )  # other hashes of the same shingles


@pytest.mark.slow
def test_planted_pairs_are_found_and_no_others(web, texts):
    with_pages(web, pages_of(texts))
    counts = minhash.find(web.database, PageOptions())
    rows = web.database.rows("FROM found")
    found = {(a - 1, b - 1): score for a, b, score in rows}
    assert (
        len(found) == len(rows) == counts["pairs"]
        and all(a < b for a, b in found)
        and min(found.values()) >= 0.8
    )
    true = {
        (i, j): jaccard(texts[i], texts[j])
        for i, j in combinations(range(len(texts)), 2)
        if i // 4 == j // 4
    }
    sure = {pair for pair, value in true.items() if value >= 0.9}
    assert len(sure) > 60 and len(sure & set(found)) / len(sure) >= 0.98
    assert all(true.get(pair, 0) > 0.65 for pair in found)
    near = {pair for pair, value in true.items() if value >= 0.8}
    assert len(near & set(found)) / len(near) >= 0.9 and len(near & set(found)) / len(found) >= 0.9


def slow_pairs(texts: list[str], options: PageOptions) -> set[tuple[int, int, float]]:
    """All with all, by the same signatures; a pair counts if it agrees in a band."""
    threshold = minhash.THRESHOLD if options.threshold is None else options.threshold
    kept, rows = Shingler(options).signatures(texts)
    width = minhash.rows_for(threshold, options.permutations)
    found = set()
    for i, j in combinations(range(len(kept)), 2):
        same = rows[i] == rows[j]
        banded = any(
            same[k : k + width].all()
            for k in range(0, options.permutations // width * width, width)
        )
        if banded and same.mean() >= threshold:
            found.add((int(kept[i]) + 1, int(kept[j]) + 1, same.mean()))
    return found


@pytest.mark.slow
@given(
    st.lists(st.lists(st.sampled_from("abcde"), max_size=9).map(" ".join), min_size=2, max_size=20),
    st.sampled_from([0.2, 0.5, 0.8, 1.0]),
    st.integers(1, 4),
    st.integers(0, 3),
)
@settings(max_examples=3, deadline=None)
def test_pairs_are_those_of_a_comparison_of_all_with_all(empty, texts, threshold, width, seed):
    clear(empty)
    with_pages(empty, pages_of(texts))
    options = PageOptions(shingle=width, threshold=threshold, permutations=16, seed=seed)
    minhash.find(empty, options)
    rows = empty.rows("FROM found")
    assert len(rows) == len(set(rows)) and set(rows) == slow_pairs(texts, options)


@pytest.fixture(scope="module")
def empty():
    with Database(":memory:") as db:
        yield db


def clear(db: Database) -> None:
    for table in ("urls", "page_contents", "terms", "page_terms", "hosts", "origins"):
        db.execute(f"DELETE FROM {table}")


def test_signatures_do_not_depend_on_what_stands_beside_a_text(texts, monkeypatch):
    odd = [texts[0], "", "one", "one two", "...", texts[1], "日本語のテキスト"]
    kept, together = Shingler(PageOptions()).signatures(odd)
    assert kept.tolist() == [0, 2, 3, 5, 6]
    monkeypatch.setattr(shingles, "CHARACTERS", 10)
    again, portions = Shingler(PageOptions()).signatures(odd)
    alone = np.concatenate([Shingler(PageOptions()).signatures([odd[i]])[1] for i in kept])
    assert (
        again.tolist() == kept.tolist()
        and (together == alone).all()
        and (together == portions).all()
    )


def test_a_short_text_is_one_shingle_and_repeated_shingles_count_once():
    def signature(text: str, **options) -> list[int]:
        return Shingler(PageOptions(**options)).signatures([text])[1][0].tolist()

    assert signature("one two") == signature("One, two!") != signature("two one")
    assert (
        signature("a b a b a b", shingle=2)
        == signature("a b a", shingle=2)
        != signature("a b", shingle=2)
    )
    assert signature("a", seed=1) != signature("a", seed=2)


def test_stop_words_and_stems_change_the_shingles(write):
    stop = str(write("stop.txt", "the of"))
    for plain, changed, options in (
        ("king hill", "the king of the hill", {"stop_words": stop}),
        ("run home", "running home", {"stem": "english"}),
    ):
        shingler = Shingler(PageOptions(shingle=2, **options))
        _, rows = shingler.signatures([plain, changed, "the of"])
        assert (rows[0] == rows[1]).all() and len(rows) == (2 if "stop_words" in options else 3)
    with pytest.raises(UsageError, match="no stemmer"):
        Shingler(PageOptions(stem="klingon"))


def test_without_the_library_a_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "rensa", None)
    with pytest.raises(UsageError, match=r"pip install 'replicadb\[pages\]'"):
        Shingler(PageOptions())


@pytest.mark.slow
def test_order_of_loading_and_threads_change_nothing(texts):
    answers, texts = [], texts[:40]
    order = np.random.default_rng(5).permutation(len(texts))
    for threads, places in ((1, np.arange(len(texts))), (2, order)):
        with Database(f"{threads}.duckdb", threads=threads) as db:
            with_pages(db, pages_of([texts[i] for i in places]))
            minhash.find(db, PageOptions(threshold=0.7))
            answers.append(
                {
                    (*sorted((int(places[a - 1]), int(places[b - 1]))), score)
                    for a, b, score in db.rows("FROM found")
                }
            )
    assert answers[0] == answers[1] and answers[0]


def test_main_text_counts_where_there_is_one_and_old_captures_do_not(web):
    with_pages(
        web,
        [
            {"url": "http://a.net/", "text": "menu one two three", "main_text": "one two three"},
            {"url": "http://b.net/", "text": "one two three", "main_text": ""},
            {"url": "http://c.net/", "text": None},
            {"url": "http://d.net/", "text": "one two three", "superseded": True},
        ],
    )
    counts = minhash.find(web.database, PageOptions())
    assert web.database.rows("FROM found") == [(1, 2, 1.0)] and counts["pages"] == 2


@pytest.mark.slow
def test_a_page_from_outside_is_compared_with_every_page(web, texts):
    texts = texts[:80]
    with_pages(web, pages_of([*texts[1:], ""]))
    options = PageOptions(threshold=0.5)

    def ask(**content) -> list[tuple]:
        minhash.find(
            web.database,
            options,
            SimpleNamespace(
                content=SimpleNamespace(**({"main_text": None, "text": None} | content))
            ),
        )
        return web.database.rows("FROM found ORDER BY b_id")

    rows = Shingler(options).signatures(texts)[1]
    share = (rows[1:] == rows[0]).mean(axis=1)
    expected = [(-1, i + 1, share[i]) for i in np.flatnonzero(share >= 0.5)]
    assert len(expected) >= 2 and ask(main_text=texts[0]) == expected == ask(text=texts[0])
    assert ask(text="...") == []


@pytest.mark.slow
def test_a_threshold_too_low_for_the_bands_is_refused_but_not_for_one_page(web, texts):
    texts = texts[:12]
    with_pages(web, pages_of(texts))
    for permutations in (16, 128):
        low = minhash.lowest(permutations)
        assert 1 - (1 - low) ** permutations == pytest.approx(minhash.RECALL)
        with pytest.raises(UsageError, match="raise it, or take --page-method mwo --exact"):
            minhash.find(
                web.database, PageOptions(threshold=low - 0.001, permutations=permutations)
            )
        minhash.find(web.database, PageOptions(threshold=low + 0.001, permutations=permutations))
    query = SimpleNamespace(content=SimpleNamespace(main_text=texts[0], text=None))
    assert minhash.find(web.database, PageOptions(threshold=0), query)["pairs"] == len(texts)


def test_bands_keep_the_recall_at_the_threshold():
    for threshold in np.arange(0.05, 1.01, 0.05):
        rows = minhash.rows_for(threshold, 128)
        assert 1 - (1 - threshold**rows) ** (128 // rows) >= 0.95
    assert (
        minhash.rows_for(0.8, 128) == 7
        and minhash.rows_for(1.0, 128) == 128
        and minhash.rows_for(0.0, 128) == 1
    )
