"""The scenarios by name, and how a web of one is built.

Invariant: the background is drawn first, then the scenario adds to it.
"""

from __future__ import annotations

from collections.abc import Callable

from training.generators.author_e import copies, farms, platforms, sharers
from training.generators.author_e.sites import background
from training.generators.author_e.world import World

SCENARIOS: dict[str, Callable[[World], None]] = {
    scenario.__name__: scenario
    for scenario in (
        copies.staging,
        copies.docs,
        copies.moved,
        copies.prefix,
        copies.dynamic,
        copies.mirrors,
        copies.cdn,
        copies.budget,
        copies.homeonly,
        farms.farms_complete,
        farms.farms_partial,
        farms.doorways,
        farms.wildcard,
        farms.phishing,
        sharers.translations_pdf,
        sharers.translations_images,
        sharers.franchise,
        sharers.newswire,
        sharers.affiliates,
        sharers.listings,
        sharers.resellers,
        sharers.manuals,
        sharers.shared_page,
        platforms.spa,
        platforms.walls,
        platforms.tenants,
        platforms.calendar,
        platforms.installs,
        platforms.numbered,
        platforms.archives,
        copies.uncopied,
    )
}
"""What is added to the background, by name."""


def build(scenario: str, seed: int) -> World:
    """The web of that scenario and seed."""
    world = World(scenario, seed)
    background(world)
    SCENARIOS[scenario](world)
    return world
