"""A new host in the numbers of a model: which items it has, what is its own, and its norms.

Invariant: a host that is not in the database is weighed as the database stands. Of what it
has, things on two known hosts or more have their known idf, and by inverse pair frequency count as
what one host more has; things on more than ``path_max_hosts`` hosts are left out; everything else
is a singleton (weight of a thing on one host); what it shares with one known host alone is found
pair by pair (``replicadb.model.singletons``). After a detection on near duplicates, a page with a
fingerprint of the crawl has the content that URLs with it have there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from replicadb.model.known_hosts import KnownHosts
from replicadb.model.new_hosts import Host, Page
from replicadb.model.pair_sums import NORMS, with_more
from replicadb.model.shared_items import (
    ADDRESSES,
    CONTENTS,
    IDENTIFIERS,
    NETWORKS,
    PATHS,
    SUMMED,
    TAILS,
    TARGETS,
    TERMS,
    TITLES,
)
from replicadb.model.singletons import COLUMNS
from replicadb.settings import PAGE_TYPES, WEIGHT_SCALE
from replicadb.web.bare_titles import bare
from replicadb.web.digests import (
    LOW,
    content_key,
    hash64,
    hashes,
    lower,
    section_of,
    segment_of,
    tail_of,
)
from replicadb.web.main_language import main_language, number_of
from replicadb.web.urls import parse_ip


@dataclass
class HashedPage:
    """A page in hashes; content and titles 0 = unknown."""

    page: Page
    path: int
    tail: int
    numbered: int
    """Of the last segment, where numbers in it are no part of the tail; else 0."""
    section: int
    is_page: bool
    content: int
    title: int
    bare_title: int = 0
    first: bool = True
    """Whether its path is the smallest with its content on the host."""

    def compared(self) -> tuple[int, int, int, int, int]:
        """Content, length, title, bare title and language, as entries have them."""
        titles = low32(self.title), low32(self.bare_title)
        language = number_of(self.page.language) if self.page.language else 0
        return low32(self.content), min(self.page.length or 0, LOW), *titles, language


class NewHost:
    """One new host, weighed. ``entries``: the items that it has, with three columns each, as
    ``Rows`` has them; ``singletons``: what it has that is no item, by kind, a hash and columns
    each; ``contents``: hashes of its contents, each once.
    """

    def __init__(self, known: KnownHosts, host: Host) -> None:
        self.known, self.host, self.units = known, host, known.units
        self.norms = dict.fromkeys(NORMS, 0.0)
        # a known name is counted among those that have a thing
        self.place = known.find_new(host.name)
        self.new = int(self.place < 0)
        self.entries: list[tuple[int, int, int, int, int, int]] = []
        self.singletons: dict[str, list[tuple[int, ...]]] = {kind: [] for kind in COLUMNS}
        self.pages = _hashed(host)
        self.language = main_language(page.page.language for page in self.pages)
        self.contents: list[int] = []
        self.root = 0
        self._add_contents()
        self._add_paths()
        self._add_tails()
        self._add_summed(TITLES, "titles", [page.title for page in self.pages if page.title])
        self._add_summed(TARGETS, "targets", self._targets())
        self._add_summed(IDENTIFIERS, "identifiers", [hash64(said) for said in host.said])
        self.new_terms = 0.0
        """The weight of the terms of its name that no known host has."""
        self.labels = self._labels()

    def _find(self, kind: int, hashes: list[int]) -> tuple[list[int], list[bool], list[int]]:
        """The item of each hash (-1: none), whether it is too common to count, and its weight."""
        item, common = self.known.items_of(kind, np.array(hashes, np.uint64))
        weight = self.known.items.weight
        found = np.where(item >= 0, weight[item], 0) if len(weight) else np.zeros(len(item), int)
        return item.tolist(), common.tolist(), found.tolist()

    def _add_contents(self) -> None:
        hashes = np.array([page.content for page in self.pages], np.uint64)
        at: dict[int, list[HashedPage]] = {}
        for page, content in zip(self.pages, self.known.contents_of(hashes).tolist(), strict=True):
            page.content = content
            if content:
                at.setdefault(content, []).append(page)
        self.contents = list(at)
        only = self.known.only_host_of(np.array(self.contents, np.uint64))
        alone = (only < 0) | (only == self.place)
        item, _, weight = self._find(CONTENTS, self.contents)
        for k, (content, pages) in enumerate(at.items()):
            first = min(pages, key=lambda p: p.page.path.encode())
            for page in pages:
                page.first = page is first
            if item[k] >= 0:
                self._add_item(item[k], weight[k], first)
            else:
                self._add_singleton(content, pages, first, bool(alone[k]))

    def _add_item(self, item: int, weight: int, first: HashedPage) -> None:
        """A content that two known hosts or more have."""
        items, one = self.known.items, self.units["one"]
        flags = int(items.flags[item])
        exclusive = float(with_more(items.exclusive[item], self.new, one))
        if flags & 1:
            self.norms["n_contents"] += 1
            self.norms["n_borrowed"] += 1
            self.norms["weight"] += weight
            self.norms["exclusive_weight"] += exclusive
        else:
            self.norms["asset_weight"] += exclusive
        if not flags & 2:
            where = low32(first.path), low32(first.tail), first.section
            self.entries.append((item, *where, 0, 0))

    def _add_singleton(
        self, content: int, pages: list[HashedPage], first: HashedPage, alone: bool
    ) -> None:
        """A content that one known host at most has; ``alone``: none."""
        is_page = any(page.is_page for page in pages)
        if is_page:
            self.norms["n_contents"] += 1
            self.norms["n_borrowed"] += not alone
            self.norms["weight"] += self.units["own"]
            self.norms["exclusive_weight"] += self.units["one"]
        else:
            self.norms["asset_weight"] += self.units["one"]
        where = low32(first.path), low32(first.tail), first.section
        self.singletons["contents"].append((low32(content), *where, int(is_page), int(alone)))

    def _add_paths(self) -> None:
        for page, item, common, weight in zip(
            self.pages, *self._find(PATHS, [page.path for page in self.pages]), strict=True
        ):
            content, is_page = low32(page.content), int(page.is_page)
            if page.page.path == "/" and item < 0:
                self.root = content
            if common:
                continue
            weighs = weight if item >= 0 else self.units["own_path2"]
            self.norms["path_weight2"] += weighs
            self.norms["page_path_weight2"] += weighs * is_page
            if item >= 0:
                self.entries.append((item, content, is_page, 0, 0, 0))
            else:
                self.singletons["paths"].append((low32(page.path), content, is_page))

    def _add_tails(self) -> None:
        at: dict[int, list[HashedPage]] = {}
        numbered: dict[int, list[HashedPage]] = {}
        for page in self.pages:
            if page.is_page and page.page.path != "/":
                at.setdefault(page.tail, []).append(page)
                if page.numbered:
                    numbered.setdefault(page.numbered, []).append(page)
        self._add_numbered_tails(
            {segment: pages[0] for segment, pages in numbered.items() if len(pages) == 1}
        )
        for (tail, pages), item, common, weight in zip(
            at.items(), *self._find(TAILS, list(at)), strict=True
        ):
            if common:
                continue
            self.norms["tail_weight"] += weight if item >= 0 else self.units["own"]
            compared = len(pages) == 1 and not pages[0].numbered
            there = pages[0].compared() if compared else (0, 0, 0, 0, 0)
            if item >= 0:
                self.entries.append((item, *there))
            else:
                self.singletons["tails"].append((low32(tail), *there, 1))

    def _add_numbered_tails(self, at: dict[int, HashedPage]) -> None:
        """Pages named by small numbers: compared where the whole segments are equal, at
        no weight.
        """
        at = {
            segment: page
            for segment, page in at.items()
            if page.content and (page.page.length or page.title or page.page.language)
        }
        for (segment, page), item, common, _ in zip(
            at.items(), *self._find(TAILS, list(at)), strict=True
        ):
            if item >= 0:
                self.entries.append((item, *page.compared()))
            elif not common:
                self.singletons["tails"].append((low32(segment), *page.compared(), 0))

    def _add_summed(self, kind: int, name: str, hashes: list[int]) -> None:
        """Titles, targets or identifiers: of these nothing but the weight counts."""
        by_idf = kind == IDENTIFIERS
        one, norm = self.units["one"], SUMMED[kind]
        hashes = list(dict.fromkeys(hashes))
        for hash, item, common, weight in zip(hashes, *self._find(kind, hashes), strict=True):
            if common:
                continue
            if item >= 0:
                self.norms[norm] += weight if by_idf else float(with_more(weight, self.new, one))
                self.entries.append((item, 0, 0, 0, 0, 0))
            else:
                self.norms[norm] += self.units["own"] if by_idf else one
                self.singletons[name].append((low32(hash),))

    def _targets(self) -> list[int]:
        """Hashes of the outside URLs that its pages link to."""
        links = (link for page in self.pages for link in page.page.links)
        return [hash64(link) for link in links if host_in(link) != self.host.name]

    def _labels(self) -> list[int]:
        """Items of the host's terms and addresses; of what is new, none but the terms' weight (as
        of one host).
        """
        parsed = [parse_ip(ip) for ip in self.host.ips]
        found: list[int] = []
        for kind, texts in (
            (TERMS, set(self.host.name.replace("/", ".").split("."))),
            (ADDRESSES, {ip for ip, _ in parsed if ip}),
            (NETWORKS, {net for _, net in parsed if net}),
        ):
            item, _ = self.known.items_of(kind, hashes(sorted(texts)))
            found += item[item >= 0].tolist()
            if kind == TERMS:
                new = [term for term, i in zip(sorted(texts), item, strict=True) if i < 0]
                weights = [round(np.log(max(len(term), 1)) ** 2 * WEIGHT_SCALE) for term in new]
                self.new_terms = float(sum(weights))
        return sorted(found)

    @property
    def has(self) -> int:
        """1: it has links; 2: canonical links."""
        links = any(page.page.links for page in self.pages)
        return int(links) | int(any(page.page.canonical for page in self.pages)) << 1

    def link_shares(self) -> tuple[dict[str, float], dict[str, float]]:
        """By host: the share of its pages that link there (to one URL at least), and of its
        canonical links that lead there.
        """
        pages: dict[str, int] = {}
        for page in self.pages:
            for link in set(page.page.links):
                pages[link] = pages.get(link, 0) + 1
        linked: dict[str, int] = {}
        for link, n in pages.items():
            linked[host_in(link)] = max(linked.get(host_in(link), 0), n)
        named = [host_in(page.page.canonical) for page in self.pages if page.page.canonical]
        return (
            {host: min(n / (len(self.pages) + 1), 1.0) for host, n in linked.items()},
            {host: named.count(host) / (len(named) + 1) for host in set(named)},
        )


def _hashed(host: Host) -> list[HashedPage]:
    pages = host.distinct()
    titles = bare([page.title for page in pages])
    return [
        replace(_hashed_page(page), bare_title=hash64(title) if title is not None else 0)
        for page, title in zip(pages, titles, strict=True)
    ]


def _hashed_page(page: Page) -> HashedPage:
    segment, tail = segment_of(page.path), tail_of(page.path)
    return HashedPage(
        page,
        hash64(page.path),
        hash64(tail),
        hash64(segment) if tail != segment else 0,
        hash64(section_of(page.path)) % 64,
        page.mime is None or page.mime in PAGE_TYPES,
        hash64(content_key(*page.fingerprint)) if page.fingerprint else 0,
        hash64(lower(page.title)) if page.title else 0,
    )


def host_in(url: str) -> str:
    """The host in a URL in normal form, without port."""
    place = url.split("/", 3)[2]
    return place.partition("]")[0] + "]" if "[" in place else place.partition(":")[0]


def low32(hash: int) -> int:
    """The lower half of a hash, as sql/model/10_pages has it: 0 is unknown, so no hash is 0."""
    return max(hash & LOW, 1) if hash else 0
