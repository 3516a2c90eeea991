"""New hosts together: what ``Rows`` needs of them, and where they link to.

Invariant: their places begin at the number of known hosts, in the order given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np

from replicadb.model.host_rows import Rows
from replicadb.model.known_hosts import KnownHosts
from replicadb.model.new_host_items import HashedPage, NewHost, low32
from replicadb.model.new_hosts import Host
from replicadb.model.pair_sums import NORMS
from replicadb.model.relational import Weights
from replicadb.model.singletons import COLUMNS, HOME, NOT_FIRST, PAGE, PAGES

ENTRIES = ("item", "first", "second", "third", "fourth", "fifth")


class NewHosts:
    """Hosts that the database does not know, or of which more is known now."""

    def __init__(self, known: KnownHosts, hosts: Iterable[Host] = ()) -> None:
        self.known, self.each = known, [NewHost(known, host) for host in hosts]
        self.neighbours: dict[int, tuple[Weights, Weights]] = {}
        """By number, as far as they were found: by local evidence, and corrected."""

    def __len__(self) -> int:
        return len(self.each)

    def __iter__(self) -> Iterator[NewHost]:
        return iter(self.each)

    def __getitem__(self, number: int) -> NewHost:
        return self.each[number]

    @cached_property
    def rows(self) -> Rows:
        """All of them as rows, in their order."""
        each = self.each
        entries = [sorted(host.entries) for host in each]
        pages = [[_page_row(page) for page in host.pages] for host in each]
        arrays = {
            "start": _starts(entries),
            "label_start": _starts([host.labels for host in each]),
            "label": np.array([item for host in each for item in host.labels], np.uint32),
            "page_start": _starts(pages),
        }
        arrays |= _columns(ENTRIES, [row for rows in entries for row in rows])
        for name in ("target", "identifier"):
            own = [host.singletons[f"{name}s"] for host in each]
            arrays[f"{name}_start"] = _starts(own)
            arrays[name] = np.array([hash for rows in own for (hash,) in rows], np.uint32)
        columns = _columns(PAGES, [row for rows in pages for row in rows])
        arrays |= {f"page_{name}": column for name, column in columns.items()}
        arrays["page_flags"] = arrays["page_flags"].astype(np.uint16)
        arrays |= {name: np.array([host.norms[name] for host in each]) for name in NORMS}
        sections = [len({page.section for page in host.pages if page.is_page}) for host in each]
        arrays |= {
            "n_sections": np.array(sections),
            "n_urls": np.array([len(host.pages) for host in each]),
            "root": np.array([host.root for host in each], np.uint32),
            "new": np.array([host.new for host in each]),
            "has": np.array([host.has for host in each], np.uint8),
            "family": np.zeros(len(each), np.uint32),  # it is known when all have been compared
            "edition": np.zeros(len(each), np.uint32),
            "family_agreement": np.zeros(len(each), np.float32),
            "language": np.array([host.language.number for host in each], np.uint16),
            "language_pages": np.array([host.language.pages for host in each], np.int32),
            "spoken_pages": np.array([host.language.spoken for host in each], np.int32),
            "complete": np.array([host.host.complete for host in each], bool),
        }
        return Rows(arrays, singletons={kind: _singletons(each, kind) for kind in COLUMNS})

    @cached_property
    def directed(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Where they link to: (m,) rising keys of pairs of places, with the lower place in the
        upper bits; and ``linked`` and ``canonical`` of each, (m,), NaN for none.
        """
        place = {host.host.name: number for number, host in enumerate(self.each, self.known.n)}
        found: dict[int, list[float]] = {}
        for mine, host in enumerate(self.each, self.known.n):
            for k, shares in enumerate(host.link_shares()):
                for name, share in shares.items():
                    other = place[name] if name in place else self.known.names.find(name)
                    if other >= 0 and other != mine:
                        key = min(mine, other) << 32 | max(mine, other)
                        both = found.setdefault(key, [np.nan, np.nan])
                        both[k] = np.fmax(both[k], share)
        keys = sorted(found)
        table = np.array([found[key] for key in keys], np.float32).reshape(-1, 2)
        return np.array(keys, np.uint64), {"linked": table[:, 0], "canonical": table[:, 1]}


def _page_row(page: HashedPage) -> tuple[int, ...]:
    flags = PAGE * page.is_page | HOME * (page.page.path == "/") | NOT_FIRST * (not page.first)
    named = low32(page.path), low32(page.tail), low32(page.numbered)
    return *named, *page.compared(), flags | page.section << 8


def _starts(each: Sequence[Sequence[object]]) -> np.ndarray:
    """Where each host's rows begin among all, and where the last one's end: (n + 1,) int64."""
    return np.cumsum([0, *(len(rows) for rows in each)]).astype(np.int64)


def _columns(names: tuple[str, ...], rows: list[tuple[int, ...]]) -> dict[str, np.ndarray]:
    """Rows as columns, (m,) uint32 each."""
    return {name: np.array([row[i] for row in rows], np.uint32) for i, name in enumerate(names)}


def _singletons(hosts: list[NewHost], kind: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Their singletons of a kind, as ``Rows`` has them."""
    rows = sorted(
        {
            (number << 32 | hash, *rest)
            for number, host in enumerate(hosts)
            for hash, *rest in host.singletons[kind]
        }
    )
    keys = np.array([row[0] for row in rows], np.uint64)
    return keys, {
        name: np.array([row[i] for row in rows], np.int64)
        for i, name in enumerate(COLUMNS[kind], 1)
    }
