"""The null of chance sharing against slow references, and where it is heard."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.learning import chance_null
from replicadb.learning.chance_null import Counts


def counts(strength) -> Counts:
    values, n = np.unique(np.round(strength, 6), return_counts=True)
    return Counts(values, n.astype(float))


@given(st.lists(st.floats(-5, 20), max_size=30), st.floats(-6, 21))
def test_above_counts_what_is_as_strong(strengths, least):
    found = counts(strengths).above(np.array([least]))
    assert found[0] == sum(np.round(strengths, 6) >= least) if strengths else found[0] == 0


def mixed(copies_at: float, n: float = 20_000.0) -> tuple[Counts, Counts]:
    """Candidates and decoys: n of each by chance, normal around 0, and a fortieth of copies."""
    middle = chance_null.edges()[:-1] + chance_null.WIDTH / 2
    by_chance = n / 15 * np.exp(-((middle / 1.5) ** 2) / 2)
    copies = n / 400 * np.exp(-((middle - copies_at) ** 2) / 2)
    return Counts(middle, by_chance + copies), Counts(middle, by_chance)


def test_the_place_is_between_chance_and_copies():
    for copies_at in (7.0, 9.0, 11.0):
        candidates, decoys = mixed(copies_at)
        found = chance_null.place(candidates, decoys)
        assert 3 < found < copies_at
        half = Counts(decoys.strength, decoys.n / 2)  # half as many decoys of the same shape
        assert chance_null.place(candidates, half) == pytest.approx(found, abs=1.0)


def test_a_place_is_no_worse_than_any_other_by_loops():
    """Against the likelihood of the mixture, summed bin by bin, its null fitted by small steps."""
    candidates, decoys = mixed(7.0, 300)
    q, n = chance_null.log_density(decoys.binned()), candidates.binned()
    middle = chance_null.edges()[:-1] + chance_null.WIDTH / 2

    def fit(place: float) -> float:
        best, size = [0.0, 0.0], 0.5

        def worth(a: float, b: float) -> float:
            total = -((a / chance_null.SCALED) ** 2 + (b / chance_null.TILTED) ** 2) / 2
            for s, null, count in zip(middle, q, n, strict=True):
                rise = np.log1p(np.exp(min(chance_null.RISE * (s - place), 50)))
                log_mean = null + a + b * s + rise
                total += (count * log_mean - np.exp(log_mean)) / chance_null.DISPERSION
            return total

        while size > 1e-3:
            near = [
                (best[0] + i * size, best[1] + j * size) for i in (-1, 0, 1) for j in (-1, 0, 1)
            ]
            top = max(near, key=lambda at: worth(*at))
            best, size = (list(top), size) if list(top) != best else (best, size / 2)
        return worth(*best)

    found = chance_null.place(candidates, decoys)
    step = 2 * chance_null.WIDTH
    assert fit(found) >= max(fit(found - step), fit(found + step)) - 0.01


def test_a_density_is_concave_and_follows_the_counts():
    decoys = np.exp(-0.01 * (chance_null.edges()[:-1] - 1) ** 2 + 6)
    found = chance_null.log_density(decoys)
    assert (np.diff(found, 2) <= 1e-9).all()
    assert found == pytest.approx(np.log(decoys), abs=0.1)
    rising = np.exp(0.02 * chance_null.edges()[:-1] ** 2)
    assert np.diff(chance_null.log_density(rising), 2) == pytest.approx(0, abs=1e-9)


def test_above_chance_is_the_greatest_surplus():
    rng = np.random.default_rng(2)
    chance, copies = rng.normal(0, 1.5, 20_000), rng.normal(9, 1, 500)
    candidates = counts(np.concatenate([chance, copies]))
    found = chance_null.compared(candidates, counts(rng.normal(0, 1.5, 20_000)), 7.0)
    scatter = 3 * np.sqrt(2 * 20_000)  # of two counts of 20,000
    assert 475 < found.above_chance < 500 + scatter
    assert 3 < found.place < 8 and found.share < 0.01


def test_few_decoys_say_nothing():
    rng = np.random.default_rng(3)
    candidates = counts(rng.normal(5, 1, 500))
    few = counts(rng.normal(2, 1, int(chance_null.FEWEST) - 1))
    assert chance_null.compared(candidates, few, 0.0).place is None
    none = Counts(np.zeros(0), np.zeros(0))
    assert chance_null.compared(counts([1.0, 2.0]), none, 0.0) == chance_null.Chance(None, 2, 0.0)
