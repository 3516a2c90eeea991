"""Author I: the web as owners, mirrors, cheats and hosting companies make it, seen by a crawler.

A site is a body of pages that some program names and that change in time. A host shows a view of
one site: as it is, under another name, behind in time, cut, renamed, wrapped in other words, in
another language or of another year. Unrelated hosts share what such hosts share: programs, themes,
manuals, agencies' texts, goods, addresses, errors, and nothing at all.

The gold is decided by what each host is a view of:

- replica: views of one site, in one language and edition;
- near-replica: views of two editions: of other years, forks, archives that are still mended;
- unclear: translations, telephone pages, hosts of files only, names that only redirect, a copy
  within a larger site, parked domains of one seller;
- all else are unrelated.

A replica or near-replica of which the crawl shows no trace is not in the gold: the crawled pages of
the two have no content, path or (where there are titles) title in common, so nobody could see it.
If other views of the site make a chain of traces between the two, the pair is there as unclear.
The first page's path, which all have, is no trace; a name with and without www. is. Where other
files are not loaded, only pages count.

This author read nothing of the project but this package's shape.
"""

from __future__ import annotations

from math import inf

from training.generators.author_i import tables
from training.generators.author_i.copies import COPIES
from training.generators.author_i.crawl import Crawler
from training.generators.author_i.dice import Dice, source
from training.generators.author_i.model import Host
from training.generators.author_i.recipes import RECIPES
from training.generators.author_i.unrelated import UNRELATED
from training.generators.author_i.world import World
from training.generators.common import Generated

SCENARIOS = tuple(RECIPES)
_EMPTY = ("unset", "parked", "tenant")


def generate(scenario: str, seed: int) -> Generated:
    """Make the crawl of a scenario and seed."""
    rng = source(scenario, seed)
    world = World(rng, RECIPES[scenario](rng))
    _originals(world)
    _copies(world)
    _turnover(world)
    rng.shuffle(world.hosts)
    names = tables.columns(rng, world.recipe)
    captures = tables.kept(rng, Crawler(world).run(), names)
    all_types = rng.chance(world.recipe.files)
    gold = tables.pairs(world, captures, "title" in names, all_types)
    return Generated(tables.frame(rng, captures, names), gold, all_types)


def _originals(world: World) -> None:
    """Sites that nobody has copied yet, among them those that look alike."""
    rng, recipe = world.rng, world.recipe
    wanted = recipe.hosts * (1 - recipe.copies)
    for _ in range(20):
        world.ordinary()
    while len(world.hosts) < wanted:
        if rng.chance(recipe.odd):
            UNRELATED[rng.weighed(recipe.unrelated)](world)
        else:
            world.ordinary()


def _copies(world: World) -> None:
    """Copies, some of copies; a few sites have many."""
    rng, recipe = world.rng, world.recipe
    originals = [host for host in world.hosts if host.site.kind not in _EMPTY]
    rng.shuffle(originals)
    many = rng.uniform(0.1, 0.5)
    while len(world.hosts) < recipe.hosts:
        of = _chosen(rng, originals, many)
        before = len(world.hosts)
        COPIES[rng.weighed(recipe.causes)](world, of)
        made = world.hosts[before:]
        if made and made[0].cause != "address" and rng.chance(0.3):
            originals.append(made[0])


def _chosen(rng: Dice, originals: list[Host], many: float) -> Host:
    return rng.favourite(originals) if rng.chance(many) else rng.choice(originals)


def _turnover(world: World) -> None:
    """Between two crawls, hosts come and go."""
    rng = world.rng
    for host in world.hosts:
        if rng.chance(world.recipe.turnover):
            month = -rng.random() * 12
            host.alive = (-inf, month) if rng.chance(0.5) else (month, inf)
