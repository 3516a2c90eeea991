"""A fifth hand's idea of the web: crawls with planted copies and look-alikes, one idea a scenario,
every number drawn by the seed.

    from fifth_webs import SCENARIOS, write
    web = write(folder, "doorways", seed=1)

Always true here: nothing is imported from replicadb or the other hands but the type OtherWeb, and
the same scenario and seed give the same files, byte for byte.
"""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
from other_webs import OtherWeb

from fifth_webs.gold import pairs
from fifth_webs.scenarios import SCENARIOS, build
from fifth_webs.world import World

__all__ = ["SCENARIOS", "OtherWeb", "write"]

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


def write(folder: Path, scenario: str, seed: int) -> OtherWeb:
    """Make the crawl of that scenario and seed: crawl.parquet, and gold.csv with the label and
    cause of every pair that is not of strangers.

    Args:
        folder: where crawl.parquet and gold.csv go; made if missing.
        scenario: a name in SCENARIOS.
        seed: everything is drawn from it and the scenario's name.
    """
    world = build(scenario, seed)
    folder.mkdir(parents=True, exist_ok=True)
    web = OtherWeb(folder / "crawl.parquet", folder / "gold.csv", world.all_types)
    _crawl(world).write_parquet(web.crawl)
    with web.gold.open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(("host_a", "host_b", "label", "cause"))
        table.writerows(pairs(world))
    return web


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
