"""Expectation-maximisation by label transitions: obvious cases teach the pool, it moves the
unlabelled.

Invariants:

- Moves go one way (PU: - to +, NU: + to -), so the number left to move falls and the loop ends.
- Only ``movable`` examples move; obvious labels never do.
- The pool is updated, never rebuilt, and equals the one built from scratch after every move.

Source: the paper §3.3, Algorithm 2; the thesis, Program 4, whose condition for NU is the consistent
one (docs/method.md#em). Departure: decisions are made for patterns with counts; examples with the
same bins and status are interchangeable. The schedule ``example`` is Algorithm 2 to the letter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from replicadb.arrays import Bools, Floats, Ints, Values, Whole
from replicadb.errors import UsageError
from replicadb.learning.entropy import Cuts, OneCut, own_cuts, projected_cuts
from replicadb.learning.rules import NEGATIVE, POSITIVE, RulePool
from replicadb.under_way import each

DATA = ("PU", "NU")
CUTS = ("own", "projected")
SCHEDULES = ("batch", "pattern", "example")

_MOST_AHEAD = 256
"""Patterns judged at once in the schedule ``pattern``; more would be wasted when one of
them moves.
"""


@dataclass(frozen=True)
class Pass:
    """What one pass over the training set did."""

    number: int
    """1 for the first pass."""
    moved_examples: int
    """Examples that changed their label in this pass."""
    moved_patterns: int
    """Patterns of which at least one example moved."""
    left: int
    """Movable examples that have not moved yet, after the pass."""
    positives: int
    """Examples labelled positive after the pass."""
    largest_pattern: int
    """The pattern that moved most examples (the first of equals); -1 when none moved."""
    largest_moved: int
    """How many examples of it moved."""


@dataclass(frozen=True)
class EMResult:
    """The enhanced training set, and how it came about."""

    counts: Ints
    """(n_patterns, 2) int64, examples labelled negative and positive in the end."""
    movable: Ints
    """(n_patterns,) int64, examples that might move."""
    moved: Ints
    """(n_patterns,) int64, examples that moved."""
    moved_in: Ints
    """(n_patterns,) int64, the pass in which the pattern's first example moved; 0 for never."""
    example_moved_in: Ints
    """For ``example`` (movable.sum(),) int64, the pass in which each example of ``order`` moved; 0
    for never. Examples of one pattern can part there. Empty for the other schedules, which move a
    pattern whole."""
    example_cut: Floats
    """The same of the cut of each example's last decision; NaN when there was none."""
    alpha: Floats
    """(n_patterns,) float64, alpha(x, -) on the final training set."""
    alpha_initial: Floats
    """(n_patterns,) float64, alpha(x, -) on the initial training set."""
    cut: Floats
    """(n_patterns,) float64, the cut of the pattern's last decision; NaN when there was none."""
    history: tuple[Pass, ...]
    """One entry per pass."""
    n_iter: int
    """Passes made, the last one (which moved nothing) included."""
    converged: bool
    """True only if a pass moved nothing or nothing is left to move; not when ``max_passes`` ended
    it.
    """
    pool: RulePool
    """The final classifier, to score patterns that are not in the training set."""


def transitions(
    bins: Values,
    counts: Values,
    movable: Values,
    *,
    data: str = "PU",
    cut: str | float = "own",
    schedule: str = "batch",
    min_support: int = 1,
    max_passes: int = 100,
    order: Values | None = None,
) -> EMResult:
    """Enhance a training set of patterns (Algorithm 2).

    PU: the movable examples of x turn from - to + when alpha(x, -) <= alpha_min(x). NU: from + to -
    when alpha(x, -) > alpha_min(x). A pattern without a cut stays.

    Args:
        bins: (n_patterns, n_features) small non-negative ints, distinct rows.
        counts: (n_patterns, 2) ints, examples labelled negative and positive at the start.
        movable: (n_patterns,) ints, how many examples of the source label may move.
        data: ``PU`` or ``NU``.
        cut: ``own`` or ``projected`` (docs/method.md#cut-readings), or one threshold for
            all between 0 and 1 (docs/method.md#global-threshold).
        schedule: ``batch``, all decisions of a pass on the same training set, then all moves;
            ``pattern``, one pattern at a time in the order of the rows, updates at once;
            ``example``, one example at a time.
        min_support: least support for a rule to exist.
        max_passes: passes after which to stop, converged or not.
        order: (movable.sum(),) ints, for ``example``: the pattern of each movable example in the
            order of host_a, host_b. Default the order of the rows.

    Raises:
        UsageError: shapes that do not fit, negative numbers, more movable than there are, unknown
            options.

    Complexity: a batch pass costs what its cuts cost (see ``own_cuts``, ``projected_cuts``).
    """
    pool = RulePool.from_patterns(bins, counts, min_support=min_support)
    return transitions_of(
        pool,
        movable,
        data=data,
        cut=cut,
        schedule=schedule,
        max_passes=max_passes,
        order=order,
    )


def transitions_of(
    pool: RulePool,
    movable: Values,
    *,
    data: str = "PU",
    cut: str | float = "own",
    schedule: str = "batch",
    max_passes: int = 100,
    order: Values | None = None,
) -> EMResult:
    """:func:`transitions` on a rule pool that is there already (from SQL, say). The pool is
    changed: afterwards it has the labels that EM ends with.

    Args:
        movable: (n_patterns,) examples of each of the pool's patterns that may move. The others as
            :func:`transitions` takes them.

    Raises:
        UsageError: an unknown schedule, or fewer than 0 passes.
    """
    state = _State(pool, movable, data, cut)
    if schedule not in SCHEDULES:
        raise UsageError(f"unknown schedule {schedule!r}; use one of {', '.join(SCHEDULES)}")
    if max_passes < 0:
        raise UsageError(f"max_passes is {max_passes}; give 0 or more")
    queue = _check_order(order if schedule == "example" else None, state.left)
    places = np.arange(len(queue) if schedule == "example" else 0)
    example_moved_in, example_cut = np.zeros_like(places), np.full(len(places), np.nan)
    history: list[Pass] = []
    done = not state.left.any()
    for _ in each("EM", range(max_passes), "passes at most"):
        if done:
            break
        before = state.left.copy()
        state.number = len(history) + 1
        if schedule == "batch":
            _batch_pass(state)
        elif schedule == "pattern":
            _pattern_pass(state)
        else:
            stay, example_cut[places] = _example_pass(state, queue)
            example_moved_in[places[~stay]] = state.number
            queue, places = queue[stay], places[stay]
        history.append(_summary(state, before - state.left))
        done = history[-1].moved_examples == 0 or not state.left.any()
    return EMResult(
        counts=state.pool.counts,
        movable=state.movable,
        moved=state.movable - state.left,
        moved_in=state.moved_in,
        example_moved_in=example_moved_in,
        example_cut=example_cut,
        alpha=state.alpha,
        alpha_initial=state.alpha_initial,
        cut=state.cut,
        history=tuple(history),
        n_iter=len(history),
        converged=done,
        pool=state.pool,
    )


def _batch_pass(state: _State) -> None:
    """All decisions on the same training set, then all moves."""
    rows = np.flatnonzero(state.left)
    state.move(rows[state.decide(rows)])


def _pattern_pass(state: _State) -> None:
    """One pattern at a time; the next one is judged by the updated pool.

    A decision holds until something moves, so several patterns are judged ahead and those after the
    first that moves are judged again.
    """
    rows = np.flatnonzero(state.left)
    at, ahead = 0, 1
    while at < len(rows):
        moves = state.decide(rows[at : at + ahead])
        if moves.any():
            first = int(np.argmax(moves))
            state.move(rows[at + first : at + first + 1])
            at, ahead = at + first + 1, max(1, ahead // 2)
        else:
            at, ahead = at + ahead, min(2 * ahead, _MOST_AHEAD)


def _example_pass(state: _State, queue: Ints) -> tuple[Bools, Floats]:
    """One example at a time; returns which of them stayed, and the cut that each was judged by.

    Between two moves nothing changes, so a pattern is judged once however many of its examples come
    by.
    """
    stay: Bools = np.ones(len(queue), bool)
    cut: Floats = np.empty(len(queue))
    judged: dict[int, bool] = {}
    for place, row in enumerate(queue.tolist()):
        if row not in judged:
            judged[row] = state.decide_one(row)
        cut[place] = state.cut[row]
        if judged[row]:
            state.move_one(row)
            stay[place] = False
            judged.clear()
    return stay, cut


class _State:
    """The training set in motion: the pool, what may still move, and alpha of every pattern up to
    date.
    """

    def __init__(self, pool: RulePool, movable: Values, data: str, cut: str | float):
        if data not in DATA:
            raise UsageError(f"unknown data {data!r}; use 'PU' or 'NU'")
        constant = isinstance(cut, (int, float)) and 0.0 <= cut <= 1.0
        if cut not in CUTS and not constant:
            raise UsageError(
                f"unknown cut {cut!r}; use 'own', 'projected' or a number between 0 and 1"
            )
        self.pool, self.how = pool, cut
        self.source, self.target = (NEGATIVE, POSITIVE) if data == "PU" else (POSITIVE, NEGATIVE)
        self.movable = _check_movable(movable, pool.counts[:, self.source])
        self.left = self.movable.copy()
        self.moved_in = np.zeros(len(self.left), np.int64)
        self.alpha_initial = pool.alpha()
        self.alpha = self.alpha_initial.copy()
        self.cut = np.full(len(self.left), np.nan)
        self.number = 0
        # Of equally good cuts the one that moves fewer: PU moves what is below, NU what is above.
        self.ties = "smallest" if self.target == POSITIVE else "largest"

    def decide(self, rows: Ints) -> Bools:
        """(m,) bool: whether the movable examples of these patterns move (expectation step)."""
        found = self._cuts(rows)
        self.cut[rows] = found.cut
        alpha = self.alpha[rows]
        if self.target == POSITIVE:
            return alpha <= found.cut
        return alpha > found.cut

    def move(self, rows: Ints) -> None:
        """Move all examples that may of the distinct patterns ``rows`` (m,), and update alpha: the
        maximisation step.
        """
        if not len(rows):
            return
        self.pool.move(rows, self.left[rows], self.source, self.target)
        self.left[rows] = 0
        first = rows[self.moved_in[rows] == 0]
        self.moved_in[first] = self.number
        if len(rows) == 1:
            # Only who shares an item with x has one of the rules that changed.
            near = np.flatnonzero((self.pool.bins == self.pool.bins[rows[0]]).any(axis=1))
            self.alpha[near] = self.pool.alpha(self.pool.antecedent_ids[near])
        else:
            self.alpha = self.pool.alpha()

    def decide_one(self, row: int) -> bool:
        """:meth:`decide` of one pattern; of the own cut without its entropy, which is quicker."""
        if self.how != "own":
            return bool(self.decide(np.array([row]))[0])
        self.cut[row] = cut = self.one_cut.cut(row, self.alpha, self.pool.counts)
        return bool(self.alpha[row] <= cut if self.target == POSITIVE else self.alpha[row] > cut)

    def move_one(self, row: int) -> None:
        """:meth:`move` of one example of a pattern."""
        self.pool.move_one(row, self.source, self.target)
        self.left[row] -= 1
        self.moved_in[row] = self.moved_in[row] or self.number
        near = self.one_cut.near(row)
        self.alpha[near] = self.pool.alpha(self.pool.antecedent_ids[near])

    @cached_property
    def one_cut(self) -> OneCut:
        return OneCut(self.pool, self.ties)

    def _cuts(self, rows: Ints) -> Cuts:
        ties = self.ties
        x = self.pool.bins[rows]
        if self.how == "own":
            return own_cuts(self.pool, x, alpha=self.alpha, ties=ties)
        if self.how == "projected":
            return projected_cuts(self.pool, x, ties=ties)
        none = np.zeros((len(rows), 2), np.int64)
        return Cuts(np.full(len(rows), float(self.how)), np.full(len(rows), np.nan), none, none)


def _summary(state: _State, moved: Ints) -> Pass:
    most = int(np.argmax(moved))
    return Pass(
        number=state.number,
        moved_examples=int(moved.sum()),
        moved_patterns=int((moved > 0).sum()),
        left=int(state.left.sum()),
        positives=int(state.pool.counts[:, POSITIVE].sum()),
        largest_pattern=most if moved[most] else -1,
        largest_moved=int(moved[most]),
    )


def _check_movable(given: Values, available: Ints) -> Ints:
    movable: Whole = np.asarray(given)
    if movable.shape != available.shape or not np.issubdtype(movable.dtype, np.integer):
        raise UsageError(f"movable must be integers of shape ({len(available)},), one per pattern")
    if (movable < 0).any() or (movable > available).any():
        raise UsageError(
            "movable must lie between 0 and the pattern's examples of the source label"
        )
    return movable.astype(np.int64)


def _check_order(given: Values | None, left: Ints) -> Ints:
    if given is None:
        return np.repeat(np.arange(len(left)), left)
    order: Whole = np.asarray(given)
    if (
        order.ndim != 1
        or not np.issubdtype(order.dtype, np.integer)
        or (order.size and order.min() < 0)
    ):
        raise UsageError("order must be one pattern number per movable example")
    if (order.size and order.max() >= len(left)) or (
        np.bincount(order, minlength=len(left)) != left
    ).any():
        raise UsageError("order must name each pattern as often as it has movable examples")
    return order.astype(np.int64)
