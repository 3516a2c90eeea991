"""Unknown hosts in the numbers of a model: what ``Rows`` needs of them.

Always true here: a host that is not in the database is measured by the database's weights as they
stand. Of what it has, things on two known hosts or more have their known rarity, and by exclusivity
count as what one host more has, things on more than ``path_max_hosts`` hosts are left out,
everything else is its own (weight of a thing on one host); what it shares with one known host alone
is found pair by pair (``replicadb.model.shared_items``). After a detection on near duplicates, a
page with a fingerprint of the crawl has the content that URLs with it have there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from replicadb.model.host_rows import Rows, among
from replicadb.model.new_hosts import Host, Page
from replicadb.model.relational import Weights
from replicadb.model.shared_items import NORMS, with_more
from replicadb.settings import PAGE_TYPES, WEIGHT_SCALE
from replicadb.web.digests import LOW, content_key, hash64, hashes, section_of, segment_of, tail_of
from replicadb.web.urls import parse_ip

if TYPE_CHECKING:
    from replicadb.model.model import Model

CONTENTS, PATHS, TAILS, TITLES, TERMS, ADDRESSES, NETWORKS = range(7)
OWN = {
    "contents": ("path", "tail", "section", "page", "alone"),
    "paths": ("content", "page"),
    "tails": ("content", "length", "title", "weighs"),
    "titles": (),
}
COLUMNS = (
    "start",
    "item",
    "first",
    "second",
    "third",
    "label_start",
    "label",
    "page_start",
    "page_path",
    "page_tail",
    "page_numbered",
    "page_content",
    "page_length",
    "page_title",
    "page_flags",
)


@dataclass
class _Page:
    """A page in hashes; content and title 0 = unknown."""

    page: Page
    path: int
    tail: int
    numbered: int
    """Of the last segment, where numbers in it are no part of the tail; else 0."""
    section: int
    is_page: bool
    content: int
    title: int
    first: bool = True


class Stranger:
    """One unknown host, measured."""

    def __init__(self, model: Model, host: Host) -> None:
        self.model, self.host, self.units = model, host, model.units
        self.norms = dict.fromkeys(NORMS, 0.0)
        self.new = int(
            model.names.find(host.name) < 0
        )  # else it is counted among those that have a thing
        self.entries: list[tuple[int, int, int, int]] = []
        self.own: dict[str, list[tuple[int, ...]]] = {sort: [] for sort in OWN}
        self.pages = [self._hashed(page) for page in host.distinct()]
        for page, content in zip(
            self.pages,
            model.contents_of(np.array([page.content for page in self.pages], np.uint64)).tolist(),
            strict=True,
        ):
            page.content = content
        self.root = 0
        self._contents()
        self._paths()
        self._tails()
        self._titles()
        self.labels = self._labels()

    @staticmethod
    def _hashed(page: Page) -> _Page:
        return _Page(
            page,
            hash64(page.path),
            hash64(tail_of(page.path)),
            _numbered(page.path),
            hash64(section_of(page.path)) % 64,
            page.mime is None or page.mime in PAGE_TYPES,
            hash64(content_key(*page.fingerprint)) if page.fingerprint else 0,
            hash64(page.title.lower()) if page.title else 0,
        )

    def _find(self, kind: int, things: list[int]) -> tuple[list[int], list[bool], list[int]]:
        """The item of each hash (-1: none), whether it is too common to count, and its weight."""
        item, common = self.model.items_of(kind, np.array(things, np.uint64))
        return (
            item.tolist(),
            common.tolist(),
            np.where(item >= 0, self.model.items.weight[item], 0).tolist()
            if len(self.model.items.weight)
            else [0] * len(things),
        )

    def _contents(self) -> None:
        at: dict[int, list[_Page]] = {}
        for page in self.pages:
            if page.content:
                at.setdefault(page.content, []).append(page)
        for (content, pages), item, weight, alone in zip(
            at.items(),
            *self._without_common(CONTENTS, list(at)),
            self._nobodys(list(at)),
            strict=True,
        ):
            first = min(pages, key=lambda p: p.page.path.encode())
            for page in pages:
                page.first = page is first
            flags = (
                int(self.model.items.flags[item])
                if item >= 0
                else int(any(p.is_page for p in pages))
            )
            exclusive = (
                float(with_more(self.model.items.exclusive[item], self.new, self.units["one"]))
                if item >= 0
                else self.units["one"]
            )
            if flags & 1:
                self.norms["n_contents"] += 1
                self.norms["n_borrowed"] += item >= 0 or not alone
                self.norms["weight"] += weight if item >= 0 else self.units["own"]
                self.norms["exclusive_weight"] += exclusive
            else:
                self.norms["asset_weight"] += exclusive
            if item < 0:
                self.own["contents"].append(
                    (
                        _low(content),
                        _low(first.path),
                        _low(first.tail),
                        first.section,
                        flags,
                        int(alone),
                    )
                )
            elif not flags & 2:
                self.entries.append((item, _low(first.path), _low(first.tail), first.section))
        self.contents = list(at)

    def _nobodys(self, contents: list[int]) -> list[bool]:
        """Whether no other host alone has each content."""
        single, wanted = self.model.file.arrays["single"], np.array(contents, np.uint64)
        at = np.searchsorted(single, wanted)
        found = among(single, at, wanted)
        host = (
            self.model.file.arrays["single_host"][np.minimum(at, max(len(single) - 1, 0))]
            if len(single)
            else at
        )
        return (~found | (host == self.model.find(self.host.name))).tolist()

    def _without_common(self, kind: int, things: list[int]) -> tuple[list[int], list[int]]:
        item, _, weight = self._find(kind, things)
        return item, weight

    def _paths(self) -> None:
        for page, item, common, weight in zip(
            self.pages, *self._find(PATHS, [p.path for p in self.pages]), strict=True
        ):
            if page.page.path == "/" and item < 0:
                self.root = _low(page.content)
            if common:
                continue
            weight = weight if item >= 0 else self.units["own_path2"]
            self.norms["path_weight2"] += weight
            self.norms["page_path_weight2"] += weight * page.is_page
            if item >= 0:
                self.entries.append((item, _low(page.content), int(page.is_page), 0))
            else:
                self.own["paths"].append((_low(page.path), _low(page.content), int(page.is_page)))

    def _tails(self) -> None:
        at: dict[int, list[_Page]] = {}
        numbered: dict[int, list[_Page]] = {}
        for page in self.pages:
            if page.is_page and page.page.path != "/":
                at.setdefault(page.tail, []).append(page)
                if page.numbered:
                    numbered.setdefault(page.numbered, []).append(page)
        self._numbered_tails(
            {segment: pages[0] for segment, pages in numbered.items() if len(pages) == 1}
        )
        for (tail, pages), item, common, weight in zip(
            at.items(), *self._find(TAILS, list(at)), strict=True
        ):
            if common:
                continue
            self.norms["tail_weight"] += weight if item >= 0 else self.units["own"]
            known = _compared(pages[0]) if len(pages) == 1 and not pages[0].numbered else (0, 0, 0)
            if item >= 0:
                self.entries.append((item, *known))
            else:
                self.own["tails"].append((_low(tail), *known, 1))

    def _numbered_tails(self, at: dict[int, _Page]) -> None:
        """Pages named by small numbers: compared where the whole segments are equal, at
        no weight.
        """
        at = {
            segment: page
            for segment, page in at.items()
            if page.content and (page.page.length or page.title)
        }
        for (segment, page), item, common, _ in zip(
            at.items(), *self._find(TAILS, list(at)), strict=True
        ):
            if item >= 0:
                self.entries.append((item, *_compared(page)))
            elif not common:
                self.own["tails"].append((_low(segment), *_compared(page), 0))

    def _titles(self) -> None:
        titles = list(dict.fromkeys(page.title for page in self.pages if page.title))
        for title, item, common, weight in zip(titles, *self._find(TITLES, titles), strict=True):
            if common:
                continue
            self.norms["title_weight"] += (
                float(with_more(weight, self.new, self.units["one"]))
                if item >= 0
                else self.units["one"]
            )
            if item >= 0:
                self.entries.append((item, 0, 0, 0))
            else:
                self.own["titles"].append((_low(title),))

    def _labels(self) -> list[int]:
        """Items of the host's terms and addresses; of what is new, none but the terms' weight (as
        of one host).
        """
        parsed = [parse_ip(ip) for ip in self.host.ips]
        found = []
        self.new_terms = 0.0
        for kind, texts in (
            (TERMS, set(self.host.name.split("."))),
            (ADDRESSES, {ip for ip, _ in parsed}),
            (NETWORKS, {net for _, net in parsed}),
        ):
            item, _ = self.model.items_of(kind, hashes(sorted(texts)))
            found += item[item >= 0].tolist()
            if kind == TERMS:
                new = [term for term, i in zip(sorted(texts), item, strict=True) if i < 0]
                self.new_terms = float(
                    sum(round(np.log(max(len(term), 1)) ** 2 * WEIGHT_SCALE) for term in new)
                )
        return sorted(found)

    @property
    def has(self) -> int:
        """1: it has links; 2: canonical links."""
        return (
            int(any(p.page.links for p in self.pages))
            | int(any(p.page.canonical for p in self.pages)) << 1
        )

    def towards(self) -> tuple[dict[str, float], dict[str, float]]:
        """By host: the share of its pages that link there (to one URL at least), and of its
        canonical links that lead there.
        """
        pages: dict[str, int] = {}
        for page in self.pages:
            for link in set(page.page.links):
                pages[link] = pages.get(link, 0) + 1
        linked: dict[str, int] = {}
        for link, n in pages.items():
            linked[site(link)] = max(linked.get(site(link), 0), n)
        named = [site(page.page.canonical) for page in self.pages if page.page.canonical]
        return (
            {host: min(n / (len(self.pages) + 1), 1.0) for host, n in linked.items()},
            {host: named.count(host) / (len(named) + 1) for host in set(named)},
        )


def site(url: str) -> str:
    """The host in a URL in normal form, without port."""
    return (
        url.split("/", 3)[2].partition(":")[0]
        if url.count("/") >= 2 and "[" not in url.split("/", 3)[2]
        else url.split("/", 3)[2].partition("]")[0] + "]"
    )


def _numbered(path: str) -> int:
    segment = segment_of(path)
    return hash64(segment) if tail_of(path) != segment else 0


def _compared(page: _Page) -> tuple[int, int, int]:
    """Content, length and title of a page, as entries have them."""
    return _low(page.content), min(page.page.length or 0, LOW), _low(page.title)


def _low(hash: int) -> int:
    return max(hash & LOW, 1) if hash else 0


class Strangers(Sequence[Stranger]):
    """Unknown hosts together; their places begin at the number of known hosts."""

    def __init__(self, model: Model, hosts: Iterable[Host] = ()) -> None:
        self.model, self.each = model, [Stranger(model, host) for host in hosts]
        self.partners: dict[int, tuple[Weights, Weights]] = {}

    def __len__(self) -> int:
        return len(self.each)

    def __getitem__(self, number: int) -> Stranger:
        return self.each[number]

    @cached_property
    def rows(self) -> Rows:
        """All of them as rows, in their order."""
        return _rows_of(self.each)

    @cached_property
    def directed(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Where they link to: keys of pairs of places, rising, the lower place above; and linked
        and canonical beside them, NaN is none.
        """
        place = {
            stranger.host.name: self.model.n + number for number, stranger in enumerate(self.each)
        }
        found: dict[int, list[float]] = {}
        for mine, stranger in enumerate(self.each, self.model.n):
            for k, shares in enumerate(stranger.towards()):
                for host, share in shares.items():
                    other = place[host] if host in place else self.model.names.find(host)
                    if other >= 0 and other != mine:
                        both = found.setdefault(
                            min(mine, other) << 32 | max(mine, other), [np.nan, np.nan]
                        )
                        both[k] = np.fmax(both[k], share)
        keys = sorted(found)
        shares = np.array([found[key] for key in keys], np.float32).reshape(-1, 2)
        return np.array(keys, np.uint64), {"linked": shares[:, 0], "canonical": shares[:, 1]}


def _rows_of(strangers: list[Stranger]) -> Rows:
    made: dict[str, list] = {name: [] for name in COLUMNS}
    starts = {"start": [0], "label_start": [0], "page_start": [0]}
    for s in strangers:
        for values in sorted(s.entries):
            for name, value in zip(("item", "first", "second", "third"), values, strict=True):
                made[name].append(value)
        made["label"] += s.labels
        for p in s.pages:
            flags = int(p.is_page) | (p.page.path == "/") << 1 | (not p.first) << 2 | p.section << 8
            for name, value in (
                ("path", _low(p.path)),
                ("tail", _low(p.tail)),
                ("numbered", _low(p.numbered)),
                ("content", _low(p.content)),
                ("length", min(p.page.length or 0, LOW)),
                ("title", _low(p.title)),
                ("flags", flags),
            ):
                made[f"page_{name}"].append(value)
        for name, column in (
            ("start", "item"),
            ("label_start", "label"),
            ("page_start", "page_path"),
        ):
            starts[name].append(len(made[column]))
    arrays = {
        name: np.array(values, np.uint32) for name, values in made.items() if name not in starts
    }
    arrays["page_flags"] = arrays["page_flags"].astype(np.uint16)
    arrays |= {name: np.array(values, np.int64) for name, values in starts.items()}
    for name in strangers[0].norms:
        arrays[name] = np.array([s.norms[name] for s in strangers])
    arrays["n_sections"] = np.array(
        [len({p.section for p in s.pages if p.is_page}) for s in strangers]
    )
    arrays["n_urls"] = np.array([len(s.pages) for s in strangers])
    arrays["root"] = np.array([s.root for s in strangers], np.uint32)
    arrays["new"] = np.array([s.new for s in strangers])
    arrays["has"] = np.array([s.has for s in strangers], np.uint8)
    return Rows(arrays, own={sort: _own(strangers, sort) for sort in OWN})


def _own(strangers: list[Stranger], sort: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rows = sorted(
        {
            (number << 32 | hash, *rest)
            for number, s in enumerate(strangers)
            for hash, *rest in s.own[sort]
        }
    )
    keys = np.array([row[0] for row in rows], np.uint64)
    return keys, {
        name: np.array([row[i] for row in rows], np.int64) for i, name in enumerate(OWN[sort], 1)
    }
