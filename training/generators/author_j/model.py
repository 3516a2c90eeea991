"""The parts a web is made of: pages, hosts, and the world that holds them and who copies whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from training.generators.author_j.addresses import Addresses
from training.generators.author_j.draw import Draw
from training.generators.author_j.mixture import Mixture
from training.generators.author_j.words import Tongue

ALWAYS_OTHER = 500.0
"""Pages edited that often have other content at every capture."""


@dataclass(slots=True)
class Page:
    """One page of a host; equal bodies at equal versions give equal fingerprints."""

    path: str
    title: str
    body: str
    size: int
    mime: str
    edits: float = 0.0
    born: float = -1.0
    """When it came: 0 is the start of the crawl and 1 its end."""
    links: tuple[str, ...] = ()
    order: float = 0.0
    """How far from the front page it is."""


@dataclass(slots=True)
class Host:
    """A host name and what it serves."""

    name: str
    kind: str
    tongue: Tongue
    title: str
    pages: list[Page]
    addresses: tuple[str, ...]
    group: int
    cause: str = ""
    scheme: str = "http"
    lag: float = 0.0
    """How far its contents are behind in time."""
    reach: float = 1.0
    """How much of its share the crawler takes."""
    alive: tuple[float, float] = (0.0, 1.0)
    outward: str = ""
    """The start of the URLs of its links, where they lead to another host."""
    redirects: str = ""
    """The host that all of it redirects to."""
    wall: Page | None = None
    """What every URL shows instead of the page."""


class Tie(NamedTuple):
    """Two groups of hosts that are close, but no replicas."""

    one: int
    other: int
    label: str
    cause: str


@dataclass(slots=True)
class World:
    """A web before it is crawled."""

    draw: Draw
    mixture: Mixture
    addresses: Addresses
    with_links: bool
    restless: float
    """The share of sites with something in each page that changes with each capture."""
    text_rate: float
    """How often a text that two sites took from a third has one fingerprint at both."""
    platforms: list[str] = field(default_factory=list)
    campuses: list[str] = field(default_factory=list)
    hosts: list[Host] = field(default_factory=list)
    names: dict[str, Host] = field(default_factory=dict)
    groups: dict[int, list[Host]] = field(default_factory=dict)
    ties: list[Tie] = field(default_factory=list)
    loose: dict[int, str] = field(default_factory=dict)
    """Groups of which every pair is unclear, with the cause."""
    made: int = 0

    def number(self) -> int:
        """A number not given before."""
        self.made += 1
        return self.made

    def free_name(self, make: Callable[[], str], tries: int = 8) -> str | None:
        """A name that no host has, or nothing."""
        for _ in range(tries):
            name = make()
            if name and name not in self.names:
                return name
        return None

    def add(self, host: Host) -> Host:
        """Put the host into the world and into its group."""
        self.hosts.append(host)
        self.names[host.name] = host
        self.groups.setdefault(host.group, []).append(host)
        return host

    def tie(self, one: int, other: int, label: str, cause: str) -> None:
        """Say that the hosts of two groups are close."""
        if one != other:
            self.ties.append(Tie(one, other, label, cause))

    def replica_pairs(self) -> int:
        """How many pairs the groups have by now."""
        return sum(
            len(hosts) * (len(hosts) - 1) // 2
            for group, hosts in self.groups.items()
            if group not in self.loose
        )

    def chosen(self, kinds: tuple[str, ...] = (), least: int = 2) -> Host | None:
        """A host with so many pages, that is no redirect, wall or bare address."""
        for _ in range(60):
            host = self.draw.pick(self.hosts)
            crowd = len(self.groups[host.group]) > 4
            if host.name[-1].isdigit() or (crowd and self.draw.chance(0.85)):
                continue
            plain = not host.redirects and host.wall is None and host.group not in self.loose
            if plain and len(host.pages) >= least and (not kinds or host.kind in kinds):
                return host
        return None
