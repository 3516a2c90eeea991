"""Where two densities cross, against true crossings and a slow fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.learning import crossing
from replicadb.learning.crossing import FURTHER, PLACES, SEEN_EDGES, USUAL, WIDTH, Crossing
from replicadb.stage_constants import CALIBRATION

MIDDLE = USUAL.middle
SEEN = SEEN_EDGES[:-1] + WIDTH / 2
"""The middles of the bins that a second view sees."""


def counts(others: float, replicas: float, middle: np.ndarray = MIDDLE) -> np.ndarray:
    """(bins,) of others that fall by a normal density around -4, and replicas around 6."""
    return others * np.exp(-(((middle + 4) / 2) ** 2) / 2) + replicas * np.exp(
        -(((middle - 6) / 2) ** 2) / 2
    )


def true_place(others: float, replicas: float) -> float:
    """Where both are equal: ln(others / replicas) = ((s + 4)^2 - (s - 6)^2) / 8."""
    return float((8 * np.log(others / replicas) + 20) / 20)


@pytest.mark.parametrize("others", [1e2, 1e3, 1e4, 1e5])
def test_the_place_is_where_the_densities_cross(others):
    for replicas in (20, 100):
        found = crossing.crossing(MIDDLE, counts(others, replicas), 0.0)
        assert abs(found.place - true_place(others, replicas)) < 1.0
        assert found.error < 1.0


def test_without_candidates_the_typical_place_stands():
    found = crossing.crossing(np.zeros(0), np.zeros(0), 0.0)
    assert abs(found.place - CALIBRATION.typical) < 0.1
    assert found.error == pytest.approx(CALIBRATION.spread, rel=0.1)


def test_a_class_prior_that_is_more_careful_draws_the_place_up_and_no_other_does():
    n = counts(2_000, 100)
    usual = crossing.crossing(MIDDLE, n, -4.0)
    assert crossing.crossing(MIDDLE, n, CALIBRATION.typical) == usual
    careful = crossing.crossing(MIDDLE, n, CALIBRATION.typical + 3)
    assert usual.place < careful.place < CALIBRATION.typical + 3


def test_where_counts_have_no_bend_the_error_is_large():
    bent = crossing.crossing(MIDDLE, counts(2_000, 100), 0.0)
    straight = crossing.crossing(MIDDLE, 500 * np.exp(-0.9 * (MIDDLE + 3)), 0.0)
    assert straight.error > 1.5 * bent.error


def test_a_few_pairs_move_the_place_by_little():
    found = crossing.crossing([5.0, 6.0], [1, 1], 0.0)
    assert abs(found.place - CALIBRATION.typical) < 1.0 and found.error > 1.0


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.floats(-30, 30), st.integers(1, 10**7)), max_size=30),
    st.floats(-50, 50),
    st.randoms(),
)
@settings(max_examples=20)
def test_any_counts_have_a_place_whatever_their_order(pairs, place, draw):
    strength, n = [s for s, _ in pairs], [c for _, c in pairs]
    found = crossing.crossing(strength, n, place)
    assert PLACES[0] <= found.place <= PLACES[-1] and 0 <= found.error < 10
    order = draw.sample(range(len(pairs)), len(pairs))
    assert crossing.crossing([strength[k] for k in order], [n[k] for k in order], place) == found
    beyond = crossing.crossing([*strength, -1e3, 1e3], [*n, 5, 5], place)
    assert beyond == found, "what lies outside of the bins says nothing"


@pytest.mark.parametrize("reach", [USUAL, FURTHER])
def test_shapes_are_no_worse_than_those_found_by_small_steps(reach):
    """Against coordinate search of the penalised likelihood, bin by bin, at some places."""
    n = counts(3_000, 60, reach.middle)
    weight = 1 / (crossing.DISPERSION + crossing.CLUSTERED**2 * n)

    def worth(shape: np.ndarray, place: float) -> float:
        total = -float((((shape - crossing.SHAPE) / np.array(reach.error)) ** 2).sum()) / 2
        a, b, c, e, f = shape
        for s, count, part in zip(reach.middle, n, weight, strict=True):
            d = s - place
            mean = np.exp(a - b * d - c * d * d) + np.exp(a + e * d - f * d * d)
            total += (count * np.log(mean) - mean) * part
        return float(total)

    def allowed(shape: np.ndarray, place: float) -> bool:
        rises = -(shape[1] + 2 * shape[2] * (reach.lowest - place))
        return bool((shape >= crossing.LEAST_BEND).all()) and rises <= reach.rise

    fitted, shapes = crossing.fitted(n, reach)
    for k in (4, 8, 12):
        shape, step = shapes[k].copy(), 0.2
        while step > 1e-3:
            tried = [shape + step * sign * axis for axis in np.eye(5) for sign in (-1, 1)]
            tried = [each for each in tried if allowed(each, PLACES[k])]
            best = max(tried, key=lambda each: worth(each, PLACES[k]))
            if worth(best, PLACES[k]) > worth(shape, PLACES[k]):
                shape = best
            else:
                step /= 2
        assert fitted[k] == pytest.approx(worth(shapes[k], PLACES[k]), abs=1e-6)
        assert fitted[k] >= worth(shape, PLACES[k]) - 0.01


def test_a_crossing_is_told_in_four_digits():
    found = crossing.crossing(MIDDLE, counts(1_000, 50), 0.0)
    assert found == Crossing(round(found.place, 4), round(found.error, 4))


@pytest.mark.parametrize("begins", [1.0, 4.0, 6.0])
def test_where_counts_have_no_bend_a_second_view_tells_the_place(begins):
    n = 500 * np.exp(-0.3 * (SEEN + 3))
    alike = n * np.where(begins < SEEN, 0.4, 0.01)
    alone = crossing.crossing(SEEN, n, 0.0)
    found = crossing.crossing(SEEN, n, 0.0, alike)
    assert abs(found.place - begins) < 1.5 and found.error < 0.8 * alone.error


def test_a_second_view_in_which_no_pair_is_alike_changes_nothing():
    n = counts(2_000, 100)
    assert crossing.crossing(MIDDLE, n, 0.0, np.zeros(len(n))) == crossing.crossing(MIDDLE, n, 0.0)


HUMP = 3_000 * np.exp(-(((SEEN + 6) / 1.5) ** 2)) + 300 * np.exp(-(((SEEN - 2) / 2) ** 2) / 2)
"""Others are gone by -3, and a hump of weak replicas follows."""


def test_where_pairs_agree_a_hump_is_of_replicas_and_its_valley_is_seen():
    agree = 0.2 * HUMP
    found = crossing.crossing(SEEN, HUMP, 0.0, agree=agree)
    usual = crossing.crossing(SEEN, HUMP, 0.0)
    assert found.place < -1 < 0.5 < usual.place and found.error < usual.error / 2


@pytest.mark.parametrize("agree", [-0.2, 0.0])
def test_where_they_do_not_it_may_be_of_look_alikes_and_nothing_changes(agree):
    usual = crossing.crossing(SEEN, HUMP, 0.0)
    assert crossing.crossing(SEEN, HUMP, 0.0, agree=agree * HUMP) == usual


def test_only_pairs_that_may_be_replicas_or_not_are_asked():
    strength, agree = np.array([-2.5, -2.0, 1.9, 2.0]), np.array([9.0, 0.2, -0.1, -9.0])
    assert crossing.pairs_agree(strength, agree)
    assert not crossing.pairs_agree(strength, -agree)
    assert not crossing.pairs_agree(strength, None)


def test_where_a_bend_is_seen_without_it_a_hump_below_is_of_look_alikes_that_agree():
    """As demo pages of one theme, which stand at equal paths on all its blogs: pairs of an author's
    crawl, a unit of match weight each, by a prior that this author did not teach.
    """
    units = [
        378,
        627,
        185,
        233,
        438,
        890,
        1053,
        971,
        534,
        250,
        82,
        43,
        18,
        12,
        14,
        16,
        25,
        14,
        5,
        0,
    ]
    n = np.repeat(units, 2) / 2.0
    usual = crossing.crossing(SEEN, n, 0.0)
    assert usual.place > 5
    assert crossing.crossing(SEEN, n, 0.0, agree=0.2 * n) == usual
    further = crossing._crossing(n, None, 2.25, FURTHER)
    assert further.place < 3 and further.error > usual.error
