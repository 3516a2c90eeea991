"""The classifier of page pairs: rules and a tree over signals, learned together, kept as JSON,
printed as text.

Invariant: a file holds data only, never code; it says by which engine, level and definitions
its signals came about, and a classifier is never applied to signals of others. Source: Huffman et
al. (SIGIR 2007), section 5: RIPPER (JRip) and a C4.5-like tree (J48). A pair's probability is the
mean of what the two say; it is a duplicate from 0.5 on.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from replicadb.arrays import Array, Bools, Floats
from replicadb.errors import DataError
from replicadb.given_file import given_json
from replicadb.learning import decision_tree as tree
from replicadb.learning import ripper
from replicadb.page_constants import PAGE_PAIRS
from replicadb.page_pairs import compression_distance, signal_inputs, snippets
from replicadb.page_pairs.signals import SIGNALS
from replicadb.store.atomic_file import atomic_write
from replicadb.version import __version__

FORMAT = "replicadb page classifier"
VERSION = 1
DEEPEST = 100
"""Nodes above a leaf of a tree that is believed; one that was grown has a few."""
DEFINITIONS = {
    "top_terms": signal_inputs.TOP_TERMS,
    "cut_bytes": compression_distance.CUT,
    "snippet_reach": snippets.REACH,
    "snippet_longest": snippets.LONGEST,
    "idf": "ln(1 + N / df)",
    "simhash_bits": 64,
}
"""What a signal means besides its name; a classifier of others is refused."""


@dataclass(frozen=True)
class Classifier:
    """Rules and a tree over the same signals."""

    signals: tuple[str, ...]
    """Columns of the values, in their order."""
    engine: str
    """Compression engine and level, as in ``zlib-6``."""
    rules: ripper.Rules
    tree: tree.Tree
    trained: dict[str, Any] = field(default_factory=dict)
    """Where it comes from: pairs, duplicates, seeds, validation."""

    def values(self, found: dict[str, Floats]) -> Floats:
        """The columns of a set of signals, (n, f) float64; one that is not there is NaN
        throughout.
        """
        n = len(next(iter(found.values())))
        return np.column_stack([found.get(name, np.full(n, np.nan)) for name in self.signals])

    def classify(self, found: dict[str, Floats]) -> dict[str, Array]:
        """Judge pairs.

        Args:
            found: signal to (n,) float64, as :func:`replicadb.page_pairs.signals.compute` gives
                them.

        Returns:
            duplicate (bool), probability (0 to 1), ripper and tree (bool), rule (number of the
            first rule that holds, from 1; 0 for none).
        """
        values = self.values(found)
        probability = (self.rules.probability(values) + self.tree.probability(values)) / 2
        first = self.rules.first(values)
        return {
            "duplicate": probability >= PAGE_PAIRS.duplicate_from,
            "probability": np.round(probability, 6),
            "ripper": first < len(self.rules.rules),
            "tree": self.tree.predict(values),
            "rule": np.where(first < len(self.rules.rules), first + 1, 0),
        }

    @property
    def used_signals(self) -> tuple[str, ...]:
        """Those of its signals that its rules or its tree compare."""
        columns = {c.column for rule in self.rules.rules for c in rule.conditions} | set(
            self.tree.column.tolist()
        ) - {tree.LEAF}
        return tuple(name for i, name in enumerate(self.signals) if i in columns)

    def text(self) -> str:
        """The rules and the tree as a person reads them."""
        return rules_text(self.rules, self.signals) + "\n\n" + tree_text(self.tree, self.signals)

    def save(self, path: str | Path) -> None:
        """Write it as JSON.

        Raises:
            DataError: the file cannot be written.
        """
        content = {
            "format": FORMAT,
            "version": VERSION,
            "replicadb": __version__,
            "engine": self.engine,
            "definitions": DEFINITIONS,
            "signals": list(self.signals),
            "trained": self.trained,
            "rules": [
                {
                    "if": [
                        [self.signals[c.column], "<=" if c.at_most else ">=", c.threshold]
                        for c in rule.conditions
                    ],
                    "duplicates": rule.positive,
                    "others": rule.negative,
                }
                for rule in self.rules.rules
            ],
            "otherwise": self.rules.default,
            "tree": {name: values.tolist() for name, values in self.tree._asdict().items()},
        }
        with atomic_write(path) as part:
            Path(part).write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", "utf-8")


def fit(
    values: Floats,
    labels: Bools,
    signals: tuple[str, ...],
    engine: str,
    seed: int = 0,
    trained: dict[str, Any] | None = None,
) -> Classifier:
    """Learn rules and a tree from all examples: (n, f) values and (n,) bool labels."""
    return Classifier(
        signals,
        engine,
        ripper.fit(values, labels, seed),
        tree.fit(values, labels, seed),
        trained or {},
    )


def load(path: str | Path) -> Classifier:
    """Read a classifier.

    Raises:
        DataError: no such file, no classifier, a damaged one, or one whose signals are defined
            otherwise.
    """
    try:
        content = given_json(path)
    except FileNotFoundError as error:
        raise DataError(
            f"{path}: no such classifier; make one with: replicadb pages train DB LABELLED.csv"
            f" --model {path}"
        ) from error
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: no classifier that can be read: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DataError(
            f"{path}: no classifier of replicadb; make one with: replicadb pages train DB"
            " LABELLED.csv --model FILE"
        )
    if content.get("version") != VERSION or content.get("definitions") != DEFINITIONS:
        raise DataError(
            f"{path}: its signals are defined as in another version of replicadb; train it again:"
            " replicadb pages train"
        )
    try:
        return _from_json(content)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise DataError(
            f"{path}: the classifier is damaged ({type(error).__name__}: {error}); train it again"
        ) from error


def _from_json(content: dict[str, Any]) -> Classifier:
    signals = tuple(content["signals"])
    if not signals or set(signals) - set(SIGNALS):
        raise ValueError("signals that do not exist")
    rules = ripper.Rules(
        tuple(
            ripper.Rule(
                tuple(_condition(signals, *one) for one in rule["if"]),
                int(rule["duplicates"]),
                int(rule["others"]),
            )
            for rule in content["rules"]
        ),
        float(content["otherwise"]),
    )
    kinds = {
        "column": np.int64,
        "threshold": float,
        "left": np.int64,
        "right": np.int64,
        "missing_left": bool,
        "positive": np.int64,
        "negative": np.int64,
    }
    nodes = tree.Tree(
        **{name: np.array(content["tree"][name], kind) for name, kind in kinds.items()}
    )
    if not _is_tree(nodes, len(signals)):
        raise ValueError("no tree")
    return Classifier(
        signals, str(content["engine"]), rules, nodes, dict(content.get("trained") or {})
    )


def _is_tree(nodes: tree.Tree, signals: int) -> bool:
    """Whether each node but the first is the child of one before it, and none lies too deep."""
    size = len(nodes.column)
    if not size or any(values.shape != (size,) for values in nodes):
        return False
    if (nodes.column >= signals).any() or (nodes.column < tree.LEAF).any():
        return False
    parents = np.flatnonzero(nodes.column != tree.LEAF)
    children = np.concatenate([nodes.left[parents], nodes.right[parents]])
    if not np.array_equal(np.sort(children), np.arange(1, size)):
        return False
    if (children <= np.concatenate([parents, parents])).any():
        return False
    depth = np.zeros(size, np.int64)
    for node in parents:
        depth[[nodes.left[node], nodes.right[node]]] = depth[node] + 1
    return bool(depth.max() <= DEEPEST)


def _condition(
    signals: tuple[str, ...], signal: str, sign: str, threshold: float
) -> ripper.Condition:
    if sign not in ("<=", ">=") or not math.isfinite(threshold):
        raise ValueError(f"no condition: {sign} {threshold}")
    return ripper.Condition(signals.index(signal), sign == "<=", float(threshold))


def rules_text(rules: ripper.Rules, signals: tuple[str, ...]) -> str:
    """One rule a line, as JRip prints them: conditions => duplicate (duplicates / others caught
    first, in training).
    """
    lines = [
        " and ".join(
            f"({signals[c.column]} {'<=' if c.at_most else '>='} {c.threshold:g})"
            for c in rule.conditions
        )
        + f" => duplicate ({rule.positive}/{rule.negative})"
        for rule in rules.rules
    ]
    return "\n".join([*lines, f"otherwise => not ({rules.default:.3f} duplicates)"])


def tree_text(nodes: tree.Tree, signals: tuple[str, ...]) -> str:
    """The tree, indented, as J48 prints it; ``?`` marks the side that a missing value takes."""
    lines: list[str] = []

    def walk(node: int, depth: int, words: str) -> None:
        leaf = nodes.column[node] == tree.LEAF
        p, n = int(nodes.positive[node]), int(nodes.negative[node])
        end = f": {'duplicate' if p > n else 'not'} ({p}/{n})" if leaf else ""
        if words or leaf:
            lines.append("|  " * (depth - 1) + (words or "always") + end)
        if not leaf:
            name, threshold, missing = (
                signals[nodes.column[node]],
                nodes.threshold[node],
                nodes.missing_left[node],
            )
            low, high = (
                (f"{name} known", f"{name} not known")
                if threshold == tree.ANY_VALUE
                else (
                    f"{name} <= {threshold:g}{' ?' if missing else ''}",
                    f"{name} > {threshold:g}{'' if missing else ' ?'}",
                )
            )
            walk(int(nodes.left[node]), depth + 1, low)
            walk(int(nodes.right[node]), depth + 1, high)

    walk(0, 0, "")
    return "\n".join(lines)
