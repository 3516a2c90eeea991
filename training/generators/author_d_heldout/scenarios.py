"""The scenarios by name, and how a web of one is made.

Invariant: the order within a table is the order in which sites are made; a web's replicas
are made partly before the crowds, and partly after, so that some originals are among the
look-alikes.
"""

from __future__ import annotations

from training.generators.author_d_heldout import crowds, families, replicas, shops, sites
from training.generators.author_d_heldout.company_scenarios import COMPANIES
from training.generators.author_d_heldout.people_scenarios import PEOPLE
from training.generators.author_d_heldout.scenario import Scenario
from training.generators.author_d_heldout.world import World

CROWDS = {
    made.__name__: made
    for made in (
        crowds.themed,
        crowds.forks,
        crowds.parked,
        crowds.default_pages,
        crowds.syndicated,
        crowds.counters,
        crowds.forums,
        crowds.manuals,
        crowds.blogrolls,
        crowds.platforms,
        crowds.built,
        shops.hosted_shops,
        shops.affiliates,
        crowds.wiki_copies,
        crowds.lyrics,
        families.franchises,
        families.ministries,
        families.translations,
        families.namesakes,
        families.owners,
        families.city_editions,
        families.versions,
        families.excerpts,
        families.archive_servers,
    )
}
"""Look-alikes by name."""


SCENARIOS: dict[str, Scenario] = COMPANIES | PEOPLE


def make_world(name: str, seed: int) -> World:
    """The web of that scenario and seed."""
    scenario = SCENARIOS[name]
    world = World(name, seed, scenario.settings)
    r, later = world.random, []
    for _ in range(r.randint(*scenario.strangers)):
        sites.make(world)
    for kind, bounds in scenario.replicas.items():
        groups = r.randint(*bounds)
        now = r.randint(0, groups)
        later += [kind] * (groups - now)
        for _ in range(now):
            replicas.KINDS[kind](world)
    for kind, (least, most, count) in scenario.crowds.items():
        for _ in range(count):
            CROWDS[kind](world, r.randint(least, most))
    world.reuse = r.uniform(0.3, 0.9)
    for kind in later:
        replicas.KINDS[kind](world)
    return world
