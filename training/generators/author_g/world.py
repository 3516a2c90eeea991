"""The web before it is crawled: hosts, their pages, and which hosts are copies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from training.generators.author_g.names import Names
from training.generators.author_g.seeding import picks, zipf_weights


class Site(NamedTuple):
    """Pages of one host."""

    paths: np.ndarray
    """Text, the root first if it is there."""
    contents: np.ndarray
    """Numbers of contents; equal numbers are equal pages."""
    ranks: np.ndarray
    """How late a crawler meets the page."""


@dataclass
class Family:
    """Hosts that come from one site."""

    classes: list[list[int]]
    """Hosts of one class are copies of each other."""
    causes: dict[int, str]
    """Why each host but the first was made."""
    chain: bool = False
    """Whether the classes are versions in order, of which distant ones are unclear."""
    between: str = "near-replica"
    """The label of hosts of two classes."""


@dataclass
class World:
    """All hosts and pages, and the counters that number them."""

    rng: np.random.Generator
    dynamic_rate: float
    hosts: list[str] = field(default_factory=list)
    ips: list[int] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    families: list[Family] = field(default_factory=list)
    platforms: list[tuple[str, list[int]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Draw the names and the hosting companies."""
        self.names = Names(self.rng)
        self.contents = 0
        self.titles = np.zeros(1 << 16, dtype=np.int64)
        self.dynamic = np.zeros(1 << 16, dtype=bool)
        companies = int(self.rng.integers(20, 400))
        self.hosting = self.rng.integers(1 << 24, 223 << 24, companies)
        self.hosting_weights = zipf_weights(companies, self.rng.uniform(0.6, 1.3))
        self.hosted = self.rng.uniform(0.15, 0.85)

    def fresh(
        self, count: int, dynamic: float | None = None, titles: np.ndarray | None = None
    ) -> np.ndarray:
        """Make contents that no other page has.

        Args:
            dynamic: share of them that differ at every fetch; the world's rate, or near it, else.
            titles: contents whose titles these have.
        """
        start, end = self.contents, self.contents + count
        while end > len(self.titles):
            self.titles = np.concatenate([self.titles, np.zeros_like(self.titles)])
            self.dynamic = np.concatenate([self.dynamic, np.zeros_like(self.dynamic)])
        made = np.arange(start, end)
        self.titles[start:end] = made if titles is None else self.titles[titles]
        rate = self.site_rate() if dynamic is None else dynamic
        self.dynamic[start:end] = self.rng.random(count) < rate
        self.contents = end
        return made

    def site_rate(self) -> float:
        """Draw the share of changing pages of one site."""
        rate = min(max(self.dynamic_rate, 0.001), 0.999)
        return float(self.rng.beta(rate * 5, (1 - rate) * 5))

    def ip(self) -> int:
        """Draw an address: of a hosting company with many sites, or one of its own."""
        if self.rng.random() < self.hosted:
            return int(self.hosting[int(picks(self.rng, self.hosting_weights, 1)[0])])
        return int(self.rng.integers(1 << 24, 223 << 24))

    def add(self, host: str, site: Site, ip: int | None = None) -> int:
        """Add a host and give its number."""
        self.hosts.append(host)
        self.ips.append(self.ip() if ip is None else ip)
        self.sites.append(site)
        return len(self.hosts) - 1

    def put(self, host: int, paths: list[str], contents: np.ndarray, late: float = 1.0) -> None:
        """Add pages to a host at random places of its order; ``late`` over 1 puts them deeper."""
        if not paths:
            return
        site = self.sites[host]
        texts = np.empty(len(paths), dtype=object)
        texts[:] = paths
        reach = 1 + len(site.ranks) * late
        self.sites[host] = Site(
            np.concatenate([site.paths, texts]),
            np.concatenate([site.contents, contents]),
            np.concatenate([site.ranks, self.rng.uniform(0.5, reach, len(paths))]),
        )

    def gold(self, present: set[str]) -> list[tuple[str, str, str, str]]:
        """Give all pairs of hosts that come from one site, of the hosts in the crawl."""
        rows = []
        for family in self.families:
            places = [(c, host) for c, hosts in enumerate(family.classes) for host in hosts]
            for at, (class_a, a) in enumerate(places):
                for class_b, b in places[at + 1 :]:
                    label = _label(family, class_a, class_b)
                    one, two = sorted((self.hosts[a], self.hosts[b]))
                    if one in present and two in present:
                        rows.append((one, two, label, family.causes[b]))
        return sorted(rows)


def _label(family: Family, class_a: int, class_b: int) -> str:
    """Give the label of hosts of two classes of a family."""
    if class_a == class_b:
        return "replica"
    if family.chain and abs(class_a - class_b) >= 3:
        return "unclear"
    return family.between
