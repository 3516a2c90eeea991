"""What a web is made of: sites, views of sites, hosts that serve views, and the world of hosts."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

DocAt = tuple[str, int]
"""A path and the content that lies there."""


@dataclass(frozen=True)
class Site:
    """A body of pages by one publisher. Its pages are functions of seed and page number."""

    seed: int
    engine: str
    size: int
    brand: str
    sections: int
    static: float
    """Share of pages that never change."""
    tau: float
    """Mean days between changes of the others."""
    template: float
    """Days between changes of what every page shows (sidebar, footer)."""
    nonce: float
    """Share of pages that differ at every fetch."""
    age: float
    life: float
    session: bool = False


@dataclass(frozen=True)
class Part:
    """A site as one host shows it."""

    site: Site
    rewrite: str = "same"
    prefix: str = ""
    frozen: float | None = None
    lag: float = 0.0
    edition: int = 0
    edited: float = 0.0
    """Share of pages that the edition changed."""
    embed: float = 0.0
    """Share of pages that name the host, or that the copying altered."""
    salt: int = 0
    cover: float = 1.0
    by_section: bool = False
    brand: str = ""


@dataclass
class Host:
    """A host name with what it serves."""

    name: str
    domain: str
    ips: list[str]
    parts: list[Part]
    extras: list[DocAt] = field(default_factory=list)
    secure: bool = False
    reach: float = 1.0
    """Factor on the pages that the crawler takes."""
    blocked: int = 0
    """Content of the page that answers every request of the crawler, 0 for none."""
    family: int = -1
    tag: int = 0
    """Edition within the family; hosts of one tag are replicas."""
    doubt: bool = False
    cause: str = ""


@dataclass
class Recipe:
    """Rates of one crawl. Scenarios set them from the seed."""

    hosts: int
    copies: float
    """Share of hosts that are copies."""
    mechanisms: dict[str, float]
    engines: dict[str, float]
    endings: dict[str, float]
    size: float = 40.0
    spread: float = 1.1
    policy: str = "breadth"
    budget: tuple[int, int] = (10, 200)
    jitter: float = 0.4
    visits: tuple[int, int] = (1, 1)
    window: float = 10.0
    gap: float = 0.0
    """Days between visits."""
    nonce: tuple[float, float] = (0.6, 6.0)
    settled: float = 0.3
    """Factor on nonce for sites that no program makes."""
    restless: float = 0.15
    """Share of sites whose sidebar changes within days."""
    group: float = 1.6
    """Tail of the sizes of copy groups; smaller is heavier."""
    largest: int = 12
    dead: float = 0.08
    """Share of hosts that are parked or show a server's default page."""
    engine_files: float = 0.25
    legal: float = 0.3
    syndicated: float = 0.5
    manuals: float = 0.03
    strays: float = 0.1
    articles: int = 1500
    siblings: float = 0.06
    chains: int = 1
    networks: int = 3
    farms: tuple[int, int, int] = (0, 0, 0)
    """How many, smallest and largest."""
    kits: int = 0
    manual_hosts: int = 0
    blocking: float = 0.015
    platform: float = 0.0
    onion: bool = False
    columns: tuple[str, ...] = ("ip",)


@dataclass
class World:
    """The hosts, and the lists of hosts of whom each pair is debatable."""

    rng: random.Random
    recipe: Recipe
    hosts: list[Host] = field(default_factory=list)
    debated: list[tuple[str, list[Host]]] = field(default_factory=list)
    families: int = 0

    def new_family(self, founder: Host) -> int:
        """Make the host the first of a family, if it is in none."""
        if founder.family < 0:
            founder.family = self.families
            founder.cause = "original"
            self.families += 1
        return founder.family
