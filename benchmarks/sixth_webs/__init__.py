"""A sixth hand's idea of the web: twenty-four situations from the life of crawlers, every number
drawn by the seed.

    from sixth_webs import SCENARIOS, write
    web = write(folder, "gateways", seed=1)

Always true here: nothing is imported from replicadb or the other hands but the type OtherWeb. A
page has bytes and what they say; gold goes by what whole sites say, the crawl has the bytes of a
part. The same scenario and seed give the same files, byte for byte. ``python -m sixth_webs.check``
counts what each scenario has.
"""

from __future__ import annotations

import random
from pathlib import Path

from other_webs import OtherWeb

from . import (
    commerce,
    crawling,
    institutions,
    operators,
    ordinary,
    publishers,
    shadows,
)
from .model import World
from .registry import RECIPES

__all__ = ["SCENARIOS", "OtherWeb", "build", "write"]

SCENARIOS: tuple[str, ...] = tuple(sorted(RECIPES))


def build(scenario: str, seed: int) -> World:
    """The whole web of a scenario: every site with all its pages, and the answers."""
    recipe = RECIPES[scenario]
    world = recipe.world(random.Random(f"{scenario}/{seed}"))
    hosts = world.n(*recipe.hosts)
    recipe.build(world)
    ordinary.fill(world, hosts)
    return world


def write(folder: Path, scenario: str, seed: int) -> OtherWeb:
    """Make the crawl of that scenario and seed: crawl.parquet, and gold.csv with the label and
    cause of every pair that is not of strangers.

    Args:
        folder: where crawl.parquet and gold.csv go; made if missing.
        scenario: a name in SCENARIOS.
        seed: everything is drawn from it and the scenario's name.
    """
    recipe, world = RECIPES[scenario], build(scenario, seed)
    crawl, gold = crawling.write(world, folder, recipe.errors * world.rng.random(), recipe.drop)
    return OtherWeb(crawl, gold, recipe.all_types)
