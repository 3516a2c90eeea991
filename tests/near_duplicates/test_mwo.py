"""Minimum weight overlapping in the database: the paper's example, both modes against brute
force over the tables, bounds.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import rest_slow
from page_database import terms_of, with_pages

import replicadb
from replicadb.errors import LimitError, UsageError
from replicadb.near_duplicates import mwo as overlap
from replicadb.near_duplicates import pair_expansion
from replicadb.near_duplicates.mwo_join import exact_join, paper_join
from replicadb.near_duplicates.mwo_vectors import (
    MILLION,
    overlaps,
)
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.term_vectors import build_vectors
from replicadb.web import page_text

from .mwo_reference import (
    brute,
    mwo,
    pairs_of,
    positions_keep,
    prefix_keeps,
    vectors_of,
)

# -- in the database
# ------------------------------------------------------------------------------------


def page(number: int, text: str, **more) -> dict:
    return {"url": f"http://h{number}.net/", "text": text} | more


def found(web) -> dict[tuple[int, int], float]:
    rows = web.database.rows("SELECT a_id, b_id, score FROM found")
    assert len({row[:2] for row in rows}) == len(rows) and all(a < b for a, b, _ in rows)
    return {row[:2]: row[2] for row in rows}


def weights_in(web, options: PageOptions, query=None) -> dict[int, dict[str, int]]:
    """The pages as dicts of place in the global order to weight, by brute force from the tables
    that loading fills.
    """
    rows = web.database.rows(
        """SELECT url_id, term, name, n FROM page_terms SEMI JOIN urls USING (url_id)
        JOIN page_fields USING (field) JOIN terms USING (term_id)"""
    )
    factors = dict(web.database.rows("SELECT name, (2 * weight)::INTEGER FROM page_fields"))
    standing: dict[tuple[int, str], dict[str, int]] = {}
    for url_id, term, name, n in rows:
        standing.setdefault((url_id, term), {})[name] = n
    pages: dict[int, dict[str, int]] = {}
    for (url_id, term), where in standing.items():
        pages.setdefault(url_id, {})[term] = once(where, factors)
    for term in {term for counts in (query or {}).values() for term in counts}:
        where = {field: counts[term] for field, counts in query.items() if term in counts}
        pages.setdefault(-1, {})[term] = once(where, factors)
    share = Fraction(round(options.min_weight * MILLION), MILLION)
    kept = {
        i: {x: w for x, w in terms.items() if Fraction(w, sum(terms.values())) >= share}
        for i, terms in pages.items()
    }
    df: dict[str, int] = {}
    total: dict[str, int] = {}
    for i, terms in kept.items():
        for term, weight in terms.items():
            df[term] = df.get(term, 0) + (i >= 0)
            total[term] = total.get(term, 0) + weight * (i >= 0)
    by = (
        (lambda term: (df[term], term.encode()))
        if options.order == "df"
        else (lambda term: (total[term], term.encode()))
    )
    rank = {term: i for i, term in enumerate(sorted(total, key=by))}
    return {i: {rank[term]: w for term, w in terms.items()} for i, terms in kept.items() if terms}


def once(where: dict[str, int], factors: dict[str, int]) -> int:
    """The weight of a term by its counts in fields: Table 1 weighs a word where it stands."""
    plain = where.get("text", 0)
    for field in ("heading", "anchor_own", "anchor_other"):
        plain = max(0, plain - where.get(field, 0))
    others = sum(n * factors[field] for field, n in where.items() if field != "text")
    return others + plain * factors["text"]


def expected(
    pages: dict[int, dict[int, int]], options: PageOptions
) -> dict[tuple[int, int], float]:
    t = Fraction(round(options.threshold * MILLION), MILLION)
    return {
        (i, j): float(mwo(pages[i], pages[j]))
        for i, j in combinations(sorted(pages), 2)
        if pages[i].keys() & pages[j].keys()
        and mwo(pages[i], pages[j]) >= t
        and (options.exact or positions_keep(pages[i], pages[j], t))
    }


def corpus(seed: int) -> list[dict]:
    """Families of near copies, exact copies, pages of one word, fields of all kinds."""
    rng = np.random.default_rng(seed)
    words = [f"w{i}" for i in range(60)]
    bases = [rng.zipf(1.5, 30) % 60 for _ in range(6)]
    pages = []
    for i in range(40):
        terms = bases[i % 6].copy()
        terms[rng.random(30) < rng.choice([0, 0.05, 0.3])] = rng.integers(60)
        text = " ".join(words[j] for j in terms)
        pages.append(
            page(
                i % 3,
                text if i % 11 else words[i % 3],
                title=words[terms[0]],
                keywords=words[terms[1]] if i % 2 else "",
            )
        )
    return pages


@pytest.fixture(scope="module")
def five():
    """The pages of corpus(5)."""
    with replicadb.open(":memory:", threads=1) as web:
        with_pages(web, corpus(5))
        yield web


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    rest_slow(
        [
            PageOptions(threshold=t, exact=exact, order=order, min_weight=share)
            for t, exact, order, share in (
                (0.5, False, "df", 0),
                (0.5, True, "weight", 0),
                (0.8, False, "weight", 0.03),
                (0.7, True, "df", 0.05),
                (0, False, "df", 0.02),
                (1, False, "df", 0),
                (1, True, "weight", 0.2),
                (0.9, False, "df", 1),
            )
        ],
        4,
    ),
)
def test_both_modes_find_what_brute_force_over_the_tables_finds(five, options):
    counts = overlap.find(five.database, options)
    truth = expected(weights_in(five, options), options)
    assert found(five) == truth and counts["pairs"] == len(truth)
    assert len(truth) >= 15 or options.min_weight == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        PageOptions(threshold=t, exact=exact, order=order, min_weight=share)
        for t, exact, order, share in (
            (0.3, False, "df", 0),
            (0.2, True, "weight", 0.02),
            (0, False, "weight", 0),
        )
    ],
)
def test_a_page_from_outside_meets_what_it_would_meet_inside(web, options):
    with_pages(web, corpus(8))
    query = SimpleNamespace(
        content=SimpleNamespace(
            terms=terms_of(page(99, corpus(8)[3]["text"] + " never seen w1 w2", title="w3"))
        )
    )
    counts = overlap.find(web.database, options, query)
    truth = {
        pair: score
        for pair, score in expected(weights_in(web, options, query.content.terms), options).items()
        if pair[0] == -1
    }
    assert found(web) == truth and counts["pairs"] == len(truth) > 2
    assert counts["prefix_pairs"] >= counts["verified_pairs"] >= counts["pairs"]


def test_the_papers_example_of_three_records(web):
    """Tables 2 and 3: r1 = {x2, x1, x3}, r2 = {x4, x1, x3}, r3 = {x2, x4, x1, x3} in the order x2,
    x4, x1, x3.
    """
    vectors = vectors_of([{0: 2, 2: 3, 3: 5}, {1: 1, 2: 4, 3: 5}, {0: 1, 1: 1, 2: 4, 3: 4}])
    a, b = np.array([0, 0, 1]), np.array([1, 2, 2])
    assert overlaps(vectors, a, b).tolist() == [0.8, 0.8, 0.9]  # min(3, 4) + min(5, 5) of 10, ...
    assert (
        pairs_of(paper_join(vectors, 800_000), vectors) == []
    )  # |r| - floor(0.8 |r|) + 1 = 2: x1 at 2 of 3 bounds 2 < 8/3
    assert pairs_of(paper_join(vectors, 700_000), vectors) == [
        (0, 2),
        (1, 2),
    ]  # r1, r3: x2 at 1 and 1 bounds 3 >= 7/17 * 7
    assert pairs_of(paper_join(vectors, 500_000), vectors) == [
        (0, 1),
        (0, 2),
        (1, 2),
    ]  # r1, r2: x1 at 2 and 2 bounds 2 >= 2
    assert (0, 1) in pairs_of(
        exact_join(vectors, 800_000), vectors
    )  # much overlap, little Jaccard: only the exact mode has it


def test_fields_weigh_as_the_papers_table_says(web):
    with_pages(web, [page(1, "alpha beta", title="alpha"), page(1, "alpha beta", keywords="beta")])
    overlap.find(web.database, PageOptions(threshold=0.1, exact=True))
    # URL h1.net: 2 each; 1: alpha 3, beta 1, h1 2, net 2 of 8; 2: alpha 1, beta 4, h1 2, net 2 of 9
    assert found(web) == {(1, 2): float(Fraction(1, 9) + Fraction(1, 8) + 2 * Fraction(2, 9))}


def test_the_text_of_a_link_or_a_heading_counts_once(web):
    """Table 1: heading 2, link to the same site 1, to a different one 0.5, main text 1."""
    html = """<title>t</title><h1>head</h1>
        <p>plain plain <a href="/x">own</a> <a href="http://other.net/">out</a> own"""
    content = page_text.extract(html, "text/html", "http://h1.net/")
    assert content.terms["text"] == {"head": 1, "plain": 2, "own": 2, "out": 1}
    known = {"title": "t", "headings": "head", "links": content.links}
    with_pages(web, [page(1, content.main_text, **known)])
    build_vectors(web.database, PageOptions(), once=True)
    weights = dict(
        web.database.rows(
            "SELECT term, weight / 2 FROM term_weights JOIN vocabulary USING (term_id)"
        )
    )
    assert weights == {"h1": 2, "net": 2, "t": 2, "head": 2, "plain": 2, "own": 2, "out": 0.5}


def test_what_each_filter_leaves_is_reported(five):
    options = PageOptions(threshold=0.6)
    pages = weights_in(five, options)
    t = Fraction(6, 10)
    numbered = [pages[i] for i in sorted(pages)]
    prefix, left = (
        brute(numbered, lambda a, b, keeps=keeps: keeps(a, b, t))
        for keeps in (prefix_keeps, positions_keep)
    )
    truth = {
        "pages": 40,
        "terms": len(set().union(*numbered)),
        "kept_pages": 40,
        "kept_terms": len(set().union(*numbered)),
        "prefix_pages": len({i for pair in prefix for i in pair}),
        "prefix_pairs": len(prefix),
        "positional_pages": len({i for pair in left for i in pair}),
        "positional_pairs": len(left),
        "left_terms": len(set().union(*(numbered[i] for pair in left for i in pair))),
        "stars": 0,
        "pairs_not_written": 0,
        "keys": len(
            {
                tuple((x, Fraction(w, sum(terms.values()))) for x, w in sorted(terms.items()))
                for terms in numbered
            }
        ),
        "pairs": len(expected(pages, options)),
    }
    counts = overlap.find(five.database, options)
    assert {name: counts[name] for name in truth} == truth and set(counts) == set(truth) | {
        "verified_pairs"
    }
    assert counts["prefix_pairs"] > counts["positional_pairs"] >= counts["verified_pairs"] > 0


def test_dynamic_thresholding_drops_light_terms_and_counts_them(web):
    with_pages(web, [page(1, "a a a a b"), page(2, "a a a a c"), page(3, "d e f g h i j k l m n")])
    counts = overlap.find(web.database, PageOptions(threshold=0.1, min_weight=0.2))
    assert (counts["pages"], counts["kept_pages"], counts["terms"], counts["kept_terms"]) == (
        3,
        2,
        18,
        4,
    )  # the third page has light terms alone
    assert web.database.column(
        "SELECT term FROM overlap_ranks JOIN terms USING (term_id) ORDER BY 1"
    ) == ["a", "h1", "h2", "net"]


def test_terms_stand_in_the_order_of_the_pages_that_kept_them(web):
    """The paper canonicalises records after dynamic thresholding: b, which is light on two of its
    three pages, is rarer there than a.
    """
    with_pages(web, [page(1, "a a a b"), page(2, "a a a b"), page(3, "b b b c")])
    for share, order in ((0, ["c", "a", "b"]), (0.15, ["b", "a"])):
        options = PageOptions(threshold=0.1, min_weight=share)
        overlap.find(web.database, options)
        found = web.database.column(
            """SELECT term FROM overlap_ranks JOIN terms USING (term_id)
            WHERE term IN ('a', 'b', 'c') ORDER BY rank"""
        )
        assert found == order


def test_a_great_many_equal_pages_are_a_star(web, monkeypatch):
    monkeypatch.setattr(pair_expansion, "FAN_OUT", 5)
    with_pages(
        web,
        [page(1, "same words here and there")] * 3
        + [page(1, "same words here and then")]
        + [page(1, "same words here and there")] * 17,
    )
    counts = overlap.find(web.database, PageOptions(threshold=0.5))
    assert set(found(web)) == {(1, i) for i in range(2, 22)}
    assert (
        counts["stars"] == 1 and counts["pairs"] + counts["pairs_not_written"] == 20 * 19 // 2 + 1
    )
    assert (
        counts["positional_pairs"] == counts["prefix_pairs"] == 21 * 20 // 2
        and counts["verified_pairs"] == 1
    )


def test_pairs_behind_the_prefix_filter_are_bounded_where_counting_is_too_much(five, monkeypatch):
    exactly = overlap.find(five.database, PageOptions(threshold=0.6))
    monkeypatch.setattr(overlap, "COUNTED_ROWS", 0)
    bounded = overlap.find(five.database, PageOptions(threshold=0.6))
    assert bounded.pop("prefix_pairs_at_most") >= exactly.pop("prefix_pairs")
    assert bounded == exactly


def test_work_without_end_is_refused_before_it_begins(five, monkeypatch):
    monkeypatch.setattr(overlap, "MOST_ROWS", 10)
    with pytest.raises(LimitError, match="raise --threshold"):
        overlap.find(five.database, PageOptions(threshold=0.1))


@pytest.mark.parametrize(
    "pages", [[], [page(1, "alone")], [page(1, "a"), page(2, "b", superseded=True)]]
)
def test_too_few_pages_have_no_pairs(web, pages):
    with_pages(web, pages)
    for exact in (False, True):
        assert (
            overlap.find(web.database, PageOptions(exact=exact))["pairs"] == 0 and found(web) == {}
        )
    nothing = SimpleNamespace(content=SimpleNamespace(terms={}))
    assert overlap.find(web.database, PageOptions(), nothing)["pairs"] == 0


def test_stems_and_stop_words_go_before_the_matrix(web, tmp_path):
    with_pages(web, [page(1, "running the dogs"), page(1, "run the dog")])
    (tmp_path / "stop.txt").write_text("the h1 net")
    counts = overlap.find(
        web.database, PageOptions(stem="english", stop_words=str(tmp_path / "stop.txt"))
    )
    assert found(web) == {(1, 2): 1.0} and counts["terms"] == 2


def test_the_number_of_threads_changes_nothing(five):
    answers = []
    for threads in (4, 1):
        five.database.execute("SET threads = $n", {"n": threads})
        counts = overlap.find(five.database, PageOptions(threshold=0.4))
        answers.append((counts, found(five)))
    assert answers[0] == answers[1]


def test_without_scipy_the_error_says_how_to_get_it(five, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(UsageError, match=r"replicadb\[pages\]"):
        overlap.find(five.database, PageOptions())


@pytest.mark.parametrize("exact", [False, True])
def test_two_texts_of_many_words_that_differ_in_the_last_are_found(web, exact):
    words = " ".join(f"w{i}" for i in range(1900))
    with_pages(web, [page(1, f"{words} one"), page(2, f"{words} two")])
    overlap.find(web.database, PageOptions(exact=exact))
    assert set(found(web)) == {(1, 2)}
