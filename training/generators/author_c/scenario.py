"""What a scenario says of a crawl."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

Between = tuple[int, int]
NAMES = {"www": 2, "suffix": 3, "sub": 2, "like": 2, "platform": 1, "other": 4}


class Size(NamedTuple):
    """Of sites, in pages: log-normal between two bounds."""

    mu: float
    sigma: float
    most: int
    least: int = 2


class Known(NamedTuple):
    """Which columns the crawl has besides URL and fingerprint."""

    ips: str = "none"  # of all sites, of a part of them, or of none
    titles: bool = False
    lengths: bool = False
    links: bool = False
    mimes: bool = True


@dataclass(frozen=True)
class Scenario:
    """What a crawl is made of."""

    hosts: Between
    size: Size
    known: Known
    groups: dict[str, Between]  # how many groups of replicas of each kind
    networks: dict[str, Between]  # how many networks and look-alikes of each kind
    all_types: bool = False  # whether files are crawled that are no pages
    kinds: dict[str, float] = field(
        default_factory=lambda: {"mix": 1}
    )  # how likely each software of a site is
    names: dict[str, float] = field(
        default_factory=lambda: NAMES
    )  # how likely each way of naming a replica is
    coverage: tuple[float, float] = (0.2, 1.0)  # the share crawled of partial replicas
    dynamic: tuple[float, float] = (0.4, 0.9)  # the share of pages that differ in dynamic replicas
    farm: float = 7  # about how many copies a farm has
    farm_pages: int = 60  # how many pages the source of a farm has at most
    source_pages: Between = (5, 500)  # how many pages the source of other replicas has
    from_networks: float = 0.3  # the share of replicas whose source is of a network
    on_platform: float = 0.05  # the share of the others whose source is on a platform
    network_scale: float = 1.0  # what the size of networks is multiplied by
