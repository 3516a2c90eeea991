"""Author G: artificial crawls of webs with planted copies of sites.

``SCENARIOS`` names the kinds of web. ``generate`` makes one of them from a seed.
"""

from __future__ import annotations

from training.generators.author_g.build import built
from training.generators.author_g.crawl import captured
from training.generators.author_g.scenarios import SCENARIOS, profile_of
from training.generators.author_g.seeding import source
from training.generators.common import Generated

__all__ = ["SCENARIOS", "generate"]


def generate(scenario: str, seed: int) -> Generated:
    """Make the crawl of that scenario and seed."""
    if scenario not in SCENARIOS:
        raise ValueError(f"no scenario {scenario!r}; there are {', '.join(SCENARIOS)}")
    profile = profile_of(scenario, source("profile", scenario, seed))
    world = built(profile, source("world", scenario, seed))
    captures, hosts = captured(world, profile.fetch, source("crawl", scenario, seed))
    return Generated(captures, world.gold(hosts), False)
