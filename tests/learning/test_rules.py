"""Rules: the worked example, the slow reference, and a pool that is always as if built from
scratch.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.errors import UsageError
from replicadb.learning.rules import NEGATIVE, POSITIVE, RulePool

from . import reference
from .sets import FEW, MODERATE, collapse, random_patterns, training_sets

TABLE_1 = collapse(reference.TABLE_1)
X = np.array([reference.TABLE_1_X])


def close(number: float, fraction: Fraction) -> bool:
    return number == pytest.approx(float(fraction), abs=1e-15)


def test_the_worked_example_has_the_scores_of_the_corrected_table_1():
    pool = RulePool.from_patterns(*TABLE_1)
    negative, positive = pool.scores(pool.index(X))[0]
    assert close(negative, Fraction(13, 20)) and close(positive, Fraction(203, 260))
    assert pool.alpha(pool.index(X))[0] == round(169 / 372, 12)
    assert (
        (pool.supports[pool.index(X)[0]] > 0).sum()
        == 22
        == reference.n_rules(reference.TABLE_1, X[0])
    )


def test_the_reference_has_the_worked_example_in_exact_fractions():
    assert reference.alpha(reference.TABLE_1, reference.TABLE_1_X) == Fraction(169, 372)


def test_the_own_alphas_of_the_worked_example_are_the_tables():
    pool = RulePool.from_patterns(*TABLE_1)
    own = {
        4: "713/2412",
        1: "12431/34316",
        3: "527/1383",
        6: "7259/13242",
        2: "1104/1631",
        7: "5118/7505",
    }
    for y, printed in own.items():
        assert pool.alpha(pool.index([reference.TABLE_1[y - 1][0]]))[0] == round(
            float(Fraction(printed)), 12
        )
        assert reference.alpha(reference.TABLE_1, reference.TABLE_1[y - 1][0]) == Fraction(printed)


def test_the_projected_alphas_of_the_worked_example_are_the_tables():
    pool = RulePool.from_patterns(*TABLE_1)
    by_mask = pool.alpha_by_overlap(pool.index(X))[0]
    printed = {4: "497/1544", 1: "497/1544", 3: "161/405", 6: "71/180", 2: "158/249", 7: "68/101"}
    for y, value in printed.items():
        shared = [j for j in range(5) if reference.TABLE_1[y - 1][0][j] == reference.TABLE_1_X[j]]
        assert reference.alpha(reference.TABLE_1, reference.TABLE_1_X, features=shared) == Fraction(
            value
        )
        assert by_mask[sum(1 << j for j in shared) - 1] == round(float(Fraction(value)), 12)


@pytest.mark.slow
@MODERATE
@given(training_sets(), st.integers(1, 3))
def test_alpha_equals_the_slow_reference(examples, min_support):
    bins, counts = collapse(examples)
    pool = RulePool.from_patterns(bins, counts, min_support=min_support)
    wanted = [round(float(reference.alpha(examples, x, min_support)), 12) for x in bins.tolist()]
    assert pool.alpha().tolist() == wanted


@pytest.mark.slow
@MODERATE
@given(
    training_sets(),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 20), st.booleans()), max_size=12),
)
def test_after_every_move_the_pool_equals_one_built_from_scratch(examples, wishes):
    bins, counts = collapse(examples)
    pool, counts = RulePool.from_patterns(bins, counts), counts.copy()
    for wish, k, forward in wishes:
        pattern, source = wish % len(bins), NEGATIVE if forward else POSITIVE
        k = min(k, counts[pattern, source])
        pool.move(pattern, k, source, 1 - source)
        counts[pattern] += np.where(np.arange(2) == source, -k, k)
        scratch = RulePool.from_patterns(bins, counts)
        assert (pool.supports == scratch.supports).all() and (pool.counts == counts).all()
        assert pool.alpha().tobytes() == scratch.alpha().tobytes()


def test_moving_many_patterns_at_once_equals_moving_them_one_by_one():
    bins, counts = random_patterns(400, 3)
    together, single = RulePool.from_patterns(bins, counts), RulePool.from_patterns(bins, counts)
    rows = np.arange(0, len(bins), 3)
    together.move(rows, counts[rows, 0], NEGATIVE, POSITIVE)
    for row in rows:
        single.move(row, counts[row, 0], NEGATIVE, POSITIVE)
    assert (together.supports == single.supports).all()
    assert together.alpha().tobytes() == single.alpha().tobytes()


def test_only_supports_inside_the_pattern_change():
    bins, counts = random_patterns(300, 4)
    pool = RulePool.from_patterns(bins, counts)
    before = pool.supports.copy()
    pool.move(5, counts[5, 0], NEGATIVE, POSITIVE)
    changed = np.flatnonzero((pool.supports != before).any(axis=1))
    assert set(changed) == set(pool.antecedent_ids[5])


def test_a_copy_moves_alone():
    pool = RulePool.from_patterns(*TABLE_1)
    before = pool.alpha()
    twin = pool.copy()
    twin.move(
        0,
        1,
        POSITIVE if pool.counts[0, 1] else NEGATIVE,
        NEGATIVE if pool.counts[0, 1] else POSITIVE,
    )
    assert (pool.alpha() == before).all() and (twin.alpha() != before).any()


def cube(bins, counts):
    """What GROUP BY CUBE gives: every antecedent, the empty one included, in no order."""
    rows = {}
    for x, count in zip(bins.tolist(), counts, strict=True):
        for features in [(), *reference.subsets(range(len(x)))]:
            key = tuple(x[j] if j in features else -1 for j in range(len(x)))
            rows[key] = rows.get(key, 0) + count
    keys = sorted(rows, key=lambda key: hash(key))
    return np.array(keys).T, *np.array([rows[key] for key in keys]).T


@FEW
@given(training_sets())
def test_a_pool_from_the_cube_equals_one_from_patterns(examples):
    bins, counts = collapse(examples)
    pool = RulePool.from_patterns(bins, counts)
    columns, negative, positive = cube(bins, counts)
    from_cube = RulePool.from_supports(list(columns), negative, positive, bins=bins)
    assert (from_cube.supports == pool.supports).all() and (
        from_cube.antecedents == pool.antecedents
    ).all()
    assert from_cube.alpha().tobytes() == pool.alpha().tobytes()
    masked = [np.ma.masked_array(np.where(c < 0, 99, c), c < 0) for c in columns]
    by_rows = RulePool.from_supports(masked, negative, positive)
    assert sorted(map(tuple, by_rows.bins)) == sorted(map(tuple, bins))


def test_antecedents_name_the_rows_of_the_supports():
    bins, counts = TABLE_1
    pool = RulePool.from_patterns(bins, counts)
    for antecedent, support in zip(pool.antecedents, pool.supports[:-1], strict=True):
        inside = ((bins == antecedent) | (antecedent < 0)).all(axis=1)
        assert (counts[inside].sum(axis=0) == support).all()


def test_a_pattern_with_no_known_item_has_alpha_1():
    pool = RulePool.from_patterns(*TABLE_1)
    strange = pool.index([[9, 9, 9, 9, 9], [0, 0, 0, 0, 0]])
    assert pool.alpha(strange).tolist() == [1.0, 1.0] and (pool.scores(strange) == 0).all()


def test_a_bin_past_the_training_set_is_unknown_and_not_another_antecedent():
    pool = RulePool.from_patterns([[0, 0], [1, 1]], [[1, 0], [0, 1]])
    assert pool.supports[pool.index([[2, 1]])[0]].tolist() == [[0, 0], [0, 1], [0, 0]]


@FEW
@given(training_sets(), st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_that_of_features_changes_alpha(examples, random):
    bins, counts = collapse(examples)
    rows = random.sample(range(len(bins)), len(bins))
    features = random.sample(range(bins.shape[1]), bins.shape[1])
    alpha = RulePool.from_patterns(bins, counts).alpha()
    assert (RulePool.from_patterns(bins[rows], counts[rows]).alpha() == alpha[rows]).all()
    assert (RulePool.from_patterns(bins[:, features], counts).alpha() == alpha).all()


def test_replicating_the_training_set_changes_nothing():
    bins, counts = random_patterns(300, 5)
    assert (
        RulePool.from_patterns(bins, counts).alpha()
        == RulePool.from_patterns(bins, counts * 7).alpha()
    ).all()


def test_scores_do_not_depend_on_how_many_are_asked_for_at_once():
    pool = RulePool.from_patterns(*random_patterns(500, 6))
    single = [pool.alpha(pool.antecedent_ids[i : i + 1])[0] for i in range(len(pool.bins))]
    assert pool.alpha().tolist() == single


def test_the_longest_overlap_is_alpha_itself():
    pool = RulePool.from_patterns(*random_patterns(500, 7))
    assert pool.alpha_by_overlap(pool.antecedent_ids)[:, -1].tobytes() == pool.alpha().tobytes()


def test_overlap_counts_are_those_of_a_plain_count():
    bins, counts = random_patterns(120, 8, n_features=3)
    pool = RulePool.from_patterns(bins, counts)
    exact = pool.counts_by_overlap(pool.antecedent_ids)
    for i, x in enumerate(bins):
        mask = ((bins == x) * [1, 2, 4]).sum(axis=1)
        wanted = [counts[mask == m].sum(axis=0).tolist() for m in range(1, 8)]
        assert exact[i].tolist() == wanted


GOOD = ([[0, 1], [1, 1]], [[1, 0], [0, 2]])


@pytest.mark.parametrize(
    ("bins", "counts", "options"),
    [
        ([0, 1], GOOD[1], {}),
        ([[0.5, 1.0], [1.0, 1.0]], GOOD[1], {}),
        ([[-1, 1], [1, 1]], GOOD[1], {}),
        ([[0, 1], [0, 1]], GOOD[1], {}),
        (np.zeros((0, 2), int), np.zeros((0, 2), int), {}),
        (np.zeros((2, 13), int), GOOD[1], {}),
        (np.zeros((2, 0), int), GOOD[1], {}),
        ([[0] * 12, [40] * 12], GOOD[1], {}),
        (GOOD[0], [[1, 0]], {}),
        (GOOD[0], [[1, 0, 0], [0, 2, 0]], {}),
        (GOOD[0], [[1, 0], [0, -2]], {}),
        (GOOD[0], [[1.0, 0.0], [0.0, 2.0]], {}),
        (*GOOD, {"min_support": 0}),
    ],
)
def test_a_training_set_that_cannot_be_meant_is_refused_in_one_line(bins, counts, options):
    with pytest.raises(UsageError) as error:
        RulePool.from_patterns(bins, counts, **options)
    assert str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("columns", "negative", "positive", "options"),
    [
        ([], [], [], {}),
        ([[0, 1], [0]], [1, 1], [0, 0], {}),
        ([[0, -2], [0, 1]], [1, 1], [0, 0], {}),
        ([[0, 1], [0, 1]], [1, 1], [0, -1], {}),
        ([[0, 1], [0, 1]], [1, 1, 1], [0, 0, 0], {}),
        ([[0, 0], [0, 0]], [1, 1], [0, 0], {}),
        ([[0, 1], [0, 1]], [1, 1], [0, 0], {"bins": [[1, 0]]}),
        ([[0, 1], [0, 1]], [1, 1], [0, 0], {"bins": [[1, 0, 0]]}),
    ],
)
def test_supports_that_cannot_be_meant_are_refused_in_one_line(
    columns, negative, positive, options
):
    with pytest.raises(UsageError) as error:
        RulePool.from_supports(columns, np.array(negative, int), np.array(positive, int), **options)
    assert str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "move", [(0, 1, 1, 0), (0, -1, 0, 1), (0, 2, 0, 1), (0, 1, 0, 0), (0, 1, 0, 2)]
)
def test_a_move_that_cannot_be_made_is_refused(move):
    with pytest.raises(UsageError):
        RulePool.from_patterns(*GOOD).move(*move)


def test_new_patterns_need_as_many_features():
    with pytest.raises(UsageError):
        RulePool.from_patterns(*GOOD).index([[0, 1, 2]])
