"""The published method written down from the paper's text, slowly: no code of the product.

Bins by Fayyad and Irani's recursion, Definition 3.1, Eq. 4 to 7, Algorithms 1 and 2.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import log


def entropy(labels):
    n = len(labels)
    shares = [labels.count(label) / n for label in set(labels)]
    return -sum(share * log(share) for share in shares)


def mdl(rows):
    """Fayyad and Irani (1993): cuts of (value, label) rows in order, while the gain pays."""
    values, labels = [value for value, _ in rows], [label for _, label in rows]
    n, best = len(rows), None
    for i in range(1, n):
        if values[i - 1] < values[i]:
            left, right = labels[:i], labels[i:]
            rest = (i * entropy(left) + (n - i) * entropy(right)) / n
            if best is None or round(rest, 12) < best[0]:
                best = (round(rest, 12), i, rest)
    if best is None:
        return []
    _, i, rest = best
    left, right = labels[:i], labels[i:]
    k, k1, k2 = (len(set(part)) for part in (labels, left, right))
    delta = log(3**k - 2) - (k * entropy(labels) - k1 * entropy(left) - k2 * entropy(right))
    if not entropy(labels) - rest > (log(n - 1) + delta) / n:
        return []
    return [*mdl(rows[:i]), (values[i - 1] + values[i]) / 2, *mdl(rows[i:])]


def bin_of(value, cuts):
    return 0 if value is None else 1 + sum(value > cut for cut in cuts)


def alpha(x, data):
    """Algorithm 1: project on x, extract the rules, Eq. 4 and 5."""
    return alpha_of_counts(x, Counter(data))


def alpha_of_counts(x, data):
    """The same of (example, label): how many there are."""
    confidences = {"+": [], "-": []}
    for size in range(1, 6):
        for items in combinations(range(5), size):
            inside = Counter()
            for (y, label), n in data.items():
                if all(y[i] == x[i] for i in items):
                    inside[label] += n
            for label in inside:
                confidences[label].append(inside[label] / inside.total())
    s = {label: sum(of) / len(of) if of else 0.0 for label, of in confidences.items()}
    return round(s["-"] / (s["-"] + s["+"]), 12)


def best_cut(x, data, largest):
    """Definition 3.3: the alpha of D_x whose two sides have the least entropy; ties move fewer."""
    counted = Counter(data)
    alphas = {
        y: alpha_of_counts(y, counted)
        for y, _ in counted
        if any(a == b for a, b in zip(x, y, strict=True))
    }
    of_x = [(alphas[y], label) for y, label in data if y in alphas]
    found = []
    for f in sorted({a for a, _ in of_x})[:-1]:
        sides = [[label for a, label in of_x if (a <= f) == low] for low in (True, False)]
        rest = sum(len(side) * entropy(side) for side in sides) / len(of_x)
        found.append((round(rest, 12), -f if largest else f, f))
    return min(found)[2] if found and len({label for _, label in of_x}) == 2 else None


def algorithm_2(fixed, unlabelled, source, target):
    """For each x in turn, until none moves; returns the final training set."""
    labels = [source] * len(unlabelled)
    moved = True
    while moved:
        moved = False
        for i, x in enumerate(unlabelled):
            if labels[i] == target:
                continue
            data = [*fixed, *zip(unlabelled, labels, strict=True)]
            cut = best_cut(x, data, largest=target == "-")
            if cut is not None and (alpha(x, data) <= cut) == (target == "+"):
                labels[i], moved = target, True
    return [*fixed, *zip(unlabelled, labels, strict=True)]
