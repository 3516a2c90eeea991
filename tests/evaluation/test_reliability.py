"""Of the pairs said to be replicas with a probability, how many are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.evaluation.reliability import reliability


def test_promises_that_are_kept_have_no_error():
    probability = np.repeat([0.1, 0.5, 0.9], 10)
    replica = np.concatenate([np.arange(10) < n for n in (1, 5, 9)])
    found = reliability(probability, replica)
    assert found["calibration_error"] == 0 and (found["estimated"], found["true"]) == (15, 15)
    assert [(one["pairs"], one["mean"], one["share"]) for one in found["bins"]] == [
        (10, 0.1, 0.1),
        (10, 0.5, 0.5),
        (10, 0.9, 0.9),
    ]


def test_what_is_surely_said_does_not_hide_an_error():
    probability = np.r_[np.full(1000, 0.001), np.full(10, 0.8)]
    found = reliability(probability, np.zeros(1010, bool))
    assert found["calibration_error"] == pytest.approx(0.8)
    assert reliability(np.array([0.01, 1.0]), np.array([False, True]))["calibration_error"] is None


def test_chance_alone_makes_an_error_where_every_promise_is_kept():
    rng = np.random.default_rng(1)
    probability = rng.uniform(0.05, 0.95, 120)
    drawn = [reliability(probability, rng.random(120) < probability) for _ in range(300)]
    errors = [found["calibration_error"] for found in drawn]
    assert drawn[0]["chance_error"] == pytest.approx(np.mean(errors), rel=0.05)
    assert reliability(np.array([0.01]), np.array([False]))["chance_error"] is None


def test_thresholds_count_what_is_missed():
    found = reliability(np.array([0.99, 0.7, 0.6]), np.array([True, False, True]), missed=2)
    rows = {row["probability"]: row for row in found["thresholds"]}
    assert rows[0.6] == {"probability": 0.6, "flagged": 3, "precision": 0.6666667, "recall": 0.5}
    assert rows[0.99]["recall"] == 0.25 and rows[0.99]["precision"] == 1


def test_of_no_pair_nothing_is_said():
    found = reliability(np.zeros(0), np.zeros(0, bool))
    assert found["bins"] == [] and found["brier"] is None and found["true"] == 0


@pytest.mark.slow
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=50))
def test_bins_hold_every_pair_and_errors_are_those_of_a_library(pairs):
    from sklearn.metrics import brier_score_loss

    probability, replica = np.array([p for p, _ in pairs]), np.array([y for _, y in pairs])
    found = reliability(probability, replica)
    assert sum(one["pairs"] for one in found["bins"]) == len(pairs)
    assert found["brier"] == pytest.approx(
        brier_score_loss(replica, probability, labels=[False, True]), abs=1e-6
    )
    for one in found["bins"]:
        assert one["low"] - 1e-9 <= one["mean"] <= one["high"] + 1e-9
        assert one["interval"][0] - 1e-6 <= one["share"] <= one["interval"][1] + 1e-6
