"""The signed-rank test and the correction for many tests, against SciPy and brute force."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.errors import UsageError
from replicadb.evaluation.significance import holm, wilcoxon


@settings(max_examples=60)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=12))
def test_small_signed_rank_tests_count_all_sign_patterns(differences):
    kept = np.array([d for d in differences if d], float)
    if not len(kept):
        assert wilcoxon(differences, np.zeros(len(differences))) is None
        return
    order = np.abs(kept)
    rank = np.array([(order < v).sum() + ((order == v).sum() + 1) / 2 for v in order])
    signs = np.array(np.meshgrid(*[[0, 1]] * len(kept))).reshape(len(kept), -1).T @ rank
    smaller = min(rank[kept > 0].sum(), rank[kept < 0].sum())
    assert wilcoxon(differences, np.zeros(len(differences))) == pytest.approx(
        min(1, 2 * np.mean(signs <= smaller + 1e-9)), abs=1e-12
    )


@pytest.mark.parametrize("n", [5, 20, 50, 51, 200])
def test_signed_rank_tests_are_scipys(n):
    scipy = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.2, 1, n), rng.normal(0, 1, n)
    theirs = scipy.wilcoxon(a, b, method="exact" if n <= 50 else "asymptotic")
    assert wilcoxon(a, b) == pytest.approx(theirs.pvalue, rel=1e-6)


def test_large_signed_rank_tests_mind_ties_as_scipy_does():
    scipy = pytest.importorskip("scipy.stats")
    a, b = np.random.default_rng(4).integers(0, 5, (2, 300)).astype(float)
    assert wilcoxon(a, b) == pytest.approx(
        scipy.wilcoxon(a, b, method="asymptotic").pvalue, rel=1e-6
    )


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12))
def test_holm_rejects_what_its_steps_reject(p_values):
    """Slow reference: from the smallest on, reject while p <= level / (tests left)."""
    corrected = holm(p_values)
    assert [c is None for c in corrected] == [p is None for p in p_values]
    for level in (0.01, 0.05, 0.3):
        ordered = sorted((1.0 if p is None else p, i) for i, p in enumerate(p_values))
        rejected = set()
        for step, (p, i) in enumerate(ordered):
            if p * (len(ordered) - step) > level:
                break
            rejected.add(i)
        assert {i for i, c in enumerate(corrected) if c is not None and c <= level} == {
            i for i in rejected if p_values[i] is not None
        }


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06]) and holm([]) == []
    assert holm([None, 0.02]) == [
        None,
        pytest.approx(0.04),
    ], "a test without a difference is a test"


def test_many_pairs_without_scipy_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(UsageError, match=r"pip install 'replicadb\[evaluate\]'"):
        wilcoxon(np.arange(1.0, 52.0), np.zeros(51))
    assert wilcoxon(np.arange(1.0, 51.0), np.zeros(50)) == pytest.approx(2 * 0.5**50)
