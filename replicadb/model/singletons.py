"""What a new host shares with one host only: no item of the model, so found page by page.

Invariant: such a thing counts as what two hosts have, in the sum and in both hosts' norms;
all else that a new host has is its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.model.host_rows import Rows, expanded
from replicadb.model.pair_sums import Columns, PairSums

PAGE, HOME, NOT_FIRST = 1, 2, 4
"""Bits of a page's flags; above 8 bits its section."""
COMPARED = ("content", "length", "title", "bare_title", "language")
"""What is compared of pages at equal tails."""
PAGES = ("path", "tail", "numbered", *COMPARED, "flags")
"""Columns of a page."""
COLUMNS = {
    "contents": ("path", "tail", "section", "page", "alone"),
    "paths": ("content", "page"),
    "tails": (*COMPARED, "weighs"),
    "titles": (),
    "targets": (),
    "identifiers": (),
}
"""What stands beside each singleton of a new host, by kind. alone: no known host has the content.
weighs: no segment with small numbers.
"""


@dataclass
class _Pages:
    """The right hosts' pages of each pair, (m,) rows: the pair, the left host << 32, and columns of
    pages.
    """

    pair: np.ndarray
    host: np.ndarray
    columns: Columns

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def having(self, left: Rows, kind: str, hash: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which of these hashes, one a row, are the left hosts' singletons: places of rows and of
        singletons, (k,) each.
        """
        keys, _ = left.singletons[kind]
        if not len(keys) or not len(hash):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        wanted = self.host | hash
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        rows = np.flatnonzero((keys[at] == wanted) & (hash > 0))
        return rows, at[rows]


def add_singletons(
    sums: PairSums,
    left: Rows,
    x: np.ndarray,
    right: Rows,
    y: np.ndarray,
    units: dict[str, float],
) -> None:
    """Go through the right hosts' pages, and find among them what is the left hosts' own; x, y:
    (P,) places of rows.
    """
    pair, place = expanded(right["page_start"][y], right["page_start"][y + 1])
    columns = {name: right.column(f"page_{name}", place) for name in PAGES}
    pages = _Pages(pair, x[pair].astype(np.uint64) << np.uint64(32), columns)
    _contents(sums, left, pages, units, known=not right.singletons)
    _paths(sums, left, pages, units)
    _tails(sums, left, pages, units, "tail")
    _tails(sums, left, pages, units, "numbered")
    _titles(sums, left, pages, units["one"])
    _beside_pages(sums, left, x, right, y, units)


def _contents(
    sums: PairSums, left: Rows, pages: _Pages, units: dict[str, float], known: bool
) -> None:
    """A content is a page's if it is one on either side; ``known``: the right hosts are."""
    rows, at = pages.having(left, "contents", pages["content"])
    first = np.flatnonzero(pages["flags"][rows] & NOT_FIRST == 0)
    rows, at = rows[first], at[first]
    a = {name: column[at] for name, column in left.singletons["contents"][1].items()}
    flags, pair = pages["flags"][rows], pages.pair[rows]
    b = {"path": pages["path"][rows], "tail": pages["tail"][rows], "section": flags >> 8}
    page = (a["page"] > 0) | (flags & PAGE > 0)
    sums.add_contents(pair, np.full(len(rows), units["two"]), page, a, b)
    for name, of in (("exclusive_weight", page), ("asset_weight", ~page)):
        sums.add(name, pair[of], np.full(of.sum(), units["one"]))
    # by inverse pair frequency what two hosts have counts as what one has: those norms stay
    sums.lessen("weight", pair, (units["own"] - units["two"]) * page)
    sums.lessen("n_contents", pair, -1.0 * (page & (a["page"] == 0)), (0,))
    sums.lessen("n_contents", pair, -1.0 * (page & (flags & PAGE == 0)), (1,))
    alone = a["alone"] > 0  # else it was borrowed from the known host that has it
    sums.lessen("n_borrowed", pair, -1.0 * page * alone, (0,))
    sums.lessen("n_borrowed", pair, -1.0 * page * (alone | known), (1,))


def _paths(sums: PairSums, left: Rows, pages: _Pages, units: dict[str, float]) -> None:
    rows, at = pages.having(left, "paths", pages["path"])
    pair = pages.pair[rows]
    a = {name: column[at] for name, column in left.singletons["paths"][1].items()}
    b = {"content": pages["content"][rows], "page": pages["flags"][rows] & PAGE}
    sums.add_paths(pair, np.full(len(rows), units["two_path2"]), a, b)
    less = np.full(len(rows), units["own_path2"] - units["two_path2"])
    sums.lessen("path_weight2", pair, less)
    sums.lessen("page_path_weight2", pair, less * (a["page"] > 0), (0,))
    sums.lessen("page_path_weight2", pair, less * (b["page"] > 0), (1,))
    sums.home[pair[pages["flags"][rows] & HOME > 0]] = True


def _tails(sums: PairSums, left: Rows, pages: _Pages, units: dict[str, float], name: str) -> None:
    """Of the tails (``tail``), or of the segments with small numbers (``numbered``), where pages
    are compared and nothing is weighed.
    """
    below_home = pages["flags"] & (PAGE | HOME) == PAGE
    rows, at = pages.having(left, "tails", np.where(below_home, pages[name], 0))
    keys, mine = left.singletons["tails"]
    of_kind = np.flatnonzero((mine["weighs"][at] > 0) == (name == "tail"))
    rows, at = rows[of_kind], at[of_kind]  # lower halves of hashes: one may be the other's
    key = pages.pair[rows].astype(np.int64) * max(len(keys), 1) + at
    _, first, n = np.unique(key, return_index=True, return_counts=True)
    rows, at, alone = rows[first], at[first], n == 1
    alone &= (name == "numbered") | (pages["numbered"][rows] == 0)
    a = {column: mine[column][at] for column in COMPARED}
    b = {column: np.where(alone, pages[column][rows], 0) for column in COMPARED}
    pair, weighs = pages.pair[rows], mine["weighs"][at]
    sums.add_tails(pair, units["two"] * weighs, a, b)
    sums.lessen("tail_weight", pair, (units["own"] - units["two"]) * weighs)


def _titles(sums: PairSums, left: Rows, pages: _Pages, one: float) -> None:
    """Each title once, however many pages have it."""
    rows, at = pages.having(left, "titles", pages["title"])
    key = pages.pair[rows].astype(np.int64) * max(len(left.singletons["titles"][0]), 1) + at
    pair = pages.pair[rows[np.unique(key, return_index=True)[1]]]
    sums.add("title_weight", pair, np.full(len(pair), one))


def _beside_pages(
    sums: PairSums,
    left: Rows,
    x: np.ndarray,
    right: Rows,
    y: np.ndarray,
    units: dict[str, float],
) -> None:
    """Outside URLs that both link to, and identifiers that both have: those that the right hosts
    alone have are gone through. Identifiers are weighed by idf.
    """
    for name, amount in (("target", units["one"]), ("identifier", units["two"])):
        pair, place = expanded(right[f"{name}_start"][y], right[f"{name}_start"][y + 1])
        host = x[pair].astype(np.uint64) << np.uint64(32)
        rows, _ = _Pages(pair, host, {}).having(left, f"{name}s", right[name][place])
        sums.add(f"{name}_weight", pair[rows], np.full(len(rows), amount))
        if name == "identifier":
            less = np.full(len(rows), units["own"] - units["two"])
            sums.lessen("identifier_weight", pair[rows], less)
