"""What two hosts share of a model's items: what two known hosts or more have.

Invariant: between known hosts sums are detection's. For a host that is not in the database,
what two or more known hosts have keeps its idf, and by inverse pair frequency counts as what one
host more has; what it shares with one host only is found page by page
(``replicadb.model.singletons``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.model.host_rows import Met, Rows, matches
from replicadb.model.pair_sums import Columns, PairSums
from replicadb.model.singletons import PAGE, add_singletons

ITEM_KINDS = (
    "contents",
    "paths",
    "tails",
    "titles",
    "targets",
    "identifiers",
    "terms",
    "addresses",
    "networks",
)
"""Of items, in the order of their numbers; from terms on they are labels."""
CONTENTS, PATHS, TAILS, TITLES, TARGETS, IDENTIFIERS, TERMS, ADDRESSES, NETWORKS = range(9)
SUMMED = {TITLES: "title_weight", TARGETS: "target_weight", IDENTIFIERS: "identifier_weight"}
"""Kinds of which nothing but the weight counts, and the sum that it goes to. Targets are outside
URLs that hosts link to. Titles and targets are weighed by inverse pair frequency, identifiers by
idf.
"""
ENTRY_COLUMNS = (
    {"first": "path", "second": "tail", "third": "section"},
    {"first": "content", "second": "page"},
    {
        "first": "content",
        "second": "length",
        "third": "title",
        "fourth": "bare_title",
        "fifth": "language",
    },
)
"""What a host's entries hold, by kind of item."""


@dataclass
class Items:
    """The model's items: where each kind begins, (kinds + 1,) int64; weights, (n,); of contents
    those by inverse pair frequency, and flags, 1 a page, (n,).
    """

    bounds: np.ndarray
    weight: np.ndarray
    exclusive: np.ndarray
    flags: np.ndarray


@dataclass
class _Matches:
    """Items of one kind that both hosts of a pair have: numbers of pairs and items, places of
    either host's entries, (m,) each.
    """

    kind: int
    pair: np.ndarray
    item: np.ndarray
    left: np.ndarray
    right: np.ndarray

    def sides(self, left: Rows, right: Rows) -> tuple[Columns, Columns]:
        """What either host's entries hold, (m,) each."""
        names = ENTRY_COLUMNS[self.kind]
        return (
            {name: left.column(column, self.left) for column, name in names.items()},
            {name: right.column(column, self.right) for column, name in names.items()},
        )


def shared_sums(
    items: Items,
    left: Rows,
    x: np.ndarray,
    right: Rows,
    y: np.ndarray,
    units: dict[str, float],
    met: Met | None = None,
) -> PairSums:
    """Everything that hosts x of the left and y of the right share; where hosts of the left are
    new, also what they share with one host only. x, y: (P,) places of rows; met: what they both
    have, where that was found before.
    """
    sums = PairSums.zeros(len(x), new=bool(left.singletons))
    pair, i, j = met or matches(left, x, right, y)
    if len(pair):
        item = left["item"].take(i)
        kind = np.searchsorted(items.bounds, item, side="right") - 1
        new = [
            rows["new"][at] if rows.singletons else np.zeros(len(x), np.int64)
            for rows, at in ((left, x), (right, y))
        ]
        for number in (CONTENTS, PATHS, TAILS, *SUMMED):
            at = np.flatnonzero(kind == number)
            if len(at):
                found = _Matches(number, pair.take(at), item.take(at), i.take(at), j.take(at))
                _add(sums, items, found, left, right, new, units["one"])
    if left.singletons:
        add_singletons(sums, left, x, right, y, units)
    return sums


def _add(
    sums: PairSums,
    items: Items,
    found: _Matches,
    left: Rows,
    right: Rows,
    new: list[np.ndarray],
    one: float,
) -> None:
    if found.kind == IDENTIFIERS:
        sums.add(SUMMED[IDENTIFIERS], found.pair, items.weight.take(found.item).astype(float))
        return
    if found.kind in SUMMED:
        exclusive = items.weight.take(found.item)
        sums.add_exclusive(SUMMED[found.kind], found.pair, exclusive, new, one)
        return
    a, b = found.sides(left, right)
    weight = items.weight.take(found.item).astype(float)
    if found.kind == PATHS:
        sums.add_paths(found.pair, weight, a, b)
    elif found.kind == TAILS:
        sums.add_tails(found.pair, weight, a, b)
    else:
        page = items.flags.take(found.item) & PAGE > 0
        for name, of in (("exclusive_weight", page), ("asset_weight", ~page)):
            exclusive = items.exclusive.take(found.item[of])
            sums.add_exclusive(name, found.pair[of], exclusive, new, one)
        sums.add_contents(found.pair, weight, page, a, b)
