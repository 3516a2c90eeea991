"""Slow references: the definitions of the paper, one example at a time, in exact fractions.

They share no code with replicadb and no idea with its fast paths. Only decisions that
docs/method.md#cut-ties makes on numbers of 12 decimals are made so here too.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

# Paper, Table 1: ip4, ip3, ndist, nmatch, fullpath; bins numbered within each feature.
TABLE_1 = [
    ((1, 2, 2, 2, 2), 1),
    ((1, 1, 3, 1, 1), 0),
    ((3, 1, 2, 1, 1), 1),
    ((1, 3, 2, 2, 2), 1),
    ((2, 3, 1, 3, 2), 1),
    ((1, 2, 2, 3, 2), 0),
    ((1, 1, 3, 1, 2), 0),
    ((2, 3, 1, 3, 2), 1),
]
TABLE_1_X = (1, 1, 2, 2, 1)


def subsets(features):
    features = tuple(features)
    return [s for size in range(1, len(features) + 1) for s in combinations(features, size)]


def alpha(examples, x, min_support=1, features=None) -> Fraction:
    """alpha(x, -) by Eq. 4 and 5, with rules over ``features`` of x (default all of them)."""
    votes = {0: [], 1: []}
    for antecedent in subsets(range(len(x)) if features is None else features):
        covered = [label for y, label in examples if all(y[j] == x[j] for j in antecedent)]
        for label in (0, 1):
            if covered.count(label) >= min_support:
                votes[label].append(Fraction(covered.count(label), len(covered)))
    s = {label: sum(v, Fraction(0)) / max(1, len(v)) for label, v in votes.items()}
    return s[0] / (s[0] + s[1]) if s[0] + s[1] else Fraction(1)


def n_rules(examples, x) -> int:
    return sum(
        any(label == wanted and all(y[j] == x[j] for j in antecedent) for y, label in examples)
        for antecedent in subsets(range(len(x)))
        for wanted in (0, 1)
    )


def entropy(labels) -> float:
    """Eq. 6."""
    shares = [labels.count(label) / len(labels) for label in (0, 1)]
    return -sum(p * math.log(p) for p in shares if p)


def cut_of_list(scored, ties="smallest"):
    """The best cut of [(alpha, label)] by Eq. 7; (None, None) when there is none."""
    if len({label for _, label in scored}) < 2:
        return None, None
    tried = []
    for f in sorted({a for a, _ in scored})[:-1]:
        left = [label for a, label in scored if a <= f]
        right = [label for a, label in scored if a > f]
        e = (len(left) * entropy(left) + len(right) * entropy(right)) / len(scored)
        tried.append((round(e, 12), f))
    if not tried:
        return None, None
    least = min(e for e, _ in tried)
    equal = [f for e, f in tried if e == least]
    return (equal[0] if ties == "smallest" else equal[-1]), least


def cut(examples, x, reading="own", ties="smallest", min_support=1):
    """alpha_min(x): D_x holds the examples that share an item with x, scored by their own or by x's
    rules.
    """
    scored, known = [], {}
    for y, label in examples:
        shared = tuple(j for j in range(len(x)) if x[j] == y[j])
        if not shared:
            continue
        key = y if reading == "own" else shared
        if key not in known:
            chosen = (y, None) if reading == "own" else (x, shared)
            known[key] = round(float(alpha(examples, chosen[0], min_support, chosen[1])), 12)
        scored.append((known[key], label))
    return cut_of_list(scored, ties)


def moves(examples, x, data, how, min_support=1) -> bool:
    """Whether Algorithm 2 would move x."""
    a = round(float(alpha(examples, x, min_support)), 12)
    if isinstance(how, float):
        f = how
    else:
        f, _ = cut(examples, x, how, "smallest" if data == "PU" else "largest", min_support)
    if f is None:
        return False
    return a <= f if data == "PU" else a > f


def transitions(examples, movable, data, how, schedule, max_passes=50, min_support=1):
    """Algorithm 2 on a list of (pattern, label), in its order; ``movable`` is flags. Returns the
    labels.

    ``batch`` and ``pattern`` decide for all equal examples together; patterns go in sorted order.
    """
    examples = list(examples)
    source, target = (0, 1) if data == "PU" else (1, 0)
    waiting = [i for i, flag in enumerate(movable) if flag]
    for _ in range(max_passes):
        moved = []
        if schedule == "example":
            for i in waiting:
                if moves(examples, examples[i][0], data, how, min_support):
                    examples[i] = (examples[i][0], target)
                    moved.append(i)
        else:
            frozen = list(examples)
            for x in sorted({examples[i][0] for i in waiting}):
                if moves(frozen if schedule == "batch" else examples, x, data, how, min_support):
                    for i in [i for i in waiting if examples[i][0] == x]:
                        examples[i] = (x, target)
                        moved.append(i)
        waiting = [i for i in waiting if i not in set(moved)]
        if not moved:
            break
    assert all(label in (source, target) for _, label in examples)
    return [label for _, label in examples]


def digitise(values, cuts) -> list[int]:
    """The bin of each value: 0 for NaN, else 1 + the number of cuts below the value."""
    return [0 if math.isnan(v) else 1 + sum(v > cut for cut in cuts) for v in values]
