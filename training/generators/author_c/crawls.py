"""A whole crawl: ordinary sites, networks and look-alikes, and among both the sites that have
replicas.

Invariant: a crawl stops growing where it has as many hosts or URLs as it may have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from training.generators.author_c.copies import Habits, add_group
from training.generators.author_c.lookalikes import default, docs, parked, suffix, translation
from training.generators.author_c.networks import blogs, forum, news, package, ring, section, shops
from training.generators.author_c.scenario import Scenario
from training.generators.author_c.scenarios import SCENARIOS
from training.generators.author_c.sites import crawl, ordinary
from training.generators.author_c.verdicts import settle
from training.generators.author_c.world import PLATFORMS, Site, World

MOST_PAIRS = 2200
"""Of the gold standard, before no more replicas are made."""
MOST_UNCLEAR_PAIRS = 700
"""Of the gold standard, before no more domains are parked."""


class Network(NamedTuple):
    """Some sites that have to do with each other, or seem to."""

    add: Callable[[World, int], None]
    least: int
    most: int
    grows: bool = True  # whether it is larger in scenarios about networks
    sources: bool = True  # whether its sites may get replicas


NETWORKS = {
    "blogs": Network(blogs, 10, 60),
    "section": Network(section, 4, 25),
    "shops": Network(shops, 6, 35),
    "translation": Network(translation, 2, 7, grows=False),
    "parked": Network(parked, 5, 22, sources=False),
    "default": Network(default, 6, 25, sources=False),
    "docs": Network(docs, 2, 6, grows=False, sources=False),
    "news": Network(news, 4, 15),
    "forum": Network(forum, 5, 30),
    "package": Network(package, 3, 14),
    "ring": Network(ring, 5, 18),
    "suffix": Network(suffix, 2, 8, sources=False),
}


def build(name: str, seed: int) -> World:
    """The crawl of that scenario and seed."""
    scenario = SCENARIOS[name]
    world = World(name, seed, scenario.all_types)
    hosts, urls = world.random.randint(*scenario.hosts), 95000 if scenario.all_types else 57000
    mu = scenario.size.mu + world.random.uniform(-0.3, 0.3)

    def size() -> int:
        return max(
            scenario.size.least, min(scenario.size.most, world.log_normal(mu, scenario.size.sigma))
        )

    for _ in range(25):  # others may link to them
        crawl(world, ordinary(world, world.weighted(scenario.kinds), size()))
    _add_networks(world, scenario, int(hosts * 0.72), int(urls * 0.6))
    _add_replicas(world, scenario, size, int(urls * 0.9))
    while len(world.sites) < hosts and world.urls < urls:
        crawl(
            world,
            ordinary(world, world.weighted(scenario.kinds), min(size(), max(3, urls - world.urls))),
        )
    settle(world, scenario.known.titles)
    return world


def _add_networks(world: World, scenario: Scenario, hosts: int, urls: int) -> None:
    """The scenario's networks, until there are so many hosts or URLs."""
    r = world.random
    for name in list(_drawn(world, scenario.networks)):
        if len(world.sites) > hosts or world.urls > urls:
            return
        network = NETWORKS[name]
        scale = scenario.network_scale if network.grows else 1
        count = max(
            2, int(math.exp(r.uniform(math.log(network.least), math.log(network.most))) * scale)
        )
        if (
            name == "parked"
            and sum(cause == "unclear" for cause in world.causes.values()) > MOST_UNCLEAR_PAIRS
        ):
            continue
        before = len(world.sites)
        network.add(world, count)
        if network.sources:
            world.candidates += world.sites[before:]


def _add_replicas(world: World, scenario: Scenario, size: Callable[[], int], urls: int) -> None:
    """The scenario's groups of replicas in any order, until there are so many URLs."""
    kinds = list(_drawn(world, scenario.groups))
    world.random.shuffle(kinds)
    names = {
        name: weight * world.random.uniform(0.3, 1.7) for name, weight in scenario.names.items()
    }
    habits = Habits(names, scenario.coverage, scenario.dynamic, scenario.farm)
    for kind in kinds:
        if len(world.causes) > MOST_PAIRS or world.urls > urls:
            return
        add_group(world, kind, _source(world, scenario, kind, size), habits)


def _drawn(world: World, counts: dict[str, tuple[int, int]]) -> Iterator[str]:
    """Each name as often as drawn for it."""
    for name, between in counts.items():
        yield from [name] * world.random.randint(*between)


def _source(world: World, scenario: Scenario, kind: str, size: Callable[[], int]) -> Site:
    """A site to have replicas: one of a network, or a new one."""
    r = world.random
    if r.random() < scenario.from_networks * world.from_networks:
        candidates = [
            site
            for site in world.candidates
            if not site.grouped and site.own >= 5 and len(site.pages) < 400
        ]
        if candidates:
            return r.choice(candidates)
    least, most = scenario.source_pages
    pages = max(size(), least)
    if kind == "farm":
        pages = min(pages, scenario.farm_pages)
    software = world.weighted(scenario.kinds)
    host = world.host(platform=r.choice(PLATFORMS)) if r.random() < scenario.on_platform else None
    return ordinary(world, software, min(pages, most), host)
