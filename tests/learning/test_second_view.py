"""What a second view says of suppositions, against true ones and a slow search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.learning import second_view

BINS = np.arange(20.0)
PLACES = np.arange(2.0, 18.0)
ABOVE = BINS[None, :] - PLACES[:, None]
SUPPOSED = 1 / (1 + np.exp(-2 * ABOVE))
"""(suppositions, bins): replicas begin at each of PLACES."""


@pytest.mark.parametrize("begins", [5, 9, 13])
@pytest.mark.parametrize("shares", [(0.3, 0.01), (0.9, 0.4)])
def test_where_the_rate_of_alike_pairs_rises_replicas_begin(begins, shares):
    n = np.full(len(BINS), 200.0)
    true = SUPPOSED[list(PLACES).index(begins)]
    alike = np.round(n * (true * shares[0] + (1 - true) * shares[1]))
    likely = second_view.log_likelihoods(n, alike, SUPPOSED, ABOVE)
    assert abs(PLACES[np.argmax(likely)] - begins) <= 1
    assert likely.max() > likely[0] + 1 and likely.max() > likely[-1] + 1


def test_a_rate_that_is_the_same_everywhere_says_next_to_nothing():
    n = np.full(len(BINS), 200.0)
    likely = second_view.log_likelihoods(n, 0.2 * n, SUPPOSED, ABOVE)
    assert np.ptp(likely) < 0.5


def test_fewer_than_five_alike_pairs_say_nothing():
    n, alike = np.full(len(BINS), 200.0), np.zeros(len(BINS))
    alike[-1] = second_view.FEWEST - 1
    assert not second_view.log_likelihoods(n, alike, SUPPOSED, ABOVE).any()
    alike[-1] += 1
    assert second_view.log_likelihoods(n, alike, SUPPOSED, ABOVE).any()


def test_replicas_are_never_taken_to_be_alike_less_often_than_others():
    n = np.full(len(BINS), 200.0)
    falls = np.where(BINS < 10, 100.0, 2.0)
    likely = second_view.log_likelihoods(n, falls, SUPPOSED, ABOVE)
    assert np.ptp(likely) == 0, "no supposition explains it, so none is preferred"


def worth(n, alike, replicas, above, rates):
    """The penalised likelihood, bin by bin; rates: log odds at the place and drift, of replicas and
    of others.
    """
    total = 0.0
    drifts = np.clip(above, -second_view.FARTHEST[0], second_view.FARTHEST[1])
    for pairs, k, share, d in zip(n, alike, replicas, drifts, strict=True):
        of_replicas, of_others = (1 / (1 + np.exp(-(a + b * d))) for a, b in rates)
        rate = share * of_replicas + (1 - share) * of_others
        weight = 1 / (second_view.DISPERSION + second_view.CLUSTERED**2 * pairs)
        total += weight * (k * np.log(rate) + (pairs - k) * np.log(1 - rate))
    for (a, b), (mean, deviation), drift in zip(
        rates, (second_view.REPLICAS, second_view.OTHERS), second_view.DRIFTS, strict=True
    ):
        total -= (((a - mean) / deviation) ** 2 + (b / drift) ** 2) / 2
    return total


@pytest.mark.slow
@pytest.mark.parametrize("number", [6, 8, 10])
def test_the_rates_are_no_worse_than_those_found_by_small_steps(number):
    """Coordinate search of the penalised likelihood, from several beginnings."""
    n = np.round(400 * np.exp(-BINS / 5)) + 5
    alike = np.round(n * np.where(BINS > 11, 0.45, 0.03))
    found = second_view.log_likelihoods(n, alike, SUPPOSED, ABOVE)[number]
    best = -np.inf
    for begin in ((-1.0, -3.0), (1.0, -5.0), (-3.0, -1.0)):
        rates, step = [[begin[0], 0.0], [begin[1], 0.0]], 1.0
        value = worth(n, alike, SUPPOSED[number], ABOVE[number], rates)
        while step > 1e-4:
            moved = False
            for i, j, sign in [(i, j, s) for i in (0, 1) for j in (0, 1) for s in (1, -1)]:
                tried = [list(pair) for pair in rates]
                tried[i][j] += sign * step * (0.1 if j else 1.0)
                then = worth(n, alike, SUPPOSED[number], ABOVE[number], tried)
                if then > value:
                    rates, value, moved = tried, then, True
            step = step if moved else step / 2
        best = max(best, value)
    assert found == pytest.approx(best, abs=0.02)


@given(st.lists(st.tuples(st.integers(0, 10**7), st.floats(0, 1)), min_size=20, max_size=20))
@settings(max_examples=25)
def test_any_counts_give_numbers(counts):
    n = np.array([pairs for pairs, _ in counts], float)
    alike = np.floor([pairs * rate for pairs, rate in counts])
    assert np.isfinite(second_view.log_likelihoods(n, alike, SUPPOSED, ABOVE)).all()
