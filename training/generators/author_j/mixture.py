"""What a scenario says about its web, before the seed draws rates and sizes from it."""

from __future__ import annotations

from dataclasses import dataclass, field

Weights = dict[str, float]
Counts = dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Mixture:
    """A kind of web and the crawl of it."""

    sites: tuple[int, int]
    """How many sites there are before any is copied."""
    tongues: Weights
    kinds: Weights
    homes: Weights
    """Where the sites live: own domains, platforms, campuses, states, throwaway names."""
    pages: tuple[float, float, int]
    """Pages of a site: the median, the spread of its logarithm, and the most."""
    copies: Counts
    """How many groups of replicas of each cause."""
    close: Counts
    """How many pairs of sites that are close but no replicas, of each cause."""
    alike: Counts
    """How much of each thing that unrelated hosts have in common."""
    columns: Weights
    """Which columns the crawl has."""
    styles: Weights = field(default_factory=lambda: {"breadth": 1.0})
    """How the crawler picks pages."""
    share: tuple[float, float] = (0.4, 1.0)
    """The share of a site's pages that is captured."""
    revisits: tuple[float, float] = (0.0, 0.1)
    """The chance that a captured page is captured again."""
    errors: tuple[float, float] = (0.0, 0.08)
    years: tuple[int, int] = (2010, 2024)
    days: tuple[int, int] = (5, 90)
    """How long the crawl took."""
    most_pairs: int = 2600
    """Groups stop growing at so many pairs of replicas."""
    all_types: float = 0.2
    """The chance that pictures, scripts and papers are crawled, too."""
    most_rows: int = 110_000
