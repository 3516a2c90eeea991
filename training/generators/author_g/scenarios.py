"""The kinds of web, each as the numbers in which it differs from the common kind."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from training.generators.author_g.profile import CAUSES, Profile, drawn
from training.generators.author_g.seeding import log_uniform, log_whole, whole


def national(profile: Profile, rng: np.random.Generator) -> None:
    """Change the profile to a country's web."""
    profile.aggregators = whole(rng, 0, 6)


def shallow(profile: Profile, rng: np.random.Generator) -> None:
    """Change the profile to a crawl of a few pages a host."""
    profile.hosts = log_whole(rng, 3200, 5000)
    profile.urls = log_whole(rng, 90_000, 300_000)
    low = rng.uniform(3, 8)
    profile.fetch.budget = (low, rng.uniform(max(12, low + 5), 25))
    profile.fetch.jitter = rng.uniform(0.15, 1.6)


def sampled(profile: Profile, rng: np.random.Generator) -> None:
    """Change the profile to a sample of a deep crawl."""
    profile.fetch.sample = log_uniform(rng, 0.05, 0.4)
    profile.urls = min(700_000, round(log_whole(rng, 42_000, 180_000) / profile.fetch.sample))
    profile.hosts = log_whole(rng, 1600, 2900)
    profile.weak *= 0.5
    profile.host_slope = rng.uniform(0.6, 1.3)
    profile.news = log_uniform(rng, 0.5, 15)
    profile.news_slope = rng.uniform(0.7, 1.5)
    profile.owners = log_uniform(rng, 0.03, 0.4)
    profile.manuals = log_uniform(rng, 0.005, 0.12)


def homepages(profile: Profile, rng: np.random.Generator) -> None:
    """Change the profile to a crawl of home pages."""
    profile.hosts = log_whole(rng, 2500, 5000)
    profile.urls = profile.hosts * whole(rng, 5, 20)
    profile.fetch.budget = (1, rng.uniform(1.2, 3))
    profile.fetch.jitter = rng.uniform(0.1, 0.9)
    profile.defaults = log_uniform(rng, 0.03, 0.3)
    profile.parked = log_uniform(rng, 0.03, 0.3)
    profile.pairs = log_whole(rng, 40, 1200)
    profile.owners = log_uniform(rng, 0.02, 0.3)
    profile.dynamic = log_uniform(rng, 0.005, 0.12)
    profile.weak *= 0.2


def noisy(profile: Profile, rng: np.random.Generator) -> None:
    """Change the profile to pages that differ at every fetch."""
    profile.dynamic = rng.uniform(0.6, 0.95)
    profile.weak *= 0.3
    profile.lookalikes = log_uniform(rng, 0.02, 0.15)
    profile.urls = log_whole(rng, 50_000, 330_000)


def platforms(profile: Profile, rng: np.random.Generator) -> None:
    """Change the profile to platforms with thousands of tenants."""
    profile.hosts = log_whole(rng, 2200, 5000)
    profile.platforms = whole(rng, 2, 9)
    profile.pairs = log_whole(rng, 12, 300)
    profile.largest = min(profile.largest, 12)
    profile.owners = log_uniform(rng, 0.02, 0.3)
    profile.networks = whole(rng, 0, 15)
    profile.causes = {"scraper": 0.4, "alias": 0.1, "moved": 0.25, "tld": 0.1, "mirror": 0.15}


def clones(profile: Profile, rng: np.random.Generator) -> None:
    """Change the profile to clones on unrelated names."""
    profile.causes = {"scraper": 0.75, "www": 0.1, "moved": 0.05, "farm": 0.1}
    profile.kits = rng.uniform(0.1, 0.6)
    profile.aggregators = log_whole(rng, 3, 50)
    profile.largest = min(profile.largest, 25)
    profile.pairs = log_whole(rng, 80, 5000)


def archives(profile: Profile, rng: np.random.Generator) -> None:
    """Change the profile to mirrors, manuals and versions."""
    profile.causes = {"mirror": 0.5, "frozen": 0.2, "shallow": 0.2, "www": 0.1}
    profile.near = log_whole(rng, 10, 120)
    profile.manuals = log_uniform(rng, 0.02, 0.25)
    profile.unclear = log_whole(rng, 5, 60)
    profile.urls = log_whole(rng, 70_000, 330_000)


def random_sharing(profile: Profile, rng: np.random.Generator) -> None:
    """Change the profile to contents that are shared by chance."""
    profile.news = log_uniform(rng, 3, 30)
    profile.news_pool = log_whole(rng, 2000, 60_000)
    profile.news_slope = rng.uniform(0.4, 1.2)
    profile.host_slope = rng.uniform(0.5, 1.2)
    profile.pairs = log_whole(rng, 15, 250)
    profile.largest = min(profile.largest, 8)


def farms(profile: Profile, rng: np.random.Generator) -> None:
    """Change the profile to a few large groups of copies."""
    profile.farms = whole(rng, 2, 14)
    profile.pairs = log_whole(rng, 5, 100)
    profile.largest = min(profile.largest, 6)
    profile.networks = whole(rng, 2, 25)
    profile.causes = {**CAUSES, "farm": 0.2}


def few(profile: Profile, rng: np.random.Generator) -> None:
    """Change the profile to a web with much sharing and hardly a copy."""
    profile.pairs = whole(rng, 5, 20)
    profile.exact = True
    profile.largest = min(profile.largest, 5)
    profile.near = whole(rng, 0, 4)
    profile.unclear = whole(rng, 0, 5)
    profile.news = log_uniform(rng, 0.5, 10)
    profile.owners = log_uniform(rng, 0.05, 0.3)
    profile.manuals = log_uniform(rng, 0.01, 0.1)
    profile.networks = whole(rng, 0, 12)
    profile.aggregators = whole(rng, 0, 12)


_CHANGES: dict[str, Callable[[Profile, np.random.Generator], None]] = {
    change.__name__: change
    for change in (
        national,
        shallow,
        sampled,
        homepages,
        noisy,
        platforms,
        clones,
        archives,
        random_sharing,
        farms,
        few,
    )
}
SCENARIOS = tuple(_CHANGES)


def profile_of(scenario: str, rng: np.random.Generator) -> Profile:
    """Draw the profile of a scenario."""
    profile = drawn(rng)
    _CHANGES[scenario](profile, rng)
    return profile
