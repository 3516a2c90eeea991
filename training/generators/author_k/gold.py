"""Which hosts are copies of each other, and whether the crawl shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, product

Item = tuple[str, object]
RANK = {"replica": 0, "near-replica": 1, "unclear": 2}
ELSEWHERE = 4
"""A content or title that more hosts outside the family have says nothing about the family."""


class Gold:
    """The pairs of related hosts."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str], tuple[str, str]] = {}
        self._family: dict[str, str] = {}

    def relate(self, one: str, other: str, label: str, cause: str) -> None:
        """Note a pair; of two labels for a pair the stronger one stays."""
        if one == other:
            return
        pair = (min(one, other), max(one, other))
        if pair not in self._pairs or RANK[label] < RANK[self._pairs[pair][0]]:
            self._pairs[pair] = (label, cause)
        first, second = self._root(one), self._root(other)
        self._family[max(first, second)] = min(first, second)

    def group(self, members: Sequence[tuple[str, str]]) -> None:
        """Note that all hosts are copies; each comes with the cause of its being there."""
        for (one, _), (other, cause) in combinations(members, 2):
            self.relate(one, other, "replica", cause)

    def cross(self, ones: Iterable[str], others: Iterable[str], label: str, cause: str) -> None:
        """Note that each host of the first is related to each of the second."""
        for one, other in product(ones, others):
            self.relate(one, other, label, cause)

    def relatives(self, host: str) -> list[str]:
        """All hosts that are related to the host in some way, and the host."""
        root = self._root(host)
        known = dict.fromkeys(host for pair in self._pairs for host in pair)
        return [host, *(other for other in known if self._root(other) == root and other != host)]

    def rows(self, captures: list[tuple], columns: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The pairs; those of which the crawl shows no trace are unclear."""
        items = _items(captures, columns)
        spread = Counter(item for held in items.values() for item in held)
        within: dict[str, Counter[Item]] = {}
        for host in {host for pair in self._pairs for host in pair}:
            counted = within.setdefault(self._root(host), Counter())
            counted.update(items.get(host, ()))
        rows = []
        for (one, other), (label, cause) in sorted(self._pairs.items()):
            if one not in items or other not in items:
                continue
            inside = within[self._root(one)]
            common = items[one] & items[other]
            telling = {i for i in common if spread[i] - inside[i] <= ELSEWHERE}
            shown = label if label == "unclear" or _seen(telling) else "unclear"
            rows.append((one, other, shown, cause))
        return rows

    def _root(self, host: str) -> str:
        root = host
        while self._family.get(root, root) != root:
            root = self._family[root]
        self._family[host] = root
        return root


def _seen(telling: set[Item]) -> bool:
    """Whether a person who sees what two hosts have in common would take them for copies."""
    kinds = Counter(kind for kind, _ in telling)
    return kinds["content"] >= 1 or kinds["title"] >= 1 or kinds["path"] >= 3


def _items(captures: list[tuple], columns: tuple[str, ...]) -> dict[str, set[Item]]:
    """What each host has; failed fetches tell nothing, but the host is there."""
    items: dict[str, set[Item]] = {}
    for host, path, _, content, _, _, status, _, _, title, _ in captures:
        held = items.setdefault(host, set())
        if status != 200:
            continue
        held.add(("content", content))
        held.add(("path", path))
        if title and "title" in columns:
            held.add(("title", title))
    return items
