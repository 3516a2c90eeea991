"""Author b: crawls with known replicas, by a tester who had not read ``replicadb synth``.

    from training.generators import author_b, common
    web = common.write(author_b, folder, "networks", seed=1)

First it judged method robust; now it teaches the prior.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

import polars as pl

from training.generators.author_b.scenarios import SCENARIOS
from training.generators.author_b.world import World
from training.generators.common import Generated

__all__ = ["SCENARIOS", "generate"]

GOLD = ("host_a", "host_b", "label")

SCHEMA = {
    "url": pl.String,
    "fingerprint": pl.String,
    "ip": pl.String,
    "title": pl.String,
    "length": pl.Int64,
    "links": pl.List(pl.String),
    "mime": pl.String,
    "status": pl.Int64,
}


def generate(scenario: str, seed: int) -> Generated:
    """The crawl of that scenario and seed, in no order."""
    world = World(scenario, seed)
    SCENARIOS[scenario](world)
    return Generated(_crawl(world), sorted(_pairs(world)), world.all_types)


def _crawl(world: World) -> pl.DataFrame:
    """Every page of every site in no order, and the columns that the crawl has."""
    rows = [
        (
            f"{site.scheme}://{site.host}{path}",
            hashlib.sha1(page.content.encode()).hexdigest(),
            site.ip,
            page.title,
            page.length,
            list(page.links),
            page.mime,
            page.status,
        )
        for site in world.sites.values()
        for path, page in site.pages.items()
    ]
    world.random.shuffle(rows)
    has = {
        "ip": world.ip,
        "title": world.titles,
        "length": world.lengths,
        "links": world.links,
        "mime": world.files,
        "status": world.status,
    }
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").select(
        name for name in SCHEMA if has.get(name, True)
    )


def _pairs(world: World) -> Iterator[tuple[str, str, str]]:
    """Pairs of replicas, and those of unclear hosts that are none; the smaller host first."""
    groups = defaultdict(list)
    for host, group in world.groups.items():
        groups[group].append(host)
    replicas = {pair for hosts in groups.values() for pair in combinations(sorted(hosts), 2)}
    unclear = {
        pair for hosts in world.unclear.values() for pair in combinations(sorted(hosts), 2)
    } - replicas
    yield from ((*pair, "replica") for pair in replicas)
    yield from ((*pair, "unclear") for pair in unclear)
