"""The share of replicas and the probabilities that follow from it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.learning import class_prior

from .sets import MODERATE


@pytest.mark.parametrize("share", [0.0005, 0.0043, 0.03, 0.4, 0.9])
def test_the_share_of_replicas_is_recovered_from_likelihood_ratios(share):
    rng = np.random.default_rng(7)
    replica, other = (rng.dirichlet(np.ones(40) * 0.5) + 1e-6 for _ in range(2))
    replica, other = replica / replica.sum(), other / other.sum()
    n = 1e7 * sum(class_prior.PSEUDO_COUNTS) * (share * replica + (1 - share) * other)
    found, probability = class_prior.replica_share(np.log(replica / other), n)
    assert found == pytest.approx(share, rel=2e-3)
    assert probability == pytest.approx(
        share * replica / (share * replica + (1 - share) * other), rel=5e-3
    )


def test_the_share_is_the_maximum_of_the_likelihood_with_its_pseudo_counts():
    rng = np.random.default_rng(3)
    log_ratio, n = rng.normal(-2, 3, 30), rng.integers(1, 50, 30)
    found, _ = class_prior.replica_share(log_ratio, n)
    grid = np.arange(1, 100_000) / 100_000
    likelihood = (
        n @ np.log(grid * np.exp(log_ratio)[:, None] + 1 - grid)
        + class_prior.PSEUDO_COUNTS[0] * np.log(grid)
        + class_prior.PSEUDO_COUNTS[1] * np.log(1 - grid)
    )
    assert found == pytest.approx(grid[np.argmax(likelihood)], abs=2e-5)


@MODERATE
@given(st.lists(st.tuples(st.floats(-80, 80), st.integers(1, 10_000)), min_size=1, max_size=30))
def test_probabilities_rise_with_the_ratio_and_agree_with_the_share(rows):
    log_ratio, n = (np.array(part) for part in zip(*rows, strict=True))
    share, probability = class_prior.replica_share(log_ratio, n)
    assert (
        0 < share < 1
        and np.isfinite(probability).all()
        and ((probability >= 0) & (probability <= 1)).all()
    )
    assert (np.diff(probability[np.argsort(log_ratio, kind="stable")]) >= 0).all()
    assert (probability @ n + class_prior.PSEUDO_COUNTS[0]) / (
        n.sum() + sum(class_prior.PSEUDO_COUNTS)
    ) == pytest.approx(share, abs=1e-6)


def test_the_share_stays_inside_0_and_1_whatever_the_ratios():
    for ratio, low, high in ((-1e9, 0, 0.1), (1e9, 0.9, 1), (0.0, 0, 0.1)):
        share, probability = class_prior.replica_share(
            np.full(3, ratio), np.array([1, 2, 3]) * 100 * sum(class_prior.PSEUDO_COUNTS)
        )
        assert low < share < high
        assert np.isfinite(probability).all()


def test_a_handful_of_pairs_is_not_enough_to_believe_in_many_replicas():
    assert class_prior.replica_share([2.0], [1])[0] < 0.2
    assert class_prior.replica_share([2.0], [1000 * sum(class_prior.PSEUDO_COUNTS)])[0] > 0.9


def test_no_candidates_give_no_share_and_no_probabilities():
    share, probability = class_prior.replica_share(np.zeros(0), np.zeros(0))
    assert share == 0 and len(probability) == 0


def test_any_number_of_trivial_candidates_changes_no_other_probability():
    strength, n = (
        np.array([class_prior.LIKELY, -1.0, 2.0, 5.0, 8.0]),
        np.array([50, 30, 9, 20, 40]),
    )
    offset, expected = class_prior.probabilities(strength, n, -2.5)
    for trivial in (0, 10, 10**7):
        found, probability = class_prior.probabilities(
            np.append(strength, -9.0), np.append(n, trivial), -2.5
        )
        assert found == pytest.approx(offset, abs=1e-8)
        assert probability[:-1] == pytest.approx(expected, abs=1e-8) and probability[-1] < 1e-3
    assert np.log(expected[3] / (1 - expected[3])) == pytest.approx(strength[3] + offset)


@pytest.mark.slow
@pytest.mark.parametrize("tail", [-2.5, -0.3])
def test_the_share_among_likely_candidates_is_where_em_ends(tail):
    rng = np.random.default_rng(5)
    strength, n = np.sort(rng.uniform(-8, 9, 40)), rng.integers(1, 90, 40)
    near, share = strength >= class_prior.LIKELY, 0.5
    for _ in range(20_000):
        p = 1 / (1 + np.exp(-(strength[near] + tail + np.log(share / (1 - share)))))
        share = (p @ n[near] + class_prior.PSEUDO_COUNTS_LIKELY[0]) / (
            n[near].sum() + sum(class_prior.PSEUDO_COUNTS_LIKELY)
        )
    assert class_prior.probabilities(strength, n, tail)[0] == pytest.approx(
        tail + np.log(share / (1 - share)), abs=1e-6
    )


def test_without_likely_candidates_or_a_tail_the_share_is_what_is_assumed_and_that_of_all():
    offset, probability = class_prior.probabilities([-9.0, -4.0], [5, 7], -2.0)
    assert offset == pytest.approx(-2 + np.log(1 / 9)) and (probability < 0.01).all()
    strength, n = np.array([-3.0, 1.0, 6.0]), np.array([900, 40, 60])
    share, expected = class_prior.replica_share(strength, n)
    offset, probability = class_prior.probabilities(strength, n, None)
    assert offset == pytest.approx(np.log(share / (1 - share))) and (probability == expected).all()
    assert (
        class_prior.probabilities([], [], None)[1].shape
        == (0,)
        == class_prior.probabilities([], [], -2.0)[1].shape
    )


def test_known_pairs_count_for_their_class_as_far_as_they_count_at_all():
    """As EM would have them: a known pair's posterior is its class, whatever its ratio."""
    ratio, n, tail = np.array([-2.0, 0.5, 4.0]), np.array([50.0, 20.0, 10.0]), -1.0
    probabilities = class_prior.probabilities
    offset, _ = probabilities(ratio, n, tail)
    assert probabilities(ratio, n, tail, (0.0, 0.0))[0] == offset
    more, _ = probabilities(ratio, n - [0, 0, 5], tail, (5.0, 0.0))
    less, _ = probabilities(ratio, n - [0, 0, 5], tail, (0.0, 5.0))
    assert less < offset < more
    share = 0.1
    for _ in range(5000):  # EM by hand
        p = 1 / (1 + np.exp(-(ratio + tail + np.log(share / (1 - share)))))
        counts = n - [0, 0, 5]
        share = (p @ counts + 5 + 1) / (counts.sum() + 5 + 10)
    assert more == pytest.approx(tail + np.log(share / (1 - share)), abs=1e-6)
    alone, _ = probabilities(ratio - 50, n, tail, (3.0, 0.0))
    assert alone == pytest.approx(tail + np.log(4 / 9))
