"""Author e: crawls with planted copies and look-alikes, one idea a scenario, every number drawn by
the seed. By a tester who had read none of the other generators.

    from training.generators import author_e, common
    web = common.write(author_e, folder, "doorways", seed=1)

It teaches the prior.
"""

from __future__ import annotations

import polars as pl

from training.generators.author_e.gold import pairs
from training.generators.author_e.scenarios import SCENARIOS, build
from training.generators.author_e.world import World
from training.generators.common import Generated

__all__ = ["SCENARIOS", "generate"]


SCHEMA = {
    "url": pl.String,
    "fingerprint": pl.String,
    "ip": pl.String,
    "timestamp": pl.String,
    "status": pl.Int64,
    "mime": pl.String,
    "length": pl.Int64,
    "title": pl.String,
    "links": pl.List(pl.String),
}
COLUMNS = {
    "plain": tuple(SCHEMA)[:6],
    "rich": tuple(SCHEMA),
    "bare": ("url", "fingerprint", "timestamp", "status", "mime"),
}
"""What a crawl knows, by the world's mode."""


def generate(scenario: str, seed: int) -> Generated:
    """The crawl of that scenario and seed, by URL."""
    world = build(scenario, seed)
    return Generated(_crawl(world), pairs(world), world.all_types)


def _crawl(world: World) -> pl.DataFrame:
    """Every capture, by URL, with the columns that the crawl has."""
    rows = []
    for host, captures in world.crawled.items():
        ip = world.ip(host)
        for url, capture in captures.items():
            its = world.contents[capture.content]
            rows.append(
                (
                    url,
                    its.fingerprint,
                    ip,
                    capture.timestamp,
                    200,
                    capture.mime,
                    its.length,
                    its.title,
                    list(capture.links),
                )
            )
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").select(COLUMNS[world.mode]).sort("url")
