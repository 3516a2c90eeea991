"""The page papers' own measures against references written from their text.

Tries page_papers_text and page_precision, too.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from page_database import with_pages

from replicadb.evaluation.page_method_scores import overlap_and_filters
from replicadb.evaluation.page_papers import (
    CHEAP,
    PUBLISHED_SETS,
    SETS,
    at_chosen_thresholds,
    overlap_by_query,
    page_headlines,
)
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.term_vectors import stop_words
from replicadb.page_pairs.pair_list import find_pairs


@pytest.fixture
def texts(web):
    """Ten pages of one title whose words overlap by degrees: URL to its words."""
    random = np.random.default_rng(3)
    base = [f"word{i}" for i in range(40)]
    made = {}
    for i in range(10):
        words = base[: 40 - 4 * i] + [f"own{i}x{j}" for j in range(4 * i)]
        made[f"http://h{i}.example/"] = [str(w) for w in random.permutation(words)]
    with_pages(web, [{"url": url, "text": " ".join(words)} for url, words in made.items()])
    return web, made


def by_the_paper(made, x, y, t):
    """Algorithm Filtering and Verification (Das et al. 2012, 3.1.3, 3.1.4), term by term: whether
    the prefix filter, and the positional filter, keep the pair, and its MWO.
    """
    weights = {}
    for url, words in made.items():
        host = url.removeprefix("http://").strip("/").split(".")
        weights[url] = Counter(dict.fromkeys(host, 2)) + Counter(words)
    df = Counter(word for of in weights.values() for word in of)
    rank = {word: (df[word], word) for word in df}
    r, ri = (sorted(weights[url], key=rank.__getitem__) for url in (x, y))
    mine, other = (len(terms) - math.floor(t * len(terms)) + 1 for terms in (r, ri))
    least = t / (1 + t) * (len(r) + len(ri))
    places = [(p, q) for p, u in enumerate(r, 1) for q, v in enumerate(ri, 1) if u == v]
    inside = [(p, q) for p, q in places if p <= mine and q <= other]
    bounded = [1 for p, q in inside if 1 + min(len(r) - p, len(ri) - q) >= least - 1e-9]
    total = {url: sum(weights[url].values()) for url in (x, y)}
    mwo = sum(min(weights[x][w] / total[x], weights[y][w] / total[y]) for w in set(r) & set(ri))
    return bool(inside), bool(bounded), mwo


@pytest.mark.parametrize("t", [0.3, 0.5])
def test_filters_keep_what_the_paper_s_algorithm_keeps(texts, t):
    web, made = texts
    urls = sorted(made)
    pairs = [(x, y) for i, x in enumerate(urls) for y in urls[i + 1 :]]
    with web.database.temporary():
        named = find_pairs(web.database, *map(list, zip(*pairs, strict=True)))
        options = PageOptions(threshold=t)
        found = overlap_and_filters(web.database, options, named.a_id, named.b_id)
    kept = Counter()
    for i, (x, y) in enumerate(pairs):
        prefix, positional, mwo = by_the_paper(made, x, y, t)
        kept.update({"prefix": prefix, "positional": positional})
        assert (found.prefix[i], found.positional[i]) == (prefix, positional), (x, y)
        assert found.score[i] == pytest.approx(mwo, abs=1e-9)
    assert 0 < kept["positional"] < len(pairs)


@pytest.mark.slow
def test_queries_have_precision_and_recall_of_their_own(texts):
    web, made = texts
    urls = sorted(made)
    rows = [(urls[0], urls[1], "a", 1), (urls[0], urls[9], "a", 0), (urls[0], urls[2], "b", 0)]
    rows += [(urls[1], urls[9], "b", 1), (urls[2], urls[3], "b", -1)]
    a, b, query, label = map(list, zip(*rows, strict=True))
    with web.database.temporary():
        pairs = find_pairs(web.database, a, b, query)
        found = overlap_by_query(web.database, pairs, np.array(label, np.int8))
    by_name = {row["query"]: row for row in found["queries"]}
    assert by_name["a"] == {"query": "a", "near_duplicates": 1, "precision": 1.0, "recall": 1.0}
    assert by_name["b"] == {"query": "b", "near_duplicates": 1, "precision": 0.0, "recall": 0.0}
    assert found["mean"] == [0.5, 0.5]
    left = [row["pairs"] for row in found["filters"]]
    assert left[0] == 4 and left == sorted(left, reverse=True) and left[-1] == 2


def test_conclusions_are_about_the_order_of_published_figures():
    assert set(PUBLISHED_SETS) == set(SETS) and CHEAP in SETS
    signals = [{"name": name, "here": f} for name, f in (("tfidf", 0.6), ("F", 0.7), ("F,R", 0.65))]
    mwo = {"mean": [0.95, 0.91], "filters": [{"left": "all", "pairs": 100}]}
    mwo["filters"].append({"left": "positional", "pairs": 10})
    curves = [{"break_even": 0.92}, {"break_even": 0.8}, {"break_even": 0.95}]
    found = {row["claim"]: row["verdict"] for row in page_headlines(signals, mwo, curves)}
    assert found["all fetched signals are above the best single one"] == "holds"
    assert found["rendering adds"] == "the other way"
    assert found["snippets of rendered pages add"] == "not measured"
    assert found["the hyperlink map adds"] == found["the filters leave an eighth"] == "holds"
    assert found["precision and recall of nine tenths"] == "holds"


def test_methods_at_chosen_thresholds_are_judged_alike(texts):
    web, made = texts
    urls = sorted(made)
    label = np.array([1, 1, 0, -1], np.int8)
    with web.database.temporary():
        pairs = find_pairs(web.database, [urls[0]] * 4, [urls[0], urls[9], urls[8], urls[1]])
        found = {row["name"]: row for row in at_chosen_thresholds(web.database, pairs, label)}
    assert {row["recall"] for row in found.values()} == {0.5}
    assert {row["precision"] for row in found.values()} == {1.0} and len(found) == 4
    assert found["minhash, 0.5"]["f"] == pytest.approx(2 / 3, abs=1e-4)


def test_english_stop_words_are_a_list_by_name():
    found = stop_words("english")
    assert {"the", "and", "of"} <= set(found) and found == sorted(found) and len(found) > 300
