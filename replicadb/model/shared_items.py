"""What two hosts share, summed up as sql/detect/22_candidate_pairs and
sql/detect/35_shared_evidence sum it: of known hosts, and of hosts that the database does not know.

Always true here: sums are of whole numbers below 2^53, so their order does not matter. Between
known hosts they are detection's. For a host that is not in the database, what two or more known
hosts have keeps its rarity, and by exclusivity counts as what one host more has; what it shares
with one host only counts as what two hosts have, in the sum and in both hosts' norms; all else that
it has is its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.model.host_rows import Rows, expanded, matches

SUMS = (
    "shared",
    "weight",
    "exclusive_weight",
    "asset_weight",
    "same_tail",
    "n_same_path",
    "path_weight2",
    "page_path_weight2",
    "tail_weight",
    "title_weight",
    "n_paths",
    "n_unequal",
    "n_sized",
    "n_close",
    "n_titles",
    "n_titled",
)
NORMS = (
    "weight",
    "exclusive_weight",
    "asset_weight",
    "path_weight2",
    "page_path_weight2",
    "tail_weight",
    "title_weight",
    "n_contents",
    "n_borrowed",
)
PAGE, HOME, NOT_FIRST = 1, 2, 4
"""Bits of a page's flags; above 8 bits its section."""


@dataclass
class Items:
    """The model's items: where each kind begins, (8,) int64; weights, (n,); of contents those by
    exclusivity, and flags, 1 a page, (n,).
    """

    bounds: np.ndarray
    weight: np.ndarray
    exclusive: np.ndarray
    flags: np.ndarray


@dataclass
class Shared:
    """Sums for each of P pairs, (P,) float64 each, by the names of SUMS; the sections in which
    content is shared, (P,) uint64 bits a side; and how much of each norm is less for the pair, (P,)
    by the names of NORMS, left and right.
    """

    sums: dict[str, np.ndarray]
    sections: tuple[np.ndarray, np.ndarray]
    less: tuple[dict[str, np.ndarray], dict[str, np.ndarray]] | None = None
    home: np.ndarray | None = None
    """Whether / is among what the pair alone shares, (P,) bool: then its contents are compared
    there, not as roots.
    """

    @property
    def any(self) -> np.ndarray:
        """Whether the two share anything, (P,) bool."""
        return (
            self.sums["shared"]
            + self.sums["n_paths"]
            + self.sums["tail_weight"]
            + self.sums["title_weight"]
        ) > 0


def shared(
    items: Items, left: Rows, x: np.ndarray, right: Rows, y: np.ndarray, units: dict[str, float]
) -> Shared:
    """Everything that hosts x of the left and y of the right share; where the left has things of
    its own, those too.
    """
    p = len(x)
    found = Shared(
        {name: np.zeros(p) for name in SUMS}, (np.zeros(p, np.uint64), np.zeros(p, np.uint64))
    )
    if left.own:
        found.less = tuple({name: np.zeros(p) for name in NORMS} for _ in range(2))
        found.home = np.zeros(p, bool)
    new = [
        rows["new"][at] if rows.own else np.zeros(p, np.int64)
        for rows, at in ((left, x), (right, y))
    ]
    pair, i, j = matches(left, x, right, y)
    if len(pair):
        item = left["item"].take(i)
        kind = np.searchsorted(items.bounds, item, side="right") - 1
        for number, (add, names) in enumerate(
            (
                (_contents, ("first", "second", "third")),
                (_paths, ("first", "second")),
                (_tails, ("first", "second", "third")),
            )
        ):
            at = np.flatnonzero(kind == number)
            if len(at):
                a, b = (
                    {name: side[name].take(places) for name in names}
                    for side, places in ((left, i.take(at)), (right, j.take(at)))
                )
                of, more = item.take(at), ()
                if add is _contents:
                    page = items.flags.take(of) & PAGE > 0
                    more = (page,)
                    _exclusive(
                        found,
                        "exclusive_weight",
                        pair.take(at[page]),
                        items.exclusive.take(of[page]),
                        new,
                        units,
                    )
                    _exclusive(
                        found,
                        "asset_weight",
                        pair.take(at[~page]),
                        items.exclusive.take(of[~page]),
                        new,
                        units,
                    )
                add(found, pair.take(at), items.weight.take(of).astype(float), *more, a, b)
        at = np.flatnonzero(kind == 3)
        _exclusive(
            found, "title_weight", pair.take(at), items.weight.take(item.take(at)), new, units
        )
    if left.own:
        _alone(found, left, x, right, y, units)
    return found


def _add(found: Shared, name: str, pair: np.ndarray, amount: np.ndarray | None = None) -> None:
    if len(pair):
        found.sums[name] += np.bincount(pair, amount, len(found.sums[name]))


def with_more(exclusive: np.ndarray, more: np.ndarray, one: float) -> np.ndarray:
    """Weights by exclusivity of what so many hosts ``more`` have: 1 / (k - 1) becomes 1 / (k - 1 +
    more).
    """
    exclusive = np.asarray(exclusive, float)
    return np.where(
        np.asarray(more) > 0, one // (np.rint(one / np.maximum(exclusive, 1)) + more), exclusive
    )


def _exclusive(
    found: Shared,
    name: str,
    pair: np.ndarray,
    exclusive: np.ndarray,
    new: list[np.ndarray],
    units: dict[str, float],
) -> None:
    """What known hosts have; ``new``, (P,) each side: 1 where that host joins them, and each norm
    holds it as what they and that host alone have.
    """
    mine = [side[pair] for side in new]
    amount = with_more(exclusive, sum(mine), units["one"])
    _add(found, name, pair, amount)
    if found.less is not None:
        for side, more in enumerate(mine):
            _less(found, name, pair, with_more(exclusive, more, units["one"]) - amount, (side,))


def _contents(found: Shared, pair, weight, page, a, b) -> None:
    _add(found, "shared", pair)
    _add(found, "weight", pair, weight * page)
    _add(found, "same_tail", pair, weight * (page & (a["second"] == b["second"])))
    _add(found, "n_same_path", pair, page & (a["first"] == b["first"]))
    pages = np.flatnonzero(page)
    for bits, side in zip(found.sections, (a, b), strict=True):
        np.bitwise_or.at(
            bits, pair.take(pages), np.uint64(1) << side["third"].take(pages).astype(np.uint64)
        )


def _paths(found: Shared, pair, weight, a, b) -> None:
    pages = (a["second"] > 0) & (b["second"] > 0)
    _add(found, "n_paths", pair)
    _add(found, "path_weight2", pair, weight)
    _add(found, "page_path_weight2", pair, weight * pages)
    _add(found, "n_unequal", pair, pages & _unequal(a["first"], b["first"]))


def _tails(found: Shared, pair, weight, a, b) -> None:
    _add(found, "tail_weight", pair, weight)
    at = np.flatnonzero(_unequal(a["first"], b["first"]))
    pair, x, y = (
        pair.take(at),
        a["second"].take(at).astype(np.int64),
        b["second"].take(at).astype(np.int64),
    )
    known = (x > 0) & (y > 0)
    _add(found, "n_sized", pair, known)
    _add(found, "n_close", pair, known & (np.abs(x - y) * 100 <= 3 * np.maximum(x, y)))
    x, y = a["third"].take(at), b["third"].take(at)
    known = (x > 0) & (y > 0)
    _add(found, "n_titles", pair, known)
    _add(found, "n_titled", pair, known & (x == y))


def _unequal(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (x > 0) & (y > 0) & (x != y)


# -- what an unknown host shares with one host only
# --------------------------------------------------------


def _alone(
    found: Shared, left: Rows, x: np.ndarray, right: Rows, y: np.ndarray, units: dict[str, float]
) -> None:
    """Go through the right hosts' pages, and find among them what is the left hosts' own."""
    pair, page = expanded(right["page_start"][y], right["page_start"][y + 1])
    host = x[pair].astype(np.uint64) << np.uint64(32)
    flags = right["page_flags"][page]
    column = {name: right[f"page_{name}"] for name in ("content", "length", "title", "numbered")}
    column = {
        name: values[page] if len(values) else np.zeros(len(page), np.uint32)
        for name, values in column.items()
    }
    path, tail = right["page_path"][page], right["page_tail"][page]
    columns = column | {"path": path, "tail": tail, "flags": flags}
    _own_contents(found, left, pair, host, columns, units, known=not right.own)
    _own_paths(found, left, pair, host, columns, units)
    _own_tails(found, left, pair, host, columns, units)
    _own_titles(found, left, pair, host, columns["title"], units["one"])


def _met(
    left: Rows, sort: str, host: np.ndarray, hash: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which rows are among the left hosts' own, (m,) places of rows and of the own things."""
    keys, _ = left.own[sort]
    if not len(keys) or not len(hash):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    wanted = host | hash
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    rows = np.flatnonzero((keys[at] == wanted) & (hash > 0))
    return rows, at[rows]


def _less(found: Shared, name: str, pair: np.ndarray, amount: np.ndarray, sides=(0, 1)) -> None:
    for side in sides:
        found.less[side][name] += np.bincount(pair, amount, len(found.less[side][name]))


def _own_contents(found: Shared, left: Rows, pair, host, right, units, known: bool) -> None:
    rows, at = _met(left, "contents", host, right["content"])
    first = np.flatnonzero(right["flags"][rows] & NOT_FIRST == 0)
    rows, at = rows[first], at[first]
    mine = left.own["contents"][1]
    page = (mine["page"][at] > 0) | (right["flags"][rows] & PAGE > 0)
    weight, less = np.full(len(rows), units["two"]), np.full(len(rows), units["own"] - units["two"])
    a = {"first": mine["path"][at], "second": mine["tail"][at], "third": mine["section"][at]}
    b = {
        "first": right["path"][rows],
        "second": right["tail"][rows],
        "third": right["flags"][rows] >> 8,
    }
    _contents(found, pair[rows], weight, page, a, b)
    for name, of in (("exclusive_weight", page), ("asset_weight", ~page)):
        _add(found, name, pair[rows[of]], np.full(of.sum(), units["one"]))
    _less(
        found, "weight", pair[rows], less * page
    )  # by exclusivity what two hosts have counts as what one has
    _less(
        found, "n_contents", pair[rows], -1.0 * (page & (mine["page"][at] == 0)), (0,)
    )  # a page if it is one on either side
    _less(found, "n_contents", pair[rows], -1.0 * (page & (right["flags"][rows] & PAGE == 0)), (1,))
    alone = mine["alone"][at] > 0  # else it was borrowed from the known host that has it
    _less(found, "n_borrowed", pair[rows], -1.0 * page * alone, (0,))
    _less(found, "n_borrowed", pair[rows], -1.0 * page * (alone | known), (1,))


def _own_paths(found: Shared, left: Rows, pair, host, right, units) -> None:
    rows, at = _met(left, "paths", host, right["path"])
    mine = left.own["paths"][1]
    a = {"first": mine["content"][at], "second": mine["page"][at]}
    b = {"first": right["content"][rows], "second": right["flags"][rows] & PAGE}
    _paths(found, pair[rows], np.full(len(rows), units["two_path2"]), a, b)
    less = np.full(len(rows), units["own_path2"] - units["two_path2"])
    _less(found, "path_weight2", pair[rows], less)
    _less(found, "page_path_weight2", pair[rows], less * (a["second"] > 0), (0,))
    _less(found, "page_path_weight2", pair[rows], less * (b["second"] > 0), (1,))
    found.home[pair[rows[right["flags"][rows] & HOME > 0]]] = True


def _own_tails(found: Shared, left: Rows, pair, host, right, units) -> None:
    """Once for the tails, once for the segments with small numbers, where pages are compared and
    nothing is weighed.
    """
    for name in ("tail", "numbered"):
        _own_tails_by(found, left, pair, host, right, units, name)


def _own_tails_by(found: Shared, left: Rows, pair, host, right, units, name: str) -> None:
    rows, at = _met(
        left, "tails", host, np.where(right["flags"] & (PAGE | HOME) == PAGE, right[name], 0)
    )
    mine = left.own["tails"]
    of_kind = np.flatnonzero(
        (mine[1]["weighs"][at] > 0) == (name == "tail")
    )  # the lower halves of hashes: one may be the other's
    rows, at = rows[of_kind], at[of_kind]
    _, first, n = np.unique(
        pair[rows].astype(np.int64) * max(len(mine[0]), 1) + at,
        return_index=True,
        return_counts=True,
    )
    rows, at, alone = rows[first], at[first], n == 1
    alone &= (name == "numbered") | (right["numbered"][rows] == 0)
    a = {
        name: mine[1][key][at]
        for name, key in (("first", "content"), ("second", "length"), ("third", "title"))
    }
    b = {
        name: np.where(alone, right[key][rows], 0)
        for name, key in (("first", "content"), ("second", "length"), ("third", "title"))
    }
    weighs = mine[1]["weighs"][at]
    _tails(found, pair[rows], units["two"] * weighs, a, b)
    _less(found, "tail_weight", pair[rows], (units["own"] - units["two"]) * weighs)


def _own_titles(found: Shared, left: Rows, pair, host, hash, one: float) -> None:
    rows, at = _met(left, "titles", host, hash)
    once = np.unique(
        pair[rows].astype(np.int64) * max(len(left.own["titles"][0]), 1) + at, return_index=True
    )[1]
    pair = pair[rows[once]]
    _add(found, "title_weight", pair, np.full(len(pair), one))
