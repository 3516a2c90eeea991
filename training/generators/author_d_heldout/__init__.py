"""Author d, held out: crawls with known replicas, by a tester who had read none of the other
generators.

    from training.generators import author_d_heldout, common
    web = common.write(author_d_heldout, folder, "shops", seed=1)

These webs judge method robust (``benchmarks/accuracy/held_out.py``) and teach nothing. Some of
their seeds had a say in settings (``training/record.json``).
"""

from __future__ import annotations

from training.generators.author_d_heldout.crawl import crawl
from training.generators.author_d_heldout.gold import pairs
from training.generators.author_d_heldout.scenarios import SCENARIOS, make_world
from training.generators.common import Generated

__all__ = ["SCENARIOS", "generate"]


def generate(scenario: str, seed: int) -> Generated:
    """The crawl of that scenario and seed."""
    world = make_world(scenario, seed)
    captures, seen = crawl(world)
    return Generated(captures, pairs(world, seen), world.all_types)
