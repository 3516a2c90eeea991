"""Discretisation: the published cuts of iris, MDL against a slow reference, and the bins'
convention.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.errors import UsageError
from replicadb.learning.discretise import (
    cap_bins,
    equal_frequency_cuts,
    equal_width_cuts,
    mdl_cuts,
)

from .reference import digitise
from .sets import MODERATE

METHODS = (mdl_cuts, equal_width_cuts, equal_frequency_cuts)

# Fisher's iris in tenths of a centimetre, two digits each, 50 flowers of each species.
IRIS = {
    "sepal length": (
        "51494746505446504449544848435857545157515451465148"
        "50505252474854525549505549445150454450514851465350"
        "70646955655763496652505960615667565862565961636164"
        "66686760575555586054606763565555615850565757625157"
        "63587163657649736772656468575864657777606956776367"
        "72626164727479646361776364606967695868676763656259"
    ),
    "sepal width": (
        "35303231363934342931373430304044393538383437363334"
        "30343534323134414231323536303435233235383038323733"
        "32323123282833242927203022292931302722253228252829"
        "30283029262424272730343123302526302623273029292528"
        "33273029303025292536322730252832303826223228282733"
        "32283028302838282826303431303131312732333025303430"
    ),
    "petal length": (
        "14141315141714151415151614111215131417151715101719"
        "16161514161615151415121314131513131316191416141514"
        "47454940464547334639354240473644454145394840494743"
        "44485045353837395145454744414044464033424242433041"
        "60515956586645635861515355505153556769505749674957"
        "60484956586164565156615655485456515159575250525451"
    ),
    "petal width": (
        "02020202020403020201020201010204040303030204020502"
        "02040202020204010202020201020203030206040302020202"
        "14151513151316101314101510141314151015111813151213"
        "14141715101110121615161513131312141210131213131113"
        "25192118222117181825201921202423182223152320201821"
        "18181821161920221514232418182124231923252319202318"
    ),
}
SPECIES = np.repeat(np.eye(3, dtype=int), 50, axis=0)


def iris(feature):
    digits = "".join(IRIS[feature])
    return np.array([int(digits[i : i + 2]) for i in range(0, len(digits), 2)]) / 10


@pytest.mark.parametrize(
    ("feature", "published"),
    [
        ("petal length", [2.45, 4.75]),
        ("petal width", [0.8, 1.75]),
        ("sepal length", [5.55, 6.15]),
        ("sepal width", [2.95, 3.35]),
    ],
)
def test_mdl_gives_the_published_cuts_of_iris(feature, published):
    assert mdl_cuts(iris(feature), SPECIES).tolist() == pytest.approx(published, abs=1e-12)


def slow_mdl(examples):
    """Fayyad & Irani (1993), section 3, in bits, on a sorted list of (value, label)."""

    def ent(part):
        shares = [sum(c == k for _, c in part) / len(part) for k in {c for _, c in part}]
        return -sum(p * math.log2(p) for p in shares)

    n, tried = len(examples), []
    for i in range(1, n):
        if examples[i - 1][0] < examples[i][0]:
            left, right = examples[:i], examples[i:]
            tried.append((round((i * ent(left) + (n - i) * ent(right)) / n, 11), i))
    if not tried:
        return []
    _, i = min(tried)
    left, right = examples[:i], examples[i:]
    k, k1, k2 = (len({c for _, c in part}) for part in (examples, left, right))
    gain = ent(examples) - (i * ent(left) + (n - i) * ent(right)) / n
    delta = math.log2(3**k - 2) - (k * ent(examples) - k1 * ent(left) - k2 * ent(right))
    if gain <= (math.log2(n - 1) + delta) / n:
        return []
    return [*slow_mdl(left), (examples[i - 1][0] + examples[i][0]) / 2, *slow_mdl(right)]


@pytest.mark.slow
@MODERATE
@given(
    st.lists(
        st.tuples(st.integers(0, 12), st.integers(0, 1), st.integers(1, 15)),
        min_size=1,
        max_size=25,
    )
)
def test_mdl_equals_the_slow_reference_and_counts_are_replicated_rows(rows):
    values, label, weight = np.array(rows).T
    counts = np.eye(2, dtype=int)[label] * weight[:, None]
    cuts = mdl_cuts(values, counts, max_bins=99).tolist()
    examples = sorted((float(v), int(c)) for v, c, w in rows for _ in range(w))
    assert cuts == slow_mdl(examples)
    repeated = np.repeat(np.arange(len(rows)), weight)
    assert (
        mdl_cuts(values[repeated], np.eye(2, dtype=int)[label][repeated], max_bins=99).tolist()
        == cuts
    )


def test_fewer_bins_are_a_coarser_version_of_more():
    """Of 200 values whose label changes five times."""
    values = np.arange(200)
    counts = np.eye(2, dtype=int)[values * 6 // 200 % 2]
    coarser = [set(mdl_cuts(values, counts, max_bins=b).tolist()) for b in range(1, 9)]
    assert all(a <= b for a, b in pairwise(coarser))
    assert coarser[0] == set() and len(coarser[-1]) == 5


def test_labels_that_tell_nothing_give_no_cut():
    rng = np.random.default_rng(1)
    assert len(mdl_cuts(rng.random(2000), np.eye(2, dtype=int)[rng.integers(0, 2, 2000)])) == 0


def test_equal_width_parts_the_range_evenly():
    assert equal_width_cuts([0.0, 10.0, 1.0], [[1], [1], [9]], max_bins=5).tolist() == [2, 4, 6, 8]


def test_equal_frequency_parts_the_examples_evenly():
    values = np.arange(1, 11)
    assert equal_frequency_cuts(values, np.ones((10, 1), int), max_bins=5).tolist() == [
        2.5,
        4.5,
        6.5,
        8.5,
    ]
    assert equal_frequency_cuts([1, 2, 3], [[8], [1], [1]], max_bins=5).tolist() == [1.5]


@pytest.mark.slow
@MODERATE
@given(
    st.sampled_from(METHODS),
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3), st.integers(0, 3)), max_size=30),
    st.integers(1, 6),
    st.booleans(),
    st.integers(2, 5),
)
def test_cuts_ascend_keep_to_max_bins_and_know_counts_as_weights(
    method, rows, max_bins, zero, times
):
    values, negative, positive = np.array(rows, int).reshape(-1, 3).T
    counts = np.column_stack([negative, positive])
    cuts = method(values, counts, max_bins=max_bins, zero_own_bin=zero)
    assert (np.diff(cuts) > 0).all() and len(cuts) < max_bins
    assert (method(values[::-1], counts[::-1], max_bins=max_bins, zero_own_bin=zero) == cuts).all()
    if method is not mdl_cuts:  # MDL trusts more data more.
        assert (method(values, counts * times, max_bins=max_bins, zero_own_bin=zero) == cuts).all()


@pytest.mark.parametrize("method", METHODS)
def test_zero_gets_a_bin_of_its_own_when_asked(method):
    values = np.array([0.0, 1e-9, 0.2, 0.4, 0.6, 0.8, 1.0])
    counts = np.array([[900, 0], [50, 0], [50, 1], [50, 1], [0, 50], [0, 50], [0, 50]])
    cuts = method(values, counts, max_bins=4, zero_own_bin=True)
    assert cuts[0] == 0 and 2 <= len(cuts) <= 3
    bins = digitise(values, cuts)
    assert [bin == bins[0] for bin in bins] == [True] + [False] * 6
    assert method(values, counts, max_bins=2, zero_own_bin=True).tolist() == [0]


@pytest.mark.parametrize("method", METHODS)
def test_zero_is_alone_among_negative_values_too(method):
    values = np.array([-2.0, -1.0, 0.0, 1.0])
    bins = digitise(values, method(values, np.full((4, 2), 9), max_bins=6, zero_own_bin=True))
    assert bins.count(bins[2]) == 1


@pytest.mark.parametrize("method", METHODS)
def test_a_feature_without_values_or_with_one_has_no_cuts(method):
    assert len(method([], np.zeros((0, 2), int))) == 0
    assert len(method([np.nan], [[3, 4]])) == 0
    assert len(method([5.0, 7.0], [[3, 4], [0, 0]])) == 0
    assert len(method([0.0], [[3, 4]], zero_own_bin=True)) == 0


def test_neighbouring_numbers_are_parted_even_where_nothing_lies_between():
    low = 1.0
    high = np.nextafter(low, 2)
    cuts = mdl_cuts([low, high], [[500, 0], [0, 500]])
    assert digitise([low, high], cuts) == [1, 2]


def test_cap_bins_takes_from_the_widest_feature():
    assert cap_bins([7, 7, 7, 7, 7]).tolist() == [7, 6, 6, 6, 6]
    assert cap_bins([100, 2, 2]).tolist() == [100, 2, 2]
    assert cap_bins([100, 20, 10, 1], limit=1000).tolist() == [10, 10, 10, 1]
    assert np.prod(cap_bins([9] * 8)) <= 10_000


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("values", "counts", "options"),
    [
        ([1.0, 2.0], [[1, 0]], {}),
        ([1.0, 2.0], [1, 2], {}),
        ([[1.0, 2.0]], [[1, 0]], {}),
        ([1.0], [[-1, 0]], {}),
        ([1.0], [[0.5, 0]], {}),
        ([1.0], np.zeros((1, 0), int), {}),
        ([np.inf], [[1, 0]], {}),
        ([1.0], [[1, 0]], {"max_bins": 0}),
    ],
)
def test_values_that_cannot_be_meant_are_refused_in_one_line(method, values, counts, options):
    with pytest.raises(UsageError) as error:
        method(values, counts, **options)
    assert str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: cap_bins([0, 2]),
        lambda: cap_bins([2.5]),
        lambda: cap_bins([[2]]),
        lambda: cap_bins([2] * 14),
    ],
)
def test_bins_that_cannot_be_meant_are_refused_in_one_line(call):
    with pytest.raises(UsageError) as error:
        call()
    assert str(error.value) and "\n" not in str(error.value)
