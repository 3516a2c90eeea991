"""The numbers of one crawl: how big, how many copies, how strong, how much else is shared."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from training.generators.author_g.seeding import log_uniform, log_whole

CAUSES = {
    "www": 0.3,
    "tld": 0.2,
    "alias": 0.12,
    "moved": 0.14,
    "mirror": 0.14,
    "frozen": 0.05,
    "scraper": 0.05,
}


@dataclass
class Fetch:
    """How the crawler took the pages."""

    budget: tuple[float, float] | None = None
    """Least and most pages of a host; all of them if None."""
    jitter: float = 0.5
    """How far the order of fetching strays from the order of the site."""
    sample: float = 1.0
    """Share of pages that are kept."""
    noise: float = 0.0
    """Share of fetches that differ by accident."""
    ip: bool = True
    """Whether the crawl has addresses."""
    columns: tuple[str, ...] = ()
    """Which more columns there are."""


@dataclass
class Profile:
    """What is drawn for a crawl before any host is made."""

    hosts: int
    urls: int
    spread: float
    """Of the sizes of sites, as the deviation of their logarithms."""
    pairs: int
    """How many replica pairs to plant, about."""
    tail: float
    """Slope of the sizes of families; the bigger, the more pairs of two."""
    largest: int
    """The most hosts of a family."""
    weak: float
    """How much weaker than usual the copies are; 0 is not at all."""
    dynamic: float
    near: int
    """Families of versions and translations."""
    unclear: int
    """Hosts that are a part of another, or contain it."""
    defaults: float
    parked: float
    themed: float
    manuals: float
    owners: float
    """Shares of hosts: default installs, parked, of a common theme, with a manual, of an owner."""
    news: float
    """Shared articles a host, on average."""
    news_pool: int
    news_slope: float
    host_slope: float
    errors: float
    lookalikes: float
    aggregators: int = 0
    platforms: int = 0
    networks: int = 0
    kits: float = 0.0
    """Share of families that are kits of a few pages."""
    farms: int = 0
    causes: dict[str, float] = field(default_factory=lambda: dict(CAUSES))
    most: float = 0.6
    """The most of the hosts that may be copies."""
    exact: bool = False
    """Whether the number of pairs may not be passed."""
    fetch: Fetch = field(default_factory=Fetch)


def drawn(rng: np.random.Generator) -> Profile:
    """Draw a profile of the common kind."""
    hosts = log_whole(rng, 1600, 4800)
    mess = log_uniform(rng, 0.3, 3.0)
    return Profile(
        hosts=hosts,
        urls=log_whole(rng, 32_000, 330_000),
        spread=rng.uniform(0.7, 1.7),
        pairs=log_whole(rng, 40, 3500),
        tail=rng.uniform(1.6, 3.5),
        largest=log_whole(rng, 4, 60),
        weak=rng.uniform(0, 1.8),
        dynamic=log_uniform(rng, 0.005, 0.25),
        near=log_whole(rng, 1, 40),
        unclear=log_whole(rng, 1, 30),
        defaults=min(0.3, mess * log_uniform(rng, 0.01, 0.1)),
        parked=min(0.3, mess * log_uniform(rng, 0.01, 0.12)),
        themed=min(0.8, mess * rng.uniform(0.05, 0.5)),
        manuals=min(0.15, mess * log_uniform(rng, 0.003, 0.05)),
        owners=min(0.4, mess * log_uniform(rng, 0.01, 0.2)),
        news=mess * log_uniform(rng, 0.1, 2.0),
        news_pool=log_whole(rng, 200, 8000),
        news_slope=rng.uniform(0.5, 1.4),
        host_slope=rng.uniform(0.3, 1.1),
        errors=min(0.3, mess * log_uniform(rng, 0.01, 0.1)),
        lookalikes=log_uniform(rng, 0.002, 0.08),
        fetch=fetched(rng),
    )


def fetched(rng: np.random.Generator) -> Fetch:
    """Draw how a crawl is taken; many have url, address and fingerprint alone."""
    columns: tuple[str, ...] = ()
    if rng.random() < 0.5:
        chances = {"timestamp": 0.6, "mime": 0.6, "status": 0.6, "length": 0.5, "title": 0.45}
        columns = tuple(name for name, chance in chances.items() if rng.random() < chance)
    return Fetch(
        jitter=rng.uniform(0.2, 1.5),
        noise=float(rng.choice([0.0, 0.01, 0.03, 0.1])),
        ip=bool(rng.random() < 0.8),
        columns=columns,
    )
