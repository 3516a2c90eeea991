"""Signals of page pairs: each against a slow reference written from the paper, their properties,
and the command.

Tries page_edits, published_signals and signal_inputs, too.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter

import numpy as np
import pytest
from detection.plain_forms import levenshtein
from hypothesis import given, settings
from hypothesis import strategies as st
from page_database import with_pages

from benchmarks.accuracy.page_signals import RENDERED
from replicadb.errors import UsageError
from replicadb.near_duplicates.simhash import simhash_of
from replicadb.page_pairs import signals
from replicadb.page_pairs.pair_list import find_pairs
from replicadb.page_pairs.snippets import snippet
from replicadb.store.arrow import insert_frame
from replicadb.web.terms import words

from .drawn_pages import pages, slow_blocks, slow_order


def in_pairs(made, seed=0, n=60):
    random = np.random.default_rng(seed)
    return [made[i]["url"] for i in random.integers(len(made), size=n)], [
        made[i]["url"] for i in random.integers(len(made), size=n)
    ]


def slow_tfidf(texts, a, b):
    df = Counter(term for text in texts for term in set(words(text)))

    def listed(text):
        counts = Counter(words(text))
        return sorted(counts, key=lambda t: (-counts[t] * math.log(1 + len(texts) / df[t]), t))[
            :100
        ]

    la, lb = listed(a), listed(b)
    if len(lb) > len(la):
        la, lb = lb, la

    def pos(term, terms):
        return terms.index(term) + 1

    def weight(term, x, y):
        return (
            1 / (math.log(pos(term, x) + math.e - 1) * math.log(pos(term, y) + math.e - 1))
            if term in x and term in y
            else 0
        )

    return 1 - sum(weight(t, la, lb) for t in la) / sum(weight(t, la, la) for t in la)


def slow_mcd(a: bytes, b: bytes) -> float:
    def c(data):
        return len(zlib.compress(data, 6, 31))

    a, b = sorted((a, b))
    return max(abs(c(a + b) - c(a + a)), abs(c(a + b) - c(b + b))) / max(c(a + a), c(b + b))


@pytest.mark.slow
def test_every_signal_is_that_of_its_slow_reference(web):
    made = pages()
    with_pages(web, made)
    by_url = {page["url"]: page for page in made}
    a, b = in_pairs(made)
    found = signals.compute(web.database, find_pairs(web.database, a, b, ["word1 word2"] * len(a)))
    texts = [page["text"] for page in made]
    for i, (x, y) in enumerate(zip((by_url[u] for u in a), (by_url[u] for u in b), strict=True)):
        assert found["same_domain"][i] == (("a.com" in x["url"]) == ("a.com" in y["url"]))
        (hx, px), (hy, py) = (page["url"].removeprefix("http://").split("/", 1) for page in (x, y))
        assert found["same_path"][i] == (px == py)
        last = [path.split("?")[0].rpartition("/")[2] for path in (px, py)]
        assert found["same_last_segment"][i] == (last[0] == last[1])
        for name, u, v in (("host_distance", hx, hy), ("path_distance", f"/{px}", f"/{py}")):
            assert found[name][i] == pytest.approx(
                levenshtein(u, v) / max(len(u), len(v)), abs=1e-6
            )
        if x["title"] or y["title"]:
            assert found["same_title"][i] == (x["title"] == y["title"])
        else:
            assert np.isnan(found["same_title"][i])
        assert found["body_length"][i] == pytest.approx(
            abs(x["length"] - y["length"]) / max(x["length"], y["length"]), abs=1e-6
        )
        assert (
            found["simhash"][i]
            == (
                simhash_of(Counter(words(x["text"]))) ^ simhash_of(Counter(words(y["text"])))
            ).bit_count()
        )
        assert found["tfidf"][i] == pytest.approx(slow_tfidf(texts, x["text"], y["text"]), abs=2e-6)
        assert found["mcd"][i] == pytest.approx(
            slow_mcd(x["body"].encode(), y["body"].encode()), abs=2e-6
        )
        shown = [snippet(words(p["text"]), ["word1", "word2"]).encode() for p in (x, y)]
        assert found["snippet_mcd"][i] == pytest.approx(slow_mcd(*shown), abs=2e-6)
        assert found["blocks"][i] == pytest.approx(slow_blocks(x["text"], y["text"]), abs=2e-6)
        assert found["order"][i] == pytest.approx(
            slow_order(x["text"], y["text"]), abs=2e-6, nan_ok=True
        )
    assert all(np.isnan(found[name]).all() for name in found if name.startswith("rendered_"))


@pytest.mark.slow
def test_signals_are_symmetric_and_do_not_depend_on_the_other_pairs(web):
    made = pages(3)
    with_pages(web, made)
    a, b = in_pairs(made, 1, 30)
    db = web.database
    whole = signals.compute(db, find_pairs(db, a, b, ["word5"] * 30))
    turned = signals.compute(db, find_pairs(db, b, a, ["word5"] * 30))
    alone = signals.compute(db, find_pairs(db, a[7:8], b[7:8], ["word5"]))
    for name in whole:
        np.testing.assert_array_equal(whole[name], turned[name])
        np.testing.assert_array_equal(whole[name][7:8], alone[name])


@pytest.mark.slow
def test_equal_pages_are_at_distance_0_and_all_lies_in_range(web):
    made = pages(5)
    with_pages(web, made)
    urls = [page["url"] for page in made]
    found = signals.compute(
        web.database, find_pairs(web.database, urls, urls, ["word7"] * len(urls))
    )
    for name, values in found.items():
        known = values[~np.isnan(values)]
        assert (known == (1 if "same_" in name else 0)).all(), name
    a, b = in_pairs(made, 2, 80)
    for name, values in signals.compute(
        web.database, find_pairs(web.database, a, b, ["word7"] * 80)
    ).items():
        known = values[~np.isnan(values)]
        assert ((known >= 0) & (known <= (64 if name.endswith("simhash") else 1))).all(), name


def test_rendered_signals_are_of_what_the_browser_shows(web):
    made = pages(6, 4)
    ids = with_pages(web, made)
    insert_frame(
        web.database,
        "rendered_pages",
        [
            (ids[i], made[i]["url"], "Shown", "the same text", "<p>the same text", 20, 0, 0, 0)
            for i in (0, 3)
        ],
        RENDERED,
    )
    found = signals.compute(
        web.database,
        find_pairs(web.database, [made[0]["url"]] * 2, [made[3]["url"], made[1]["url"]]),
    )
    assert [
        found[f"rendered_{name}"][0]
        for name in ("same_title", "body_length", "simhash", "tfidf", "mcd", "blocks")
    ] == [1, 0, 0, 0, 0, 0]
    assert found["tfidf"][0] > 0.5 and np.isnan(found["rendered_tfidf"][1])


def test_a_page_is_rendered_where_it_looks_as_if_it_had_to_be(web):
    long = " ".join(["word1 word2"] * 60)
    made = [
        {"url": f"http://a.com/{i}", "title": "Fetched", "text": text, "body": body, "length": 9}
        for i, (text, body) in enumerate(
            [
                (long, "<p>all is there</p>"),
                (long, '<IFRAME src="/in.html">'),
                (long, "<meta http-equiv='Refresh' content='0; url=/x'>"),
                ("hardly any", "<p>hardly any</p>"),
                (long, "<p>all is there</p>"),
            ]
        )
    ]
    ids = with_pages(web, made)
    names = "url_id final_url title text body length frames redirects missing".split()
    rows = [(i, "", f"Shown {i}", "the text", "<p>the text", 20, 0, 0, 0) for i in ids]
    insert_frame(web.database, "rendered_pages", rows, tuple(names))
    urls = [page["url"] for page in made]
    with web.database.temporary():
        pairs = find_pairs(web.database, [urls[0]] * 4, urls[1:])
        web.database.run("page_pairs/10_signals", only="needs_browser")
        found = signals.compute(
            web.database,
            pairs,
            only=("rendered_same_title",),
            views=("fetched", "rendered_where_needed"),
        )
    assert found["rendered_same_title"].tolist() == [0, 0, 0, 1]


def test_pages_without_text_are_not_called_equal(web):
    with_pages(
        web,
        [{"url": f"http://e{i}.com/", "text": "", "body": "", "length": 0} for i in range(2)]
        + [{"url": "http://e2.com/", "text": "some words", "body": "x", "length": 1}],
    )
    found = signals.compute(
        web.database,
        find_pairs(
            web.database, ["http://e0.com/"] * 2, ["http://e1.com/", "http://e2.com/"], ["some"] * 2
        ),
    )
    assert found["body_length"].tolist() == [0, 1] and found["tfidf"][1] == 1
    assert all(
        np.isnan(found[name][0])
        for name in ("same_title", "simhash", "tfidf", "snippet_mcd", "blocks", "headings")
    )


def test_the_position_weights_are_the_papers():
    """weight(w) at positions 1 and 1 is 1 / (ln e ln e) = 1; at 1 and 2 it is 1 / ln(e + 1)."""
    weights = signals.position_weights(3)
    assert weights == pytest.approx([1, 1 / math.log(math.e + 1), 1 / math.log(math.e + 2)])
    a, b = np.array([[0, 1, -1]]), np.array([[1, 0, -1]])
    assert signals.tfidf_distance(a, b)[0] == pytest.approx(
        1 - 2 * weights[1] / (1 + weights[1] ** 2)
    )


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(0, 9), max_size=6, unique=True),
    st.lists(st.integers(0, 9), max_size=6, unique=True),
)
def test_tfidf_distance_of_any_two_lists(x, y):
    rows = [np.array([[*z, *[-1] * (6 - len(z))]]) for z in (x, y)]
    one, other = signals.tfidf_distance(*rows)[0], signals.tfidf_distance(*rows[::-1])[0]
    if not x and not y:
        assert np.isnan(one)
        return
    weights = signals.position_weights(6)
    shared = sum(weights[x.index(t)] * weights[y.index(t)] for t in set(x) & set(y))
    assert one == pytest.approx(other) and one == pytest.approx(
        1 - shared / (weights[: max(len(x), len(y))] ** 2).sum()
    )


def test_groups_are_the_papers_table_1():
    assert signals.expand("F, r") == (
        "same_domain",
        "same_title",
        "mcd",
        "simhash",
        "tfidf",
        "rendered_same_title",
        "rendered_mcd",
        "rendered_simhash",
        "rendered_tfidf",
    )
    assert signals.expand("FS,RS,tfidf") == ("snippet_mcd", "rendered_snippet_mcd", "tfidf")
    for wrong in ("Q", ""):
        with pytest.raises(UsageError):
            signals.expand(wrong)
