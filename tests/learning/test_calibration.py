"""From match weights to probabilities and flags: bounds, order, and the share of wrong flags."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.learning.calibration import (
    FEWEST,
    PROMISED,
    STEP,
    Curve,
    curve_of,
    expected,
    expected_between,
    least_of_another,
    least_probability,
    ran_away,
    taught,
    within_bound,
    within_decoys,
    within_prior,
)
from replicadb.learning.chance_null import ERROR, ERRORS, Chance, Counts
from replicadb.learning.crossing import Crossing
from replicadb.settings import CONSTANTS
from replicadb.stage_constants import CALIBRATION, LABELS


def test_at_its_place_a_pair_is_as_likely_as_not():
    curve = curve_of(Crossing(3.5, 0.4))
    assert curve.even == 3.5 and curve.probabilities([3.5]).tolist() == [0.5]


@pytest.mark.parametrize("error", [0.0, 0.5, 1.0, 2.0])
def test_a_curve_is_the_mean_over_the_places_that_are_likely(error):
    """Against the mean of logistic curves over normal places."""
    curve, steepest = curve_of(Crossing(1.0, error)), CALIBRATION.steepest
    spread = np.hypot(error, CALIBRATION.least_error)
    places = 1.0 + spread * np.random.default_rng(4).normal(size=20_000)
    for strength in (-4.0, -1.0, 0.0, 0.5, 2.0, 4.0, 7.0):
        mean = (1 / (1 + np.exp(-steepest * (strength - places)))).mean()
        assert curve.probabilities([strength])[0] == pytest.approx(mean, abs=0.025)


def test_the_clearer_the_place_the_steeper_the_curve():
    slopes = [curve_of(Crossing(0.0, error)).slope for error in (0.0, 0.3, 1.0, 3.0)]
    assert slopes == sorted(slopes, reverse=True) and slopes[0] < CALIBRATION.steepest


@pytest.mark.slow
@given(st.lists(st.floats(-100, 100), min_size=1), st.floats(0.1, 3), st.floats(-20, 20))
def test_probabilities_rise_with_the_match_weight(strengths, slope, even):
    found = Curve(slope, even).probabilities(sorted(strengths))
    assert (np.diff(found) >= 0).all() and ((found >= 0) & (found <= 1)).all()


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 50)), min_size=1, max_size=20),
    st.floats(0.005, 0.5),
    st.floats(0.1, 0.9),
)
def test_flags_are_the_most_that_keep_the_expected_share_of_wrong_ones(pairs, wrong, lowest):
    """Against every threshold that there could be."""
    pairs = sorted(dict(pairs).items())
    probability, n = (np.array(column, float) for column in zip(*pairs, strict=True))
    least = least_probability(probability, n, wrong, lowest)

    def fits(threshold: float) -> bool:
        chosen = probability >= threshold
        missed = ((1 - probability) * n)[chosen].sum()
        return threshold >= lowest and missed <= max(
            wrong * n[chosen].sum(), CONSTANTS.wrong_of_few
        )

    allowed = [float(p) for p in probability if fits(p)]
    assert least == (min(allowed) if allowed else 2.0)


def test_an_estimate_that_ran_away_is_held_within_what_counts_allow():
    strength, n = np.linspace(-3, 10, 200), np.full(200, 100.0)
    curve = Curve(1.3, 2.0)
    usual = float(curve.probabilities(strength) @ n)
    few = int(usual / CONSTANTS.most_above) - 10
    assert ran_away(curve, strength, n, few) and not ran_away(curve, strength, n, few + 20)
    held = within_bound(curve, strength, n, few)
    assert held.probabilities(strength) @ n == pytest.approx(CONSTANTS.most_above * few, rel=0.01)
    assert held.slope == CALIBRATION.steepest and held.even > curve.even
    assert within_bound(curve, strength, n, few + 20) == curve


def counts(*pairs: tuple[float, float]) -> Counts:
    strength, n = (np.array(column, float) for column in zip(*pairs, strict=True))
    return Counts(strength, n)


def test_a_promise_that_decoys_say_is_broken_moves_the_curve_to_where_it_is_kept():
    """Of 400 pairs at 5 and above 20.4 are chance at the least; of 300 at 7 and above none is."""
    candidates = counts((3.0, 500.0), (5.0, 100.0), (7.0, 300.0))
    curve = Curve(2.0, 3.0)
    held = within_decoys(curve, Chance(candidates, counts((5.0, 41.0), (7.0, 4.0)), 300))
    assert held.slope == curve.slope
    assert held.probabilities(np.array([7.0]))[0] == pytest.approx(PROMISED, abs=1e-5)
    for few in (counts((5.0, 40.0)), counts((9.0, 1.0)), Counts(np.zeros(0), np.zeros(0))):
        assert within_decoys(curve, Chance(candidates, few, 300)) == curve
    every = within_decoys(curve, Chance(candidates, candidates, 0))
    assert (every.probabilities(candidates.strength) < PROMISED).all()


@given(
    st.lists(st.tuples(st.integers(-6, 30), st.integers(1, 400), st.integers(0, 400)), min_size=1),
    st.floats(0.5, 2.5),
    st.floats(-2, 9),
)
def test_the_promise_is_kept_after_it_and_the_curve_moves_no_further(found, slope, even):
    """Against a loop over the places to which it may move."""
    by_place = {s / 2: (n, d) for s, n, d in sorted(found)}
    candidates = counts(*((s, n) for s, (n, _) in by_place.items()))
    decoys = counts(*((s, d) for s, (_, d) in by_place.items()))
    held = within_decoys(Curve(slope, even), Chance(candidates, decoys, 1))
    ahead = np.log(PROMISED / (1 - PROMISED)) / slope

    def kept(place: float) -> bool:
        n, d = (sum(one[i] for s, one in by_place.items() if s >= place - 1e-6) for i in range(2))
        return max((1 - ERROR) * d - ERRORS * d**0.5, 0) <= (1 - PROMISED) * n

    places = [even + ahead, *(s for s in by_place if s > even + ahead)]
    first = next((place for place in places if kept(place)), max(places) + STEP)
    assert held.even == pytest.approx(first - ahead, abs=1e-5)


def test_no_more_is_expected_than_thrice_what_the_class_prior_expects():
    strength, n = np.linspace(-3, 10, 200), np.full(200, 100.0)
    by_class_prior = expected(Curve(1.0, 8.0), strength, n)
    held = within_prior(Curve(1.3, 0.0), strength, n, 8.0)
    most = CALIBRATION.most_by_prior * by_class_prior
    assert held.slope == 1.3
    assert expected(held, strength, n) == pytest.approx(most, rel=0.01)
    usual = Curve(1.3, held.even + 0.01)
    assert within_prior(usual, strength, n, 8.0) == usual
    few = within_prior(Curve(1.3, 0.0), strength, n / 1e3, 99.0)  # it expects none
    assert expected(few, strength, n / 1e3) <= CALIBRATION.most_by_prior * FEWEST


def test_replicas_lie_between_what_nine_of_ten_places_expect():
    """Against the quantiles of what the steepest curve expects at normal places."""
    rng = np.random.default_rng(6)
    strength, n = np.linspace(-3, 12, 150), rng.integers(1, 90, 150)
    curve = curve_of(Crossing(3.0, 0.7))
    places = 3.0 + curve.error * rng.normal(size=20_000)
    numbers = [expected(Curve(CALIBRATION.steepest, place), strength, n) for place in places]
    fewest, most = expected_between(curve, strength, n)
    assert (fewest, most) == pytest.approx(np.quantile(numbers, [0.05, 0.95]), rel=0.02)


@pytest.mark.parametrize("error", [0.0, 1.0, 3.0])
def test_the_estimate_itself_is_always_between_and_decoys_bound_the_most(error):
    strength, n = np.linspace(-3, 10, 200), np.full(200, 100.0)
    curve = curve_of(Crossing(2.0, error))
    estimated = expected(curve, strength, n)
    fewest, most = expected_between(curve, strength, n)
    assert fewest < estimated < most
    for above in (0, 10, round(estimated / CONSTANTS.most_above) + 20, 10**9):
        held = expected_between(curve, strength, n, above)
        assert held[0] == fewest
        bound = CONSTANTS.most_above * max(above, FEWEST)
        assert held[1] == max(min(most, bound), estimated)


def test_a_curve_whose_error_nobody_knows_has_no_interval():
    assert expected_between(Curve(1.0, 2.0), [1.0], [5]) is None


def test_moving_a_curve_keeps_its_error_and_answers_lessen_it():
    strength, n = np.linspace(-3, 10, 200), np.full(200, 100.0)
    curve = curve_of(Crossing(0.0, 2.0))
    assert within_bound(curve, strength, n, 10).error == curve.error
    assert within_prior(curve, strength, n, 8.0).error == curve.error
    replica = strength > 1.0
    errors = [
        taught(curve, strength[::step], replica[::step], np.ones(200)[::step]).error
        for step in (200, 20, 1)
    ]
    assert curve.error >= errors[0] > errors[1] > errors[2] >= CALIBRATION.place_error


def test_counts_that_allow_none_let_a_few_through():
    strength, n = np.array([0.0, 5.0]), np.array([1000.0, 10.0])
    held = within_bound(Curve(1.3, 0.0), strength, n, 0)
    most = CONSTANTS.most_above * FEWEST
    assert held.probabilities(strength) @ n == pytest.approx(most, rel=0.01)


def test_a_small_crawl_has_its_flags():
    """Two pairs of .95 are a tenth of a wrong flag; four of .85 are more than half of one."""
    assert least_probability(np.array([0.2, 0.95]), [9, 2], 0.03, 0.8) == 0.95
    assert least_probability(np.array([0.85]), [4], 0.03, 0.8) == 2.0


@pytest.mark.parametrize(
    ("flagged", "n", "below", "expected"),
    [
        ([], [], 0.1, 0.8),  # nothing is flagged, and there is room for a sure pair
        ([], [], 0.9, 0.9),  # what is known and not flagged stays so
        ([0.99], [10], 0.3, 0.8),
        ([0.95], [7], 0.3, 0.85),  # .35 of half a wrong flag are expected
        ([0.97], [100], 0.3, 0.97),  # three of a hundred are, which is all that may be
    ],
)
def test_one_pair_more_is_flagged_where_there_is_room_beside_the_flags(flagged, n, below, expected):
    found = least_of_another(np.array(flagged), n, 0.03, 0.8, below)
    assert found == pytest.approx(expected, abs=1e-8) and (found > below)


CURVE = Curve(CALIBRATION.steepest, 1.0)


def test_nobody_s_labels_leave_the_curve():
    assert taught(CURVE, [], np.zeros(0, bool), []) is CURVE
    assert taught(CURVE, [5.0], np.array([True]), [0.0]) is CURVE


def test_labels_as_the_curve_has_them_hardly_move_it_and_others_move_it_where_they_are():
    rng = np.random.default_rng(3)
    for true in (1.0, 2.5, -1.0):
        strength = rng.uniform(-3, 6, 400)
        replica = rng.random(400) < Curve(CALIBRATION.steepest, true).probabilities(strength)
        assert abs(taught(CURVE, strength, replica, np.ones(400)).even - true) < 0.5


@pytest.mark.parametrize("true", [0.6, 1.0, 1.4])
def test_labels_make_a_curve_as_steep_as_they_are(true):
    rng = np.random.default_rng(4)
    strength = rng.uniform(-5, 7, 2000)
    replica = rng.random(2000) < Curve(true, 1.5).probabilities(strength)
    found = taught(Curve(1.0, 1.0), strength, replica, np.ones(2000))
    assert found.slope == pytest.approx(true, rel=0.25) and found.even == pytest.approx(
        1.5, abs=0.2
    )


def test_labels_that_a_step_parts_make_no_curve_steeper_than_any_may_be():
    strength = np.random.default_rng(4).uniform(-5, 7, 2000)
    clear = taught(Curve(1.5, 1.0), strength, strength > 1.5, np.ones(2000))
    assert clear.slope == curve_of(Crossing(1.0, 0.0)).slope < CALIBRATION.steepest


def test_labels_that_say_nothing_leave_the_curve():
    """Far below where it is even a pair is no replica by any place and slope that are likely."""
    for flat in (0.6, 0.9, 1.4):
        curve = Curve(flat, 2.0, 2.0)
        left = taught(curve, np.full(20, -15.0), np.zeros(20, bool), np.ones(20))
        assert left.slope == pytest.approx(flat, rel=0.06)
        assert left.even == pytest.approx(2.0, abs=0.05) and left.error <= 2.0


def test_labels_of_one_class_make_a_curve_steeper_as_far_as_they_narrow_its_place_down():
    """Twenty pairs that are none below a place nobody knew: pairs far above them stay likely."""
    curve, strength = Curve(0.75, 2.4, 2.2), np.linspace(-2.0, 2.5, 20)
    up = taught(curve, strength, np.zeros(20, bool), np.ones(20))
    assert up.slope > 1.1 and 3.5 < up.even < 5
    assert up.probabilities([7.0])[0] > 0.94 and up.probabilities([2.5])[0] < 0.15
    down = taught(curve, strength + 2.3, np.ones(20, bool), np.ones(20))
    assert down.slope > 1.1 and down.even < 0.5
    for far in (5.0, 9.0):  # and however far the place is from where it was thought
        assert taught(curve, strength - far, np.ones(20, bool), np.ones(20)).slope > curve.slope


def test_a_taught_curve_is_the_mean_over_places_and_slopes():
    """Summed up one by one; its error is known where that of the curve is."""
    rng, curve = np.random.default_rng(8), Curve(1.0, 1.0, 3.0)
    strength = np.round(rng.uniform(-1, 3, 20), 2)
    replica = rng.random(20) < Curve(1.0, 0.5).probabilities(strength)
    steepest, mass = curve_of(Crossing(1.0, 0.0)).slope, {}
    variance = 8 / np.pi * ((steepest / curve.slope) ** 2 - 1) / steepest**2
    for turn in np.arange(-15, 16) / 10:
        for step in np.arange(-300, 301) / 300 * LABELS.reach:
            p = Curve(steepest * np.exp(turn), 1.0 + step).probabilities(strength)
            fits = LABELS.slips + (1 - 2 * LABELS.slips) * np.where(replica, p, 1 - p)
            far = step**2 / variance / 2 + (turn / LABELS.turn) ** 2 / 2
            mass[turn, step] = np.exp(np.log(fits).sum() - far)
    total = sum(mass.values())
    place = sum(m * step for (_, step), m in mass.items()) / total
    left = sum(m * (step - place) ** 2 for (_, step), m in mass.items()) / total
    slope = steepest * np.exp(sum(m * turn for (turn, _), m in mass.items()) / total)
    found = taught(curve, strength, replica, np.ones(20))
    assert found.even == pytest.approx(1.0 + place, abs=1e-4)
    assert found.slope == pytest.approx(slope / np.sqrt(1 + np.pi * slope**2 * left / 8), abs=1e-4)
    assert found.error == pytest.approx(np.sqrt(left + CALIBRATION.place_error**2), abs=1e-3)
    unknown = taught(Curve(1.0, 1.0, None), strength, replica, np.ones(20))
    assert unknown == Curve(found.slope, found.even, None)


def test_a_few_labels_turn_a_curve_by_little():
    """Ten in the order of the curve and ten against it, a unit from where it is even."""
    curve, strength = Curve(1.0, 1.0), np.array([0.0] * 10 + [2.0] * 10)
    replica = np.arange(20) >= 10
    steeper = taught(curve, strength, replica, np.full(20, 0.5)).slope
    flatter = taught(curve, strength, ~replica, np.full(20, 0.5)).slope
    assert 1 < steeper < 2 and np.exp(-1) < flatter < 1


@pytest.mark.parametrize("way", [True, False])
def test_any_number_of_labels_moves_the_curve_by_a_bounded_step_and_one_slip_by_little(way):
    side = -1 if way else 1
    for n in (1, 10, 100_000):
        moved = taught(CURVE, [1.0 + side * 2], np.array([way]), [n])
        assert 0 < side * (moved.even - CURVE.even) <= LABELS.reach
        assert 0 < moved.slope <= CURVE.slope
    far = taught(CURVE, [1.0 + side * 20], np.array([way]), [1])
    assert abs(far.even - CURVE.even) < 0.1


def test_labels_that_fit_and_one_that_does_not_stay_with_the_many():
    strength = np.array([4.0] * 20 + [-2.0] * 20 + [6.0])
    replica = np.array([True] * 20 + [False] * 20 + [False])
    assert abs(taught(CURVE, strength, replica, np.ones(41)).even - CURVE.even) < 0.5


@pytest.mark.slow
@settings(max_examples=20)
@given(
    st.lists(st.tuples(st.floats(-10, 20), st.booleans()), min_size=1, max_size=30), st.randoms()
)
def test_the_order_of_labels_says_nothing(labels, draw):
    shuffled = draw.sample(labels, len(labels))
    curves = [
        taught(CURVE, [s for s, _ in rows], np.array([r for _, r in rows]), np.ones(len(rows)))
        for rows in (labels, shuffled)
    ]
    assert curves[0] == curves[1]
