"""Label transitions: every schedule against Algorithm 2 by hand, one-way moves, planted
replicas.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.errors import UsageError
from replicadb.learning.em import transitions, transitions_of
from replicadb.learning.rules import RulePool

from . import reference
from .sets import FEW, MODERATE, collapse, random_patterns, training_sets

HOW = ("own", "projected", 0.4)
SCHEDULES = ("batch", "pattern", "example")


def written_down(examples, movable):
    """(bins, counts, movable counts, order) of a list of examples of which some may move."""
    bins, counts = collapse(examples)
    row = {tuple(x): i for i, x in enumerate(bins.tolist())}
    order = np.array([row[x] for (x, _), flag in zip(examples, movable, strict=True) if flag], int)
    return bins, counts, np.bincount(order, minlength=len(bins)), order


@pytest.mark.slow
@MODERATE
@given(
    training_sets(max_examples=12, max_features=3),
    st.integers(0, 2**12 - 1),
    st.sampled_from(["PU", "NU"]),
    st.sampled_from(HOW),
    st.sampled_from(SCHEDULES),
    st.integers(1, 2),
)
def test_every_schedule_equals_algorithm_2_done_by_hand(
    examples, flags, data, how, schedule, min_support
):
    source = 0 if data == "PU" else 1
    movable = [label == source and flags >> i & 1 for i, (_, label) in enumerate(examples)]
    bins, counts, left, order = written_down(examples, movable)
    options = {"data": data, "cut": how, "schedule": schedule, "min_support": min_support}
    result = transitions(bins, counts, left, order=order, **options)
    labels = reference.transitions(examples, movable, data, how, schedule, min_support=min_support)
    _, wanted = collapse([(x, label) for (x, _), label in zip(examples, labels, strict=True)])
    assert (result.counts == wanted).all()
    assert (result.moved == np.abs(wanted - counts)[:, 0]).all()
    assert result.converged


def training(seed, data="PU", n=400):
    bins, counts = random_patterns(n, seed)
    # Most examples start with the source label, as most are unlabelled.
    source, counts = (0, counts) if data == "PU" else (1, counts[:, ::-1])
    return bins, counts, counts[:, source] - counts[:, source] // 10


@pytest.mark.parametrize("data", ["PU", "NU"])
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("schedule", ["batch", "pattern"])
def test_the_result_adds_up_and_its_alpha_is_that_of_a_pool_from_scratch(data, how, schedule):
    bins, counts, movable = training(1, data, n=150)
    result = transitions(bins, counts, movable, data=data, cut=how, schedule=schedule)
    source, target = (0, 1) if data == "PU" else (1, 0)
    assert (counts[:, source] - result.counts[:, source] == result.moved).all()
    assert (result.counts[:, target] - counts[:, target] == result.moved).all()
    assert (result.moved >= 0).all() and (result.moved <= movable).all()
    assert result.alpha.tobytes() == RulePool.from_patterns(bins, result.counts).alpha().tobytes()
    assert result.alpha_initial.tobytes() == RulePool.from_patterns(bins, counts).alpha().tobytes()
    assert ((result.moved_in > 0) == (result.moved > 0)).all()


def test_the_history_tells_what_each_pass_did():
    bins, counts, movable = training(2)
    result = transitions(bins, counts, movable)
    assert [p.number for p in result.history] == list(range(1, result.n_iter + 1))
    assert sum(p.moved_examples for p in result.history) == result.moved.sum()
    assert result.history[-1].left == (movable - result.moved).sum()
    assert result.history[-1].positives == result.counts[:, 1].sum()
    first = result.history[0]
    in_first = np.where(result.moved_in == 1, result.moved, 0)
    assert first.moved_patterns == (in_first > 0).sum()
    assert (
        first.largest_pattern == np.argmax(in_first) and first.largest_moved == in_first.max() > 0
    )
    last = result.history[-1]
    assert (last.moved_examples, last.largest_pattern, last.largest_moved) == (0, -1, 0)


def test_converged_is_claimed_only_when_nothing_moves_any_more():
    bins, counts, movable = training(7)
    whole = transitions(bins, counts, movable)
    assert whole.converged and whole.n_iter >= 3 and whole.history[-1].moved_examples == 0
    short = transitions(bins, counts, movable, max_passes=whole.n_iter - 1)
    assert not short.converged and short.n_iter == whole.n_iter - 1
    assert (short.counts == whole.counts).all()
    none = transitions(bins, counts, movable, max_passes=0)
    assert not none.converged and none.n_iter == 0 and (none.counts == counts).all()


def test_nothing_to_move_is_converged_without_a_pass():
    bins, counts, movable = training(4)
    result = transitions(bins, counts, movable * 0)
    assert result.converged and result.n_iter == 0 and (result.counts == counts).all()


def test_going_on_from_a_finished_result_moves_nothing():
    bins, counts, movable = training(5)
    first = transitions(bins, counts, movable)
    again = transitions(bins, first.counts, movable - first.moved)
    assert again.n_iter == 1 and again.moved.sum() == 0


def test_a_pool_that_is_there_already_is_moved_itself_to_the_same_result():
    bins, counts, movable = training(7)
    pool = RulePool.from_patterns(bins, counts)
    result, wanted = transitions_of(pool, movable), transitions(bins, counts, movable)
    assert result.pool is pool and (pool.counts == wanted.counts).all()
    assert result.alpha.tobytes() == wanted.alpha.tobytes() and result.history == wanted.history


def test_a_pattern_without_a_cut_stays():
    # Two patterns that share nothing: each D_x has one alpha only.
    result = transitions([[0, 0], [1, 1]], [[5, 2], [5, 0]], [5, 5])
    assert result.moved.tolist() == [0, 0] and np.isnan(result.cut).all() and result.converged


@pytest.mark.parametrize(
    ("data", "cut", "all_move"), [("PU", 1.0, True), ("NU", 1.0, False), ("PU", 0.0, False)]
)
def test_a_constant_cut_at_the_end_of_the_scale_moves_all_or_none(data, cut, all_move):
    bins, counts, movable = training(8, data, n=100)
    result = transitions(bins, counts, movable, data=data, cut=cut)
    wanted = (
        movable if all_move else np.where(result.alpha_initial <= cut, movable, 0) * (data == "PU")
    )
    assert (result.moved == wanted).all()


@FEW
@given(
    training_sets(), st.permutations(range(14)), st.sampled_from(HOW), st.sampled_from(["PU", "NU"])
)
def test_a_batch_does_not_depend_on_the_order_of_patterns(examples, places, how, data):
    bins, counts = collapse(examples)
    movable = counts[:, 0 if data == "PU" else 1]
    order = [p for p in places if p < len(bins)]
    here = transitions(bins, counts, movable, data=data, cut=how)
    there = transitions(bins[order], counts[order], movable[order], data=data, cut=how)
    assert (here.counts[order] == there.counts).all() and (here.alpha[order] == there.alpha).all()
    assert here.n_iter == there.n_iter


@pytest.mark.parametrize("how", ["own", "projected"])
def test_examples_replicated_are_weights(how):
    bins, counts, movable = training(9, n=200)
    one = transitions(bins, counts, movable, cut=how, max_passes=1)
    seven = transitions(bins, counts * 7, movable * 7, cut=how, max_passes=1)
    assert (one.moved * 7 == seven.moved).all() and (one.alpha == seven.alpha).all()


def test_the_order_of_examples_is_that_of_the_rows_unless_given():
    bins, counts, movable = training(10, n=30)
    counts, movable = np.minimum(counts, 5), np.minimum(movable, 3)
    plain = transitions(bins, counts, movable, schedule="example")
    given_order = transitions(
        bins, counts, movable, schedule="example", order=np.repeat(np.arange(len(bins)), movable)
    )
    assert (plain.counts == given_order.counts).all()


def planted(seed, n=20_000):
    """Replicas look alike in three of four features; a twentieth of them are obvious."""
    rng = np.random.default_rng(seed)
    replica = rng.random(n) < 0.05
    bins = np.column_stack(
        [np.where(replica, rng.binomial(4, 0.8, n), rng.binomial(4, 0.2, n)) for _ in range(4)]
    )
    obvious = replica & (rng.random(n) < 0.05)
    distinct, index = np.unique(bins, axis=0, return_inverse=True)
    index = index.ravel()
    counts = np.zeros((len(distinct), 2), int)
    np.add.at(counts, (index, obvious.astype(int)), 1)
    truth = np.zeros((len(distinct), 2), int)
    np.add.at(truth, (index, replica.astype(int)), 1)
    return distinct, counts, counts[:, 0], truth


def test_planted_replicas_come_back():
    bins, counts, movable, truth = planted(1)
    result = transitions(bins, counts, movable)
    order = np.argsort(result.alpha, kind="stable")
    top = np.cumsum(truth[order].sum(axis=1)) <= truth[:, 1].sum()
    assert result.converged
    assert truth[order][top][:, 1].sum() / truth[:, 1].sum() > 0.9


GOOD = ([[0, 1], [1, 1], [0, 0]], [[3, 0], [0, 2], [1, 1]], [2, 0, 1])


@pytest.mark.parametrize(
    "change",
    [
        {"data": "pu"},
        {"data": "both"},
        {"cut": "best"},
        {"cut": 1.5},
        {"cut": float("nan")},
        {"cut": None},
        {"schedule": "all"},
        {"min_support": 0},
        {"max_passes": -1},
        {"movable": [2, 0]},
        {"movable": [4, 0, 1]},
        {"movable": [-1, 0, 1]},
        {"movable": [2.0, 0.0, 1.0]},
        {"counts": [[3, 0], [0, 2]]},
        {"counts": [[3, 0], [0, 2], [1, -1]]},
        {"bins": [[0, 1], [0, 1], [0, 0]]},
        {"schedule": "example", "order": [0, 2]},
        {"schedule": "example", "order": [0, 0, 3]},
        {"schedule": "example", "order": [0, 0, -1]},
        {"schedule": "example", "order": [0, 1, 2]},
        {"schedule": "example", "order": [0.0, 0.0, 2.0]},
    ],
)
def test_a_call_that_cannot_be_meant_is_refused_in_one_line(change):
    call = dict(zip(("bins", "counts", "movable"), GOOD, strict=True)) | change
    with pytest.raises(UsageError) as error:
        transitions(call.pop("bins"), call.pop("counts"), call.pop("movable"), **call)
    assert str(error.value) and "\n" not in str(error.value)
