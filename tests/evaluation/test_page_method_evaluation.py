"""pages evaluate: the figures are those of brute force, scores are the methods' own,
and the commands tell them.

Tries page_evaluation_command, page_evaluation_text, page_method_page and page_method_scores, too.
"""

from __future__ import annotations

import json
import shutil
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_database import with_pages

import replicadb
from replicadb.cli.page_evaluation_text import _candidates as candidates_of
from replicadb.errors import UsageError
from replicadb.evaluation.page_method_evaluation import figures
from replicadb.evaluation.page_method_scores import METHODS
from replicadb.evaluation.page_precision import break_even, precision_recall
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.registry import finder

WORDS = [f"word{i}" for i in range(400)]


def text(start: int, changed: int = 0) -> str:
    rng = np.random.default_rng(start)
    chosen = [WORDS[i] for i in rng.integers(0, 400, 120)]
    chosen[:changed] = [f"new{start}x{i}" for i in range(changed)]
    return " ".join(chosen)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Twelve texts, each with a copy of which a few words differ, in web.duckdb, and pairs of both
    kinds in gold.csv; do not change them.
    """
    folder = tmp_path_factory.mktemp("judged")
    pages = [{"url": f"http://a.example/{i}", "text": text(i), "title": f"t{i}"} for i in range(12)]
    pages += [
        {"url": f"http://b.example/{i}", "text": text(i, i % 4), "title": f"t{i}"}
        for i in range(12)
    ]
    with replicadb.open(folder / "web.duckdb") as web:
        with_pages(web, pages)
    rows = [
        f"http://a.example/{i},http://b.example/{j},{'duplicate' if i == j else 'not'}"
        for i in range(12)
        for j in range(i, min(i + 4, 12))
    ]
    (folder / "gold.csv").write_text("url_a,url_b,label\n" + "\n".join(rows) + "\n")
    return folder


@pytest.fixture(scope="module")
def judged(folder):
    """The texts, opened; what a test makes of them is temporary."""
    with replicadb.open(shutil.copy(folder / "web.duckdb", folder / "opened.duckdb")) as web:
        yield web


@pytest.fixture
def copied(folder, tmp_path):
    """web.duckdb and gold.csv in a folder of one's own."""
    for name in ("web.duckdb", "gold.csv"):
        shutil.copy(folder / name, tmp_path)


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.9, float("nan")]), st.booleans()),
        min_size=2,
        max_size=40,
    )
)
@settings(max_examples=30, deadline=None)
def test_figures_are_those_of_brute_force(rows):
    score, label = np.array([s for s, _ in rows]), np.array([int(t) for _, t in rows])
    found = figures(score, label, np.arange(len(rows)), 0.3)
    if label.all() or not label.any():
        assert "best" not in found
        return
    said = np.nan_to_num(score, nan=-1) >= 0.3
    hits = int((said & (label == 1)).sum())
    assert found["at_threshold"]["recall"] == round(hits / label.sum(), 4)
    assert found["at_threshold"]["precision"] == (
        round(hits / said.sum(), 4) if said.any() else None
    )
    options = list(set(score[~np.isnan(score)]))
    best = max(
        (
            2 * ((score >= b) & (label == 1)).sum() / ((score >= b).sum() + label.sum())
            for b in options
        ),
        default=0,
    )
    if options:
        assert found["best"]["f"] == round(best, 4)


@pytest.mark.slow
def test_what_cannot_be_compared_is_no_threshold_and_counts_in_recall():
    score, truth = np.array([0.5, -np.inf, 0.9, -3.0]), np.array([True, True, True, False])
    bars, precision, recall = precision_recall(score, truth)
    assert bars.tolist() == [0.9, 0.5, -3.0]
    assert precision.tolist() == [1, 1, 2 / 3] and recall.tolist() == [1 / 3, 2 / 3, 2 / 3]
    assert [len(v) for v in precision_recall(np.full(4, -np.inf), truth)] == [0, 0, 0]


def test_without_scikit_learn_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.metrics", None)
    with pytest.raises(UsageError, match=r"replicadb\[pages\]"):
        precision_recall(np.array([0.5, 0.1]), np.array([True, False]))


def test_break_even_is_where_the_curve_meets_the_diagonal():
    assert break_even(np.array([1.0, 1.0, 0.5]), np.array([0.4, 0.8, 0.9])) == pytest.approx(
        0.8 + 0.1 * (0.2 / 0.6), abs=1e-4
    )
    assert break_even(np.array([1.0]), np.array([1.0])) == 1.0
    assert break_even(np.array([1.0, 1.0]), np.array([0.1, 0.2])) is None


def test_a_wrong_pair_at_the_top_does_not_make_the_break_even_zero():
    truth = np.array(
        [0, 1, 1, 1, 0, 0, 0, 1, 0], bool
    )  # ranked: of the first four, as many as there are duplicates, three are right
    _, precision, recall = precision_recall(np.arange(9, 0, -1.0), truth)
    assert precision[0] == recall[0] == 0 and break_even(precision, recall) == 0.75
    tied = precision_recall(np.array([2.0] + 8 * [1.0]), truth)[1:]
    assert break_even(*tied) == round(4 / 9, 4)
    assert break_even(np.zeros(3), np.zeros(3)) is None


@pytest.mark.parametrize("name", [name for name in METHODS if name != "minhash"])
def test_scores_reach_the_bar_just_where_the_method_finds_the_pair(judged, name):
    scores, method, own = METHODS[name]
    options = PageOptions(bits=8, eps_rp=0.02, eps_hm=0.02, threshold=0.9).with_changes(**own)
    ids = np.array(judged.database.column("SELECT url_id FROM urls ORDER BY url_id"))
    a, b = (x.ravel() for x in np.meshgrid(ids, ids))
    a, b = a[a < b], b[a < b]
    with judged.database.temporary():
        scored = scores(judged.database, options, a, b)
        said = {
            (int(x), int(y))
            for x, y, s in zip(a, b, scored.score, strict=True)
            if s >= scored.threshold - 1e-12
        }
        finder(method)(judged.database, options)
        found = set(judged.database.rows("SELECT a_id, b_id FROM found"))
    assert found == said
    assert method == "exact" or len(said) >= 3


@pytest.mark.slow
def test_methods_and_signals_are_judged_on_the_pairs_given(copied, cli):
    how = ("--seeds", "1", "--folds", "2", "--json", "-q")
    found = json.loads(cli("pages", "evaluate", "web.duckdb", "gold.csv", *how).out)
    assert found["pairs"] == 42 and found["duplicates"] == 12 and found["unknown_urls"] == 0
    rows = {row["name"]: row for row in found["rows"]}
    assert rows["mwo"]["break_even"] == 1.0 and rows["exact (raw)"]["at_threshold"]["f"] <= 0.5
    assert rows["same_title"]["best"]["f"] == 1.0 and "rendered_mcd" in found["unknown_signals"]
    assert {w["name"] for w in found["work"]} == set(METHODS)


@pytest.mark.slow
def test_the_command_prints_a_table_or_json_and_writes_a_page(copied, cli, tmp_path):
    shown = cli(
        "pages",
        "evaluate",
        "web.duckdb",
        "gold.csv",
        "--seeds",
        "1",
        "--folds",
        "2",
        "--no-work",
        "--as-published",
        "--report",
        "page.html",
    )
    assert shown.code == 0 and "mwo" in shown.out and "42 pairs, 12 duplicates" in shown.out
    for part in ("The papers' headlines", "MWO by query", "RP and HM by document"):
        assert part in shown.out
    page = (tmp_path / "page.html").read_text()
    for part in ("What became of the papers&#x27; headlines", "Figure 1", "eps_HM moves"):
        assert part in page
    assert page.count("<svg") >= 2
    before, after = page.split('id="papers"', 1)
    assert "71.3" in after, "published F of simhash, out of fold beside out of fold"
    assert "71.3" not in before, "and not beside the best threshold on these very pairs"
    assert (
        page.startswith("<!DOCTYPE html>")
        and "break-even" in page
        and "http://" not in page.replace("http://www.w3.org", "")
    )
    refused = cli("pages", "evaluate", "web.duckdb", "gold.csv", "--content-column", "contents")
    assert (refused.code, refused.out, refused.err.count("\n")) == (1, "", 1)
    assert "no column contents" in refused.err
    refused = cli("pages", "evaluate", "web.duckdb", tmp_path / "none.csv")
    assert refused.code == 1 and refused.err.count("\n") <= 1


def test_candidates_are_the_pairs_that_the_filters_leave():
    left = {"prefix_pairs": 9, "positional_pairs": 7, "verified_pairs": 5, "pairs": 3}
    assert (
        candidates_of(left) == 7
        and candidates_of({"prefix_pairs": 9, "verified_pairs": 5, "pairs": 3}) == 9
    )
    assert candidates_of({"candidates": 4, "pairs": 3}) == 4 and candidates_of({"pairs": 3}) == 3
