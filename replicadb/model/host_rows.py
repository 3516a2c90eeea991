"""Hosts as rows of arrays, and what two of them both have.

Invariant: a host's entries are sorted by item; pairs come as two arrays of places and
nothing loops over them. The filter (a Bloom filter with one hash function, each host's bits
together) only saves work: what passes it is looked up. Arrays are gone into by ``take``, which lets
other threads run, as brackets do not. Source: Bloom (1970), "Space/time trade-offs in hash coding
with allowable errors".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

GOLDEN = np.uint32(0x9E3779B1)  # a prime near 2^32 / golden ratio, Knuth's multiplicative hash
BITS = np.uint64(4)  # 2^4 bits an entry
MASKS = np.left_shift(1, np.arange(8)).astype(np.uint8)  # of a bit in its byte
FILTER_PIECE = 1 << 22
Met = tuple[np.ndarray, np.ndarray, np.ndarray]
"""What hosts of pairs both have: pair (m,), place in the left's entries (m,), in the right's (m,).
"""


@dataclass
class Rows:
    """Hosts, known ones (the model's own arrays) or new ones (``replicadb.model.new_host_rows``).

    Arrays by name; n hosts: ``start`` (n + 1,) into item and first to fifth; ``page_start`` into
    page_*; ``label_start`` into label; ``target_start`` into target (outside URLs that one host
    alone links to); ``identifier_start`` into identifier (those that one host alone has);
    ``weight``, ``exclusive_weight``, ``asset_weight``, ``path_weight2``, ``page_path_weight2``,
    ``tail_weight``, ``title_weight``, ``target_weight``, ``identifier_weight``, ``n_sections``,
    ``n_urls``, ``root``, ``has``, ``family``, ``edition``, ``family_agreement``, ``language``,
    ``language_pages``, ``spoken_pages``, each (n,); of new hosts ``new``: 0 for one of a known
    name.
    """

    arrays: Mapping[str, np.ndarray]
    filter: np.ndarray | None = None
    singletons: dict[str, tuple[np.ndarray, dict[str, np.ndarray]]] = field(default_factory=dict)
    """Only of new hosts: what no two known hosts have, by kind (paths, tails ...): sorted keys
    host << 32 | hash, and columns beside them.
    """

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]

    def column(self, name: str, places: np.ndarray) -> np.ndarray:
        """An array's values at these places, (m,); a column of zeros is kept as an empty array."""
        values = self[name]
        return values.take(places) if len(values) else np.zeros(len(places), np.uint32)

    def may_have(self, host: np.ndarray, pair: np.ndarray, item: np.ndarray) -> np.ndarray:
        """Whether the host of each pair can have an item, (m,) bool; hosts (P,), pair (m,) rising,
        item (m,). Without a filter it can.
        """
        if self.filter is None:
            return np.ones(len(pair), bool)
        start = self["start"]
        low = start.take(host).astype(np.uint64)
        n = start.take(host + 1).astype(np.uint64) - low
        bit = _bit((low << BITS).take(pair), (n << BITS).take(pair), item)
        byte = self.filter.take((bit >> np.uint64(3)).view(np.int64))
        bit &= np.uint64(7)
        byte &= MASKS.take(bit.view(np.int64))
        return byte > 0


def filter_of(start: np.ndarray, item: np.ndarray) -> np.ndarray:
    """A Bloom filter of all hosts' items: 16 bits an entry, those of a host together, and one byte
    at the end, (2 * entries + 1,) uint8.

    Args:
        start: (hosts + 1,) where each host's entries begin. item: (entries,).
    """
    bits = np.zeros((2 * len(item) + 1) * 8, bool)
    for low in range(0, len(item), FILTER_PIECE):
        high = min(low + FILTER_PIECE, len(item))
        host = np.searchsorted(start, np.arange(low, high), side="right") - 1
        first = start[host].astype(np.uint64)
        n = start[host + 1].astype(np.uint64) - first
        bits[_bit(first << BITS, n << BITS, item[low:high])] = True
    return np.packbits(bits, bitorder="little")


def _bit(first: np.ndarray, n: np.ndarray, item: np.ndarray) -> np.ndarray:
    """The bit of an item among those of its host, which has n bits from ``first`` on; (m,)
    uint64.
    """
    bit: np.ndarray = (item * GOLDEN).astype(np.uint64)
    bit *= n
    bit >>= np.uint64(32)
    bit += first
    return bit


def expanded(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All places from low to high (not included) of each pair: the pair (m,) and the place (m,)."""
    n = high - low
    ends = np.cumsum(n)
    total = int(ends[-1]) if len(n) else 0
    small = not len(n) or max(total, int(high.max())) < 1 << 31
    kind = np.dtype(np.int32 if small else np.int64)  # half the memory to go through
    pair = np.repeat(np.arange(len(n), dtype=np.int32), n)
    place: np.ndarray = np.arange(total, dtype=kind)
    place += np.repeat((low - (ends - n)).astype(kind), n)
    return pair, place


def matches(
    left: Rows, x: np.ndarray, right: Rows, y: np.ndarray, start: str = "start", item: str = "item"
) -> Met:
    """What hosts x of the left and y of the right both have.

    Each host x's entries are gone through, so x should be the one with fewer. O(entries of x log
    entries of y) at most.
    """
    starts = left[start]
    pair, i = expanded(starts.take(x), starts.take(x + 1))
    wanted = left[item].take(i)
    if right.filter is not None and item == "item" and len(pair):
        passed = np.flatnonzero(right.may_have(y, pair, wanted))
        pair, i, wanted = pair.take(passed), i.take(passed), wanted.take(passed)
    j, found = located(right[start], right[item], y.take(pair), wanted)
    found = np.flatnonzero(found)
    return pair.take(found), i.take(found), j.take(found)


def located(
    start: np.ndarray, item: np.ndarray, host: np.ndarray, wanted: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The place of each wanted item among its host's, (m,), and whether it is there, (m,) bool: a
    binary search for all at once.
    """
    if not len(item) or not len(host):
        return np.zeros(len(host), np.int64), np.zeros(len(host), bool)
    kind = np.dtype(np.int32 if len(item) < 1 << 30 else np.int64)
    low: np.ndarray = start.take(host).astype(kind)
    end: np.ndarray = start.take(host + 1).astype(kind)
    steps = int((end - low).max()).bit_length()
    for power in range(steps - 1, -1, -1):  # to the last place whose item is below
        step = low + kind.type(1 << power)
        np.copyto(low, step, where=(step <= end) & (item.take(np.minimum(step, end) - 1) < wanted))
    return low, (low < end) & (item.take(np.minimum(low, len(item) - 1)) == wanted)


def among(sorted_hash: np.ndarray, at: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Whether what is wanted stands at the places that ``searchsorted`` gave, (m,) bool."""
    if not len(sorted_hash):
        return np.zeros(len(wanted), bool)
    found: np.ndarray = sorted_hash[np.minimum(at, len(sorted_hash) - 1)] == wanted
    return found
