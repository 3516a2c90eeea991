"""Reduction ratio and detection rate against draws and brute force.

Tries rule_reduction, too.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.test_ranking_curve import curve, few, ranking
from replicadb.evaluation.reduction import detection_rate, resampled_reduction, thresholds


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 3, 10])
def test_the_detection_rate_is_the_mean_over_draws_and_orders_of_ties(k):
    rng = np.random.default_rng(0)
    replicas, others = ranking(2, replicas=5, others=20, levels=8)
    drawn = []
    for _ in range(6000):
        replica = rng.choice(replicas)
        rivals = rng.choice(others, k, replace=False)
        drawn.append(
            1 / (1 + np.sum(rivals > replica) + rng.integers(0, np.sum(rivals == replica) + 1))
        )
    found = detection_rate(curve(replicas, others), k)
    assert np.mean(found) == pytest.approx(np.mean(drawn), abs=0.02)
    assert (np.diff(found[np.argsort(replicas, kind="stable")]) >= -1e-12).all(), (
        "one for each replica, in their order"
    )


def test_detection_rates_of_a_perfect_and_a_useless_ranking():
    assert detection_rate(curve([9.0, 8.0], np.arange(5)), 3) == pytest.approx([1.0, 1.0])
    assert detection_rate(curve([0.0], np.zeros(50)), 10) == pytest.approx(
        [np.mean(1 / np.arange(1, 12))]
    )
    assert detection_rate(curve([9.0], np.arange(5)), 6) is None


def test_resampled_reductions_count_hosts_as_often_as_they_are_drawn():
    urls, gone = np.array([4, 0, 6, 10]), np.array([True, True, False, False])
    times = np.array([[1, 1, 1, 1], [2, 0, 0, 1], [0, 3, 1, 0]], np.uint8)
    assert resampled_reduction(urls, gone, times) == pytest.approx([4 / 20, 8 / 18, 0.0])
    by_rules = np.array([0, 0, 3, 0]) @ times.T
    assert resampled_reduction(urls, gone, times, beside=by_rules) == pytest.approx(
        [7 / 20, 8 / 18, 3 / 6]
    )


@given(few, st.sampled_from([0.0, 0.1, 0.3, 1.0]))
def test_a_threshold_keeps_within_the_rate_and_is_the_lowest_that_does(others, rate):
    ascending = np.sort(np.array(others, float))
    ((threshold, real),) = thresholds(ascending, [rate])
    assert real == np.mean(ascending > threshold) and real <= rate + 1e-9
    lower = [value for value in [*ascending, -np.inf] if value < threshold]
    assert all(np.mean(ascending > value) > rate for value in lower)
