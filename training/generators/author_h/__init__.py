"""Author H: the web as a keeper of crawls, archives and phishing feeds knows it.

A site is a body of pages with lives and changes of their own, behind a program that names them.
A host shows views of sites (its own, manuals, agency reports, a kit) and shared documents. A copy
is a view of a view: renamed, aged, cut, translated, with its own name written into pages. The
crawler then takes some of it. This author read no other generator, and not the tool.
"""

from __future__ import annotations

from training.generators.author_h import copying, tables
from training.generators.author_h.crawling import Crawler
from training.generators.author_h.draw import source
from training.generators.author_h.model import World
from training.generators.author_h.origin import Origin
from training.generators.author_h.recipes import RECIPES
from training.generators.common import Generated

SCENARIOS = tuple(RECIPES)


def generate(scenario: str, seed: int) -> Generated:
    """Make the crawl of a scenario and seed."""
    rng = source(scenario, seed)
    world = World(rng, RECIPES[scenario](rng))
    origin = Origin(world)
    _originals(origin)
    _copies(origin)
    rng.shuffle(world.hosts)
    log = Crawler(world, origin.commons).run()
    made = tables.captures(world, log, rng.random() < 0.5)
    return Generated(made, tables.pairs(world, log), False)


def _originals(origin: Origin) -> None:
    rng, recipe, hosts = origin.rng, origin.recipe, origin.world.hosts
    many, small, large = recipe.farms
    wanted = recipe.hosts * (1 - recipe.copies) - many * (small + large) / 2
    for _ in range(20):
        origin.ordinary()
    for _ in range(recipe.chains):
        origin.chain()
    for _ in range(recipe.networks):
        origin.network()
    for _ in range(recipe.manual_hosts):
        origin.manual_host()
    while len(hosts) < max(wanted, 800):
        dice = rng.random()
        if dice < recipe.dead:
            origin.dead()
        elif dice < recipe.dead + recipe.siblings:
            origin.sibling()
        else:
            origin.ordinary()


def _copies(origin: Origin) -> None:
    rng, recipe, hosts = origin.rng, origin.recipe, origin.world.hosts
    many, small, large = recipe.farms
    for _ in range(recipe.kits):
        copying.kit(origin)
    for _ in range(many):
        copying.farm(origin, rng.randint(small, large))
    left = round(recipe.hosts * recipe.copies)
    while left > 0 and len(hosts) < 5000:
        left -= copying.family(origin, left)
