"""RIPPER: a short ordered list of rules that say yes; where none holds the answer is no.

Invariants: a condition on a missing value (NaN) is false, so a rule holds only for pairs that have
what it compares; the same data and seed give the same rules; every threshold is a value of the
training data. Source: Cohen, "Fast effective rule induction", ICML 1995: IREP* (section 3.2: grow
with FOIL's information gain, prune at once on a third of the examples, stop 64 bits past the
shortest description) and its optimisation rounds (section 3.3). Description lengths, the bits of
the rules and of the examples that they get wrong, are those of Quinlan, "MDL and categorical
theories (continued)", ICML 1995 (Cohen's section 3.2). JRip, which Huffman et al. (SIGIR 2007,
section 5) used, is Weka's version of the same (docs/method.md#page-classifier).

Departures: the class that rules are for is given (the duplicates), not chosen as the rarer one;
rules are grown on values only, since every signal is numeric.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from replicadb.arrays import Bools, Floats, Ints

PRUNE_SHARE = 3
"""One part in so many of the examples prunes, the others grow."""
MOST_RULES = 200
"""A set of rules never grows beyond, whatever the data."""
FEWEST = 2
"""Examples that a rule must cover where it is grown (Weka's default, -N 2)."""
SLACK = 64.0
"""Bits that a set of rules may be longer than the shortest so far before no rule is added any more
(Cohen 1995, section 3.2).
"""
ROUNDS = 2
"""Of optimisation; Cohen's RIPPER2 and JRip make two."""
REDUNDANCY = 0.5
"""Part of a rule's bits that counts, since attributes are redundant (Cohen 1995, section 3.2)."""


class Condition(NamedTuple):
    """One test: ``value <= threshold`` or ``value >= threshold``."""

    column: int
    at_most: bool
    threshold: float


class Rule(NamedTuple):
    """Conditions that must all hold, and how many training examples of each class they caught
    first.
    """

    conditions: tuple[Condition, ...]
    positive: int = 0
    negative: int = 0

    @property
    def share(self) -> float:
        """Estimated probability of the class, by Laplace: (p + 1) / (p + n + 2)."""
        return (self.positive + 1) / (self.positive + self.negative + 2)


@dataclass(frozen=True)
class Rules:
    """What was learned: rules in their order, and the probability where none holds."""

    rules: tuple[Rule, ...]
    default: float

    def predict(self, values: Floats) -> Bools:
        """Whether some rule holds: (n, f) floats give (n,) bool. O(rules * n)."""
        return self.first(values) < len(self.rules)

    def probability(self, values: Floats) -> Floats:
        """The share of the first rule that holds, else the default: (n, f) floats give (n,) in 0 to
        1.
        """
        return np.array([*(rule.share for rule in self.rules), self.default])[self.first(values)]

    def first(self, values: Floats) -> Ints:
        """The place of the first rule that holds, (n,); ``len(rules)`` where none does."""
        found = np.full(len(values), len(self.rules))
        for place in reversed(range(len(self.rules))):
            found[covers(self.rules[place].conditions, values)] = place
        return found


def covers(conditions: tuple[Condition, ...], values: Floats) -> Bools:
    """Which rows of (n, f) meet all conditions, (n,) bool; NaN meets none."""
    held = np.ones(len(values), bool)
    for c in conditions:
        column = values[:, c.column]
        held &= (column <= c.threshold) if c.at_most else (column >= c.threshold)
    return held


def fit(values: Floats, labels: Bools, seed: int = 0) -> Rules:
    """Learn rules for the examples whose label is true.

    Args:
        values: (n, f) float, NaN where missing.
        labels: (n,) bool.
        seed: of the splits into growing and pruning examples.

    Returns:
        The rules; none where nothing is to be learned (no positive example, or no signal helps).

    Complexity:
        O(n f) for each condition tried; rules number at most MOST_RULES.
    """
    learner = Learner(np.asarray(values, float), np.asarray(labels, bool), seed)
    return learner.learn()


class Learner:
    """The training data, coded once: each column's values by their rank, so that a cut is a place
    in a histogram.
    """

    def __init__(self, values: Floats, labels: Bools, seed: int) -> None:
        self.values, self.labels = values, labels
        self.random = np.random.default_rng(seed)
        self.distinct: list[Floats] = []
        codes = np.empty(values.shape, np.int64)
        starts, start = [], 0
        for j in range(values.shape[1]):
            kinds, places = np.unique(values[:, j], return_inverse=True)  # NaN is the last, once
            missing = int(len(kinds) > 0 and np.isnan(kinds[-1]))
            self.distinct.append(kinds[: len(kinds) - missing])
            codes[:, j] = places.reshape(-1) + start
            starts.append(start)
            start += len(kinds) + (1 - missing)  # every column ends with a place for NaN
        self.codes, self.starts, self.width = codes, [*starts, start], start
        self.column_of = np.repeat(np.arange(values.shape[1]), np.diff(self.starts))
        self.possible = max(2 * sum(map(len, self.distinct)), 1)
        self.expected = labels.mean() if len(labels) else 0.0

    def learn(self) -> Rules:
        """Rules by IREP*, improved ROUNDS times, with what each catches first."""
        rules = self._cover([])
        for _ in range(ROUNDS):
            rules = self._shortest(self._cover(self._optimise(rules)))
        return self._counted(rules)

    # -- a set of rules

    def _cover(self, rules: list[tuple[Condition, ...]]) -> list[tuple[Condition, ...]]:
        """IREP*: add rules for what is not covered yet until the description is SLACK bits longer
        than the shortest; then shorten.
        """
        rules, left = list(rules), ~self._any(rules)
        shortest = self._bits(rules)
        while (left & self.labels).any() and len(rules) < MOST_RULES:
            grow, prune = self._split(left)
            rule = self._prune(self._grow((), grow), prune)
            p, n = self._counts(rule, prune)
            if not rule or n > p or not self._counts(rule, left)[0]:
                break
            rules.append(rule)
            bits = self._bits(rules)
            if bits > shortest + SLACK:
                rules.pop()
                break
            shortest = min(shortest, bits)
            left &= ~covers(rule, self.values)
        return self._shortest(rules)

    def _shortest(self, rules: list[tuple[Condition, ...]]) -> list[tuple[Condition, ...]]:
        """Without the rules, last first, whose going makes the description shorter."""
        bits = self._bits(rules)
        for place in reversed(range(len(rules))):
            fewer = rules[:place] + rules[place + 1 :]
            if (without := self._bits(fewer)) <= bits:
                rules, bits = fewer, without
        return rules

    def _optimise(self, rules: list[tuple[Condition, ...]]) -> list[tuple[Condition, ...]]:
        """Each rule in turn: itself, one grown anew, or one grown on from it; whichever describes
        the data shortest.
        """
        rules = list(rules)
        for place, rule in enumerate(rules):
            left = ~self._any(rules[:place])
            if not (left & self.labels).any():
                continue
            grow, prune = self._split(left)
            others = self._any(rules[place + 1 :]) & prune
            choices = [rule]
            for start in ((), rule):
                grown = self._prune_within(self._grow(start, grow), prune, others)
                if grown and grown not in choices:
                    choices.append(grown)
            bits = [
                self._bits(self._shortest([*rules[:place], one, *rules[place + 1 :]]))
                for one in choices
            ]
            rules[place] = choices[int(np.argmin(bits))]
        return rules

    def _counted(self, rules: list[tuple[Condition, ...]]) -> Rules:
        """The rules with what each catches first; one without any of its class goes."""
        left, counted = np.ones(len(self.labels), bool), []
        for rule in rules:
            p, n = self._counts(rule, left)
            if p:
                counted.append(Rule(rule, p, n))
                left &= ~covers(rule, self.values)
        return Rules(tuple(counted), float((self.labels[left].sum() + 1) / (left.sum() + 2)))

    # -- one rule

    def _grow(self, conditions: tuple[Condition, ...], among: Bools) -> tuple[Condition, ...]:
        """Add the condition of highest FOIL gain until no negative example is left or
        none gains.
        """
        held = among & covers(conditions, self.values)
        while (held & ~self.labels).any():
            best = self.best_condition(held)
            if best is None:
                break
            conditions = (*conditions, best)
            held = held & covers((best,), self.values)
        return conditions

    def best_condition(self, held: Bools) -> Condition | None:
        """The condition of the largest FOIL gain, p (log2(p / (p + n)) - log2(P / (P + N))), over
        every cut of every column; None where all examples are of one class. Ties go to the first
        column, and to <= first.

        Args:
            held: (n,) the examples that the rule so far covers, P positive and N negative.
        """
        codes, labels = self.codes[held], self.labels[held]
        total_p, total = int(labels.sum()), len(labels)
        if not total_p or total_p == total:
            return None
        p_at = np.bincount(codes[labels].ravel(), minlength=self.width)
        n_at = np.bincount(codes[~labels].ravel(), minlength=self.width)
        before = np.log2(total_p / total)
        gains = np.full((2, self.width), -np.inf)
        for j in range(self.values.shape[1]):
            part = slice(self.starts[j], self.starts[j] + len(self.distinct[j]))
            for side in (0, 1):
                step = 1 if side == 0 else -1
                p = np.cumsum(p_at[part][::step])[::step]
                t = p + np.cumsum(n_at[part][::step])[::step]
                some = (p > 0) & (t >= min(FEWEST, total)) & (t < total)
                gains[side, part][some] = p[some] * (np.log2(p[some] / t[some]) - before)
        place = int(np.argmax(gains.T))  # by column and cut, <= before >=
        cut, side = divmod(place, 2)
        if gains[side, cut] <= 0:
            return None
        j = int(self.column_of[cut])
        return Condition(j, side == 0, float(self.distinct[j][cut - self.starts[j]]))

    def _prune(self, conditions: tuple[Condition, ...], among: Bools) -> tuple[Condition, ...]:
        """Drop final conditions for the highest (p - n) / (p + n) on the pruning examples; ties to
        the shorter rule.
        """
        best, worth = conditions, -np.inf
        for k in range(1, len(conditions) + 1):
            p, n = self._counts(conditions[:k], among)
            value = (p - n) / (p + n) if p + n else -1.0
            if value > worth:
                best, worth = conditions[:k], value
        return best

    def _prune_within(
        self, conditions: tuple[Condition, ...], among: Bools, others: Bools
    ) -> tuple[Condition, ...]:
        """Drop final conditions for the fewest errors of the whole set on the pruning examples;
        ties to the shorter rule.
        """
        best, fewest = conditions, np.inf
        for k in range(1, len(conditions) + 1):
            predicted = (covers(conditions[:k], self.values) & among) | others
            errors = int((predicted[among] != self.labels[among]).sum())
            if errors < fewest:
                best, fewest = conditions[:k], errors
        return best

    # -- counting

    def _split(self, left: Bools) -> tuple[Bools, Bools]:
        """The examples left, a third of each class for pruning."""
        prune = np.zeros(len(left), bool)
        for side in (left & self.labels, left & ~self.labels):
            rows = self.random.permutation(np.flatnonzero(side))
            prune[rows[: len(rows) // PRUNE_SHARE]] = True
        return left & ~prune, prune

    def _any(self, rules: list[tuple[Condition, ...]]) -> Bools:
        """(n,) whether some rule holds."""
        held = np.zeros(len(self.labels), bool)
        for rule in rules:
            held |= covers(rule, self.values)
        return held

    def _counts(self, rule: tuple[Condition, ...], among: Bools) -> tuple[int, int]:
        """How many of these examples a rule covers: of the class, and others."""
        held = covers(rule, self.values) & among
        p = int((held & self.labels).sum())
        return p, int(held.sum()) - p

    def _bits(self, rules: list[tuple[Condition, ...]]) -> float:
        """The length of the description: the rules and the examples that they get wrong."""
        held = self._any(rules)
        false_positives = int((held & ~self.labels).sum())
        false_negatives = int((~held & self.labels).sum())
        return exception_bits(
            int(held.sum()),
            int((~held).sum()),
            false_positives,
            false_negatives,
            float(self.expected),
        ) + sum(theory_bits(len(rule), self.possible) for rule in rules)


def subset_bits(total: int, chosen: int, share: float) -> float:
    """Bits to say which ``chosen`` of ``total`` things are meant when each is expected to be with
    probability ``share``.
    """
    bits = 0.0
    if chosen:
        bits -= chosen * math.log2(max(share, 1e-300))
    if total > chosen:
        bits -= (total - chosen) * math.log2(max(1 - share, 1e-300))
    return bits


def theory_bits(conditions: int, possible: int) -> float:
    """Bits of one rule.

    Args:
        conditions: it has.
        possible: conditions that there are to choose from.
    """
    if not conditions:
        return 0.0
    length = math.log2(conditions)
    if conditions > 1:
        length += 2 * math.log2(length) if length > 1 else 0.0
    conditions = min(conditions, possible)
    return REDUNDANCY * (length + subset_bits(possible, conditions, conditions / possible))


def exception_bits(
    covered: int, uncovered: int, false_positives: int, false_negatives: int, expected: float
) -> float:
    """Bits of the examples that a set of rules gets wrong.

    Args:
        covered, uncovered: examples that some rule holds for, and the others.
        false_positives: covered ones of the other class. false_negatives: uncovered ones of the
            class.
        expected: share of the class; how errors are expected to fall on the larger side.
    """
    bits = math.log2(covered + uncovered + 1)
    errors = false_positives + false_negatives
    if covered > uncovered:
        bits += subset_bits(
            covered, false_positives, min(expected * errors / covered, 1.0) if covered else 0.0
        )
        return bits + (
            subset_bits(uncovered, false_negatives, false_negatives / uncovered)
            if uncovered
            else 0.0
        )
    bits += subset_bits(covered, false_positives, false_positives / covered) if covered else 0.0
    return bits + (
        subset_bits(uncovered, false_negatives, min((1 - expected) * errors / uncovered, 1.0))
        if uncovered
        else 0.0
    )
