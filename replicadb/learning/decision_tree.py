"""A decision tree as data: grown by entropy, pruned by pessimistic errors, walked by a few lines of
our own.

Invariant: a tree is arrays of nodes, children after their parent, so that it can be kept as
JSON and used without the library that grew it; the same data gives the same tree. Source: Quinlan,
"C4.5", 1993: pruning by the upper limit of the error at confidence CF = 0.25 (as Weka's J48, which
Huffman et al. 2007 used). Departures: growing is scikit-learn's CART with entropy (binary splits by
plain, not by relative, gain; at least two examples a leaf as J48's -M 2), so the tree is C4.5-like,
not C4.5; subtrees are replaced by leaves, not raised; a missing value goes to the side that was
better for those of the training data (to the larger one where these had none), where C4.5 sends a
fraction to each.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from replicadb.arrays import Bools, Floats, Ints
from replicadb.errors import UsageError

CONFIDENCE_Z = 0.6744897501960817
"""The upper quartile of the normal distribution: CF = 0.25."""
LEAF = -1
ANY_VALUE = float(np.finfo(np.float32).max)
"""The threshold of a node that tells known values from missing ones."""
SMALLEST_LEAF = 2


class Tree(NamedTuple):
    """Nodes, (n,) each. A node with ``column`` -1 is a leaf; its children are -1, too."""

    column: Ints
    """The signal that is compared."""
    threshold: Floats
    """A value of at most this goes left."""
    left: Ints
    right: Ints
    missing_left: Bools
    """Whether a missing value (NaN) goes left."""
    positive: Ints
    """Training examples of the class here."""
    negative: Ints
    """Those of the other."""

    def leaves(self, values: Floats) -> Ints:
        """The leaf of each row: (n, f) floats give (n,) node numbers. O(n * depth)."""
        at = np.zeros(len(values), np.int64)
        going = np.flatnonzero(self.column[at] != LEAF)
        while len(going):
            node = at[going]
            value = values[going, self.column[node]]
            goes_left = np.where(
                np.isnan(value), self.missing_left[node], value <= self.threshold[node]
            )
            at[going] = np.where(goes_left, self.left[node], self.right[node])
            going = going[self.column[at[going]] != LEAF]
        return at

    def probability(self, values: Floats) -> Floats:
        """Share of the class in each row's leaf, by Laplace, (n,) in 0 to 1."""
        leaf = self.leaves(values)
        share: Floats = (self.positive[leaf] + 1) / (self.positive[leaf] + self.negative[leaf] + 2)
        return share

    def predict(self, values: Floats) -> Bools:
        """Whether the class is the commoner one in each row's leaf, (n,) bool; a draw is no."""
        leaf = self.leaves(values)
        commoner: Bools = self.positive[leaf] > self.negative[leaf]
        return commoner

    def size(self) -> int:
        """Number of leaves."""
        return int((self.column == LEAF).sum())


def fit(values: Floats, labels: Bools, seed: int = 0) -> Tree:
    """Grow and prune a tree: a subtree whose pessimistic error is not below that of a leaf becomes
    a leaf. Arguments as :func:`grow`, values (n, f) and labels (n,).
    """
    return _pruned(grow(values, labels, seed))


def grow(values: Floats, labels: Bools, seed: int = 0) -> Tree:
    """Grow a tree.

    Args:
        values: (n, f) float, NaN where missing.
        labels: (n,) bool.
        seed: breaks ties between equally good columns.

    Raises:
        UsageError: scikit-learn is not installed.
    """
    values, labels = np.asarray(values, float), np.asarray(labels, bool)
    if not len(labels) or labels.all() or not labels.any():
        return _only_leaf(int(labels.sum()), int((~labels).sum()))
    try:
        from sklearn.tree import DecisionTreeClassifier
    except ImportError as error:
        raise UsageError(
            "training needs scikit-learn, which is not installed; install it with: pip install"
            " 'replicadb[pages]'"
        ) from error
    # As scikit-learn compares, so that thresholds mean the same here.
    values = values.astype(np.float32).astype(float)
    grown = (
        DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=SMALLEST_LEAF, random_state=seed
        )
        .fit(values, labels)
        .tree_
    )
    tree = Tree(
        np.where(grown.children_left < 0, LEAF, grown.feature),
        np.minimum(grown.threshold, ANY_VALUE),  # scikit-learn has inf, and JSON has not
        grown.children_left.copy(),
        grown.children_right.copy(),
        grown.missing_go_to_left.astype(bool),
        np.zeros(grown.node_count, np.int64),
        np.zeros(grown.node_count, np.int64),
    )
    return _counted(tree, values, labels)


def _only_leaf(positive: int, negative: int) -> Tree:
    one = np.array([LEAF])
    return Tree(
        one, np.zeros(1), one, one, np.zeros(1, bool), np.array([positive]), np.array([negative])
    )


def _counted(tree: Tree, values: Floats, labels: Bools) -> Tree:
    """Examples of both classes at each node: those of its leaves, summed from the last node
    upwards.
    """
    leaf = tree.leaves(values)
    positive = np.bincount(leaf[labels], minlength=len(tree.column))
    negative = np.bincount(leaf[~labels], minlength=len(tree.column))
    for node in reversed(range(len(tree.column))):
        if tree.column[node] != LEAF:
            for counts in (positive, negative):
                counts[node] = counts[tree.left[node]] + counts[tree.right[node]]
    return tree._replace(positive=positive, negative=negative)


def added_errors(total: int, errors: int) -> float:
    """Errors to add to those seen for the upper limit at CF = 0.25 (Quinlan 1993, section 4.2;
    normal approximation as in Weka's J48).

    Args:
        total: examples in a leaf, at least 1. errors: wrong ones among them.
    """
    if errors < 1:
        base: float = total * (1 - 0.25 ** (1 / total))
        return base if errors == 0 else base + errors * (added_errors(total, 1) - base)
    if errors + 0.5 >= total:
        return max(total - errors, 0.0)
    z, f = CONFIDENCE_Z, (errors + 0.5) / total
    upper = (
        f
        + z * z / (2 * total)
        + z * math.sqrt(f / total - f * f / total + z * z / (4 * total * total))
    ) / (1 + z * z / total)
    return upper * total - errors


def _pruned(tree: Tree) -> Tree:
    """From below: a subtree becomes a leaf where that is expected to err at most 0.1 more (C4.5's
    rule); then the nodes left, numbered anew.
    """
    column = tree.column.copy()
    expected = np.zeros(len(column))
    for node in reversed(range(len(column))):
        p, n = int(tree.positive[node]), int(tree.negative[node])
        errors = min(p, n)
        as_leaf = errors + (added_errors(p + n, errors) if p + n else 0.0)
        if column[node] != LEAF:
            below = expected[tree.left[node]] + expected[tree.right[node]]
            if as_leaf <= below + 0.1:
                column[node] = LEAF
            else:
                expected[node] = below
                continue
        expected[node] = as_leaf
    waiting, order = [0], []
    while waiting:
        node = waiting.pop()
        order.append(node)
        if column[node] != LEAF:
            waiting += [int(tree.right[node]), int(tree.left[node])]
    new = np.full(len(column), LEAF)
    new[order] = np.arange(len(order))
    inner = column[order] != LEAF
    return Tree(
        column[order],
        np.where(inner, tree.threshold[order], 0.0),
        np.where(inner, new[tree.left[order]], LEAF),
        np.where(inner, new[tree.right[order]], LEAF),
        tree.missing_left[order] & inner,
        tree.positive[order],
        tree.negative[order],
    )
