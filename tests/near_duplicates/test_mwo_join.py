"""Minimum weight overlapping on vectors: the joins, filter by filter, against brute force over the
definition.

Tries mwo_vectors, too.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.near_duplicates import mwo_join, mwo_vectors
from replicadb.near_duplicates.mwo_join import Folds, exact_join, paper_join
from replicadb.near_duplicates.mwo_vectors import (
    MILLION,
    first_of_equals,
    overlaps,
    reaches,
)

from .mwo_reference import (
    brute,
    mwo,
    pairs_of,
    positions_keep,
    prefix_keeps,
    vectors_of,
)

PAGES = st.lists(
    st.dictionaries(st.integers(0, 11), st.integers(1, 6), min_size=1, max_size=9),
    min_size=2,
    max_size=14,
)
T = st.one_of(
    st.sampled_from([0, 250_000, 333_333, 500_000, 600_000, 700_000, 750_000, MILLION]),
    st.integers(0, MILLION),
)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(PAGES, T)
def test_the_joins_keep_what_the_definition_keeps_and_nothing_else(pages, millionths):
    t, vectors = Fraction(millionths, MILLION), vectors_of(pages)
    for bounded, keeps in ((False, prefix_keeps), (True, positions_keep)):
        found = pairs_of(paper_join(vectors, millionths, bounded), vectors)
        assert len(found) == len(set(found))
        assert set(found) == brute(pages, lambda a, b, keeps=keeps: keeps(a, b, t))


LONG = st.lists(
    st.tuples(st.integers(0, 900), st.integers(1000, 4000), st.integers(1, 9)),
    min_size=2,
    max_size=5,
)


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(LONG, T)
def test_the_joins_keep_what_the_definition_keeps_of_pages_of_thousands_of_terms(runs, millionths):
    pages = [{x: 1 + x % weight for x in range(first, first + n)} for first, n, weight in runs]
    t, vectors = Fraction(millionths, MILLION), vectors_of(pages)
    assert set(pairs_of(paper_join(vectors, millionths), vectors)) == brute(
        pages, lambda a, b: positions_keep(a, b, t)
    )
    assert set(pairs_of(exact_join(vectors, millionths), vectors)) >= brute(
        pages, lambda a, b: a.keys() & b.keys() and mwo(a, b) >= t
    )


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(PAGES, T)
def test_the_filters_keep_a_pair_up_to_where_they_reach(pages, millionths):
    vectors = vectors_of(pages)
    a, b = (np.array(column) for column in zip(*combinations(range(len(pages)), 2), strict=True))
    shared = np.array(
        [
            bool(pages[vectors.ids[i]].keys() & pages[vectors.ids[j]].keys())
            for i, j in zip(a, b, strict=True)
        ]
    )
    reached = shared & (reaches(vectors, a, b) >= millionths / MILLION)
    kept = {
        tuple(sorted((int(vectors.ids[i]), int(vectors.ids[j]))))
        for i, j in zip(a[reached], b[reached], strict=True)
    }
    assert kept == set(pairs_of(paper_join(vectors, millionths), vectors))


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(PAGES, T)
def test_prefixes_by_weight_lose_no_pair_of_the_threshold(pages, millionths):
    vectors = vectors_of(pages)
    found = pairs_of(exact_join(vectors, millionths), vectors)
    assert len(found) == len(set(found))
    assert set(found) >= brute(
        pages, lambda a, b: a.keys() & b.keys() and mwo(a, b) >= Fraction(millionths, MILLION)
    )


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(PAGES, T, st.sampled_from([2, 4, 64]))
def test_overlaps_are_exact_and_the_folded_bound_never_below_them(pages, millionths, buckets):
    vectors = vectors_of(pages)
    pairs = list(combinations(range(len(pages)), 2))
    a, b = (np.array(column) for column in zip(*pairs, strict=True))
    truth = [mwo(pages[vectors.ids[i]], pages[vectors.ids[j]]) for i, j in pairs]
    assert overlaps(vectors, a, b).tolist() == [float(value) for value in truth]
    folds = Folds(vectors)
    heaviest = np.arange(vectors.n_terms)
    folds.folds = [
        mwo_join.folded(vectors, heaviest, buckets),
        mwo_join.folded(vectors, heaviest, 2 * buckets),
    ]
    may = folds.may_reach(a, b, millionths)
    assert all(may[i] for i, value in enumerate(truth) if value >= Fraction(millionths, MILLION))
    assert (folds.folds[0].sum(axis=1) >= mwo_join.PARTS).all()


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(PAGES, T)
def test_jaccard_and_overlap_of_the_threshold_are_enough_for_the_default(pages, millionths):
    t, vectors = Fraction(millionths, MILLION), vectors_of(pages)
    found = set(pairs_of(paper_join(vectors, millionths), vectors))
    jaccard = brute(
        pages,
        lambda a, b: (
            a.keys() & b.keys()
            and Fraction(len(a.keys() & b.keys()), len(a.keys() | b.keys())) >= t
        ),
    )
    assert jaccard <= found


@pytest.mark.slow
def test_slices_of_any_size_give_the_same_pairs(monkeypatch):
    rng = np.random.default_rng(3)
    vectors = vectors_of(
        [{int(x): int(rng.integers(1, 5)) for x in rng.integers(0, 60, 25)} for _ in range(150)]
    )
    whole = [
        pairs_of(join, vectors)
        for join in (paper_join(vectors, 300_000), exact_join(vectors, 300_000))
    ]
    scores = overlaps(vectors, np.arange(149), np.arange(1, 150))
    for name, value in (("FLAGS", 1000), ("SLICE_ROWS", 37), ("LOOK_PAIRS", 7)):
        monkeypatch.setattr(mwo_join, name, value)
    monkeypatch.setattr(mwo_vectors, "SLICE_ENTRIES", 50)
    assert whole == [
        pairs_of(join, vectors)
        for join in (paper_join(vectors, 300_000), exact_join(vectors, 300_000))
    ]
    assert (overlaps(vectors, np.arange(149), np.arange(1, 150)) == scores).all()
    assert min(map(len, whole)) > 100


def test_equal_pages_are_one_column_even_when_their_bits_collide(monkeypatch):
    pages = [{1: 2, 5: 4}, {1: 1, 5: 2}, {1: 2, 5: 2}, {2: 1, 5: 2}, {1: 3, 5: 6}, {5: 9}, {5: 1}]
    vectors = vectors_of(pages)
    expected = [[5, 5], [6, 5], [0, 0], [1, 0], [2, 2], [3, 3], [4, 0]]
    assert (
        np.column_stack([vectors.ids, vectors.ids[first_of_equals(vectors)]]).tolist() == expected
    )
    monkeypatch.setattr(mwo_vectors, "mixed", np.zeros_like)
    assert (
        np.column_stack([vectors.ids, vectors.ids[first_of_equals(vectors)]]).tolist() == expected
    )
