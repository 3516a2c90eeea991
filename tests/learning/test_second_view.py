"""What a second view says of suppositions, against true ones and a slow search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.learning import second_view

BINS = np.arange(20.0)
PLACES = np.arange(2.0, 18.0)
SUPPOSED = 1 / (1 + np.exp(-2 * (BINS[None, :] - PLACES[:, None])))
"""(suppositions, bins): replicas begin at each of PLACES."""


@pytest.mark.parametrize("begins", [5, 9, 13])
@pytest.mark.parametrize("shares", [(0.3, 0.01), (0.9, 0.4)])
def test_where_the_rate_of_alike_pairs_rises_replicas_begin(begins, shares):
    n = np.full(len(BINS), 200.0)
    true = SUPPOSED[list(PLACES).index(begins)]
    alike = np.round(n * (true * shares[0] + (1 - true) * shares[1]))
    likely = second_view.log_likelihoods(n, alike, SUPPOSED)
    assert abs(PLACES[np.argmax(likely)] - begins) <= 1
    assert likely.max() > likely[0] + 1 and likely.max() > likely[-1] + 1


def test_a_rate_that_is_the_same_everywhere_says_next_to_nothing():
    n = np.full(len(BINS), 200.0)
    likely = second_view.log_likelihoods(n, 0.2 * n, SUPPOSED)
    assert np.ptp(likely) < 0.5


def test_fewer_than_five_alike_pairs_say_nothing():
    n, alike = np.full(len(BINS), 200.0), np.zeros(len(BINS))
    alike[-1] = second_view.FEWEST - 1
    assert not second_view.log_likelihoods(n, alike, SUPPOSED).any()
    alike[-1] += 1
    assert second_view.log_likelihoods(n, alike, SUPPOSED).any()


def test_replicas_are_never_taken_to_be_alike_less_often_than_others():
    n = np.full(len(BINS), 200.0)
    falls = np.where(BINS < 10, 100.0, 2.0)
    likely = second_view.log_likelihoods(n, falls, SUPPOSED)
    assert np.ptp(likely) == 0, "no supposition explains it, so none is preferred"


def worth(n, alike, replicas, of_replicas, of_others):
    """The penalised likelihood, bin by bin."""
    total = 0.0
    for pairs, k, share in zip(n, alike, replicas, strict=True):
        rate = share * of_replicas + (1 - share) * of_others
        weight = 1 / (second_view.DISPERSION + second_view.CLUSTERED**2 * pairs)
        total += weight * (k * np.log(rate) + (pairs - k) * np.log(1 - rate))
    for share, before in (
        (of_replicas, second_view.REPLICAS),
        (of_others, second_view.OTHERS),
    ):
        total += before * np.log(share) + (1 - before) * np.log(1 - share)
    return total


def test_the_shares_are_no_worse_than_the_best_of_a_grid():
    n = np.round(400 * np.exp(-BINS / 5)) + 5
    alike = np.round(n * np.where(BINS > 11, 0.45, 0.03))
    grid = np.concatenate([np.linspace(0.001, 0.1, 100), np.linspace(0.11, 0.99, 89)])
    found = second_view.log_likelihoods(n, alike, SUPPOSED)
    for number in (6, 8, 10):
        tried = (worth(n, alike, SUPPOSED[number], r, o) for r in grid for o in grid)
        assert found[number] == pytest.approx(max(tried), abs=0.01)


@given(st.lists(st.tuples(st.integers(0, 10**7), st.floats(0, 1)), min_size=20, max_size=20))
@settings(max_examples=50)
def test_any_counts_give_numbers(counts):
    n = np.array([pairs for pairs, _ in counts], float)
    alike = np.floor([pairs * rate for pairs, rate in counts])
    assert np.isfinite(second_view.log_likelihoods(n, alike, SUPPOSED)).all()
