"""Cross-validation of sets of signals by RIPPER and a decision tree, on the same folds.

Invariant: figures are out of fold; folds and seeds are the same for every set of signals;
the quoted F is the mean of the two classifiers' median F. Source: Huffman et al. (SIGIR 2007),
section 5; docs/method.md#page-classifier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from replicadb.arrays import Bools, Floats, Ints
from replicadb.errors import UsageError, need_count
from replicadb.learning import cross_validation, decision_tree, ripper
from replicadb.likely_meant import did_you_mean
from replicadb.page_constants import PAGE_PAIRS
from replicadb.page_pairs.signals import SIGNALS

Say = Callable[[str], None]
SPLITS = ("auto", "pages", "random")


@dataclass(frozen=True)
class Options:
    """How classifiers are validated."""

    groups: str = "auto"
    """Groups or signals, by commas; auto: F,R,RS,X, with FS for RS where no page is rendered."""
    folds: int = 10
    seeds: int = 9
    seed: int = 0
    split: str = "auto"
    """pages: pairs that share a page stay in one fold; random: as the paper, but rows of one pair
    stay together; auto: pages, but random where nearly all hang together.
    """

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            raise UsageError(
                f"no split {self.split!r}{did_you_mean(self.split, SPLITS)}; choose one of:"
                f" {', '.join(SPLITS)}"
            )
        for name in ("folds", "seeds", "seed"):
            object.__setattr__(self, name, need_count(name, getattr(self, name)))
        if self.folds < 2 or self.seeds < 1:
            raise UsageError(
                f"cross-validation needs 2 folds or more and 1 seed or more, not {self.folds} and"
                f" {self.seeds}"
            )


@dataclass(frozen=True)
class Labelled:
    """Labelled pairs with their signals: what training sees."""

    found: dict[str, Floats]
    labels: Bools
    """(n,) bool."""
    component: Ints
    """(n,) int, pairs that share a page, directly or by way of others, have one number."""
    pair: Ints
    """(n,) int, rows of the same two pages have one number; where none repeat, the row's own."""
    left_out: int
    """Rows without a label of either kind, or of pages that the database does not have."""
    pages: Ints | None = None
    """(n, 2) int, the ids of each row's two pages, the lesser first; None: not known."""

    def in_common(self, other: Labelled) -> int:
        """How many of these rows are of two pages that a row of the other is of, too."""
        if self.pages is None or other.pages is None:
            return 0
        both = np.concatenate([self.pages, other.pages])
        _, numbers = np.unique(both, axis=0, return_inverse=True)
        own, theirs = np.split(numbers.reshape(-1), [len(self.pages)])
        return int(np.isin(own, theirs).sum())

    @property
    def signals(self) -> tuple[str, ...]:
        """Those that some pair has."""
        return tuple(
            name for name in SIGNALS if name in self.found and not np.isnan(self.found[name]).all()
        )

    def values(self, names: tuple[str, ...]) -> Floats:
        """(n, f) float64."""
        return (
            np.column_stack([self.found[name] for name in names])
            if names
            else np.zeros((len(self.labels), 0))
        )


def with_ripper(values: Floats, labels: Bools, seed: int, held_out: Floats) -> tuple[Bools, Floats]:
    """RIPPER learns and judges."""
    rules = ripper.fit(values, labels, seed)
    return rules.predict(held_out), rules.probability(held_out)


def with_tree(values: Floats, labels: Bools, seed: int, held_out: Floats) -> tuple[Bools, Floats]:
    """The tree learns and judges."""
    nodes = decision_tree.fit(values, labels, seed)
    return nodes.predict(held_out), nodes.probability(held_out)


LEARNERS = {"ripper": with_ripper, "tree": with_tree}


class Validator:
    """Cross-validates sets of signals on the same folds, each set once."""

    def __init__(self, data: Labelled, options: Options, say: Say) -> None:
        self.data, self.options, self.say = data, options, say
        self.known: dict[tuple[tuple[str, ...], bool], dict[str, Any]] = {}
        largest = int(
            np.bincount(np.unique(data.component, return_inverse=True)[1].reshape(-1)).max()
        )
        self.largest_share = largest / len(data.labels)
        by_page = options.split == "pages" or (
            options.split == "auto" and self.largest_share <= PAGE_PAIRS.largest_share
        )
        self.split = "pages" if by_page else "random"
        self.groups = data.component if by_page else data.pair
        self.curves: dict[tuple[str, ...], Floats] = {}

    def of(self, names: tuple[str, ...], available: bool = False) -> dict[str, Any]:
        """Precision, recall and F of both classifiers and their mean F.

        Args:
            names: signals. available: only pairs that have all of them, as in Table 2.
        """
        key = (names, available)
        if key not in self.known:
            self.say(f"validating {', '.join(names)}")
            self.known[key] = self._validate(names, available)
        return self.known[key]

    def _validate(self, names: tuple[str, ...], available: bool) -> dict[str, Any]:
        values, o = self.data.values(names), self.options
        rows = ~np.isnan(values).any(axis=1) if available else np.ones(len(values), bool)
        labels = self.data.labels[rows]
        found: dict[str, Any] = {
            "signals": list(names),
            "pairs": int(rows.sum()),
            "duplicates": int(labels.sum()),
        }
        if not labels.any() or labels.all():
            return found | dict.fromkeys((*LEARNERS, "f", "f_by_seed"))
        results = {
            name: cross_validation.validate(
                values[rows], labels, self.groups[rows], learner, o.folds, o.seeds, o.seed
            )
            for name, learner in LEARNERS.items()
        }
        if not available:
            self.curves[names] = np.mean(
                [result.probability for result in results.values()], axis=0
            )
        for name, result in results.items():
            found[name] = {**rounded(result.score), "seed": o.seed + result.median}
        found["f"] = round(float(np.mean([result.score.f for result in results.values()])), 4)
        found["f_by_seed"] = [
            round(float(np.mean([result.scores[i].f for result in results.values()])), 4)
            for i in range(o.seeds)
        ]
        return found


def rounded(score: cross_validation.Score) -> dict[str, float]:
    """Precision, recall and F of a score, to four places."""
    return {
        "precision": round(score.precision, 4),
        "recall": round(score.recall, 4),
        "f": round(score.f, 4),
    }
