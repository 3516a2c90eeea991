"""What two hosts share, summed up as sql/detect/22_candidate_pairs and
sql/detect/35_shared_evidence sum it, for many pairs at once.

Invariant: sums are of whole numbers below 2^53, so their order does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from replicadb.settings import CONSTANTS
from replicadb.web.main_language import THREE_LETTERS

Columns = dict[str, np.ndarray]
"""Arrays of equal length by name."""
SUMS = (
    "shared",
    "weight",
    "exclusive_weight",
    "asset_weight",
    "same_tail",
    "n_pages",
    "n_same_path",
    "path_weight2",
    "page_path_weight2",
    "tail_weight",
    "title_weight",
    "target_weight",
    "identifier_weight",
    "n_paths",
    "n_unequal",
    "n_sized",
    "n_close",
    "n_titles",
    "n_titled",
    "n_spoken",
    "n_one_language",
)
TOKENS = ("title", "target", "identifier")
"""Things of hosts of which nothing but the weight counts."""
NORMS = (
    "weight",
    "exclusive_weight",
    "asset_weight",
    "path_weight2",
    "page_path_weight2",
    "tail_weight",
    "title_weight",
    "target_weight",
    "identifier_weight",
    "n_contents",
    "n_borrowed",
)
LANGUAGE = ("language", "language_pages", "spoken_pages")
"""A host's main language as a number (0: unknown), the pages in it, and those in any."""


@dataclass
class PairSums:
    """Sums for each of P pairs, (P,) float64 each, by the names of SUMS."""

    sums: Columns
    sections: tuple[np.ndarray, np.ndarray]
    """The sections in which content is shared, (P,) uint64, a bit each, left and right."""
    less: tuple[Columns, Columns]
    """How much of each norm is less for the pair, (P,) by the names of NORMS, left and right; empty
    where no host of the left is new.
    """
    home: np.ndarray = field(repr=False)
    """Whether / is among what the pair alone shares, (P,) bool: then its contents are compared
    there, not as roots.
    """

    @classmethod
    def zeros(cls, n: int, new: bool) -> PairSums:
        """Sums of n pairs that share nothing; ``new``: hosts of the left are new."""
        norms = NORMS if new else ()
        return cls(
            {name: np.zeros(n) for name in SUMS},
            (np.zeros(n, np.uint64), np.zeros(n, np.uint64)),
            ({name: np.zeros(n) for name in norms}, {name: np.zeros(n) for name in norms}),
            np.zeros(n, bool),
        )

    def add(self, name: str, pair: np.ndarray, amount: np.ndarray | None = None) -> None:
        """Add to a sum: 1, or the amount, for each row; pair and amount (m,)."""
        if len(pair):
            self.sums[name] += np.bincount(pair, amount, len(self.sums[name]))

    def lessen(
        self, name: str, pair: np.ndarray, amount: np.ndarray, sides: Sequence[int] = (0, 1)
    ) -> None:
        """Take from a norm of the left (0), of the right (1) or of both; pair and amount (m,)."""
        for side in sides:
            less = self.less[side][name]
            less += np.bincount(pair, amount, len(less))

    def add_exclusive(
        self, name: str, pair: np.ndarray, exclusive: np.ndarray, new: list[np.ndarray], one: float
    ) -> None:
        """Add what two known hosts or more have, by inverse pair frequency.

        Args:
            pair, exclusive: (m,) rows.
            new: (P,) each side: 1 where that host joins those that have it. Each norm holds it as
                what they and that host alone have.
            one: the weight of what two hosts have.
        """
        mine = [side[pair] for side in new]
        amount = with_more(exclusive, mine[0] + mine[1], one)
        self.add(name, pair, amount)
        if name in self.less[0]:
            for side, more in enumerate(mine):
                self.lessen(name, pair, with_more(exclusive, more, one) - amount, (side,))

    def add_contents(
        self, pair: np.ndarray, weight: np.ndarray, page: np.ndarray, a: Columns, b: Columns
    ) -> None:
        """Add contents that both have: pair, weight (by idf) and page (bool), (m,); a, b: path,
        tail and section at which either host has it.
        """
        self.add("shared", pair)
        self.add("weight", pair, weight * page)
        self.add("same_tail", pair, weight * (page & (a["tail"] == b["tail"])))
        self.add("n_pages", pair, page)
        self.add("n_same_path", pair, page & (a["path"] == b["path"]))
        pages = np.flatnonzero(page)
        for bits, side in zip(self.sections, (a, b), strict=True):
            section = side["section"].take(pages).astype(np.uint64)
            np.bitwise_or.at(bits, pair.take(pages), np.uint64(1) << section)

    def add_paths(self, pair: np.ndarray, weight: np.ndarray, a: Columns, b: Columns) -> None:
        """Add paths that both have: pair and weight (squared), (m,); a, b: the content there, and
        whether it is a page.
        """
        pages = (a["page"] > 0) & (b["page"] > 0)
        self.add("n_paths", pair)
        self.add("path_weight2", pair, weight)
        self.add("page_path_weight2", pair, weight * pages)
        self.add("n_unequal", pair, pages & _unequal(a["content"], b["content"]))

    def add_tails(self, pair: np.ndarray, weight: np.ndarray, a: Columns, b: Columns) -> None:
        """Add tails that both have: pair and weight, (m,); a, b: content, length, title, bare title
        and language of the one page that either host has there.
        """
        self.add("tail_weight", pair, weight)
        at = np.flatnonzero(_unequal(a["content"], b["content"]))
        pair = pair.take(at)
        x, y = (side["length"].take(at).astype(np.int64) for side in (a, b))
        known = (x > 0) & (y > 0)
        self.add("n_sized", pair, known)
        close = np.abs(x - y) * 100 <= CONSTANTS.close_percent * np.maximum(x, y)
        self.add("n_close", pair, known & close)
        x, y = (side["title"].take(at) for side in (a, b))
        own, theirs = (side["bare_title"].take(at) for side in (a, b))
        known = (x > 0) & (y > 0)
        self.add("n_titles", pair, known)
        self.add("n_titled", pair, known & ((x == y) | ((own > 0) & (own == theirs))))
        x, y = (side["language"].take(at) for side in (a, b))
        self.add("n_spoken", pair, comparable(x, y))
        self.add("n_one_language", pair, comparable(x, y) & (x == y))


def comparable(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Whether two languages, numbers of codes, are known and of one kind of code, (m,) bool."""
    both: np.ndarray = (x > 0) & (y > 0) & ((x < THREE_LETTERS) == (y < THREE_LETTERS))
    return both


def _unequal(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    unequal: np.ndarray = (x > 0) & (y > 0) & (x != y)
    return unequal


def with_more(exclusive: ArrayLike, more: ArrayLike, one: float) -> np.ndarray:
    """Weights by inverse pair frequency, (m,) float64, of what so many hosts ``more`` have, (m,):
    1 / (k - 1) becomes 1 / (k - 1 + more); numbers for one.
    """
    exclusive, more = np.asarray(exclusive, float), np.asarray(more)
    raised = one // (np.rint(one / np.maximum(exclusive, 1)) + more)
    return np.where(more > 0, raised, exclusive)


def joined(parts: list[tuple[np.ndarray, PairSums]], n: int) -> PairSums:
    """The sums of n pairs that were summed up in parts, each with the places of its pairs, as
    one.
    """
    zeros = [np.zeros(len(at)) for at, _ in parts]

    def less(side: int, name: str) -> list[np.ndarray]:
        return [
            part.less[side].get(name, zero) for (_, part), zero in zip(parts, zeros, strict=True)
        ]

    places = [at for at, _ in parts]
    return PairSums(
        {name: placed(places, [part.sums[name] for _, part in parts], n) for name in SUMS},
        (
            placed(places, [part.sections[0] for _, part in parts], n),
            placed(places, [part.sections[1] for _, part in parts], n),
        ),
        (
            {name: placed(places, less(0, name), n) for name in NORMS},
            {name: placed(places, less(1, name), n) for name in NORMS},
        ),
        placed(places, [part.home for _, part in parts], n),
    )


def placed(places: list[np.ndarray], columns: list[np.ndarray], n: int) -> np.ndarray:
    """Columns whose rows go to these places among n, as one column, (n,)."""
    whole = np.zeros(n, np.result_type(*(column.dtype for column in columns)))
    for at, column in zip(places, columns, strict=True):
        whole[at] = column
    return whole
