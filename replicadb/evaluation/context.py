"""What every method of an evaluation is given: the candidates as arrays, their patterns, the gold,
and the folds.

Invariant: all arrays of candidates are in one order (by the names of the two hosts), so scores of
different methods lie side by side; folds depend on the seed and the names of the hosts alone, not
on the order of methods, pairs or loads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from replicadb.arrays import Array, Bools, Floats, Ints, Whole
from replicadb.detection import patterns
from replicadb.detection.evidence import PAPER_FEATURES
from replicadb.evaluation.gold import Gold
from replicadb.evaluation.scratch import Scratch
from replicadb.settings import Settings
from replicadb.web.digests import Hashes

OUTER, INNER = 2, 5
"""The thesis' folds, section 4.2."""
Fold = int | tuple[int, int] | None
"""What is held back: a fold of pairs; an outer and an inner fold of the thesis; None is nothing."""
BY_NAME = """
    WITH places AS (SELECT host_id, row_number() OVER (ORDER BY host) AS place FROM hosts)
    SELECT {columns} FROM {pairs} AS p
    JOIN places AS a ON a.host_id = p.a_id JOIN places AS b ON b.host_id = p.b_id
    ORDER BY a.place, b.place"""
"""Pairs in the order of all arrays of candidates."""
NOT_EVIDENCE = ("a_id", "b_id", "label")
"""Columns of pair_features that say nothing of how alike two hosts are."""


@dataclass(frozen=True)
class Patterns:
    """Examples collapsed to distinct combinations of the five features' bins
    (sql/detect/50_patterns).
    """

    bins: Ints
    """(m, 5), in the order of PAPER_FEATURES."""
    index: Ints
    """(n,) the pattern of each candidate."""
    non_replicas: Ints
    """(m,) sampled obvious non-replicas of each pattern."""


@dataclass
class Context:
    """The candidates of a database beside their gold. n candidates, always in the same order."""

    db: Scratch
    """Where SQL may be run and temporary tables made."""
    gold: Gold
    n_folds: int
    seed: int
    a: Ints = field(init=False)
    """(n,) host_id whose name comes first."""
    b: Ints = field(init=False)
    obvious: Bools = field(init=False)
    """(n,) obvious replicas (P)."""
    compared: Bools = field(init=False)
    """(n,) pairs that methods are compared on."""
    truth: Bools = field(init=False)
    """(n,) replicas by gold."""
    connected: Bools = field(init=False)
    """(n,) pairs that the gold does not name and connects through other hosts: not compared, since
    copies of one site are copies of each other.
    """
    gold_row: Ints = field(init=False)
    """(n,) the row of gold, -1 for none."""
    memo: dict[Any, Any] = field(default_factory=dict)
    """What methods have learned already, to be shared (NU fits, say)."""

    def __post_init__(self) -> None:
        self._columns = self.db.arrays(BY_NAME.format(columns="p.*", pairs="pair_features"))
        self.a, self.b = (self._columns[name].astype(np.int64) for name in ("a_id", "b_id"))
        self.obvious = self._columns["label"] == 1
        low, high = np.minimum(self.a, self.b), np.maximum(self.a, self.b)
        self.gold_row = find_pairs(low, high, self.gold.low, self.gold.high)
        label = np.where(
            self.gold_row >= 0, self.gold.label[self.gold_row], 0 if not self.gold.labelled else -1
        )
        self.connected = (self.gold_row < 0) & (label == 0) & self.gold.connects(low, high)
        self.truth, self.compared = label == 1, (label >= 0) & ~self.connected

    @property
    def n(self) -> int:
        return len(self.a)

    @property
    def n_ids(self) -> int:
        """One more than the highest host_id: the length of an array by host."""
        return int(self.db.value("SELECT coalesce(max(host_id), -1) + 1 FROM hosts"))

    @cached_property
    def place(self) -> Ints:
        """(n_ids,) by host_id the place of the host's name in byte order, from 1. Ids are that
        after one load; after several they are in the order of loads.
        """
        found = self.db.arrays(
            "SELECT host_id, row_number() OVER (ORDER BY host) AS place FROM hosts"
        )
        place = np.zeros(self.n_ids, np.int64)
        place[found["host_id"]] = found["place"]
        return place

    def hashes(self, draw: int) -> Hashes:
        """(n,) a number for each candidate that looks random; ``draw`` tells draws apart."""
        return hashed(self.place[self.a], self.place[self.b], self.seed + draw)

    @property
    def settings(self) -> Settings:
        return self.db.settings

    @property
    def published(self) -> Settings:
        """What published methods run with: as the last detection by one did."""
        return self.db.published

    @property
    def evidence(self) -> list[str]:
        """The columns of pair_features that describe a pair, all numbers."""
        return [
            name
            for name, values in self._columns.items()
            if name not in NOT_EVIDENCE and values.dtype.kind in "fiub"
        ]

    def column(self, name: str) -> Floats:
        """(n,) of a column of pair_features; NULL is NaN."""
        return self._columns[name].astype(float)

    def patterns(self, discretise: str | None = None) -> Patterns:
        """The patterns under a way to discretise (the published method's unless given)."""
        settings = self.published.with_changes(discretise=discretise)
        key = ("patterns", settings.discretise)
        if key not in self.memo:
            self.db.renew("cuts", "patterns")
            self.db.execute("DELETE FROM stages WHERE stage >= '50'")
            patterns.make_patterns(self.db, settings)
            table = self.db.arrays("SELECT * FROM patterns ORDER BY pattern_id")
            patterns.with_patterns(self.db, "placed", "a_id, b_id, pattern_id")
            placed = BY_NAME.format(columns="p.pattern_id", pairs="placed")
            index = self.db.arrays(placed)["pattern_id"]
            self.memo[key] = Patterns(
                np.column_stack([table[name] for name in PAPER_FEATURES]).astype(np.int64),
                index.astype(np.int64),
                table["obvious_non_replicas"].astype(np.int64),
            )
        found: Patterns = self.memo[key]
        return found

    def aligned(self, a: Whole, b: Whole, values: Array, missing: float | bool) -> Array:
        """(n,) values of pairs given in any order; ``missing`` where a candidate is not
        among them.
        """
        low, high = np.minimum(a, b).astype(np.int64), np.maximum(a, b).astype(np.int64)
        row = find_pairs(np.minimum(self.a, self.b), np.maximum(self.a, self.b), low, high)
        return np.where(row >= 0, values[row], missing) if len(values) else np.full(self.n, missing)

    @cached_property
    def pair_fold(self) -> Ints:
        """(n,) 0 ... n_folds - 1 by seeded hash of the pair (the published methods'
        cross-validation).
        """
        return (self.hashes(0) % np.uint64(self.n_folds)).astype(np.int64)

    @cached_property
    def thesis_fold(self) -> tuple[Ints, Ints]:
        """(n,) each: the thesis' outer fold of OUTER, and the inner one of INNER."""
        outer, inner = (
            (self.hashes(more) % np.uint64(n)).astype(np.int64)
            for more, n in ((6, OUTER), (7, INNER))
        )
        return outer, inner

    def training(self, fold: Fold) -> Bools:
        """(n,) the candidates that teach where a fold is held back. By the thesis: those of the
        other outer fold but for one inner fold of it.
        """
        if fold is None:
            return np.ones(self.n, bool)
        if isinstance(fold, int):
            return ~self.tested(fold)
        others: Bools = ~self.tested(fold) & (self.thesis_fold[1] != fold[1])
        return others

    def tested(self, fold: Fold) -> Bools:
        """(n,) the candidates that are scored then: the fold, or the thesis' outer one."""
        if fold is None:
            return np.ones(self.n, bool)
        one, of = (
            (fold, self.pair_fold) if isinstance(fold, int) else (fold[0], self.thesis_fold[0])
        )
        inside: Bools = of == one
        return inside

    @cached_property
    def group_fold(self) -> Ints:
        """(n,) a replica group of gold lies in one fold with all pairs that its hosts come
        first in, so that what is learned from gold is tried on groups it has not seen.
        """
        owner = self.place + self.gold.group.max(initial=-1) + 1
        known = (self.gold.group >= 0) & (self.gold.low >= 0)
        for side in (self.gold.low, self.gold.high):
            owner[side[known]] = self.gold.group[known]
        return (
            hashed(owner[self.a], np.zeros_like(self.a), self.seed + 1) % np.uint64(self.n_folds)
        ).astype(np.int64)


def find_pairs(low: Ints, high: Ints, in_low: Ints, in_high: Ints) -> Ints:
    """(n,) the row among the pairs (in_low, in_high) of each pair (low, high),
    -1 for none.
    """
    if not len(in_low):
        return np.full(len(low), -1, np.int64)
    keys = np.where(in_low >= 0, in_low << 32 | in_high, -1)
    order = np.argsort(keys, kind="stable")
    at = np.minimum(np.searchsorted(keys[order], low << 32 | high), len(keys) - 1)
    return np.where(keys[order][at] == (low << 32 | high), order[at], -1)


def hashed(a: Ints, b: Ints, seed: int) -> Hashes:
    """(n,) numbers that look random and depend on the two numbers and the seed alone (splitmix64,
    Steele et al. 2014).
    """
    x = a.astype(np.uint64) << np.uint64(32) ^ b.astype(np.uint64)
    x = x + np.uint64((seed + 1) * 0x9E3779B97F4A7C15 % 2**64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ x >> np.uint64(shift)) * np.uint64(factor)
    return x ^ x >> np.uint64(31)
