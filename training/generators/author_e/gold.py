"""The pairs of a web: copies, and those of which nobody can say what they are.

Invariant: the smaller host stands first, both hosts were crawled, and a pair is listed once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from training.generators.author_e.world import World

REPLICA, UNCLEAR = "replica", "unclear"
ALIAS = "alias"
"""The cause of pairs that their names tell, whatever their pages have in common."""
FEW = 8
"""Strangers with the very same contents are unclear if there are no more of them; more are many
sites with one default page.
"""


def pairs(world: World) -> Iterator[tuple[str, str, str, str]]:
    """Every pair with its label and cause, in order."""
    contents = {
        host: {capture.content for capture in captures.values()}
        for host, captures in world.crawled.items()
    }
    causes: dict[tuple[str, str], str] = {}
    for hosts in (*world.unclear, *_same(contents)):
        causes.update(dict.fromkeys(_crawled(world, hosts), UNCLEAR))
    for cause, hosts in world.groups:
        for a, b in _crawled(world, hosts):
            known = cause == ALIAS or _can_be_told(
                contents[a], contents[b], max(len(world.crawled[a]), len(world.crawled[b]))
            )
            causes[a, b] = cause if known else UNCLEAR
    for (a, b), cause in sorted(causes.items()):
        yield a, b, UNCLEAR if cause == UNCLEAR else REPLICA, cause


def _crawled(world: World, hosts: list[str]) -> Iterator[tuple[str, str]]:
    return combinations(sorted({host for host in hosts if world.crawled.get(host)}), 2)


def _can_be_told(one: set[str], other: set[str], pages: int) -> bool:
    """Whether two copies have two contents in common, or one if neither has more than two pages."""
    return len(one & other) >= (2 if pages >= 3 else 1)


def _same(contents: dict[str, set[str]]) -> Iterator[list[str]]:
    """Few hosts that have the very same contents."""
    hosts = defaultdict(list)
    for host, its in contents.items():
        hosts[frozenset(its)].append(host)
    yield from (alike for alike in hosts.values() if 1 < len(alike) <= FEW)
