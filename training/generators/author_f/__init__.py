"""Author f: twenty-four situations from the life of crawlers, every number drawn by the seed. By a
tester who had read nothing here at all.

    from training.generators import author_f, common
    web = common.write(author_f, folder, "gateways", seed=1)

It teaches the prior. A page has bytes and what they say; gold goes by what whole sites say, the
crawl has the bytes of a part. ``python -m training.generators.author_f.check TABLE.txt`` counts
what each scenario has.
"""

from __future__ import annotations

import random
from importlib import import_module

from training.generators.author_f import crawling, ordinary
from training.generators.author_f.model import World
from training.generators.author_f.registry import RECIPES
from training.generators.common import Generated

__all__ = ["SCENARIOS", "build", "generate"]

SUBJECTS = ("commerce", "institutions", "migrations", "operators", "publishers", "shadows")
for _subject in SUBJECTS:  # each registers its scenarios
    import_module(f"{__name__}.{_subject}")
SCENARIOS: tuple[str, ...] = tuple(sorted(RECIPES))


def build(scenario: str, seed: int) -> World:
    """The whole web of a scenario: every site with all its pages, and the answers."""
    recipe = RECIPES[scenario]
    world = recipe.world(random.Random(f"{scenario}/{seed}"))
    hosts = world.n(*recipe.hosts)
    recipe.build(world)
    ordinary.fill(world, hosts)
    return world


def generate(scenario: str, seed: int) -> Generated:
    """The crawl of that scenario and seed, in no order."""
    recipe, world = RECIPES[scenario], build(scenario, seed)
    captures = crawling.captures(world, recipe.errors * world.rng.random(), recipe.drop)
    pairs = [(*pair, *answer) for pair, answer in sorted(world.gold.items())]
    return Generated(captures, pairs, recipe.all_types)
