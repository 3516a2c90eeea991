"""The accuracy benchmarks' own pieces."""

from __future__ import annotations

import runpy
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.accuracy import mixtures
from benchmarks.accuracy.held_out import means, swept
from benchmarks.accuracy.page_signals import best_threshold
from benchmarks.accuracy.page_thresholds import least
from replicadb.evaluation.reliability import reliability
from replicadb.learning.cross_validation import score
from training.generators import common


def called(monkeypatch, capsys, module: str, *arguments: object) -> tuple[int, str, str]:
    """Exit code, output and errors of ``python -m benchmarks.accuracy.MODULE``, in this process."""
    monkeypatch.setattr(sys, "argv", [module, *map(str, arguments)])
    with pytest.raises(SystemExit) as end:
        runpy.run_module(f"benchmarks.accuracy.{module}", run_name="__main__", alter_sys=False)
    return end.value.code, *capsys.readouterr()


@pytest.mark.filterwarnings("ignore:.*found in sys.modules.*:RuntimeWarning")
@pytest.mark.parametrize(
    "module",
    [
        "ablation",
        "accuracy",
        "held_out",
        "mixtures",
        "page_thresholds",
        "prior_alone",
        "real",
        "replication",
    ],
)
def test_a_benchmark_says_how_it_is_called(monkeypatch, capsys, module):
    code, out, err = called(monkeypatch, capsys, module, "--help")
    assert code == 0 and out.startswith("usage: ") and not err


def test_a_folder_without_a_labelled_crawl_is_reported(monkeypatch, capsys, tmp_path):
    code, _, err = called(monkeypatch, capsys, "real", tmp_path)
    assert code == 2 and f"no urls.parquet and no gold.csv in {tmp_path}" in err


@pytest.mark.filterwarnings("error")
def test_the_mean_of_no_figure_is_none_and_no_warning():
    assert means([[1.0, np.nan, np.nan], [3.0, 5.0, np.nan]]) == pytest.approx(
        [2.0, 5.0, np.nan], nan_ok=True
    )


def test_other_thresholds_are_means_over_crawls_and_no_flag_is_neither_right_nor_wrong():
    surely = reliability(np.array([0.995, 0.92, 0.4]), np.array([True, False, True]), missed=2)
    hardly = reliability(np.array([0.55, 0.1]), np.array([True, False]))
    lines = {least: rest for least, *rest in swept([surely, hardly])}
    assert lines[0.5] == pytest.approx([(1 / 2 + 1) / 2, (1 / 4 + 1) / 2, 2, 1])
    assert lines[0.9] == pytest.approx([1 / 2, 1 / 8, 1, 0])
    assert lines[0.95] == pytest.approx([1, 1 / 8, 1, 1])


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.1, 0.2, 0.5, np.nan]), st.booleans()),
        min_size=1,
        max_size=30,
    )
)
def test_the_best_threshold_is_that_of_a_slow_search(rows):
    x, y = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
    best = max(
        (score(np.nan_to_num(x, nan=9) <= t, y).f for t in x[~np.isnan(x)]),
        default=0.0,
    )
    assert best_threshold(x, y)[0].f == pytest.approx(best)


def test_the_lesser_of_precision_and_recall_is_counted():
    score = np.array([0.9, 0.8, np.nan, 0.7, 0.9])
    labels = np.array([1, 0, 1, 1, -1])
    assert least(score, labels, 0.75) == pytest.approx(1 / 3)
    assert least(score, labels, 0.7) == pytest.approx(2 / 3)


def test_of_two_crawls_of_a_mixture_one_has_a_host_and_a_content(monkeypatch):
    def made(host: str, other: str) -> common.Generated:
        urls = [f"https://{host}/1", f"http://{other}:80/?x", f"http://only{host}/"]
        captures = pl.DataFrame(
            {"url": urls, "fingerprint": ["sha1:AB", "sha1:AB", host], "links": [[], [], []]}
        )
        return common.Generated(captures, [(host, other, "replica", "cause")], False)

    class Author:
        generate = staticmethod(lambda kind, seed: made(*kind.split()))

    monkeypatch.setitem(mixtures.AUTHORS, "x", Author)
    taken = mixtures.Taken(set(), set())
    first, second = (
        mixtures.drawn("x", kind, 1, taken, number)
        for number, kind in enumerate(("a.org b.org", "c.org b.org"))
    )
    assert first.gold.height == 1 and second.gold.height == 0
    whole = mixtures.mixed([first, second])
    assert whole.captures["url"].str.extract(mixtures.HOST).to_list() == [
        "a.org",
        "b.org",
        "onlya.org",
        "c.org",
        "onlyc.org",
    ]
    assert whole.captures.columns == ["url", "fingerprint"]
    contents = ["sha1:AB", "sha1:AB", "a.org", "sha1:BA", "c.org"]  # numbered anew in each crawl
    assert whole.captures["fingerprint"].to_list() == contents
    pairs = mixtures.judged(first)
    assert pairs["replica"].to_list() == [True]
    assert mixtures.figures(pairs, 2)[1] == pairs["flagged"].sum() / 2
