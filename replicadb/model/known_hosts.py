"""What a model says of the hosts that the database knows, without the database.

Invariant: a host's place is its number among all names in byte order, from 0; arrays lie in
the model's file and are only read, so threads may share them.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from replicadb.model.host_rows import Rows, among
from replicadb.model.model_file import ModelFile
from replicadb.model.name_index import NameIndex
from replicadb.model.pair_sums import TOKENS
from replicadb.model.shared_items import CONTENTS, Items
from replicadb.web.domains import sites_meant

DIFFERENT_ROOTS = 7
"""The bit of a kind that says that two home pages differ; below it are those of hosts."""
KINDS_APART = 1 << DIFFERENT_ROOTS + 1
"""Of pairs that have nothing in common, at most."""


class KnownHosts:
    """The n known hosts: ``names``, what each has (``rows``), and weights of it (``items``, and
    ``units`` of what is no item).

    Args:
        file: the opened file.
    """

    def __init__(self, file: ModelFile) -> None:
        arrays = self._arrays = file.arrays
        self.site: str = file.header["site"]
        self.units: dict[str, float] = file.header["units"]
        self.rows = Rows(arrays, arrays["filter"])
        self.items = Items(
            np.array(arrays["item_bounds"]),
            arrays["item_weight"],
            arrays["item_exclusive"],
            arrays["item_flags"],
        )
        self.n = len(arrays["weight"])
        self.names = NameIndex(arrays["name_start"], arrays["name_bytes"])

    @cached_property
    def _traits(self) -> tuple[np.ndarray, np.ndarray]:
        """(n,) uint8 each: bits of what counts where both hosts of a pair have it, and of what
        counts where one has.
        """
        both = [self.rows[f"{name}_weight"] > 0 for name in ("asset", *TOKENS)]
        both.append(self.rows["n_contents"] == 0)
        has = self.rows["has"]
        either = [np.zeros(self.n, bool)] * len(both) + [has & 1 > 0, has & 2 > 0]
        return (
            np.packbits(both, axis=0, bitorder="little")[0],
            np.packbits(either, axis=0, bitorder="little")[0],
        )

    def kinds_apart(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """What all the features of pairs that have nothing in common hang on, names and addresses
        aside, (P,) uint8 below KINDS_APART: equal numbers, equal features. x, y: (P,) places.
        """
        both, either = self._traits
        kind = both.take(x)
        kind &= both.take(y)
        kind |= either.take(x)
        kind |= either.take(y)
        root_x, root_y = self.rows["root"].take(x), self.rows["root"].take(y)
        kind |= ((root_x > 0) & (root_y > 0) & (root_x != root_y)).astype(
            np.uint8
        ) << DIFFERENT_ROOTS
        return kind

    def find_new(self, name: str) -> int:
        """The place of a host of whose pages something is given, by its name alone; -1 where none
        here is named so.
        """
        return self._first(sites_meant(name, "host" if self.site == "domain" else self.site))

    def find(self, name: str) -> int:
        """The place of a host, in any spelling; -1 where it is not known."""
        return self._first(sites_meant(name, self.site))

    def _first(self, names: tuple[str, ...]) -> int:
        places = (self.names.find(name) for name in names)
        return next((place for place in places if place >= 0), -1)

    def items_of(self, kind: int, hash: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The item of each hash of one kind, (m,) int64, -1 where there is none; and whether it is
        too common to be one, (m,) bool.
        """
        arrays, low, high = self._arrays, *self.items.bounds[kind : kind + 2]
        at = np.searchsorted(arrays["item_hash"][low:high], hash)
        item = np.where(among(arrays["item_hash"][low:high], at, hash), at + low, -1)
        low, high = arrays["common_bounds"][kind : kind + 2]
        common = arrays["common_hash"][low:high]
        return item, among(common, np.searchsorted(common, hash), hash)

    def contents_of(self, fingerprints: np.ndarray) -> np.ndarray:
        """The content of each fingerprint, both as hashes, (m,) uint64: itself, or the cluster of
        near duplicates that it stands in.
        """
        near, content = self._arrays["near"], self._arrays["near_content"]
        at = np.searchsorted(near, fingerprints)
        there = np.flatnonzero(among(near, at, fingerprints))
        found = fingerprints.copy()
        found[there] = content[at[there]]
        return found

    def only_host_of(self, contents: np.ndarray) -> np.ndarray:
        """The place of the one host that has each content, (m,) int64; -1 where none has it, or
        several; contents are hashes, (m,) uint64.
        """
        single, host = self._arrays["single"], self._arrays["single_host"]
        at = np.searchsorted(single, contents)
        found = np.full(len(contents), -1, np.int64)
        there = np.flatnonzero(among(single, at, contents))
        found[there] = host[at[there]]
        return found

    def hosts_of(self, items: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The hosts that have each of these contents, (k,) items: how many, (k,), and their places
        one item after the other, (m,) int64.
        """
        start, posting = self._arrays["posting_start"], self._arrays["posting"]
        low, high = start[items], start[items + 1]
        each = [posting[i:j] for i, j in zip(low, high, strict=True)]
        return high - low, np.concatenate([np.zeros(0, np.int64), *each]).astype(np.int64)

    def contents(self, place: int) -> np.ndarray:
        """The contents that a known host shares with another, items, (k,) int64."""
        start = self.rows["start"]
        mine = self.rows["item"][start[place] : start[place + 1]].astype(np.int64)
        found: np.ndarray = mine[mine < self.items.bounds[CONTENTS + 1]]
        return found
